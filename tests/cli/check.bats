#!/usr/bin/env bats
# tuneaudit check: verdicts to exit codes, selection, text and JSON. The rules are the tests' own, so that what the
# program is shipped with may change.

load helper

rules() {
	mkdir -p "$DIR/rules"
	cat > "$DIR/rules/test.rules"
}

# One rule on a setting and one on listening backlog, in a profile of their own.
small_rules() {
	rules <<'R'
rule test.backlog
  title     "The accept queue takes 4096 connections"
  why       "A full queue drops connections that have finished their handshake."
  ref       "Documentation/networking/ip-sysctl.rst"
  severity  warning
  weight    6
  risk      none
  direction raise
  want      sysctl["net.core.somaxconn"] >= 4096
  fix       sysctl.set(key = "net.core.somaxconn", value = 4096)
  case pass    "large" { sysctl["net.core.somaxconn"] = 4096 }
  case fail    "small" { sysctl["net.core.somaxconn"] = 128 }
  case unknown "none"  { absent sysctl["net.core.somaxconn"] missing "no such file" }
end

rule test.files
  title     "The host may open a million files"
  why       "At the limit every service on the host fails to accept."
  ref       "Documentation/admin-guide/sysctl/fs.rst"
  severity  error
  weight    4
  risk      none
  direction raise
  want      limits.file_max >= 1000000
  case pass    "many" { limits.file_max = 1000000 }
  case fail    "few"  { limits.file_max = 65536 }
  case unknown "none" { absent limits.file_max denied "permission denied" }
end

profile mine
  title "For the tests"
  rules test.*
end
R
}

host() {
	HOST=$DIR/host
	[ -z "$1" ] || file proc/sys/net/core/somaxconn "$1"
	[ -z "$2" ] || file proc/sys/fs/file-max "$2"
	mkdir -p "$HOST/proc"
}

mine() {
	ta check --rules "$DIR/rules" --profile mine --capture "$HOST" "$@"
}

@test "all is well: 0" {
	small_rules
	host 4096 1000000
	mine
	expect 0
	contains "$output" "Score 100 of 100 (profile mine), coverage 100 %"
	[ -z "$errors" ]
}

@test "a finding: 1, in three parts" {
	small_rules
	host 128 1000000
	mine
	expect 1
	contains "$output" "Score 40 of 100"
	contains "$output" "warning test.backlog, costs 60"
	contains "$output" 'sysctl["net.core.somaxconn"] is 128, wanted >= 4096'
	contains "$output" "A full queue drops connections"
	contains "$output" "sysctl -w net.core.somaxconn=4096"
	contains "$output" "$TUNEAUDIT explain test.backlog"
}

@test "--fail-on sets from which severity on a finding counts" {
	small_rules
	host 128 1000000
	for level in info:1 warning:1 error:0 none:0; do
		mine --fail-on "${level%:*}"
		expect "${level#*:}"
	done
	mine --fail-on fatal
	expect 2
}

@test "what cannot be judged: no score, the reason, 3" {
	small_rules
	host "" ""
	mine
	expect 3
	contains "$output" "No score (profile mine), coverage 0 %"
	contains "$output" "Could not be judged (2)"
	contains "$output" "missing (2): "
	contains "$errors" "0 % of what applies could be judged, less than 50 (--min-coverage)"
	mine --min-coverage 0
	expect 0
	mine --format json
	expect 3
	valid check
	[ "$(jq .score "$DIR/out")" = null ]
}

@test "half can be judged: the limit decides between 1 and 3" {
	small_rules
	host 128 ""
	mine
	expect 1
	contains "$output" "coverage 60 %"
	mine --min-coverage 61
	expect 3
	mine --min-coverage 60
	expect 1
}

@test "--only and --skip" {
	small_rules
	host 128 65536
	mine --only test.files --format json
	expect 1
	[ "$(jq -r '.findings[].rule' "$DIR/out")" = test.files ]
	mine --skip test.files --format json
	[ "$(jq -r '.findings[].rule' "$DIR/out")" = test.backlog ]
	mine --only 'test.*' --format json
	[ "$(jq '.findings | length' "$DIR/out")" = 2 ]
	mine --only test.fils
	expect 2
	contains "$errors" "did you mean 'test.files'?"
	mine --skip nosuch.*
	expect 2
	mine --only test.files --skip test.files
	expect 2
	contains "$errors" "no rule is selected"
}

