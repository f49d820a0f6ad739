#!/bin/bash
# profiles.sh short|all - tuneaudit apply and rollback in emulated machines: the profiles, a trial of one, single knobs, interrupts beside a
# running irqbalance, power cuts and kills; everything that can be set is compared before and after (guest-profiles.sh).
# short: one profile and irqbalance under this release's own kernel. SHAPES, LIMIT, TUNEAUDIT, downloads: as run.sh.
# shellcheck disable=SC1091,SC2034,SC2154
set -uo pipefail
. "$(cd "$(dirname "$0")" && pwd)/run.sh" "${1:-short}"

passed=0 failed=0 skipped=0 compared=0

# machine NAME KERNEL PARTS [run-vm options] -- [QEMU options]
machine() {
	local name=$1-$2 k=$2 parts=$3 out=$work/log/profiles-$1-$2 opts=() rc=0 began=$SECONDS right
	[[ $name =~ ${SHAPES:-.} ]] || return 0
	shift 3
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	rm -rf "$out"
	mkdir -p "$out"
	ACCEL=tcg,thread=single OUT=$out "$here/run-vm.sh" -k "$KERNELS/$k" -i "$work/img/base.cpio" -i "$work/img/mods-$k.cpio" -i "$work/img/program.cpio" \
		-i "$work/img/profiles.cpio" -s "$here/guest-profiles.sh" -t "$limit" -l "$out" -a "parts=$parts ${ARGS-}" "${opts[@]}" -- "$@" \
		> "$out/stdout" 2> "$out/stderr" || rc=$?
	grep -v '^ok' "$out/stdout" | sed "s/^/  $name: /"
	right=$(grep -c '^ok' "$out/stdout")
	compared=$((compared + $(sed -n 's/^info \([0-9]*\) values compared.*/\1/p' "$out/stdout" | grep . || echo 0)))
	# The power was cut by the guest itself.
	[[ $rc -eq 125 && $parts == cut && $right -gt 0 ]] && ! grep -q '^not ok' "$out/stdout" && rc=0
	if [[ $rc -eq 0 && $right -gt 0 ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		tail -3 "$out/stderr" | tr -cd '[:print:]\n' | sed "s/^/  $name: /"
	fi
	printf '%-18s %-22s %d right, exit %d, %d s\n' "$name" "$(cat "$KERNELS/$k/release")" "$right" $rc $((SECONDS - began))
}

# A drive that sleeps: its Identify page is written before the machine starts.
sleeping() {
	mkdir -p "$work/img/apst"
	cat > "$work/img/apst/$(basename "$QEMU")" <<- END
		#!/bin/bash
		"$QEMU" -S -qmp "unix:\$OUT/qmp.sock,server=on,wait=off" "\$@" & pid=\$!
		trap 'kill \$pid' TERM
		"$here/nvme-apst-patch.py" \$pid abc > "\$OUT/apst" 2>&1
		"$here/qmp.py" "\$OUT/qmp.sock" cont > /dev/null
		wait \$pid
	END
	chmod 755 "$work/img/apst/$(basename "$QEMU")"
	QEMU=$work/img/apst/$(basename "$QEMU") "$@"
}

NVME="-blockdev null-co,node-name=d0,size=1073741824,read-zeroes=on -device nvme,serial=abc,drive=d0,bus=rp2,max_ioqpairs=4"

# Two nodes, a card with several queues, a drive that sleeps, clocks that can be set.
# shellcheck disable=SC2086
server() { # NAME KERNEL PARTS
	"$here/mk-ssdt.sh" 8 "$work/img/pss8.aml" pss > /dev/null
	CPU=Skylake-Server ARGS="nvme_core.multipath=0 governor=performance apst=yes ${ARGS-}" sleeping machine "$1" "$2" "$3" -c 8,sockets=2,cores=2,threads=2 -m 1024 -- $NUMA \
		-acpitable "file=$work/img/pss8.aml" -netdev user,id=n0 -device $NIC,netdev=n0,bus=rp1,mac=52:54:00:00:00:01,romfile= $NVME
}

# The processor chooses its clock by a preference.
# shellcheck disable=SC2086
desk() {
	"$here/mk-ssdt.sh" 4 "$work/img/cpc4.aml" cpc osc > /dev/null
	CPU=EPYC-Milan ARGS="amd_pstate=active memmap=64K\$0x1f000000 governor=powersave epp=yes" machine desk "$1" "$2" -c 4 -- $PORT -acpitable "file=$work/img/cpc4.aml" \
		-netdev user,id=n0 -device $NIC,netdev=n0,bus=r1,mac=52:54:00:00:00:01,romfile=
}

small() {
	machine small "$1" "$2" -c 1 -m 384 -- -netdev user,id=n0 -device virtio-net-pci,netdev=n0,mac=52:54:00:00:00:01,romfile=
}

# The power is cut, and the machine is started again with the same disk.
power() {
	local disk=$work/img/power-$1.img
	[[ power-$1 =~ ${SHAPES:-.} ]] || return 0
	command -v mke2fs > /dev/null || { skipped=$((skipped + 1)); echo "power-$1: skipped, there is no mke2fs"; return; }
	rm -f "$disk"
	truncate -s 32M "$disk"
	mke2fs -q -t ext4 "$disk"
	for parts in cut cutagain; do
		ARGS=governor=none machine "power-$parts" "$1" $parts -c 2 -m 512 -- -netdev user,id=n0 -device e1000e,netdev=n0,mac=52:54:00:00:00:01,romfile= \
			-drive "file=$disk,if=none,id=d1,format=raw" -device virtio-blk-pci,drive=d1
	done
}

# Debian's irqbalance with its libraries, and the rules where only root may write.
lab() {
	local d l p
	if [[ ! -x $work/irqbalance/usr/sbin/irqbalance ]]; then
		timeout 300 "$here/debget.sh" --deps "$release" "$work/irqbalance-debs" irqbalance || return 1
		for p in "$work"/irqbalance-debs/{irqbalance,lib}*.deb; do dpkg -x "$p" "$work/irqbalance"; done
	fi
	d=$(mktemp -d)
	chmod 755 "$d"
	install -D -m 644 "$here/profiles.rules" "$d/t/rules/profiles.rules"
	install -D -m 755 "$work/irqbalance/usr/sbin/irqbalance" "$d/usr/sbin/irqbalance"
	# The C library is the base layer's.
	LD_LIBRARY_PATH=$work/irqbalance/usr/lib/x86_64-linux-gnu:$work/irqbalance/lib/x86_64-linux-gnu ldd "$d/usr/sbin/irqbalance" |
		grep -oE '/[^ ]+\.so[^ ]*' | grep -v '/libc\.so\|/libm\.so\|/ld-linux' | while read -r l; do
		install -D -m 644 "$(realpath "$l")" "$d/usr/lib/x86_64-linux-gnu/${l##*/}"
	done
	l=$(ldd "$work/irqbalance/usr/sbin/irqbalance" | grep -oE '/[^ ]+/libm\.so[^ ]*')
	install -D -m 644 "$(realpath "$l")" "$d/usr/lib/x86_64-linux-gnu/${l##*/}"
	"$here/build-initramfs.sh" dir "$work/img/profiles.cpio" "$d"
	rm -rf "$d"
}

command -v apt-get > /dev/null || { echo "skip: the kernels come from Debian's mirror, by apt"; exit 77; }
find_qemu || { echo "0 passed, 1 failed, 0 skipped: qemu-system-x86_64 is not installed"; exit 1; }
{ layers && lab; } > "$work/log/layers" 2>&1 || { cat "$work/log/layers"; echo "0 passed, 1 failed, 0 skipped: no initramfs"; exit 1; }
case $release in bookworm) own='^6\.1\.' ;; trixie) own='^6\.12\.' ;; *) own=. ;; esac
kernels=("own $release-security $own")
[[ $mode == short ]] || kernels+=("5.10 bullseye-security ^5\.10" "6.12 bookworm-security ^6\.12")
for k in "${kernels[@]}"; do
	read -r name suite regex <<< "$k"
	if ! kernel "$name" "$suite" "$regex"; then
		skipped=$((skipped + 1))
		echo "kernel $name: skipped, the mirror does not have it"
	elif [[ $mode == short ]]; then
		ARGS=profiles=gateway server server "$name" profiles,irqbalance
	else
		server profiles "$name" profiles
		server knobs "$name" knobs,irqbalance
		server numbers "$name" numbers
		server kills "$name" kill
		[[ $name != own ]] || server trial "$name" trial
		power "$name"
		small "$name" profiles
		[[ $name != 6.12 ]] || desk "$name" knobs
	fi
done
echo "$compared values compared before and after"
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $passed -gt 0 ]]
