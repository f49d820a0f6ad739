#!/usr/bin/env bats
# Baselines: what a host was, what moved since, and files that somebody broke.

load helper

# A host with sysctls, interfaces and a line that sets one of them: $HOST.
server() {
	HOST=$DIR/server
	fixture device-c5-4xlarge > /dev/null
	mv "$DIR/device-c5-4xlarge" "$HOST"
	file proc/sys/net/core/somaxconn 4096
	file proc/sys/net/ipv4/tcp_slow_start_after_idle 0
	file proc/sys/kernel/hostname web1
	file proc/sys/kernel/osrelease 6.1.0-13-amd64
	file proc/sys/kernel/version '#1 SMP Debian 6.1.55-1'
	file etc/sysctl.d/90-web.conf 'net.core.somaxconn = 4096'
}

save() {
	ta baseline save "$DIR/then" --capture "$HOST"
	expect 0
}

since() {
	ta baseline diff "$DIR/then" --capture "$HOST" "$@"
}

# field PATH KEY: of the drift in $DIR/out.
field() {
	python3 -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(*[e[sys.argv[3]] for e in d["drift"] if e["path"] == sys.argv[2]])' "$DIR/out" "$1" "$2"
}

@test "two saves are the same bytes, sorted, one fact a line, and nothing has moved" {
	server
	save
	ta baseline save - --capture "$HOST"
	expect 0
	cmp "$DIR/out" "$DIR/then"
	valid baseline
	python3 - "$DIR/then" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
lines = open(sys.argv[1]).read().split('"facts":{')[1].split("\n},")[0].split("\n")
for path in d["facts"]:
    assert sum(line.startswith(json.dumps(path) + ":") for line in lines) == 1, path
assert len(d["facts"]) > 40 and d["facts"]['sysctl["net.core.somaxconn"]'] == 4096
assert d["host"] == "web1" and d["profile"] == "base" and d["tool"]
moving = [p for p in d["facts"] if p.startswith(("counters.", "pressure.", "host.time", "memory.free")) or "cur_khz" in p or p.endswith((".threads", ".pids", ".running_khz"))]
assert not moving, moving
assert not [p for p in d["facts"] if p.split(".")[0] == "processes" and p.split(".")[1].isdigit()]
P
	since
	expect 0
	contains "$output" "nothing moved"
}

@test "every host of the fixtures saves twice the same, and has not moved" {
	for f in "$TREE"/fixtures/hosts/*.json; do
		python3 "$TREE/fixtures/generate.py" "$f" "$DIR/one" > /dev/null
		ta baseline save "$DIR/a" --capture "$DIR/one"
		expect 0
		ta baseline save "$DIR/b" --capture "$DIR/one"
		cmp "$DIR/a" "$DIR/b"
		ta baseline diff "$DIR/a" --capture "$DIR/one" --format json
		expect 0
		rm -rf "$DIR/one"
	done
}

@test "a setting that moved: what, who, and whether it matters" {
	server
	save
	file proc/sys/net/core/somaxconn 128
	since
	expect 4
	contains "$output" 'sysctl["net.core.somaxconn"]: 4096 -> 128'
	contains "$output" "90-web.conf:1 sets 4096"
	contains "$output" "net.somaxconn (warning) fails now; then: pass"
	is_ascii
	since --format json
	expect 4
	valid drift
	[ "$(field 'sysctl["net.core.somaxconn"]' kind)" = setting ]
	[ "$(field 'sysctl["net.core.somaxconn"]' rule)" = net.somaxconn ]
	[ "$(field 'sysctl["net.core.somaxconn"]' severity)" = warning ]
	[ "$(field 'sysctl["net.core.somaxconn"]' was)" = 4096 ]
	[ "$(field 'sysctl["net.core.somaxconn"]' is)" = 128 ]
	since --ignore setting
	expect 0
	since --ignore 'sysctl["net.core.somaxconn"]'
	expect 0
	since --ignore hardware,nics.*.mtu
	expect 4
}

@test "a line that is new in a file is told with its place, one that only moved down is not" {
	server
	save
	file etc/sysctl.d/90-web.conf '# a comment
net.core.somaxconn = 4096'
	since
	expect 0
	file etc/sysctl.d/99-new.conf 'net.ipv4.tcp_slow_start_after_idle = 1'
	since --format json
	expect 4
	contains "$(field 'settings["net.ipv4.tcp_slow_start_after_idle"].value' by)" 99-new.conf:1
}

@test "another kernel explains what nothing sets, and not what somebody wrote" {
	server
	rm "$HOST/etc/sysctl.d/90-web.conf"
	file proc/sys/net/ipv4/tcp_rmem '4096 131072 6291456'
	save
	file proc/sys/kernel/osrelease 6.16.3-amd64
	file proc/sys/net/ipv4/tcp_rmem '4096 131072 33554432'
	since --format json
	expect 4
	[ "$(field kernel.release kind)" = kernel ]
	[ "$(field 'sysctl["net.ipv4.tcp_rmem"]' kind)" = kernel ]
	contains "$(field 'sysctl["net.ipv4.tcp_rmem"]' by)" "default of this kernel"
	contains "$(field 'sysctl["net.ipv4.tcp_rmem"]' note)" "32 MiB"
	file etc/sysctl.d/50.conf 'net.ipv4.tcp_rmem = 4096 131072 33554432'
	since --format json
	[ "$(field 'sysctl["net.ipv4.tcp_rmem"]' kind)" = setting ]
	since --ignore kernel,setting
	expect 0
}

@test "hardware: memory within its tolerance is the same, beyond it is not" {
	server
	total=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' "$HOST/proc/meminfo")
	save
	sed -i "s/^MemTotal: .*/MemTotal: $((total - total / 200)) kB/" "$HOST/proc/meminfo"
	since
	expect 0
	sed -i "s/^MemTotal: .*/MemTotal: $((total / 2)) kB/" "$HOST/proc/meminfo"
	since --format json
	expect 4
	[ "$(field memory.total_bytes kind)" = hardware ]
}

