#!/bin/bash
# The suite that every test guest runs (as /t/run.sh; the program is /t/tuneaudit). It only collects, the guest is slow:
# what tuneaudit says, what other tools say of the same machine, what tuneaudit says while the machine changes under
# it. All goes as one tar over the virtio port "data"; the host judges it (tests/vm/judge.py). Lines of its output:
# "not ok …" for what went wrong here, "qmp:NAME" where the host pulls a device out.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
T=/t/tuneaudit O=/tmp/out
mkdir -p $O/tools $O/law $O/facts $O/loops
chmod 1777 /tmp
now() { local up; read -r up _ < /proc/uptime; echo "$up"; }

for m in igb e1000e vmxnet3 virtio_net virtio_blk nvme acpi-cpufreq amd-pstate dummy 8021q; do modprobe $m 2> /dev/null; done
# Where it is not loaded nothing is told of backlogs, and nobody loads it to ask.
[[ $(nproc) -gt 1 ]] && modprobe tcp_diag 2> /dev/null
sleep 1
nics() { ls /sys/class/net; }
for n in $(nics); do ip link set "$n" up 2> /dev/null; done
ip link add bond0 type bond 2> /dev/null
ip link add eth0.7 link eth0 type vlan id 7 2> /dev/null && ip link set eth0.7 up
ip link add va type veth peer name vb 2> /dev/null && ip link set va up
for port in 8001 8002; do busybox nc -ll -p $port -e /bin/true > /dev/null 2>&1 & done
sleep 1

# Reading changes nothing: modules, every setting that can be written, taint.
state() {
	cut -d' ' -f1 /proc/modules | sort
	cat /proc/sys/kernel/tainted
	find /proc/sys -type f -perm -200 ! -name '*random*' ! -name ns_last_pid ! -name drop_caches ! -name compact_memory ! -name flush ! -name stat_refresh ! -name max_newidle_lb_cost | sort | while read -r f; do
		v=
		{ mapfile -t v < "$f"; } 2> /dev/null
		echo "$f=${v[*]}"
	done
	for n in $(nics); do ethtool -k "$n"; ethtool -c "$n"; ethtool -g "$n"; ethtool -l "$n"; done 2> /dev/null
	grep . /proc/irq/*/smp_affinity_list /sys/class/net/*/queues/*/[rx]ps_cpus /sys/devices/system/cpu/cpufreq/*/scaling_{governor,m*_freq} /sys/block/*/queue/{scheduler,read_ahead_kb,nr_requests} 2> /dev/null
}
state > $O/law/before
$T check --format json > $O/check.json 2> $O/check.err
echo $? > $O/check.rc
$T check --profile gateway > $O/check.txt 2>> $O/check.err || :
$T facts > /dev/null
$T capture /tmp/capture > /dev/null 2>&1 || echo "not ok capture: exit $?"
state > $O/law/after
began=$(now)
$T check > /dev/null
echo "check took $began $(now)" > $O/time

# What other tools say, between two readings of ours: counters are between both.
facts() { "${@:2}" $T facts --format json > "$O/facts/$1.json" 2> "$O/facts/$1.err" || echo "not ok facts as $1: exit $?"; }
facts before
tool() { "${@:2}" > "$O/tools/$1" 2> /dev/null || rm -f "$O/tools/$1"; }
for n in $(nics); do
	for o in i l g c k a x S; do tool "ethtool-$o.$n" ethtool -$o "$n"; done
	tool "ethtool-eee.$n" ethtool --show-eee "$n"
	tool "ethtool.$n" ethtool "$n"
	tool "queues.$n" ls "/sys/class/net/$n/queues"
	tool "msi_irqs.$n" ls "/sys/class/net/$n/device/msi_irqs"
done
tool ip ip -j -d -s -s link
tool tc tc -j qdisc
tool lscpu lscpu -J
tool lscpu-p lscpu -p=cpu,core,socket,node
tool lscpu-a lscpu -a -p=cpu,online
tool numactl numactl -H
tool lsblk lsblk -J -b -o NAME,SCHED,ROTA,RQ-SIZE,RA,TYPE
tool sysctl sysctl -a
tool ss ss -ltnH
tool findmnt findmnt -J -o TARGET,SOURCE,FSTYPE,OPTIONS
tool uname uname -r
tool uname-m uname -m
tool lsmod lsmod
tool id id -u
tool prlimit prlimit --raw --noheadings -o RESOURCE,SOFT,HARD
tool prlimit-1 prlimit --pid 1 --raw --noheadings -o RESOURCE,SOFT,HARD
for p in $(pidof nc busybox | tr ' ' '\n' | sort -u); do tool "prlimit.$p" prlimit --pid "$p" --raw --noheadings -o RESOURCE,SOFT,HARD; done
for d in /sys/class/nvme/nvme*; do
	[[ -e $d ]] || continue
	n=${d##*/}
	tool "nvme-id.$n" nvme id-ctrl "/dev/$n" -o json
	tool "nvme-queues.$n" nvme get-feature "/dev/$n" -f 7
	tool "nvme-mq.$n" ls "/sys/block/${n}n1/mq"
	tool "msi_irqs.$n" ls "$d/device/msi_irqs"
	tool "numa.$n" cat "$d/device/numa_node"
