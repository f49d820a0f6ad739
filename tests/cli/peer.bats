#!/usr/bin/env bats
# Load runs with a peer: load serve --listen, its token, and what ends badly.

load helper

teardown() {
	for p in $pids; do kill -KILL "$p" 2> /dev/null || true; done
	rm -rf --one-file-system "$DIR"
}

# peer ADDRESS…: load serve --listen there; its address in $url, its pid in $peer.
peer() {
	"$TUNEAUDIT" load serve --listen "$@" > "$DIR/peer" 2> "$DIR/peer.err" 3>&- &
	peer=$!
	pids="$pids $peer"
	while [ ! -s "$DIR/peer" ] && kill -0 $peer 2> /dev/null; do sleep 0.05; done
	url=$(head -1 "$DIR/peer")
}

# bad_peers KIND,KIND,...: what only seems to be one; the address of each by bad_peer N.
bad_peers() {
	mkfifo "$DIR/hold"
	python3 "$TREE/tests/cli/badpeer.py" "$1" < "$DIR/hold" > "$DIR/port" 3>&- &
	exec 7> "$DIR/hold"
	while [ ! -s "$DIR/port" ]; do sleep 0.05; done
}

bad_peer() {
	echo "tuneaudit://127.0.0.1:$(sed -n "$1p" "$DIR/port")"
}

say() {
	python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
$1" "$DIR/out"
}

token_file() {
	printf '%s\n' "${1:-0123456789abcdef0123456789abcdef}" > "$DIR/token"
	chmod 600 "$DIR/token"
}

# What comes back of a peer's machine, whatever the workload.
told='
p = d["peer"]
assert p["same_machine"] and not p["lost"] and p["version"], p
assert len(p["busy_share"]) == len(p["softirq_share"]) == len(p["steal_share"]) >= 1
assert all(isinstance(p[k], int) for k in ("retransmits", "listen_overflows", "listen_drops", "backlog_dropped", "time_squeeze", "throttled")), p
'

@test "every service runs at a peer, and its CPU times come back" {
	peer 127.0.0.1
	for workload in http kv file; do
		ta load $workload "$url" -d 0.4 --warmup 0 --file-mib 2 --format json
		expect 0
		valid load
		say "$told"'
assert d["path"] == "loopback" and d["built_in_server"], d["path"]
assert d["requests"] > 0 and d["errors"] == {}
assert d["cpu"]["server_user_s"] + d["cpu"]["server_system_s"] > 0
'
	done
	for workload in stream connect; do
		ta load $workload "$url" -d 0.3 --warmup 0 --format json
		expect 0
		valid load
		say "$told"'assert d["path"] == "loopback" and d["built_in_server"]'
	done
	ta load floor "$url"
	expect 2
}

@test "a peer holds connections in several processes and on several ports, and tells what they take" {
	ulimit -n 1000
	peer 127.0.0.1
	ta load hold "$url" -c 4000 -d 0.2 --format json
	expect 0
	valid load
	say "$told"'
assert d["held"] == d["answered"] == d["peer_open"] == d["peer_accepted"] == 4000, d
assert d["peer_processes"] >= 5 and d["peer_ports"] >= d["peer_processes"] and d["processes"] >= 5, d
assert d["refused_by"] == "nothing" and d["path"] == "loopback" and p["server_share"] > 0
assert d["peer_user_bytes_per_connection"] < 300 and d["peer_kernel_bytes_per_connection"] >= 0
'
	# It ends with the session: nobody is left.
	for _ in $(seq 100); do
		[ -z "$(pgrep -P $peer)" ] && break
		sleep 0.05
	done
	[ -z "$(pgrep -P $peer)" ]
	ta load hold "$url" -c 100 -d 0.2
	expect 0
	contains "$output" "Peer           1 process on 1 port, since one address makes"
	contains "$output" "Peer has       100 connections open"
}

@test "on loopback no token is needed, unless one is given" {
	token_file
	peer 127.0.0.1:0 --token-file "$DIR/token"
	ta load http "$url" -d 0.2 --warmup 0
	expect 2
	contains "$errors" "wants its token"
	TUNEAUDIT_TOKEN=$(cat "$DIR/token") ta load http "$url" -d 0.2 --warmup 0
	expect 0
	TUNEAUDIT_TOKEN=0123456789abcdef0123456789abcdeX ta load http "$url" -d 0.2 --warmup 0
	expect 2
	contains "$errors" "wrong token"
}

@test "tokens that are none, or that others can read, are refused" {
	token_file short
	ta load serve --listen 127.0.0.1 --token-file "$DIR/token"
	expect 2
	contains "$errors" "16 to 1024 characters"
	token_file
	chmod 644 "$DIR/token"
	ta load serve --listen 127.0.0.1 --token-file "$DIR/token"
	expect 2
	contains "$errors" "others can read this token"
	ta load http --token-file "$DIR/nothing"
	expect 2
	for address in nonsense 1.2.3 127.0.0.1:x 127.0.0.1:70000 '[::1' '[::1]x' localhost; do
		ta load serve --listen "$address"
		expect 2
		contains "$errors" "an address with or without a port is wanted"
	done
	ta load serve http --listen 127.0.0.1
	expect 2
}

