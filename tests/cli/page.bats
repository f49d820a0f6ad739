#!/usr/bin/env bats
# The page, from outside: check --format html and report. What a browser makes of it is held by make check-page.

load helper

# The page in $1: well-formed, and with nothing in it that runs or loads but what its policy names.
sound() {
	python3 "$TREE/tests/page/sound.py" "$1"
}

host() {
	fixture "$1" > /dev/null
	ta check --capture "$DIR/$1" --min-coverage 0 --fail-on none --format json
	expect 0
	cp "$DIR/out" "$DIR/$1.json"
	ta facts --capture "$DIR/$1" --format json
	expect 0
	cp "$DIR/out" "$DIR/$1.facts.json"
}

@test "check --format html: a page that is sound, of a host with hostile names" {
	fixture hostile-names > /dev/null
	printf 'a"<script>alert(1)</script>&|`*]]>\033[31m\n' > "$DIR/hostile-names/proc/sys/kernel/hostname"
	ta check --capture "$DIR/hostile-names" --min-coverage 0 --format html
	expect 1
	[ -z "$errors" ]
	sound "$DIR/out"
	grep -q '<bdi>a&quot;&lt;script&gt;alert(1)&lt;/script&gt;&amp;|`\*\]\]&gt;\\x1b\[31m</bdi>' "$DIR/out"
	! LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$DIR/out"
	# Interfaces too, which only the picture names.
	grep -q '>a&quot;b\\c<' "$DIR/out"
}

@test "report of the results is what check writes" {
	host all-on-cpu0
	ta check --capture "$DIR/all-on-cpu0" --min-coverage 0 --fail-on none --format html
	cp "$DIR/out" "$DIR/check.html"
	ta report "$DIR/all-on-cpu0.json" "$DIR/all-on-cpu0.facts.json" -o "$DIR/report.html"
	expect 0
	[ -z "$output$errors" ]
	cmp "$DIR/check.html" "$DIR/report.html"
	sound "$DIR/report.html"
	grep -q 'all on CPU 0' "$DIR/report.html"
}

@test "what moved since a baseline, with whatever it holds" {
	fixture all-on-cpu0 > /dev/null
	HOST=$DIR/all-on-cpu0
	file proc/sys/net/core/somaxconn 4096
	file proc/sys/net/ipv4/tcp_congestion_control cubic
	ta baseline save "$DIR/b" --capture "$DIR/all-on-cpu0"
	expect 0
	ta check --capture "$DIR/all-on-cpu0" --min-coverage 0 --fail-on none --baseline "$DIR/b" --format html
	expect 0
	contains "$output" "What moved since the baseline</h3><p>Nothing.</p>"
	sound "$DIR/out"
	file proc/sys/net/core/somaxconn 17
	file proc/sys/net/ipv4/tcp_congestion_control '<i>&"'
	ta check --capture "$DIR/all-on-cpu0" --min-coverage 0 --fail-on none --baseline "$DIR/b" --format html
	expect 4
	sound "$DIR/out"
	contains "$output" '<code>sysctl[&quot;net.core.somaxconn&quot;]</code>'
	contains "$output" '<td>17</td><td>setting</td>'
	contains "$output" '<td>&lt;i&gt;&amp;&quot;</td>'
	cp "$DIR/out" "$DIR/check.html"
	ta check --capture "$DIR/all-on-cpu0" --min-coverage 0 --fail-on none --baseline "$DIR/b" --format json
	cp "$DIR/out" "$DIR/check.json"
	ta facts --capture "$DIR/all-on-cpu0" --format json
	cp "$DIR/out" "$DIR/facts.json"
	ta report "$DIR/check.json" "$DIR/facts.json" -o "$DIR/report.html"
	expect 0
	cmp "$DIR/check.html" "$DIR/report.html"
}

@test "report of captures judges them" {
	fixture isolated-hit > /dev/null
	fixture all-on-cpu0 > /dev/null
	ta report "$DIR/isolated-hit" "$DIR/all-on-cpu0"
	expect 0
	sound "$DIR/out"
	contains "$output" "2 hosts side by side"
	contains "$output" "isolated CPU"
}

@test "texts of a megabyte, of every kind of character: cut, escaped, and the page stays small" {
	host all-on-cpu0
	python3 - "$DIR/all-on-cpu0.json" "$DIR" <<'P'
import json, pathlib, sys
d = json.load(open(sys.argv[1]))
nasty = "</code></style></script><!--\"'>&\u202e\u0007\x7f\n"
def spoil(o, key=""):
    if isinstance(o, dict):
        return {k: spoil(v, k) for k, v in o.items()}
    if isinstance(o, list):
        return [spoil(v, key) for v in o]
    if isinstance(o, str) and key not in ("schema", "verdict", "severity"):
        return o[:20] + nasty
    return o
bad = spoil(d)
for i in range(6):
    f = next(f for f in bad["findings"][i:] if f)
    f["subject"] = f["because"] = f["actual"] = "x<y>\u00e9" * 200000
bad["host"]["name"] = "h<>" * 350000
pathlib.Path(sys.argv[2], "bad.json").write_text(json.dumps(bad, ensure_ascii=False), encoding="utf-8")
P
	ta report "$DIR/bad.json" "$DIR/all-on-cpu0.json" -o "$DIR/bad.html"
	expect 0
	sound "$DIR/bad.html"
	[ "$(wc -c < "$DIR/bad.html")" -lt 2000000 ]
}

