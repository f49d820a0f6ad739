#!/usr/bin/env bats
# load serve: each service under slow clients, floods and garbage.

load helper
load loads

teardown() {
	for p in $pids; do kill -KILL "$p" 2> /dev/null || true; done
	rm -rf --one-file-system "$DIR"
}

# rude SERVICE MEMORY_KB: while clients without manners are at it a run is answered (not where they may take all places: `file`), afterwards
# nothing of them is left, and it never took more memory than that.
rude() {
	rm -f "$DIR/serve" "$DIR/ready" "$DIR/life"
	"$TUNEAUDIT" load serve "$1" --dir /var/tmp > "$DIR/serve" 3>&- &
	pid=$!
	pids="$pids $pid"
	while [ ! -s "$DIR/serve" ] && kill -0 $pid; do sleep 0.02; done
	url=$(cat "$DIR/serve")
	port=$(echo "$url" | sed 's,.*:,,; s,/,,')
	fds=$(count_descriptors)
	mkfifo "$DIR/life"
	python3 "$TREE/tests/cli/rude.py" "$1" "$port" < "$DIR/life" > "$DIR/ready" 3>&- &
	rude=$!
	pids="$pids $rude"
	exec 7> "$DIR/life"
	while [ ! -s "$DIR/ready" ] && kill -0 $rude; do sleep 0.02; done
	if [ "$1" != file ]; then
		ta load "$1" "$url" -d 0.5 --warmup 0 -c 4 --timeout 5 --format json
		expect 0
	fi
	exec 7>&-
	wait $rude
	ta load "$1" "$([ "$1" = file ] && echo "${url}counts" || echo "$url")" -d 0.3 --warmup 0 -c 4 --timeout 5 --format json
	expect 0
	for p in $pid $(pgrep -P $pid || true); do
		! grep -q __asan_init "$TUNEAUDIT" || break # a sanitizer keeps what is freed
		[ "$(awk '/VmHWM/ {print $2}' "/proc/$p/status")" -lt "$2" ] || { grep VmHWM "/proc/$p/status"; false; }
	done
	for _ in $(seq 100); do
		[ "$(count_descriptors)" -le "$fds" ] && break
		sleep 0.05
	done
	[ "$(count_descriptors)" -le "$fds" ] || { ls -l "/proc/$pid/fd"; false; }
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ $status -eq 143 ]
}

# Of the server and its processes.
count_descriptors() {
	n=0
	for p in $pid $(pgrep -P $pid || true); do
		n=$((n + $(find "/proc/$p/fd" -mindepth 1 2> /dev/null | wc -l)))
	done
	echo $n
}

@test "http under slow clients, floods and garbage" {
	rude http 40000
}

@test "kv under slow clients, floods and garbage" {
	rude kv 60000
}

@test "stream under slow clients, floods and garbage" {
	rude stream 60000
}

@test "connect under slow clients, floods and garbage" {
	rude connect 40000
}

@test "hold under slow clients, floods and garbage" {
	rude hold 40000
}

@test "file under slow clients, floods and garbage" {
	rude file 60000
}

# What a server sends cannot fill the memory of a client: heads, bodies and values without end.
@test "a client's memory has an end, whatever a server sends" {
	bad endless,extra,garbage
	for n in 1 2 3; do
		limited http "$(bad_url $n)"
	done
	exec 7>&-
	rm -f "$DIR/hold" "$DIR/port"
	bad endless kv
	limited kv "$url" --set 0
}

limited() {
	python3 - "$TUNEAUDIT" load "$@" -d 0.5 --warmup 0 -c 4 -t 1 --timeout 1 <<- 'PYTHON'
		import resource, subprocess, sys
		code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode
		most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
		assert code == 1 and most < 60000, (code, most)
	PYTHON
}
