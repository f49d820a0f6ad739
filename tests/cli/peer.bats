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
	# Three ways to accept, there as here.
	say '
assert [r["by"] for r in d["accepting"]] == ["EPOLLEXCLUSIVE", "SO_REUSEPORT", "one thread"]
assert all(r["per s"] > 20 and 0 <= r["least"] <= r["most"] <= 1 and 0 < r["wakes"] <= 1.5 for r in d["accepting"]), d["accepting"]
assert d["accepting"][2]["least"] == 1 and d["time_wait"] == "nobody"
'
	ta load connect "$url" -d 0.3 --warmup 0 --rate 100 --close client --format json
	kept_its_rate
	say 'assert d["time_wait"] == "the client" and 10 < d["requests"] < 40'
	ta load connect "$url" -d 0.5 --warmup 0 -c 64 --backlog 1 --format json
	say 'assert sum(r["lost"] for r in d["accepting"]) > 0 and d["peer"]["listen_overflows"] > 0, d["accepting"]'
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

@test "a peer that is asked to hold connections, and lies, meets a limit or ends" {
	bad_peers few,many,lie,limit,dies
	for n in 1 2 3; do
		ta load hold "$(bad_peer $n)" -c 200 -d 0.2
		expect 2
	done
	contains "$errors" "does not say where it listens"
	ta load hold "$(bad_peer 2)" -c 200 -d 0.2
	contains "$(echo "$errors" | tr '\n' ' ')" "listens on 999999 ports"
	ta load hold "$(bad_peer 4)" -c 400 -d 0.2 --timeout 0.5 --format json
	say '
assert 0 < d["held"] < 400 and d["refused_by"] == "patience: of 50 connections", (d["held"], d["refused_by"])
assert d["peer_open"] == 50, d["peer_open"]
'
	ta load hold "$(bad_peer 5)" -c 400 -d 0.2 --timeout 0.5 --format json
	say '
assert d["peer"]["lost"] and any("the peer ended the session" in n for n in d["notes"]), d["notes"]
'
}

@test "what a peer holds ends with who asked for it, however that ends" {
	ulimit -n 300
	peer 127.0.0.1
	for signal in INT KILL; do
		"$TUNEAUDIT" load hold "$url" -c 901 -d 60 > "$DIR/out" 2>&1 3>&- &
		run=$!
		pids="$pids $run"
		for _ in $(seq 200); do
			service=$(pgrep -P $peer) && [ "$(pgrep -c -P "$service")" -ge 4 ] && break
			sleep 0.05
		done
		sleep 0.5
		there=$(echo $service $(pgrep -P "$service"))
		[ "$(echo $there | wc -w)" -ge 5 ]
		kill -$signal $run
		status=0
		wait $run || status=$?
		[ $signal = KILL ] || { [ $status -eq 130 ] && grep -q "stopped early" "$DIR/out"; }
		for _ in $(seq 100); do
			# shellcheck disable=SC2086
			kill -0 $there 2> /dev/null || break
			sleep 0.05
		done
		for p in $there; do
			! kill -0 "$p" 2> /dev/null
		done
	done
	ta load hold "$url" -c 10 -d 0.2
	expect 0
}

# half_way WORKLOAD: a run with a peer that is killed in the midst; in the background, its JSON in $DIR/WORKLOAD, its code in $DIR/WORKLOAD.code.
half_way() {
	rm -f "$DIR/peer"
	peer 127.0.0.1
	(
		code=0
		"$TUNEAUDIT" load "$1" "$url" -d 4 -t 3 --warmup 0 --timeout 1 --file-mib 2 --format json > "$DIR/$1" || code=$?
		echo $code > "$DIR/$1.code"
	) 3>&- &
	runs="$runs $!"
	(
		until service=$(pgrep -P $peer) || ! kill -0 $peer; do sleep 0.05; done
		# Its connections are made; files have to be, too: then they go over three connections, to a thread each.
		until [ "$1" != file ] || [ "$(awk '/^Threads/ {print $2}' "/proc/$service/status")" -ge 4 ] || ! kill -0 "$service"; do sleep 0.05; done
		[ "$1" = file ] || sleep 1
		kill -KILL $peer
	) 3>&- &
	runs="$runs $!"
}

