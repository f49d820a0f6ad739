#!/usr/bin/env python3
"""load.py PROGRAM PAIRS SECONDS MARGIN: load runs against the tools of the field, in alternating pairs, medians.

  client  `tuneaudit load http` and wrk against the same nginx: CPU time per request, requests per second
  server  `tuneaudit load serve` and nginx `return 200` under the same wrk: requests per second of server CPU time

Each comparison is a ratio within one pair; a limit times MARGIN that is passed fails.
"""
import json
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time

NGINX = """
worker_processes 1;
daemon off;
error_log /dev/null;
pid {0}/nginx.pid;
events {{ worker_connections 4096; }}
http {{
    access_log off;
    keepalive_requests 1000000000;
    client_body_temp_path {0}/a; proxy_temp_path {0}/b; fastcgi_temp_path {0}/c; uwsgi_temp_path {0}/d; scgi_temp_path {0}/e;
    server {{ listen 127.0.0.1:{1}; location / {{ return 200 "tu"; }} }}
}}
"""
CONNECTIONS = 50


def free_port():
    import socket
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def cpu_of_children():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def timed(command):
    """The output of a command, and the CPU seconds that it used from start to end."""
    before = cpu_of_children()
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"bench-load: {' '.join(command)}: {done.stdout}{done.stderr}")
    return done.stdout, cpu_of_children() - before


def by_wrk(url, seconds):
    out, cpu = timed(["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}", url])
    n = int(re.search(r"(\d+) requests in", out).group(1))
    if "Socket errors" in out or "Non-2xx" in out:
        sys.exit("bench-load: wrk saw errors: " + out)
    return {"requests": n, "cpu": cpu, "rate": float(re.search(r"Requests/sec:\s*([\d.]+)", out).group(1))}


def by_us(program, url, seconds, engine):
    out, cpu = timed([program, "load", "http", url, "-t", "1", "-c", str(CONNECTIONS), "-d", str(seconds), "--warmup", "0",
                      "--engine", engine, "--format", "json"])
    d = json.loads(out)
    return {"requests": d["requests"], "cpu": cpu, "rate": d["per_second"]["mean"]}


def ticks_of(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def worker_of(pid):
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        children = open(f"/proc/{pid}/task/{pid}/children").read().split()
        if children:
            return int(children[0])
        time.sleep(0.05)
    sys.exit("bench-load: nginx did not start")


def server_rate(pid, url, seconds):
    """Requests per CPU second of the server."""
    before = ticks_of(pid)
    n = by_wrk(url, seconds)["requests"]
    used = (ticks_of(pid) - before) / os.sysconf("SC_CLK_TCK")
    return n / used


def line(name, value, limit, margin, at_least):
    ok = value >= limit if at_least else value <= limit
    far = value < limit / margin if at_least else value > limit * margin
    print(f"{name:52s} {value:6.2f}, at {'least' if at_least else 'most '} {limit:.2f}: {'ok' if ok else 'MISSED'}")
    return not far


def main():
    program, pairs, seconds, margin = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    for tool in "wrk", "nginx":
        if subprocess.run(["which", tool], stdout=subprocess.DEVNULL).returncode:
            print(f"skip: {tool} is not installed; wanted are wrk and nginx, which ./quickstart does not install since Debian starts it")
            sys.exit(77)
    fine = True
    with tempfile.TemporaryDirectory() as work:
        port = free_port()
        open(f"{work}/nginx.conf", "w").write(NGINX.format(work, port))
        nginx = subprocess.Popen(["nginx", "-e", "/dev/null", "-c", f"{work}/nginx.conf"])
        serve = subprocess.Popen([program, "load", "serve", "-t", "1"], stdout=subprocess.PIPE, text=True)
        try:
            theirs, ours = f"http://127.0.0.1:{port}/", serve.stdout.readline().strip()
            worker = worker_of(nginx.pid)
            time.sleep(0.2)
            cpu, rate, server = {"epoll": [], "io_uring": []}, {"epoll": [], "io_uring": []}, []
            for i in range(pairs):
                for engine in cpu:
                    runs = [lambda: by_us(program, theirs, seconds, engine), lambda: by_wrk(theirs, seconds)]
                    first, second = (0, 1) if i % 2 == 0 else (1, 0)
                    got = {first: runs[first](), second: runs[second]()}
                    a, b = got[0], got[1]
                    cpu[engine].append(a["cpu"] / a["requests"] / (b["cpu"] / b["requests"]))
                    rate[engine].append(a["rate"] / b["rate"])
                server.append(server_rate(serve.pid, ours, seconds) / server_rate(worker, theirs, seconds))
            for engine in cpu:
                fine &= line(f"client, {engine}: CPU per request / wrk's", statistics.median(cpu[engine]), 0.8, margin, False)
                fine &= line(f"client, {engine}: requests per second / wrk's", statistics.median(rate[engine]), 1.0, margin, True)
            fine &= line("server: requests per CPU second / nginx's", statistics.median(server), 1.5, margin, True)
            print(f"medians of {pairs} alternated pairs of {seconds} s, {CONNECTIONS} connections")
        finally:
            serve.terminate()
            nginx.terminate()
            serve.wait()
            nginx.wait()
    sys.exit(not fine)


main()
