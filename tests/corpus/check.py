#!/usr/bin/env python3
"""Holds tuneaudit against a folder of captured hosts and what is true of them.

    check.py PROGRAM CORPUS [NAME…]

CORPUS/hosts/NAME/ (or CORPUS/NAME/) is a capture (proc/, sys/ …) or holds one as tree.tar.gz; NAME/facts.json says
what is true of it for machines, and hosts.py what its SOURCE.md says. CORPUS/outputs/ holds single outputs of
commands, outputs.py what is true of them. Everything is read (`facts`) and judged (`check`): neither may crash, hang
or find a rule broken. Prints what differs, then a line per source; exit 1 if anything is wrong.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import hosts as known
import outputs

# facts.json is made by a script that believes the tree. What was written by hand beside it is truer:
# host -> fact -> (value or None for "any, or absent", why).
CORRECTIONS = {
    "arm64-phone-3cluster": {"cpu.sockets": (1, "three clusters of one chip")},
    "patchwork-node-exporter-fixture": {"*": (None, "files of several machines, some broken on purpose")},
    "dpi-2xE5530-even-cpus": {"cpu.physical_cores": (8, "from lscpu, the tree has no siblings"),
                              "cpu.threads_per_core": (2, "from lscpu")},
    "dpi-i3-4330-i350": {"cpu.physical_cores": (2, "from lscpu, the tree has no siblings"),
                         "cpu.threads_per_core": (2, "from lscpu")},
    "x86-i7-4810mq-8cpu-throttle": {"cpu.physical_cores": (4, "from the ids in cpuinfo, the tree has no topology"),
                                    "cpu.threads_per_core": (2, "the same"), "cpu.sockets": (1, "the same")},
    "aws-m6g-4xlarge-graviton2": {"cpu.online": (16, "columns of /proc/interrupts")},
    "aws-m7g-xlarge-graviton3": {"cpu.online": (4, "columns of /proc/interrupts")},
    "x86-1152cpu-irq-table": {"cpu.online": (1152, "columns of /proc/interrupts")},
}


def members(text):
    """'0-3,8' as the kernel writes it."""
    out = []
    for part in text.replace("(null)", "").split(","):
        first, _, last = part.strip().partition("-")
        if first:
            out += range(int(first), int(last or first) + 1)
    return out


def lookup(doc, *keys):
    for key in keys:
        if not isinstance(doc, dict) or key not in doc:
            return None
        doc = doc[key]
    return doc


def words(value):
    """A sysctl of either side as text with single blanks."""
    return " ".join(str(v) for v in value) if isinstance(value, list) else " ".join(str(value).split())


class Host:
    """One host: what is true, what the program says, and the differences."""

    def __init__(self, name, truth, tree):
        self.name, self.truth, self.tree = name, truth, tree
        self.corrections = CORRECTIONS.get(name, {})
        self.facts, self.absent = {}, {}
        self.checked, self.wrong = 0, []

    def complain(self, text):
        self.wrong.append(f"{self.name}: {text}")

    def hold(self, path, got, want, absent_is_right=False):
        """One truth. A value that is not there is wrong, unless nothing in the tree could tell."""
        if path in self.corrections:
            want = self.corrections[path][0]
            absent_is_right = False
            if want is None:
                return
        self.checked += 1
        if got == want or (got is None and absent_is_right):
            return
        why = self.absent.get(path, {}).get("detail", "")
        self.complain(f"{path} is {'absent (' + why + ')' if got is None else got}, not {want}")

    def fact(self, *keys):
        return lookup(self.facts, *keys)

    # --- the truths --------------------------------------------------------

    def cpus(self):
        t = self.truth
        if t.get("online_count") or "cpu.online" in self.corrections:
            self.hold("cpu.online", self.fact("cpu", "online"), t["online_count"])
        if t.get("online_list"):
            self.hold("cpu.online_list", self.fact("cpu", "online_list"), members(t["online_list"]))
        for name in ("present", "possible"):
            if t.get("cpu_" + name):
                self.hold("cpu." + name, self.fact("cpu", name), len(members(t["cpu_" + name])))
        # One node less than the node directory says is no contradiction: offline is of present CPUs only.
        if t.get("cpu_present") and t.get("online_list"):
            away = sorted(set(members(t["cpu_present"])) - set(members(t["online_list"])))
            self.hold("cpu.offline_list", self.fact("cpu", "offline_list"), away)
        for name in ("isolated", "nohz_full"):
            if "cpu_" + name in t:
                self.hold("cpu." + name, self.fact("cpu", name), members(t["cpu_" + name]))

    def cores(self):
        t = self.truth
        single = t.get("smt_true") is False
        pairs = (("physical_cores", t.get("physical_cores_true", t.get("physical_cores"))),
                 ("threads_per_core", 1 if single else t.get("max_threads_per_core")),
                 ("min_threads_per_core", 1 if single else t.get("min_threads_per_core")))
        for name, want in pairs:
            if want is not None or "cpu." + name in self.corrections:
                self.hold("cpu." + name, self.fact("cpu", name), want)
        if "packages" in t or "cpu.sockets" in self.corrections:
            # −1 is the kernel's "not known": then a number is a guess, but for one CPU.
            unknown = t.get("package_ids") == "-1"
            self.hold("cpu.sockets", self.fact("cpu", "sockets"), t.get("packages"), absent_is_right=unknown)
        if t.get("smt_active") in ("0", "1"):
            self.hold("cpu.smt.active", self.fact("cpu", "smt", "active"), t["smt_active"] == "1")
        if "asymmetric" in t:
            alone = not any((self.tree / "sys/devices/system/cpu").glob("cpu[0-9]*")) and \
                not (self.tree / "proc/cpuinfo").exists()
            self.hold("cpu.asymmetric", self.fact("cpu", "asymmetric"), t["asymmetric"], absent_is_right=alone)

    def per_cpu(self):
        online = self.fact("cpu", "online_list") or []
        for key, path, base in (("cpu_capacity", "capacity", 10), ("arm_cpu_parts", "part", 16)):
            values = self.fact("cpu", path) or []
            for value, cpus in (self.truth.get(key) or {}).items():
                got = {v & 0xfff if base == 16 else v for c, v in zip(online, values) if c in members(cpus)}
                self.hold("cpu." + path, sorted(got), [int(value, base)])

    def nodes(self):
        t = self.truth
        if "numa_nodes" not in t:
            return
        # No node directory is one node; no sys/ at all is not known.
        want = t.get("numa_nodes_true", t["numa_nodes"] or 1)
        known = (self.tree / "sys/devices/system").exists()
        self.hold("numa_nodes", self.fact("numa_nodes"), want, absent_is_right=not known)
        for node, cpus in (t.get("node_cpus") or {}).items():
            if "numa_nodes_true" not in t:
                self.hold(f"numa.{node}.cpus", self.fact("numa", node, "cpus"), members(cpus))

    def clocks(self):
        t = self.truth
        policies = (self.fact("cpu", "policies") or {}).values()
        for key, name in (("governors", "governor"), ("cpufreq_driver", "driver")):
            if t.get(key):
                got = sorted({p[name] for p in policies if name in p})
                self.hold(f"cpu.policies.*.{name}", got, sorted(t[key]))
        for khz, cpus in (t.get("cpuinfo_max_freq_khz") or {}).items():
            online = set(self.fact("cpu", "online_list") or [])
            got = {p.get("max_khz") for p in policies if set(p["cpus"]) & set(members(cpus)) & online}
            self.hold("cpu.policies.*.max_khz", sorted(got, key=str), [int(khz)])
        if t.get("cpuidle_driver"):
            self.hold("cpu.idle.driver", self.fact("cpu", "idle", "driver"), t["cpuidle_driver"])
        if t.get("clocksource"):
            self.hold("kernel.clocksource.current", self.fact("kernel", "clocksource", "current"), t["clocksource"])

    def place(self):
        t = self.truth
        for key, name in (("dmi_sys_vendor", "vendor"), ("dmi_product_name", "product")):
            if t.get(key):
                self.hold("place." + name, self.fact("place", name), t[key].strip())
        if "cpuinfo_hypervisor_flag" in t:
            virtual = self.fact("place", "virtualization") not in (None, "none")
            self.hold("place.virtualization", virtual, t["cpuinfo_hypervisor_flag"])
        if t.get("thp"):
            want = t["thp"][t["thp"].index("[") + 1:t["thp"].index("]")]
            self.hold("memory.thp.enabled", self.fact("memory", "thp", "enabled"), want)

    def settings(self):
        for name, value in (self.truth.get("sysctl") or {}).items():
            path = f'sysctl["{name}"]'
            got = self.fact("sysctl", name)
            if got is not None or path in self.absent:
                self.hold(path, None if got is None else words(got), words(value))
        for name, value in (self.truth.get("counters") or {}).items():
            got = lookup(self.facts, "counters", "tcpext", name)
            if got is not None:
                self.hold("counters.tcpext." + name, got, int(value))

    def interrupts(self):
        for v in self.truth.get("nic_vectors") or []:
            irq, path = self.fact("irqs", str(v["irq"])) or {}, f"irqs.{v['irq']}"
            # Devices that share an interrupt stand in one line; the truth names the last.
            shared = (irq.get("name") or "").split(", ")
            self.hold(path + ".name", v["action"] if v["action"] in shared else irq.get("name"), v["action"])
            self.hold(path + ".counts_total", irq.get("counts_total"), v["total"])
            for key, name in (("smp_affinity_list", "wanted"), ("effective_affinity_list", "effective")):
                if v.get(key):
                    self.hold(f"{path}.{name}", irq.get(name), members(v[key]))
            if v.get("top_cpu") is not None and "top_share" in v and v["total"]:
                self.hold(path + ".top_share", irq.get("top_share"), v["top_share"])
        for name, nic in (self.truth.get("net") or {}).items():
            got = self.fact("nics", name)
            self.hold(f"nics.{name}", got is not None, True)
            if got is not None and "virtual" in nic and "physical" in got:
                self.hold(f"nics.{name}.physical", got["physical"], not nic["virtual"])

    def hold_all(self):
        if "*" in self.corrections:
            return
        for truths in (self.cpus, self.cores, self.per_cpu, self.nodes, self.clocks, self.place, self.settings,
                       self.interrupts):
            truths()


def run(program, *args):
    """Exit code (or why there is none) and output."""
    try:
        p = subprocess.run([program, *args], capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        return "no answer in 60 s", b"", b""
    return p.returncode, p.stdout, p.stderr


def document(host, program, command, good, tree):
    """The JSON of one command; None and a complaint if it did not end well."""
    code, out, err = run(program, command, "--format", "json", "--capture", str(tree))
    if code not in good:
        host.complain(f"{command} ended with {code}: {err.decode(errors='replace').strip()[:200]}")
        return None
    try:
        return json.loads(out)
    except ValueError as e:
        host.complain(f"{command} printed no JSON: {e}")
        return None


def unpack(folder, work):
    """The directory that is the capture; one in an archive is unpacked into `work`."""
    if not (folder / "tree.tar.gz").exists():
        return folder
    tree = work / folder.name
    tree.mkdir()
    subprocess.run(["tar", "-xzf", folder / "tree.tar.gz", "-C", tree, "--no-same-owner"], check=True)
    for extra in ("extra", "etc"):
        if (folder / extra).is_dir() and not (tree / extra).exists():
            shutil.copytree(folder / extra, tree / extra)
    return tree


def examine(program, folder, tree):
    host = Host(folder.name, json.loads((folder / "facts.json").read_text()), tree)
    facts = document(host, program, "facts", (0,), tree)
    if facts:
        host.facts, host.absent = facts["facts"], facts["absent"]
        host.hold_all()
    judged = document(host, program, "check", (0, 1, 3), tree)
    for finding in (judged or {}).get("findings", []):
        if finding["verdict"] == "broken":
            host.complain(f"rule {finding['rule']} is broken: {finding.get('because')}")
    return host


def examine_statements(program, folder, tree):
    """What SOURCE.md says: one entry of the table for each of its statements."""
    judged = known.Judged(folder.name, program, tree)
    judged.read()
    statements = known.STATEMENTS.get(folder.name, [])
    judged.check_statements(statements)
    said = known.statements_of((folder / "SOURCE.md").read_text())
    if statements and said != len(statements):
        judged.wrong.append(f"{folder.name}: SOURCE.md makes {said} statements, {len(statements)} are known")
    judged.untold += ["?"] * max(0, said - len(statements))
    return judged


class Source:
    """The sum over one kind of source."""

    def __init__(self, name):
        self.name = name
        self.n = self.statements = self.right = self.checked = self.inexpressible = self.untold = self.wrong = 0

    def add(self, judged):
        self.n += 1
        self.statements += judged.statements
        self.right += judged.right
        self.checked += judged.checked
        self.inexpressible += len(judged.inexpressible)
        self.untold += len(judged.untold)
        self.wrong += len(judged.wrong)
        for text in judged.wrong:
            print(text)

    def tell(self):
        print(f"{self.n} {self.name}: {self.statements + self.inexpressible + self.untold} statements, {self.right} right, "
              f"{self.statements - self.right} wrong, {self.inexpressible} that no fact expresses, "
              f"{self.untold} not in the table; {self.checked} checks, {self.wrong} wrong")


def scratch_directory():
    # Thousands of small files per host: a disk takes minutes for what memory does in seconds.
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 1 << 30 else None
    return tempfile.TemporaryDirectory(prefix="tuneaudit-corpus.", dir=shm)


def main():
    program, corpus = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder = corpus / "hosts" if (corpus / "hosts").is_dir() else corpus
    names = sys.argv[3:] or sorted(p.parent.name for p in folder.glob("*/facts.json"))
    checked = wrong = 0
    said, pasted = Source("hosts by SOURCE.md"), Source("outputs")
    for name in names:
        with scratch_directory() as work:
            tree = unpack(folder / name, pathlib.Path(work))
            host = examine(program, folder / name, tree)
            if (folder / name / "SOURCE.md").exists():
                said.add(examine_statements(program, folder / name, tree))
        for text in host.wrong:
            print(text)
        checked += host.checked
        wrong += len(host.wrong)
    if not sys.argv[3:] and (corpus / "outputs" / "index.json").exists():
        with scratch_directory() as work:
            for judged in outputs.all_of(program, corpus / "outputs", pathlib.Path(work)):
                pasted.add(judged)
    for source in (said, pasted):
        if source.n:
            source.tell()
    print(f"{len(names)} hosts, {checked} truths checked, {wrong} wrong")
    return 1 if wrong or said.wrong or pasted.wrong or not names else 0


if __name__ == "__main__":
    sys.exit(main())