@test "a peer that dies half-way: failures are counted whatever the workload, and the run ends in its time" {
	workloads="file http kv stream connect hold"
	begin=$(date +%s)
	for w in $workloads; do
		half_way $w
		# Not all at once: they would wait for each other.
		[ $w = http ] || [ $w = connect ] || { wait $runs; runs=; }
	done
	[ $(($(date +%s) - begin)) -lt 90 ]
	for w in $workloads; do
		[ "$(cat "$DIR/$w.code")" = 1 ] || { echo "$w: $(cat "$DIR/$w.code")"; cat "$DIR/$w"; false; }
		cp "$DIR/$w" "$DIR/out"
		valid load
		say '
assert sum(d["errors"].values()) > 0, d["errors"]
assert d["peer"]["lost"], d["peer"]
assert sum("the peer ended the session" in n for n in d["notes"]) == 1, d["notes"]
if d["workload"] == "http":
    assert d["requests"] > 0 and d["cpu"]["server_user_s"] is None
if d["workload"] == "hold":
    assert d["held"] == 0 and d["errors"].keys() <= {"closed", "reset"}, d["errors"]
'
	done
}

@test "another machine: what it did is told, and where it is full that bounds the run" {
	unshare -rnm true 2> /dev/null || skip "no namespaces here"
	# shellcheck disable=SC2016
	THERE="90 5" unshare -rnm sh "$TREE/tests/cli/wire.sh" "$TUNEAUDIT" "$DIR" sh -euc '
		"$0" load http "$url" -d 0.5 --warmup 0 -c 1 --format json > "$1/json"
		"$0" load http "$url" -d 0.5 --warmup 0 -c 1 > "$1/text"
		"$0" load stream "$url" -d 0.3 --warmup 0 --format json > "$1/stream"
		"$0" load connect "$url" -d 0.3 --warmup 0 -c 1 --format json > "$1/connect"
	' "$TUNEAUDIT" "$DIR" 3>&-
	for run in json stream connect; do
		cp "$DIR/$run" "$DIR/out"
		valid load
		say '
p = d["peer"]
assert d["path"] == "wire" and not p["same_machine"] and not p["lost"]
assert p["softirq_share"].keys() == {"0", "1"} and 0.89 < p["softirq_share"]["0"] < 0.91, p
assert 0.94 < p["busy_share"]["0"] < 0.96 and p["busy_share"]["1"] == 0
assert "softirq of the peer'"'"'s CPU0: 90 %" in d["bound_by"], d["bound_by"]
'
	done
	grep -q "^peer  .* 2 CPUs, 48 % busy; softirq CPU0 90 %" "$DIR/text"
	grep -q "^http against the server of a peer, http://192.0.2.2:[0-9]*/, wire" "$DIR/text"
}

@test "from one address the ports are reckoned with, and a peer listens on as many as it takes" {
	unshare -rnm true 2> /dev/null || skip "no namespaces here"
	# shellcheck disable=SC2016
	unshare -rnm sh "$TREE/tests/cli/wire.sh" "$TUNEAUDIT" "$DIR" sh -euc '
		echo "20000 20199" > /proc/sys/net/ipv4/ip_local_port_range
		"$0" load hold "$url" -c 1000 -d 0.2 --format json > "$1/held"
		echo "20000 20001" > /proc/sys/net/ipv4/ip_local_port_range
		! "$0" load hold "$url" -c 5000 -d 0.2 2> "$1/refused"
		! "$0" load hold "tcp://192.0.2.2:7411" -c 3 -d 0.2 2> "$1/one"
	' "$TUNEAUDIT" "$DIR" 3>&-
	cp "$DIR/held" "$DIR/out"
	valid load
	say '
assert d["held"] == d["answered"] == d["peer_open"] == 1000 and d["path"] == "wire", d
assert d["peer_ports"] >= 12, d["peer_ports"] # 90 of 200 are found with ease
'
	contains "$(tr '\n' ' ' < "$DIR/refused" | sed 's/  */ /g')" "connections from one address: 5000 wanted, 4096 there"
	contains "$(tr '\n' ' ' < "$DIR/one" | sed 's/  */ /g')" "local ports towards one address (ip_local_port_range): 3 wanted, 2 there"
}

@test "a peer that has too few descriptors says so with its numbers" {
	# Only its own limit is so low.
	(ulimit -n 100 && exec "$TUNEAUDIT" load serve --listen 127.0.0.1 > "$DIR/peer" 3>&-) &
	pids=$!
	while [ ! -s "$DIR/peer" ] && kill -0 "$pids"; do sleep 0.05; done
	ta load hold "$(cat "$DIR/peer")" -c 100 -d 0.2 --format json
	expect 0
	say 'assert d["held"] == 100 and d["peer_processes"] >= 2 and d["processes"] == 1, d'
	ta load hold "$(cat "$DIR/peer")" -c 20000 -d 0.2
	expect 2
	contains "$(echo "$errors" | tr '\n' ' ' | sed 's/  */ /g')" "the peer at 127.0.0.1"
	contains "$(echo "$errors" | tr '\n' ' ' | sed 's/  */ /g')" "refuses: 20000 connections do not fit; descriptors of the process that leads the others (ulimit -Hn)"
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
