#!/usr/bin/env bats
# trial from outside: what it measures, that everything is put back whatever happens in the middle, what it refuses. All of it in a
# network namespace made for the test.

load helper
load loads

settings() {
	mkdir -p "$DIR/rules"
	chmod 755 "$DIR/rules"
	cat > "$DIR/rules/test.rules" <<'R'
rule test.backlog
  title     "The accept queue takes 9000 connections"
  why       "A full queue drops connections."
  ref       "Documentation/networking/ip-sysctl.rst"
  risk      none
  direction raise
  want      sysctl["net.core.somaxconn"] >= 9000
  fix       sysctl.set(key = "net.core.somaxconn", value = 9000)
  shown     loopback by http, connect
end

rule test.buffer
  title     "Windows are not tiny"
  why       "A sender waits for each window."
  ref       "Documentation/networking/ip-sysctl.rst"
  risk      none
  direction exact
  want      sysctl["net.ipv4.tcp_rmem"] == [4096, 131072, 6Mi]
  fix       sysctl.set(key = "net.ipv4.tcp_rmem", value = [4096, 131072, 6Mi])
  shown     loopback by stream
end

rule test.wire
  title     "What only a wire shows"
  why       "A test."
  ref       "Documentation/networking/ip-sysctl.rst"
  risk      none
  direction exact
  want      sysctl["net.ipv4.tcp_fin_timeout"] == 10
  fix       sysctl.set(key = "net.ipv4.tcp_fin_timeout", value = 10)
  shown     wire
end

rule test.costs
  title     "What not every program gains by"
  why       "A test."
  ref       "Documentation/networking/ip-sysctl.rst"
  risk      workload
  direction exact
  want      sysctl["net.ipv4.tcp_ecn"] == 1
  fix       sysctl.set(key = "net.ipv4.tcp_ecn", value = 1)
  shown     loopback
end

profile mine
  title "For the tests"
  rules test.*
  workload http
end
R
}

# inside 'SCRIPT': in a namespace of its own, with the program as $T and options of the test as $R and $S.
inside() {
	[ -d "$DIR/rules" ] || settings
	cat > "$DIR/script" <<S
T=$TUNEAUDIT
R="--rules $DIR/rules --profile mine --rounds 10 --seconds 0.3"
S="--state $DIR/state"
BAD=$TREE/tests/cli/badserver.py
D=$DIR
value() { cat /proc/sys/net/core/somaxconn; }
# when VALUE: stops the trial in a round in which that is set
when() {
	for i in \$(seq 1200); do
		kill -0 \$pid || break
		if [ "\$(value)" = \$1 ]; then
			sleep 0.1 # it is journaled by then
			kill -STOP \$pid
			[ "\$(value)" != \$1 ] || return 0
			kill -CONT \$pid
		fi
		sleep 0.03
	done
	cat $DIR/trial $DIR/trial.err
	return 1
}
# steadily COMMAND: a machine that others leave or come to at that moment is not steady, and a trial does not begin: once more.
steadily() {
	for i in 1 2 3 4 5; do
		code=0
		"\$@" 2> $DIR/tried || code=\$?
		grep -q "does not get steady" $DIR/tried || break
	done
	cat $DIR/tried >&2
	return \$code
}
# begin OPTION...: a trial in the background that does not end by itself, stopped in a round with its change.
begin() {
	for i in 1 2 3 4 5; do
		\$T trial \$R \$S --yes --only test.backlog --rounds 300 "\$@" > $DIR/trial 2> $DIR/trial.err 7>&- &
		pid=\$!
		if when 9000 > $DIR/began; then
			return
		fi
		grep -q "does not get steady" $DIR/trial.err || break
	done
	cat $DIR/began
	return 1
}
# ended CODE: it ends so, and soon after everything is as it was
ended() {
	code=0
	kill -CONT \$pid 2> /dev/null || :
	wait \$pid || code=\$?
	[ \$code = \$1 ] || { echo "code \$code, not \$1"; cat $DIR/trial $DIR/trial.err; }
	for i in \$(seq 100); do
		[ "\$(value)" = 4096 ] && break
		sleep 0.1
	done
	value
}
ip link set lo up
$1
S
	in_namespace
}