@test "what cannot be read now is said, and is no drift" {
	server
	save
	sed 's/^"sysctl\[\\"net.core.somaxconn\\"\]":4096,$//' "$DIR/then" | sed 's/^"absent":{$/"absent":{\n"sysctl[\\"net.core.somaxconn\\"]":"denied",/' > "$DIR/blind"
	ta baseline diff "$DIR/then" "$DIR/blind"
	expect 0
	contains "$output" 'sysctl["net.core.somaxconn"] now: denied (it was 4096)'
	ta baseline diff "$DIR/blind" --capture "$HOST"
	expect 0
	contains "$output" 'sysctl["net.core.somaxconn"] then: denied'
}

@test "another tool, other rules, another host" {
	server
	save
	sed 's/^"tool":.*/"tool":"9.9",/; s/^"rules":.*/"rules":"0",/; s/^"host":.*/"host":"web2",/' "$DIR/then" > "$DIR/other"
	ta baseline diff "$DIR/other" --capture "$HOST" --format json
	expect 4
	[ "$(field tool kind)" = tool ]
	[ "$(field rules kind)" = tool ]
	contains "$output" "of host web2, and this is web1"
	sed 's/^"facts":{$/"facts":{\n"a_fact.of_old":1,/' "$DIR/then" > "$DIR/other"
	ta baseline diff "$DIR/other" --capture "$HOST" --format json
	[ "$(field a_fact.of_old kind)" = tool ]
	ta baseline diff "$DIR/other" --capture "$HOST" --ignore tool
	expect 0
}

@test "check --baseline: 4 before 1, and after 2 and 3" {
	server
	save
	ta check --capture "$HOST" --min-coverage 0 --baseline "$DIR/then"
	expect 1
	contains "$output" "Drift from the baseline: nothing moved"
	file proc/sys/net/core/somaxconn 128
	ta check --capture "$HOST" --min-coverage 0 --baseline "$DIR/then"
	expect 4
	contains "$output" 'sysctl["net.core.somaxconn"]: 4096 -> 128'
	ta check --capture "$HOST" --min-coverage 100 --baseline "$DIR/then"
	expect 3
	ta check --capture "$HOST" --min-coverage 0 --fail-on none --ignore setting --baseline "$DIR/then"
	expect 0
	ta check --capture "$HOST" --baseline "$DIR/not-there"
	expect 2
	ta check --capture "$HOST" --ignore setting
	expect 2
	contains "$errors" "--baseline"
}

