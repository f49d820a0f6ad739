#!/usr/bin/env python3
"""Trials of changes whose effect is known beforehand: proofs.py PROGRAM DELAY [NAME...]

In network namespaces, with DELAY (delay.c) as a path of 40 ms between two of them:

  receive   tcp.rmem.max on the receiving end of that path: the window is what bounds it, so four times the window is four times the bytes
  send      tcp.wmem.max on the sending end: the same
  harmful   a send buffer that holds nothing: called worse, and everything is put back
  nothing   a timeout that no connection of the load meets: no effect
  storm     net.somaxconn while connections come faster than they are taken: no overflow, and nobody waits a second for the SYN to
            be sent again

Prints one line for each; exit 1 if one fails. Where the kernel does not let us (no namespaces, no tun) it says "skip: why" and ends
with 77.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, DELAY = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
TOKEN = {"TUNEAUDIT_TOKEN": "0123456789abcdef0123456789abcdef"}
RULES = """
rule test.harmful
  title     "A send buffer that holds nothing"
  want      sysctl["net.ipv4.tcp_wmem"] == [4096, 4096, 4096]
  fix       sysctl.set(key = "net.ipv4.tcp_wmem", value = [4096, 4096, 4096])
  shown     loopback by stream
end
rule test.nothing
  title     "Who has closed waits half as long for the other end"
  want      sysctl["net.ipv4.tcp_fin_timeout"] == 30
  fix       sysctl.set(key = "net.ipv4.tcp_fin_timeout", value = 30)
  shown     loopback by http
