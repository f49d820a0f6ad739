"""the http client and wrk against the same nginx, 50 connections"""
TOOLS = ("wrk", "nginx")
CONNECTIONS = 50


def per_request(run):
    return run["cpu_s"] / run["requests"]


def compare(bench):
    url, _ = bench.nginx('location / { return 200 "tu"; }')
    for engine in "epoll", "io_uring":
        got = bench.pairs(lambda e=engine: bench.load("http", url, "-c", str(CONNECTIONS), "--engine", e),
                          lambda: bench.wrk(url, CONNECTIONS))
        bench.hold(f"{engine}: CPU per request / wrk's", [per_request(a) / per_request(b) for a, b in got], at_most=0.8)
        bench.hold(f"{engine}: requests per second / wrk's", [a["per_second"]["mean"] / b["rate"] for a, b in got], at_least=1.0)
        bench.tell(f"{engine}: CPU per request", [per_request(a) * 1e6 for a, _ in got], "us")
        bench.tell("wrk: CPU per request", [per_request(b) * 1e6 for _, b in got], "us")
