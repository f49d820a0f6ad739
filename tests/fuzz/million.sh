#!/bin/sh
# One fuzz target until it has executed GOAL inputs: million.sh PROGRAM SEEDS GOAL. How many it has is kept in
# PROGRAM.executions after each piece of a minute, so that a run that is stopped goes on where it was; inputs that a
# later piece only reads again are not counted. A program that was built anew begins at 0.
set -u
program=$1 seeds=$2 goal=$3
count=$program.executions
[ -d "$seeds" ] || { echo "fuzz: $program has no seeds in $seeds"; exit 1; }
mkdir -p "$program.corpus"
[ -n "$(find "$count" -newer "$program" 2>/dev/null)" ] || echo 0 >"$count"
done=$(cat "$count")
while [ "$done" -lt "$goal" ]; do
	kept=$(find "$program.corpus" "$seeds" -type f | wc -l)
	if ! "$program" -runs=$((goal - done + kept + 1)) -max_total_time=60 -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix="$program.broke-" -print_final_stats=1 "$program.corpus" "$seeds" >"$program.log" 2>&1; then
		tail -n 60 "$program.log"
		echo "fuzz: $program broke after $done inputs; the input is above as an artifact: keep it in $seeds"
		exit 1
	fi
	# "#12	INITED …": so many of the executed ones were there before.
	more=$(awk -v first="$done" '$2 == "INITED" { loaded = substr($1, 2) } /number_of_executed_units/ { n = $2 }
		END { print n - (first ? loaded : 0) }' "$program.log")
	[ "$more" -gt 0 ] || { tail -n 20 "$program.log"; echo "fuzz: $program executes nothing new in a minute"; exit 1; }
	done=$((done + more))
	echo "$done" >"$count"
done
echo "fuzz: $program: $done inputs"