done
for f in meminfo interrupts softirqs stat cmdline cpuinfo swaps loadavg net/softnet_stat net/snmp net/netstat net/sockstat net/sockstat6 sys/kernel/tainted pressure/cpu pressure/memory pressure/io; do tool "proc-${f//\//-}" cat "/proc/$f"; done
tool affinity grep . /proc/irq/*/smp_affinity_list
tool effective grep . /proc/irq/*/effective_affinity_list
tool steering grep . /sys/class/net/*/queues/rx-*/rps_cpus /sys/class/net/*/queues/rx-*/rps_flow_cnt
tool xps grep . /sys/class/net/*/queues/tx-*/xps_cpus
tool cpufreq grep . -r /sys/devices/system/cpu/cpufreq --include=scaling_* --include=cpuinfo_*_freq --include=affected_cpus --include=energy_performance_preference
tool idle grep . /sys/devices/system/cpu/cpuidle/current_driver /sys/devices/system/cpu/cpuidle/current_governor /sys/devices/system/cpu/cpu0/cpuidle/state*/name
tool thp grep . /sys/kernel/mm/transparent_hugepage/enabled /sys/kernel/mm/transparent_hugepage/defrag
tool clocksource grep . /sys/devices/system/clocksource/clocksource0/current_clocksource
tool dmi grep . /sys/class/dmi/id/sys_vendor /sys/class/dmi/id/product_name
tool vulnerabilities grep . -r /sys/devices/system/cpu/vulnerabilities
facts after

# The same machine for those with less: nobody, and a namespace like a container's.
facts nobody setpriv --reuid=65534 --regid=65534 --clear-groups
facts container unshare -Urnpf --mount-proc
$T facts --format json --capture /tmp/capture > $O/facts/capture.json || echo "not ok facts of the capture: exit $?"
$T facts --format json --capture /tmp/capture > $O/facts/capture-again.json
for who in root nobody container; do
	w=(env)
	[[ $who == nobody ]] && w=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	[[ $who == container ]] && w=(unshare -Urnpf --mount-proc)
	"${w[@]}" $T check --format json > $O/check-$who.json 2> $O/check-$who.err
	echo $? > $O/check-$who.rc
done