@test "every format tells what moved" {
	server
	save
	file proc/sys/net/core/somaxconn 128
	as() {
		ta check --capture "$HOST" --min-coverage 0 --baseline "$DIR/then" --format "$1"
		expect 4
		[ -z "$errors" ]
	}
	as json
	valid check
	[ "$(jq -r '.baseline.drift[0].path' "$DIR/out")" = 'sysctl["net.core.somaxconn"]' ]
	[ "$(jq -r '.baseline.drift[0].verdict.is' "$DIR/out")" = fail ]
	as junit
	python3 - "$DIR/out" <<'P'
import sys, xml.etree.ElementTree as tree
suites = tree.parse(sys.argv[1]).getroot()
assert [s.get("failures") for s in suites if s.get("name") == "drift"] == ["1"]
assert int(suites.get("failures")) == len(suites.findall(".//failure"))
P
	as sarif
	[ "$(jq -r '.runs[0] | .tool.driver.rules[.results[-1].ruleIndex].id' "$DIR/out")" = drift.setting ]
	[ "$(jq -r '.runs[0].results[-1].level' "$DIR/out")" = warning ]
	as prometheus
	contains "$output" 'tuneaudit_drift{kind="setting"} 1'
	contains "$output" 'tuneaudit_drifted{path="sysctl[\"net.core.somaxconn\"]",kind="setting",rule="net.somaxconn"} 1'
	as github
	contains "$output" '::warning title=drift (setting)::sysctl["net.core.somaxconn"] was 4096, is 128'
	as markdown
	contains "$output" '| setting | `sysctl["net.core.somaxconn"]` | `4096` | `128` |'
	as nagios
	contains "$output" "TUNEAUDIT WARNING"
	contains "$output" "drift of 1: "
	contains "$output" " drift=1;;;0"
	as html
	ta check --capture "$HOST" --min-coverage 0 --format json
	[ "$(jq -r '.baseline' "$DIR/out")" = null ]
}

@test "files that are no baseline, or no longer one: 2, and why" {
	server
	save
	for f in /dev/null "$DIR" "$TREE/README.md"; do
		ta baseline diff "$f" --capture "$HOST"
		expect 2
		[ -n "$errors" ]
		[ -z "$output" ]
	done
	head -c 5000 "$DIR/then" > "$DIR/cut"
	ta baseline diff "$DIR/cut" --capture "$HOST"
	expect 2
	contains "$errors" "ends too early"
	sed 's|^"schema":.*|"schema":"tuneaudit.baseline/2",|' "$DIR/then" > "$DIR/newer"
	ta baseline diff "$DIR/newer" --capture "$HOST"
	expect 2
	contains "$errors" "tuneaudit.baseline/2"
	sed 's|^"sysctl\[\\"net.core.somaxconn\\"\]":4096,$|&\n"sysctl[\\"net.core.somaxconn\\"]":128,|' "$DIR/then" > "$DIR/merged"
	ta baseline diff "$DIR/merged" --capture "$HOST"
	expect 2
	contains "$errors" "a key stands twice"
	for bad in 'null' '{"a":1}' '[[1]]' '99999999999999999999'; do
		sed "s|^\"sysctl\[..net.core.somaxconn..\]\":4096,\$|\"numa_nodes\":$bad,|" "$DIR/then" | sed '/^"numa_nodes":1,$/d' > "$DIR/bad"
		ta baseline diff "$DIR/bad" --capture "$HOST"
		expect 2
		[ -n "$errors" ]
	done
	python3 -c 'print("[" * 100000)' > "$DIR/deep"
	ta baseline diff "$DIR/deep" --capture "$HOST"
	expect 2
	truncate -s 20M "$DIR/huge"
	ta baseline diff "$DIR/huge" --capture "$HOST"
	expect 2
	contains "$errors" "larger than"
}

