#!/bin/bash
# run.sh short|all|capture DIR - boots Debian kernels in emulated machines of several shapes and runs suite.sh in each.
#
# short: this release's own kernel as a server. all: every kernel in every shape. capture DIR: all, and keeps
# DIR/SHAPE.tar.gz. SHAPES=REGEX runs only the shapes of that name (server-6.12). Every shape has its own time-out
# (LIMIT, 400 s); what a guest collected is judged here by judge.py. Ends with `N passed, N failed, N skipped`; 1 if a
# shape failed or no kernel ran. Downloads, logs and the table of environments are kept in $TUNEAUDIT_VM (default
# $TMPDIR/tuneaudit-vm).
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:-short} keep=${2-}
work=${TUNEAUDIT_VM:-${TMPDIR:-/tmp}/tuneaudit-vm}
program=${TUNEAUDIT:-$here/../../build/tuneaudit}
limit=${LIMIT:-400}
# A busy host boots slowly; a guest that has not begun by then is booted again.
export KERNELS=$work/kern DEBGET_ROOT=$work/apt BOOTLIMIT=${BOOTLIMIT:-100}
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
		if ! timeout 300 "$here/debget.sh" "$release-backports" "$work/debs" qemu-system-x86 qemu-system-common qemu-system-data seabios; then
			NIC=e1000e
			echo "no QEMU with a several-queue NIC for $release: an e1000e stands in"
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
	timeout 300 "$here/get-kernel.sh" "$1" "$2" amd64 "$3" || return 1
	[[ $work/img/mods-$1.cpio -nt $here/build-initramfs.sh ]] || "$here/build-initramfs.sh" mods "$work/img/mods-$1.cpio" "$KERNELS/$1" 2> /dev/null
}

layers() {
	"$here/build-initramfs.sh" base "$work/img/base.cpio" bash grep ethtool ip tc ss lscpu lsblk findmnt prlimit unshare setpriv nvme numactl sysctl nproc tar gzip find sort mount || return 1
	local d
	d=$(mktemp -d)
	chmod 755 "$d"
	mkdir "$d/t"
	cp "$program" "$d/t/tuneaudit"
	cp "$here/guest-lib.sh" "$d/t/"
	ldd "$program" | grep -oE '/[^ ]+\.so[^ ]*' | while read -r l; do install -D "$(realpath "$l")" "$d/usr${l#/usr}"; done
	"$here/build-initramfs.sh" dir "$work/img/program.cpio" "$d"
	rm -rf "$d"
}

passed=0 failed=0 skipped=0 ran=0 compared=0 tables=()
# In the guest "qmp:nic" is printed where the NIC is to be pulled out.
pull() {
	WAIT=$limit timeout "$limit" "$here/qmp.py" "$1/qmp.sock" --wait-for "$1/out" qmp:nic 'device_del {"id":"nic0"}' > "$1/qmp" 2>&1
}

