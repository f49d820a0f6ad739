#!/usr/bin/env bats
# Command lines: what is accepted, refused, suggested.

load helper

@test "no arguments: says what to do first, and that this is no use of it" {
	ta
	expect 2
	contains "$output" "sudo $TUNEAUDIT check"
	contains "$output" "$TUNEAUDIT help"
	# Short: not the list of all.
	[ "$(wc -l < "$DIR/out")" -lt 24 ]
	ta help
	expect 0
	contains "$output" "Commands:"
	lacks "$output" "complete"
}

@test "--version, before and after a command" {
	ta --version
	expect 0
	[[ $output =~ ^tuneaudit\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	ta facts --version
	expect 0
	[[ $output =~ ^tuneaudit ]]
}

@test "--help lists every command, and every command has help with options, codes and an example" {
	ta --help
	expect 0
	commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$DIR/out")
	[ -n "$commands" ]
	for c in $commands; do
		ta "$c" --help
		expect 0
		contains "$output" "usage: tuneaudit $c"
		contains "$output" "Options:"
		contains "$output" "Exit codes:"
		contains "$output" "Examples:"
		[ -z "$errors" ]
	done
}

@test "help COMMAND is COMMAND --help" {
	ta check --help
	cp "$DIR/out" "$DIR/first"
	ta help check
	expect 0
	cmp "$DIR/out" "$DIR/first"
	ta help nosuch
	expect 2
}

@test "help stays within the width, but for commands that are to be copied" {
	for columns in 40 60 80 120; do
		export COLUMNS=$columns
		for c in "" facts; do
			# shellcheck disable=SC2086
			ta $c --help
			expect 0
			while read -r line; do
				case $line in usage:* | *"tuneaudit "*) continue ;; esac
				[ ${#line} -le "$columns" ] || { echo "$line"; return 1; }
			done < "$DIR/out"
		done
	done
}

@test "an unknown command is refused, a near one suggested" {
	ta fact
	expect 2
	contains "$errors" "did you mean 'facts'?"
	[ -z "$output" ]
	ta zebra
	expect 2
	contains "$errors" "no command 'zebra'"
}

@test "what the program starts by itself is not listed, and explains itself" {
	ta --help
	contains "$output" "confirm"
	lacks "$output" "supervise"
	ta supervise --help
	expect 0
	contains "$output" "usage: tuneaudit supervise"
	ta supervise
	expect 2
	for m in 1 1:2 x:y 99999999999:5 5: :5; do
		ta supervise 1 --maker "$m" --state "$DIR/none"
		expect 2
		[ -n "$errors" ]
	done
}

@test "commands of other versions are refused by name" {
	for c in lint; do
		ta "$c" --whatever
		expect 2
		contains "$errors" "not in this version"
		[ -z "$output" ]
	done
}

@test "an unknown option is refused, a near one suggested, none abbreviated" {
	ta facts --captur x
	expect 2
	contains "$errors" "did you mean '--capture'?"
	contains "$errors" "tuneaudit facts --help"
	ta facts --form=json
	expect 2
	ta --zebra
	expect 2
}

@test "a value that is no choice is refused with the choices" {
	ta facts --format xml
	expect 2
	contains "$errors" "text, json"
	ta facts --format jsn
	expect 2
	contains "$errors" "did you mean 'json'?"
}

@test "an option without its value is refused" {
	ta facts --capture
	expect 2
	contains "$errors" "--capture needs DIR"
	ta facts --capture=
	expect 2
}

@test "what was typed cannot reach the terminal as control characters" {
	ta "$(printf 'fa\033[31mcts')"
	expect 2
	contains "$errors" '\x1b[31m'
	ta facts "$(printf 'x\ry\nz')"
	expect 2
	lacks "$errors" "$(printf '\r')"
}
