"""TCP streams of ours and of iperf3 over loopback, the sender and the receiver on a CPU each; both copy what they receive"""
import json
import subprocess

import loadkit

TOOLS = ("iperf3",)
STREAMS = 1, 4


def start_iperf3(bench):
    port = loadkit.free_port()
    bench.start([loadkit.find("iperf3"), "-s", "-p", str(port), "-B", "127.0.0.1"], bench.server_cpu, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL)
    loadkit.wait_for_port(port, "iperf3")
    return port


def iperf3(bench, port, streams):
    """Bytes per second that arrived, and the CPU seconds of the sender for each GB."""
    out, cpu = loadkit.timed(loadkit.on(bench.client_cpu, [loadkit.find("iperf3"), "-c", "127.0.0.1", "-p", str(port), "-t",
                                                           str(bench.seconds), "-P", str(streams), "-J"]))
    d = json.loads(out)["end"]
    return {"rate": d["sum_received"]["bits_per_second"] / 8, "cpu": cpu / d["sum_sent"]["bytes"] * 1e9}


def ours(bench, target, streams):
    d = bench.load("stream", target, "-c", str(streams))
    return {"rate": d["up_bytes_per_second"], "cpu": d["client_cpu_s_per_gb"]}


def compare(bench):
    port = start_iperf3(bench)
    target, _ = bench.serve("stream")
    for streams in STREAMS:
        got = bench.pairs(lambda n=streams: ours(bench, target, n), lambda n=streams: iperf3(bench, port, n))
        name = f"{streams} stream{'s' if streams > 1 else ''}"
        bench.hold(f"{name}: bytes per second / iperf3's", [a["rate"] / b["rate"] for a, b in got], at_least=1.0)
        bench.tell(f"{name}: ours", [a["rate"] / 1e9 for a, _ in got], "GB/s")
        bench.tell(f"{name}: iperf3", [b["rate"] / 1e9 for _, b in got], "GB/s")
        bench.tell(f"{name}: CPU of the sender / iperf3's", [a["cpu"] / b["cpu"] for a, b in got], "")
