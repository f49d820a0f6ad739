#!/usr/bin/env bats
# apply --verify-load from outside: a load before and after, and what becomes of changes that it is worse for. In a network
# namespace made for the test; loads of seconds, so that only what is very much worse is asked for.

load helper

settings() {
	mkdir -p "$DIR/rules"
	chmod 755 "$DIR/rules"
	cat > "$DIR/rules/test.rules" <<'R'
rule test.backlog
  title     "The accept queue takes 9000 connections"
  direction raise
  want      sysctl["net.core.somaxconn"] >= 9000
  fix       sysctl.set(key = "net.core.somaxconn", value = 9000)
  shown     loopback by connect
end

rule test.harm
  title     "Buffers that hold nothing"
  want      sysctl["net.ipv4.tcp_wmem"] == [4096, 4096, 4096]
  fix       sysctl.set(key = "net.ipv4.tcp_wmem", value = [4096, 4096, 4096])
  shown     loopback, wire by stream
end

rule test.ports
  title     "No port to connect from"
  want      sysctl["net.ipv4.ip_local_port_range"] == [60000, 60001]
  fix       sysctl.set(key = "net.ipv4.ip_local_port_range", value = [60000, 60001])
  shown     nowhere "a reason"
end

profile harm title "t" rules test.backlog, test.harm workload stream end
profile noop title "t" rules test.backlog workload stream end
profile ports title "t" rules test.ports workload http end
R
}

# inside 'SCRIPT': in a namespace of its own, with `apply PROFILE ...` for what the test is about.
inside() {
	[ -d "$DIR/rules" ] || settings
	cat > "$DIR/script" <<S
T=$TUNEAUDIT
S="--state $DIR/state"
D=$DIR
ip link set lo up
apply() {
	profile=\$1
	shift
	$TUNEAUDIT apply --rules $DIR/rules --profile \$profile \$S --yes --runtime-only --load-seconds 12 "\$@" || echo "code \$?"
}
until_9000() {
	n=0
	until [ "\$(cat /proc/sys/net/core/somaxconn)" = 9000 ] || [ \$n -eq 400 ]; do n=\$((n + 1)); sleep 0.05; done
}
value() { cat /proc/sys/net/core/somaxconn /proc/sys/net/ipv4/tcp_wmem | tr -s '\\t\\n' ' '; echo; }
$1
S
	in_namespace
}

@test "what a load is worse for is put back, with exit code 5, and said to have been the reason" {
	inside 'value; apply harm --verify-load; value; $T history $S'
	expect 0
	contains "$output" "code 5"
	[ "$(grep -c '^4096 4096 16384 ' "$DIR/out")" -eq 2 ]
	contains "$output" "2. net.ipv4.tcp_wmem"
	contains "$output" "put back"
	contains "$output" "This load can show 1 of 2 changes: net.ipv4.tcp_wmem."
	contains "$output" "Cannot show here (it shows with connect only): net.core.somaxconn"
	grep -Eq '^MB per second .* worse$' "$DIR/out"
	# Where others take more of the CPUs meanwhile it is measured with the changes once more instead.
	grep -Eq "better again. It was the changes.|^A series with the changes was measured anew: " "$DIR/out"
	contains "$output" ": failed, profile harm"
	contains "$errors" "worse with these changes: bytes per second -"
	contains "$errors" "everything was put back"
	head -1 "$DIR/err" | grep -q "Over loopback: it shows nothing of NICs, interrupts or distance"
	is_ascii
	[ "$(awk 'length > 80' "$DIR/out")" = "" ]
}

@test "--keep-anyway keeps it, and says that it is worse" {
	inside 'apply harm --verify-load --keep-anyway; value'
	expect 0
	contains "$output" "2 changes made and verified."
	contains "$output" "Worse, and kept, as asked for."
	contains "$output" "9000 4096 4096 4096"
}

@test "what does nothing is kept, and what could not be seen is told" {
	inside 'apply noop --verify-load; value'
	expect 0
	contains "$output" "1 change made and verified."
	contains "$output" "9000 4096 16384"
	contains "$output" "This load can show 0 of 1 change; that none of them does harm is all"
	contains "$output" "Smallest effect that would have been seen: MB per second"
}

@test "JSON follows its schema: worse and put back, kept, nothing measured, nothing done" {
	inside 'apply harm --verify-load --format json > "$D/worse"; apply noop --verify-load --format json > "$D/noop"
		apply noop --format json > "$D/nothing"; $T rollback $S --yes > /dev/null
		apply noop --format json > "$D/plain"; apply noop --dry-run --format json > "$D/dry"
		$T rollback $S --yes > /dev/null
		$T apply --rules "$D/rules" --profile noop $S --format json > "$D/unasked" || echo "code $?"'
	expect 0
	for name in noop nothing plain; do
		cp "$DIR/$name" "$DIR/out"
		valid apply
	done
	grep -v '^code' "$DIR/worse" > "$DIR/out"
	valid apply
	python3 - "$DIR" <<'P'
import json, sys
read = lambda name: json.loads("".join(l for l in open(f"{sys.argv[1]}/{name}") if not l.startswith("code")))
worse, noop, nothing, plain = (read(n) for n in ("worse", "noop", "nothing", "plain"))
assert worse["exit_code"] == 5 and worse["run"]["state"] == "failed" and worse["verify"]["verdict"] == "worse", worse
assert not worse["verify"]["kept"] and worse["message"].startswith("worse with these changes"), worse
rate = worse["verify"]["metrics"][0]
assert rate["key"] == "per_second" and rate["high"] < -50 and len(rate["before"]) == len(rate["after"]) >= 5, rate
assert worse["verify"]["disturbed"] or len(rate["again"]) >= 5, worse
assert [c["shown"] for c in worse["verify"]["changes"]] == [False, True], worse
assert noop["exit_code"] == 0 and noop["verify"]["kept"] and noop["run"]["state"] == "applied", noop
assert nothing["run"] is None and nothing["verify"] is None and nothing["exit_code"] == 0, nothing
assert plain["run"]["state"] == "applied" and plain["verify"] is None, plain
P
	contains "$(cat "$DIR/dry")" "code 2"
	[ ! -s "$DIR/unasked" ]
	contains "$output" "code 2"
}

