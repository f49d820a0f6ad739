#!/usr/bin/env python3
"""A large host, made for the purpose, and what reading it costs.

    scale.py BUILD ROUNDS MARGIN

512 CPUs on 8 nodes, 16 NICs with 64 queues, 2,000 processes. `check` and `facts` must take at most 0.5 s of CPU and
64 MB; with 128 queues for each NIC at most 2.2 times as long; and a /proc/interrupts of 4,096 rows (23 MB) instead of
1,024 (6 MB) must not raise the peak memory. Limits of time are multiplied by MARGIN, for machines that do other
things too. `scale.py host DIRECTORY [QUEUES [ROWS]]` only makes such a host.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve()
sys.path.insert(0, str(HERE.parents[2] / "fixtures"))
import generate  # noqa: E402

CPUS, NODES, NICS, PROCESSES = 512, 8, 16, 2000
LISTENERS = 200
SECONDS, PEAK_MB, TWICE, GROWTH_MB = 0.5, 64, 2.2, 1.0
PER_NODE = CPUS // NODES
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max stack size            8388608              unlimited            bytes
Max processes             127000               127000               processes
Max open files            1024                 524288               files
Max locked memory         8388608              8388608              bytes
Max address space         unlimited            unlimited            bytes
"""


def mask(cpus):
    """CPUs as the kernel writes a mask for 512 of them."""
    bits = sum(1 << c for c in cpus)
    return ",".join(f"{bits >> (32 * i) & 0xffffffff:08x}" for i in reversed(range(CPUS // 32)))


def cpus_of_node(node):
    """The kernel numbers the second threads behind all first ones."""
    half = PER_NODE // 2
    first = range(node * half, (node + 1) * half)
    return [*first, *(c + CPUS // 2 for c in first)]


def describe(queues, rows):
    nics, vectors, irq = {}, [], 100
    for n in range(NICS):
        node, numbers = n % NODES, []
        for q in range(queues):
            cpu = cpus_of_node(node)[q % PER_NODE]
            vectors.append({"irq": irq, "name": f"eth{n}-TxRx-{q}", "chip": f"IR-PCI-MSIX-0000:{n + 16:02x}:00.0 {q}-edge",
                            "wanted": cpu, "effective": cpu, "node": node, "counts": {cpu: 1000000 + irq}})
            numbers.append(irq)
            irq += 1
        nics[f"eth{n}"] = {
            "driver": "ice", "bus": f"0000:{n + 16:02x}:00.0", "node": node, "rx": queues, "tx": queues, "speed": 100000,
            "vectors": numbers, "rps": mask([]), "xps": mask(cpus_of_node(node)),
            "attributes": {"ifindex": n + 2, "iflink": n + 2, "address": f"02:00:00:00:01:{n:02x}"},
        }
    vectors += [{"irq": irq + i, "name": f"platform-device-{i}", "chip": "IR-IO-APIC 9-fasteoi", "no_dir": True,
                 "counts": {i % CPUS: i}} for i in range(max(rows - len(vectors), 0))]
    return {
        "cpu": {"possible": f"0-{CPUS - 1}", "groups": [
            {"cpus": generate.format_list(cpus_of_node(n)), "threads": 2, "split": True, "package": n // (NODES // 2)}
            for n in range(NODES)]},
        "cpuinfo": "x86", "flags": "fpu tsc sse2 aes avx2 avx512f constant_tsc nonstop_tsc",
        "cpufreq": {f"policy{c}": {"cpus": str(c), "governor": "schedutil", "driver": "acpi-cpufreq", "min": 1500000,
                                   "max": 3500000} for c in range(CPUS)},
        "nodes": {str(n): generate.format_list(cpus_of_node(n)) for n in range(NODES)},
        "memory": {"MemTotal": 1 << 30, "MemFree": 1 << 29, "MemAvailable": 1 << 29, "SwapTotal": 0, "SwapFree": 0},
        "nics": nics, "interrupts": vectors,
        "sysctl": {"net.core.somaxconn": 4096, "net.core.netdev_max_backlog": 1000, "net.ipv4.tcp_rmem": "4096\t131072\t6291456",
                   "net.ipv4.tcp_wmem": "4096\t16384\t4194304", "net.ipv4.ip_local_port_range": "32768\t60999",
                   "net.ipv4.tcp_congestion_control": "cubic", "fs.file-max": 9223372036854775807, "fs.nr_open": 1048576,
                   "vm.swappiness": 60, "kernel.threads-max": 8000000, "kernel.pid_max": 4194304},
    }


def write_ethtool(tree, queues):
    """What ethtool prints of each NIC; the private statistics are the larger part of it."""
    counters = ("packets", "bytes", "dropped", "alloc_failed", "csum_error", "xdp_drops", "busy", "restart")
    for n in range(NICS):
        base = "/extra/ethtool"
        tree.write(f"{base}-i/eth{n}", f"driver: ice\nversion: 6.1.0\nfirmware-version: 4.40\nbus-info: 0000:{n + 16:02x}:00.0")
        tree.write(f"{base}-l/eth{n}", "Pre-set maximums:\nRX:\t\t0\nTX:\t\t0\nOther:\t\t1\nCombined:\t256\n"
                   f"Current hardware settings:\nRX:\t\t0\nTX:\t\t0\nOther:\t\t1\nCombined:\t{queues}")
        tree.write(f"{base}-g/eth{n}", "Pre-set maximums:\nRX:\t\t8160\nTX:\t\t8160\n"
                   "Current hardware settings:\nRX:\t\t2048\nTX:\t\t256")
        tree.write(f"{base}-S/eth{n}", "NIC statistics:\n" + "\n".join(
            f"     {way}_queue_{q}_{c}: {q * 1000 + i}" for way in ("rx", "tx") for q in range(queues) for i, c in enumerate(counters)))


def write_sysctls(root):
    """Those of a recorded host: more than the rules ask for."""
    with tarfile.open(HERE.parents[2] / "fixtures/captures/vm-server-6.1.tar.gz") as tar:
        tar.extractall(root, [m for m in tar.getmembers() if m.isfile() and m.name.startswith("./proc/sys/") and
                              not os.path.lexists(os.path.join(root, m.name))])


def write_processes(tree):
    """A quarter are threads of the kernel, LISTENERS of the others serve; each has a dozen descriptors."""
    lines = ["  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"]
    for i in range(LISTENERS):
        lines.append(f"{i:4}: 00000000:{8000 + i:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000"
                     f"     0        0 {500000 + i} 1 0000000000000000 100 0 0 10 0")
    tree.write("/proc/net/tcp", "\n".join(lines))
    tree.write("/proc/net/tcp6", lines[0])
    tree.link("/proc/self/ns/net", "net:[4026531840]")
    tree.link("/proc/self/ns/pid", "pid:[4026531836]")
    for pid in range(1, PROCESSES + 1):
        base = f"/proc/{pid}"
        tree.directory(f"{base}/fd")
        tree.write(f"{base}/comm", "systemd" if pid == 1 else f"worker-{pid}")
        tree.link(f"{base}/ns/net", "net:[4026531840]")
        if pid % 4 == 0:
            continue
        for fd in range(12):
            tree.link(f"{base}/fd/{fd}", "/dev/null" if fd < 3 else f"socket:[{1000000 + pid * 16 + fd}]")
        if pid % 4 == 1 and pid // 4 < LISTENERS:
            tree.link(f"{base}/fd/12", f"socket:[{500000 + pid // 4}]")
        tree.write(f"{base}/limits", LIMITS)
        tree.write(f"{base}/status", f"Name:\tworker-{pid}\nThreads:\t4\nSeccomp:\t0\nCpus_allowed:\t{mask(range(CPUS))}\n"
                   f"Cpus_allowed_list:\t0-{CPUS - 1}\nTHP_enabled:\t1")
        tree.write(f"{base}/cgroup", f"0::/system.slice/worker-{pid % 50}.service")


def make(root, queues=64, rows=1024):
    os.makedirs(root)
    tree = generate.Tree(str(root))
    generate.generate(describe(queues, rows), str(root))
    write_ethtool(tree, queues)
    write_processes(tree)
    write_sysctls(str(root))


def make_all(scratch):
    make(scratch / "host")
    make(scratch / "twice", queues=128)
    # The same host but for the table.
    subprocess.run(["cp", "-al", scratch / "host", scratch / "rows"], check=True)
    (scratch / "rows/proc/interrupts").unlink()
    online = set(range(CPUS))
    host = describe(64, 4096)
    for row in host["interrupts"]:
        row["no_dir"] = True
    generate.write_interrupts(generate.Tree(str(scratch / "rows")), host, online)


def measure(build, rounds, command, scratch):
    """CPU milliseconds and peak KiB by host; the CPU ratio of the first and the second."""
    args = [f"{build}/bench/bench", "compare", str(rounds)]
    for name in ("twice", "host", "rows"):
        args += [name, f"{build}/tuneaudit", *command, "--capture", str(scratch / name), "--"]
    out = subprocess.run(args[:-1], check=True, capture_output=True, text=True).stdout
    print(f"{' '.join(command)}:\n{out}", end="")
    found = {m[1]: [float(x) for x in m[2].split()] for m in re.finditer(r"^(twice|host|rows) +(.*)$", out, re.M)}
    return found


class Limits:
    def __init__(self, margin):
        self.margin, self.failed = margin, False

    def hold(self, what, value, most, unit, margin=None):
        ok = value <= most * (margin or self.margin)
        self.failed |= not ok
        print(f"  {what:42} {value:7.2f} {unit}, at most {most:g}: {'ok' if value <= most else 'TOO MUCH'}")


def main():
    if len(sys.argv) > 2 and sys.argv[1] == "host":
        make(sys.argv[2], *map(int, sys.argv[3:5]))
        return
    build, rounds, limits = sys.argv[1], int(sys.argv[2]), Limits(float(sys.argv[3]))
    # 100,000 small files: in memory, where there is room for it.
    shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) and shutil.disk_usage("/dev/shm").free > 2 << 30 else None
    with tempfile.TemporaryDirectory(dir=shm) as scratch:
        scratch = pathlib.Path(scratch)
        make_all(scratch)
        for name in ("host", "rows"):
            print(f"{name}: /proc/interrupts has {(scratch / name / 'proc/interrupts').stat().st_size / 1e6:.1f} MB")
        for command in (["check"], ["facts", "--format", "json"]):
            found = measure(build, rounds, command, scratch)
            # Columns: median, 10 %, 90 %, CPU, peak, ratio, CPU ratio of "twice" to this one.
            limits.hold("CPU time", found["host"][3] / 1e3, SECONDS, "s")
            limits.hold("CPU time with 4,096 rows of interrupts", found["rows"][3] / 1e3, SECONDS, "s")
            limits.hold("peak memory", found["host"][4] / 1024, PEAK_MB, "MB", 1)
            limits.hold("twice the queues", found["host"][6], TWICE, "times")
            limits.hold("more memory with 4,096 rows", (found["rows"][4] - found["host"][4]) / 1024, GROWTH_MB, "MB", 1)
    sys.exit(limits.failed)


if __name__ == "__main__":
    main()
