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
    theirs, ours = bench.nginx('location / { return 200 "tu"; }'), bench.serve()
    for connections, name, lua in (50, "one at a time", None), (200, "one at a time", None), (50, f"{PIPELINED} at a time", script):
        got = bench.pairs(lambda c=connections, s=lua: per_cpu_second(bench, ours, c, s),
                          lambda c=connections, s=lua: per_cpu_second(bench, theirs, c, s))
        bench.hold(f"{connections} connections, {name}", [a / b for a, b in got], at_least=1.5)
