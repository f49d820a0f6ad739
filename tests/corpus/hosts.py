"""What SOURCE.md of captured hosts says of them, as facts and findings.

STATEMENTS has, for each host, one entry for every statement of the file, in its order (the sections "What is TRUE" and
"Trap"): a list of checks, or a text that says why no fact and no finding can express it. A check is (path, value),
(path, {"absent": reason}), ("PROFILE RULE [SUBJECT]", verdict) or ("PROFILE first", RULE): among its first three findings; RULE may end with ".*". Values may be functions.
"""
import json
import subprocess

import paths

PROFILES = ["base", "gateway", "redis", "file-server", "benchmark", "small-device"]
NO_FINDING = "no finding"  # instead of a verdict: everything but fail


def members(text):
    out = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def lay_out(root, files):
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


class Judged:
    """A capture, what the program says of it, and how that compares with what is true."""

    def __init__(self, name, program, tree):
        self.name, self.program, self.tree = name, program, tree
        self.facts, self.findings = None, {}
        self.statements, self.right, self.checked = 0, 0, 0
        self.wrong, self.inexpressible, self.untold = [], [], []
        self.statement_is_wrong = False

    def run(self, *args, codes):
        try:
            p = subprocess.run([self.program, *args, "--format", "json", "--capture", str(self.tree)],
                               capture_output=True, timeout=60, check=False)
            code, out, err = p.returncode, p.stdout, p.stderr.decode(errors="replace").strip()
        except subprocess.TimeoutExpired:
            code, out, err = "no answer in 60 s", b"", ""
        if code in codes:
            return json.loads(out)
        self.wrong.append(f"{self.name}: {' '.join(args)} ended with {code}: {err[:200]}")
        return None

    def read(self):
        self.facts = self.run("facts", codes=(0,)) or {"facts": {}, "absent": {}}

    def judge(self, profile):
        if profile not in self.findings:
            found = self.run("check", "--profile", profile, codes=(0, 1, 3)) or {"findings": []}
            self.findings[profile] = found["findings"]
            for f in self.findings[profile]:
                if f["verdict"] == "broken":
                    self.wrong.append(f"{self.name}: rule {f['rule']} is broken: {f.get('because')}")
        return self.findings[profile]

    def begin(self, statement):
        self.end()
        self.statements += 1
        self.statement_is_wrong = False

    def end(self):
        """The statement that was begun last is right if nothing was said against it."""
        self.right = self.statements - len({w.statement for w in self.wrong if isinstance(w, Wrong)})

    def hold(self, what, got, want):
        self.checked += 1
        if (got is not None and want(got)) if callable(want) else got == want:
            return
        text = f"{self.name}: {what} is {json.dumps(got)[:200]}, true is {'another' if callable(want) else json.dumps(want)}"
        self.wrong.append(Wrong(text, self.statements))

    def verdict(self, key, want):
        profile, rule, subject = (key.split(" ", 2) + [""])[:3]
        family = rule[:-1] if rule.endswith(".*") else None
        got = {f["verdict"] for f in self.judge(profile)
               if (f["rule"].startswith(family) if family else f["rule"] == rule)
               and (not subject or (f["subject"] or "").split(" ")[0] == subject)}
        if want == NO_FINDING:
            self.hold(key, "fail" not in got, True)
        else:
            self.hold(key, sorted(got), [want])

    def first_three(self, profile, rule):
        """What is really wrong is told early."""
        leading = [f["rule"] for f in self.judge(profile) if f["verdict"] == "fail"][:3]
        self.hold(f"{rule} among the first three of {profile}, which are {leading}", rule in leading, True)

    def check(self, path, want):
        if path.endswith(" first"):
            self.first_three(path.split(" ")[0], want)
        elif path.split(" ")[0] in PROFILES:
            self.verdict(path, want)
        elif isinstance(want, dict) and set(want) == {"absent"}:
            self.hold(f"value of {path}", paths.lookup(self.facts["facts"], path), None)
            self.hold(f"absence of {path}", paths.reason(self.facts, path), want["absent"])
        else:
            self.hold(path, paths.lookup(self.facts["facts"], path), want)

    def check_statements(self, statements):
        for checks in statements:
            if isinstance(checks, str):
                self.inexpressible.append(checks)
                continue
            self.begin(checks)
            for path, want in checks:
                self.check(path, want)
        self.end()


