#!/usr/bin/env bats
# load: percentiles against stalls that are known, and failures for want of something, by their names.

load helper
load loads

# within PATH LOW HIGH
within() {
	python3 -c 'import sys; v, low, high = map(float, sys.argv[1:]); sys.exit(not low <= v <= high)' "$(field "$1")" "$2" "$3" ||
		{ echo "$1 is $(field "$1"), not $2 to $3"; false; }
}

# A server answers nothing in the last 400 ms of each second. Of requests that are due at a steady rate 40 % fall into that, and the
# one that is due x ms before its end waits x: so a part of (400 - x) / 1000 of all waits longer than x. That is 100 ms at the
# 70th percentile, 200 at the 80th, 300 at the 90th, 350 at the 95th, 390 at the 99th, whatever the number of connections:
# what could not be sent for want of one waits, too.
@test "at a fixed rate the percentiles are those of the stalls" {
	bad stall:400
	for c in 100 4; do
		"$TUNEAUDIT" load http "$url" -d 5 --warmup 0 -c $c --rate 200 --format json > "$DIR/out.$c" 3>&- || echo $? > "$DIR/code.$c" &
		runs="$runs $!"
	done
	wait $runs
	for c in 100 4; do
		cp "$DIR/out.$c" "$DIR/out"
		# A run may end within a stall.
		[ ! -s "$DIR/code.$c" ] || [ "$(jq -c '.errors | keys' "$DIR/out")" = '["unanswered"]' ]
		within per_second/mean 180 201
		within latency_us/p50 0 60000
		within latency_us/p75 120000 220000
		within latency_us/p90 270000 390000
		within latency_us/p95 320000 440000
		within latency_us/p99 360000 500000
		within latency_us/max 380000 700000
	done
	# A closed loop asks hardly anything while the server stalls: it would report that all is well.
	ta load http "$url" -d 2 --warmup 0 -c 4 --format json
	within latency_us/p90 0 100000
}

@test "a body that ends early" {
	bad short
	ta load http "$url" -d 0.2 --warmup 0 -c 2 --format json
	expect 1
	above errors/closed 1
}

# Where the queue of a listener is full the attempt is not answered at all.
@test "an address that does not answer" {
	bad full
	ta load http "$url" -d 1 --warmup 0 -c 20 --timeout 0.3 --format json
	expect 1
	above errors/connect-timeout 1
}

@test "too few descriptors" {
	(
		ulimit -n 24
		ta load http -d 0.3 --warmup 0 -c 50 --format json
		expect 1
		above errors/no-descriptors 1
		above requests 10
		# A sanitizer wants descriptors of its own at the end.
		! grep -q __asan_init "$TUNEAUDIT" || exit 0
		for engine in epoll io_uring; do
			ulimit -n 5
			ta load http http://127.0.0.1:1/ -d 0.2 --warmup 0 -c 50 --engine $engine
			[ "$status" -eq 1 ] || [ "$status" -eq 2 ]
		done
	)
}

@test "too few ports" {
	unshare -rn true 2> /dev/null || skip "there are no namespaces here"
	status=0
	unshare -rn sh -c 'ip link set lo up && echo "20000 20009" > /proc/sys/net/ipv4/ip_local_port_range &&
		"$1" load http -d 0.3 --warmup 0 -c 50 --format json' - "$TUNEAUDIT" > "$DIR/out" 2> "$DIR/err" || status=$?
	output=$(cat "$DIR/out" "$DIR/err")
	expect 1
	above errors/no-local-ports 1
	above requests 10
}

# A step of the wall clock moves nothing: no part of a load run reads it.
@test "no clock that can be set is read" {
	cd "$TREE"
	! grep -rnE 'CLOCK_REALTIME|gettimeofday|[^_a-z]time\((NULL|0|&)' src/load
}

# The wall clock goes an hour forth and two back with each look at it, at both ends. That it does is seen by date(1).
@test "steps of the clock change nothing" {
	command -v cc > /dev/null || skip "no compiler here"
	! grep -q __asan_init "$TUNEAUDIT" || skip "a sanitizer is loaded first"
	cat > "$DIR/steps.c" <<- 'C'
		#define _GNU_SOURCE
		#include <sys/syscall.h>
		#include <sys/time.h>
		#include <time.h>
		#include <unistd.h>

		static long step(void)
		{
			static long n;

			return n++ % 2 ? 3600 : -7200;
		}

		int clock_gettime(clockid_t clock, struct timespec *t)
		{
			int rc = (int)syscall(SYS_clock_gettime, clock, t);

			if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)
				t->tv_sec += step();
			return rc;
		}

		int gettimeofday(struct timeval *t, void *zone)
		{
			struct timespec now;

			clock_gettime(CLOCK_REALTIME, &now);
			*t = (struct timeval){now.tv_sec, now.tv_nsec / 1000};
			return 0;
		}

		time_t time(time_t *ret)
		{
			struct timespec now;

			clock_gettime(CLOCK_REALTIME, &now);
			return ret ? *ret = now.tv_sec : now.tv_sec;
		}
	C
	cc -shared -fPIC -o "$DIR/steps.so" "$DIR/steps.c"
	[ $(($(date +%s) - $(LD_PRELOAD=$DIR/steps.so date +%s))) -gt 3000 ] || skip "programs here do not take it"
	export LD_PRELOAD=$DIR/steps.so
	"$TUNEAUDIT" load serve --listen 127.0.0.1 > "$DIR/peer" 3>&- &
	pid=$!
	while [ ! -s "$DIR/peer" ] && kill -0 $pid; do sleep 0.05; done
	for workload in http stream hold; do
		begin=$SECONDS
		ta load $workload "$(cat "$DIR/peer")" -d 0.5 --warmup 0.1 -c 4 --format json
		expect 0
		[ $((SECONDS - begin)) -lt 20 ]
		within duration_s 0 5
		[ "$(field errors)" = '{}' ]
	done
	unset LD_PRELOAD
	kill $pid
	wait $pid || true
}
