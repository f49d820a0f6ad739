#!/usr/bin/env bats
# load hold: connections that stay open, and what ends them.

load helper
load loads

hold() {
	ta load hold "$@" -d 0.2 --format json
}

# server LINES: a Python program that gets a listening socket `s` on loopback; its port in $port. It ends with the test.
server() {
	mkfifo "$DIR/life"
	python3 -c '
import select, socket, struct, sys, threading, time
s = socket.socket()
s.bind(("127.0.0.1", 0))
s.listen(512)
print(s.getsockname()[1], flush=True)
kept = []
'"$1" < "$DIR/life" > "$DIR/port" 3>&- &
	exec 7> "$DIR/life"
	while [ ! -s "$DIR/port" ]; do sleep 0.05; done
	port=$(cat "$DIR/port")
}

# Processes of the program that was started here.
ours() {
	pgrep -f "^$TUNEAUDIT load hold -c $1 " || true
}

@test "sixty thousand connections, both ends, from processes of a few thousand descriptors each" {
	ulimit -n 8000
	hold -c 60000
	expect 0
	valid load
	[ "$(field held)" = 60000 ]
	[ "$(field refused_by)" = nothing ]
	[ "$(field answered)" = 60000 ]
	[ "$(field processes)" = 16 ]
	case $(field path) in namespace | loopback) ;; *) false ;; esac
	python3 -c 'import sys; sys.exit(not 0 <= float(sys.argv[1]) <= 300)' "$(field user_bytes_per_connection)"
	python3 -c 'import sys; sys.exit(not 4000 <= float(sys.argv[1]) <= 20000)' "$(field kernel_bytes_per_connection)"
}

@test "the screen tells what was held, and what each connection takes" {
	ta load hold -c 300 -d 0.2 --host-network
	expect 0
	contains "$output" "Held           300 of 300 connections"
	contains "$output" "Refused by     nothing"
	contains "$output" "Alive          300 of 300 that were asked"
	contains "$output" "cannot be told from what else"
	contains "$output" ", loopback"
	is_ascii
}

@test "what does not fit is refused beforehand, with the numbers" {
	ta load hold -c 50000000
	expect 2
	contains "$errors" "50000000 connections do not fit"
	contains "$errors" "memory"
	ta load hold tcp://192.0.2.1:80 -c 64000
	expect 2
	contains "$errors" "local ports towards one address"
	(ulimit -n 40 && "$TUNEAUDIT" load hold -c 10 2> "$DIR/err") && false
	grep -q "may have 40 descriptors" "$DIR/err"
	ta load hold -c 10 --repeat 2
	expect 2
}

@test "a server whose port is shut: refused, and it ends at once" {
	hold tcp://127.0.0.1:1 -c 1000
	expect 1
	[ "$(field held)" = 0 ]
	[ "$(field errors/refused)" = 64 ]
	contains "$(field refused_by)" "nobody listens"
}

@test "a server that accepts nothing: silence, its accept queue is named, and the deadline is kept" {
	server '
s.listen(10)
sys.stdin.read()'
	hold "tcp://127.0.0.1:$port" -c 1000 --timeout 0.3
	expect 1
	valid load
	[ "$(field errors/connect-timeout)" -ge 64 ]
	contains "$(field refused_by)" "accept queue"
	[ "$(field held)" -lt 64 ]
}

@test "a server that closes and one that resets what is idle are told apart" {
	server '
while len(kept) < 200:
    kept.append(s.accept()[0])
for c in kept[:20]:
    c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
for c in kept[:40]:
    c.close()
sys.stdin.read()'
	hold "tcp://127.0.0.1:$port" -c 200
	expect 1
	[ "$(field held)" = 160 ]
	[ "$(field errors/closed)" = 20 ]
	[ "$(field errors/reset)" = 20 ]
	[ "$(field answered)" = 160 ]
	contains "$(field refused_by)" "it ended 40 connections"
}

@test "idle connections to an HTTP server are asked by HTTP" {
	"$TUNEAUDIT" load serve > "$DIR/url" 3>&- &
	pid=$!
	while [ ! -s "$DIR/url" ]; do sleep 0.05; done
	hold "$(cat "$DIR/url")" -c 500
	kill $pid
	wait $pid || true
	expect 0
	[ "$(field held)" = 500 ]
	[ "$(field answered)" = 500 ]
	[ "$(field path)" = loopback ]
}

@test "a process of the run that dies is counted, and what it had" {
	(ulimit -n 300 && exec "$TUNEAUDIT" load hold -c 900 -d 3 --format json) > "$DIR/out" 3>&- &
	pid=$!
	# The conductor's children: four servers, four clients. The last one is a client.
	for _ in $(seq 100); do
		conductor=$(pgrep -P $pid) && [ "$(pgrep -c -P "$conductor")" -eq 8 ] && break
		sleep 0.05
	done
	sleep 1
	kill -9 "$(pgrep -n -P "$conductor")"
	status=0
	wait $pid || status=$?
	[ $status -eq 1 ]
	[ "$(field errors/process-died)" = 1 ]
	[ "$(field held)" = 675 ]
	contains "$(field refused_by)" "1 process"
}

@test "Ctrl-C ends all processes and tells what there was; so does the death of the command" {
	for signal in INT KILL; do
		(ulimit -n 300 && exec "$TUNEAUDIT" load hold -c 901 -d 60) > "$DIR/out" 2>&1 3>&- &
		pid=$!
		for _ in $(seq 100); do
			[ "$(ours 901 | wc -l)" -eq 10 ] && break
			sleep 0.05
		done
		sleep 0.5
		# A background job of a shell ignores SIGINT; the command does not.
		kill -$signal $pid
		status=0
		wait $pid || status=$?
		[ $signal = KILL ] || { [ $status -eq 130 ] && grep -q "stopped early" "$DIR/out"; }
		for _ in $(seq 40); do
			[ -z "$(ours 901)" ] && break
			sleep 0.05
		done
		[ -z "$(ours 901)" ]
	done
}
