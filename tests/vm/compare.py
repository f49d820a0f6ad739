"""What other tools tell of a guest, held against tuneaudit's facts of it, field by field.

Each function takes (tools, facts) and yields (what, tuneaudit's value, the other tool's value); None stands for a
value that is not there. Where a counter may have moved, the other value is a Between(before, after) of our own two
readings and the first one is the tool's. What a tool reads from the same file by other code still finds a wrong parser,
a wrong file, a value given to the wrong name.
"""
import json
import re


class Between:
    """A counter read between two readings of ours; what also falls (a level) lies between them in either order."""

    def __init__(self, low, high, level=False):
        self.low, self.high = low, high
        if level and None not in (low, high):
            self.low, self.high = min(low, high), max(low, high)

    def __eq__(self, value):
        return None not in (self.low, self.high, value) and self.low <= value <= self.high

    def __repr__(self):
        return f"between {self.low} and {self.high}"


class Tools:
    """The outputs of the guest's other tools, by name."""

    def __init__(self, directory):
        self.directory = directory

    def text(self, name):
        path = self.directory / name
        return path.read_text(errors="surrogateescape") if path.exists() else None

    def json(self, name):
        text = self.text(name)
        return json.loads(text) if text else None

    def names(self, prefix):
        return sorted(p.name[len(prefix):] for p in self.directory.glob(prefix + "*"))

    def lines(self, name):
        return (self.text(name) or "").splitlines()


class Facts:
    """Our own readings: the one that is compared, and the one before."""

    def __init__(self, before, after):
        self.before, self.after = before, after

    @staticmethod
    def look(doc, path):
        at = doc["facts"]
        for key in path:
            if not isinstance(at, dict) or str(key) not in at:
                return None
            at = at[str(key)]
        return at

    def get(self, *path):
        return self.look(self.after, path)

    def between(self, *path, level=False):
        return Between(self.look(self.before, path), self.look(self.after, path), level)


def cpus_of(text):
    """The CPUs of "0-3,8" or of a mask "ff,00000000"."""
    out = []
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        out += range(int(first), int(last or first) + 1)
    return out


def cpus_of_mask(text):
    value = int(text.strip().replace(",", ""), 16)
    return [c for c in range(value.bit_length()) if value >> c & 1]


def number(text):
    text = text.strip()
    return int(text) if re.fullmatch(r"-?[0-9]+", text) else None


def on_off(text):
    word = text.split()[0] if text.split() else ""
    return {"on": True, "off": False, "yes": True, "no": False}.get(word.lower())


def rows(text):
    """{"Name": "value"} of the lines "Name:   value"."""
    out = {}
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            out.setdefault(name.strip(), value.strip())
    return out


def host(tools, facts):
    yield "kernel.release", facts.get("kernel", "release"), tools.text("uname").strip()
    yield "kernel.arch", facts.get("kernel", "arch"), tools.text("uname-m").strip()
    yield "kernel.tainted", facts.get("kernel", "tainted"), number(tools.text("proc-sys-kernel-tainted"))
    yield "clocksource", facts.get("kernel", "clocksource", "current"), tools.text("clocksource").strip()
    version = [int(n) for n in re.match(r"(\d+)\.(\d+)(?:\.(\d+))?", tools.text("uname")).groups("0")]
    yield "kernel.version", facts.get("kernel", "version"), version
    yield "place.uid", facts.get("place", "uid"), number(tools.text("id"))
    yield "modules.loaded", sorted(facts.get("modules", "loaded") or []), sorted(
        line.split()[0] for line in tools.lines("lsmod")[1:])
    for line in tools.lines("vulnerabilities"):
        path, _, value = line.partition(":")
        name = path.rsplit("/", 1)[1]
        yield f"vulnerability {name}", facts.get("kernel", "vulnerabilities", name), value
    for line in tools.lines("dmi"):
        path, _, value = line.partition(":")
        key = {"sys_vendor": "vendor", "product_name": "product"}[path.rsplit("/", 1)[1]]
        yield f"place.{key}", facts.get("place", key), value
    for line in tools.lines("thp"):
        path, _, value = line.partition(":")
        chosen = re.search(r"\[(.*?)\]", value)[1]
        yield f"THP {path}", facts.get("memory", "thp", path.rsplit("/", 1)[1]), chosen


