#!/usr/bin/env bats
# load stream: against the built-in server, servers that are none of ours, and one that dies.

load helper
load loads

# serve: starts the built-in stream server; its address in $url, its process in $pid.
serve() {
	"$TUNEAUDIT" load serve stream > "$DIR/serve" 3>&- &
	pid=$!
	while [ ! -s "$DIR/serve" ]; do sleep 0.05; done
	url=$(cat "$DIR/serve")
}

stream() {
	ta load stream "$@" -d 0.3 --warmup 0 --format json
}

# sink HOW: a server that is none of ours; its address in $url.
sink() {
	rm -f "$DIR/port"
	python3 - "$1" > "$DIR/port" 3>&- <<- 'PYTHON' &
		import socket, sys, threading, time
		how = sys.argv[1]
		listener = socket.create_server(("127.0.0.1", 0))
		print(listener.getsockname()[1], flush=True)
		def serve(conn, n):
		    got = 0
		    if how == "version":
		        conn.sendall(b"TUNEAUDIT-STREAM 99\n")
		    try:
		        while how != "stall":
		            piece = conn.recv(1 << 20)
		            got += len(piece)
		            if not piece or (how == "close" and got > 1 << 22):
		                break
		        if how == "stall":
		            time.sleep(10)
		    except OSError:
		        pass
		    conn.close()
		listener.settimeout(20)
		n = 0
		try:
		    while True:
		        threading.Thread(target=serve, args=(listener.accept()[0], n), daemon=True).start()
		        n += 1
		except TimeoutError:
		    pass
	PYTHON
	pid=$!
	while [ ! -s "$DIR/port" ]; do sleep 0.05; done
	url=tcp://127.0.0.1:$(cat "$DIR/port")
}

# run NAME ARGUMENTS…: in the background, its output in $DIR/NAME.
run() {
	local name=$1
	shift
	"$TUNEAUDIT" load stream "$@" -d 0.5 --warmup 0 > "$DIR/$name" 3>&- &
	runs="$runs $!"
}

# At once: one after the other they take longer.
@test "TCP both ways, a sweep, datagrams up and down, in text and as its schema says" {
	run both -c 2 --direction both --format json
	run sweep --sweep 1,3 --discard
	run up --udp --rate 2000 -c 2 --format json
	run down --udp --direction down --rate 1000
	for pid in $runs; do
		wait "$pid" || { head -n 3 "$DIR"/both "$DIR"/sweep "$DIR"/up "$DIR"/down; false; }
	done
	cp "$DIR/both" "$DIR/out"
	valid load
	above up_bytes_per_second 1000000
	above down_bytes_per_second 1000000
	above bits_per_second 16000000
		above streams/0/rtt\ us 0
	[ "$(field streams/1/way) $(field 'streams/1/sent again')" = "down -" ]
	above client_cpu_s_per_gb 0
	above server_cpu_s_per_gb 0
	[ "$(field errors)" = '{}' ]
	grep -q "thrown away by the kernel" "$DIR/sweep"
	[ "$(grep -c '^[13]  *up ' "$DIR/sweep")" = 2 ]
	cp "$DIR/up" "$DIR/out"
	valid load
	above packets_per_second 1000
	python3 - "$DIR/out" <<- 'PYTHON'
		import json, sys
		rows = json.load(open(sys.argv[1]))["datagrams"]
		assert len(rows) == 4
		for row in rows:
		    assert row["sent/s"] > 1000 and row["lost %"] < 50 and row["twice"] == 0, row
	PYTHON
	grep -q "bytes down" "$DIR/down"
}

