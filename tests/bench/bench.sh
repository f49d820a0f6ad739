#!/bin/sh
# bench.sh BUILD ROUNDS MARGIN: `tuneaudit check` against its floor and against `sysctl -a`, in turns, while at least
# 200 processes run. Fails when a limit of docs/benchmarks.md, times MARGIN, is passed.
set -eu
build=$1 rounds=$2 margin=$3
here=$(dirname "$0")
out=$build/bench
check=$build/tuneaudit

for tool in strace python3 sysctl; do
	command -v $tool >/dev/null || { echo "skip: $tool is not installed (./quickstart dev)"; exit 77; }
done
# One run inside the crowd is recorded, so that the floor asks about the same processes.
if [ "${BENCH_CROWD-}" != 1 ]; then
	running=$(find /proc -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l)
	crowd=$((${PROCESSES:-220} > running ? ${PROCESSES:-220} - running : 1))
	BENCH_CROWD=1 exec "$out/bench" crowd $crowd sh "$0" "$build" "$rounds" "$margin"
fi

rm -f "$out"/trace.*
strace -ff -X raw -xx -s 65536 -e write=all -o "$out/trace" "$check" check >/dev/null 2>&1 || [ $? = 1 ]
first=$(find "$out" -name 'trace.*' | sed 's/.*\.//' | sort -n | head -n 1)
python3 "$here/record.py" "$out/trace" "$first" >"$out/ops.c"
# With the libraries of check, since loading them is a part of what was recorded.
# shellcheck disable=SC2046 # words
${CC:-cc} -O2 -g -D_GNU_SOURCE -I"$here" -o "$out/floor" "$here/floor.c" "$out/ops.c" \
	-Wl,--no-as-needed $(pkg-config --libs libnl-3.0 libnl-genl-3.0 libmnl json-c) -lm

"$out/bench" compare "$rounds" check "$check" check -- floor "$out/floor" -- sysctl sysctl -a | tee "$out/result"
echo "processes: $(find /proc -maxdepth 1 -name '[0-9]*' 2>/dev/null | wc -l), rounds: $rounds, kernel: $(uname -r)"
awk -v margin="$margin" '
	$1 == "check" { peak = $6 }
	$1 == "floor" { floor = $7 }
	$1 == "sysctl" { sysctl = $7 }
	function limit(what, value, most, unit) {
		printf "%-28s %6.2f %s, at most %.1f: %s\n", what, value, unit, most, value <= most ? "ok" : "TOO MUCH"
		if (value > most * margin)
			failed = 1
	}
	END {
		limit("check / floor", floor, 1.5, "times")
		limit("check / sysctl -a", sysctl, 0.5, "times")
		limit("peak memory of check", peak / 1024, 12, "MB")
		exit failed
	}' "$out/result"
