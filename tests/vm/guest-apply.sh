#!/bin/bash
# The guest's part of apply.sh (as /t/run.sh): interfaces are changed by the rules in /t/rules and put back, and then ethtool,
# ip, tc, sysfs and the CPUs of interrupts say what they said before. Prints "ok …" or "not ok …" per check.
set -u
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C
T=/t/tuneaudit failed=0
ok() { echo "ok $1"; }
not_ok() { echo "not ok $1: $2"; failed=1; }
is() { if [[ $2 == "$3" ]]; then ok "$1"; else not_ok "$1" "it is '$2', not '$3'"; fi; }

for m in igb e1000e vmxnet3 virtio_net; do modprobe $m 2> /dev/null; done
nics=()
for d in /sys/class/net/*/device; do
	[[ -e $d ]] || continue
	n=${d%/device}
	nics+=("${n##*/}")
	ip link set "${n##*/}" up
done
sleep 2
# The queues that a table points at. A line of the hash key, too, may begin with two digits and a colon.
rss_queues() { ethtool -x "$1" | sed -n 's/^ *[0-9]*:[[:space:]][[:space:]]*//p' | tr -s ' \t' '\n' | grep . | sort -u | tr '\n' ' '; }
driver() { basename "$(readlink "/sys/class/net/$1/device/driver")"; }
of_driver() { for n in "${nics[@]}"; do [[ $(driver "$n") == "$1" ]] && echo "$n" && return; done; }