@test "clients without manners are met, and others are served meanwhile" {
	token_file
	peer 127.0.0.1 --token-file "$DIR/token"
	python3 "$TREE/tests/cli/peer.py" "${url##*:}" "$(cat "$DIR/token")"
	ta load http "$url" -d 0.2 --warmup 0 --token-file "$DIR/token"
	expect 0
	# What it holds has an end: 40 MB are more than it ever needs.
	[ "$(awk '/VmHWM/ {print $2}' /proc/$peer/status)" -lt 40000 ]
	kill -TERM $peer
	status=0
	wait $peer || status=$?
	[ $status -eq 143 ]
}

@test "what is no peer is told from one, and nothing hangs" {
	token_file
	bad_peers garbage,endless,close,version,stranger,refuse,wordless,silent
	n=0
	while read -r said; do
		n=$((n + 1))
		ta load http "$(bad_peer $n)" -d 0.2 --warmup 0 --token-file "$DIR/token"
		expect 2
		contains "$(echo "$errors" | tr '\n' ' ' | sed 's/  */ /g')" "$said"
	done <<- 'END'
		is no 'tuneaudit load serve
		is no 'tuneaudit load serve
		ended the connection
		is tuneaudit 9.9.9 and speaks version 3 of the control protocol
		does not know the token itself
		refuses: not today
		is no 'tuneaudit load serve
	END
	begin=$(date +%s)
	ta load http "$(bad_peer 8)" -d 0.2 --warmup 0
	expect 2
	contains "$errors" "did not answer within 5 s"
	[ $(($(date +%s) - begin)) -lt 15 ]
	ta load http tuneaudit://127.0.0.1:1
	expect 2
	ta load http tuneaudit://127.0.0.1
	expect 2
}

@test "a peer that dies half-way: failures are counted, and the run ends in its time" {
	peer 127.0.0.1
	"$TUNEAUDIT" load http "$url" -d 3 --warmup 0 -c 4 --format json > "$DIR/out" 2> "$DIR/err" 3>&- &
	run=$!
	sleep 1.2
	kill -KILL $peer
	begin=$(date +%s)
	status=0
	wait $run || status=$?
	[ $status -eq 1 ]
	[ $(($(date +%s) - begin)) -lt 12 ]
	say '
assert d["requests"] > 0 and sum(d["errors"].values()) > 0, d["errors"]
assert d["cpu"]["server_user_s"] is None
assert any("the peer ended the session" in n for n in d["notes"]), d["notes"]
'
}

@test "over veth the path is a namespace, a token is made and needed, and a slow link is seen" {
	if ! unshare -rn sh -c 'ip link add v0 type veth peer name v1' 2> /dev/null; then
		skip "no network namespaces here"
	fi
	# shellcheck disable=SC2016
	unshare -rn sh -eu -c '
		unshare -n sleep 60 & other=$!
		trap "kill $other" EXIT
		while [ "$(readlink /proc/$other/ns/net)" = "$(readlink /proc/self/ns/net)" ]; do sleep 0.02; done
		ip link set lo up
		ip link add v0 type veth peer name v1 netns $other
		ip addr add 192.0.2.1/24 dev v0
		ip link set v0 up
		nsenter -t $other -n ip addr add 192.0.2.2/24 dev v1
		nsenter -t $other -n ip link set v1 up
		nsenter -t $other -n ip link set lo up
		nsenter -t $other -n "$1" load serve --listen 192.0.2.2:7411 > "$2/peer" & peer=$!
		trap "kill $peer $other" EXIT
		while [ ! -s "$2/peer" ]; do sleep 0.05; done
		url=$(head -1 "$2/peer")
		[ "$url" = tuneaudit://192.0.2.2:7411 ]
		if "$1" load http "$url" -d 0.3 --warmup 0 2> "$2/err"; then exit 1; fi
		grep -q "wants its token" "$2/err"
		eval "export $(sed -n 2p "$2/peer")"
		"$1" load http "$url" -d 0.3 --warmup 0 -c 4 --format json > "$2/out"
		"$1" load file "$url" -d 0.4 --warmup 0 --file-mib 2 --format json > "$2/file"
		# A service of this client is not there for others.
		if tc qdisc add dev v0 root netem delay 20ms 2> /dev/null; then
			"$1" load http "$url" -d 0.3 --warmup 0 -c 1 --format json > "$2/slow"
		fi
	' sh "$TUNEAUDIT" "$DIR"
	say 'assert d["path"] == "namespace" and d["requests"] > 0 and d["cpu"]["server_system_s"] >= 0, d["path"]'
	valid load
	if [ -s "$DIR/slow" ]; then
		mv "$DIR/slow" "$DIR/out"
		say 'assert d["latency_us"]["p50"] > 20000, d["latency_us"]'
	fi
	mv "$DIR/file" "$DIR/out"
	valid load
	say 'assert d["path"] == "namespace" and d["large_file"] and "floor_loopback_bytes_per_second" not in d'
}
