#!/bin/bash
# run.sh short|all|capture DIR - boots Debian kernels in emulated machines of several shapes and runs suite.sh in each.
#
# short: this release's own kernel, one shape. all: every kernel and shape. capture DIR: all, and keeps DIR/SHAPE.tar.gz.
# SHAPES=REGEX runs only the shapes of that name. Downloads go to $TUNEAUDIT_VM (default $TMPDIR/tuneaudit-vm) and are kept. Fails if no kernel ran.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:-short} keep=${2-}
work=${TUNEAUDIT_VM:-${TMPDIR:-/tmp}/tuneaudit-vm}
program=${TUNEAUDIT:-$here/../../build/tuneaudit}
export KERNELS=$work/kern DEBGET_ROOT=$work/apt
mkdir -p "$work/img" "$work/log"
. /etc/os-release
release=${VERSION_CODENAME:-bookworm}

# QEMU with the igb NIC: Debian 12 has it in backports, used unpacked beside the installed one, whose libraries it
# shares. Where that is not to be had the machines get an e1000e, which has one queue.
NIC=igb
find_qemu() {
	QEMU=qemu-system-x86_64
	command -v $QEMU > /dev/null || return 1
	$QEMU -device help 2> /dev/null | grep -q '^name "igb"' && { export QEMU; return; }
	if [[ ! -x $work/qemu/usr/bin/qemu-system-x86_64 ]]; then
		if ! "$here/debget.sh" "$release-backports" "$work/debs" qemu-system-x86 qemu-system-common qemu-system-data seabios; then
			NIC=e1000e
			export QEMU
			return
		fi
		for f in "$work"/debs/*.deb; do dpkg -x "$f" "$work/qemu"; done
	fi
	QEMU=$work/qemu/usr/bin/qemu-system-x86_64 QEMU_FLAGS="-L $work/qemu/usr/share/qemu -L $work/qemu/usr/share/seabios -L /usr/share/qemu"
	export QEMU QEMU_FLAGS
}

# kernel NAME SUITE REGEX: fetched, its modules layer made; false if the mirror does not have it.
kernel() {
	"$here/get-kernel.sh" "$1" "$2" amd64 "$3" || return 1
	[[ -e $work/img/mods-$1.cpio ]] || "$here/build-initramfs.sh" mods "$work/img/mods-$1.cpio" "$KERNELS/$1"
}

layers() {
	"$here/build-initramfs.sh" base "$work/img/base.cpio" bash ethtool ip jq lscpu nproc tar gzip base64 find sort
	local d
	d=$(mktemp -d)
	mkdir "$d/t"
	cp "$program" "$d/t/tuneaudit"
	[[ $mode == capture ]] && touch "$d/t/want-capture"
	ldd "$program" | grep -oE '/[^ ]+\.so[^ ]*' | while read -r l; do install -D "$(realpath "$l")" "$d/usr${l#/usr}"; done
	"$here/build-initramfs.sh" dir "$work/img/program.cpio" "$d"
	rm -rf "$d"
}

ran=0 failed=0 skipped=0
# shape NAME KERNEL [run-vm options] -- [QEMU options]
shape() {
	local name=$1 k=$2 opts=() out=$work/log/$1
	[[ $name =~ ${SHAPES:-.} ]] || return 0
	shift 2
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	mkdir -p "$out"
	"$here/run-vm.sh" -k "$KERNELS/$k" -i "$work/img/base.cpio" -i "$work/img/mods-$k.cpio" -i "$work/img/program.cpio" \
		-s "$here/suite.sh" -t 400 -l "$out" "${opts[@]}" -- "$@" > "$out/stdout" 2> "$out/stderr"
	local rc=$?
	sed '/@@@CAPTURE/,/@@@END/d' "$out/stdout" | grep -v '^ok' | sed "s/^/  $name: /"
	grep -q '^ok' "$out/stdout" && ran=$((ran + 1))
	if [[ $rc -ne 0 ]]; then
		failed=$((failed + 1))
		tail -5 "$out/stderr" | sed "s/^/  $name: /"
	fi
	echo "$name (kernel $(cat "$KERNELS/$k/release")): $(grep -c '^ok' "$out/stdout") checks right, exit $rc"
	[[ $keep ]] && sed -n '/@@@CAPTURE/,/@@@END/{/@@@/d;p}' "$out/stdout" | base64 -d > "$keep/vm-$name.tar.gz"
}

PORT="-device pcie-root-port,id=r1,chassis=11,slot=11"
NUMA="-object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M -numa node,nodeid=0,cpus=0-3,memdev=m0 -numa node,nodeid=1,cpus=4-7,memdev=m1 -numa dist,src=0,dst=1,val=21 -device pxb-pcie,id=pci1,bus_nr=64,numa_node=1,bus=pcie.0 -device pcie-root-port,id=rp1,bus=pci1,chassis=1,slot=1 -device pcie-root-port,id=rp2,bus=pci1,chassis=2,slot=2"

# shellcheck disable=SC2086
server() {
	"$here/mk-ssdt.sh" 8 "$work/img/pss8.aml" pss
	CPU=Skylake-Server ACCEL=tcg,thread=single shape "server-$1" "$1" -c 8,sockets=2,cores=2,threads=2 -m 1024 -- $NUMA -acpitable "file=$work/img/pss8.aml" \
		-netdev user,id=n0 -device $NIC,netdev=n0,bus=rp1,mac=52:54:00:00:00:01,romfile= \
		-blockdev null-co,node-name=d0,size=1073741824,read-zeroes=on -device nvme,serial=abc,drive=d0,bus=rp2,max_ioqpairs=4
}

# shellcheck disable=SC2086
desk() {
	shape "desk-$1" "$1" -c 4 -- $PORT -netdev user,id=n0 -device $NIC,netdev=n0,bus=r1,mac=52:54:00:00:00:01,romfile= \
		-netdev user,id=n1 -device e1000e,netdev=n1,mac=52:54:00:00:00:02,romfile= -netdev user,id=n2 -device vmxnet3,netdev=n2,mac=52:54:00:00:00:03,romfile=
}

small() {
	shape "small-$1" "$1" -c 1 -m 384 -- -netdev user,id=n0 -device virtio-net-pci,netdev=n0,mac=52:54:00:00:00:01,romfile=
}

command -v apt-get > /dev/null || { echo "skip: the kernels come from Debian's mirror, by apt"; exit 77; }
find_qemu || { echo "0 shapes ran: qemu-system-x86_64 is not installed"; exit 1; }
layers 2> /dev/null || { echo "0 shapes ran: no initramfs"; exit 1; }
# bookworm's security suite also carries a newer kernel: "own" is the one the release came with.
case $release in bookworm) own='^6\.1\.' ;; trixie) own='^6\.12\.' ;; *) own=. ;; esac
if kernel own "$release-security" "$own" || kernel own "$release" "$own"; then
	server own
	[[ $mode == short ]] || { desk own; small own; }
else
	skipped=$((skipped + 1))
fi
if [[ $mode != short ]]; then
	for k in "5.10 bullseye-security ^5\.10" "6.12 bookworm-security ^6\.12" "7.3 trixie-backports ^7\.3"; do
		read -r name suite regex <<< "$k"
		if kernel "$name" "$suite" "$regex"; then desk "$name"; else skipped=$((skipped + 1)); echo "kernel $name: skipped, the mirror does not have it"; fi
	done
fi
echo "$ran shapes ran, $failed failed, $skipped kernels skipped"
[[ $ran -gt 0 && $failed -eq 0 ]]