# Numbers of interrupts may be others after a change of queues, their names are not.
irqs() {
	local number rest name
	while read -r number rest; do
		name=${rest##* }
		[[ $name == *"$1"* || $name == virtio*put* ]] && [[ -e /proc/irq/${number%:}/smp_affinity_list ]] &&
			echo "$name on CPUs $(cat "/proc/irq/${number%:}/smp_affinity_list")"
	done < /proc/interrupts
}
state() {
	local n o f
	for n in "${nics[@]}"; do
		echo "== $n"
		for o in -l -g -c -k -x -a; do ethtool $o "$n" 2>&1; done
		ip -d link show "$n" | sed 's/state [A-Z]* //; s/,LOWER_UP//; s/NO-CARRIER,//'
		tc qdisc show dev "$n"
		for f in /sys/class/net/"$n"/queues/*/{rps_cpus,rps_flow_cnt,xps_cpus,xps_rxqs}; do echo "$f $(cat "$f" 2>&1)"; done
		irqs "$n" | sort
	done
	cat /proc/sys/net/core/default_qdisc
}
same() {
	state > /tmp/now
	if cmp -s /tmp/before /tmp/now; then ok "$1 ($(wc -l < /tmp/before) lines)"; else not_ok "$1" "$(diff /tmp/before /tmp/now | head -20 | tr '\n' '|')"; fi
}
# What waits to be confirmed is confirmed; there is nothing to confirm where no link was at stake.
apply() {
	$T apply --profile lab --rules /t/rules --allow link-flap --yes > /tmp/apply 2>&1 || return
	$T confirm >> /tmp/apply 2>&1
	return 0
}
applies() {
	apply
	is "$1 ends with 0" $? 0
	grep -q verified /tmp/apply || cat /tmp/apply
}
rollback() { $T rollback --yes > /tmp/rollback 2>&1; }
rolls_back() {
	local rc
	rollback; rc=$?
	is "$1 ends with 0" $rc 0
	[[ $rc == 0 ]] || cat /tmp/rollback
}

# What an owner may have set by hand: CPUs of interrupts and queues.
set_maps() {
	local f
	for f in /proc/irq/*/"$1"*; do [[ -e $f ]] && echo 1 > "${f%/*}/smp_affinity_list" 2> /dev/null; done
	for f in /sys/class/net/"$1"/queues/rx-*; do echo 3 > "$f/rps_cpus"; echo 128 > "$f/rps_flow_cnt"; done
	for f in /sys/class/net/"$1"/queues/tx-*; do echo 2 > "$f/xps_cpus" 2> /dev/null; done
}
for n in "${nics[@]}"; do set_maps "$n"; done
state > /tmp/before
echo "info $(uname -r): $(for n in "${nics[@]}"; do echo -n "$n is $(driver "$n"); "; done)"

$T plan --profile lab --rules /t/rules > /tmp/plan 2>&1
is "plan ends with 0" $? 0
same "plan changes nothing"
applies "apply"
echo "info $(grep -c -- '->' /tmp/apply) changes"

current() { ethtool "$1" "$2" 2> /dev/null | sed -n "/Current/,\$s/^$3:[[:space:]]*//p"; }
n=$(of_driver igb)
if [[ $n ]]; then
	is "igb: queues" "$(current -l "$n" Combined)" 2
	is "igb: receive ring" "$(current -g "$n" RX)" 2048
	is "igb: transmit ring" "$(current -g "$n" TX)" 1024
	is "igb: wait" "$(ethtool -c "$n" | sed -n 's/^rx-usecs:[[:space:]]*//p')" 50
	is "igb: offload" "$(ethtool -k "$n" | sed -n 's/^[[:space:]]*tx-tcp-segmentation: //p')" off
	is "igb: RSS" "$(rss_queues "$n")" "0 "
	is "igb: qdisc" "$(tc qdisc show dev "$n" | grep -cw fq)" 2
	is "igb: length" "$(cat "/sys/class/net/$n/tx_queue_len")" 500
fi
n=$(of_driver e1000e)
if [[ $n ]]; then
	is "e1000e: receive ring" "$(current -g "$n" RX)" 2048
	is "e1000e: wait" "$(ethtool -c "$n" | sed -n 's/^rx-usecs:[[:space:]]*//p')" 50
	is "e1000e: qdisc" "$(tc qdisc show dev "$n" root | cut -d' ' -f2)" fq
fi
n=$(of_driver vmxnet3)
if [[ $n ]]; then
	is "vmxnet3: receive ring" "$(current -g "$n" RX)" 2048
	is "vmxnet3: RSS" "$(rss_queues "$n")" "0 "
	is "vmxnet3: offload" "$(ethtool -k "$n" | sed -n 's/^[[:space:]]*tx-tcp-segmentation: //p')" off
fi
n=$(of_driver virtio_net)
if [[ $n && $(ls -d /sys/class/net/"$n"/queues/tx-* | wc -l) -gt 1 ]]; then
	is "virtio: queues" "$(current -l "$n" Combined)" 2
	is "virtio: qdisc" "$(tc qdisc show dev "$n" | grep -cw fq)" "$(tc qdisc show dev "$n" | grep -c parent)"
	ethtool -x "$n" > /dev/null 2>&1 && is "virtio: RSS" "$(rss_queues "$n")" "0 "
fi
rolls_back "rollback"
sleep 1
same "nothing differs after rollback"

# The kernel keeps a mark that a table was set (IFF_RXFH_CONFIGURED), also by us when it was put back: nothing tells it, and
# only a reset takes it away. igb's own table is another than the kernel's default, so it has to build that anew.
n=$(of_driver igb)
if [[ $n ]]; then
	ethtool -X "$n" default && ethtool -L "$n" combined 2 && ethtool -L "$n" combined 4
	set_maps "$n"
	state > /tmp/before
fi

# Under another name the card is found again.
n=${nics[0]}
applies "apply before a rename"
ip link set "$n" down && ip link set "$n" name lan0 && ip link set lan0 up
rolls_back "rollback of a renamed card"
ip link set lan0 down && ip link set lan0 name "$n" && ip link set "$n" up
sleep 1
# Its XPS and interrupts are set up anew by some drivers when it comes up: by us that was, not by the program.
state | grep -v 'xps_cpus\|on CPUs' > /tmp/now
grep -v 'xps_cpus\|on CPUs' /tmp/before > /tmp/rest
if diff /tmp/rest /tmp/now > /tmp/diff; then ok "nothing differs under the old name"; else not_ok "nothing differs under the old name" "$(head -20 /tmp/diff | tr '\n' '|')"; fi

# A table that somebody set and that points at queues that would go: refused, said, and all is put back.
n=$(of_driver igb)
if [[ $n ]] && ethtool -X "$n" equal 4; then
	state > /tmp/before
	apply; rc=$?
	is "a hand-set table is not thrown away" $rc 5
	grep -q "its RSS table points at queue 3" /tmp/apply && ok "and it is said why" || not_ok "it is said why" "$(tr '\n' '|' < /tmp/apply)"
	same "and all is put back"
	ethtool -X "$n" default
fi

# The rule that servers are given, on a card with one queue: four, and one again.
if [[ $n ]] && ethtool -L "$n" combined 1; then
	state > /tmp/before
	$T apply --profile gateway --only nic.channels.combined --allow link-flap --yes > /tmp/apply 2>&1 && $T confirm >> /tmp/apply 2>&1
	is "more queues by the rule for gateways" "$(current -l "$n" Combined)" 4
	rolls_back "rollback of more queues"
	sleep 1
	same "one queue again, and nothing else differs"
	ethtool -L "$n" combined 4
fi

# The card goes between apply and rollback; the others are put back.
n=$(of_driver igb)
if [[ $n && ${#nics[@]} -gt 1 ]]; then
	rest=()
	for o in "${nics[@]}"; do [[ $o == "$n" ]] || rest+=("$o"); done
	all=("${nics[@]}") nics=("${rest[@]}")
	state > /tmp/before
	nics=("${all[@]}")
	applies "apply before a card goes"
	echo 1 > "/sys/class/net/$n/device/remove"
	nics=("${rest[@]}")
	rollback
	grep -q "is gone" /tmp/rollback && ok "that it is gone is said" || not_ok "that it is gone is said" "$(tr '\n' '|' < /tmp/rollback)"
	sleep 1
	same "the other cards are put back"
fi
exit $failed