@test "hostile values of a file reach no terminal as they are" {
	server
	save
	python3 - "$DIR/then" "$DIR/evil" <<'P'
import json, sys
d = json.load(open(sys.argv[1]))
d["host"] = "\x1b[31mred\n"
d["facts"]["cpu.model"] = "x" * 1000000 + "\x1b]0;t\x07"
d["facts"]['nics["\u202eevil"].mtu'] = 2**63 - 1
d["facts"]["kernel.release"] = "<b>&\"'\n\x00"
d["facts"]["memory.total_bytes"] = -2**63
json.dump(d, open(sys.argv[2], "w"))
P
	for f in text json; do
		ta baseline diff "$DIR/evil" --capture "$HOST" --format $f
		expect 4
		! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$DIR/out"
	done
	valid drift
	ta baseline diff "$DIR/evil" --capture "$HOST"
	is_ascii
	[ "$(wc -c < "$DIR/out")" -lt 20000 ]
	contains "$output" -9223372036854775808
}

@test "a place that cannot be written: 70, and what was there is there still" {
	server
	save
	cp "$DIR/then" "$DIR/copy"
	ta baseline save /dev/full --capture "$HOST"
	expect 70
	contains "$errors" "No space left"
	ta baseline save "$DIR/no/such/dir" --capture "$HOST"
	expect 70
	ta baseline save "$DIR" --capture "$HOST"
	expect 70
	(ulimit -f 4 && ta baseline save "$DIR/then" --capture "$HOST" && expect 70)
	cmp "$DIR/then" "$DIR/copy"
	[ -z "$(find "$DIR" -maxdepth 1 -name '.*part*')" ]
	ln -s then "$DIR/link"
	chmod 640 "$DIR/then"
	ta baseline save "$DIR/link" --capture "$HOST"
	expect 0
	[ -L "$DIR/link" ]
	[ "$(stat -c %a "$DIR/then")" = 640 ]
	ta baseline save - --capture "$HOST"
	cmp "$DIR/out" "$DIR/copy"
}

@test "a full disk leaves no half file" {
	server
	unshare -rm true 2> /dev/null || skip "no user namespaces"
	mkdir "$DIR/small"
	unshare -rm sh -c "mount -t tmpfs -o size=16k none '$DIR/small' && '$TUNEAUDIT' baseline save '$DIR/small/b' --capture '$HOST'; echo \$? > '$DIR/rc'; ls -A '$DIR/small' > '$DIR/left'" 2> "$DIR/err"
	[ "$(cat "$DIR/rc")" = 70 ]
	[ ! -s "$DIR/left" ]
	grep -q "No space left" "$DIR/err"
}

@test "fingerprint and compare: the same machine, and another one" {
	server
	ta baseline fingerprint --capture "$HOST"
	expect 0
	is_ascii
	contains "$output" "machine     "
	contains "$output" "net.core.somaxconn 4096"
	[ "$(awk '{ if (length($0) > 80) n++ } END { print n + 0 }' "$DIR/out")" = 0 ]
	ta baseline fingerprint --capture "$HOST" --format json
	valid fingerprint
	cp "$DIR/out" "$DIR/one"
	save
	ta baseline compare "$DIR/one" "$DIR/then"
	expect 0
	file proc/sys/net/core/somaxconn 128
	file proc/sys/kernel/osrelease 6.16.3-amd64
	ta baseline fingerprint --capture "$HOST" --format json
	cp "$DIR/out" "$DIR/two"
	ta baseline compare "$DIR/one" "$DIR/two"
	expect 4
	contains "$output" "These two results are not comparable, because"
	contains "$output" "kernel: 6.1.0-13-amd64 against 6.16.3-amd64"
	contains "$output" "net.core.somaxconn: 4096 against 128"
	ta baseline compare "$DIR/one" "$DIR/two" --format json
	expect 4
	valid compare
	ta baseline compare "$DIR/one" /dev/null
	expect 2
}

@test "usage: a verb that is none, files that are too many, options of other verbs" {
	for words in "safe x" "" "save" "save a b" "diff" "diff a b c" "fingerprint x" "compare a" "save x --format json" \
		"save x --ignore tool" "compare a b --profile base" "diff a b --capture c"; do
		# shellcheck disable=SC2086
		ta baseline $words
		expect 2
		[ -n "$errors" ]
	done
	server
	save
	since --ignore kernl
	expect 2
	contains "$errors" "did you mean 'kernel'?"
	since --ignore no.such.fact
	expect 2
	since --profile nosuch
	expect 2
}
