#!/usr/bin/env bats
# load: runs against the built-in server and against servers that misbehave.

load helper
load loads

quick() {
	ta load http "$@" -d 0.3 --warmup 0 -c 4 -t 1 --format json
}

@test "the built-in server answers, and the JSON is what its schema says" {
	quick
	expect 0
	valid load
	above requests 100
	[ "$(field errors)" = '{}' ]
	[ "$(field path)" = loopback ]
	[ "$(field built_in_server)" = True ]
}

@test "each engine answers the same; one that this kernel refuses says why" {
	quick --engine epoll
	expect 0
	[ "$(field engine)" = epoll ]
	quick --engine io_uring
	if [ "$status" -eq 2 ]; then
		contains "$errors" "engine io_uring: "
	else
		expect 0
		[ "$(field engine)" = io_uring ]
		above requests 100
	fi
	quick --engine nosuch
	expect 2
}

@test "a sweep has a line for each number of connections, and its peak" {
	ta load http -d 0.2 --warmup 0 --sweep 2,8 --repeat 2
	expect 0
	contains "$output" "          2 "
	contains "$output" "          8 "
	contains "$output" "Peak  "
	contains "$output" "loopback: says nothing of NIC queues"
}

@test "a histogram for plotters" {
	ta load http -d 0.2 --warmup 0 -c 2 --format hgrm
	expect 0
	contains "$output" "1/(1-Percentile)"
	contains "$output" "#[Max     ="
}

@test "requests are sent several at a time" {
	quick --pipeline 16
	expect 0
	[ $(($(field requests) % 4)) -eq 0 ]
	above requests 1000
}

@test "each end on CPUs of its own" {
	[ "$(nproc)" -ge 2 ] || skip "there is one CPU only"
	quick --pin
	expect 0
	contains "$output" "pinned: the server has the first half of the CPUs"
	above requests 100
	if taskset -c 0 true; then
		status=0
		taskset -c 0 "$TUNEAUDIT" load http --pin -d 0.2 --warmup 0 2> "$DIR/err" || status=$?
		[ "$status" -eq 2 ]
		grep -q "one CPU only" "$DIR/err"
	fi
}

@test "a rate is kept" {
	ta load http -d 1 --warmup 0 -c 4 --rate 100 --format json
	kept_its_rate
	above per_second/mean 80
	python3 -c 'import sys; sys.exit(float(sys.argv[1]) > 101)' "$(field per_second/mean)"
}

@test "nobody listens: every attempt is counted by its name, and the first line says so" {
	ta load http http://127.0.0.1:1/ -d 0.2 --warmup 0 -c 2
	expect 1
	case $output in "ERRORS at 2 connections: "*" refused "*) ;; *) false ;; esac
}

@test "servers that fail are told by how they do" {
	n=0
	bad close,reset,silent,garbage,length,endless,status,extra
	while read -r kind name; do
		n=$((n + 1))
		quick "$(bad_url $n)" --timeout 1
		expect 1
		above "errors/$name" 0 || { echo "$kind: $output"; false; }
	done <<- 'END'
		close closed
		reset reset
		silent unanswered
		garbage bad-reply
		length bad-reply
		endless bad-reply
		status bad-status
		extra unexpected-bytes
	END
}

@test "a reply in single bytes is a reply" {
	bad trickle
	ta load http "$url" -d 0.5 --warmup 0 -c 4 -t 1 --format json
	expect 0
	above requests 4
}

@test "what is never answered times out, and its time counts" {
	bad silent
	ta load http "$url" -d 0.7 --warmup 0 -c 2 --timeout 0.2 --format json
	expect 1
	above errors/timeout 1
	above latency_us/p50 180000
}

# Of a server that stalls for half of each second, half of all requests that are due wait up to half a second: 250 ms at the 75th
# percentile. A client that waits for the server sends hardly any in that time, and would report that all is well.
@test "at a fixed rate a stall counts against every request that it delays" {
	bad stall
	ta load http "$url" -d 2 --warmup 0 -c 8 --rate 200 --format json
	above latency_us/p75 150000
	above latency_us/p95 350000
	scheduled=$(field latency_us/p75)
	ta load http "$url" -d 2 --warmup 0 -c 8 --format json
	python3 -c 'import sys; sys.exit(float(sys.argv[1]) * 2 > float(sys.argv[2]))' "$(field latency_us/p75)" "$scheduled"
}

@test "what cannot be sent is refused" {
	ta load http http://127.0.0.1:1/ --header 'Content-Length: 3'
	expect 2
	ta load http http://127.0.0.1:1/ --header $'A: b\r\nC: d'
	expect 2
	ta load http 'http://127.0.0.1:1/a b'
	expect 2
	ta load http http://127.0.0.1/:99999 -d 0.1 --warmup 0
	[ "$status" -ne 2 ]
	ta load http http://127.0.0.1:99999/
	expect 2
	ta load http ftp://127.0.0.1/
	expect 2
	ta load httpp
	expect 2
	contains "$errors" "did you mean 'http'?"
	ta load http --sweep 1,x
	expect 2
	ta load http -c 0
	expect 2
}

@test "Ctrl-C ends a run with what it measured" {
	"$TUNEAUDIT" load http -d 60 --warmup 0 -c 2 > "$DIR/out" 2> "$DIR/err" 3>&- &
	pid=$!
	sleep 0.8
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 143 ]
	grep -q "stopped early" "$DIR/out"
}

@test "load serve answers until it is ended" {
	"$TUNEAUDIT" load serve > "$DIR/out" 3>&- &
	pid=$!
	while [ ! -s "$DIR/out" ]; do sleep 0.05; done
	url=$(cat "$DIR/out")
	quick "$url" --header 'X-Test: 1'
	expect 0
	python3 - "$url" <<- 'PYTHON'
		import socket, sys
		host, port = sys.argv[1].split("/")[2].split(":")
		def ask(data):
		    with socket.create_connection((host, int(port)), 5) as s:
		        s.sendall(data)
		        got = b""
		        while True:
		            piece = s.recv(65536)
		            if not piece:
		                return got
		            got += piece
		assert ask(b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").endswith(b"\r\n\r\ntu")
		assert ask(b"HEAD / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\nConnection: close\r\n\r\n").count(b"HTTP/1.1 200") == 2
		assert ask(b"\x00\x01garbage").startswith(b"HTTP/1.1 400")
		assert ask(b"POST / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 405")
		assert ask(b"GET / HTTP/1.1\r\nA: " + b"a" * 20000).startswith(b"HTTP/1.1 431")
		assert ask(b"GET / HTTP/1.1\r\n\r\n" * 5000 + b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n").count(b"HTTP") == 5001
	PYTHON
	port=${url##*:}
	contains "$(ask_and_end "${port%/}" 'GET / HTTP/1.1\r\n\r\n')" "200 OK"
	kill $pid
	wait $pid || true
}
