#!/bin/sh
# Proves the newcomer's two commands where nothing is installed: bare.sh SUITE DIR
#
# Makes a minimal Debian (no compiler, no make, no git) in DIR, copies the working tree in, and runs there, in
# a mount namespace of its own: quickstart without root (must say what lacks), as root, again without a
# network, and `quickstart test` the same two ways. Needs root, mmdebstrap and a Debian mirror; touches
# nothing outside DIR. TEST=0 leaves the runs of `quickstart test` out.
set -eu
suite=$1 dir=$2
top=$(cd "$(dirname "$0")/../.." && pwd)

say() { printf '\n--- %s: %s\n' "$suite" "$*"; }
die() { printf 'bare: %s\n' "$*" >&2; exit 1; }

[ "$(id -u)" = 0 ] || die "needs root (chroot, mount namespace)"
command -v mmdebstrap >/dev/null || die "needs mmdebstrap"

if [ "${BARE_NAMESPACE-}" != 1 ]; then
	BARE_NAMESPACE=1 exec unshare --mount --propagation private sh "$0" "$suite" "$dir"
fi

# The mirror that this machine uses.
# shellcheck disable=SC2016 # apt-get's own variables
mirror=$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' |
	awk '$1 == "Debian" && !/security/ { print $2; exit }')
[ -n "$mirror" ] || die "apt-get indextargets names no Debian mirror (run apt-get update first)"

mkdir -p "$dir"
[ -z "$(ls -A "$dir")" ] || die "$dir is not empty"
say "making a minimal root in $dir"
mmdebstrap --quiet --variant=minbase "$suite" "$dir" "$mirror"
for tool in make cc pkg-config git sudo; do
	! chroot "$dir" sh -c "command -v $tool" >/dev/null || die "$tool is there: no bare root"
done
apt-config dump Acquire | grep -iE 'proxy|check-(valid-until|date)' >"$dir/etc/apt/apt.conf.d/90host" || true
cp /etc/resolv.conf "$dir/etc/resolv.conf"

mkdir "$dir/clone"
if [ -e "$top/.git" ]; then git -C "$top" ls-files -z; else (cd "$top" && find . -type f -not -path './build/*' -print0); fi |
	(cd "$top" && tar --null --files-from=- -cf -) | tar -C "$dir/clone" -xf -

mount --bind "$dir" "$dir"
mount -t proc proc "$dir/proc"
mount --rbind /sys "$dir/sys"
mount --rbind /dev "$dir/dev"

# in_root NAME COMMAND…: runs it in the clone, keeps what it says in NAME.log.
in_root() {
	name=$1
	shift
	say "$name"
	start=$(date +%s)
	code=0
	"$@" >"$dir/$name.log" 2>&1 || code=$?
	tail -n "${LINES_SHOWN:-12}" "$dir/$name.log"
	say "$name: exit $code after $(($(date +%s) - start)) s"
}
clean="env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root"
# Not chroot(2): in one the kernel lets nobody make a user namespace (create_user_ns() in kernel/user_namespace.c), and a
# newcomer's machine is none.
# shellcheck disable=SC2016 # for the shell inside
inside='cd "$1" && pivot_root . mnt && umount -l /mnt && cd /clone && exec sh -c "$2"'
run() { $clean unshare --mount --propagation private sh -c "$inside" inside "$dir" "$1"; }
# Also a machine without a network has its loopback, which load runs need.
run_offline() { $clean unshare --net --mount --propagation private sh -c "ip link set lo up && $inside" inside "$dir" "$1"; }
expect() { [ "$code" = "$1" ] || { cat "$dir/$name.log"; die "$name: exit $code, expected $1"; }; }
never() { ! grep -n "$1" "$dir/$name.log" || die "$name: must not say '$1'"; }
must() { grep -q "$1" "$dir/$name.log" || { cat "$dir/$name.log"; die "$name: does not say '$1'"; }; }

in_root no-root run 'setpriv --reuid 65534 --regid 65534 --clear-groups ./quickstart'
expect 1
must 'lacking: make'
must 'no sudo'

in_root first run ./quickstart
expect 0
must 'installing: make'

in_root second-offline run_offline ./quickstart
expect 0
never 'installing'

if [ "${TEST:-1}" = 1 ]; then
	in_root test run './quickstart test'
	expect 0
	must 'all tests passed'

	in_root test-offline run_offline './quickstart test'
	expect 0
	never 'installing'
fi
say "quickstart holds in a bare root"
