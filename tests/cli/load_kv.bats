#!/usr/bin/env bats
# load kv: against the built-in server, servers that misbehave, and a real Redis where there is one.

load helper
load loads

quick() {
	ta load kv "$@" -d "${seconds:-0.3}" --warmup 0 -c 4 -t 1 --keys 100 --format json
}

# serve: starts the built-in kv server; its port in $port, its process in $pid.
serve() {
	"$TUNEAUDIT" load serve kv > "$DIR/serve" 3>&- &
	pid=$!
	while [ ! -s "$DIR/serve" ]; do sleep 0.05; done
	port=$(sed 's,.*:,,; s,/,,' "$DIR/serve")
}

# ask TEXT: its reply, until a QUIT is answered.
ask() {
	python3 - "$port" "$1" <<- 'PYTHON'
		import socket, sys
		with socket.create_connection(("127.0.0.1", int(sys.argv[1])), 5) as s:
		    s.sendall(sys.argv[2].encode().decode("unicode_escape").encode() + b"QUIT\r\n")
		    got = b""
		    while piece := s.recv(65536):
		        got += piece
		sys.stdout.write(got.decode().replace("\r\n", "|"))
	PYTHON
}

@test "both engines, pipelined, in all formats; the JSON is what its schema says" {
	for engine in epoll io_uring; do
		quick --pipeline 16 --engine $engine
		[ "$status" -ne 2 ] || [ $engine = epoll ] || continue
		expect 0
		valid load
		above requests 1000
		[ "$(field misses)" = 0 ]
		[ "$(field errors)" = '{}' ]
	done
	ta load kv -d 0.2 --warmup 0 -c 2 --format hgrm
	expect 0
	contains "$output" "#[Max     ="
}

@test "without writes nothing is there, and that is told" {
	ta load kv -d 0.2 --warmup 0 -c 2 --set 0
	expect 0
	contains "$output" "0 % SET, 100 % GET; 10000 keys, values of 3 bytes"
	contains "$output" "requests were for keys that are not there"
}

@test "large values go both ways while the other end still sends" {
	seconds=0.7 quick --set 50 --value-size 300000 --pipeline 16
	expect 0
	above requests 16
}

@test "the built-in server speaks as Redis does, and keeps no keys of a run" {
	serve
	contains "$(ask_and_end "$port" 'PING\r\n')" "+PONG"
	quick "redis://127.0.0.1:$port"
	expect 0
	[ "$(ask 'DBSIZE\r\nset k  v\r\n*2\r\n$3\r\nGET\r\n$1\r\nk\r\nget nosuch\r\nDEL k k\r\nping\r\n')" = ':0|+OK|$1|v|$-1|:1|+PONG|+OK|' ]
	[ "$(ask 'nosuch\r\nset k\r\nselect 1\r\nauth x\r\n' | sed 's/|/\n/g' | cut -c 1-12)" = "$(printf '%s\n' "-ERR unknown" "-ERR wrong n" "-ERR DB inde" "-ERR AUTH <p" "+OK")" ]
	[ "$(ask '*1\r\n+x\r\n')" = '-ERR Protocol error|' ]
	[ "$(ask "$(python3 -c 'print("*2\\r\\n$4\\r\\nECHO\\r\\n$5000\\r\\n" + "a" * 5000 + "\\r\\n")')" | wc -c)" -eq 5011 ]
	if command -v redis-benchmark > /dev/null; then
		redis-benchmark -p "$port" -t get,set -P 16 -n 20000 -r 100 --csv 2> "$DIR/err" | grep -q '^"GET"'
		[ ! -s "$DIR/err" ]
		[ "$(redis-cli -p "$port" exists key:000000000001)" = 1 ]
	fi
	kill $pid
	wait $pid || true
}