# The release that brought a thing; all of it is in Debian's configuration.
SINCE = {
    "epollexclusive": (4, 5), "reuseport": (3, 9), "reuseport_bpf": (4, 5), "incoming_cpu": (4, 4), "incoming_napi_id": (4, 12),
    "msg_zerocopy": (4, 14), "tcp_fastopen_connect": (4, 11), "tcp_defer_accept": (2, 4), "tcp_notsent_lowat": (3, 12), "pacing": (3, 13),
    "busy_poll": (3, 11), "udp_gso": (4, 18), "udp_gro": (5, 0), "sendfile": (2, 6), "ethtool_netlink": (5, 6), "rps": (2, 6), "rfs": (2, 6),
    "xps": (2, 6), "io_uring": (5, 1), "epoll_pwait2": (5, 11), "prefer_busy_poll": (5, 11), "threaded_napi": (5, 12),
    "io_uring_ring_fds": (5, 18), "io_uring_coop_taskrun": (5, 19), "io_uring_pbuf_ring": (5, 19), "io_uring_multishot_accept": (5, 19),
    "io_uring_multishot_recv": (6, 0), "io_uring_send_zc": (6, 0), "io_uring_defer_taskrun": (6, 1), "io_uring_sendmsg_zc": (6, 1),
    "eevdf": (6, 6), "mthp": (6, 8), "epoll_busy_poll": (6, 9), "io_uring_napi": (6, 9), "tw_reuse_delay": (6, 14), "accurate_ecn": (6, 18),
}


def features(tools, facts):
    version = tuple(int(n) for n in re.match(r"(\d+)\.(\d+)", tools.text("uname")).groups())
    for name, since in SINCE.items():
        if name == "eevdf" and version < (5, 13):
            continue  # there is no debug/sched to tell by
        yield f"feature {name}", facts.get("features", name, "works"), version >= since
    loaded = [line.split()[0] for line in tools.lines("lsmod")[1:]]
    for name, state in facts.get("modules", "state").items():
        yield f"module {name} loaded", state == "loaded", name in loaded


def lscpu(tools, facts):
    row = {r["field"].strip(":"): r["data"] for r in flatten(tools.json("lscpu")["lscpu"])}
    yield "cpu.online", facts.get("cpu", "online"), len(cpus_of(row["On-line CPU(s) list"]))
    yield "cpu.online_list", facts.get("cpu", "online_list"), cpus_of(row["On-line CPU(s) list"])
    yield "cpu.present", facts.get("cpu", "present"), int(row["CPU(s)"])
    yield "cpu.threads_per_core", facts.get("cpu", "threads_per_core"), int(row["Thread(s) per core"])
    yield "cpu.sockets", facts.get("cpu", "sockets"), int(row["Socket(s)"])
    yield "cpu.physical_cores", facts.get("cpu", "physical_cores"), int(row["Core(s) per socket"]) * int(row["Socket(s)"])
    yield "cpu.model", facts.get("cpu", "model"), row["Model name"]
    yield "cpu.vendor", facts.get("cpu", "vendor"), row["Vendor ID"]
    yield "cpu.family", facts.get("cpu", "family"), int(row["CPU family"])
    yield "cpu.aes", facts.get("cpu", "aes"), "aes" in row["Flags"].split()
    yield "numa_nodes", facts.get("numa_nodes"), int(row["NUMA node(s)"])
    for name, value in row.items():
        node = re.fullmatch(r"NUMA node(\d+) CPU\(s\)", name)
        if node:
            yield f"numa.{node[1]}.cpus", facts.get("numa", node[1], "cpus"), cpus_of(value)
    table = [line.split(",") for line in tools.lines("lscpu-p") if not line.startswith("#")]
    yield "cores of lscpu -p", facts.get("cpu", "physical_cores"), len({(r[1], r[2]) for r in table})
    yield "packages", facts.get("cpu", "package_of"), [int(r[2]) for r in table]
    first = {}
    yield "cores", facts.get("cpu", "core_of"), [first.setdefault((r[1], r[2]), int(r[0])) for r in table]
    by_node = {}
    for r in table:
        by_node.setdefault(r[3], set()).add((r[1], r[2]))
    for node, cores in by_node.items():
        if node:
            yield f"numa.{node}.physical_cores", facts.get("numa", node, "physical_cores"), len(cores)
    for line in tools.lines("numactl"):
        size = re.match(r"node (\d+) size: (\d+) MB", line)
        if size and facts.get("numa", size[1], "memory_bytes"):
            yield f"numa.{size[1]} MB", facts.get("numa", size[1], "memory_bytes") >> 20, int(size[2])
        distance = re.match(r"\s*(\d+):((?:\s+\d+)+)", line)
        if distance:
            yield f"distances of {distance[1]}", facts.get("numa", distance[1], "distance"), [int(n) for n in distance[2].split()]


