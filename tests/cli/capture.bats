#!/usr/bin/env bats
# tuneaudit capture

load helper

@test "a capture is whole, private, and read back to the same facts every time" {
	ta capture "$DIR/cap"
	expect 0
	contains "$output" "$TUNEAUDIT check --capture $DIR/cap"
	python3 "$TREE/tests/cli/schema.py" "$TREE/docs/schemas/capture.schema.json" < "$DIR/cap/capture.json"
	[ -z "$(find "$DIR/cap" -perm /077)" ]
	[ "$(ls "$DIR")" = "$(printf 'cap\nerr\nout')" ]
	ta facts --format json --capture "$DIR/cap"
	expect 0
	valid facts
	cp "$DIR/out" "$DIR/first"
	ta facts --format json --capture "$DIR/cap"
	cmp "$DIR/out" "$DIR/first"
}

@test "the directory must be new or empty" {
	mkdir "$DIR/empty" "$DIR/full"
	touch "$DIR/full/x"
	ta capture "$DIR/empty" -q
	expect 0
	[ -z "$output" ]
	ta capture "$DIR/full"
	expect 2
	contains "$errors" "$DIR/full"
	[ "$(ls -A "$DIR/full")" = x ]
	ta capture "$DIR/no/such/place"
	expect 2
	ta capture
	expect 2
	contains "$errors" "capture needs DIR"
}

@test "an interrupted capture leaves nothing" {
	# The signal is pending when the program starts: no race.
	for name in SIGINT SIGTERM SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGALRM SIGVTALRM SIGPROF SIGXCPU SIGPOLL SIGPWR SIGRTMIN SIGRTMAX; do
		status=0
		python3 - "$TUNEAUDIT" "$DIR/cap" $name 2> "$DIR/err" <<'P' || status=$?
import os, signal, sys
number = getattr(signal, sys.argv[3])
signal.pthread_sigmask(signal.SIG_BLOCK, {number})
os.kill(os.getpid(), number)
os.execv(sys.argv[1], [sys.argv[1], "capture", sys.argv[2]])
P
		[ "$status" -eq 70 ]
		contains "$(cat "$DIR/err")" "no capture was written"
		[ "$(ls -A "$DIR")" = err ]
	done
}

@test "what a killed capture left is taken away by the next to the same place, and nothing else is" {
	sh -c 'exit 0' & gone=$!
	wait $gone
	mkdir -m 700 "$DIR/.cap.part-$gone-0" "$DIR/.cap.part-$$-0" "$DIR/.other.part-$gone-0" "$DIR/.cap.part-x"
	mkdir -m 755 "$DIR/.cap.part-$gone-2"
	mkdir "$DIR/.cap.part-$gone-0/proc"
	touch "$DIR/.cap.part-$gone-0/proc/stat"
	ln -s "$DIR/.cap.part-x" "$DIR/.cap.part-$gone-1"
	ta capture "$DIR/cap" -q
	expect 0
	[ ! -e "$DIR/.cap.part-$gone-0" ]
	[ -d "$DIR/.cap.part-$$-0" ]
	[ -d "$DIR/.cap.part-$gone-2" ]
	[ -L "$DIR/.cap.part-$gone-1" ]
	[ -d "$DIR/.other.part-$gone-0" ]
	[ -d "$DIR/.cap.part-x" ]
	# One that is being written, though its number is of another PID namespace.
	mkdir -m 700 "$DIR/.held.part-$gone-0"
	flock "$DIR/.held.part-$gone-0" "$TUNEAUDIT" capture "$DIR/held" -q
	[ -d "$DIR/.held.part-$gone-0" ]
	rm -r "$DIR/held"
	"$TUNEAUDIT" capture "$DIR/held" -q
	[ ! -e "$DIR/.held.part-$gone-0" ]
}

@test "a full disk: said, 70, nothing left" {
	[ "$(id -u)" -eq 0 ] && unshare -m true 2> /dev/null || skip "needs root and a mount namespace"
	mkdir "$DIR/small"
	unshare -m sh -c '
		mount -t tmpfs -o size=64k none "$2/small" || exit 99
		"$1" capture "$2/small/cap" 2> "$2/err"
		echo $? > "$2/code"
		ls -A "$2/small" > "$2/left"
	' sh "$TUNEAUDIT" "$DIR"
	[ "$(cat "$DIR/code")" -eq 70 ]
	contains "$(cat "$DIR/err")" "No space left"
	[ ! -s "$DIR/left" ]
}

@test "a limit of file size or of descriptors is a full disk too: nothing left" {
	mkdir "$DIR/in"
	for limit in "-f 0" "-f 8" "-n 5" "-n 6" "-n 7" "-n 8" "-n 9" "-n 10" "-n 11" "-n 12"; do
		status=0
		# shellcheck disable=SC2086
		(ulimit $limit && exec "$TUNEAUDIT" capture "$DIR/in/cap") > /dev/null 2>&1 3>&- 4>&- || status=$?
		case $status in
		0) rm -r "$DIR/in/cap" ;;
		2 | 70) ;;
		127) continue ;; # the linker had too few for the libraries
		*) expect 70 ;;
		esac
		[ -z "$(ls -A "$DIR/in")" ] || { echo "ulimit $limit left: $(ls -A "$DIR/in")"; return 1; }
	done
}

@test "a directory with a name that needs quoting is quoted in what is to be typed" {
	ta capture "$DIR/a b'c"
	expect 0
	contains "$output" "'$DIR/a b'\\''c'"
}
