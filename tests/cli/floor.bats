#!/usr/bin/env bats
# load floor: what this machine gives at best.

load helper

# number PATH: a value of the JSON in $DIR/out, which must be a number above 0.
number() {
	python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))
for k in sys.argv[2].split(":"):
    v = v[int(k)] if isinstance(v, list) else v[k]
assert v > 0, v' "$DIR/out" "$1"
}

@test "each layer is measured, within five seconds" {
	begin=$(date +%s%N)
	ta load floor --format json
	took=$((($(date +%s%N) - begin) / 1000000))
	expect 0
	valid load
	[ "$took" -lt 8000 ] # 5 s where nothing else runs
	for key in loopback_bytes_per_second clock_read_ns clock_call_ns syscall_ns context_switch_ns "memory:0:copy GB/s" \
		"memory:0:read GB/s" "memory:0:write GB/s" latencies:0:p50 latencies:2:p99 latencies:3:max; do
		number "$key"
	done
	grep -q '"disk_cold_bytes_per_second":\|"disk_direct_bytes_per_second":\|"disk_missing":' "$DIR/out"
}

@test "a layer that cannot be measured says why, and the others are told" {
	ta load floor --dir /nonexistent
	expect 0
	contains "$output" "not measured: no file can be made in /nonexistent"
	contains "$output" "System call "
	contains "$output" "wake a thread"
}

@test "nothing of it stays, also if it is killed" {
	mkdir "$DIR/files"
	"$TUNEAUDIT" load floor --dir "$DIR/files" > /dev/null 2>&1 3>&- &
	pid=$!
	for i in $(seq 100); do
		ls -l "/proc/$pid/fd" 2> /dev/null | grep -q "$DIR/files.*deleted" && break
		sleep 0.02
	done
	kill -KILL $pid
	wait $pid || true
	[ -z "$(ls -A "$DIR/files")" ]
}

@test "it takes no address" {
	ta load floor http://127.0.0.1/
	expect 2
	contains "$errors" "takes no address"
}