def flatten(fields):
    for field in fields:
        yield field
        yield from flatten(field.get("children", []))


def cpufreq(tools, facts):
    names = {"scaling_governor": "governor", "scaling_driver": "driver", "cpuinfo_max_freq": "max_khz",
             "cpuinfo_min_freq": "min_khz", "scaling_max_freq": "scaling_max_khz", "scaling_min_freq": "scaling_min_khz",
             "energy_performance_preference": "epp", "affected_cpus": "cpus", "scaling_available_governors": "governors"}
    for line in tools.lines("cpufreq"):
        path, _, value = line.partition(":")
        policy, file = path.split("/")[-2:]
        if file not in names:
            continue
        got = facts.get("cpu", "policies", policy, names[file])
        if names[file] == "governors":
            yield f"{policy} {file}", sorted(got or []), sorted(value.split())
        elif names[file] == "cpus":
            yield f"{policy} {file}", got, [int(c) for c in value.split()]
        else:
            yield f"{policy} {file}", got, number(value) if number(value) is not None else value
    for line in tools.lines("idle"):
        path, _, value = line.partition(":")
        if "/state" in path:
            yield path, facts.get("cpu", "idle", "states", path.split("/")[-2], "name"), value
        else:
            yield path, facts.get("cpu", "idle", path.rsplit("_", 1)[1]), value


def memory(tools, facts):
    info = {k: int(v.split()[0]) for k, v in rows(tools.text("proc-meminfo")).items()}
    for key, name in (("total_bytes", "MemTotal"), ("commit_limit_bytes", "CommitLimit")):
        yield name, facts.get("memory", key), info[name] * 1024
    yield "SwapTotal", facts.get("memory", "swap", "total_bytes"), info["SwapTotal"] * 1024
    yield "HugePages_Total", facts.get("memory", "hugepages", "total"), info["HugePages_Total"]
    yield "HugePages_Free", facts.get("memory", "hugepages", "free"), info["HugePages_Free"]
    yield "Hugepagesize", facts.get("memory", "hugepages", "size_bytes"), info["Hugepagesize"] * 1024


def sysctls(tools, facts):
    told = {}
    for line in tools.lines("sysctl"):
        name, equals, value = line.partition(" = ")
        if equals:
            told[name] = value.strip()
    moving = {"fs.file-nr", "net.netfilter.nf_conntrack_count"}
    for name, value in facts.get("sysctl").items():
        if name in moving:
            continue
        if isinstance(value, list):
            value = " ".join(map(str, value))
        want = " ".join(told[name].split()) if name in told else None
        yield f"sysctl {name}", " ".join(str(value).split()), want


def limits(tools, facts):
    def pair(name):
        for line in tools.lines(name):
            word = line.split()
            if word[:1] == ["NOFILE"]:
                return [w if w == "unlimited" else int(w) for w in word[1:]]
        return [None, None]

    self, init = pair("prlimit"), pair("prlimit-1")
    for n, kind in enumerate(("soft", "hard")):
        yield f"own nofile {kind}", facts.get("limits", f"self_nofile_{kind}"), self[n]
        yield f"nofile of process 1 {kind}", facts.get("limits", f"init_nofile_{kind}"), init[n]
    for pid in tools.names("prlimit."):
        if facts.get("processes", pid) is None:
            continue
        for n, kind in enumerate(("soft", "hard")):
            yield f"nofile {kind} of {pid}", facts.get("processes", pid, f"nofile_{kind}"), pair(f"prlimit.{pid}")[n]
        for line in tools.lines(f"prlimit.{pid}"):
            word = line.split()
            key = {"NPROC": "nproc_soft", "MEMLOCK": "memlock_soft", "STACK": "stack_soft"}.get(word[0])
            if key:
                yield f"{key} of {pid}", facts.get("processes", pid, key), word[1] if word[1] == "unlimited" else int(word[1])