end
profile path    title "t" rules tcp.rmem.max, tcp.wmem.max param tcp_buffer_bytes = 1Mi param tcp_send_bytes = 1Mi workload stream end
profile harmful title "t" rules test.harmful workload stream end
profile nothing title "t" rules test.nothing workload http end
profile storm   title "t" rules net.somaxconn workload connect end
"""
failed = 0


def say(ok, what, detail):
    global failed
    print(f"{'ok    ' if ok else 'not ok'}  {what}: {detail}", flush=True)
    failed += not ok


def skip(why):
    print("skip: " + why)
    sys.exit(77)


class Space:
    """A network namespace with its loopback up."""

    def __init__(self):
        self.holder = subprocess.Popen(["unshare", "-n", "sh", "-c", "ip link set lo up && echo up && exec sleep 1000"],
                                       stdout=subprocess.PIPE)
        if self.holder.stdout.readline() != b"up\n":
            skip("there are no network namespaces here")
        self.path = f"/proc/{self.holder.pid}/ns/net"

    def command(self, *args):
        return ["nsenter", "--net=" + self.path, *args]

    def set(self, name, value):
        subprocess.run(self.command("sh", "-c", f"echo {value} > /proc/sys/net/{name}"), check=True)

    def get(self, name):
        out = subprocess.run(self.command("cat", "/proc/sys/net/" + name), check=True, stdout=subprocess.PIPE, text=True)
        return " ".join(out.stdout.split())

    def close(self):
        self.holder.kill()
        self.holder.wait()


class Path:
    """Two namespaces, 40 ms there and back, and a peer at the far end."""

    def __init__(self):
        self.near, self.far = Space(), Space()
        self.delay = subprocess.Popen([DELAY, "20", self.near.path, self.far.path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.delay.stdout.readline() != b"ready\n":
            skip("there is no tun(4) here")
        self.peer = subprocess.Popen(self.far.command(PROGRAM, "load", "serve", "--listen", "10.9.0.2:7411"), stdout=subprocess.PIPE,
                                     env={**os.environ, **TOKEN})
        if not self.peer.stdout.readline():
            skip("the peer does not serve")

    def close(self):
        self.peer.kill()
        self.peer.wait()
        self.delay.stdin.close()
        self.delay.wait()
        self.near.close()
        self.far.close()


def trial(space, profile, *options):
    """The document of a trial in that namespace, and its exit code."""
    with tempfile.TemporaryDirectory() as directory:
        os.chmod(directory, 0o755)
        pathlib.Path(directory, "t.rules").write_text(RULES)
        command = space.command(PROGRAM, "trial", "--rules", directory, "--profile", profile, "--state", directory + "/state", "--yes",
                                "--format", "json", "-q", *options)
        out = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **TOKEN}, timeout=400)
    if not out.stdout:
        return {}, f"exit code {out.returncode}: {out.stderr.strip()}"
    return json.loads(out.stdout), f"exit code {out.returncode}"


def effect(document, measure):
    e = document["together"]["effects"][measure]
    return e["percent"], f"{measure} {e['percent']:+.1f} % ({e['low']:+.1f} to {e['high']:+.1f} %)"


def bounded_by(which, direction, rule):
    """Four times the buffer, four times the bytes: what is on the way in 40 ms is the buffer's bytes, less the kernel's own share of it."""
    path = Path()
    small, large = 256 << 10, 1 << 20
    try:
        for name in ("rmem", "wmem"):
            path.near.set(f"ipv4/tcp_{name}", f"4096 65536 {small if name == which else 16 << 20}")
            path.far.set(f"ipv4/tcp_{name}", f"4096 65536 {16 << 20}")
        document, end = trial(path.near, "path", "--only", rule, "--target", "tuneaudit://10.9.0.2:7411", "--direction", direction,
                              "--seconds", "2", "--rounds", "10")
        if "together" not in document:
            say(False, rule, end)
            return
        percent, text = effect(document, "throughput")
        predicted = (large / small - 1) * 100
        say(document["path"] == "namespace" and document["together"]["verdict"] == "improved" and document["restored"]
            and document["changes"][0]["rule"] == rule, rule, f"{document['together']['verdict']}, {text}")
        say(0.6 * predicted <= percent <= 1.3 * predicted, rule, f"by what the bandwidth-delay product says: {predicted:+.0f} % less slow start")
        say(path.near.get(f"ipv4/tcp_{which}") == f"4096 65536 {small}", rule, "put back")
    finally:
        path.close()


def harmful():
    space = Space()
    try:
        before = space.get("ipv4/tcp_wmem")
        document, end = trial(space, "harmful", "--rounds", "10", "--seconds", "1")
        if "together" not in document:
            say(False, "harmful", end)
            return
        say(document["together"]["verdict"] == "worse", "harmful", f"{document['together']['verdict']}, {effect(document, 'throughput')[1]}")
        say(document["restored"] and space.get("ipv4/tcp_wmem") == before, "harmful", "put back")
    finally:
        space.close()


def nothing():
    space = Space()
    try:
        document, end = trial(space, "nothing", "--rounds", "16", "--seconds", "1")
        if "together" not in document:
            say(False, "nothing", end)
            return
        say(document["together"]["verdict"] == "no-effect", "nothing",
            f"{document['together']['verdict']}, {effect(document, 'throughput')[1]}; smallest that would have been seen "
            f"{document['together']['smallest_detectable_percent']:.1f} %")
    finally:
        space.close()


def storm():
    space = Space()
    try:
        space.set("core/somaxconn", 1)
        document, end = trial(space, "storm", "--rounds", "10", "--seconds", "3", "-c", "500", "--rate", "2000")
        if "together" not in document:
            say(False, "net.somaxconn", end)
            return
        without, with_ = document["together"]["without"], document["together"]["with"]
        say(document["together"]["verdict"] == "improved", "net.somaxconn", f"{document['together']['verdict']}, {effect(document, 'p99')[1]}")
        say(without["counters"]["listen_overflows"] > 100 and with_["counters"]["listen_overflows"] == 0, "net.somaxconn",
            f"lost to a full accept queue: {without['counters']['listen_overflows']} without, {with_['counters']['listen_overflows']} with; "
            f"p99 {without['latency_us']['p99'] / 1e3:.1f} ms without, {with_['latency_us']['p99'] / 1e3:.1f} ms with")
    finally:
        space.close()


PROOFS = {
    "receive": lambda: bounded_by("rmem", "down", "tcp.rmem.max"),
    "send": lambda: bounded_by("wmem", "up", "tcp.wmem.max"),
    "harmful": harmful,
    "nothing": nothing,
    "storm": storm,
}


def main():
    if os.geteuid() or not shutil.which("nsenter"):
        skip("this needs root and nsenter")
    for name in sys.argv[3:] or PROOFS:
        began = time.monotonic()
        PROOFS[name]()
        print(f"        {name}: {time.monotonic() - began:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
