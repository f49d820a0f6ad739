"""the http client and wrk against the same nginx"""
TOOLS = ("wrk", "nginx")


def per_request(run):
    return run["cpu_s"] / run["requests"]


def compare(bench):
    url, _ = bench.nginx('location / { return 200 "tu"; }')
    for engine, connections in ("epoll", 50), ("epoll", 100), ("epoll", 200), ("io_uring", 100):
        got = bench.pairs(lambda e=engine, c=connections: bench.load("http", url, "-c", str(c), "--engine", e),
                          lambda c=connections: bench.wrk(url, c))
        cpu, rate = [per_request(a) / per_request(b) for a, b in got], [a["per_second"]["mean"] / b["rate"] for a, b in got]
        if engine == "epoll":
            bench.hold(f"{connections} connections: CPU per request / wrk's", cpu, at_most=0.8)
            bench.hold(f"{connections} connections: requests per second / wrk's", rate, at_least=1.0)
            bench.floor("CPU per request / wrk's", lambda c=connections: per_request(bench.bare_ask(url, c)),
                        lambda c=connections: per_request(bench.wrk(url, c)))
        else:
            bench.tell(f"{connections} connections, {engine}: CPU per request / wrk's", cpu, "")
            bench.tell(f"{connections} connections, {engine}: requests per second / wrk's", rate, "")
        bench.tell("  CPU per request, ours", [per_request(a) * 1e6 for a, _ in got], "us")
        bench.tell("  CPU per request, wrk's", [per_request(b) * 1e6 for _, b in got], "us")
