#!/usr/bin/env bats
# load connect: new connections, and how they are accepted.

load helper
load loads

# true EXPRESSION: in Python, over the JSON as d.
true_of() {
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
sys.exit(not eval(sys.argv[2]))' "$DIR/out" "$1" || { echo "not so: $1"; cat "$DIR/out"; false; }
}

fast() {
	ta load connect "$@" --warmup 0 --format json
}

@test "three ways to accept are compared, and the JSON is what its schema says" {
	fast -d 0.4
	expect 0
	valid load
	true_of '[r["by"] for r in d["accepting"]] == ["EPOLLEXCLUSIVE", "SO_REUSEPORT", "one thread"]'
	true_of 'all(r["per s"] > 50 for r in d["accepting"])'
	true_of 'all(0 <= r["least"] <= r["most"] <= 1 for r in d["accepting"])'
	true_of 'd["accepting"][2]["least"] == 1 and d["accepting"][0]["most"] > 0'
	true_of 'all(0 < r["p50 ms"] <= r["p99 ms"] for r in d["accepting"])'
	# Nobody has to be woken twice for a connection.
	true_of 'all(0 < r["wakes"] <= 1.2 for r in d["accepting"])'
	true_of 'd["time_wait"] == "nobody" and d["connects"] == d["requests"] > 50'
}

@test "a short accept queue loses connections, and the host's counters say so" {
	fast -d 1 -c 64 --backlog 1
	true_of 'd["listen_overflows"] > 0 and d["listen_drops"] >= d["listen_overflows"]'
	true_of 'sum(r["lost"] for r in d["accepting"]) == d["listen_overflows"]'
	true_of 'd["errors"].keys() <= {"unanswered", "connect-timeout", "timeout"}'
}

@test "a server by its address: reset, or closed by the client" {
	"$TUNEAUDIT" load serve connect > "$DIR/url" 3>&- &
	pid=$!
	while [ ! -s "$DIR/url" ]; do sleep 0.05; done
	url=$(cat "$DIR/url")
	fast -d 0.3 "$url"
	expect 0
	valid load
	true_of 'd["requests"] > 50 and d["time_wait"] == "nobody" and "accepting" not in d'
	fast -d 0.5 "$url" --close client --rate 200
	kept_its_rate
	true_of '20 < d["requests"] <= 101 and d["time_wait"] == "the client"'
	kill $pid
	wait $pid || true
}

@test "who ends a connection has it in TIME_WAIT" {
	unshare -rn true 2> /dev/null || skip "no namespaces here"
	for who in server client; do
		unshare -rn sh -c 'ip link set lo up && "$0" load connect -d 0.5 --warmup 0 --rate 300 --format json --close "$1"; \
			grep ^TCP: /proc/net/sockstat >&2' "$TUNEAUDIT" $who > "$DIR/$who" 2> "$DIR/$who.tcp" 3>&- &
	done
	wait
	for who in server client; do
		cp "$DIR/$who" "$DIR/out"
		true_of "d['time_wait'] == 'the $who'"
		[ "$(sed 's/.* tw \([0-9]*\) .*/\1/' "$DIR/$who.tcp")" -gt 60 ]
	done
}

@test "nobody listens: refused, and not asked more often than is decent" {
	fast -d 0.3 tcp://127.0.0.1:1
	expect 1
	true_of 'd["errors"].keys() == {"refused"} and 2 <= d["errors"]["refused"] < 1000 and d["requests"] == 0'
}

@test "ports and descriptors are reckoned with beforehand" {
	ta load connect tcp://192.0.2.1:80 --close client --rate 30000
	expect 2
	contains "$errors" "local ports, since each waits"
	contains "$errors" "--close reset"
	(ulimit -n 100 && "$TUNEAUDIT" load connect -c 200 2> "$DIR/err") && false
	grep -q "a process may have 100" "$DIR/err"
	ta load connect --close soon
	expect 2
	ta load connect http://127.0.0.1/
	expect 2
	ta load connect -c 200000
	expect 2
}