@test "only what the selected rules need is read" {
	small_rules
	host 128 65536
	mine --only test.backlog --format json
	[ "$(jq -r '.findings | length' "$DIR/out")" = 1 ]
	if command -v strace > /dev/null; then
		strace -f -e trace=openat,openat2 -o "$DIR/trace" "$TUNEAUDIT" check --rules "$DIR/rules" \
			--profile mine --only test.backlog > /dev/null || true
		grep -q somaxconn "$DIR/trace"
		if grep -q '/proc/interrupts' "$DIR/trace"; then false; fi
	fi
}

@test "a profile that is not there: 2 and the list" {
	host 128 1
	ta check --profile gatewayy --capture "$HOST"
	expect 2
	contains "$errors" "no profile 'gatewayy'; there are: "
}

@test "JSON: valid, keys in order, the same bytes twice" {
	small_rules
	host 128 65536
	mine --format json
	expect 1
	valid check
	[ "$(jq -r 'keys_unsorted | join(" ")' "$DIR/out")" = \
		"schema profile score coverage summary findings areas rules host tool baseline" ]
	[ "$(jq -r '.findings[0] | keys_unsorted | .[0:17] | join(" ")' "$DIR/out")" = \
		"rule area severity weight subject verdict reason detail until actual wanted because why refs evidence fix title" ]
	[ "$(jq -r '.summary | keys_unsorted | join(" ")' "$DIR/out")" = \
		"pass fail unknown na unsupported waived pending-reboot conflict broken" ]
	[ "$(jq -r '.findings[] | select(.rule == "test.backlog") | [.actual, .wanted, .fix.command] | join("|")' "$DIR/out")" = \
		"128|>= 4096|sysctl -w net.core.somaxconn=4096" ]
	[ "$(jq .score "$DIR/out")" = 0 ]
	cp "$DIR/out" "$DIR/first"
	mine --format json
	cmp "$DIR/out" "$DIR/first"
}

@test "-q: the score and a line per finding; -v: also what passes" {
	small_rules
	host 128 1000000
	mine -q
	expect 1
	[ "$(wc -l < "$DIR/out")" -eq 2 ]
	contains "$output" "warning test.backlog host: "
	mine -v
	contains "$output" "Passed (1)"
	contains "$output" "test.files"
}

@test "a waiver takes a finding out, until its day" {
	small_rules
	cat >> "$DIR/rules/test.rules" <<'R'
waive test.backlog because "clients come one by one" until "2027-01-31" end
R
	host 128 1000000
	printf '{"schema":"tuneaudit.capture/1","kernel":"6.1.0","arch":"x86_64","tool":"0.1.0","taken":"2026-06-01T00:00:00Z"}\n' \
		> "$HOST/capture.json"
	mine
	expect 0
	contains "$output" "Waived (1)"
	contains "$output" "until 2027-01-31: clients come one by one"
	contains "$output" "Score 100"
	mine --format json
	valid check
	[ "$(jq -r '.findings[] | select(.verdict == "waived") | [.reason, .detail, .until] | join("|")' "$DIR/out")" = \
		"waived|clients come one by one|2027-01-31" ]
	printf '{"schema":"tuneaudit.capture/1","kernel":"6.1.0","arch":"x86_64","tool":"0.1.0","taken":"2027-02-01T00:00:00Z"}\n' \
		> "$HOST/capture.json"
	mine
	expect 1
	contains "$output" "the waiver for it has ended"
}

@test "a rule file with faults: all of them on stderr, with their place, nothing judged, 2" {
	rules <<'R'
rule test.one
  title "x"
  want  sysctl["net.core.somaxcon"] >= 1
end
rule test.two
  title "y"
  want  1 +
end
R
	host 128 1
	mine
	expect 2
	contains "$errors" "test.rules:3:"
	contains "$errors" "test.rules:8:"
	contains "$errors" "did you mean"
	[ -z "$output" ]
}

