#!/bin/bash
# The guest's part of profiles.sh (as /t/run.sh). parts=… on the kernel's command line says which: profiles, trial, kill, knobs,
# irqbalance, numbers, cut (applies and cuts the power), cutagain (after that). Everything that apply may touch, and much that it may
# not, is compared before and after. Prints "ok …" or "not ok …" per check, "info …" for what is worth a look.
# shellcheck disable=SC1091,SC2154
set -u
. /t/guest-lib.sh
T=/t/tuneaudit

# --- the machine, in a state that most rules find fault with ----------------------------------

for m in igb e1000e virtio_net virtio_blk nvme acpi-cpufreq amd-pstate cpufreq_powersave bfq nf_conntrack; do modprobe $m 2> /dev/null; done
sleep 1
for d in /sys/class/net/*/device; do [[ -e $d ]] && n=${d%/device} && ip link set "${n##*/}" up; done
# A server of that name: in a unit of its own, with few descriptors.
serve() {
	local unit=/sys/fs/cgroup/system.slice/$1.service
	mkdir -p "$unit"
	ln -sf /bin/busybox "/tmp/$1"
	(
		echo "$BASHPID" > "$unit/cgroup.procs"
		ulimit -n 1024
		exec -a nc "/tmp/$1" -ll -p "$2" -e /bin/true
	) > /dev/null 2>&1 < /dev/null &
}
mkdir -p /run/systemd/system /etc/systemd/system /etc/security/limits.d /etc/udev
worsen
serve nginx 80
serve redis-server 6379
sleep 0.5

# What waits to be confirmed is confirmed; there is nothing to confirm where no link was at stake.
apply() {
	$T apply --yes --allow link-flap --allow-workload "$@" > $O/apply 2>&1 || return
	$T confirm > $O/confirm 2>&1
	return 0
}
rollback() { $T rollback --yes "$@" > $O/rollback 2>&1; }
goes_back() {
	rollback
	is "$1: rollback ends with 0" $? 0 || head -20 $O/rollback
	same "$1: nothing differs after rollback"
}

# --- the six profiles ------------------------------------------------------------------------

profile() {
	local began
	began=$(up)
	rm -rf /var/lib/tuneaudit
	apply --profile "$1"
	is "$1: apply ends with 0" $? 0
	grep -q verified $O/apply || head -20 $O/apply
	n=$(differs)
	echo "info $1: $(grep -c -- ' -> ' $O/apply) changes, $n values differ; $(grep -m1 -i skipped $O/apply)"
	[[ $n -ge $(grep -c -- ' -> ' $O/apply) ]] && ok "$1: the comparison sees them" || not_ok "$1: the comparison sees them" "only $n"
	content "$1"
	goes_back "$1"
	echo "info $1: $(($(up) - began)) s"
}
for f in sysctls net_files sys_files modules irqs nics files; do echo "info $f: $($f 2> /dev/null | wc -l) values"; done
snapshot /tmp/before
same "a machine left alone is the same"
if part profiles; then
	profiles=$(argument profiles)
	for p in ${profiles:-base gateway redis file-server small-device benchmark}; do profile "$p"; done
fi

# --- what the whole profile does -----------------------------------------------------------------

# An emulated machine is no place to learn what a change brings: that a trial of all of it ends, says so and leaves nothing is.
if part trial; then
	rm -rf /var/lib/tuneaudit
	# Where whoever emulates the machine has other work the load is not steady, and the trial refuses to begin: it is asked again.
	for _ in 1 2 3 4; do
		COLUMNS=80 $T trial --profile gateway --allow-workload --rounds 10 --seconds 3 --yes > $O/trial 2> $O/trial.err
		rc=$?
		[[ $rc -eq 5 ]] && grep -q "does not get steady.*nothing is changed" $O/trial.err || break
		same "trial: refused, nothing differs"
	done
	is "trial: it ends with 0" $rc 0
	says "trial: it is said that nothing is left" "Everything is put back as it was" $O/trial
	cat $O/trial.err
	sed 's/^/info trial: /' $O/trial
	same "trial: nothing differs"
fi

# --- kill -9 ---------------------------------------------------------------------------------

