#!/bin/bash
# What the guests of profiles.sh and systemd.sh share (as /t/guest-lib.sh): checks, everything that is compared before and after,
# and how a machine is brought into a state that most rules find fault with. Only defines.
# shellcheck disable=SC2034
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C COLUMNS=1000
# shellcheck disable=SC2034
failed=0 O=/tmp/out
mkdir -p $O
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; failed=1; }
is() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1" "it is '$2', not '$3'"; fi; }
says() { if grep -q -- "$2" "$3"; then ok "$1"; else not_ok "$1" "$(head -30 "$3" | tr '\n' '|')"; fi; }
argument() { sed -n "s/.*\\b$1=\\([^ ]*\\).*/\\1/p" /proc/cmdline; }
part() { [[ ,$(argument parts), == *,$1,* ]]; }
up() { local s; read -r s _ < /proc/uptime; echo "${s%.*}"; }

# --- what is compared --------------------------------------------------------------------

# Left out, since they move by themselves: random/, pty/nr, ns_last_pid and the counts of fs; what the scheduler measures
# (max_newidle_lb_cost); what the kernel lowers when its own sampling is slow (perf_event_max_sample_rate).
sysctls() {
	grep -rs '' /proc/sys | grep -vE '^/proc/sys/(kernel/(random/|pty/nr|ns_last_pid|perf_event_max_sample_rate|perf_cpu_time_max|sched_domain/)|fs/(quota/(lookups|drops|reads|writes|cache_hits|allocated_dquots|free_dquots|syncs)|dentry-state|file-nr|inode-nr|inode-state|aio-nr)|net/netfilter/nf_conntrack_count)'
}
# Queues: what the driver limits by itself (byte_queue_limits) and what counts (tx_timeout).
net_files() {
	local d
	for d in /sys/class/net/*; do
		grep -s '' "$d"/{tx_queue_len,mtu,flags,gro_flush_timeout,napi_defer_hard_irqs,threaded,ifalias,group}
		grep -rs '' "$d/queues/" | grep -vE 'byte_queue_limits/|tx_timeout:'
	done
}
# Clocks: what is measured (cur_freq, stats). Huge pages: what counts.
sys_files() {
	local d
	for d in /sys/block/*/queue/; do grep -rs '' "$d"; done
	grep -rs '' /sys/devices/system/cpu/cpufreq | grep -vE 'cur_freq:|/stats/|avg_freq:'
	grep -s '' /sys/devices/system/cpu/{online,smt/control,cpuidle/*,cpu*/cpuidle/state*/disable} /sys/devices/system/clocksource/clocksource0/current_clocksource
	grep -rs '' /sys/kernel/mm | grep -vE '/stats/|pages_collapsed|full_scans|pages_[a-z]*:|free_hugepages|swapin|/vma_ra'
	grep -s '' /sys/class/nvme/*/power/pm_qos_latency_tolerance_us /sys/kernel/debug/sched/{latency_ns,min_granularity_ns,wakeup_granularity_ns,migration_cost_ns}
}
# A module and its parameters; how often it is used is no setting.
modules() {
	local d
	for d in /sys/module/*; do echo "${d##*/}"; done
	grep -s '' /sys/module/*/parameters/*
}
# Numbers of interrupts may be others after a change of queues, their names are not. Where they really go (effective) follows
# with the next interrupt only.
irqs() {
	local number rest name
	cat /proc/irq/default_smp_affinity
	while read -r number rest; do
		name=${rest##* }
		[[ -e /proc/irq/${number%:}/smp_affinity_list ]] && echo "irq $name on $(cat "/proc/irq/${number%:}/smp_affinity_list")"
	done < /proc/interrupts | sort
}
nics() {
	local n o d
	for d in /sys/class/net/*; do
		n=${d##*/}
		for o in -l -g -c -k -x -a --show-priv-flags; do ethtool $o "$n" 2>&1; done
		ip -d link show "$n" | sed 's/state [A-Z]* //; s/,LOWER_UP//; s/NO-CARRIER,//'
		tc qdisc show dev "$n"
	done
}
files() {
	find /etc -printf '%M %u %g %s %p %l\n' | sort
	find /etc -type f -exec cksum {} +
}
snapshot() { { sysctls; net_files; sys_files; modules; irqs; nics; files; } > "$1" 2> /dev/null; }
# Lines that only one of both has.
changed() { diff -U0 "$1" "$2" | grep '^[-+]' | grep -v '^---\|^+++'; }
compared=0
same() {
	sleep 0.5
	snapshot /tmp/now
	compared=$((compared + $(wc -l < /tmp/before)))
	if cmp -s /tmp/before /tmp/now; then
		ok "$1 ($(wc -l < /tmp/before) values)"
	else
		not_ok "$1" "$(changed /tmp/before /tmp/now | head -30 | tr '\n' '|')"
		cp /tmp/now /tmp/before # what comes after is held against what is there
	fi
}
differs() {
	snapshot /tmp/now
	changed /tmp/before /tmp/now | grep -c '^+'
}