@test "a rule that breaks on these facts: reported, 2" {
	rules <<'R'
rule test.zero
  title     "Never divide by what may be zero"
  why       "w"
  ref       "r"
  severity  info
  weight    1
  risk      none
  want      1000 % sysctl["net.core.somaxconn"] >= 0
  case pass    "ok"   { sysctl["net.core.somaxconn"] = 3 }
  case fail    "none" { sysctl["net.core.somaxconn"] = 3 }
  case unknown "none" { absent sysctl["net.core.somaxconn"] missing "x" }
end
profile mine title "m" rules test.* end
R
	host 0 1
	mine
	expect 2
	contains "$output" "Broken rules (1)"
	contains "$errors" "cannot be evaluated on these facts"
	mine --format json
	expect 2
	valid check
}

@test "--rules: not there, empty, too large, no regular file" {
	host 128 1
	ta check --rules "$DIR/none" --capture "$HOST"
	expect 2
	contains "$errors" "$DIR/none"
	mkdir "$DIR/empty"
	ta check --rules "$DIR/empty" --capture "$HOST"
	expect 2
	contains "$errors" "no *.rules files"
	mkdir "$DIR/big" "$DIR/fifo"
	head -c 300000 /dev/zero | tr '\0' '#' > "$DIR/big/x.rules"
	ta check --rules "$DIR/big" --capture "$HOST"
	expect 2
	contains "$errors" "larger than 256 KB"
	mkfifo "$DIR/fifo/x.rules"
	ta check --rules "$DIR/fifo" --capture "$HOST"
	expect 2
	contains "$errors" "not a regular file"
}

@test "a rule of a title and a want alone is judged, shown and explained" {
	HOST=$DIR/host
	file proc/sys/net/core/somaxconn 128
	mkdir "$DIR/bare"
	cat > "$DIR/bare/x.rules" <<'R'
rule x.bare
  title "Larger"
  want sysctl["net.core.somaxconn"] >= 4096
end
profile bare
  title "one"
  rules x.*
end
R
	for how in "" -q -v; do
		# shellcheck disable=SC2086
		ta check --rules "$DIR/bare" --profile bare --capture "$HOST" $how
		expect 1
		contains "$output" x.bare
	done
	ta check --rules "$DIR/bare" --profile bare --capture "$HOST" --format json
	expect 1
	valid check
	ta explain x.bare --rules "$DIR/bare" --capture "$HOST"
	expect 0
	ta rules list --rules "$DIR/bare"
	expect 0
	contains "$output" x.bare
}

@test "every width from 20 on: whole words, ASCII, commands in one piece" {
	small_rules
	host 128 65536
	for columns in 20 33 40 60 80 200; do
		COLUMNS=$columns mine -v
		expect 1
		is_ascii
		contains "$output" "sysctl -w net.core.somaxconn=4096"
		# Longer lines hold one word, a command, or a heading, none of which is broken.
		awk -v n="$columns" 'length($0) > n && !/sysctl -w|tuneaudit[^ ]* |, costs |net.core.somaxconn = / && NF > 2' "$DIR/out" > "$DIR/long"
		[ ! -s "$DIR/long" ] || { cat "$DIR/long"; false; }
	done
}

@test "every host of the project, by every profile: no crash, valid JSON, ASCII text" {
	ta rules list
	profiles=$(sed -n '/^Profiles:/,$s/^  \([a-z-]*\) .*/\1/p' "$DIR/out")
	contains "$profiles" base
	# shellcheck disable=SC2086 # a list
	python3 "$TREE/tests/cli/hosts.py" "$TUNEAUDIT" "$DIR" $profiles
}

@test "this machine, as it is" {
	ta check --min-coverage 0 --fail-on none
	expect 0
	contains "$output" "Score"
	contains "$output" "tuneaudit check --profile NAME"
	ta check --min-coverage 0 --fail-on none --format json
	expect 0
	valid check
}