# shape NAME KERNEL [run-vm options] -- [QEMU options]; WRAP is what the whole machine is started with
shape() {
	local name=$1-$2 k=$2 opts=() out=$work/log/$1-$2 puller='' rc=0 began=$SECONDS words verdict=passed
	[[ $name =~ ${SHAPES:-.} ]] || return 0
	shift 2
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	rm -rf "$out"
	mkdir -p "$out"
	if [[ " $* " == *id=nic0* ]]; then
		opts+=(-a "pullable ${ARGS-}")
		set -- "$@" -qmp "unix:$out/qmp.sock,server=on,wait=off"
		pull "$out" & puller=$!
	else
		opts+=(-a "${ARGS-}")
	fi
	# One thread for all CPUs: with more, emulated CPUs now and then lose a timer and the guest stops.
	# shellcheck disable=SC2086
	ACCEL=tcg,thread=single ${WRAP-} "$here/run-vm.sh" -k "$KERNELS/$k" -i "$work/img/base.cpio" -i "$work/img/mods-$k.cpio" -i "$work/img/program.cpio" \
		-s "$here/suite.sh" -t "$limit" -l "$out" "${opts[@]}" -- "$@" > "$out/stdout" 2> "$out/stderr" || rc=$?
	[[ $puller ]] && kill "$puller" 2> /dev/null && wait "$puller" 2> /dev/null
	mkdir "$out/data.d" 2> /dev/null
	tar -C "$out/data.d" -xzf "$out/data" 2> /dev/null && ran=$((ran + 1))
	if ! python3 "$here/judge.py" "$out/data.d" "$out/stdout" > "$out/judged"; then verdict=FAILED; fi
	grep . "$out/judged" | sed "s/^/  $name: /"
	words=$(tail -1 "$out/judged")
	compared=$((compared + $(sed -n 's/^\([0-9]*\) fields.*/\1/p' <<< "$words" | grep . || echo 0)))
	if [[ $rc -ne 0 ]]; then
		verdict=FAILED
		tail -5 "$out/stderr" | tr -cd '[:print:]\n' | sed "s/^/  $name: /"
	fi
	if [[ $verdict == passed ]]; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
	printf '%-12s %-22s %s, %d s\n' "$name" "$(cat "$KERNELS/$k/release")" "$verdict" $((SECONDS - began))
	if [[ -s $out/data.d/out/facts/after.json ]]; then
		words=$out/data.d/out/facts
		# Of the first machine all environments, of the others what root reads.
		[[ ${#tables[@]} -gt 0 ]] || tables+=("$name nobody=$words/nobody.json" "$name container=$words/container.json" "$name capture=$words/capture.json")
		tables+=("$name=$words/after.json")
	fi
	[[ $keep ]] && tar -C "$out/data.d/capture" -czf "$keep/vm-$name.tar.gz" .
	return 0
}

PORT="-device pcie-root-port,id=r1,chassis=11,slot=11"
NUMA="-object memory-backend-ram,id=m0,size=512M -object memory-backend-ram,id=m1,size=512M -numa node,nodeid=0,cpus=0-3,memdev=m0 -numa node,nodeid=1,cpus=4-7,memdev=m1 -numa dist,src=0,dst=1,val=21 -device pxb-pcie,id=pci1,bus_nr=64,numa_node=1,bus=pcie.0 -device pcie-root-port,id=rp1,bus=pci1,chassis=1,slot=1 -device pcie-root-port,id=rp2,bus=pci1,chassis=2,slot=2"

# Two sockets, two nodes, threads, clocks that can be set; NIC and NVMe on the second node.
# shellcheck disable=SC2086
server() {
	"$here/mk-ssdt.sh" 8 "$work/img/pss8.aml" pss > /dev/null
	CPU=Skylake-Server ARGS=nvme_core.multipath=0 shape server "$1" -c 8,sockets=2,cores=2,threads=2 -m 1024 -- $NUMA -acpitable "file=$work/img/pss8.aml" \
		-netdev user,id=n0 -device $NIC,id=nic0,netdev=n0,bus=rp1,mac=52:54:00:00:00:01,romfile= \
		-blockdev null-co,node-name=d0,size=1073741824,read-zeroes=on -device nvme,serial=abc,drive=d0,bus=rp2,max_ioqpairs=4
}

# One socket of AMD with the firmware tables that amd-pstate wants (it binds from 6.1 on), three kinds of NIC.
# shellcheck disable=SC2086
desk() {
	"$here/mk-ssdt.sh" 4 "$work/img/cpc4.aml" cpc osc > /dev/null
	CPU=EPYC-Milan ARGS="amd_pstate=active memmap=64K\$0x1f000000" shape desk "$1" -c 4 -- $PORT -acpitable "file=$work/img/cpc4.aml" \
		-netdev user,id=n0 -device $NIC,id=nic0,netdev=n0,bus=r1,mac=52:54:00:00:00:01,romfile= \
		-netdev user,id=n1 -device e1000e,netdev=n1,mac=52:54:00:00:00:02,romfile= -netdev user,id=n2 -device vmxnet3,netdev=n2,mac=52:54:00:00:00:03,romfile=
}

# One CPU, one NIC with one queue, little memory.
small() {
	shape small "$1" -c 1 -m 384 -- -netdev user,id=n0 -device virtio-net-pci,netdev=n0,mac=52:54:00:00:00:01,romfile=
}

# As clouds have it: virtio with four queues, RSS, a disk with queues. Several queues take a tap device, which is
# made in a network namespace of its own; without the right to do so the shape is skipped.
cloud() {
	[[ cloud-$1 =~ ${SHAPES:-.} ]] || return 0
	if ! unshare -n sh -c 'ip tuntap add tap0 mode tap multi_queue' 2> /dev/null; then
		skipped=$((skipped + 1))
		echo "cloud-$1: skipped, no tap device may be made here"
		return
	fi
	printf '#!/bin/sh\nip tuntap add tap0 mode tap multi_queue && ip link set tap0 up || exit 1\nexec "$@"\n' > "$work/img/tap.sh"
	WRAP="unshare -n sh $work/img/tap.sh" shape cloud "$1" -c 4 -m 512 -- -netdev tap,id=n0,ifname=tap0,script=no,downscript=no,queues=4,vhost=off \
		-device virtio-net-pci,netdev=n0,mq=on,vectors=10,rss=on,hash=on,rx_queue_size=1024,mac=52:54:00:00:00:01,romfile= \
		-blockdev null-co,node-name=d0,size=1073741824,read-zeroes=on -device virtio-blk-pci,drive=d0,num-queues=4
}

# apply.sh has its own machines.
[[ ${BASH_SOURCE[0]} == "$0" ]] || return 0
command -v apt-get > /dev/null || { echo "skip: the kernels come from Debian's mirror, by apt"; exit 77; }
find_qemu || { echo "0 passed, 1 failed, 0 skipped: qemu-system-x86_64 is not installed"; exit 1; }
layers 2> "$work/log/layers" || { cat "$work/log/layers"; echo "0 passed, 1 failed, 0 skipped: no initramfs"; exit 1; }
# bookworm's security suite also carries a newer kernel: "own" is the one the release came with.
case $release in bookworm) own='^6\.1\.' ;; trixie) own='^6\.12\.' ;; *) own=. ;; esac
if kernel own "$release-security" "$own" || kernel own "$release" "$own"; then
	server own
	[[ $mode == short ]] || { desk own; small own; cloud own; }
else
	failed=$((failed + 1))
	echo "kernel own: the release's own kernel is not to be had"
fi
if [[ $mode != short ]]; then
	for k in "5.10 bullseye-security ^5\.10" "6.12 bookworm-security ^6\.12" "7.3 trixie-backports ^7\.3"; do
		read -r name suite regex <<< "$k"
		if kernel "$name" "$suite" "$regex"; then
			server "$name"; desk "$name"; small "$name"; cloud "$name"
		else
			skipped=$((skipped + 1))
			echo "kernel $name: skipped, the mirror does not have it"
		fi
	done
fi
[[ $ran -gt 0 ]] || { failed=$((failed + 1)); echo "no kernel ran"; }
# Others than us must be able to run it.
install -m 755 "$program" "$work/tuneaudit"
python3 "$here/environments.py" --here "$work/tuneaudit" "${tables[@]}" > "$work/environments.md" && cat "$work/environments.md"
echo "$compared fields compared with other tools"
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 ]]