@test "a target that does not answer: nothing is changed, nothing is journaled" {
	inside 'apply ports --verify-load --target http://127.0.0.1:9/; cat /proc/sys/net/ipv4/ip_local_port_range; $T history $S'
	expect 0
	contains "$output" "code 1"
	contains "$output" "32768	60999"
	contains "$errors" "nothing was changed: no load to compare with: "
	contains "$errors" "refused"
	[ "$(ls "$DIR/state"/*.jsonl 2> /dev/null)" = "" ]
}

@test "a load that fails with the changes: everything is put back" {
	inside 'apply ports --verify-load; cat /proc/sys/net/ipv4/ip_local_port_range'
	expect 0
	contains "$output" "code 5"
	contains "$output" "32768	60999"
	contains "$output" "Cannot show here (no trial shows it: a reason): net.ipv4.ip_local_port_range"
	contains "$errors" "everything was put back"
}

@test "a target that dies in between: everything is put back" {
	inside '$T load serve http --port 7411 > "$D/server" & server=$!
		n=0; until [ -s "$D/server" ] || [ $n -eq 50 ]; do n=$((n + 1)); sleep 0.1; done
		(until_9000; kill -9 $server) &
		sed -i "s/profile noop title \"t\" rules test.backlog workload stream/profile noop title \"t\" rules test.backlog/" "$D/rules/test.rules"
		apply noop --verify-load --target http://127.0.0.1:7411/; value; wait'
	expect 0
	contains "$output" "code 5"
	contains "$output" "4096 4096 16384"
	contains "$errors" "the load fails with these changes"
}

@test "a signal while it is measured: everything is put back, 128+n" {
	inside 'apply harm --verify-load & job=$!
		until_9000
		sleep 0.5; pkill -TERM -P $job -x tuneaudit; wait $job; value
		apply noop --verify-load & job=$!
		sleep 1; pkill -TERM -P $job -x tuneaudit; wait $job; value; $T history $S'
	expect 0
	contains "$output" "code 143"
	[ "$(grep -c '^4096 4096 16384 ' "$DIR/out")" -eq 2 ]
	contains "$errors" "ended by signal 15; everything was put back"
	[ "$(grep -c ', profile ' "$DIR/out")" -eq 1 ]
}

@test "a run that has to be confirmed: what is worse is undone before it waits" {
	inside 'apply harm --verify-load --confirm-within 30; value; $T history $S'
	expect 0
	contains "$output" "code 5"
	contains "$output" "4096 4096 16384"
	lacks "$output" "pending"
}

@test "/etc/tuneaudit/config makes it the default" {
	inside 'mkdir "$D/etc"; cp -a /etc/passwd "$D/etc" 2> /dev/null; mount --bind "$D/etc" /etc; mkdir /etc/tuneaudit; chmod 755 "$D/etc"
		printf "# mine\n\nverify-load = yes # always\n" > /etc/tuneaudit/config
		apply noop | grep "Load before"; $T rollback $S --yes > /dev/null
		apply noop --no-verify-load | grep -c "Load before" || true; $T rollback $S --yes > /dev/null
		echo "verify-load = no" > /etc/tuneaudit/config
		apply noop | grep -c "Load before" || true; $T rollback $S --yes > /dev/null
		for line in "verify-load" "verify-load = 1" "verify = yes"; do echo "$line" > /etc/tuneaudit/config; apply noop; done; value
		echo "verify-load = yes" > /etc/tuneaudit/config; chmod 666 /etc/tuneaudit/config; apply noop | grep -c "Load before" || true'
	expect 0
	contains "$output" "Load before and after: stream over loopback"
	[ "$(grep -c '^0$' "$DIR/out")" -eq 3 ]
	[ "$(grep -c 'code 2' "$DIR/out")" -eq 3 ]
	contains "$errors" "/etc/tuneaudit/config:1: NAME = VALUE is expected"
	contains "$errors" "/etc/tuneaudit/config:1: verify-load is yes or no, not '1'"
	contains "$errors" "no setting 'verify'; there is verify-load"
	contains "$errors" "/etc/tuneaudit/config is left out: others than root may write it"
}

@test "wrong usage is refused" {
	settings
	for options in "--keep-anyway" "--target http://127.0.0.1/" "--verify-load --no-verify-load" "--verify-load --load-seconds 5" \
		"--verify-load --token-file /nonexistent"; do
		ta apply --rules "$DIR/rules" --profile noop --state "$DIR/state" --yes $options
		expect 2
	done
	ta apply --rules "$DIR/rules" --profile noop --state "$DIR/state" --verify-load --dry-run
	expect 0
	contains "$output" "change would be made, between two loads (stream)."
}
