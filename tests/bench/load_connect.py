"""new connections: three ways to accept them, in one run; told, not held against anybody"""
import json

import loadkit

TOOLS = ()


def compare(bench):
    rows = {}
    for _ in range(bench.n_pairs):
        out, _ = loadkit.timed([bench.program, "load", "connect", "-d", str(bench.seconds), "--warmup", "0", "--format", "json"])
        for row in json.loads(out)["accepting"]:
            rows.setdefault(row["by"], []).append(row)
    for by, got in rows.items():
        bench.tell(f"{by}: connections a second", [r["per s"] for r in got], "")
        bench.tell(f"{by}: p99 until accepted and ended", [r["p99 ms"] for r in got], "ms")
        bench.tell(f"{by}: threads woken for a connection", [r["wakes"] for r in got], "")
        bench.tell(f"{by}: share of the busiest thread", [r["most"] for r in got], "")