class Wrong(str):
    """What differs, and in which statement."""

    def __new__(cls, text, statement):
        self = super().__new__(cls, text)
        self.statement = statement
        return self


# --- shorthands ---------------------------------------------------------------------------------------------


def cpus(online, cores=None, sockets=None, threads=None, nodes=None):
    pairs = (("cpu.online", online), ("cpu.physical_cores", cores), ("cpu.sockets", sockets),
             ("cpu.threads_per_core", threads), ("numa_nodes", nodes))
    return [(path, value) for path, value in pairs if value is not None]


def governor(name, driver=None, max_khz=None):
    """All policies say so."""
    def all_are(key, value):
        return lambda policies: policies and all(p.get(key) == value for p in policies.values())
    return [("cpu.policies", all_are(key, value))
            for key, value in (("governor", name), ("driver", driver), ("max_khz", max_khz)) if value is not None]


def rings(nic, rx, rx_max):
    return [(f"nics.{nic}.rings.rx.current", rx), (f"nics.{nic}.rings.rx.max", rx_max)]


def irq(number, **want):
    return [(f"irqs.{number}.{key}", value) for key, value in want.items()]


def share(low, high):
    return lambda v: low <= v <= high


def no_findings(*rules, profiles=PROFILES):
    return [(f"{profile} {rule}", NO_FINDING) for profile in profiles for rule in rules]


NOBODY_TO_SHARE_WITH = no_findings("irq.*", "nic.channels.*", "nic.steering", "nic.xps", "nic.rss", "nic.virtio.queues",
                                   "memory.zone_reclaim", "memory.numa_balancing")
IN_FACTS = "values of the tree: held one by one against facts.json"
SYMMETRIC = [("cpu.asymmetric", False)]


