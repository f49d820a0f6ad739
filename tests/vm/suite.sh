#!/bin/bash
# The suite that every test guest runs (as /t/run.sh; the program is /t/tuneaudit). Prints "ok …" or "not ok …"
# per check; with /t/want-capture it also puts a capture on the console port as base64 between markers.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
T=/t/tuneaudit failed=0
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; failed=1; }
same() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1" "tuneaudit says '$2', the system '$3'"; fi; }

for m in igb e1000e vmxnet3 virtio_net nvme acpi-cpufreq; do modprobe $m 2>/dev/null; done
for n in /sys/class/net/*; do ip link set "${n##*/}" up 2>/dev/null; done
sleep 1

# What the kernel has loaded, every setting that can be written, and its taint: reading must not move them.
state() { cut -d' ' -f1 /proc/modules | sort; cat /proc/sys/kernel/tainted; find /proc/sys -type f -perm -200 ! -name '*random*' ! -name 'ns_last_pid' ! -name 'drop_caches' ! -name 'compact_memory' ! -name flush ! -name stat_refresh ! -name 'nr_hugepages*' -print | sort | while read -r f; do echo "$f=$(cat "$f" 2>/dev/null | tr '\n' ' ')"; done; }
state > /tmp/before
$T check --format json > /tmp/check.json; rc=$?
$T facts > /dev/null; $T check --profile gateway > /dev/null
state > /tmp/after
if cmp -s /tmp/before /tmp/after; then ok "reading changes nothing ($(wc -l < /tmp/before) settings and modules)"; else not_ok "reading changes nothing" "$(diff /tmp/before /tmp/after | grep '^[+-][^+-]' | head -5 | tr '\n' ' ')"; fi
case $rc in 0 | 1 | 3) ok "check ends with $rc" ;; *) not_ok "check" "exit $rc" ;; esac

$T facts --format json > /tmp/facts.json || not_ok facts "exit $?"
j() { jq -r "$1" /tmp/facts.json; }
same "CPUs online" "$(j .facts.cpu.online)" "$(nproc --all)"
same "sockets" "$(j .facts.cpu.sockets)" "$(lscpu | sed -n 's/^Socket(s): *//p')"
same "threads per core" "$(j .facts.cpu.threads_per_core)" "$(lscpu | sed -n 's/^Thread(s) per core: *//p')"
same "NUMA nodes" "$(j .facts.numa_nodes)" "$(lscpu | sed -n 's/^NUMA node(s): *//p')"
same "kernel" "$(j .facts.kernel.release)" "$(uname -r)"
for n in /sys/class/net/*; do
	n=${n##*/}
	[[ $n == lo ]] && continue
	same "$n driver" "$(j ".facts.nics[\"$n\"].driver")" "$(ethtool -i "$n" | sed -n 's/^driver: //p')"
	l=$(ethtool -l "$n" 2>/dev/null | sed -n 's/^Combined:[[:space:]]*//p' | tr '\n' ' ')
	if [[ $l == [0-9]* ]]; then
		same "$n combined channels (max, now)" "$(j ".facts.nics[\"$n\"].channels.combined | \"\(.max) \(.current) \"")" "$l"
	else
		same "$n has no channels" "$(j ".facts.nics[\"$n\"].channels.combined.max")" null
	fi
	g=$(ethtool -g "$n" 2>/dev/null | sed -n 's/^RX:[[:space:]]*//p' | tr '\n' ' ')
	[[ $g == [0-9]* ]] && same "$n RX ring (max, now)" "$(j ".facts.nics[\"$n\"].rings.rx | \"\(.max) \(.current) \"")" "$g"
	q=$(find "/sys/class/net/$n/queues" -maxdepth 1 -name 'rx-*' | wc -l)
	same "$n RX queues" "$(j ".facts.nics[\"$n\"].queues.rx")" "$q"
	irqs=$(ls "/sys/class/net/$n/device/msi_irqs" 2>/dev/null | wc -l)
	if [[ $irqs -gt 0 ]]; then
		known=$(j "[.facts.irqs[] | select(.device == \"$n\")] | length")
		if [[ $known -gt 0 && $known -le $irqs ]]; then ok "$n: $known of $irqs vectors are its interrupts"; else not_ok "$n interrupts" "$known of $irqs"; fi
	fi
done
for p in /sys/devices/system/cpu/cpufreq/policy*; do
	[[ -e $p ]] || continue
	same "${p##*/} governor" "$(j ".facts.cpu.policies[\"${p##*/}\"].governor")" "$(cat "$p/scaling_governor")"
done
for d in /sys/class/nvme/nvme*; do
	[[ -e $d ]] || continue
	same "${d##*/} model" "$(j ".facts.nvme[\"${d##*/}\"].model")" "$(sed 's/ *$//' "$d/model")"
	if [[ -e $d/power/pm_qos_latency_tolerance_us ]]; then a=true; else a=false; fi
	same "${d##*/} APST supported" "$(j ".facts.nvme[\"${d##*/}\"].apst_supported")" $a
done
same "somaxconn" "$(j '.facts.sysctl["net.core.somaxconn"]')" "$(cat /proc/sys/net/core/somaxconn)"

settled() { jq -S '.facts | {cpu, numa, sysctl, nics: (.nics | map_values({driver, channels, rings, features}))} | del(.cpu.policies[]?.cur_khz, .cpu.throttle, .cpu.time, .numa[]?.free_bytes)' "$1"; }
$T capture /tmp/capture > /dev/null 2>&1 || not_ok capture "exit $?"
$T facts --format json --capture /tmp/capture > /tmp/back.json
$T facts --format json --capture /tmp/capture > /tmp/again.json
if cmp -s /tmp/back.json /tmp/again.json && [[ $(settled /tmp/back.json) == "$(settled /tmp/facts.json)" ]]; then ok "a capture reads back"; else not_ok "a capture reads back" "differs"; fi

if [[ -e /t/want-capture ]]; then
	echo "@@@CAPTURE"
	tar -C /tmp/capture -cz . | base64
	echo "@@@END"
fi
exit $failed
