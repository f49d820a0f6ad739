#!/usr/bin/env bats
# tuneaudit rules and explain

load helper

good_rule() {
	cat <<'R'
rule test.backlog
  title     "The accept queue takes 4096 connections"
  why       "A full queue drops connections."
  ref       "Documentation/networking/ip-sysctl.rst"
  severity  warning
  weight    6
  risk      none
  want      sysctl["net.core.somaxconn"] >= 4096
  case pass    "large" { sysctl["net.core.somaxconn"] = 4096 }
  case fail    "small" { sysctl["net.core.somaxconn"] = 128 }
  case unknown "none"  { absent sysctl["net.core.somaxconn"] missing "x" }
end
R
}

@test "rules list: every rule with severity, weight and title, then the profiles" {
	mkdir "$DIR/rules"
	{
		good_rule
		echo 'profile mine title "For the tests" rules test.* severity test.backlog error weight test.backlog 9 end'
	} > "$DIR/rules/my.rules"
	ta rules list --rules "$DIR/rules"
	expect 0
	contains "$output" "warning  6  test.backlog: The accept queue takes 4096 connections"
	contains "$output" "Profiles:"
	contains "$output" "For the tests"
	ta rules list --rules "$DIR/rules" --profile mine -q
	expect 0
	[ "$output" = "error    9  test.backlog: The accept queue takes 4096 connections" ]
}

@test "rules check: clean 0, faults 1 with their place, unreadable 2" {
	good_rule > "$DIR/good.rules"
	ta rules check "$DIR/good.rules"
	expect 0
	contains "$output" "1 rule, 3 cases: no faults"
	# A case that does not hold, and one that lacks.
	sed -e 's/= 128/= 8192/' -e '/case unknown/d' "$DIR/good.rules" > "$DIR/bad.rules"
	ta rules check "$DIR/bad.rules"
	expect 1
	contains "$output" "bad.rules:10:"
	contains "$output" "unknown"
	sed 's/somaxconn/somaxcon/' "$DIR/good.rules" > "$DIR/typo.rules"
	ta rules check "$DIR/typo.rules"
	expect 1
	contains "$output" "typo.rules:8:"
	contains "$output" "did you mean"
	ta rules check "$DIR/none.rules"
	expect 2
	ta rules check
	expect 2
	contains "$errors" "FILES"
}

@test "rules check: a rule that another of the files replaces is checked too" {
	good_rule > "$DIR/good.rules"
	sed 's/somaxconn/somaxcon/' "$DIR/good.rules" > "$DIR/typo.rules"
	ta rules check "$DIR/typo.rules" "$DIR/good.rules"
	expect 1
	contains "$output" "typo.rules:8:"
	lacks "$output" "good.rules:"
	sed 's/= 128/= 8192/' "$DIR/good.rules" > "$DIR/case.rules"
	ta rules check "$DIR/case.rules" "$DIR/good.rules"
	expect 1
	contains "$output" "case.rules:"
	contains "$output" "2 rules, 6 cases: 1 fault"
	ta rules check "$DIR/good.rules" "$DIR/case.rules"
	expect 1
	mkdir "$DIR/rules"
	cp "$DIR/typo.rules" "$DIR/rules/10.rules"
	cp "$DIR/good.rules" "$DIR/rules/20.rules"
	ta check --rules "$DIR/rules" --profile mine
	expect 2
	contains "$errors" "10.rules:8:"
}

@test "rules: names of a hundred thousand characters are refused and not told again whole" {
	long=$(printf '%0100000d' 7 | tr 0 a)
	good_rule | sed "s/test.backlog/$long/" > "$DIR/long.rules"
	ta rules check "$DIR/long.rules"
	expect 1
	contains "$output" "the id of a rule has 100000 bytes, at most 100 are taken"
	[ "$(wc -c < "$DIR/out")" -lt 2000 ]
	for word in "want $long > 1" "want  cpu.$long > 1" "severity $long" "fix $long()" "$long" "area $long" "case $long"; do
		good_rule | sed "s/^  want .*/$word/" > "$DIR/long.rules"
		ta rules check "$DIR/long.rules"
		expect 1
		[ "$(wc -c < "$DIR/out")" -lt 3000 ]
	done
	ta explain "$long"
	expect 2
	[ "$(wc -c < "$DIR/err")" -lt 1000 ]
	ta check --only "$long"
	expect 2
	[ "$(wc -c < "$DIR/err")" -lt 1000 ]
	ta facts "$long"
	expect 2
	[ "$(wc -c < "$DIR/err")" -lt 3000 ]
}

@test "rules: other words are refused" {
	ta rules
	expect 2
	ta rules chekc x
	expect 2
	contains "$errors" "did you mean 'check'?"
	ta rules list extra
	expect 2
}

@test "every rule of the program can be explained on a host, at 80 and at 20 columns" {
	ta rules list -q
	ids=$(sed -n 's/^[a-z]* *[0-9]*  \([a-z0-9._-]*\): .*/\1/p' "$DIR/out")
	[ "$(echo "$ids" | wc -l)" -ge 30 ]
	host=$(fixture single-queue)
	for id in $ids; do
		ta explain "$id" --capture "$host"
		expect 0
		is_ascii
		contains "$output" "$id"
		contains "$output" "Sources"
		COLUMNS=20 ta explain "$id" --capture "$host"
		expect 0
	done
}

@test "explain: a rule that is not there" {
	ta explain zebra.stripes
	expect 2
	ta explain
	expect 2
	contains "$errors" "explain needs RULE"
}