@test "half of the files are broken: the rest is shown, the broken ones named" {
	host all-on-cpu0
	host isolated-hit
	head -c 3000 "$DIR/all-on-cpu0.json" > "$DIR/cut.json"
	sed 's/"score":[0-9]*/"score":1e999/' "$DIR/all-on-cpu0.json" > "$DIR/score.json"
	sed 's/"verdict":"fail"/"verdict":"splendid"/' "$DIR/all-on-cpu0.json" > "$DIR/verdict.json"
	printf '{"schema":"tuneaudit.check/2"}' > "$DIR/later.json"
	printf '[1]' > "$DIR/list.json"
	: > "$DIR/empty.json"
	head -c 1000 /dev/urandom > "$DIR/noise.json"
	mkfifo "$DIR/fifo.json"
	mkdir "$DIR/folder.json"
	ta report "$DIR"/*.json -o "$DIR/fleet.html"
	expect 2
	sound "$DIR/fleet.html"
	for f in cut score verdict later list empty noise fifo; do
		contains "$errors" "$f.json: "
		grep -q "<code>$DIR/$f.json</code>" "$DIR/fleet.html"
	done
	# The folder is a capture of nothing.
	grep -q "3 hosts side by side" "$DIR/fleet.html"
	# With nothing to show there is no page.
	ta report "$DIR/cut.json" "$DIR/gone.json" -o "$DIR/none.html"
	expect 2
	[ ! -e "$DIR/none.html" ]
}

@test "a disk that is full: no half page, the old one stays" {
	host all-on-cpu0
	echo old > "$DIR/page.html"
	chmod 640 "$DIR/page.html"
	mkdir "$DIR/other"
	(
		ulimit -f 8
		status=0
		"$TUNEAUDIT" report "$DIR/all-on-cpu0.json" -o "$DIR/page.html" 2> "$DIR/other/err" || status=$?
		[ "$status" -eq 70 ]
	)
	contains "$(cat "$DIR/other/err")" "page.html: File too large; it was not written"
	[ "$(cat "$DIR/page.html")" = old ]
	[ -z "$(find "$DIR" -maxdepth 1 -name '.*.html*')" ]
	ta report "$DIR/all-on-cpu0.json" -o /dev/full
	expect 70
	contains "$errors" "/dev/full: No space left on device"
	ta report "$DIR/all-on-cpu0.json" -o "$DIR/other"
	expect 70
	ta report "$DIR/all-on-cpu0.json" -o "$DIR/nowhere/page.html"
	expect 70
	# What is there keeps its mode, and a link stays a link.
	ln -s page.html "$DIR/link.html"
	ta report "$DIR/all-on-cpu0.json" -o "$DIR/link.html"
	expect 0
	[ -L "$DIR/link.html" ]
	[ "$(stat -c %a "$DIR/page.html")" = 640 ]
	sound "$DIR/page.html"
}

@test "load runs and trials: beside each other, in the order given" {
	python3 "$TREE/tests/page/results.py" "$DIR"
	# They are as the commands write them.
	for n in before:load after:load trial:trial; do
		cp "$DIR/${n%:*}.json" "$DIR/out"
		valid "${n#*:}"
	done
	ta report "$DIR/before.json" "$DIR/after.json" "$DIR/trial.json" -o "$DIR/load.html"
	expect 0
	sound "$DIR/load.html"
	python3 - "$DIR/load.html" <<'P'
import re, sys
text = open(sys.argv[1], encoding="utf-8").read()
assert text.index("1  before") < text.index("2  after")
assert "can be compared only if" in text and "somaxconn" in text, "what else differs"
assert "± " in text and "+12.5 %<span class=range>+9.1 to +16.0<" in text and "cannot-show" in text, "numbers"
P
}

@test "check -v draws a packet's way in 80 columns of ASCII" {
	fixture report-two-cards-cpu0 > /dev/null
	ta check -v --capture "$DIR/report-two-cards-cpu0" --min-coverage 0
	contains "$output" "combined-3        irq 83        --+--> CPU 0, node 0  ! all on CPU 0"
	contains "$output" "node 0: CPU 0: 8 queues; 1-19: none"
	is_ascii
	# What knows nothing of interrupts does not show them.
	ta check -v --only 'tcp.*' --capture "$DIR/report-two-cards-cpu0" --min-coverage 0
	lacks "$output" "packet's way"
	ta check --capture "$DIR/report-two-cards-cpu0" --min-coverage 0
	lacks "$output" "packet's way"
}
