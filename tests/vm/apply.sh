#!/bin/bash
# apply.sh [short|all] - changes interfaces of emulated machines by tuneaudit apply and puts them back: igb, e1000e, vmxnet3 and
# virtio-net with several queues, under this release's own kernel (short) or all that run.sh knows. Downloads as run.sh.
# shellcheck disable=SC1091,SC2034,SC2154
set -uo pipefail
. "$(cd "$(dirname "$0")" && pwd)/run.sh" "${1:-short}"

passed=0 failed=0 skipped=0

# machine NAME KERNEL [run-vm options] -- [QEMU options]; WRAP is what the whole machine is started with
machine() {
	local name=$1-$2 k=$2 out=$work/log/apply-$1-$2 opts=() rc=0 began=$SECONDS
	[[ $name =~ ${SHAPES:-.} ]] || return 0
	shift 2
	while [[ $1 != -- ]]; do opts+=("$1"); shift; done
	shift
	mkdir -p "$out"
	# shellcheck disable=SC2086
	ACCEL=tcg,thread=single ${WRAP-} "$here/run-vm.sh" -k "$KERNELS/$k" -i "$work/img/base.cpio" -i "$work/img/mods-$k.cpio" -i "$work/img/program.cpio" \
		-i "$work/img/lab.cpio" -s "$here/guest-apply.sh" -t "$limit" -l "$out" "${opts[@]}" -- "$@" > "$out/stdout" 2> "$out/stderr" || rc=$?
	grep -v '^ok' "$out/stdout" | sed "s/^/  $name: /"
	if [[ $rc -eq 0 ]]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		tail -3 "$out/stderr" | sed "s/^/  $name: /"
	fi
	printf '%-18s %-22s %d right, exit %d, %d s\n' "$name" "$(cat "$KERNELS/$k/release")" "$(grep -c '^ok' "$out/stdout")" $rc $((SECONDS - began))
}

# Three kinds of card; igb has as many queues as there are CPUs.
# shellcheck disable=SC2086
cards() {
	machine cards "$1" -c 4 -- $PORT -netdev user,id=n0 -device $NIC,netdev=n0,bus=r1,mac=52:54:00:00:00:01,romfile= \
		-netdev user,id=n1 -device e1000e,netdev=n1,mac=52:54:00:00:00:02,romfile= -netdev user,id=n2 -device vmxnet3,netdev=n2,mac=52:54:00:00:00:03,romfile=
}

virtio() {
	[[ virtio-$1 =~ ${SHAPES:-.} ]] || return 0
	if ! unshare -n sh -c 'ip tuntap add tap0 mode tap multi_queue' 2> /dev/null; then
		skipped=$((skipped + 1))
		echo "virtio-$1: skipped, no tap device may be made here"
		return
	fi
	printf '#!/bin/sh\nip tuntap add tap0 mode tap multi_queue && ip link set tap0 up || exit 1\nexec "$@"\n' > "$work/img/tap.sh"
	WRAP="unshare -n sh $work/img/tap.sh" machine virtio "$1" -c 4 -m 512 -- -netdev tap,id=n0,ifname=tap0,script=no,downscript=no,queues=4,vhost=off \
		-device virtio-net-pci,netdev=n0,mq=on,vectors=10,rss=on,hash=on,rx_queue_size=1024,mac=52:54:00:00:00:01,romfile=
}

# The rules, where only root may write.
lab() {
	local d
	d=$(mktemp -d)
	chmod 755 "$d"
	install -D -m 644 "$here/apply.rules" "$d/t/rules/apply.rules"
	"$here/build-initramfs.sh" dir "$work/img/lab.cpio" "$d"
	rm -rf "$d"
}

command -v apt-get > /dev/null || { echo "skip: the kernels come from Debian's mirror, by apt"; exit 77; }
find_qemu || { echo "0 passed, 1 failed, 0 skipped: qemu-system-x86_64 is not installed"; exit 1; }
{ layers && lab; } 2> "$work/log/layers" || { cat "$work/log/layers"; echo "0 passed, 1 failed, 0 skipped: no initramfs"; exit 1; }
case $release in bookworm) own='^6\.1\.' ;; trixie) own='^6\.12\.' ;; *) own=. ;; esac
kernels=("own $release-security $own")
[[ $mode == short ]] || kernels+=("5.10 bullseye-security ^5\.10" "6.12 bookworm-security ^6\.12" "7.3 trixie-backports ^7\.3")
for k in "${kernels[@]}"; do
	read -r name suite regex <<< "$k"
	if kernel "$name" "$suite" "$regex"; then
		cards "$name"
		virtio "$name"
	else
		skipped=$((skipped + 1))
		echo "kernel $name: skipped, the mirror does not have it"
	fi
done
echo "$passed passed, $failed failed, $skipped skipped"
[[ $failed -eq 0 && $passed -gt 0 ]]
