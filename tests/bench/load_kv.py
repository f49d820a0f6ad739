"""the kv client and redis-benchmark -P 16 against the same redis-server, 50 connections"""
import re
import socket
import subprocess

import loadkit

TOOLS = ("redis-server", "redis-benchmark")
CONNECTIONS, PIPELINE, KEYS = 50, 16, 10000


def start_redis(bench):
    port = loadkit.free_port()
    bench.start([loadkit.find("redis-server"), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
                 "--daemonize", "no", "--dir", bench.work], bench.server_cpu, stdout=subprocess.DEVNULL)
    loadkit.wait_for_port(port, "redis-server")
    return port


def fill(port):
    """The keys that ours reads, with as many bytes as those of redis-benchmark: --set 0 writes none itself."""
    with socket.create_connection(("127.0.0.1", port)) as s:
        for first in range(0, KEYS, 100):
            s.sendall(b"".join(b"SET tuneaudit:%07d abc\r\n" % k for k in range(first, first + 100)))
            left = 500
            while left:
                left -= len(s.recv(left))


def redis_benchmark(bench, port, what, requests):
    """Requests per second as it tells them, and its CPU seconds per request."""
    command = [loadkit.find("redis-benchmark"), "-p", str(port), "-t", what, "-P", str(PIPELINE), "-c", str(CONNECTIONS), "-n",
               str(requests), "-r", str(KEYS), "--csv"]
    out, cpu = loadkit.timed(loadkit.on(bench.client_cpu, command))
    return {"rate": float(re.search(rf'"{what.upper()}","([\d.]+)"', out).group(1)), "cpu": cpu / requests}


def ours(bench, port, set_percent, engine):
    d = bench.load("kv", f"redis://127.0.0.1:{port}", "-c", str(CONNECTIONS), "--pipeline", str(PIPELINE), "--keys", str(KEYS),
                   "--set", str(set_percent), "--engine", engine)
    if d["misses"]:
        raise loadkit.Broken(f"load kv read {d['misses']} keys that were not there")
    return {"rate": d["per_second"]["mean"], "cpu": d["cpu_s"] / d["requests"]}


def compare(bench):
    port = start_redis(bench)
    for what, set_percent in ("get", 0), ("set", 100):
        # As long as ours measures.
        requests = int(redis_benchmark(bench, port, what, 200000)["rate"] * bench.seconds)
        for engine in "epoll", "io_uring":
            fill(port)
            got = bench.pairs(lambda e=engine: ours(bench, port, set_percent, e),
                              lambda: redis_benchmark(bench, port, what, requests))
            bench.hold(f"{what}, {engine}: requests per second / theirs", [a["rate"] / b["rate"] for a, b in got], at_least=1.0)
            bench.hold(f"{what}, {engine}: CPU per request / theirs", [a["cpu"] / b["cpu"] for a, b in got], at_most=1.0)
            bench.tell(f"{what}, {engine}: requests per second", [a["rate"] for a, _ in got], "/s")
            bench.tell(f"{what}: redis-benchmark's", [b["rate"] for _, b in got], "/s")
