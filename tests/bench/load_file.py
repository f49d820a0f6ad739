"""the built-in file server by sendfile and nginx `sendfile on` under the same client: MB/s of cached files"""
import os
import urllib.request

LARGE = 256 << 20
SMALL = 16 << 10
TOOLS = ("nginx",)


def make(path, size):
    with open(path, "wb") as f:
        for _ in range(size >> 12):
            f.write(os.urandom(4096))


def rate(bench, url):
    return bench.load("file", url)["bytes_per_second"]


def compare(bench):
    make(f"{bench.work}/large", LARGE)
    make(f"{bench.work}/small", SMALL)
    os.chmod(bench.work, 0o755)
    theirs, _ = bench.nginx(f"root {bench.work};", "sendfile on; tcp_nopush on; open_file_cache max=100;")
    ours, _ = bench.serve("file", "--dir", bench.work)
    with urllib.request.urlopen(f"{ours}make/{LARGE}/1/{SMALL}", timeout=120) as reply:
        reply.read()
    for name, mine, other, limit in ("256 MiB, sendfile", "sendfile/large", "large", 1.0), ("16 KiB, sendfile", "sendfile/small/0", "small", 1.0):
        got = bench.pairs(lambda p=mine: rate(bench, ours + p), lambda p=other: rate(bench, theirs + p))
        bench.hold(name, [a / b for a, b in got], at_least=limit)
        bench.tell(f"{name}: ours", [a / 1e6 for a, _ in got], "MB/s")