# The machine changes while check and facts loop. state NAME is what check says while nothing moves.
# The profile is one that judges NICs, disks and processes alike.
judging="check --profile file-server --format json"
steady() {
	local d=$O/loops/$1
	$T $judging > "$d/state-$2.json" 2> "$d/state-$2.err"
	echo $? > "$d/state-$2.rc"
	$T facts --format json nics nvme disks irqs cpu > "$d/known-$2.json" 2> "$d/known-$2.err"
	echo $? > "$d/known-$2.rc"
}
run_on() { # NAME COMMAND WORDS…: again and again until told to stop
	local i=0 d=$O/loops/$1 k=$2
	shift
	while [[ ! -e $d/stop ]]; do
		now > "$d/$k-$i.began"
		busybox timeout -s KILL 100 $T "$@" > "$d/$k-$i.json" 2> "$d/$k-$i.err"
		echo $? > "$d/$k-$i.rc"
		i=$((i + 1))
	done
}
# A link that was up and has its device still: up again (some kernels take seconds).
links_up() {
	local n i=0
	for n in $(nics); do
		[[ -e /sys/class/net/$n/device ]] || continue
		until [[ $(cat "/sys/class/net/$n/operstate" 2> /dev/null) == up || $i -gt 80 ]]; do sleep 0.1; i=$((i + 1)); done
	done
}
during() { # NAME ACTION: steady, ACTION beside the loops, steady
	local d=$O/loops/$1 a b
	mkdir -p "$d"
	links_up
	steady "$1" before
	run_on "$1" $judging & a=$!
	run_on "$1" facts --format json & b=$!
	"$2" "$1"
	touch "$d/stop"
	wait $a $b
	links_up
	steady "$1" after
}
first_nic() { local d; for d in /sys/class/net/*; do [[ $(readlink -f "$d/device" 2> /dev/null) == */pci* ]] && { echo "${d##*/}"; return; }; done; }
cpu_away() {
	local last i
	last=$(ls -d /sys/devices/system/cpu/cpu[0-9]* | sort -V | tail -1)
	for i in 1 2 3 4 5; do
		echo 0 > "$last/online"
		[[ $i == 1 ]] && steady "$1" offline
		sleep 0.1
		echo 1 > "$last/online"
		sleep 0.1
	done
}
renamed() {
	local n i
	n=$(first_nic)
	ip link set "$n" down && ip link set "$n" name 'wan$(id)' && ip link set 'wan$(id)' up
	links_up
	steady "$1" renamed
	for i in 1 2 3 4 5 6; do
		ip link set 'wan$(id)' down && ip link set 'wan$(id)' name "$n" && ip link set "$n" up
		sleep 0.1
		ip link set "$n" down && ip link set "$n" name 'wan$(id)' && ip link set 'wan$(id)' up
		sleep 0.1
	done
	steady "$1" flapping
	ip link set 'wan$(id)' down && ip link set 'wan$(id)' name "$n" && ip link set "$n" up
	sleep 1
}
storm() { # processes that come, listen and go, with names nobody expects
	local end i odd=$'/tmp/odd\n\e[31m"name'
	cp /bin/busybox "$odd" 2> /dev/null
	end=$((SECONDS + 6))
	while ((SECONDS < end)); do
		for i in 1 2 3 4 5 6 7 8; do (exec -a "$odd" busybox timeout 1 busybox nc -l -p $((9000 + i)) > /dev/null 2>&1 < /dev/null) & done
		(exec "$odd" sleep 1 > /dev/null 2>&1) &
		sleep 0.1
	done
	sleep 2
}
pci_away() { # the NIC goes by sysfs, and comes back
	local n dev i
	n=$(first_nic)
	for i in 1 2; do
		dev=$(readlink -f "/sys/class/net/$n/device")
		echo 1 > "$dev/remove"
		[[ $i == 1 ]] && steady "$1" gone
		sleep 0.2
		echo 1 > /sys/bus/pci/rescan
		sleep 0.7
		ip link set "$n" up 2> /dev/null
		sleep 0.3
	done
}
nvme_away() {
	local dev
	dev=$(readlink -f /sys/class/nvme/nvme0/device)
	echo 1 > "$dev/remove"
	steady "$1" gone
	sleep 0.3
	echo 1 > /sys/bus/pci/rescan
	local i=0
	until [[ -e /sys/class/nvme/nvme0/model || $i -gt 50 ]]; do sleep 0.1; i=$((i + 1)); done
	sleep 1
}
pulled() { # the host pulls the NIC out
	local n i=0
	n=$(first_nic)
	echo "qmp:nic"
	while [[ -e /sys/class/net/$n && $i -lt 300 ]]; do sleep 0.1; i=$((i + 1)); done
	[[ -e /sys/class/net/$n ]] && echo "not ok pulled: $n is still there after 30 s"
	steady "$1" gone
	sleep 0.5
}
[[ $(nproc) -gt 1 ]] && during cpu-offline cpu_away
during renamed renamed
during storm storm
[[ -e /sys/class/nvme/nvme0 ]] && during nvme-removed nvme_away
if grep -qw pullable /proc/cmdline; then
	during nic-removed pci_away
	during nic-pulled pulled
fi

tar -C /tmp -czf /tmp/all.tgz out capture
i=0
until [[ -e /dev/port-data || $i -gt 50 ]]; do sleep 0.1; i=$((i + 1)); done
cat /tmp/all.tgz > /dev/port-data || echo "not ok data: no port"
echo "done"