def listeners(tools, facts):
    ours = facts.get("listeners") or {}
    told = {}
    for line in tools.lines("ss"):
        word = line.split()
        # ss writes "*" for a socket that takes IPv4 and IPv6; in the kernel that is [::].
        address = word[3].replace("*:", "[::]:", 1)
        told.setdefault(f"self tcp {address}", []).append((int(word[1]), int(word[2])))
    yield "listeners", sorted(ours), sorted(told)
    for key, sockets in told.items():
        yield f"sockets of {key}", facts.get("listeners", key, "sockets"), len(sockets)
        yield f"queue of {key}", facts.get("listeners", key, "queued_max"), max(q for q, _ in sockets)
        if "tcp_diag" in (facts.get("modules", "loaded") or []):
            yield f"backlog of {key}", facts.get("listeners", key, "backlog_min"), min(b for _, b in sockets)


def disks(tools, facts):
    listed = (tools.json("lsblk") or {}).get("blockdevices", [])
    for disk in listed:
        if disk["type"] != "disk":
            continue
        name = disk["name"]
        yield f"{name} scheduler", facts.get("disks", name, "scheduler"), disk["sched"]
        yield f"{name} rotational", facts.get("disks", name, "rotational"), bool(int(disk["rota"]))
        yield f"{name} nr_requests", facts.get("disks", name, "nr_requests"), int(disk["rq-size"])
        yield f"{name} read-ahead", facts.get("disks", name, "read_ahead_kb"), int(disk["ra"])


def nvme(tools, facts):
    yield "NVMe controllers", sorted(facts.get("nvme") or {}), tools.names("nvme-id.")
    for name in tools.names("nvme-id."):
        told = tools.json(f"nvme-id.{name}")
        yield f"{name} model", facts.get("nvme", name, "model"), told["mn"].strip()
        yield f"{name} firmware", facts.get("nvme", name, "firmware"), told["fr"].strip()
        if not told["apsta"]:
            yield f"{name} APST", facts.get("nvme", name, "apst_supported"), False
        # Number of Queues: zero-based, submission and completion; ours counts the admin queue too.
        granted = int(re.search(r"0x([0-9a-f]+)\s*$", tools.text(f"nvme-queues.{name}"))[1], 16)
        in_use = len(tools.text(f"nvme-mq.{name}").split()) if tools.text(f"nvme-mq.{name}") else (granted & 0xFFFF) + 1
        yield f"{name} queues", facts.get("nvme", name, "queues"), in_use + 1
        yield f"{name} queues at most", (facts.get("nvme", name, "queues") or 0) <= (granted & 0xFFFF) + 2, True
        node = number(tools.text(f"numa.{name}"))
        yield f"{name} node", facts.get("nvme", name, "numa_node"), 0 if node == -1 and facts.get("numa_nodes") == 1 else node
        mine = {n for n, i in facts.get("irqs").items() if i.get("device") == name}
        yield f"{name} interrupts", sorted(mine), sorted(set(tools.text(f"msi_irqs.{name}").split()) & set(facts.get("irqs")))