@test "datagrams go to nobody but who asked, and only with the token" {
	serve
	python3 - "$url" <<- 'PYTHON'
		import socket, struct, sys
		port = int(sys.argv[1].split(":")[2].strip("/"))
		def line(s):
		    got = b""
		    while not got.endswith(b"\n"):
		        got += s.recv(1)
		    return got.decode().split()
		with socket.create_connection(("127.0.0.1", port), 5) as s:
		    assert line(s) == ["TUNEAUDIT-STREAM", "1"]
		    s.sendall(b"DATAGRAMS RECEIVE 100 1000 0\n")
		    offer = line(s)
		    to, token = ("127.0.0.1", int(offer[1])), int(offer[3], 16)
		    def knock(address, token):
		        u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		        u.bind((address, 0))
		        u.settimeout(0.3)
		        u.sendto(struct.pack(">QQQII", token, 0, 0, 0, 0), to)
		        try:
		            return len(u.recv(9000))
		        except TimeoutError:
		            return 0
		    assert knock("127.0.0.2", token) == 0
		    assert knock("127.0.0.1", token ^ 1) == 0
		    assert knock("127.0.0.1", token) == 100
		    s.sendall(b"END 0\n")
		    assert line(s)[0] == "SENT"
		# What became of 0, 1, 3, 2, 3, 5 (4 is lost), one of the warm-up and one with another token.
		with socket.create_connection(("127.0.0.1", port), 5) as s:
		    line(s)
		    s.sendall(b"DATAGRAMS SEND 100 0 1\n")
		    offer = line(s)
		    token = int(offer[3], 16)
		    u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		    for number, counts, who in (9, 0, token), (8, 1, token ^ 1), *((n, 1, token) for n in (0, 1, 3, 2, 3, 5)):
		        u.sendto(struct.pack(">QQQII", who, number, 0, counts, 0) + bytes(68), ("127.0.0.1", int(offer[1])))
		    s.sendall(b"END 6\n")
		    assert line(s)[:5] == ["GOT", "5", "500", "1", "1"]
		for bad in b"NONSENSE\n", b"A" * 1000, b"DATAGRAMS RECEIVE 100 999999999999 0\n":
		    with socket.create_connection(("127.0.0.1", port), 5) as s:
		        line(s)
		        s.sendall(bad)
		        try:
		            assert s.recv(100) == b""
		        except ConnectionResetError:
		            pass
	PYTHON
	stream "$url"
	expect 0
	kill $pid
	wait $pid || true
}

@test "a server that is none of ours takes what is sent; one that ends or stalls is told" {
	sink take
	stream "$url"
	expect 0
	contains "$(field other_end)" "no server of ours"
	above up_bytes_per_second 1000000
	ta load stream "$url" --udp -d 1
	expect 2
	contains "$errors" "load serve stream"
	kill $pid
	sink close
	ta load stream "$url" -d 0.5 --warmup 0
	expect 1
	case $output in "ERRORS: 1 failed: closed 1"* | "ERRORS: 1 failed: reset 1"*) ;; *) false ;; esac
	kill $pid
	sink stall
	begin=$SECONDS
	ta load stream "$url" -d 0.3 --warmup 1 --timeout 1
	expect 1
	contains "$output" "timeout 1"
	[ $((SECONDS - begin)) -lt 9 ]
	kill $pid
	sink version
	ta load stream "$url" -d 1
	expect 2
	contains "$errors" "another version"
	kill $pid
}

@test "a server that dies half-way, and one that is not there" {
	serve
	"$TUNEAUDIT" load stream "$url" -d 1.5 --warmup 0 --format json > "$DIR/out" 3>&- &
	run=$!
	sleep 0.7
	kill -9 $pid
	status=0
	wait $run || status=$?
	[ $status -eq 1 ]
	python3 -c 'import json, sys; e = json.load(open(sys.argv[1]))["errors"]; assert e in ({"closed": 1}, {"reset": 1}), e' "$DIR/out"
	stream tcp://127.0.0.1:1
	expect 1
	[ "$(field errors)" = "{'refused': 1}" ]
	valid load
}

@test "what makes no sense is refused" {
	ta load stream -d 1 --format hgrm
	expect 2
	contains "$errors" "measures no latencies"
	for words in "tcp://127.0.0.1" "http://127.0.0.1:1/" "--rate 5" "-c 513" "--udp --direction both" "--udp --sweep 1,2" \
		"--udp --discard" "--direction sideways" "--udp --datagram 31"; do
		# shellcheck disable=SC2086
		ta load stream $words -d 1
		expect 2
	done
}
