#!/usr/bin/env bats
# load file: files of our own in each way to send one, and other servers' files.

load helper
load loads

teardown() {
	[ -z "$pid" ] || kill -KILL "$pid" 2> /dev/null || true
	rm -rf --one-file-system "$DIR"
}

# say PYTHON: with `d`, the JSON in $DIR/out; fails where an assertion does.
say() {
	python3 -c "
import json, sys
d = json.load(open(sys.argv[1]))
$1" "$DIR/out"
}

# A place on a disk, or this is skipped: there is nothing to drop in memory.
disk() {
	files=$(mktemp -d /var/tmp/tuneaudit.XXXXXX)
	case $(stat -f -c %T "$files") in
	tmpfs | ramfs)
		rmdir "$files"
		skip "/var/tmp is in memory"
		;;
	esac
}

@test "each way is measured, cold and cached, and loopback copies what was not to be copied" {
	disk
	ta load file -d 0.5 --file-mib 4 --dir "$files" --label "as it is" --format json
	left=$(ls -A "$files")
	rmdir "$files"
	expect 0
	[ -z "$left" ]
	valid load
	say '
large = {r["path"]: r for r in d["large_file"]}
small = {r["path"]: r for r in d["small_files"]}
for way in "read + write", "sendfile", "splice":
    assert large[way]["cold MB/s"] > 0 and large[way]["cached MB/s"] > 0, way
    assert small[way]["cold files/s"] > 0 and small[way]["cached files/s"] > 0, way
    assert large[way]["server us/MB"] > 0 or d["duration_s"] < 0.05
assert d["cold_left_bytes"] < 1 << 20, d["cold_left_bytes"]
assert d["errors"] == {} and d["built_in_server"] and d["path"] == "loopback"
assert d["requests"] > 0 and d["bytes_per_second"] > 0 and d["latency_us"]["p50"] > 0
for way, key in ("MSG_ZEROCOPY", "msg_zerocopy_copied"), ("io_uring send-zc", "send_zc_copied"):
    if way in large and not isinstance(d[key], str):
        assert large[way]["copied"] == "all" and d[key] > 0, d[key]
row = d["row"][0]
assert row["configuration"] == "as it is"
assert row["cold MB/s"] == large["sendfile"]["cold MB/s"] and row["warm MB/s"] == large["sendfile"]["cached MB/s"]
'
}

@test "the tables for people have a line for each way" {
	ta load file -d 0.5 --file-mib 2
	expect 0
	contains "$output" "One file of 2 MiB"
	contains "$output" "256 files of 16 KiB"
	for way in "read + write" sendfile splice; do
		[ "$(grep -c "^$way  " "$DIR/out")" -eq 2 ]
	done
	contains "$output" "configuration  cold MB/s  warm MB/s"
	is_ascii
}

@test "files in memory have no cold reading, and that is said" {
	[ "$(stat -f -c %T /dev/shm)" = tmpfs ] || skip "no tmpfs in /dev/shm"
	mkdir "/dev/shm/tuneaudit.$$"
	ta load file -d 0.5 --file-mib 2 --dir "/dev/shm/tuneaudit.$$"
	rmdir "/dev/shm/tuneaudit.$$"
	expect 0
	contains "$output" "is in memory"
	[ "$(awk '$1 == "sendfile" {print $2; exit}' "$DIR/out")" = "-" ]
}

@test "no room, or no place: said, and nothing is measured" {
	ta load file -d 1 --dir /nonexistent
	expect 2
	contains "$errors" "no file can be made in /nonexistent"
	ta load file -d 1 --dir /proc
	expect 2
	ta load file --file-mib 0
	expect 2
	if unshare -rm true 2> /dev/null; then
		status=0
		# shellcheck disable=SC2016
		unshare -rm sh -c 'mount -t tmpfs -o size=8m none "$1" && "$2" load file -d 1 --file-mib 64 --dir "$1"' sh "$DIR" "$TUNEAUDIT" \
			> /dev/null 2> "$BATS_TEST_TMPDIR/err" || status=$?
		[ $status -eq 2 ]
		grep -q "more than half of the 8 MiB that are free" "$BATS_TEST_TMPDIR/err"
	fi
}

