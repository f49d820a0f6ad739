#!/usr/bin/env bats
# tuneaudit facts

load helper

@test "the facts of a small host, with units, and holes with reasons" {
	HOST=$DIR/host
	file proc/sys/net/core/somaxconn 4096
	file proc/sys/net/ipv4/tcp_rmem "4096	131072	6291456"
	ta facts sysctl --capture "$HOST"
	expect 0
	[ -z "$errors" ]
	contains "$output" 'sysctl["net.core.somaxconn"]'
	grep -q '^sysctl\["net.ipv4.tcp_rmem"\] *= 4096 131072 6291456' "$DIR/out"
	contains "$output" "Not known:"
	contains "$output" ": missing"
}

@test "an area limits what is read and shown" {
	HOST=$DIR/host
	file proc/sys/fs/file-max 9223372036854775807
	file proc/sys/net/core/somaxconn 128
	ta facts limits --capture "$HOST"
	expect 0
	contains "$output" "9223372036854775807"
	lacks "$output" "somaxconn"
	ta facts limits --format json --capture "$HOST"
	expect 0
	valid facts
	[ "$(jq -c '.facts | keys' "$DIR/out")" = '["limits"]' ]
	[ -z "$(jq -r '.absent, .incomplete | keys[] | select(startswith("limits") | not)' "$DIR/out")" ]
	[ "$(jq -r '.absent["limits.pid_max"].reason' "$DIR/out")" = missing ]
	ta facts irqbalance pressure --format json --capture "$HOST"
	expect 0
	valid facts
	[ -z "$(jq -r '.absent | keys[] | select(test("^(irqbalance|pressure)") | not)' "$DIR/out")" ]
	# The name of a probe: what it alone puts, wherever it stands.
	ta facts cputime --format json
	expect 0
	[ "$(jq -c '[.facts | paths(scalars)][0][0:2]' "$DIR/out")" = '["cpu","time"]' ]
	[ "$(jq -c '.facts.cpu | keys' "$DIR/out")" = '["time"]' ]
	ta facts limits --format json --capture "$HOST"
	contains "$output" ':9223372036854775807'
}

@test "an unknown area is refused with the list" {
	ta facts zebra
	expect 2
	contains "$errors" "sysctl"
	ta facts limts
	expect 2
	contains "$errors" "did you mean 'limits'?"
}

@test "-q leaves the holes out, -v says what each fact means" {
	HOST=$DIR/host
	file proc/sys/net/core/somaxconn 128
	ta -q facts sysctl --capture "$HOST"
	expect 0
	lacks "$output" "Not known"
	ta facts sysctl -v --capture "$HOST"
	expect 0
	contains "$output" "  # "
}

@test "a capture that is not there, or no directory, is a usage error" {
	ta facts --capture "$DIR/none"
	expect 2
	contains "$errors" "$DIR/none"
	touch "$DIR/file"
	ta facts --capture "$DIR/file"
	expect 2
}

@test "this machine: JSON as the schema has it, the same areas in text" {
	ta facts --format json
	expect 0
	valid facts
	[ "$(wc -l < "$DIR/out")" -eq 1 ]
	ta facts
	expect 0
	contains "$output" 'sysctl["vm.swappiness"]'
}

@test "as nobody: what may not be read is denied or missing, never an error" {
	[ "$(id -u)" -eq 0 ] && command -v setpriv > /dev/null || skip "needs root and setpriv"
	cp "$TUNEAUDIT" "$DIR/tuneaudit"
	status=0
	setpriv --reuid 65534 --regid 65534 --clear-groups "$DIR/tuneaudit" facts --format json \
		> "$DIR/out" 2> "$DIR/err" || status=$?
	output=$(cat "$DIR/out") errors=$(cat "$DIR/err")
	expect 0
	valid facts
}

@test "every host of the project: both forms, the same bytes twice" {
	for f in "$TREE"/fixtures/hosts/*.json; do
		name=$(basename "$f" .json)
		host=$(fixture "$name")
		ta facts --format json --capture "$host"
		expect 0
		valid facts
		cp "$DIR/out" "$DIR/first"
		ta facts --format json --capture "$host"
		cmp "$DIR/out" "$DIR/first"
		ta facts --capture "$host"
		expect 0
		# Nothing that a host says leaves ASCII, and no line has a control character.
		is_ascii
		rm -rf "$host"
	done
}
