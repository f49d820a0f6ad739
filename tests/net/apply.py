#!/usr/bin/env python3
"""Changes interfaces and takes it back: apply.py PROGRAM

In network namespaces of its own, with pairs of interfaces of eight queues, some of them with names that a shell,
udev or a terminal would take for more than a name: plan, apply, rollback, and then nothing differs. As root and as an
ordinary user with a user namespace. Renamed, vanished and exchanged interfaces; values that somebody else has set since.
Prints one line per check; exit 1 if one fails, 0 also if the kernel does not let us (said so).
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = os.path.abspath(sys.argv[1])
NAMES = ["v0", "a'b\"$(id)", "-x*`\\", "&;|<>~#!é"]
failed = 0

RULE = """
rule lab.{name}
  title "{name}" why "to be changed and put back" ref "tests/net" area lab severity warning weight 5 risk {risk}
  {each}
  want {want}
  fix {fix}
  case pass "as wanted" {{ {good} }}
  case fail "not" {{ {bad} }}
  case unknown "nothing is known" {{ {none} }}
end
"""
NIC = {"each": 'each nic in nics  when nic.kind == "virtual" and nic.channels.rx.max > 1',
       "none": 'nics.e.kind = "virtual"'}
E = 'nics.e.kind = "virtual"  nics.e.channels.rx.max = 8  nics.e.'


def nic(name, want, fix, good, bad, risk="none"):
    return RULE.format(name=name, risk=risk, want=want, fix=fix, good=E + good, bad=E + bad, **NIC)


def sysctl(name, key, value, bad):
    fact = f'sysctl["{key}"]'
    return RULE.format(name=name, risk="none", each="", want=f"{fact} == {value}", none="",
                       fix=f'sysctl.set(key = "{key}", value = {value})', good=f"{fact} = {value}", bad=f"{fact} = {bad}")


RULES = "".join([
    nic("channels", "nic.channels.rx.current == 3 and nic.channels.tx.current == 2",
        "nic.channels(ifname = nic.key, rx = 3, tx = 2)", "channels.rx.current = 3  nics.e.channels.tx.current = 2",
        "channels.rx.current = 8  nics.e.channels.tx.current = 8", "link-flap"),
    nic("offload", 'not nic.features["tx-scatter-gather"]',
        'nic.features(ifname = nic.key, name = "tx-scatter-gather", on = false)', 'features["tx-scatter-gather"] = false',
        'features["tx-scatter-gather"] = true'),
    nic("gro", 'nic.features["rx-gro"]', 'nic.features(ifname = nic.key, name = "rx-gro", on = true)',
        'features["rx-gro"] = true', 'features["rx-gro"] = false'),
    nic("qdisc", 'nic.qdisc == "mq"', 'nic.qdisc(ifname = nic.key, kind = "pfifo_fast")', 'qdisc = "mq"',
        'qdisc = "noqueue"'),
    nic("length", "nic.txqueuelen == 500", "nic.txqueuelen(ifname = nic.key, packets = 500)", "txqueuelen = 500",
        "txqueuelen = 1000"),
    sysctl("somaxconn", "net.core.somaxconn", 7777, 128),
    sysctl("fin", "net.ipv4.tcp_fin_timeout", 17, 60),
]) + 'profile lab title "lab" rules lab.* end\n'


STUBS = "".join(f"{c}() {{ printf '%s\\n' \"$@\"; }}\n" for c in ("ethtool", "tc", "ip", "sysctl"))


def say(ok, what, detail=""):
    global failed
    print(("ok      " if ok else "not ok  ") + what + ("" if ok or not detail else f": {detail}"), flush=True)
    failed += not ok


def run(*words, check=True):
    p = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False,
                       errors="surrogateescape", stdin=subprocess.DEVNULL)
    if check and p.returncode != 0:
        raise RuntimeError(f"{words}: {p.returncode} {p.stdout} {p.stderr}")
    return p


def names():
    return sorted(n for n in os.listdir("/sys/class/net") if n != "lo" and n in NAMES + ["lan0", "v9"])


def queue_files(name):
    out = {}
    for directory, _, files in os.walk(f"/sys/class/net/{name}/queues"):
        for file in files:
            path = os.path.join(directory, file)
            try:
                out[path] = pathlib.Path(path).read_text()
            except OSError as error:
                out[path] = error.errno
    return out


def state():
    """Everything that ethtool, ip, tc and sysfs tell of the interfaces, and the settings of the namespace."""
    out = {}
    for n in names():
        for what in (["ethtool", "-l", n], ["ethtool", "-k", n], ["tc", "qdisc", "show", "dev", n],
                     ["ip", "-d", "link", "show", "dev", n]):
            out[" ".join(what)] = run(*what).stdout
        out.update(queue_files(n))
    for key in ("core/somaxconn", "ipv4/tcp_fin_timeout"):
        out[key] = pathlib.Path(f"/proc/sys/net/{key}").read_text()
    return out


def moved(a, b):
    return sorted(k for k in set(a) | set(b) if a.get(k) != b.get(k))


def pair(name, peer):
    run("ip", "link", "add", "name", name, "numtxqueues", "8", "numrxqueues", "8", "type", "veth", "peer", "name", peer,
        "numtxqueues", "8", "numrxqueues", "8")
    for n in (name, peer):
        run("ip", "link", "set", "dev", n, "up")


def set_maps(name):
    """RPS, RFS and XPS of every queue; False where this user may not."""
    queues = pathlib.Path(f"/sys/class/net/{name}/queues")
    try:
        for i in range(8):
            (queues / f"rx-{i}/rps_cpus").write_text("1")
            (queues / f"rx-{i}/rps_flow_cnt").write_text("64")
            (queues / f"tx-{i}/xps_cpus").write_text("2")
    except OSError:
        return False
    return True


class Lab:
    """The program with its rules and a journal of its own."""

    def __init__(self, directory):
        self.rules = directory / "rules"
        self.rules.mkdir(mode=0o755)
        (self.rules / "lab.rules").write_text(RULES)
        self.state = directory / "state"
        self.plan_file = directory / "plan.json"

    def plan(self):
        p = run(PROGRAM, "plan", "--profile", "lab", "--rules", str(self.rules), "--format", "json", check=False)
        self.plan_file.write_text(p.stdout)
        return json.loads(p.stdout)

    def apply(self, *more):
        return run(PROGRAM, "apply", "--yes", "--allow", "link-flap", "--confirm-within", "0", "--state", str(self.state), *more, check=False)

    def apply_profile(self, *more):
        return self.apply("--profile", "lab", "--rules", str(self.rules), *more)

    def rollback(self, *more):
        return run(PROGRAM, "rollback", "--yes", "--state", str(self.state), *more, check=False)


def there_and_back(lab, who):
    before = state()
    plan = lab.plan()
    say(state() == before, f"{who}: plan changes nothing")
    actions = plan.get("actions", [])
    named = {n for n in NAMES if any(a["target"].split(" ")[0] == n for a in actions)}
    say(named == set(NAMES), f"{who}: every interface is in the plan by its name", f"{named}")
    for a in actions:
        # What a shell makes of it is the name again, as one word.
        words = run("bash", "-c", STUBS + (a.get("command") or "")).stdout.split("\n")
        name = a["target"].split(" ")[0]
        say(name in words or name not in NAMES, f"{who}: a shell reads {a['command'].splitlines()[0][:50]}", f"{words}")
    kept = [a["target"] for a in actions if a.get("persist")]
    say(not kept, f"{who}: nothing of another namespace is kept over a restart", f"{kept}")
    p = lab.apply("--plan", str(lab.plan_file), "--rules", str(lab.rules))
    say(p.returncode == 0, f"{who}: apply --plan", p.stdout + p.stderr)
    after = state()
    want = {f"ethtool -l {n}" for n in NAMES} | {f"ethtool -k {n}" for n in NAMES} | {"core/somaxconn"}
    say(want <= set(moved(before, after)), f"{who}: {len(moved(before, after))} things moved", f"{want - set(moved(before, after))}")
    say("RX:\t\t3\n" in after["ethtool -l v0"] and "TX:\t\t2\n" in after["ethtool -l v0"], f"{who}: as asked for")
    again = lab.apply_profile()
    say(state() == after, f"{who}: a second apply finds nothing to do", again.stdout)
    p = lab.rollback()
    say(p.returncode == 0, f"{who}: rollback", p.stdout + p.stderr)
    say(state() == before, f"{who}: nothing differs", f"{moved(before, state())}")


def renamed(lab):
    before = state()
    p = lab.apply_profile()
    say(p.returncode == 0, "apply before a rename", p.stdout + p.stderr)
    run("ip", "link", "set", "dev", "v0", "down")
    run("ip", "link", "set", "dev", "v0", "name", "lan0")
    run("ip", "link", "set", "dev", "lan0", "up")
    p = lab.rollback()
    say(p.returncode == 0, "an interface that was renamed is found", p.stdout + p.stderr)
    run("ip", "link", "set", "dev", "lan0", "down")
    run("ip", "link", "set", "dev", "lan0", "name", "v0")
    run("ip", "link", "set", "dev", "v0", "up")
    say(state() == before, "and nothing differs", f"{moved(before, state())}")


def exchanged(lab):
    """Another interface under the old name is not touched; the rest goes back."""
    p = lab.apply_profile()
    say(p.returncode == 0, "apply before an interface goes", p.stdout + p.stderr)
    run("ip", "link", "del", "dev", "v0")
    pair("v0", NAMES[1])
    run("ethtool", "-L", "v0", "rx", "3", "tx", "2")
    mine = run("ethtool", "-l", "v0").stdout
    p = lab.rollback()
    say("is gone" in p.stdout + p.stderr, "one that is gone is told", p.stdout + p.stderr)
    say(run("ethtool", "-l", "v0").stdout == mine, "another one with its name is left alone")
    say("RX:\t\t8\n" in run("ethtool", "-l", NAMES[2]).stdout.split("Current")[1], "the others are put back")
    run("ip", "link", "del", "dev", "v0")
    pair("v0", NAMES[1])


def changed_since(lab):
    p = lab.apply_profile()
    say(p.returncode == 0, "apply before somebody else sets a value", p.stdout + p.stderr)
    run("ethtool", "-L", "v0", "rx", "5")
    p = lab.rollback()
    text = run("ethtool", "-l", "v0").stdout.split("Current")[1]
    say(p.returncode == 1 and "RX:\t\t5\n" in text and "TX:\t\t8\n" in text, "what somebody else set is left",
        p.stdout + p.stderr + text)
    p = lab.rollback("--force", "--all")
    text = run("ethtool", "-l", "v0").stdout.split("Current")[1]
    say("RX:\t\t8\n" in text, "but for --force", p.stdout + p.stderr + text)


def inside(who, directory):
    """In namespaces of our own."""
    directory = pathlib.Path(directory)
    try:
        run("mount", "-t", "sysfs", "sysfs", "/sys")
        pair(NAMES[0], NAMES[1])
        pair(NAMES[2], NAMES[3])
    except (RuntimeError, OSError) as error:
        print(f"skip    {who}: {error}")
        return
    maps = set_maps("v0")
    say(True, f"{who}: maps of queues " + ("are set" if maps else "may not be set by this user"))
    lab = Lab(directory)
    there_and_back(lab, who)
    renamed(lab)
    exchanged(lab)
    changed_since(lab)


def as_user(who, prefix, flags, uid):
    with tempfile.TemporaryDirectory(prefix="tuneaudit-net.") as directory:
        os.chown(directory, uid, uid)
        python = sys.executable if uid == 0 or not os.path.exists("/usr/bin/python3") else "/usr/bin/python3"
        unshare = [*prefix, "unshare", *flags]
        tried = subprocess.run([*unshare, "true"], capture_output=True, text=True, check=False, cwd="/")
        if tried.returncode:
            print(f"skip    {who}: {tried.stderr.strip().splitlines()[-1:]}")
            return False
        words = [*unshare, python, os.path.abspath(__file__), PROGRAM, "--inside", who, directory]
        return subprocess.run(words, timeout=600, check=False, cwd="/", stdin=subprocess.DEVNULL).returncode != 0


def main():
    if len(sys.argv) > 2:
        inside(sys.argv[3], sys.argv[4])
        return 1 if failed else 0
    if os.geteuid() != 0:
        print("skip: changing interfaces takes root")
        return 0
    bad = as_user("root", [], ["-nm"], 0)
    bad |= as_user("an ordinary user", ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"], ["-rnm"], 65534)
    print("apply in namespaces: failed" if bad else "apply in namespaces: ok")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
