#!/bin/bash
# systemd.sh short|all - changes that are kept over a restart, and such that are confirmed or undo themselves, in emulated machines
# with Debian's systemd as process 1 and its root on a disk: guest-systemd.sh says what is proven. Every boot is one of the machine with
# the disk as the last one left it. short: one profile. all: the six. SHAPES, TUNEAUDIT, downloads: as run.sh.
# shellcheck disable=SC1091,SC2034,SC2154
set -uo pipefail
# systemd starts many programs: on a busy host it takes minutes.
export BOOTLIMIT=${BOOTLIMIT:-300} LIMIT=${LIMIT:-600}
. "$(cd "$(dirname "$0")" && pwd)/run.sh" "${1:-short}"

passed=0 failed=0 skipped=0 boots=0 resets=0 written=0 taken=0 began=$SECONDS

# What the guest counted as that.
sum() { grep -o "[0-9]* files $1" "$out/stdout" | awk '{ n += $1 } END { print n + 0 }'; }

# boot NAME PARTS: the machine with the disk of that name. Where the guest prints "qmp:reset" it is reset by force, without its knowing.
# shellcheck disable=SC2086
boot() {
	local name=$1 parts=$2 out=$work/log/systemd-$1-${2//[,:]/-} rc=0 began=$SECONDS right resetter
	rm -rf "$out"
	mkdir -p "$out"
	WAIT=600 "$here/qmp.py" "$out/qmp.sock" --wait-for "$out/out" qmp:reset system_reset > "$out/qmp" 2>&1 & resetter=$!
	CPU=Skylake-Server ACCEL=tcg,thread=single "$here/run-vm.sh" -k "$KERNELS/own" -i "$work/img/base-systemd.cpio" -i "$work/img/mods-own.cpio" -i "$work/img/systemd.cpio" \
		-s "$here/guest-systemd.sh" -c 4 -m 768 -t "$limit" -l "$out" -a "nvme_core.multipath=0 $MASKS parts=$parts ${ARGS-}" -- \
		-drive "file=$work/img/systemd-$name.qcow2,if=virtio,format=qcow2,cache=unsafe" $PORT -device pcie-root-port,id=rp2,chassis=12,slot=12 -acpitable "file=$work/img/pss4.aml" \
		-netdev user,id=n0 -device $NIC,netdev=n0,bus=r1,mac=52:54:00:00:00:01,romfile= \
		-blockdev null-co,node-name=d0,size=1073741824,read-zeroes=on -device nvme,serial=abc,drive=d0,bus=rp2,max_ioqpairs=4 \
		-qmp "unix:$out/qmp.sock,server=on,wait=off" > "$out/stdout" 2> "$out/stderr" || rc=$?
	kill $resetter 2> /dev/null
	wait $resetter 2> /dev/null
	[[ $rc -eq 125 ]] && grep -q '^qmp:reset' "$out/stdout" && ! grep -q '^not ok' "$out/stdout" && rc=0 && resets=$((resets + 1))
	boots=$((boots + 1))
	mkdir "$out/data.d"
	tar -C "$out/data.d" -xzf "$out/data" 2> /dev/null
	[[ ! -e $out/data.d/predicted.json ]] || python3 "$here/predicted.py" "$out/data.d" > "$out/predicted" || rc=1
	grep -hv '^ok\|^qmp:' "$out/stdout" "$out/predicted" 2> /dev/null | cut -c1-1000 | sed "s/^/  $name: /"
	right=$(grep -c '^ok' "$out/stdout")
	written=$((written + $(sum written)))
	taken=$((taken + $(sum "taken back")))
	if [[ $rc -eq 0 && $right -gt 0 ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		tail -3 "$out/stderr" | tr -cd '[:print:]\n' | sed "s/^/  $name: /"
	fi
	printf '%-12s %-40s %d right, exit %d, %d s\n' "$name" "$parts" "$right" $rc $((SECONDS - began))
}
# Nothing of what is proven, and a third of the time that a boot takes.
MASKS=$(printf 'systemd.mask=%s ' systemd-update-utmp.service systemd-journal-flush.service systemd-logind.service systemd-user-sessions.service dev-hugepages.mount dev-mqueue.mount \
	sys-kernel-{tracing,config}.mount sys-fs-fuse-connections.mount modprobe@{configfs,drm,dm_mod,loop,fuse,efi_pstore}.service kmod-static-nodes.service getty.target systemd-pstore.service systemd-random-seed.service)

# A new disk over the image of that release.
disk() { # NAME RELEASE
	root "$2"
	qemu-img create -q -f qcow2 -b "$ROOT" -F raw "$work/img/systemd-$1.qcow2"
}

# The root of that release in $ROOT: made once, of those packages by that script.
root() {
	local packages=ethtool,strace,diffutils
	ROOT=$work/img/root-$1-$(cksum < "$here/build-rootfs.sh" | tr ' ' '-')-${packages//,/-}.ext4
	[[ ${2-} != make || -e $ROOT ]] || { rm -f "$work/img/root-$1"-* && timeout 400 "$here/build-rootfs.sh" "$1" "$work/img/new-$1" ${packages//,/ } > "$work/log/root-$1" 2>&1 && mv "$work/img/new-$1" "$ROOT"; }
}

# What is laid over the root: the program with its libraries, the host that most rules find fault with, written into the files that a boot
# reads before ours.
lab() {
	local d r s
	INIT=$here/guest-init-systemd.sh "$here/build-initramfs.sh" base "$work/img/base-systemd.cpio" || return 1
	d=$(mktemp -d)
	chmod 755 "$d"
	r=$d/t/root
	install -D -m 755 "$program" "$r/usr/bin/tuneaudit"
	ldd "$program" | grep -oE '/[^ ]+\.so[^ ]*' | grep -v '/libc\.so\|/libm\.so\|/ld-linux' | while read -r l; do install -D -m 644 "$(realpath "$l")" "$r/usr/lib/x86_64-linux-gnu/${l##*/}"; done
	install -m 755 /bin/busybox "$r/usr/bin/busybox"
	install -m 644 "$here/guest-lib.sh" "$d/t"
	install -D -m 644 "$here/systemd.rules" "$d/t/rules/systemd.rules"
	mkdir -p "$r"/etc/{sysctl.d,modules-load.d,tmpfiles.d,udev/rules.d,systemd/{system/multi-user.target.wants,network}} "$r/usr/lib/worse"
	# Not all of them are there on this machine; with few descriptors in all systemd could start nothing.
	bash -c '. "$1/guest-lib.sh"; worse_sysctls' - "$here" | grep -v fs.nr_open | sed 's/^/-/; s/ / = /' > "$r/etc/sysctl.d/10-worse.conf"
	# Lines as people write them: another separator, a later file, a number that is refused, a pattern with an exception, a mask.
	printf '%s\n' net/ipv4/tcp_fin_timeout=29 '-vm.swappiness = 201' 'net.core.optmem_max = 65536 # bytes' '-net.ipv4.tcp_retries1' \
		'net.ipv4.tcp_retries* = 7' > "$r/etc/sysctl.d/20-odd.conf"
	printf 'net.ipv4.tcp_fin_timeout = 0x1f\r\n' > "$r/etc/sysctl.d/30-odd.conf"
	mkdir -p "$r/usr/lib/sysctl.d"
	echo 'net.ipv4.tcp_fin_timeout = 28' > "$r/usr/lib/sysctl.d/40-masked.conf"
	ln -s /dev/null "$r/etc/sysctl.d/40-masked.conf"
	printf '%s\n' nf_conntrack bfq acpi-cpufreq cpufreq_powersave > "$r/etc/modules-load.d/worse.conf"
	echo 'w- /sys/devices/system/cpu/cpufreq/policy*/scaling_governor - - - - powersave' > "$r/etc/tmpfiles.d/10-worse.conf"
	cat > "$r/etc/udev/rules.d/10-worse.rules" <<- 'END'
		ACTION=="add", SUBSYSTEM=="net", DRIVERS=="igb|e1000e", PROGRAM="/usr/sbin/ethtool -G $name rx 128 tx 128"
		ACTION=="add", SUBSYSTEM=="net", DRIVERS=="igb", PROGRAM="/usr/sbin/ethtool -L $name combined 2"
		ACTION=="add", SUBSYSTEM=="net", DRIVERS=="igb|e1000e", PROGRAM="/usr/sbin/ethtool -K $name gro off gso off tso off"
		ACTION=="add", SUBSYSTEM=="net", DRIVERS=="igb|e1000e", ATTR{tx_queue_len}="100"
		ACTION=="add|change", SUBSYSTEM=="block", KERNEL=="nvme*n*|vd*", ATTR{queue/scheduler}="bfq", ATTR{queue/read_ahead_kb}="16", ATTR{queue/nr_requests}="20"
	END
	printf '[Match]\nDriver=igb e1000e\n[Network]\nAddress=10.0.2.15/24\nGateway=10.0.2.2\nLinkLocalAddressing=no\n' > "$r/etc/systemd/network/10-test.network"
	ln -s /lib/systemd/system/systemd-networkd.service "$r/etc/systemd/system/multi-user.target.wants/"
	for s in nginx:80 redis-server:6379; do
		install -m 755 /bin/busybox "$r/usr/lib/worse/${s%:*}"
		printf '[Service]\nExecStart=@/usr/lib/worse/%s nc -ll -p %s -e /bin/true\nLimitNOFILE=1024\n' "${s%:*}" "${s#*:}" > "$r/etc/systemd/system/${s%:*}.service"
		ln -s "../${s%:*}.service" "$r/etc/systemd/system/multi-user.target.wants/"
	done
	"$here/build-initramfs.sh" dir "$work/img/systemd.cpio" "$d"
	rm -rf "$d"
}

command -v apt-get > /dev/null || { echo "skip: the kernels come from Debian's mirror, by apt"; exit 77; }
[[ $(id -u) == 0 ]] || { echo "skip: the files of a root file system are root's, and so has to be who makes it"; exit 77; }
for c in mmdebstrap mke2fs qemu-img iasl; do command -v $c > /dev/null || { echo "skip: $c is not installed"; exit 77; }; done
find_qemu || { echo "0 passed, 1 failed, 0 skipped: qemu-system-x86_64 is not installed"; exit 1; }
case $release in bookworm) own='^6\.1\.' ;; trixie) own='^6\.12\.' ;; *) own=. ;; esac
root "$release" make & rooting=$!
kernel own "$release-security" "$own" || kernel own "$release" "$own" || { echo "0 passed, 1 failed, 0 skipped: the release's own kernel is not to be had"; exit 1; }
{ lab && "$here/mk-ssdt.sh" 4 "$work/img/pss4.aml" pss; } > "$work/log/layers" 2>&1 || { cat "$work/log/layers"; echo "0 passed, 1 failed, 0 skipped: no initramfs"; exit 1; }
wait $rooting || { cat "$work/log/root-$release"; echo "0 passed, 1 failed, 0 skipped: no root file system"; exit 1; }
echo "root file system, kernel and layers: $((SECONDS - began)) s"

confirmed() {
	disk confirm "$release"
	boot confirm start,cut,halfway,killed,pending
	boot confirm lost,torn
	boot confirm mended:rollback
	boot confirm back,torn
	boot confirm mended:confirm
	boot confirm held:gateway
	boot confirm back
	other trixie
}
# Another systemd than this release's.
other() {
	[[ $1 != "$release" ]] || return 0
	if root "$1" make; then
		disk "$1" "$1"
		boot "$1" start,apply:gateway
		boot "$1" held:gateway
		boot "$1" back
	else
		skipped=$((skipped + 1))
		echo "$1: skipped, $(tail -1 "$work/log/root-$1" | cut -c1-200)"
	fi
}
kept() {
	local before=start p
	disk profiles "$release"
	for p in base gateway redis file-server small-device benchmark; do
		boot profiles "$before,apply:$p"
		boot profiles "held:$p"
		before=back
	done
	boot profiles back
}
both() {
	disk short "$release"
	boot short start,cut,pending
	boot short lost,apply:gateway
	boot short held:gateway
	boot short back
}
# Machines one after the other, beside another such row; what came of it goes into a file.
row() {
	"$1" > "$work/log/row-$1.out" 2>&1
	echo "$passed $failed $skipped $boots $resets $written $taken" > "$work/log/row-$1"
}
rows=(confirmed kept)
[[ $mode == short ]] && rows=(both)
pids=()
for r in "${rows[@]}"; do
	rm -f "$work/log/row-$r"
	row "$r" & pids+=($!)
done
wait "${pids[@]}"
for r in "${rows[@]}"; do
	cat "$work/log/row-$r.out"
	read -r p f k b s w t < "$work/log/row-$r" || { p=0 f=1 k=0 b=0 s=0 w=0 t=0; echo "$r: it came to no end"; }
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + k)) boots=$((boots + b)) resets=$((resets + s)) written=$((written + w)) taken=$((taken + t))
done
echo "$boots starts of a host, $resets of them ended by a reset; $written files written, $taken taken back; $((SECONDS - began)) s"
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $passed -gt 0 ]]