@test "what helps is called improved, and kept where that is asked for; what cannot be shown is not tried" {
	inside 'echo 4096 4096 4096 > /proc/sys/net/ipv4/tcp_rmem
		steadily $T trial $R $S --yes --workload stream --keep improved --each --format json > $D/json
		cat /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_fin_timeout /proc/sys/net/ipv4/tcp_ecn
		$T history $S
		$T rollback $S --yes > /dev/null
		cat /proc/sys/net/ipv4/tcp_rmem'
	expect 0
	contains "$output" "$(printf '4096\t131072\t6291456\n60\n2')"
	contains "$output" "rolled-back, profile mine, 1 change; a trial:"
	contains "$output" "applied, profile mine, 1 change"
	contains "$(tail -1 "$DIR/out")" "$(printf '4096\t4096\t4096')"
	cp "$DIR/json" "$DIR/out"
	valid trial
	[ "$(field workload) $(field parts/0/path) $(field each) $(field restored) $(field kept_run)" = "stream loopback True True 2" ]
	python3 - "$DIR/out" <<- 'P'
		import json, sys
		t = json.load(open(sys.argv[1]))
		by = {c["rule"]: c for c in t["changes"]}
		buffer = by["test.buffer"]
		assert buffer["verdict"] == "improved" and buffer["kept"], buffer
		e = buffer["effects"]["throughput"]
		assert e["seen"] and 50 < e["low"] <= e["percent"] <= e["high"], e
		assert "p99" not in buffer["effects"] and buffer["pairs"] == 10
		assert by["test.wire"]["verdict"] == "cannot-show" and "wire only" in by["test.wire"]["why_not"]
		assert by["test.backlog"]["verdict"] == "cannot-show" and not by["test.backlog"]["effects"]
		assert "--allow-workload" in by["test.costs"]["why_not"]
	P
}

@test "what harms is called worse, and put back; a screen of 80 columns" {
	inside 'echo 4096 1000000 6291456 > /proc/sys/net/ipv4/tcp_rmem
		sed -i "s/131072, 6Mi/4096, 4096/" $D/rules/test.rules
		steadily $T trial $R $S --yes --workload stream --keep improved
		tr "\t" " " < /proc/sys/net/ipv4/tcp_rmem; $T history $S'
	expect 0
	contains "$output" "Trial of profile mine: all changes together, 10 pairs of rounds of 0.3 s"
	contains "$output" "stream against the built-in server, loopback, 1 connection"
	contains "$output" "Worse: throughput -"
	contains "$output" "  CPU per byte "
	lacks "$output" "CPU per request"
	grep -qE "^  throughput .* MB/s +[0-9.e-]+ MB/s$" "$DIR/out"
	contains "$output" "net.ipv4.tcp_rmem: 4096 1000000 6291456 -> 4096 4096 4096"
	contains "$output" "net.ipv4.tcp_fin_timeout: it shows over wire only"
	contains "$output" "Everything is put back as it was:"
	contains "$output" "Nothing was proven better, so nothing was kept."
	[ "$(grep -c "^4096 1000000 6291456" "$DIR/out")" -eq 1 ]
	lacks "$output" "2. 20"
	is_ascii
	[ "$(awk 'length > 80 && !/history|rollback/' "$DIR/out")" = "" ]
}

@test "each change is tried with a workload that shows it" {
	inside 'steadily $T trial $R $S --yes --each --format json --only test.backlog,test.buffer > $D/json; value; cat /proc/sys/net/ipv4/tcp_rmem'
	expect 0
	[ "$(head -1 "$DIR/out")" = 4096 ]
	cp "$DIR/json" "$DIR/out"
	valid trial
	[ "$(field changes/0/workload) $(field changes/1/workload)" = "http stream" ]
	[ "$(field parts/0/run) $(field parts/1/run) $(field restored)" = "1 2 True" ]
	[ "$(field changes/0/pairs) $(field changes/0/together)" = "10 False" ]
	[ "$(field changes/0/with/latency_us/p99)" != None ]
}