def interrupts(tools, facts):
    table = tools.lines("proc-interrupts")
    columns = len(table[0].split())
    counts = {}
    for line in table[1:]:
        number_, _, rest = line.partition(":")
        if number_.strip().isdigit():
            counts[number_.strip()] = sum(int(n) for n in rest.split()[:columns])
    for irq, fact in facts.get("irqs").items():
        yield f"irq {irq} count", counts.get(irq), facts.between("irqs", irq, "counts_total")
        yield f"irq {irq} name", fact["name"] in next((r for r in table if r.strip().startswith(irq + ":")), ""), True
        told = re.search(r"(?:^|-)(TxRx|rx|tx|input|output)[-.](\d+)$", fact["name"])
        if told:
            role = {"TxRx": "combined", "input": "rx", "output": "tx"}.get(told[1], told[1])
            # The only vector of a driver with one queue carries both ways, whatever its name says of one.
            yield f"irq {irq} role", fact.get("role"), role
            yield f"irq {irq} queue", fact.get("queue"), int(told[2])
        if fact.get("device") in facts.get("nics"):
            yield f"irq {irq} node", fact.get("node"), facts.get("nics", fact["device"], "numa_node")
    for name, key in (("affinity", "wanted"), ("effective", "effective")):
        for line in tools.lines(name):
            path, _, cpus = line.partition(":")
            irq = path.split("/")[3]
            if facts.get("irqs", irq):
                yield f"irq {irq} {key}", facts.get("irqs", irq, key), cpus_of(cpus)


def snmp_tables(text):
    lines = text.splitlines()
    for names, values in zip(lines[::2], lines[1::2]):
        kind, _, keys = names.partition(":")
        yield kind.lower(), dict(zip(keys.split(), map(int, values.partition(":")[2].split())))


SOCKSTAT = {("sockets", "used"): "sockets_used", ("TCP", "inuse"): "tcp_inuse", ("TCP", "orphan"): "tcp_orphan", ("TCP", "tw"): "tcp_tw",
            ("TCP", "alloc"): "tcp_alloc", ("TCP", "mem"): "tcp_mem", ("UDP", "inuse"): "udp_inuse", ("UDP", "mem"): "udp_mem",
            ("FRAG", "memory"): "frag_memory", ("TCP6", "inuse"): "tcp6_inuse"}


def counters(tools, facts):
    for file in ("proc-net-snmp", "proc-net-netstat"):
        for kind, table in snmp_tables(tools.text(file)):
            for name, _ in (facts.get("counters", kind) or {}).items():
                yield f"{kind} {name}", table.get(name), facts.between("counters", kind, name, level=name == "CurrEstab")
    for file in ("proc-net-sockstat", "proc-net-sockstat6"):
        for line in tools.lines(file):
            kind, _, rest = line.partition(":")
            words = rest.split()
            for name, value in zip(words[::2], words[1::2]):
                key = SOCKSTAT.get((kind, name))
                if key:
                    yield f"sockstat {key}", int(value), facts.between("counters", "sockstat", key, level=True)
    softnet = [[int(w, 16) for w in line.split()] for line in tools.lines("proc-net-softnet_stat")]
    for column, name in ((0, "processed"), (1, "dropped"), (2, "time_squeeze"), (9, "received_rps"), (10, "flow_limit")):
        yield f"softnet {name}", sum(row[column] for row in softnet), facts.between("counters", "softnet", name)
    if facts.get("counters", "softnet", "cpus") == list(range(len(softnet))):
        per_cpu = facts.get("counters", "softnet", "processed_by_cpu")
        before = Facts.look(facts.before, ("counters", "softnet", "processed_by_cpu"))
        for cpu, row in enumerate(softnet):
            yield f"softnet of CPU {cpu}", row[0], Between(before[cpu], per_cpu[cpu])
    for line in tools.lines("proc-softirqs"):
        word = line.split()
        name = {"NET_RX:": "net_rx", "NET_TX:": "net_tx"}.get(word[0])
        if name:
            yield f"softirq {name}", sum(map(int, word[1:])), facts.between("counters", "softirq", name)
    for line in tools.lines("proc-stat"):
        word = line.split()
        if word[0] == "cpu":
            ticks = [int(n) for n in word[1:]]
            for name, value in (("user", ticks[0] + ticks[1]), ("system", ticks[2]), ("idle", ticks[3] + ticks[4]),
                                ("irq", ticks[5]), ("softirq", ticks[6]), ("steal", ticks[7])):
                yield f"time {name}", value, facts.between("cpu", "time", name)
    for name in ("cpu", "memory", "io"):
        for line in tools.lines(f"proc-pressure-{name}"):
            kind, total = line.split()[0], int(line.rsplit("=", 1)[1])
            if facts.get("pressure", name, kind, "total_us") is not None:
                yield f"pressure {name} {kind}", total, facts.between("pressure", name, kind, "total_us")


