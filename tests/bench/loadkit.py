"""What the comparisons of load.py have in common: the pairs, the limits, the tools of the field and how they are started.

A comparison is a file load_NAME.py beside this one, found by its name:

    TOOLS = ("wrk", "nginx")       what it needs; where one is missing it is not run, and that is said
    def compare(bench):            measures pairs and holds them against limits, by the methods of Bench

Each pair is measured at once, in turns of who is first, so that what else the machine does meets both. A limit holds the median
of the pairs' ratios.
"""
import json
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time


class Broken(Exception):
    """A tool failed, or measured errors: there is nothing to compare."""


def find(tool):
    """Where a program is, or None: on the path, where daemons are, where ./quickstart bench unpacked it."""
    places = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin:" + os.environ.get("BENCH_TOOLS", "")
    return shutil.which(tool, path=places)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait_for_port(port, who):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        with socket.socket() as s:
            if s.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise Broken(f"{who} does not listen on port {port}")


def cpu_of_one(pid):
    """CPU seconds that the threads of a process used, to the ns (schedstat); one that ended takes its own with it."""
    spent = 0
    for tid in os.listdir(f"/proc/{pid}/task"):
        spent += int(open(f"/proc/{pid}/task/{tid}/schedstat").read().split()[0])
    return spent / 1e9


def cpu_of(*pids):
    """Of processes and their living children, all together."""
    return sum(cpu_of_one(p) + sum(cpu_of_one(int(c)) for c in open(f"/proc/{p}/task/{p}/children").read().split()) for p in pids)


def timed(command):
    """The output of a command, and the CPU seconds that it used from start to end."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise Broken(f"{' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


NGINX = """
worker_processes 1;
daemon off;
error_log /dev/null;
pid {work}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {work}/a; proxy_temp_path {work}/b; fastcgi_temp_path {work}/c; uwsgi_temp_path {work}/d;
    scgi_temp_path {work}/e;
    {http}
    server {{ listen 127.0.0.1:{port}; {server} }}
}}
"""


class Bench:
    """One run of the comparisons."""

    def __init__(self, program, pairs, seconds, margin, work):
        self.program, self.n_pairs, self.seconds, self.margin, self.work = program, pairs, seconds, margin, work
        self.bare = os.path.join(os.path.dirname(program), "bench", "bare")
        self.fine = True
        self.running = []
        cpus = sorted(os.sched_getaffinity(0))
        # A server and its client each have a CPU, the same one for ours and theirs.
        self.server_cpu, self.client_cpu = (cpus[0], cpus[1]) if len(cpus) > 1 else (None, None)

    # --- servers: they live until the comparison is over

    def start(self, command, cpu=None, **more):
        p = subprocess.Popen(on(cpu, command), stdin=subprocess.DEVNULL, **more)
        self.running.append(p)
        return p

    def nginx(self, server, http=""):
        """nginx with one worker: `server` is what stands in its server block. Its URL and the process."""
        port, work = free_port(), tempfile.mkdtemp(prefix="nginx.", dir=self.work)
        with open(f"{work}/nginx.conf", "w") as f:
            f.write(NGINX.format(work=work, port=port, server=server, http=http))
        p = self.start([find("nginx"), "-e", "/dev/null", "-p", work, "-c", f"{work}/nginx.conf"], self.server_cpu)
        wait_for_port(port, "nginx")
        return f"http://127.0.0.1:{port}/", p.pid

    def serve(self, *more):
        """`tuneaudit load serve` with one thread. Its URL and the process."""
        p = self.start([self.program, "load", "serve", "-t", "1", *more], self.server_cpu, stdout=subprocess.PIPE, text=True)
        url = p.stdout.readline().strip()
        if not url:
            raise Broken("load serve did not start")
        return url, p.pid

    def bare_serve(self):
        """A server that only receives and sends (bare.c). Its URL and the process."""
        p = self.start([self.bare, "serve"], self.server_cpu, stdout=subprocess.PIPE, text=True)
        return f"http://127.0.0.1:{p.stdout.readline().strip()}/", p.pid

    def stop_all(self):
        while self.running:
            p = self.running.pop()
            p.terminate()
            try:
                p.wait(10)
            except subprocess.TimeoutExpired:
                p.kill()
                p.wait()

    # --- clients

    def load(self, workload, *arguments):
        """`tuneaudit load` with one thread on the client's CPU: its JSON, and the CPU seconds of the whole process as "cpu_s"."""
        out, cpu = timed(on(self.client_cpu, [self.program, "load", workload, *arguments, "-t", "1", "-d", str(self.seconds),
                                              "--warmup", "0", "--format", "json"]))
        d = json.loads(out)
        if d["errors"]:
            raise Broken(f"load {workload} saw errors: {d['errors']}")
        return {**d, "cpu_s": cpu}

    def wrk(self, url, connections, script=None):
        """wrk with one thread on the client's CPU: requests, requests per second, and the CPU seconds."""
        command = [find("wrk"), "-t1", f"-c{connections}", f"-d{self.seconds}"] + (["-s", script] if script else []) + [url]
        out, cpu = timed(on(self.client_cpu, command))
        if "Socket errors" in out or "Non-2xx" in out:
            raise Broken("wrk saw errors: " + out)
        return {"requests": int(re.search(r"(\d+) requests in", out).group(1)), "cpu_s": cpu,
                "rate": float(re.search(r"Requests/sec:\s*([\d.]+)", out).group(1))}

    def bare_ask(self, url, connections):
        """A client that only sends and receives (bare.c), as wrk()."""
        port = url.rstrip("/").rsplit(":", 1)[1]
        out, cpu = timed(on(self.client_cpu, [self.bare, "ask", port, str(connections), str(self.seconds)]))
        return {"requests": int(out), "cpu_s": cpu}

    # --- pairs and limits

    def pairs(self, ours, theirs, n=None):
        """[(ours(), theirs())…], who is first in turns."""
        got = []
        for i in range(n or self.n_pairs):
            if i % 2:
                b = theirs()
                got.append((ours(), b))
            else:
                a = ours()
                got.append((a, theirs()))
        return got

    def floor(self, name, bare, theirs):
        """What the calls alone take of theirs, without limit: a third of the pairs."""
        got = self.pairs(bare, theirs, (self.n_pairs + 2) // 3)
        self.tell(f"  {name}, only the calls (bare.c)", [a / b for a, b in got], "")

    def hold(self, name, ratios, at_least=None, at_most=None):
        """Prints the median of the ratios with its range; one that is beyond the limit by more than the margin fails the run."""
        value = statistics.median(ratios)
        limit = at_most if at_least is None else at_least
        factor = value / limit if at_least is None else limit / value
        self.fine &= factor <= self.margin
        print(f"  {name:50s} {value:6.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
              f"at {'most ' if at_least is None else 'least'} {limit:.2f}: {'ok' if factor <= 1 else 'MISSED'}", flush=True)

    def tell(self, name, values, unit):
        """A median that has no limit."""
        print(f"  {name:50s} {statistics.median(values):6.2f} {unit}".rstrip(), flush=True)


def on(cpu, command):
    return command if cpu is None else ["taskset", "-c", str(cpu), *command]


def die(text):
    sys.exit(f"bench-load: {text}")