@test "nothing stays of a run that is killed" {
	disk
	"$TUNEAUDIT" load file -d 60 --file-mib 4 --dir "$files" > /dev/null 2>&1 3>&- &
	pid=$!
	sleep 1
	kill -KILL $pid
	wait $pid || true
	left=$(ls -A "$files")
	rmdir "$files"
	[ -z "$left" ]
}

@test "Ctrl-C ends a run with what it measured" {
	"$TUNEAUDIT" load file -d 60 --file-mib 4 > "$DIR/out" 2> "$DIR/err" 3>&- &
	pid=$!
	sleep 2
	kill -INT $pid 2> /dev/null || true
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ $status -ge 129 ]
	pid=
	grep -q "stopped early" "$DIR/out"
}

@test "another server's file: the first reply, and those after it" {
	head -c 3000000 /dev/urandom > "$DIR/large"
	(cd "$DIR" && exec python3 -c '
import http.server, sys
class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def log_message(self, *a):
        pass
s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(s.server_address[1], flush=True)
s.serve_forever()') > "$DIR/port" 3>&- &
	pid=$!
	while [ ! -s "$DIR/port" ]; do sleep 0.05; done
	ta load file "http://127.0.0.1:$(cat "$DIR/port")/large" -d 0.3 -t 2 --format json
	expect 0
	valid load
	say '
assert [r["reply"] for r in d["replies"]] == ["first", "again"]
assert all(r["MB/s"] > 0 for r in d["replies"])
assert d["requests"] > 1 and d["connections"] == 2 and not d["built_in_server"]
'
	ta load file "http://127.0.0.1:$(cat "$DIR/port")/nothing-there" -d 0.3 --format json
	expect 1
	say 'assert d["errors"]["bad-status"] >= 1, d["errors"]'
}

@test "servers that misbehave are named, and nothing hangs" {
	bad reset,garbage,close
	for n in 1 2 3; do
		ta load file "$(bad_url $n)" -d 0.3 --timeout 1 --format json
		expect 1
		say 'assert sum(d["errors"].values()) >= 1'
	done
	ta load file http://127.0.0.1:1/ -d 0.3 --format json
	expect 1
	say 'assert d["errors"] == {"refused": 1}, d["errors"]'
}

@test "load serve file answers what it is asked for, and nothing else" {
	"$TUNEAUDIT" load serve file > "$DIR/out" 3>&- &
	pid=$!
	while [ ! -s "$DIR/out" ]; do sleep 0.05; done
	python3 - "$(cat "$DIR/out")" <<- 'PYTHON'
		import http.client, socket, sys
		host, port = sys.argv[1].split("/")[2].split(":")
		c = http.client.HTTPConnection(host, int(port), timeout=30)
		def get(path):
		    c.request("GET", path)
		    r = c.getresponse()
		    return r.status, r.read()
		assert get("/sendfile/large") == (404, b"")
		assert get("/make/1/2")[0] == 400 and get("/make/99999999999999/1/1")[0] == 507 and get("/make/-1/1/1")[0] == 400
		assert get("/make/1000000/3/5000")[0] == 200
		first = get("/read-write/large")
		assert first[0] == 200 and len(first[1]) == 1000000
		for way in "sendfile", "splice", "zerocopy", "send-zc":
		    got = get(f"/{way}/large")
		    assert got == first or got[0] == 501, way
		    got = get(f"/{way}/small/2")
		    assert got[0] == 501 or got == get("/read-write/small/2"), way
		for path in "/", "/sendfile", "/sendfile/small/3", "/sendfile/small/-1", "/sendfile/small/x", "/../etc/passwd", "/drop", "/" + "x/" * 500:
		    assert get(path)[0] in (400, 404), path
		assert get("/drop/large") == (200, b"left 0\n") or b"left" in get("/drop/large")[1]
		def raw(data):
		    with socket.create_connection((host, int(port)), 5) as s:
		        s.sendall(data)
		        return s.recv(100)
		assert raw(b"\x00garbage\r\n\r\n").startswith(b"HTTP/1.1 400")
		assert raw(b"POST / HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 400")
		assert raw(b"GET / HTTP/1.1\r\nA: " + b"a" * 20000).startswith(b"HTTP/1.1 400")
		# More clients than it takes: some are turned away, and it answers afterwards.
		many = [socket.create_connection((host, int(port)), 5) for _ in range(80)]
		for s in many:
		    s.close()
		c.close()
		assert get("/sendfile/large") == first
	PYTHON
	kill $pid
	wait $pid || true
	pid=
}