def links(tools, facts):
    told = {link["ifname"]: link for link in tools.json("ip")}
    yield "interfaces", sorted(facts.get("nics")), sorted(told)
    kinds = {"bond": "bond", "vlan": "vlan", "bridge": "bridge", "veth": "virtual", "dummy": "virtual"}
    for name, link in told.items():
        nic = ("nics", name)
        yield f"{name} mtu", facts.get(*nic, "mtu"), link["mtu"]
        yield f"{name} qdisc", facts.get(*nic, "qdisc"), link["qdisc"]
        yield f"{name} txqueuelen", facts.get(*nic, "txqueuelen"), link.get("txqlen", 0)
        yield f"{name} master", facts.get(*nic, "master"), link.get("master", "")
        yield f"{name} lower", facts.get(*nic, "lower"), [link["link"]] if link.get("linkinfo", {}).get("info_kind") == "vlan" else facts.get(*nic, "lower")
        up = "UP" in link["flags"] and (link["operstate"] == "UP" or link["operstate"] == "UNKNOWN" and "LOWER_UP" in link["flags"])
        yield f"{name} up", facts.get(*nic, "up"), up
        kind = link.get("linkinfo", {}).get("info_kind")
        if kind or name == "lo":
            yield f"{name} kind", facts.get(*nic, "kind"), kinds.get(kind, "loopback" if name == "lo" else kind)
        stats = link["stats64"]
        yield f"{name} carrier changes", stats["tx"].get("carrier_changes"), facts.between("nics", name, "carrier_changes")
        for file, value in (("rx_bytes", stats["rx"]["bytes"]), ("rx_packets", stats["rx"]["packets"]), ("rx_errors", stats["rx"]["errors"]),
                            ("rx_dropped", stats["rx"]["dropped"]), ("tx_bytes", stats["tx"]["bytes"]), ("tx_packets", stats["tx"]["packets"]),
                            ("tx_errors", stats["tx"]["errors"]), ("tx_dropped", stats["tx"]["dropped"]),
                            ("rx_missed_errors", stats["rx"]["missed_errors"]), ("rx_fifo_errors", stats["rx"]["fifo_errors"]),
                            ("rx_over_errors", stats["rx"]["over_errors"]), ("collisions", stats["tx"]["collisions"])):
            if facts.get("counters", "nic", name, file) is not None:
                yield f"{name} {file}", value, facts.between("counters", "nic", name, file)
    leaves = {}
    for qdisc in tools.json("tc"):
        if qdisc.get("root"):
            yield f"{qdisc['dev']} root qdisc", facts.get("nics", qdisc["dev"], "qdisc"), qdisc["kind"]
        elif not qdisc["kind"].startswith(("ingress", "clsact")):
            leaves.setdefault(qdisc["dev"], set()).add(qdisc["kind"])
    for name in told:
        yield f"{name} leaf qdiscs", sorted(facts.get("nics", name, "qdisc_leaves") or []), sorted(leaves.get(name, ()))


def ethtool_pairs(text):
    """Rows of ethtool -l and -g: (maximum, current) by name."""
    most, _, now = text.partition("Current hardware settings:")
    most, now = rows(most), rows(now)
    return {name: (number(value), number(now.get(name, ""))) for name, value in most.items() if name in now}


FEATURE_GROUPS = {"rx-checksumming": "rx-checksum", "scatter-gather": None, "tcp-segmentation-offload": None,
                  "generic-segmentation-offload": "tx-generic-segmentation", "generic-receive-offload": "rx-gro",
                  "large-receive-offload": "rx-lro", "rx-vlan-offload": "rx-vlan-hw-parse", "tx-vlan-offload": "tx-vlan-hw-insert",
                  "ntuple-filters": "rx-ntuple-filter", "receive-hashing": "rx-hashing", "tx-checksumming": None,
                  "udp-fragmentation-offload": None}


