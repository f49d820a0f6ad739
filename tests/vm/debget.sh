#!/bin/bash
# debget.sh - download .debs of ANY suite/arch served by the mirror this machine is
# already configured for, without touching the system's apt state.
#
#   debget.sh SUITE[@ARCH] DESTDIR PKG[=VERSION]...      download exactly these packages
#   debget.sh --deps SUITE[@ARCH] DESTDIR PKG...         ... and all they depend on
#   debget.sh --policy SUITE[@ARCH] PKG...               print candidates
#   debget.sh --list SUITE[@ARCH] PREFIX                 package names with this prefix
#
# No registry host is written anywhere: URIs come from the machine's own apt sources.
# The private apt root of each suite lives in ${DEBGET_ROOT:-${TMPDIR:-/tmp}/tuneaudit-vm/apt}/SUITE@ARCH.
set -euo pipefail
mode="get"
case "${1-}" in --deps) mode=deps; shift;; --policy) mode=policy; shift;; --list) mode=list; shift;; esac
suite=${1%@*}; arch=amd64; [[ $1 == *@* ]] && arch=${1#*@}; shift
root=${DEBGET_ROOT:-${TMPDIR:-/tmp}/tuneaudit-vm/apt}/$suite@$arch
# every URI apt knows (deb822 or one-line format); security suites live under the *-security one
mapfile -t uris < <( { sed -n 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources 2>/dev/null | tr ' ' '\n'
   sed -nE 's/^deb([[:space:]]+\[[^]]*\])?[[:space:]]+([^[:space:]]+).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null; } | grep -E 'debian' | awk '!s[$0]++' )
main=; sec=
for u in "${uris[@]}"; do case $u in *security*) : "${sec:=$u}";; *) : "${main:=$u}";; esac; done
case $suite in *-security) uri=${sec:-$main};; *) uri=$main;; esac
mkdir -p "$root"/{lists/partial,cache/archives/partial,sources.d}
printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' \
   "$uri" "$suite" > "$root/sources.d/x.sources"
: > "$root/status"
A=(-o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$root/sources.d" -o Dir::State="$root"
   -o Dir::State::lists="$root/lists" -o Dir::State::status="$root/status" -o Dir::Cache="$root/cache"
   -o APT::Architecture="$arch" -o APT::Architectures::="$arch" -o APT::Sandbox::User=root -o Acquire::Languages=none
   -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -qq)
# refresh the index at most once a day
if [[ -z $(find "$root/lists" -maxdepth 1 -name '*Packages*' -mmin -1440 2>/dev/null | head -1) ]]; then
  apt-get "${A[@]}" update >&2
fi
case $mode in
 policy) exec apt-cache "${A[@]}" policy "$@";;
 list) exec apt-cache "${A[@]}" pkgnames "$1";;
esac
dest=$1; shift; mkdir -p "$dest"; cd "$dest"
if [[ $mode == get ]]; then apt-get "${A[@]}" download "$@"
else # resolve against an empty status file: everything needed, nothing assumed installed
  apt-get "${A[@]}" -y --no-install-recommends --download-only -o Dir::Cache::archives="$PWD" \
     -o Debug::NoLocking=1 install "$@" >&2
fi