journals() { ls -v /var/lib/tuneaudit/*.jsonl; } 2> /dev/null
# Changes that the last run has made.
made() { grep -c '"entry":"done"' "$(journals | tail -1)" 2> /dev/null || :; }
if part kill; then
	rm -rf /var/lib/tuneaudit
	apply --profile gateway
	all=$(made)
	goes_back "before the kills"
	in_time=0
	for i in 1 2 3 4 5 6 7 8 9 10; do
		runs=$(journals | wc -l)
		$T apply --yes --allow link-flap --allow-workload --profile gateway > $O/apply 2>&1 &
		# By what it has done, not by time, which is another on each machine; while that is read it does about as much again.
		while kill -0 $! 2> /dev/null && { [[ $(journals | wc -l) -eq $runs ]] || [[ $(made) -lt $((all * (i - 1) / 20)) ]]; }; do busybox usleep 50000; done
		kill -9 $! 2> /dev/null
		wait $! 2> /dev/null
		is_killed=$?
		[[ $is_killed == 137 ]] && in_time=$((in_time + 1))
		echo "info kill $i: $(differs) values differ, exit $is_killed"
		rollback
		rc=$?
		is "kill $i: rollback ends with 0" $rc 0
		[[ $rc -eq 0 ]] || head -20 $O/rollback
		same "kill $i: nothing differs"
	done
	[[ $in_time -ge 5 ]] && ok "$in_time of 10 killed in the middle" || not_ok "killed in the middle" "only $in_time of 10"
fi

# --- single knobs ----------------------------------------------------------------------------

value() { cat "$1" 2> /dev/null | sed 's/.*\[\(.*\)\].*/\1/'; }
if part knobs; then
	rm -rf /var/lib/tuneaudit
	d=$(ls -d /sys/block/nvme*n1 /sys/block/vd* 2> /dev/null | head -1)
	ratio=$(cat /proc/sys/vm/dirty_ratio)
	skip=()
	if [[ $(argument epp) ]]; then
		# The emulated processor takes the write and keeps what it has: a refusal without words.
		apply --profile knobs --rules /t/rules --only knob.epp
		is "preference: apply ends with 5" $? 5
		says "preference: it is said that it stays" "was set to balance_performance and stays performance; everything was put back" $O/apply
		same "preference: nothing differs"
		skip=(--skip knob.epp)
	fi
	apply --profile knobs --rules /t/rules "${skip[@]}"
	is "knobs: apply ends with 0" $? 0
	grep -q verified $O/apply || cat $O/apply
	echo "info knobs: $(grep -c -- ' -> ' $O/apply) changes"
	is "knobs: flows, as the kernel rounds them" "$(cat /proc/sys/net/core/rps_sock_flow_entries)" 1024
	is "knobs: dirty bytes" "$(cat /proc/sys/vm/dirty_bytes) $(cat /proc/sys/vm/dirty_ratio)" "400000000 0"
	is "knobs: huge pages" "$(value /sys/kernel/mm/transparent_hugepage/enabled)" never
	is "knobs: descriptors" "$(cat /proc/sys/fs/nr_open) $(cat /proc/sys/fs/file-max)" "2000000 3000000"
	is "knobs: module" "$([[ -e /sys/module/tcp_bbr ]] && echo loaded)" loaded
	is "knobs: queueing discipline" "$(cat /proc/sys/net/core/default_qdisc) $([[ -e /sys/module/sch_fq ]] && echo loaded)" "fq loaded"
	is "knobs: congestion control" "$(cat /proc/sys/net/ipv4/tcp_congestion_control)" bbr
	is "knobs: tracked connections" "$(cat /proc/sys/net/netfilter/nf_conntrack_max) $(cat /proc/sys/net/netfilter/nf_conntrack_buckets)" "400000 100352"
	is "knobs: drop-in" "$(stat -c %a /etc/systemd/system/nofile.service.d /etc/systemd/system/nofile.service.d/50-tuneaudit.conf | tr '\n' ' ')$(grep -c LimitNOFILE=70000 /etc/systemd/system/nofile.service.d/50-tuneaudit.conf)" "755 644 1"
	is "knobs: logins" "$(stat -c %a /etc/security/limits.d/90-tuneaudit.conf) $(grep -c 70000 /etc/security/limits.d/90-tuneaudit.conf)" "644 2"
	if [[ $d ]]; then
		is "knobs: scheduler" "$(value "$d/queue/scheduler")" mq-deadline
		is "knobs: requests and read-ahead" "$(cat "$d/queue/nr_requests") $(cat "$d/queue/read_ahead_kb")" "48 2048"
	fi
	[[ -e /sys/devices/system/cpu/cpufreq/policy0 ]] && is "knobs: governors" "$(cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor | sort -u)" "$(argument governor)"
	[[ $(argument apst) ]] && is "knobs: NVMe" "$(cat /sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us)" 1000
	goes_back knobs
	is "knobs: the ratio is back" "$(cat /proc/sys/vm/dirty_ratio) $(cat /proc/sys/vm/dirty_bytes)" "$ratio 0"

	# The other way round: bytes were set, a ratio comes, bytes come back.
	echo 300000000 > /proc/sys/vm/dirty_background_bytes
	snapshot /tmp/before
	apply --profile ratio --rules /t/rules
	is "ratio: bytes are gone" "$(cat /proc/sys/vm/dirty_background_bytes) $(cat /proc/sys/vm/dirty_background_ratio)" "0 7"
	goes_back ratio

	# A congestion control that somebody uses cannot be taken away: it is left, and all values are put back.
	apply --profile knobs --rules /t/rules --only knob.bbr
	busybox nc -ll -p 8101 -e /bin/cat > /dev/null 2>&1 & server=$!
	sleep 0.3
	(sleep 20) | busybox nc 127.0.0.1 8101 > /dev/null 2>&1 & client=$!
	sleep 0.5
	rollback
	rc=$?
	is "a module in use: the value is back" "$(cat /proc/sys/net/ipv4/tcp_congestion_control)" reno
	echo "info a module in use: rollback ends with $rc: $(grep -m1 tcp_bbr $O/rollback)"
	kill $client $server 2> /dev/null
	sleep 2
	rollback --all
	rmmod tcp_bbr 2> /dev/null
	same "a module that was in use"
fi

# --- interrupts --------------------------------------------------------------------------------

placed() { for f in /proc/irq/*/eth*-*; do [[ -e $f ]] && echo "${f%/*} $(cat "${f%/*}/smp_affinity_list")"; done | sort -V; }
# What irqbalance has been told so far, as it answers by its socket.
banned() { $T plan --profile interrupts --rules /t/rules --format json | sed -n 's/.*"target":"irqbalance".*"before":"\([^"]*\)".*/\1/p'; }
# Controllers of x86 move an interrupt when it fires next.
traffic() { busybox ping -c 30 -i 0.1 -q 10.0.2.2; } > /dev/null 2>&1
if part irqbalance; then
	if [[ ! -x /usr/sbin/irqbalance ]]; then
		not_ok "irqbalance" "it is not in this guest"
	else
		rm -rf /var/lib/tuneaudit
		ip addr add 10.0.2.15/24 dev eth0
		# Without it: placed at once, put back.
		snapshot /tmp/before
		apply --profile interrupts --rules /t/rules
		is "interrupts: apply ends with 0" $? 0
		placed > /tmp/placed
		echo "info interrupts: $(grep -c -- ' -> ' $O/apply) changes, on CPUs $(cut -d' ' -f2 /tmp/placed | sort -un | tr '\n' ' ')"
		$T plan --profile interrupts --rules /t/rules > $O/plan 2>&1
		says "managed interrupts are refused" "nvme0: its interrupts cannot be moved: the kernel places them" $O/plan
		goes_back interrupts

		# A CPU that is offline is given none; one that goes afterwards takes its interrupt along.
		last=$(tail -1 /tmp/placed | cut -d' ' -f2)
		[[ $last == 0 ]] && last=1
		echo 0 > "/sys/devices/system/cpu/cpu$last/online"
		snapshot /tmp/before
		apply --profile interrupts --rules /t/rules
		is "an offline CPU: apply ends with 0" $? 0
		is "an offline CPU is given none" "$(placed | grep -c " $last\$")" 0
		goes_back "an offline CPU"
		echo 1 > "/sys/devices/system/cpu/cpu$last/online"
		worsen
		snapshot /tmp/before
		apply --profile interrupts --rules /t/rules
		traffic
		echo 0 > "/sys/devices/system/cpu/cpu$last/online"
		sleep 0.5
		rollback
		rc=$?
		echo "info a CPU that went: rollback ends with $rc; $(grep -m1 'changed since' $O/rollback)"
		rollback --force
		echo 1 > "/sys/devices/system/cpu/cpu$last/online"
		worsen
		snapshot /tmp/now
		grep '^irq' /tmp/before > /tmp/a
		grep '^irq' /tmp/now > /tmp/b
		cmp -s /tmp/a /tmp/b && ok "a CPU that went: by force all is put back" || not_ok "a CPU that went" "$(changed /tmp/a /tmp/b | tr '\n' '|')"
		snapshot /tmp/before

		mkdir -p /run/irqbalance
		irqbalance --foreground --interval 10 > /tmp/irqbalance.log 2>&1 & balancer=$!
		i=0
		until ls /run/irqbalance/irqbalance*.sock > /dev/null 2>&1 || [[ $i -gt 50 ]]; do sleep 0.2; i=$((i + 1)); done
		sleep 3
		# Without a word from us it moves what was set by hand.
		placed > /tmp/begin
		bans=$(banned)
		for f in /proc/irq/*/eth*-*; do echo 0 > "${f%/*}/smp_affinity_list"; done
		placed > /tmp/hand
		kill -HUP $balancer
		sleep 14
		placed > /tmp/after
		if cmp -s /tmp/hand /tmp/after; then not_ok "irqbalance moves interrupts" "it did not: $(tr '\n' ' ' < /tmp/after)"; else ok "irqbalance moves interrupts that nobody told it of"; fi
		snapshot /tmp/before
		placed > /tmp/begin
		began=$(up)
		apply --profile interrupts --rules /t/rules
		is "irqbalance: apply ends with 0" $? 0
		grep -q verified $O/apply || cat $O/apply
		echo "info irqbalance: apply took $(($(up) - began)) s, $(grep -m1 irqbalance $O/apply)"
		placed > /tmp/placed
		kill -HUP $balancer
		sleep 14
		placed > /tmp/after
		if cmp -s /tmp/placed /tmp/after; then ok "irqbalance leaves them alone, after 14 s and a rescan"; else not_ok "irqbalance leaves them alone" "$(changed /tmp/placed /tmp/after | tr '\n' '|')"; fi
		grep -q '^1. irqbalance: none ->' $O/apply && ok "irqbalance: it is told which" || not_ok "irqbalance: it is told which" "$(head -3 $O/apply | tr '\n' '|')"
		rollback
		is "irqbalance: rollback ends with 0" $? 0
		is "irqbalance: its list is back" "$(banned)" "$bans"
		placed > /tmp/now
		cmp -s /tmp/begin /tmp/now && ok "irqbalance: interrupts are back" || not_ok "irqbalance: interrupts are back" "$(changed /tmp/begin /tmp/now | tr '\n' '|')"

		# It was started again meanwhile and has forgotten what it was told.
		apply --profile interrupts --rules /t/rules
		kill $balancer
		wait $balancer 2> /dev/null
		rm -f /run/irqbalance/*
		rollback
		rc=$?
		echo "info irqbalance ended since: rollback ends with $rc: $(grep -m1 irqbalance $O/rollback)"
		irqbalance --foreground --interval 10 > /tmp/irqbalance.log 2>&1 & balancer=$!
		sleep 4

		# Without a socket nothing of the interrupts is changed.
		rm -rf /var/lib/tuneaudit
		rm -f /run/irqbalance/*
		placed > /tmp/begin
		apply --profile interrupts --rules /t/rules
		says "without its socket it is said what to do" "irqbalance runs, but has no socket to be told by" $O/apply
		placed > /tmp/now
		cmp -s /tmp/begin /tmp/now && ok "without its socket no interrupt is changed" || not_ok "without its socket" "$(changed /tmp/begin /tmp/now | tr '\n' '|')"
		kill $balancer
		wait $balancer 2> /dev/null
		rm -rf /run/irqbalance
		worsen
		snapshot /tmp/before
	fi
fi

# The card is called otherwise, is gone, or its interrupts have other numbers.
if part numbers; then
	n=eth0
	rm -rf /var/lib/tuneaudit
	apply --profile interrupts --rules /t/rules
	ip link set "$n" down && ip link set "$n" name 'lan$(id)' && ip link set 'lan$(id)' up
	rollback
	is "renamed: rollback ends with 0" $? 0
	ip link set 'lan$(id)' down && ip link set 'lan$(id)' name "$n" && ip link set "$n" up
	sleep 1
	rm -rf /var/lib/tuneaudit
	worsen
	placed > /tmp/begin
	drive() { for f in /proc/irq/*/nvme*; do [[ -e $f ]] && echo "${f##*/} $(cat "${f%/*}/smp_affinity_list")"; done | sort; }
	apply --profile interrupts --rules /t/rules
	for f in /proc/irq/*/eth0-*; do echo "${f##*/} $(cat "${f%/*}/smp_affinity_list") ${f%/*}"; done > /tmp/placed
	rmmod igb
	rollback
	rc=$?
	is "the card is gone: rollback leaves it" $rc 1
	says "the card is gone: and says so" "the interrupt .* is gone" $O/rollback
	rmmod nvme
	modprobe nvme
	sleep 2
	modprobe igb
	sleep 1
	ip link set "$n" up
	ethtool -L "$n" combined 2
	sleep 1
	drive > /tmp/drive
	moved=0
	while read -r name cpu was; do
		f=$(echo /proc/irq/*/"$name")
		[[ ${f%/*} == "$was" ]] || moved=$((moved + 1))
		echo "$cpu" > "${f%/*}/smp_affinity_list"
	done < /tmp/placed
	[[ $moved -gt 0 ]] && ok "$moved interrupts have other numbers" || not_ok "other numbers" "none has"
	rollback
	rc=$?
	is "other numbers: rollback ends with 0" $rc 0
	[[ $rc -eq 0 ]] || head -20 $O/rollback
	is "other numbers: the card's are back" "$(placed | cut -d' ' -f2 | sort -u | tr '\n' ' ')" "$(cut -d' ' -f2 /tmp/begin | sort -u | tr '\n' ' ')"
	drive > /tmp/now
	cmp -s /tmp/drive /tmp/now && ok "other numbers: the drive's are untouched" || not_ok "other numbers: the drive's" "$(changed /tmp/drive /tmp/now | tr '\n' '|')"
fi

# --- the power goes ------------------------------------------------------------------------------

disk() {
	modprobe ext4 2> /dev/null
	mkdir -p /disk
	mount -t ext4 "/dev/$(cd /sys/block && ls -d vd* | head -1)" /disk || not_ok "disk" "it cannot be mounted"
	mkdir -p /disk/system /disk/limits.d
	mount --bind /disk/system /etc/systemd/system
	mount --bind /disk/limits.d /etc/security/limits.d
}
if part cut; then
	disk
	# What a boot brings along is not what we set.
	apply --profile knobs --rules /t/rules --state /disk/state
	is "power cut: apply ends with 0" $? 0
	grep -q verified $O/apply || cat $O/apply
	echo "info power cut: $(grep -c -- ' -> ' $O/apply) changes before"
	sleep 1
	[[ $failed -eq 0 ]] && echo b > /proc/sysrq-trigger
fi
if part cutagain; then
	disk
	[[ -e /etc/systemd/system/nofile.service.d/50-tuneaudit.conf ]] && ok "power cut: the drop-in is still there" || not_ok "power cut: the drop-in" "it is gone"
	snapshot /tmp/before
	$T history --state /disk/state > $O/history 2>&1
	says "power cut: history tells the run" "applied, profile knobs" $O/history
	rollback --state /disk/state
	rc=$?
	echo "info power cut: rollback ends with $rc; $(grep -c restarted $O/rollback) came with the restart; $(grep 'left as' $O/rollback | tr '\n' '|')"
	# 1: what the boot set otherwise than apply found it is the boot's.
	[[ $rc -eq 0 || ($rc -eq 1 && $(grep 'left as' $O/rollback | grep -vc 'is what came with that') -eq 0) ]] && ok "power cut: rollback ends well" ||
		not_ok "power cut: rollback" "it ends with $rc: $(head -20 $O/rollback | tr '\n' '|')"
	says "power cut: it says what came with the restart" "restarted" $O/rollback
	[[ -e /etc/systemd/system/nofile.service.d || -e /etc/security/limits.d/90-tuneaudit.conf ]] && not_ok "power cut: files are gone" "$(ls -R /etc/systemd /etc/security | tr '\n' ' ')" || ok "power cut: the files of ours are gone"
	snapshot /tmp/now
	grep -v '/etc/' /tmp/before > /tmp/a
	grep -v '/etc/' /tmp/now > /tmp/b
	cmp -s /tmp/a /tmp/b && ok "power cut: nothing else was written ($(wc -l < /tmp/a) values)" || not_ok "power cut: nothing else was written" "$(changed /tmp/a /tmp/b | head -10 | tr '\n' '|')"
	$T history 1 --state /disk/state > $O/history 2>&1
	says "power cut: history tells the end" "as before already, since the host was restarted" $O/history
fi
echo "info $compared values compared in $(up) s"
exit $failed
