#!/bin/bash
# The guest's part of systemd.sh (as /run/t/run.sh, systemd is process 1). parts=… on the kernel's command line says what this boot
# does, in that order. What has to outlive a boot is in /var/lib/sysvm. Prints "ok …" or "not ok …" per check, "info …" for what is worth
# a look, "qmp:…" where the host is to do something.
# shellcheck disable=SC1091,SC2154
set -u
. /run/t/guest-lib.sh
# shellcheck disable=SC2034
T=/usr/bin/tuneaudit S=/var/lib/sysvm rebooted=yes
mkdir -p $S
json() { $T "$@" --format json; }
# What is not there at each boot: counters of boots and times, files of a run.
etc() { (cd /etc && find . -type f -exec cksum {} + | sort -k3; find . -printf '%M %u %g %p %l\n' | sort); }
# Files below /etc that are not as at the start: "< gone or changed", "> new".
etc_changed() { etc > /tmp/etc; diff $S/etc /tmp/etc | grep '^[<>]'; }
ours() { etc_changed | grep -c '^> -'; }

# What every boot throws the dice for, and what the kernel takes from the memory that is free at some moment.
state() { snapshot /tmp/state && grep -v '^/proc/sys/\(net/core/netdev_rss_key\|vm/user_reserve_kbytes\|vm/admin_reserve_kbytes\):' /tmp/state > "$1"; }

# --- what a boot was said to do, and what it did: judged by predicted.py ------------------------

predict() { json facts > $S/predicted.json 2> $O/facts.err || not_ok "facts" "$(head -3 $O/facts.err | tr '\n' '|')"; }
# What the kernel, ethtool and udev say themselves.
reality() {
	local d n o f
	rm -rf $O
	mkdir -p $O/real
	grep -rs '' /proc/sys > $O/real/sysctl
	for d in /sys/class/net/*/device; do
		[[ -e $d ]] || continue
		n=${d%/device} n=${n##*/}
		for o in l g k c; do ethtool -$o "$n" > "$O/real/ethtool-$o.$n" 2> /dev/null; done
		udevadm info --query=property "/sys/class/net/$n" > "$O/real/udev.$n"
		grep -s '' "/sys/class/net/$n/"{mtu,tx_queue_len} > "$O/real/sys.$n"
	done
	ls /sys/module > $O/real/modules
	[[ -e $S/predicted.json ]] || return
	cp $S/predicted.json $O/predicted.json
	grep -oE '"/(sys|proc)/[^"]*":\{' $S/predicted.json | sed 's/^"//; s/":{$//' | sort -u | while read -r f; do grep -Hs '' "$f"; done > $O/real/attr
}

# --- parts -------------------------------------------------------------------------------------------

