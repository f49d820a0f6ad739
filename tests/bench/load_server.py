"""the built-in server and nginx `return 200` under the same wrk: requests per CPU second of the server"""
import os

import loadkit

TOOLS = ("wrk", "nginx")
PIPELINED = 16

# wrk sends what request() returns, and counts each reply of it.
SCRIPT = """
init = function(args)
  local r = {}
  for i = 1, %d do r[i] = wrk.format(nil, "/") end
  req = table.concat(r)
end
request = function() return req end
"""


def per_cpu_second(bench, server, connections, script):
    url, pid = server
    before = loadkit.cpu_of(pid)
    n = bench.wrk(url, connections, script)["requests"]
    return n / (loadkit.cpu_of(pid) - before)


def compare(bench):
    script = os.path.join(bench.work, "pipeline.lua")
    with open(script, "w") as f:
        f.write(SCRIPT % PIPELINED)
    theirs, ours, bare = bench.nginx('location / { return 200 "tu"; }'), bench.serve(), bench.bare_serve()
    for connections, lua in (50, script), (200, script), (50, None), (200, None):
        got = bench.pairs(lambda c=connections, s=lua: per_cpu_second(bench, ours, c, s),
                          lambda c=connections, s=lua: per_cpu_second(bench, theirs, c, s))
        ratios, name = [a / b for a, b in got], f"{connections} connections, {PIPELINED if lua else 1} request at a time"
        if lua:
            bench.hold(name, ratios, at_least=1.5)
        else:
            # The kernel's TCP over loopback is most of what a single request costs either of them: docs/benchmarks.md.
            bench.hold(name, ratios, at_least=1.0)
            bench.floor(name, lambda c=connections: per_cpu_second(bench, bare, c, None),
                        lambda c=connections: per_cpu_second(bench, theirs, c, None))
        bench.tell("  CPU of a request, ours", [1e6 / a for a, _ in got], "us")
        bench.tell("  CPU of a request, nginx's", [1e6 / b for _, b in got], "us")