@test "a client that does not read its replies, and one that never ends a request, do not fill the memory" {
	serve
	python3 - "$port" $pid <<- 'PYTHON'
		import socket, sys
		port, pid = int(sys.argv[1]), sys.argv[2]
		def connect():
		    return socket.create_connection(("127.0.0.1", port), 5)
		with connect() as s:
		    s.sendall(b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n" + b"a" * 1000000 + b"\r\n")
		    assert s.recv(100) == b"+OK\r\n"
		clients = [connect() for _ in range(20)]
		for c in clients:
		    c.setblocking(False)
		    try:
		        for _ in range(100):
		            c.send(b"GET k\r\n" * 5000)
		    except BlockingIOError:
		        pass
		with connect() as s:
		    try:
		        s.sendall(b"a" * 4000000)
		        while s.recv(65536):
		            pass
		    except OSError:
		        pass
		with connect() as s:
		    s.sendall(b"PING\r\n")
		    assert s.recv(100) == b"+PONG\r\n"
		peak = [int(l.split()[1]) for l in open(f"/proc/{pid}/status") if l.startswith("VmHWM")][0]
		assert peak < 150000, peak
	PYTHON
	kill $pid
	wait $pid || true
}

@test "servers that fail are told by how they do" {
	n=0
	bad close,reset,silent,garbage,length,endless,status,extra kv
	while read -r kind name what; do
		n=$((n + 1))
		quick "$(bad_url $n)" --timeout 1 --set 0
		expect 1
		above "errors/$name" 0 || { echo "$kind:"; cat "$DIR/out"; false; }
		[ -z "$what" ] || contains "$(cat "$DIR/out")" "\":\"$what\""
	done <<- 'END'
		close closed
		reset reset
		silent unanswered
		garbage bad-reply bad-type
		length bad-reply bad-end
		endless unanswered
		status bad-status MOVED
		extra unexpected-bytes
	END
}

@test "a run with errors says so in its first line" {
	bad status kv
	ta load kv "$url" -d 0.2 --warmup 0 -c 2 --set 0
	expect 1
	case $output in "ERRORS at 2 connections: "*" bad-status "*"(MOVED)"*) ;; *) false ;; esac
	ta load kv redis://127.0.0.1:1/ -d 0.2 --warmup 0 -c 2
	expect 1
	case $output in "ERRORS at 2 connections: "*" refused "*) ;; *) false ;; esac
}

@test "what cannot be asked is refused" {
	ta load kv redis://127.0.0.1:1/abc -d 1
	expect 2
	ta load kv redis://127.0.0.1:1/99999999999 -d 1
	expect 2
	ta load kv redis://user:secret@127.0.0.1:1/ -d 1
	expect 2
	ta load kv --pipeline 1024 --value-size 1048576
	expect 2
	contains "$errors" "16 MiB"
}

@test "against a Redis: a password, a database, and nothing stays" {
	command -v redis-server > /dev/null || skip "redis-server is not installed"
	redis-server --port 0 --unixsocket "$DIR/s" --save "" > /dev/null 3>&- &
	pid=$!
	port=$(python3 -c 'import socket; s = socket.create_server(("127.0.0.1", 0)); print(s.getsockname()[1])')
	while [ ! -S "$DIR/s" ]; do sleep 0.05; done
	redis-cli -s "$DIR/s" config set port "$port" > /dev/null
	redis-cli -s "$DIR/s" config set requirepass secret > /dev/null
	quick "redis://127.0.0.1:$port/"
	expect 2
	contains "$errors" "NOAUTH"
	contains "$errors" "REDISCLI_AUTH"
	REDISCLI_AUTH=wrong quick "redis://127.0.0.1:$port/"
	expect 2
	contains "$errors" "WRONGPASS"
	REDISCLI_AUTH=secret quick "redis://127.0.0.1:$port/99"
	expect 2
	contains "$errors" "SELECT"
	REDISCLI_AUTH=secret quick "redis://127.0.0.1:$port/3" --pipeline 16
	expect 0
	[ "$(field misses)" = 0 ]
	above requests 1000
	[ "$(REDISCLI_AUTH=secret redis-cli -s "$DIR/s" -n 3 dbsize)" = 0 ]
	[ "$(REDISCLI_AUTH=secret redis-cli -s "$DIR/s" info commandstats | grep -c 'cmdstat_[gs]et:')" = 2 ]
	kill $pid
	wait $pid || true
}