part_start() {
	state $S/start
	etc > $S/etc
	predict
	sync # what is compared with has to outlive a reset; what is proven is not synced by this test
	ok "start: $(wc -l < $S/start) values"
}
# Still as it was at the start, or again.
part_back() {
	state /tmp/now
	if cmp -s $S/start /tmp/now; then ok "back: all $(wc -l < /tmp/now) values and files are as at the start"; else not_ok "back" "$(changed $S/start /tmp/now | head -30 | tr '\n' '|')"; fi
}
changes() { $T apply --yes --allow link-flap --allow-workload "$@" > $O/apply 2>&1; }
pending() { json history | grep -q '"state":"pending"'; }
# Not even beside their place.
no_files() {
	etc_changed > /tmp/left
	if [[ -s /tmp/left ]]; then not_ok "$1: no file of ours is there" "$(head /tmp/left | tr '\n' '|')"; else ok "$1: no file of ours is there"; fi
}
part_apply() {
	local rc=0
	rm -rf /var/lib/tuneaudit
	json plan --profile "$1" > $S/plan.json 2> /dev/null
	changes --profile "$1" || rc=$?
	is "$1: apply ends with 0" $rc 0
	[[ $rc -eq 0 ]] || head -30 $O/apply
	if pending; then
		no_files "$1: unconfirmed"
		$T confirm > $O/confirm 2>&1 || rc=$?
		is "$1: confirm ends with 0" $rc 0
		[[ $rc -eq 0 ]] || head -30 $O/confirm
	fi
	state $S/applied
	predict
	json history 1 > $O/history
	echo "info $1: $(grep -c -- ' -> ' $O/apply) changes, $(changed $S/start $S/applied | grep -c '^+') values differ, $(ours) files written, $(not_kept | wc -l) not kept"
	not_kept | cut -f2 | sort | uniq -c | sed 's/^/info not kept: /'
}
# What the plan said that nothing keeps: its targets; and the lines (of standard input) that are not about those.
not_kept() { grep -o '"target":"[^"]*"[^{}]*"persist":null,"not_kept":"[^"]*"' $S/plan.json | sed 's/"target":"\([^"]*\)".*"not_kept":"\(.*\)"/\1\t\2/'; }
excuse() {
	local target
	not_kept | cut -f1 | while read -r target; do
		case $target in
		/*) echo "^+$target:" ;;
		*\ *) printf '%s\n' '^+[^/]' "^+/sys/class/net/${target%% *}/" ;;
		*) echo "^+/proc/sys/${target//.//}:" ;;
		esac
	done > /tmp/excused
	# A new default is for queues that come to be; those of a start are.
	if grep -q '"target":"net.core.default_qdisc"' $S/plan.json && ! grep -q '"knob":"qdisc"' $S/plan.json; then echo '^+qdisc ' >> /tmp/excused; fi
	grep -vf /tmp/excused
}
# Of what nothing keeps the boot has made what it makes, which is left to it.
rolled_back() {
	local rc=0 left files
	files=$(ours)
	$T rollback --yes > $O/rollback 2>&1 || rc=$?
	left=$(grep 'left as it is, the host was restarted since' $O/rollback)
	if [[ $rc -eq 0 || ($rc -eq 1 && $left && $(not_kept | wc -l) -gt 0 && $(grep -c 'left as' $O/rollback) -eq $(wc -l <<< "$left")) ]]; then
		ok "$1: rollback ends with $rc"
	else
		not_ok "$1: rollback ends with 0" "it ends with $rc: $(grep -v ': put back' $O/rollback | head -10 | tr '\n' '|')"
	fi
	[[ -z $left ]] || echo "info $1: left: $left"
	echo "info $1: $((files - $(ours))) files taken back"
}
part_held() {
	local gone
	state /tmp/now
	changed $S/start $S/applied | grep '^+' | sort > /tmp/wanted
	sed 's/^/+/' /tmp/now | sort | comm -23 /tmp/wanted - > /tmp/missing
	excuse < /tmp/missing > /tmp/missed
	gone=$(wc -l < /tmp/missed)
	if [[ $gone -eq 0 ]]; then ok "$1: $(($(wc -l < /tmp/wanted) - $(wc -l < /tmp/missing))) values held"; else not_ok "$1: values that did not hold" "$(cut -c1-90 /tmp/missed | head -40 | tr '\n' '|')"; fi
	# shellcheck disable=SC2034
	not_kept_rules=$(grep '"persist":null,"not_kept":"' $S/plan.json | sed 's/.*{"rule":"\([^"]*\)".*/\1/' | sort -u | tr '\n' ' ')
	content "$1"
	rolled_back "$1"
	no_files "$1: after rollback"
	predict
}

# --- confirmed, or undone by itself ------------------------------------------------------------------

