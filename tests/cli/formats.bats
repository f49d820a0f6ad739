#!/usr/bin/env bats
# The formats of check for other programs, each taken apart by a parser of that format; on a host whose interfaces and name
# are chosen to break out of them.

load helper

# check in one format, of a host with hostile names by the shipped rules.
as() {
	[ -d "$DIR/hostile-names" ] || {
		fixture hostile-names > /dev/null
		printf 'a"<b>&|`*]]>\033[31m\n' > "$DIR/hostile-names/proc/sys/kernel/hostname"
	}
	ta check --capture "$DIR/hostile-names" --min-coverage 0 --format "$@"
	expect 1
	[ -z "$errors" ]
	# Nothing that a terminal acts on.
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$DIR/out"
}

@test "junit: every subject is a case, what fails has its reason" {
	as junit
	python3 - "$DIR/out" <<'P'
import sys, xml.etree.ElementTree as tree
suites = tree.parse(sys.argv[1]).getroot()
cases = suites.findall("testsuite/testcase")
count = lambda kind: len(suites.findall("testsuite/testcase/" + kind))
assert suites.tag == "testsuites" and len(cases) == int(suites.get("tests")) > 100
assert count("failure") == int(suites.get("failures")) > 0
assert count("skipped") == int(suites.get("skipped")) > 0
assert sum(int(s.get("tests")) for s in suites) == len(cases)
assert len({(c.get("classname"), c.get("name")) for c in cases}) == len(cases)
assert suites[0].get("hostname").startswith('a"<b>&|`*]]>\\x1b[31m'), suites[0].get("hostname")
assert all(f.get("message") and f.text for f in suites.findall("testsuite/testcase/failure"))
P
}

@test "sarif: results refer to rules, levels are those of failures" {
	as sarif
	python3 - "$DIR/out" <<'P'
import json, sys
log = json.load(open(sys.argv[1]))
run, = log["runs"]
rules = [r["id"] for r in run["tool"]["driver"]["rules"]]
assert log["version"] == "2.1.0" and len(set(rules)) == len(rules)
for r in run["results"]:
    assert rules[r["ruleIndex"]] == r["ruleId"] and r["message"]["text"]
    assert (r["level"] == "none") == (r["kind"] != "fail")
    uri = r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.startswith("hosts/a%22%3Cb%3E%26%7C"), uri
assert any(r["kind"] == "fail" for r in run["results"])
P
}

@test "prometheus: each line is a sample or about one, no series stands twice" {
	as prometheus
	python3 - "$DIR/out" <<'P'
import re, sys
seen, typed = set(), set()
for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
    about = re.fullmatch(r"# (HELP|TYPE) (tuneaudit_[a-z_]+) .+\n", line)
    if about:
        typed.add(about[2])
        continue
    sample = re.fullmatch(r'((tuneaudit_[a-z_]+)(\{([a-z]+="([^"\\\n]|\\["\\n])*",?)+\})?) [0-9.]+\n', line)
    assert sample, line
    assert sample[2] in typed and sample[1] not in seen, line
    seen.add(sample[1])
assert any(s.startswith("tuneaudit_failing{") for s in seen)
P
}

@test "github: a command for each failing subject, errors first" {
	as github
	python3 - "$DIR/out" <<'P'
import re, sys
lines = open(sys.argv[1], encoding="utf-8", newline="\n").read().split("\n")
kinds = []
for line in lines[:-2]:
    command = re.fullmatch(r"::(error|warning|notice) title=([^:,\r]|%[0-9A-F]{2})+::.+", line)
    assert command and "%" not in re.sub("%(0A|0D|25|2C|3A)", "", line), line
    kinds.append(command[1])
assert kinds == sorted(kinds, key=["error", "warning", "notice"].index) and kinds
assert lines[-2].startswith("Score ") and lines[-1] == ""
P
}

@test "nagios: one line, one bar, and the word is that of the exit code" {
	as nagios
	[ "$(wc -l < "$DIR/out")" -eq 1 ]
	[ "$(tr -cd '|' < "$DIR/out" | wc -c)" -eq 1 ]
	contains "$output" "TUNEAUDIT WARNING - score "
	[[ $output =~ \|\ score=[0-9]+\;\;\;0\;100\ coverage=[0-9]+%\;\;\;0\;100\ errors=[0-9]+ ]]
	ta check --capture "$DIR/hostile-names" --min-coverage 0 --fail-on none --format nagios
	expect 0
	contains "$output" "TUNEAUDIT OK - "
	ta check --capture "$DIR/hostile-names" --min-coverage 100 --format nagios
	expect 3
	contains "$output" "TUNEAUDIT UNKNOWN - "
}

@test "markdown: cells stay cells, and nothing of the host is markup" {
	as markdown
	python3 - "$DIR/out" <<'P'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
rows = [l for l in text.split("\n") if l.startswith("| ")]
assert len(rows) > 2
for row in rows:
    assert len(re.findall(r"(?<!\\)\|", row)) == 6, row
plain = re.sub(r"(?s)(`+)(?!`).+?(?<!`)\1(?!`)", "", text)
assert not re.search(r"(?<!\\)<", plain), re.search(r"(?<!\\)<.*", plain)[0]
P
}
