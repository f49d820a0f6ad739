#!/bin/bash
# run-vm.sh - boot a Debian kernel under TCG with an initramfs, run a script in it, return its exit status.
#
#   run-vm.sh -k KERNELDIR [-i layer.cpio]... [-s script] [-c smp] [-m MiB] [-a "kernel args"] [-t SECONDS] [-l LOGDIR] [-- qemu args...]
#
#   script's stdout+stderr -> stdout of run-vm.sh;   its exit status -> exit status of run-vm.sh
#   what it writes to /dev/port-data -> LOGDIR/data
#   124 = time-out, 125 = the guest ended without reporting (panic, reset: see LOGDIR/console.log)
#   QEMU (default qemu-system-x86_64), QEMU_FLAGS (e.g. "-L $KERNELS/../qemu10/usr/share/qemu"), MACHINE, CPU, ACCEL
#
# Software emulation always: /dev/kvm may be there and hang in a machine that is itself virtual.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
K='' script='' smp=4 mem=768 args='' limit=120 log='' layers=(); QEMU=${QEMU:-qemu-system-x86_64}; MACHINE=${MACHINE:-q35}; CPU=${CPU:-max}
while getopts k:i:s:c:m:a:t:l: o; do case $o in k) K=$OPTARG;; i) layers+=("$OPTARG");; s) script=$OPTARG;; c) smp=$OPTARG;; m) mem=$OPTARG;;
  a) args=$OPTARG;; t) limit=$OPTARG;; l) log=$OPTARG;; *) exit 2;; esac; done; shift $((OPTIND-1))
tmp=$(mktemp -d); [[ $log ]] || log=$tmp; mkdir -p "$log"
pid=''; trap '[[ $pid ]] && kill "$pid" 2>/dev/null; rm -rf "$tmp"' EXIT
if [[ $script ]]; then mkdir -p "$tmp/t/t"; install -m755 "$script" "$tmp/t/t/run.sh"; (cd "$tmp/t" && find . | cpio -o -H newc --quiet) > "$tmp/script.cpio"; layers+=("$tmp/script.cpio"); fi
cat "${layers[@]}" > "$tmp/initrd"
# the uncompressed ELF (PVH entry) saves the guest 1-6 s of decompression; made once per kernel by vmlinux.py
kern=$K/vmlinux
if [[ ! -e $kern ]]; then case $(basename "$QEMU") in qemu-system-x86_64) python3 "$here/vmlinux.py" "$K/vmlinuz" "$K/vmlinux" >/dev/null || kern=$K/vmlinuz;; *) kern=$K/vmlinuz;; esac; fi
# lpj= skips the delay-loop calibration (1.4 s, and jittery when the host is busy)
boot() {
: > "$log/out"; : > "$log/rc"; : > "$log/data"; : > "$log/console.log"
# shellcheck disable=SC2086
timeout -s TERM "$limit" "$QEMU" ${QEMU_FLAGS-} -M "$MACHINE" -accel ${ACCEL:-tcg,thread=multi} -cpu "$CPU" -smp "$smp" -m "$mem" \
  -nodefaults -no-user-config -nographic -no-reboot -serial file:"$log/console.log" -monitor none \
  -kernel "$kern" -initrd "$tmp/initrd" \
  -append "console=${CONSOLE:-ttyS0} quiet panic=-1 ${KARGS-lpj=4000000 mitigations=off rodata=off no_timer_check tsc=reliable cryptomgr.notests=1} ${args}" \
  -device "${VSER:-virtio-serial-pci}" -chardev file,id=out,path="$log/out" -device virtserialport,chardev=out,name=out \
  -chardev file,id=data,path="$log/data" -device virtserialport,chardev=data,name=data \
  -chardev file,id=rc,path="$log/rc" -device virtserialport,chardev=rc,name=rc \
  "$@" </dev/null 2>"$log/qemu.err" & pid=$!
# A booting SMP guest under multi-threaded TCG now and then loses a timer or a wake-up and stops for good (seen in
# 0-8 % of boots, more on a busy host). /init sends "start" before the test: no start in BOOTLIMIT s = boot again.
local i=0; while kill -0 "$pid" 2>/dev/null; do
  grep -qs start "$log/rc" && break; grep -qs @@@OUT "$log/console.log" && break
  sleep 0.2; i=$((i+1)); [[ $i -gt $((${BOOTLIMIT:-40}*5)) ]] && { kill "$pid"; wait "$pid"; pid=; q=boot; return; }; done
wait "$pid"; q=$?; pid=; }
for try in 1 2 3; do boot "$@"
  # no virtio-serial in the guest: /init wrote between markers on the console instead
  [[ -s $log/rc ]] || { tr -d '\r' < "$log/console.log" | sed -n '/@@@OUT/,/^@@@RC/{s/.*@@@OUT//;/^@@@RC/!p}' > "$log/out"; tr -d '\r' < "$log/console.log" | grep -a @@@RC | sed -n 's/^@@@RC /start /p' > "$log/rc"; }
  grep -q start "$log/rc" && break                                  # the test ran: never run it twice
  grep -qE "valid device|Could not|invalid|not found" "$log/qemu.err" && break   # a wrong command line will not get better
  [[ $try -lt 3 ]] && { echo "run-vm: no boot at try $try (qemu $q), again" >&2; cp "$log/console.log" "$log/console.try$try.log"; }
done
cat "$log/out"
[[ $q == 124 ]] && { echo "run-vm: time-out after $limit s" >&2; tail -5 "$log/console.log" >&2; exit 124; }
rc=$(tr -cd '0-9' < "$log/rc"); [[ $rc ]] && exit "$rc"
echo "run-vm: guest ended without a status (qemu $q)" >&2; cat "$log/qemu.err" >&2; tail -15 "$log/console.log" >&2; exit 125