STATEMENTS = {
    "arm32-exynos5-2core": [
        cpus(2, 2, 1, 1) + SYMMETRIC + [("cpu.model", "Cortex-A15")],
        governor("ondemand", "exynos_cpufreq", 1700000) + [("gateway cpu.governor", "fail")],
        [("numa_nodes", 1)],
        [("cpu.model", "Cortex-A15"), ("cpu.online_list", [0, 1])],
    ],
    "arm32-snowball-u8500": [
        cpus(2, 2, 1, 1) + SYMMETRIC + [("cpu.model", "Cortex-A9")],
        governor("ondemand"),
        [("cpu.policies", lambda p: len(p) == 1)],
        [("cpu.policies", lambda p: all(v["cpus"] == [0, 1] for v in p.values()))],
    ],
    "arm64-kunpeng-128cpu": [
        cpus(128, 128, threads=1) + [("cpu.online_list", members("0-127"))],
        [("cpu.sockets", 2), ("numa_nodes", 4), ("numa.0.cpus", members("0-31")), ("numa.3.cpus", members("96-127"))],
        SYMMETRIC + [("cpu.model", lambda m: "Kunpeng" in m), ("cpu.capacity", lambda c: set(c) == {1024})],
        "clusters of cores are no fact",
        [("cpu.package_of", lambda v: sorted(set(v)) == [36, 8442])],
    ],
    "arm64-phone-3cluster": [
        cpus(8, 8, threads=1) + [("cpu.offline", 0)],
        [("cpu.asymmetric", True), ("cpu.fast_cpus", [7]), ("cpu.capacity", [280] * 3 + [855] * 4 + [1024]),
         ("cpu.types", lambda t: sorted(tuple(v["cpus"]) for v in t.values()) == [(0, 1, 2), (3, 4), (5, 6), (7,)]
          and sorted(v["max_khz"] for v in t.values()) == [2016000, 2803200, 2803200, 3187200])],
        [("numa_nodes", 1)],
        governor("walt", "qcom-cpufreq-hw") + [("small-device cpu.governor", "pass")],
        [("cpu.sockets", 1), ("cpu.smt.control", "notimplemented"), ("cpu.smt.active", False),
         ("base cpu.governor", "pass")],
    ],
    "aws-m6g-4xlarge-graviton2": [
        [("cpu.online", 16)],
        [(f"irqs.{n}.top_share", 1.0) for n in range(56, 64)] +
        [("irqs", lambda v: len({v[str(n)]["top_cpu"] for n in range(56, 64)}) == 8), ("irqs.55.role", "other"),
         ("irqs.53.queue", 1), ("irqs.54.queue", 2), ("irqs.53.device", "nvme0")],
        IN_FACTS,
        IN_FACTS,
        [("cpu.online", 16)] + no_findings("nic.channels.*"),
    ],
    "aws-m7g-xlarge-graviton3": [
        [("cpu.online", 4), ("kernel.version", lambda v: v[:2] == [6, 1])],
        IN_FACTS,
        IN_FACTS,
    ],
    "cell-ps3-2t": [cpus(2, 1, threads=2), [("cpu.sockets", 1)]],
    "dpi-2xE5-2690-mlx4-be2net": [
        cpus(16, 16, 2, 1, 2) + [("numa.0.cpus", members("0-7")), ("numa.1.cpus", members("8-15"))],
        [(f"nics.{n}.{k}", v) for n in ("eth6", "eth7") for k, v in (("driver", "mlx4_en"), ("bus", "0000:04:00.0"))] +
        rings("eth6", 8192, 8192) + rings("eth7", 8192, 8192) +
        [("nics.eth6.irq.cpus", lambda v: min(v) < 8 <= max(v)), ("nics.eth7.irq.cpus", lambda v: min(v) < 8 <= max(v))],
        rings("eth0", 2047, 2047) + rings("eth1", 2047, 2047) + rings("eth2", 200, 2047) + rings("eth3", 200, 2047) +
        [("nics.eth4.rings.rx.max", {"absent": "unsupported"}), ("nics.eth5.rings.rx.current", {"absent": "unsupported"})],
        [("nics.eth1.irq.all_on_cpu0", True), ("nics.eth1.irq.cpus", [0]), ("gateway irq.nic.one_cpu eth1", "fail")],
        [("nics.eth6.irq.rx_vectors", 8), ("nics.eth7.irq.rx_vectors", 8)],
    ],
    "dpi-2xE5530-even-cpus": [
        cpus(16, 8, 2, 2, 1),
        [(f"irqs.{69 + k}.{key}", v) for k in range(8) for key, v in
         (("queue", k), ("top_cpu", 2 * k), ("top_share", share(0.985, 1)))] + rings("eth3", 2048, 4096) +
        irq(77, role="rx", top_cpu=1) + irq(78, role="tx", top_cpu=3) + irq(80, role="rx", top_cpu=5) +
        [("nics.eth3.irq.cpus", [0, 2, 4, 6, 8, 10, 12, 14]), ("gateway irq.nic.one_cpu eth3", "pass")],
        "which socket a CPU is in is in no file of the tree",
    ],
    "dpi-2xX5650-mlx4-bnx2": [
        cpus(12, 12, 2, 1, 2) + [("numa.0.cpus", [0, 2, 4, 6, 8, 10]), ("numa.1.cpus", [1, 3, 5, 7, 9, 11])],
        [(f"irqs.{64 + k}.top_cpu", cpu) for k, cpu in enumerate([0, 2, 4, 6, 8, 10, 0, 3])] + rings("eth0", 255, 2040) +
        rings("eth1", 2040, 2040) + irq(86, top_cpu=1, top_share=share(0.99, 1)) + irq(77, top_cpu=11),
    ],
    "dpi-e3-1271-x710": [
        cpus(4, 4, 1, 1, 1) + [("cpu.model", lambda m: "E3-1271 v3" in m)],
        [("nics.eth0.driver", "i40e"), ("nics.eth0.bus", "0000:01:00.0"), ("nics.eth1.bus", "0000:01:00.1"),
         ("nics.eth2.driver", "e1000e"), ("nics.eth3.driver", "igb")] + rings("eth0", 2048, 4096) +
        rings("eth1", 512, 4096) + rings("eth2", 256, 4096) + rings("eth3", 256, 4096),
        [("nics.eth0.irq.cpus", [0, 1, 2, 3]), ("nics.eth0.irq.top_share", share(0.25, 0.45))],
        [("nics.eth0.irq.one_cpu", False), ("gateway irq.nic.one_cpu eth0", "pass")],
    ],
    "dpi-e5200-2cpu": [
        cpus(2, 2, 1),
        rings("eth0", 256, 4096) + rings("eth1", 256, 4096) +
        [("nics.eth0.irq.cpus", [0, 1]), ("nics.eth0.irq.top_share", share(0.5, 0.56)), ("nics.eth0.irq.vectors", 1)],
        [("nics.eth2.driver", "ATL1E")] + no_findings("nic.rings.*"),
    ],
    "dpi-i3-4330-i350": [
        cpus(4, 2, 1, 2),
        rings("eth6", 4096, 4096) + rings("eth7", 256, 4096) +
        [(f"irqs.{n}.{k}", v) for n in (35, 36, 37, 38) for k, v in (("top_cpu", 0), ("top_share", share(0.57, 0.61)))] +
        [("nics.eth0.driver", "r8169"), ("nics.eth4.driver", "e1000"), ("nics.eth5.driver", "skge")],
    ],
    "ia64-altix-256cpu-64node": [
        cpus(256, 256, 128, nodes=64),
        [("cpu.online_list", members("0-255"))],
    ],
    "l3-2xE5-2687w-qlcnic-all-cpu0": [
        cpus(48, 24, 2, 2, 2) + [("numa.0.cpus", members("0-11,24-35")), ("numa.1.cpus", members("12-23,36-47"))],
        [(f"nics.{n}.irq.{k}", v) for n in ("eth0", "eth1") for k, v in
         (("rx_vectors", 4), ("cpus", [0]), ("all_on_cpu0", True), ("top_share", 1.0))] +
        rings("eth0", 4096, 8192) + rings("eth1", 4096, 8192) +
        [(f"{p} irq.nic.one_cpu {n}", "fail") for p in ("base", "gateway") for n in ("eth0", "eth1")],
        [r for n in (4, 5, 6, 7) for r in rings(f"eth{n}", 200, 2047)],
    ],
    "loongarch-3a5000": [cpus(4, 4, 1, 1, 1)],
    "lxd-container-rabbitmq": [
        [("cpu.online", 2), ("nics.eth0.physical", False), ("nics.eth0.driver", "veth"), ("nics.eth0.kind", "virtual"),
         ("nics.eth0.rings", {"absent": "unsupported"}), ("irqs", lambda v: all("eth0" not in i["devices"] for i in v.values()))],
        IN_FACTS,
        IN_FACTS,
        [("sysctl[\"net.core.netdev_max_backlog\"]", {"absent": "missing"}), ("irqs", lambda v: len(v) > 0)] +
        no_findings("nic.*", "irq.nic.*"),
    ],
    "mips-rt5350-28mb": [
        cpus(1) + [("memory.total_bytes", 28616 * 1024), ("memory.available_bytes", {"absent": "missing"}),
                   ("memory.swap.total_bytes", 0)],
        no_findings("tcp.*", "net.somaxconn", "conntrack.*", "limits.nr_open", "limits.file_max") + NOBODY_TO_SHARE_WITH,
    ],
    "mips-wndr3800-1core": [
        cpus(1, 1, threads=1, nodes=1),
        [("irqs.4.name", "19000000.eth"), ("irqs.5.name", "1a000000.eth"), ("irqs.12.name", "ath9k"),
         ("irqs.13.name", "ath9k")],
        "spurious interrupts are no fact",
        NOBODY_TO_SHARE_WITH + [("irqs.12.counts_total", 252273)],
    ],
    "ocp-r740xd-32cpu-nosmt-irqs": [
        cpus(32, 32, 2, 1, 2) + [("cpu.smt.active", False), ("cpu.model", lambda m: "Gold 6130" in m),
                                 ("numa.0.cpus", list(range(0, 32, 2)))],
        "interrupts that are no NIC's or drive's are not listed",
    ],
    "ocp-r750-112cpu-irqs": [
        cpus(112, 56, 2, 2, 2) + [("cpu.smt.active", True), ("cpu.model", lambda m: "Gold 6330" in m),
                                  ("place.product", lambda p: "R750" in p)],
        [("irqs", lambda v: ice_fires(v) and all(on_own_node(i) for i in v.values()))],
        [("cpu.isolated", lambda v: v == [])],
        "interrupts that are no NIC's or drive's are not listed",
        [("irqs", lambda v: len(v) > 1000)],
        [("irqs", lambda v: max(map(int, v)) > len(v))],
    ],
    "patchwork-node-exporter-fixture": [
        [("cpu.online", lambda n: n in (4, 8))],
        [("counters.softnet.processed_by_cpu", lambda v: len(v) == 4)],
        IN_FACTS,
        IN_FACTS,
        [("cpu.online", lambda n: n in (4, 8))],
    ],
    "power7-256cpu-8node": [
        cpus(256, 64, threads=4, nodes=8) + [("numa", lambda v: sorted(map(int, v)) == [0, 1, 4, 5, 8, 9, 12, 13]
                                              and all(len(n["cpus"]) == 32 for n in v.values()))],
        [("cpu.online", 256)],
    ],
    "power7-lpar-16t-smt4": [
        cpus(16, 4, threads=4, nodes=1) + [("cpu.min_threads_per_core", 4)],
        [("cpu.possible", 16), ("cpu.present", 16), ("cpu.offline", 0)],
        [("cpu.offline", 0), ("cpu.sockets", {"absent": "missing"}), ("base cpu.offline", "pass")],
    ],
    "ppc-qemu-1cpu": [cpus(1, 1, threads=1), NOBODY_TO_SHARE_WITH],
    "riscv-k1-musebook-8c": [cpus(8, 8)],
    "riscv-milkv-duos-1core": [cpus(1, 1) + NOBODY_TO_SHARE_WITH],
    "riscv-milkv-pioneer-64c": [
        cpus(64, 64, 1, 1, 4) + [("numa.0.cpus", members("0-7,16-23"))],
        SYMMETRIC,
        [("numa", lambda v: sorted(c for n in v.values() for c in n["cpus"]) == list(range(64)))],
    ],
    "riscv-th1520-lpi4a": [cpus(4, 4)],
    "riscv-u74-2core-broken-topology": [
        cpus(2, 2),
        [("cpu.sockets", {"absent": "missing"})],
        [("cpu.smt.active", False), ("cpu.smt.control", "notimplemented")],
        [("cpu.threads_per_core", 1), ("cpu.physical_cores", 2)],
    ],
    "rock5b-rk3588": [
        cpus(8, 8) + governor("ondemand") + [("cpu.asymmetric", True), ("cpu.fast_cpus", [4, 5, 6, 7]),
                                             ("gateway cpu.governor", "fail")],
        [("cpu.asymmetric", True), ("cpu.types", lambda t: len(t) == 2)],
    ],
    "rpi1-model-b-1core": [cpus(1, 1), NOBODY_TO_SHARE_WITH],
    "rpi3-model-b": [cpus(4, 4) + [("cpu.policies", lambda p: len(p) == 1)]],
    "rpi5-model-b": [
        cpus(4, 4) + governor("ondemand", max_khz=2400000) +
        [("cpu.policies", lambda p: len(p) == 1 and all(v["min_khz"] == 1000000 for v in p.values()))],
        SYMMETRIC + [("cpu.policies", lambda p: all(v["cpus"] == [0, 1, 2, 3] for v in p.values()))],
    ],
    "s390x-20cpu-books": [cpus(20, 20, threads=1) + [("cpu.offline", 0), ("cpu.possible", 64)]],
    "s390x-kvm": [cpus(3) + [("cpu.offline", 0), ("cpu.possible", 64)]],
    "s390x-lpar-cpu0-offline": [
        [("cpu.online_list", members("1-5,8-19")), ("cpu.offline_list", [0, 6, 7]), ("base cpu.offline", "unknown")],
        cpus(17, 17, threads=1),
        [("cpu.offline", 3), ("cpu.online", 17)],
    ],
    "s390x-zvm": [cpus(4) + [("cpu.offline", 0), ("cpu.possible", 64)]],
    "vm-4node-8cpu": [cpus(8, nodes=4), [("cpu.online", 8)]],
    "vm-cloudstack-kvm-virtio": [
        cpus(2, 2, 2, 1, 1) + [("place.virtualization", "kvm"), ("place.cloud", "cloudstack")],
        [("nics.ens3.driver", "virtio_net"), ("nics.ens3.queues.rx", 1), ("nics.ens3.queues.tx", 1),
         ("nics.ens3.speed_mbps", {"absent": "unsupported"}), ("nics.ens3.up", True)],
        [("gateway nic.steering ens3", "fail"), ("gateway nic.link.speed ens3", "na"), ("gateway tcp.wmem.bdp ens3", "unsupported")],
    ],
    "vm-ghw-accel-2cpu": [cpus(2, sockets=2, nodes=1) + [("cpu.model", lambda m: "Gold 5218R" in m)]],
    "vm-k8s-node-kvm-2vcpu": [
        cpus(2, 2, 2, 1) + [("place.virtualization", "kvm"), ("kernel.release", "5.4.0-99-generic")],
        [("nics.ens3.driver", "virtio_net"), ("irqs.29.role", "rx"), ("irqs.30.role", "tx"), ("irqs.29.fired", [0, 1])],
        [("counters.conntrack.count", 901), ("counters.conntrack.max", 131072), ("gateway conntrack.full", "pass"),
         ('nics["flannel.1"].driver', "vxlan"), ('sysctl["net.core.somaxconn"]', 4096)],
        [("numa_nodes", 1)],
        IN_FACTS,
        IN_FACTS,
    ],
    "vm-kvm-e1000-2vcpu": [
        cpus(2, 2, 2, 1, 1) + [("place.virtualization", "kvm")],
        rings("eth0", 256, 4096) + rings("eth1", 4096, 4096) +
        [("nics.eth1.irq.all_on_cpu0", True), ("nics.eth1.irq.top_share", 1.0), ("nics.eth1.driver", "e1000")],
        "whether eth0 and eth1 are up is in no file of the tree: nic.emulated asks for it",
    ],
    "vm-nvidia-vgpu-8cpu": [cpus(8, 8, 1, nodes=1) + [("cpu.model", lambda m: "E5-2695 v4" in m)]],
    "vm-vmware-16vcpu-opteron": [
        cpus(16, 8, 2, 2, 4) + [("cpu.smt.kind", "module"), ("cpu.offline", 0)],
        governor("ondemand", "acpi-cpufreq"),
        [("cpu.offline", 0), ("base cpu.offline", "pass")],
    ],
    "vm-vscale-kvm-1vcpu": [
        cpus(1) + [("place.virtualization", "kvm"), ("nics.eth0.driver", "virtio_net"), ("nics.eth0.irq.cpus", [0]),
                   ("nics.eth0.irq.rx_vectors", 1)] + rings("eth0", 256, 256),
        NOBODY_TO_SHARE_WITH + no_findings("nic.rings.*"),
    ],
    "vmware-esxi6-46vcpu-all-cpu0": [
        [("cpu.online", 46)] + irq(56, name="ens192-rxtx-0", device="ens192", counts_total=271490338, top_cpu=0,
                                   top_share=1.0) + [("gateway first", "irq.device.one_cpu"), ("base first", "irq.device.one_cpu")],
        "the counters are in the thread, not in the tree",
        [("cpu.online", 46)],
    ],
    "x86-1152cpu-irq-table": [
        [("cpu.online", 1152)],
        [("irqs", lambda v: fired(v, "i40e-eth") == (94, 94) and fired(v, "i40e-enp") == (282, 0))],
        [("irqs.772.top_cpu", lambda c: c == 93)],
    ],
    "x86-96c-4node-16socket": [cpus(96, 96, 16, nodes=4), [("cpu.online", 96)]],
    "x86-asymmetric-caches": [
        cpus(8, 8, 2, nodes=1) + [("cpu.offline", 0)],
        SYMMETRIC + [("cpu.offline", 0)],
    ],
    "x86-buggy-numa-8cpu": [
        cpus(8, 8, 2, 1),
        [("numa_nodes", 1)],
    ],
    "x86-dell-e4310-laptop": [
        cpus(4, 2, 1, 2) + [("cpu.possible", 8), ("cpu.present", 4), ("cpu.offline", 0)],
        governor("ondemand") + [("base cpu.governor", "fail")],
        [("base cpu.offline", "pass")],
    ],
    "x86-e5-2680-igb-ib-nvme": [
        cpus(16, 16, 2, 1, 2) + [("cpu.possible", 128), ("numa.0.cpus", members("0-7")), ("numa.1.cpus", members("8-15"))],
        [(f"nics.{n}.{k}", v) for n in ("eth0", "eth1") for k, v in
         (("driver", "igb"), ("numa_node", 0), ("queues.rx", 8), ("queues.tx", 8))] +
        [("nics.eth0.up", True), ("nics.eth0.speed_mbps", 1000), ("nics.eth1.up", False), ("nics.ib0.numa_node", 1),
         ("nics.ib0.kind", "infiniband"), ("nics.mic0.physical", False)],
        governor("performance", "acpi-cpufreq") + [("gateway cpu.governor", "pass")],
        [("nics.eth1.speed_mbps", None), ("gateway nic.link.speed eth1", "na")],
    ],
    "x86-epyc-7451-2s-8node": [
        cpus(96, 48, 2, 2, 8) + [("cpu.smt.active", True), ("numa.0.cpus", members("0-5,48-53"))],
        governor("performance", "acpi-cpufreq", 2300000) + [("cpu.idle.driver", "acpi_idle"),
                                                            ("gateway cpu.governor", "pass")],
        [("cpu.nohz_full", []), ("numa_nodes", 8), ("cpu.sockets", 2)],
    ],
    "x86-i7-1165g7-laptop": [
        cpus(8, 4, 1, 2, 1),
        governor("powersave", "intel_pstate", 4700000),
        [("base cpu.governor", "pass"), ("gateway cpu.governor", "pass")],
    ],
    "x86-i7-1370p-hybrid": [
        cpus(20, 14, 1, 2, 1) + [("cpu.smt.active", True), ("cpu.asymmetric", True), ("cpu.fast_cpus", members("0-11"))],
        governor("powersave", "intel_pstate"),
        [("cpu.policies", lambda p: sorted({v["max_khz"] for v in p.values()}) == [3900000, 5000000, 5200000]
          and sorted(c for v in p.values() if v["max_khz"] == 5200000 for c in v["cpus"]) == [4, 5, 8, 9])],
        [("cpu.types", lambda t: sorted(v["cores"] for v in t.values()) == [6, 8])],
    ],
    "x86-i7-4810mq-8cpu-throttle": [cpus(8, 4, 1, 2)],
    "x86-lakefield-hybrid-5c": [
        cpus(5, 5, threads=1) + [("cpu.asymmetric", True), ("cpu.types", lambda t: sorted(v["cores"] for v in t.values()) == [1, 4])],
    ],
    "x86-opteron-6134-32c-cgroup2": [
        cpus(32, 32, 4, 1, 8) + governor("ondemand", "powernow-k8") + [("cpu.offline", 0)],
    ],
    "x86-opteron-6276-64c-modules": [
        cpus(64, sockets=4, nodes=8) + [("numa", lambda v: all(len(n["cpus"]) == 8 for n in v.values()))],
        [("cpu.physical_cores", 32), ("cpu.threads_per_core", 2)],
        [("cpu.smt.kind", "module")],
    ],
    "x86-r740-snc-4node": [cpus(80, 40, 2, 2, 4) + [("cpu.smt.active", True)], [("numa_nodes", 4), ("cpu.sockets", 2)]],
    "x86-ryzen-1600-4nic": [
        cpus(12, 6, 1, 2, 1),
        [(f"nics.{n}.physical", True) for n in ("enp3s0", "enp6s0f0", "enp6s0f1", "enp8s0")],
        [("cpu.online", 12)],
    ],
    "x86-smt-partial-offline": [
        [("cpu.online_list", members("0-1,3-4,6-12,15")), ("cpu.offline_list", [2, 5, 13, 14])],
        cpus(12, 7, 4, 2) + [("cpu.min_threads_per_core", 1)],
        [("cpu.online", 12)],
    ],
    "x86-x7550-4s-64t-node-gap": [
        cpus(64, 32, 4, 2) + [("cpu.possible", 80), ("cpu.offline", 0)],
        [("numa", lambda v: sorted(v) == ["0", "2", "3"]), ("numa_nodes", 3)],
        governor("ondemand", "acpi-cpufreq", 1996000) + [("cpu.idle.driver", "intel_idle")],
        [("numa_nodes", 3), ("cpu.sockets", 4)],
    ],
    "x86-xeon-l5640-2s": [
        cpus(24, 12, 2, 2, 2) + [("numa.0.cpus", list(range(0, 24, 2))), ("numa.1.cpus", list(range(1, 24, 2)))],
        [("cpu.online", 24)],
    ],
    "xen-ec2-m3-xlarge": [
        [("cpu.online", 4), ("nics.eth0.irq.vectors", 1), ("nics.eth0.irq.cpus", [0]), ("irqs.76.counts_total", 6958),
         ("irqs.76.top_cpu", 0), ("place.virtualization", "xen")],
        [("irqs.76.device", "eth0"), ("nics.eth0.irq.source", "fired")],
        [("irqs.76.device", "eth0")],
    ],
}