def ethtool(tools, facts):
    for name in tools.names("ethtool-i."):
        told = rows(tools.text(f"ethtool-i.{name}"))
        if facts.get("nics", name, "physical"):
            yield f"{name} driver", facts.get("nics", name, "driver"), told["driver"]
            yield f"{name} bus", facts.get("nics", name, "bus"), bus_of(told["bus-info"], facts.get("nics", name, "bus"))
            firmware = told["firmware-version"]
            yield f"{name} firmware", facts.get("nics", name, "firmware") or "", "" if firmware == "N/A" else firmware
            yield f"{name} driver version", facts.get("nics", name, "driver_version") or "", told["version"]
    for name in facts.get("nics"):
        yield from settings_of(tools, facts, name)
        yield from offloads(tools, facts, name)
        yield from spread(tools, facts, name)
        yield from queues(tools, facts, name)
        yield from driver_counters(tools, facts, name)


def bus_of(told, ours):
    """virtio's bus-info is the PCI function; ours may be either, if they are the same device."""
    return ours if told.startswith("virtio") else told


def settings_of(tools, facts, name):
    """-l, -g, -c, -a, the link and EEE. What ethtool cannot get must not be among our facts."""
    nic = ("nics", name)
    text = tools.text(f"ethtool-l.{name}")
    pairs = ethtool_pairs(text) if text else {}
    for row, key in (("RX", "rx"), ("TX", "tx"), ("Other", "other"), ("Combined", "combined")):
        most, now = pairs.get(row, (None, None))
        yield f"{name} -l {row} max", facts.get(*nic, "channels", key, "max"), most
        yield f"{name} -l {row}", facts.get(*nic, "channels", key, "current"), now
    text = tools.text(f"ethtool-g.{name}")
    pairs = ethtool_pairs(text) if text else {}
    for row, key in (("RX", "rx"), ("TX", "tx")):
        most, now = pairs.get(row, (None, None))
        yield f"{name} -g {row} max", facts.get(*nic, "rings", key, "max"), most
        yield f"{name} -g {row}", facts.get(*nic, "rings", key, "current"), now
    told = rows(tools.text(f"ethtool-c.{name}") or "")
    for key in ("rx-usecs", "rx-frames", "tx-usecs", "tx-frames"):
        yield f"{name} -c {key}", facts.get(*nic, "coalesce", key.replace("-", "_")), number(told.get(key, ""))
    adaptive = re.match(r"(\S+)\s+TX: (\S+)", told.get("Adaptive RX", "n/a  TX: n/a"))
    yield f"{name} -c adaptive-rx", facts.get(*nic, "coalesce", "adaptive_rx"), on_off(adaptive[1])
    yield f"{name} -c adaptive-tx", facts.get(*nic, "coalesce", "adaptive_tx"), on_off(adaptive[2])
    told = rows(tools.text(f"ethtool-a.{name}") or "")
    for row, key in (("Autonegotiate", "autoneg"), ("RX", "rx"), ("TX", "tx")):
        yield f"{name} -a {row}", facts.get(*nic, "pause", key), on_off(told.get(row, ""))
    told = rows(tools.text(f"ethtool.{name}") or "")
    speed = re.fullmatch(r"(\d+)Mb/s", told.get("Speed", ""))
    yield f"{name} speed", facts.get(*nic, "speed_mbps"), int(speed[1]) if speed else None
    duplex = told.get("Duplex", "").lower()
    yield f"{name} duplex", facts.get(*nic, "duplex"), duplex if duplex in ("full", "half") else None
    yield f"{name} autoneg", facts.get(*nic, "autoneg"), on_off(told.get("Auto-negotiation", ""))
    modes = re.search(r"Supported link modes:(.*?)Supported pause", tools.text(f"ethtool.{name}") or "", re.S)
    fastest = max([int(n) for n in re.findall(r"(\d+)base", modes[1])] if modes else [], default=None)
    yield f"{name} fastest mode", facts.get(*nic, "supported_max_mbps"), fastest


