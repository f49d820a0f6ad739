#!/bin/sh
# quickstart where the package managers, compiler and libraries are stand-ins: quickstart.sh DIR. What does it ask
# for, of whom, how often, and what does it say when it cannot? Changes nothing outside DIR.
set -eu
top=$(cd "$(dirname "$0")/../.." && pwd)
dir=$1
rm -rf "$dir"
mkdir -p "$dir"
failed=0

# fresh UID MANAGER…: a place with the everyday tools, these managers, and nothing to build with.
fresh() {
	uid=$1
	shift
	rm -rf "${dir:?}/bin" "$dir/clone" "$dir/asked"
	mkdir -p "$dir/bin" "$dir/clone/build"
	cp "$top/quickstart" "$dir/clone"
	: >"$dir/asked"
	for tool in sh sed awk cut tr grep uname dirname env cat echo printf nproc chmod find; do
		ln -s "$(command -v $tool)" "$dir/bin/$tool" 2>/dev/null || true
	done
	stub id "echo $uid"
	for manager; do
		# What it is asked for is there afterwards: all of it, whatever the names.
		stub "$manager" "
			echo '$manager' \"\$@\" >>'$dir/asked'
			case \"\$*\" in *update*) exit 0 ;; esac
			for t in make cc ar pkg-config bats jq python3 ethtool ip pgrep mandoc zsh fish; do
				printf '#!/bin/sh\nexit 0\n' >'$dir/bin/'\$t
				chmod +x '$dir/bin/'\$t
			done"
	done
	# The program that the stand-in for make would have built.
	printf '#!/bin/sh\necho checked\nexit %s\n' "${CHECK_EXIT:-1}" >"$dir/clone/build/tuneaudit"
	chmod +x "$dir/clone/build/tuneaudit"
}
stub() {
	printf '#!/bin/sh\n%s\n' "$2" >"$dir/bin/$1"
	chmod +x "$dir/bin/$1"
}

# expect EXIT [ARGUMENT]: runs quickstart.
expect() {
	want=$1
	shift
	code=0
	PATH="$dir/bin" "$dir/clone/quickstart" "$@" >"$dir/out" 2>&1 || code=$?
	[ "$code" = "$want" ] || wrong "exit $code, not $want"
}
says() { grep -qF -- "$1" "$dir/out" || wrong "does not say: $1"; }
asks() { [ "$(cat "$dir/asked")" = "$1" ] || wrong "asked: $(cat "$dir/asked")"; }
wrong() {
	echo "quickstart: $case: $1"
	sed 's/^/    /' "$dir/out"
	failed=1
}

case='Debian, as root'
fresh 0 apt-get
expect 0
says 'lacking: make cc ar pkg-config'
says checked
asks 'apt-get update -q
apt-get install -q -y --no-install-recommends make gcc binutils pkg-config libc6-dev linux-libc-dev libnl-3-dev libnl-genl-3-dev libmnl-dev libjson-c-dev zlib1g-dev liburing-dev'

case='Debian, a second time'
: >"$dir/asked"
expect 0
says 'all that is needed is here'
asks ''

case='Debian, only jq lacks'
fresh 0 apt-get
for t in make cc ar pkg-config bats python3 ethtool ip pgrep mandoc zsh fish; do stub $t 'exit 0'; done
expect 0 test
asks 'apt-get update -q
apt-get install -q -y --no-install-recommends jq'
says 'all tests passed'

case='Fedora'
fresh 0 dnf
expect 0
asks 'dnf install -y --setopt=install_weak_deps=False make gcc binutils pkgconf-pkg-config glibc-devel kernel-headers libnl3-devel libmnl-devel json-c-devel zlib-devel liburing-devel'

case='Alpine'
fresh 0 apk
expect 0
asks 'apk add --no-cache make gcc binutils pkgconf musl-dev linux-headers libnl3-dev libmnl-dev json-c-dev zlib-dev liburing-dev'

case='Arch'
fresh 0 pacman
expect 0
asks 'pacman -S --needed --noconfirm make gcc binutils pkgconf glibc linux-api-headers libnl libmnl json-c zlib liburing'

case='no root, but sudo'
fresh 1000 apt-get
stub sudo "echo sudo >>'$dir/asked'; exec \"\$@\""
expect 0
[ "$(grep -c '^sudo$' "$dir/asked")" = 2 ] || wrong 'sudo was not used for both calls'

case='no root, no sudo'
fresh 1000 apt-get
expect 1
says 'there is no sudo'
says 'install make gcc'
asks ''

case='no package manager'
fresh 0
expect 1
says 'none of apt-get, dnf, apk, pacman'

# Nothing that starts a service is installed: its files are taken out of the package.
case='Debian, what load runs are compared with'
fresh 0 apt-get
for t in make cc ar pkg-config bats jq python3 ethtool ip pgrep mandoc zsh fish wrk iperf3 taskset; do stub $t 'exit 0'; done
ln -s "$(command -v mkdir)" "$(command -v rm)" "$(command -v ln)" "$dir/bin"
stub apt-get "echo apt-get \"\$@\" >>'$dir/asked'
	case \"\$*\" in
	*install*) printf '#!/bin/sh\n' >'$dir/bin/redis-benchmark'; chmod +x '$dir/bin/redis-benchmark' ;;
	*download*) : >\"\$3_1_amd64.deb\" ;;
	esac"
stub dpkg-deb 'mkdir -p usr/bin usr/sbin; : >usr/sbin/nginx; : >usr/bin/redis-check-rdb; chmod +x usr/sbin/nginx usr/bin/redis-check-rdb'
expect 0 bench
asks 'apt-get update -q
apt-get install -q -y --no-install-recommends redis-tools
apt-get download -q nginx
apt-get download -q redis-tools'
expect 0 bench
says 'all that is needed is here'

case='the manager fails'
fresh 0 apt-get
stub apt-get 'exit 100'
expect 1
says 'could not install'

case='the host could not be read'
CHECK_EXIT=3 fresh 0 apt-get
expect 0
says 'could not be read enough'

case='the program crashes'
CHECK_EXIT=139 fresh 0 apt-get
expect 1
says 'ended with code 139'

case='a word that it does not know'
fresh 0 apt-get
expect 2 tset
says './quickstart test'
asks ''

[ $failed = 0 ] && echo "check-quickstart: ok"
exit $failed
