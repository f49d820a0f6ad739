#!/bin/sh
# One fuzz target for some seconds: run.sh PROGRAM SEEDS SECONDS. First every seed once, then new inputs, which
# are kept beside the program. What broke it is left as PROGRAM.broke-…
set -u
program=$1 seeds=$2 seconds=$3
[ -d "$seeds" ] || { echo "fuzz: $program has no seeds in $seeds"; exit 1; }
mkdir -p "$program.corpus"
if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$program.broke-" \
	-print_final_stats=1 "$program.corpus" "$seeds" >"$program.log" 2>&1; then
	tail -n 60 "$program.log"
	echo "fuzz: $program broke; the input is above as an artifact: keep it in $seeds"
	exit 1
fi
awk -v p="$program" '/number_of_executed_units/ { n = $2 } /peak_rss_mb/ { m = $2 } END { print "fuzz: " p ": " n " inputs, peak " m " MB" }' "$program.log"