def offloads(tools, facts, name):
    changeable = facts.get("nics", name, "features_changeable") or []
    for feature, value in rows(tools.text(f"ethtool-k.{name}") or "").items():
        feature = FEATURE_GROUPS.get(feature, feature)
        if feature is None or on_off(value) is None:
            continue
        yield f"{name} -k {feature}", facts.get("nics", name, "features", feature), on_off(value)
        if facts.get("nics", name, "physical"):
            # "[requested on]" is a feature that can be switched and was refused by another one.
            yield f"{name} -k {feature} may be switched", feature in changeable, "[fixed]" not in value
            yield f"{name} -k {feature} refused", feature in (facts.get("nics", name, "features_refused") or []), "[requested on]" in value


def spread(tools, facts, name):
    """-x: the table by which packets are spread over queues."""
    text = tools.text(f"ethtool-x.{name}") or ""
    slots = [int(n) for line in re.findall(r"^ *\d+:((?: +\d+)+)$", text, re.M) for n in line.split()]
    yield f"{name} -x slots", facts.get("nics", name, "rss", "slots"), len(slots) or None
    yield f"{name} -x queues", facts.get("nics", name, "rss", "queues"), sorted(set(slots)) or None
    if slots:
        each = [slots.count(q) for q in set(slots)]
        yield f"{name} -x fewest", facts.get("nics", name, "rss", "slots_fewest"), min(each)
        yield f"{name} -x most", facts.get("nics", name, "rss", "slots_most"), max(each)
    key = re.search(r"^(?:[0-9a-f]{2}:)+[0-9a-f]{2}$", text, re.M)
    if text:
        yield f"{name} -x key", facts.get("nics", name, "rss", "key_bytes"), len(key[0].split(":")) if key else 0
    used = re.search(r"^ *(\w+): on$", text, re.M)
    if used:
        yield f"{name} -x hash", facts.get("nics", name, "rss", "hash"), used[1]


def queues(tools, facts, name):
    dirs = (tools.text(f"queues.{name}") or "").split()
    for kind in ("rx", "tx"):
        yield f"{name} {kind} queues", facts.get("nics", name, "queues", kind), sum(d.startswith(kind) for d in dirs)
    for line in tools.lines("steering") + tools.lines("xps"):
        path, _, value = line.partition(":")
        word = path.split("/")
        if word[4] != name:
            continue
        queue, file = word[6].split("-")[1], word[7]
        if file == "xps_cpus" and sum(d.startswith("tx") for d in dirs) < 2:
            continue  # the only queue is chosen by nobody
        if file == "rps_flow_cnt":
            yield f"{name} {file} of {queue}", facts.get("nics", name, "rps_flow_cnt", queue), int(value)
        else:
            yield f"{name} {file} of {queue}", facts.get("nics", name, file.split("_")[0], queue), cpus_of_mask(value)
    vectors = tools.text(f"msi_irqs.{name}")
    if vectors and any(i.get("device") == name for i in facts.get("irqs").values()):
        mine = {n for n, i in facts.get("irqs").items() if i.get("device") == name}
        yield f"{name} interrupts among its vectors", mine <= set(vectors.split()), True
        named = {line.split(":")[0].strip() for line in tools.lines("proc-interrupts")[1:]} & set(vectors.split())
        yield f"{name} every vector in use", sorted(mine), sorted(named)


def driver_counters(tools, facts, name):
    """-S: what drivers count for themselves; ours has those of queues added up under one name."""
    told = {}
    for line in tools.lines(f"ethtool-S.{name}"):  # vmxnet3 has the same names once per queue
        key, _, value = line.rpartition(":")
        if number(value) is not None:
            told[key.strip()] = told.get(key.strip(), 0) + number(value)
    for counter in facts.get("counters", "nic_driver", name) or {}:
        value = told.get(counter)
        if value is None:
            parts = {k: v for k, v in told.items() if per_queue(k) == counter}
            value = sum(parts.values()) if parts else None
        yield f"{name} -S {counter}", value, facts.between("counters", "nic_driver", name, counter)


def per_queue(name):
    """rx_queue_3_drops, rx3_drops and rx_drops[3]: are parts of rx_queue_drops and rx_drops."""
    return re.sub(r"[-_. \[]?\d+\]?(?=[-_. \[\]:#])", "", name).strip("-_. []:#")


ALL = (host, features, lscpu, cpufreq, memory, sysctls, limits, listeners, disks, nvme, interrupts, counters, links, ethtool)