@test "killed, told to end, interrupted: everything is put back" {
	inside 'begin; kill -KILL $pid; ended 137; $T history $S
		begin; kill -TERM $pid; ended 143; cat $D/trial.err; $T history $S
		begin; kill -HUP $pid; ended 129
		$T rollback $S --yes'
	expect 0
	[ "$(grep -c '^4096$' "$DIR/out")" -eq 3 ]
	lacks "$output" "code"
	contains "$output" "it was"
	contains "$output" "interrupted before all was made"
	contains "$output" "ended by signal 15; everything was put back"
	contains "$output" "ended early: ended by"
}

@test "killed with its supervisor: the next one says how, and rollback puts it back" {
	inside 'begin
		for p in /proc/[0-9]*; do
			tr "\0" " " < $p/cmdline 2> /dev/null | grep -q "supervise 1 --state $D/state" && kill -KILL ${p#/proc/}
		done
		kill -KILL $pid; wait $pid || :
		value
		$T trial $R $S --yes --only test.backlog 2> $D/second || echo "code $?"
		cat $D/second
		$T rollback $S --yes; value; $T history $S'
	expect 0
	[ "$(head -1 "$DIR/out")" = 9000 ]
	contains "$output" "code 1"
	contains "$output" "run 1 was interrupted; this puts back what it did"
	contains "$output" "Run 1: rolled-back."
	contains "$output" "4096"
}

@test "somebody else sets the same while it is on: noticed, named, left" {
	inside 'begin; echo 7777 > /proc/sys/net/core/somaxconn; kill -CONT $pid; code=0; wait $pid || code=$?; echo "code $code"
		value; cat $D/trial $D/trial.err; $T history $S'
	expect 0
	contains "$output" "code 6"
	contains "$output" "7777"
	contains "$output" "net.core.somaxconn was set to 9000 and is 7777 now: somebody else sets it too"
	contains "$output" "left as it is"
	contains "$output" "partly-restored"
}

@test "somebody else sets the same while it is off: noticed, named, left" {
	inside 'begin
		kill -CONT $pid; when 4096
		echo 7777 > /proc/sys/net/core/somaxconn; kill -CONT $pid; code=0; wait $pid || code=$?; echo "code $code"
		value; cat $D/trial $D/trial.err; $T history $S'
	expect 0
	contains "$output" "code 5"
	contains "$output" "7777"
	contains "$output" "net.core.somaxconn was 4096 and is 7777 now: somebody else sets it too"
	contains "$output" "rolled-back"
}

@test "two trials at once: the second is refused with 75, the first is not disturbed" {
	inside 'begin; code=0; $T trial $R $S --yes 2> $D/second || code=$?; echo "second $code"; cat $D/second
		code=0; $T apply --rules $D/rules --profile mine $S --yes 2> $D/second || code=$?; echo "apply $code"; kill -TERM $pid; ended 143'
	expect 0
	contains "$output" "second 75"
	contains "$output" "apply 75"
	contains "$output" "another run of tuneaudit is changing this host"
	[ "$(tail -1 "$DIR/out")" = 4096 ]
}

@test "a target that dies in the middle: put back, said, 5" {
	inside 'mkfifo $D/hold; python3 $BAD good < $D/hold > $D/port & exec 7> $D/hold
		while [ ! -s $D/port ]; do sleep 0.05; done
		begin --target http://127.0.0.1:$(cat $D/port)/ -c 4; exec 7>&-; ended 5; cat $D/trial $D/trial.err'
	expect 0
	contains "$output" "answers nothing (refused)"
	contains "$output" "everything was put back"
	contains "$output" "It ended early:"
	[ "$(head -1 "$DIR/out")" = 4096 ]
}

@test "a target that is not there, or answers nothing: nothing was changed" {
	inside 'code=0; $T trial $R $S --yes --target http://127.0.0.1:9/ || code=$?; echo "code $code"; value; $T history $S'
	expect 0
	contains "$output" "code 5"
	contains "$errors" "http://127.0.0.1:9/ answers nothing (refused); nothing is changed"
	contains "$output" "4096"
	contains "$output" "Nothing was changed by this program."
}

@test "a load that never gets steady: nothing was changed" {
	cat > "$DIR/slower.py" <<- 'P'
		# Answers more slowly all the time.
		import socket, sys, threading, time
		began = time.monotonic()
		def serve(c):
		    while c.recv(65536):
		        time.sleep(0.002 * 1.3 ** (time.monotonic() - began))
		        c.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
		s = socket.create_server(("127.0.0.1", 0))
		print(s.getsockname()[1], flush=True)
		threading.Thread(target=lambda: (sys.stdin.read(), __import__("os")._exit(0)), daemon=True).start()
		while True:
		    threading.Thread(target=serve, args=(s.accept()[0],), daemon=True).start()
	P
	inside 'mkfifo $D/hold; python3 $D/slower.py < $D/hold > $D/port & exec 7> $D/hold
		while [ ! -s $D/port ]; do sleep 0.05; done
		code=0; $T trial $R $S --seconds 1 --yes --target http://127.0.0.1:$(cat $D/port)/ -c 2 || code=$?; echo "code $code"; exec 7>&-; value'
	expect 0
	contains "$output" "code 5"
	contains "$errors" "http: the load does not get steady"
	contains "$output" "4096"
}

@test "the journal cannot be written: what is on is put back" {
	inside 'mkdir -m 700 $D/state; mount -t tmpfs -o size=64k,mode=700 none $D/state
		begin; head -c 1000000 /dev/zero > $D/state/filler 2> /dev/null || :; ended 5; cat $D/trial.err'
	expect 0
	[ "$(head -1 "$DIR/out")" = 4096 ]
	contains "$output" "No space left on device"
}

@test "a change that fails half-way: the others are put back, 5" {
	settings
	cat >> "$DIR/rules/test.rules" <<- 'R'
		rule test.refused
		  title     "A congestion control that this kernel has not"
		  why       "A test."
		  ref       "net/ipv4/tcp_cong.c"
		  risk      none
		  direction exact
		  want      sysctl["net.ipv4.tcp_congestion_control"] == "nosuch"
		  fix       sysctl.set(key = "net.ipv4.tcp_congestion_control", value = "nosuch")
		  shown     loopback
		end
	R
	inside 'code=0; steadily $T trial $R $S --yes --only test.backlog,test.refused > $D/trial || code=$?; echo "code $code"; value; cat $D/trial; $T history $S 1'
	expect 0
	contains "$output" "code 5"
	contains "$output" "4096"
	contains "$errors" "net.ipv4.tcp_congestion_control"
	contains "$errors" "everything was put back"
	contains "$output" "net.core.somaxconn: 4096 -> 9000: put back"
}

@test "what is not agreed to, not allowed or not right changes nothing" {
	inside '$T trial $R $S || echo "code $?"; value; ls $D/state 2> /dev/null || echo "no state"'
	contains "$output" "code 1"
	contains "$output" "4096"
	contains "$output" "no state"
	contains "$errors" "no terminal to ask on, and no --yes"
	for o in "--workload hold" "--workload nothing" "--keep all" "--rounds 9" "--seconds 0" "--format xml" "--profile nobody" "--only no.rule" "x"; do
		ta trial --yes --state "$DIR/none" $o
		expect 2
		[ -n "$errors" ]
	done
	ta trial --yes --state "$DIR/none" --target "tcp://127.0.0.1:1"
	expect 2
	contains "$errors" "http"
	[ ! -e "$DIR/none" ]
}

@test "nothing of it can be shown: said, nothing is measured, nothing changed" {
	inside '$T trial $R $S --yes --only test.costs; value'
	expect 0
	contains "$output" "Not tried, so nothing is said of them"
	contains "$output" "--allow-workload"
	contains "$output" "Nothing was tried, and nothing was changed."
}
