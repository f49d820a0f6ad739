#!/bin/bash
# build-rootfs.sh SUITE OUT.ext4 [PACKAGE...] - a small Debian with systemd as a disk image, by mmdebstrap and mke2fs: no loop mount.
# The mirror is the one this machine's apt is configured for. 220 MB, 40-60 s.
set -euo pipefail
suite=$1 out=$(realpath -m "$2")
shift 2
mirror=$({
	sed -n 's/^URIs:[[:space:]]*//p' /etc/apt/sources.list.d/*.sources | tr ' ' '\n'
	sed -nE 's/^deb([[:space:]]+\[[^]]*\])?[[:space:]]+([^[:space:]]+).*/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/*.list || :
} 2> /dev/null | grep debian | grep -v security | head -1 || :)
[[ $mirror ]] || { echo "no mirror of Debian in the configuration of apt" >&2; exit 1; }
d=$(mktemp -d -p "${TMPDIR:-/tmp}")
trap 'rm -rf "$d"' EXIT
packages=systemd-sysv,udev,kmod,dbus,procps,iproute2,util-linux
mmdebstrap --quiet --variant=essential --include="$packages${*:+,$(IFS=,; echo "$*")}" --dpkgopt=force-unsafe-io \
	--dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
	"$suite" "$d/r" "$mirror"
# Nothing that runs by a clock, waits for a terminal or asks the network for anything.
for u in getty@tty1.service apt-daily.timer apt-daily-upgrade.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer dpkg-db-backup.timer systemd-timesyncd.service; do
	ln -sf /dev/null "$d/r/etc/systemd/system/$u"
done
echo testvm > "$d/r/etc/hostname"
echo 0123456789abcdef0123456789abcdef > "$d/r/etc/machine-id"
rm -rf "$d/r/etc/apt" "$d/r/var/cache/apt" "$d/r/var/lib/apt/lists"
rm -f "$out"
mke2fs -q -t ext4 -m 0 -L root -d "$d/r" "$out" "${SIZE:-900M}"
