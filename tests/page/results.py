#!/usr/bin/env python3
"""Results of load runs and of a trial as they might be, for pages: results.py DIRECTORY"""
import json
import pathlib
import sys


FINGERPRINT = json.loads("""{"cpu": "Example CPU", "sockets": 1, "cores": 4, "cpus": 4, "numa_nodes": 1, "memory_bytes": 17179869184,
    "nics": [{"name": "eth0", "driver": "ixgbe", "speed_mbps": 10000}], "kernel": "6.1.0", "arch": "x86_64", "preemption": null,
    "mitigations": "", "os": "Debian GNU/Linux 12 (bookworm)", "virtualization": "none", "container": "none", "cloud": null,
    "instance_type": null, "governor": "performance", "boost": null, "smt": false, "isolated": [], "clocksource": "tsc", "thp": "madvise",
    "numa_balancing": 0, "congestion_control": "bbr", "qdisc": "fq", "somaxconn": 4096, "tcp_rmem": [4096, 131072, 6291456],
    "tcp_wmem": [4096, 16384, 4194304], "irqbalance": false, "tuned": "", "id": "0123456789abcdef"}""")


def load(name, per_second, factor):
    runs = [per_second * f for f in (0.98, 1.01, 1.0, 1.03, 0.99)]
    mean = sum(runs) / len(runs)
    latency = {"p50": 180, "p75": 240, "p90": 390, "p95": 520, "p99": 1900, "p99.9": 9800, "p99.99": 31000, "max": 48211, "mean": 260,
               "stddev": 700}
    point = {
        "connections": 64, "duration_s": 50.0, "requests": int(mean * 50), "connects": 64, "errors": {},
        "per_second": {"mean": mean, "stddev": (sum((r - mean) ** 2 for r in runs) / 4) ** 0.5, "runs": runs},
        "bytes_per_second": mean * 1100.0, "latency_us": {k: v * factor for k, v in latency.items()},
    }
    return {
        "schema": "tuneaudit.load/1", "workload": "http", "engine": "epoll", "path": "wire", "target": "http://10.0.0.7:8080/",
        "peer": None, "tool": "0.1.0", "built_in_server": False, "threads": 4, "pipeline": 1, "rate": None, **point,
        "cpu": {"client_user_s": 40.0, "client_system_s": 80.0, "server_user_s": None, "server_system_s": None, "generator_share": 0.4,
                "softirq_share": {str(i): s for i, s in enumerate(name)}, "softirq_highest": max(name), "mhz_min": None,
                "mhz_mean": None, "mhz_max": None},
        "fingerprint": FINGERPRINT if factor == 1 else {**FINGERPRINT, "somaxconn": 65535},
        "bound_by": "softirq on CPU 0" if factor == 1 else "", "notes": ["the path has a switch"], "points": [point],
    }


def side(replies, factor):
    latency = {"p50": 180, "p90": 390, "p99": 1900, "p99.9": 9800}
    return {"replies": replies, "errors": 0, "latency_us": {k: v * factor for k, v in latency.items()}, "softirq_busiest_cpu_share": 0.8 * factor,
            "counters": {}}


def measured(effects, verdict, smallest):
    names = ("throughput", "p50", "p99", "cpu_per_request")
    return {
        "effects": {n: {"percent": e[0], "low": e[1], "high": e[2], "seen": e[1] * e[2] > 0, "smallest_detectable_percent": smallest}
                    for n, e in zip(names, effects) if e},
        "verdict": verdict, "smallest_detectable_percent": smallest, "pairs": 16, "without": side(656000, 1),
        "with": side(656000, 1 - effects[0][0] / 40), "disturbed": [], "repeated_pairs": 1, "pairs_for_5_percent": 6,
    }


def change(rule, knob, target, before, after, unit, why_not=None):
    unit = unit or {"effects": {}, "verdict": "cannot-show", "smallest_detectable_percent": None}
    return {"rule": rule, "rules": [rule], "knob": knob, "target": target, "before": before, "after": after, **unit, "workload": "http" if not why_not else None,
            "why_not": why_not, "together": False, "kept": unit["verdict"] == "improved"}


def main():
    out = pathlib.Path(sys.argv[1])
    trial = {
        "schema": "tuneaudit.trial/1", "profile": "gateway", "workload": "http", "path": "wire", "target": "10.0.0.7", "rounds": 16, "seconds": 1.0,
        "each": True, "host": "web1", "tool": "0.1.0", "together": None,
        "parts": [{
            "workload": "http", "path": "wire", "connections": 64, "run": 7, "ended": None, "remark": None, "restored": True, "together": None,
            "before": {"rounds": 3, "spread_percent": 1.2, "others_cpu_share": 0.02, "steal_share": 0,
                       "warnings": ["another program used 9 % of a CPU meanwhile"]},
        }],
        "changes": [
            change("irq.nic.one_cpu", "irq", "eth0 interrupts", "0", "0-3",
                   measured(((12.5, 9.1, 16.0), (-20.1, -24.0, -16.0), (-31.0, -38.2, -22.4), (-4.0, -7.0, -1.1)), "improved", 2.9)),
            change("net.somaxconn", "sysctl", "net.core.somaxconn", "128", "4096",
                   measured(((0.2, -1.4, 1.9), (0.1, -1.0, 1.2), (0.9, -3.0, 4.4), None), "no-effect", 2.6)),
            change("cpu.governor", "attr", "policy0 governor", "performance", "powersave",
                   measured(((-6.4, -8.8, -4.0), (7.0, 4.4, 9.9), (14.0, 8.0, 21.0), (3.0, 1.0, 5.2)), "worse", 3.1)),
            change("tcp.keepalive", "sysctl", "net.ipv4.tcp_keepalive_time", "7200", "600", None,
                   "no load of seconds shows what happens to connections that idle for minutes"),
        ],
        "not_tried": [], "restored": True, "kept_run": None, "not_kept": None,
    }
    for name, document in (("before", load([0.93, 0.04, 0.03, 0.02], 41000.0, 1)), ("after", load([0.3, 0.29, 0.31, 0.27], 52500.0, 0.62)),
                           ("trial", trial)):
        (out / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