# Every rule that led to a change of run 1 (or $2) is content now, or it is said which is not.
content() {
	local rule n=0 left=''
	$T check --profile "$1" --format json > $O/check 2> /dev/null
	$T history "${2:-1}" --format json > $O/history 2>&1
	for rule in $(sed -n 's/^{"change":[0-9]*,"rule":"\([^"]*\)".*/\1/p' $O/history | sort -u); do
		n=$((n + 1))
		grep "^{\"rule\":\"$rule\"" $O/check | grep -q '"verdict":"fail"' && left+=" $rule"
	done
	for rule in $left; do
		# Holds when the service is started again, which is left to a person, or the host is.
		[[ $rule == limits.nofile.service && -z ${rebooted-} ]] && continue
		[[ " ${not_kept_rules-} " == *" $rule "* ]] && continue
		not_ok "$1: $rule is content" "$(grep "^{\"rule\":\"$rule\"" $O/check | grep '"verdict":"fail"' | sed 's/.*"because":"\(.*\)","why".*/\1/') $(grep "\"rule\":\"$rule\"" $O/history | cut -c1-300 | tr '\n' '|')"
	done
	ok "$1: $n rules looked at again"
}

# --- a state that most rules find fault with ----------------------------------------------

set_to() { [[ -w $1 ]] && echo "$2" 2> /dev/null > "$1"; } 2> /dev/null
sysctl_to() { set_to "/proc/sys/${1//.//}" "$2"; }
worse_sysctls() {
	cat <<- END
		net.ipv4.tcp_sack 0
		net.ipv4.tcp_window_scaling 0
		net.ipv4.tcp_timestamps 0
		net.ipv4.tcp_syncookies 0
		net.ipv4.tcp_moderate_rcvbuf 0
		net.ipv4.tcp_abort_on_overflow 1
		net.ipv4.tcp_rmem 4096 65536 262144
		net.ipv4.tcp_wmem 4096 16384 131072
		net.ipv4.ip_local_port_range 40000 50000
		net.ipv4.tcp_max_tw_buckets 1500
		net.ipv4.tcp_max_orphans 1024
		net.ipv4.tcp_max_syn_backlog 128
		net.ipv4.tcp_limit_output_bytes 65536
		net.ipv4.tcp_congestion_control reno
		net.ipv4.neigh.default.gc_thresh3 512
		net.core.somaxconn 128
		net.core.netdev_max_backlog 200
		net.core.netdev_budget 100
		net.core.netdev_budget_usecs 1500
		net.core.rmem_max 131072
		net.core.wmem_max 131072
		net.core.rmem_default 1000000
		net.core.busy_poll 50
		net.core.bpf_jit_enable 0
		net.core.default_qdisc pfifo_fast
		net.netfilter.nf_conntrack_max 20000
		net.netfilter.nf_conntrack_buckets 2048
		fs.file-max 20000
		fs.nr_open 40000
		fs.epoll.max_user_watches 8000
		fs.inotify.max_user_instances 128
		fs.aio-max-nr 65536
		vm.swappiness 100
		vm.overcommit_memory 1
		vm.zone_reclaim_mode 1
		vm.vfs_cache_pressure 400
		vm.min_free_kbytes 2048
		vm.dirty_background_ratio 40
		vm.dirty_ratio 60
		vm.watermark_scale_factor 10
		kernel.numa_balancing 1
	END
}
worsen() {
	local d n f key value
	while read -r key value; do sysctl_to "$key" "$value"; done < <(worse_sysctls)
	set_to /sys/kernel/mm/transparent_hugepage/enabled always
	set_to /sys/kernel/mm/transparent_hugepage/defrag always
	sysctl_to vm.min_free_kbytes 2048
	for d in /sys/block/{nvme,vd}*/queue; do
		set_to "$d/scheduler" bfq
		set_to "$d/read_ahead_kb" 16
		set_to "$d/nr_requests" 20
	done
	for f in /sys/devices/system/cpu/cpufreq/policy*; do
		set_to "$f/scaling_governor" powersave
		set_to "$f/energy_performance_preference" power
	done
	for f in /sys/class/nvme/*/power/pm_qos_latency_tolerance_us; do set_to "$f" 90000; done
	for d in /sys/class/net/*/device; do
		[[ -e $d ]] || continue
		n=${d%/device} n=${n##*/}
		[[ $(nproc) -gt 1 ]] && ethtool -L "$n" combined 2
		ethtool -G "$n" rx 128 tx 128
		ethtool -K "$n" gro off gso off tso off sg off rx off
		ip link set "$n" txqueuelen 100
	done > /dev/null 2>&1
	sleep 1
	for f in /proc/irq/*/eth*; do [[ -e $f ]] && set_to "${f%/*}/smp_affinity_list" 0; done
	for f in /sys/class/net/eth*/queues/tx-*/xps_cpus; do set_to "$f" 1; done
}
