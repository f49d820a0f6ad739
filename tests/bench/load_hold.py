"""a million connections held, both ends here; in short 60,000: whether all stay, and what each takes"""
import json
import resource

import loadkit

TOOLS = ()
MILLION, SHORT = 1_000_000, 60_000
FREE_KB = 12 << 20  # a million take 8 GB of the kernel's memory


def memory_kb():
    for line in open("/proc/meminfo"):
        if line.startswith("MemAvailable:"):
            return int(line.split()[1])
    return 0


def compare(bench):
    n = MILLION if bench.n_pairs >= 9 and memory_kb() >= FREE_KB else SHORT
    out, cpu = loadkit.timed([bench.program, "load", "hold", "-c", str(n), "-d", str(bench.seconds), "--format", "json"])
    d = json.loads(out)
    print(f"  {n:,} wanted, from processes of {resource.getrlimit(resource.RLIMIT_NOFILE)[1]} descriptors; refused by {d['refused_by']}")
    bench.hold("held / wanted", [d["held"] / n], at_least=1)
    bench.hold("answered / asked", [d["answered"] / d["asked"]], at_least=1)
    bench.hold("user memory, bytes a connection", [d["user_bytes_per_connection"]], at_most=300)
    # All of it, the processes' own libraries and stacks too.
    bench.hold("… with what the processes have idle", [d["user_bytes_held"] / n], at_most=300)
    bench.tell("kernel memory", [d["kernel_bytes_per_connection"]], "bytes a connection, both ends")
    bench.tell("built at", [d["per_second"]["mean"]], "connections a second")