def fired(irqs, prefix):
    """How many vectors of that name there are, and how many of them have fired."""
    of_it = [i for i in irqs.values() if i["name"].startswith(prefix) and i["role"] != "other"]
    return len(of_it), sum(i["counts_total"] > 0 for i in of_it)


def ice_fires(irqs):
    ports = {}
    for i in irqs.values():
        if i["name"].startswith("ice-") and i["role"] != "other":
            ports.setdefault(i["device"], []).append(i["counts_total"] > 0)
    return bool(ports) and all(len(p) == 112 and sum(p) <= 7 for p in ports.values())


def on_own_node(irq):
    """No active vector of a NIC has an effective CPU off its own node: even CPUs are node 0 here."""
    if irq["role"] not in ("rx", "tx", "combined") or not irq["counts_total"] or "node" not in irq:
        return True
    return all(c % 2 == irq["node"] for c in irq.get("effective", []))


def statements_of(source):
    """How many statements SOURCE.md makes: bullets, lists of values, the trap."""
    lines = source.split("## What is TRUE")[1].split("Machine-readable")[0].splitlines()
    return sum(1 for k, line in enumerate(lines) if line.startswith(("- ", "Key sysctl", "Counters in"))
               or (k and lines[k - 1].strip() == "" and line and k > 1 and lines[k - 2].startswith("## Trap")))
