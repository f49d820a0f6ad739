#!/bin/sh
# Runs a benchmark on a host that is fit for it, and keeps with its result what the result depends on:
#
#   benchmark.sh DIR COMMAND [ARGUMENT…]
#
# DIR gets check.txt (what is wrong with the host), before.json and after.json (the fingerprint), output.txt. Ends with the
# command's exit code; 1: an error of the host, so that nothing was measured; 4: the host is another one than at DIR's first
# run, or has changed under the benchmark, so that results cannot be compared.
set -eu
[ $# -ge 2 ] || { echo "usage: benchmark.sh DIR COMMAND [ARGUMENT...]" >&2; exit 2; }
dir=$1
shift
mkdir -p "$dir"

# A governor that saves power, interrupts on one CPU, a busy neighbour: not worth an hour of measuring. --fail-on warning is
# stricter.
if ! tuneaudit check --profile benchmark --fail-on error >"$dir/check.txt"; then
	cat "$dir/check.txt"
	echo "benchmark.sh: not measured: see above" >&2
	exit 1
fi

tuneaudit baseline fingerprint --format json >"$dir/before.json"
[ -f "$dir/first.json" ] || cp "$dir/before.json" "$dir/first.json"
tuneaudit baseline compare "$dir/first.json" "$dir/before.json"

code=0
"$@" >"$dir/output.txt" || code=$?

tuneaudit baseline fingerprint --format json >"$dir/after.json"
tuneaudit baseline compare "$dir/before.json" "$dir/after.json"
exit "$code"
