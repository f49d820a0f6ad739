#!/usr/bin/env bats
# Where the result goes: full disks, closed and broken pipes, odd terminals.

load helper

@test "a full disk is said, and is 70" {
	[ -c /dev/full ] || skip "no /dev/full"
	status=0
	"$TUNEAUDIT" facts > /dev/full 2> "$DIR/err" || status=$?
	[ "$status" -eq 70 ]
	contains "$(cat "$DIR/err")" "No space left"
}

@test "a closed stdout is said, and is 70" {
	status=0
	"$TUNEAUDIT" facts >&- 2> "$DIR/err" || status=$?
	[ "$status" -eq 70 ]
	contains "$(cat "$DIR/err")" "writing the result failed"
}

@test "all three closed: no file of the host is taken for stdout" {
	status=0
	"$TUNEAUDIT" facts <&- >&- 2>&- || status=$?
	[ "$status" -eq 70 ]
}

@test "a reader that leaves is no error" {
	set -o pipefail
	mkfifo "$DIR/fifo"
	status=0
	# The reader opens, reads one byte and is gone before the rest is written.
	head -c 1 "$DIR/fifo" > /dev/null &
	"$TUNEAUDIT" facts --format json > "$DIR/fifo" 2> "$DIR/err" || status=$?
	wait
	[ "$status" -eq 0 ]
	[ ! -s "$DIR/err" ]
	"$TUNEAUDIT" --help | :
}

@test "COLUMNS of any kind" {
	for columns in 0 -5 1 20 40 80 1000 99999999999999999999 abc ""; do
		COLUMNS=$columns "$TUNEAUDIT" --help > "$DIR/out"
		[ -s "$DIR/out" ]
	done
}

@test "no colour in a pipe" {
	ta facts
	is_ascii
}

@test "any locale gives the same bytes" {
	HOST=$DIR/host
	file proc/sys/net/core/somaxconn 128
	ta facts --capture "$HOST"
	cp "$DIR/out" "$DIR/first"
	for l in C.UTF-8 de_DE.UTF-8 tr_TR.UTF-8 nonsense; do
		LC_ALL=$l LANG=$l "$TUNEAUDIT" facts --capture "$HOST" > "$DIR/out"
		cmp "$DIR/out" "$DIR/first"
	done
}

# on_terminal COLUMNS ARGUMENT...: what the program writes to a terminal of that width.
on_terminal() {
	columns=$1
	shift
	# stty sees the terminal that script makes; the widths of the outside stay outside.
	env -u COLUMNS TERM="${TERM_IS:-xterm}" script -qec "stty cols $columns; '$TUNEAUDIT' $*" /dev/null \
		< /dev/null | tr -d '\r' > "$DIR/out"
}

@test "a terminal: colour, its width, prose not above 100 columns" {
	command -v script > /dev/null || skip "needs script(1)"
	host=$(fixture all-on-cpu0)
	on_terminal 60 check --capture "$host"
	grep -q "$(printf '\033\[')" "$DIR/out"
	on_terminal 60 --help
	[ "$(awk '/^usage:/ { exit } length > 60' "$DIR/out" | wc -l)" -eq 0 ]
	[ "$(awk 'length > 50' "$DIR/out" | wc -l)" -gt 0 ]
	on_terminal 400 --help
	[ "$(awk 'length > 100' "$DIR/out" | wc -l)" -eq 0 ]
	[ "$(awk 'length > 80' "$DIR/out" | wc -l)" -gt 0 ]
}

@test "a terminal without colour: NO_COLOR, dumb" {
	command -v script > /dev/null || skip "needs script(1)"
	host=$(fixture all-on-cpu0)
	NO_COLOR=1 on_terminal 80 check --capture "$host"
	contains "$(cat "$DIR/out")" "Score"
	is_ascii
	TERM_IS=dumb on_terminal 80 check --capture "$host"
	contains "$(cat "$DIR/out")" "Score"
	is_ascii
}

# A sanitizer that looks for leaks traces the program itself, and cannot where strace does.
traced() {
	command -v strace > /dev/null || skip "needs strace"
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
}

# slowly ARGUMENT...: what stands on the terminal of a run in which opening a file takes its time; stdout goes elsewhere.
slowly() {
	env TERM="${TERM_IS:-xterm}" script -qec "strace -f -qq -o /dev/null -e trace=openat2 -e inject=openat2:delay_enter=2500 \
		'$TUNEAUDIT' $* > '$DIR/slow.out'" "$DIR/typescript" < /dev/null > /dev/null || true
	[ -s "$DIR/slow.out" ]
	sed '1{/^Script started/d}; /^Script done/d' "$DIR/typescript" > "$DIR/out"
}

@test "what takes more than a second says how far it is, on a terminal, and leaves nothing there" {
	command -v script > /dev/null || skip "needs script(1)"
	traced
	host=$(fixture all-on-cpu0)
	slowly check --min-coverage 0 --capture "$host"
	contains "$(cat "$DIR/out")" "Reading the capture, 1 s"
	lacks "$(cat "$DIR/out")" "Reading the capture, 0 s"
	# What comes last is the line emptied: blanks.
	tr '\r' '\n' < "$DIR/out" | grep . | tail -n 1 | grep -q '^ *$'
	slowly -q check --min-coverage 0 --capture "$host"
	lacks "$(cat "$DIR/out")" "Reading"
	TERM_IS=dumb slowly check --min-coverage 0 --capture "$host"
	lacks "$(cat "$DIR/out")" "Reading"
	NO_COLOR=1 slowly check --min-coverage 0 --capture "$host"
	contains "$(cat "$DIR/out")" "Reading the capture, 1 s"
	! grep -q "$(printf '\033')" "$DIR/out"
	# No terminal, no line.
	strace -f -qq -o /dev/null -e trace=openat2 -e inject=openat2:delay_enter=2500 "$TUNEAUDIT" check --min-coverage 0 --capture "$host" \
		> "$DIR/out" 2> "$DIR/err" || true
	[ ! -s "$DIR/err" ]
}

@test "a terminal that takes nothing (Ctrl-S, a link that is down) holds nobody up" {
	traced
	host=$(fixture all-on-cpu0)
	python3 - "$TUNEAUDIT" "$host" "$DIR/out" <<'P'
import os, pty, subprocess, sys, termios
program, host, out = sys.argv[1:]
ours, theirs = pty.openpty()
termios.tcflow(theirs, termios.TCOOFF)
with open(out, "wb") as f:
    p = subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=openat2", "-e", "inject=openat2:delay_enter=3000",
                        program, "check", "--min-coverage", "0", "--capture", host],
                       stdin=subprocess.DEVNULL, stdout=f, stderr=theirs, env={**os.environ, "TERM": "xterm"}, timeout=60)
assert p.returncode == 1, p
assert os.path.getsize(out) > 1000
P
}