reaches() { busybox ping -c 1 -W 1 -q 10.0.2.2 > /dev/null 2>&1; }
# until SECONDS WORDS…: as soon as they are true; how long that took is in $took.
until_true() {
	local began
	began=$(up)
	while ! "${@:2}"; do
		took=$(($(up) - began))
		[[ $took -lt $1 ]] || return 1
		sleep 0.3
	done
	took=$(($(up) - began))
}
run_state() { json history 1 | sed -n 's/.*"state":"\([^"]*\)".*/\1/p' | head -1; }
settled() { [[ $(run_state) != pending && $(run_state) != running ]]; }
undone() {
	until_true 200 settled
	is "$1: its state" "$(run_state)" rolled-back
	part_back
	no_files "$1"
	$T confirm > $O/confirm 2>&1
	is "$1: confirm comes too late" $? 1
}
cut_off() { ip neigh flush all; ! reaches; }
# The link to the router is cut by what is applied, and comes back by itself.
part_cut() {
	rm -rf /var/lib/tuneaudit
	if until_true 20 reaches; then ok "cut: the router answers"; else not_ok "cut: the router answers" "it does not: $(ip -br addr | tr '\n' '|')"; fi
	changes --profile cut --rules /run/t/rules --confirm-within 14
	is "cut: apply ends with 0" $? 0
	is "cut: what is applied" "$(cat /proc/sys/net/ipv4/neigh/default/gc_thresh3)" 0
	# One that is on its way out still makes room for another.
	if until_true 15 cut_off; then ok "cut: the router is gone"; else not_ok "cut: the router is gone" "it answers"; fi
	if until_true 120 reaches; then ok "cut: the router answers again, after $took s"; else not_ok "cut: the router answers again" "not for two minutes: $(json history 1 | head -3)"; fi
	undone cut
}
# The session with its terminal is killed, the supervisor too, and the clock steps back.
part_killed() {
	rm -rf /var/lib/tuneaudit
	mkfifo /run/keyboard 2> /dev/null
	exec 9<> /run/keyboard
	systemd-run --quiet --scope --unit=login script -qec "$T apply --yes --allow link-flap --allow-workload --profile gateway --confirm-within 40" /dev/null > $O/session 2>&1 <&9 &
	if until_true 200 pending; then ok "killed: it waits"; else not_ok "killed: it waits" "$(tail -5 $O/session | tr '\n' '|')"; fi
	no_files "killed: unconfirmed"
	changes --profile cut --rules /run/t/rules
	is "killed: a second apply has to wait" $? 75
	systemctl kill -s KILL login.scope
	date -s "@$(($(date +%s) - 3600))" > /dev/null
	sleep 1
	is "killed: nobody is left of the session" "$(pgrep -xc script) $(pgrep -fc 'tuneaudit apply')" "0 0"
	systemctl list-units --plain --no-legend 'tuneaudit-confirm-*' > $O/units
	is "killed: it is watched by" "$(wc -l < $O/units) $(cut -d' ' -f1 $O/units | sed 's/-[0-9]*\././')" "1 tuneaudit-confirm-1.service"
	systemctl kill -s KILL "$(cut -d' ' -f1 $O/units)"
	undone killed
	exec 9>&-
	[[ $failed -eq 0 ]] || journalctl -b --no-pager -o cat -u 'tuneaudit-confirm-*' | tail -20
	date -s "@$(($(date +%s) + 3600))" > /dev/null
}
# All of them are killed in the middle of apply.
part_halfway() {
	rm -rf /var/lib/tuneaudit
	mkfifo /run/keyboard 2> /dev/null
	exec 9<> /run/keyboard
	systemd-run --quiet --scope --unit=login2 script -qec "$T apply --yes --allow link-flap --allow-workload --profile gateway --confirm-within 40" /dev/null > $O/session 2>&1 <&9 &
	until_true 200 made 5
	systemctl kill -s KILL login2.scope
	date -s "@$(($(date +%s) - 3600))" > /dev/null
	systemctl list-units --plain --no-legend 'tuneaudit-confirm-*' > $O/units
	is "halfway: it is watched" "$(wc -l < $O/units)" 1
	systemctl kill -s KILL "$(cut -d' ' -f1 $O/units)"
	echo "info halfway: $(grep -c '"done"' /var/lib/tuneaudit/1.jsonl) changes made"
	undone halfway
	date -s "@$(($(date +%s) + 3600))" > /dev/null
	exec 9>&-
	[[ $failed -eq 0 ]] || journalctl -b --no-pager -o cat -u 'tuneaudit-confirm-*' | tail -20
}
made() { [[ $(grep -c '"entry":"done"' /var/lib/tuneaudit/1.jsonl 2> /dev/null) -ge $1 ]]; }
# Not confirmed when the host is reset by force.
part_pending() {
	rm -rf /var/lib/tuneaudit
	changes --profile gateway --confirm-within 600
	is "reset: apply ends with 0" $? 0
	state /tmp/now
	echo "info reset: $(changed $S/start /tmp/now | grep -c '^+') values differ"
	[[ $(changed $S/start /tmp/now | grep -c '^+') -gt 20 ]] && ok "reset: it is applied" || not_ok "reset: it is applied" "hardly anything differs"
	if pending; then ok "reset: it waits"; else not_ok "reset: it waits" "$(json history | head -3)"; fi
	no_files "reset: unconfirmed"
	predict
	[[ $failed -eq 0 ]] || exit 1
	echo "qmp:reset"
	sleep 100
}
part_lost() {
	$T history > $O/history
	says "reset: history says why" "restarted before it was confirmed" $O/history
	undone reset
}
# Confirmed, and reset by force when the second file is on its way.
part_torn() {
	rm -rf /var/lib/tuneaudit
	json plan --profile gateway > $S/plan.json 2> /dev/null
	changes --profile gateway --confirm-within 600
	is "torn: apply ends with 0" $? 0
	state $S/applied
	strace -f -qq -o $O/strace -e "inject=rename,renameat,renameat2:delay_enter=100000000:when=2" $T confirm > $O/confirm 2>&1 &
	until_true 200 etc_differs || not_ok "torn: a file is written" "none"
	sleep 3
	echo "info torn: $(ours) of the files: $(grep '^> -' /tmp/etc.diff | awk '{ print $5 }' | tr '\n' ' ')"
	[[ $failed -eq 0 ]] || exit 1
	echo "qmp:reset"
	sleep 100
}
etc_differs() { etc_changed > /tmp/etc.diff; grep -q '^> -' /tmp/etc.diff; }
part_mended() {
	$T history > $O/history
	echo "info torn: $(head -2 $O/history | tr '\n' '|')"
	if [[ $1 == confirm ]]; then
		$T confirm > $O/confirm 2>&1
		is "torn: confirm ends with 0" $? 0
		etc_differs && ok "torn: files are there" && echo "info torn: $(ours) files written"
	else
		rolled_back torn
		no_files "torn: after rollback"
	fi
	predict
}

running=$(systemctl is-system-running --wait)
is "the host runs" "$running $(systemctl --failed --plain --no-legend | cut -d' ' -f1 | tr '\n' ' ')" "running "
reality
for word in $(argument parts | tr ',' ' '); do
	began=$(up)
	"part_${word%%:*}" "${word#*:}"
	echo "info $word: $(($(up) - began)) s"
done
echo "info up for $(up) s"
cp $S/plan.json $O 2> /dev/null
tar -C $O -czf - . > /dev/virtio-ports/data
exit $failed
