#!/usr/bin/env bats
# check and facts with --sample: counters read twice.

load helper

# Runs the program on a terminal, sends it SIGNAL after SECONDS if given; its output and how it ended on stdout.
on_terminal() {
	python3 - "$TUNEAUDIT" "$@" <<- 'PYTHON'
		import os, pty, signal as signals, sys, time
		signal, seconds, command = int(sys.argv[2]), float(sys.argv[3]), [sys.argv[1]] + sys.argv[4:]
		pid, fd = pty.fork()
		if not pid:
		    # A suite that runs in the background was started with it ignored.
		    signals.signal(signals.SIGINT, signals.SIG_DFL)
		    os.execve(command[0], command, {**os.environ, "TERM": "xterm"})
		if signal:
		    time.sleep(seconds)
		    os.kill(pid, signal)
		shown = b""
		while True:
		    try:
		        piece = os.read(fd, 65536)
		    except OSError:
		        break
		    if not piece:
		        break
		    shown += piece
		_, how = os.waitpid(pid, 0)
		print(shown.decode(errors="replace").replace("\r", "\n"))
		print("ended by signal %d" % os.WTERMSIG(how) if os.WIFSIGNALED(how) else "code %d" % os.WEXITSTATUS(how))
	PYTHON
}

@test "rates are the counters' differences per second" {
	ta facts counters rates --sample 1 --format json
	expect 0
	valid facts
	python3 - "$DIR/out" <<- 'PYTHON'
		import json, sys
		d = json.load(open(sys.argv[1]))
		counters, rates = d["facts"]["counters"], d["facts"]["rates"]
		for group in "tcpext", "softnet", "nic":
		    assert set(rates[group]) <= set(counters[group]), group
		assert isinstance(rates["tcpext"]["ListenOverflows"], float)
		assert isinstance(rates["softnet"]["dropped"], float)
		assert isinstance(rates["nic"]["lo"]["rx_dropped"], float)
		assert "tcp_alloc" not in rates.get("sockstat", {}), "a level has no rate"
		assert len(rates["softnet"]["dropped_by_cpu"]) == len(counters["softnet"]["cpus"])
		assert all(isinstance(r, int) and r >= 0 for r in rates["softirq"]["net_rx_by_cpu"])
		assert "cpus" not in rates["softnet"], "no counters"
	PYTHON
}

send_to_loopback() {
	python3 -c 'import socket; s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); s.sendto(b"x", ("127.0.0.1", 9))'
}

@test "what the counters count while it waits is told" {
	send_to_loopback 2> /dev/null || skip "the loopback interface is down"
	(
		for _ in 1 2 3 4 5 6 7 8; do
			sleep 0.1
			send_to_loopback
		done
	) &
	ta facts rates --sample 1 --format json
	wait
	expect 0
	python3 - "$DIR/out" <<- 'PYTHON'
		import json, sys
		assert json.load(open(sys.argv[1]))["facts"]["rates"]["nic"]["lo"]["rx_packets"] > 0
	PYTHON
}

@test "without --sample rates are not asked, and it is said how to ask" {
	ta facts rates
	expect 0
	contains "$output" "rates: not-asked, check --sample SECONDS reads counters twice"
}

@test "seconds are whole and from 1 to 60" {
	for s in 0 61 1.5 -1 x 1s ''; do
		for command in check facts; do
			ta "$command" "--sample=$s"
			expect 2
			contains "$errors" "--sample takes a whole number from 1 to 60, not '$s'"
		done
	done
}

@test "a capture holds one reading" {
	mkdir -p "$DIR/host/proc"
	for command in check facts; do
		ta "$command" --sample 1 --capture "$DIR/host"
		expect 2
		contains "$errors" "a capture holds one reading"
	done
}

@test "nobody waits where no selected rule reads counters" {
	start=$(date +%s)
	ta check --sample 60 --only cpu.governor
	[ $(($(date +%s) - start)) -lt 30 ]
}

@test "a terminal is told that it waits, and the line is gone at the end" {
	run on_terminal 0 0 facts rates --sample 2
	contains "$output" "Reading the counters again in 2 s"
	contains "$output" "Reading the counters again in 1 s"
	contains "$output" "code 0"
	run on_terminal 0 0 facts rates --sample 1
	lacks "$output" "Reading the counters again"
}

@test "a file gets no progress" {
	ta facts rates --sample 2
	expect 0
	[ -z "$errors" ]
}

@test "Ctrl-C ends the wait" {
	run on_terminal 2 1 check --sample 60
	contains "$output" "ended by signal 2"
}
