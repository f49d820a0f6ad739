#!/usr/bin/env python3
"""Holds `facts settings` against systemd-sysctl itself.

    sysctl.py PROGRAM TREES [FIRST]

Makes random trees of sysctl.d files and has systemd-sysctl apply each in a mount namespace of its own, where
/proc/sys is a folder of plain files: nothing of this machine is written. What stands in these files afterwards must
be what the program says of a capture of the tree. Skipped without root, unshare or systemd-sysctl.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

READER = "/usr/lib/systemd/systemd-sysctl"
KEYS = ["net/core/somaxconn", "net/ipv4/conf/all/rp_filter", "net/ipv4/conf/default/rp_filter", "vm/swappiness",
        "net/ipv4/tcp_fin_timeout", "vm/dirty_ratio", "fs/aio-max-nr", "net/ipv4/tcp_rmem"]
PATTERNS = ["net.ipv4.conf.*.rp_filter", "net/ipv4/conf/*/rp_filter", "net.ipv4.tcp_*", "vm.*", "vm.sw?ppiness",
            "net.core.som[a-b]xconn", "net.*.*", "fs.aio[!x]max-nr", "net.ipv4.conf.[ad]*.rp_filter", "vm/*s*s*"]
FOLDERS = ["etc/sysctl.d", "run/sysctl.d", "usr/local/lib/sysctl.d", "usr/lib/sysctl.d"]
UNTOUCHED = "99"
NAMESPACE = """set -e
mount --make-rprivate /
mkdir -p /etc/sysctl.d /usr/lib/sysctl.d /usr/local/lib
mount --bind "$1/etc/sysctl.d" /etc/sysctl.d
mount --bind "$1/usr/lib/sysctl.d" /usr/lib/sysctl.d
mount -t tmpfs tmpfs /run
mkdir /run/sysctl.d
mount --bind "$1/run/sysctl.d" /run/sysctl.d
mount -t tmpfs tmpfs /usr/local/lib
mkdir /usr/local/lib/sysctl.d
mount --bind "$1/usr/local/lib/sysctl.d" /usr/local/lib/sysctl.d
mount --bind "$2" /proc/sys
""" + READER + """ >/dev/null 2>&1 || :
"""


def spell(r, key):
    """One of the ways to write a key."""
    return r.choice([key.replace("/", "."), key.replace("/", "."), key, "/" + key, key.replace("/", "//", 1)])


def line(r):
    kind = r.random()
    if kind < 0.1:
        return r.choice(["", "# c", "; x = 1", "junk", "=", "-", "- = 4", "\\", "   "])
    key = spell(r, r.choice(KEYS)) if r.random() < 0.6 else r.choice(PATTERNS)
    if kind < 0.25:
        return "-" + r.choice(["", " "]) + key
    return (r.choice(["", "-", "  ", "- "]) + key + r.choice(["=", " = ", "\t=\t", "  =   "]) + str(r.randint(1, 9))
            + r.choice(["", "", " ", "\t", "\r"]))


def make_tree(r, root):
    for folder in FOLDERS + ["proc/1", "run/systemd/system"]:
        os.makedirs(f"{root}/{folder}")
    with open(f"{root}/proc/1/comm", "w") as f:
        f.write("systemd\n")
    for key in KEYS:
        os.makedirs(os.path.dirname(f"{root}/proc/sys/{key}"), exist_ok=True)
        with open(f"{root}/proc/sys/{key}", "w") as f:
            f.write(UNTOUCHED + "\n")
    for _ in range(r.randint(1, 6)):
        name = r.choice(["10-a", "20-b", "90-c", "99-z", "a", "B", ".hid"]) + r.choice([".conf"] * 8 + [".txt", ".conf~"])
        path, kind = f"{root}/{r.choice(FOLDERS)}/{name}", r.random()
        if os.path.lexists(path):
            continue
        if kind < 0.1:
            os.symlink("/dev/null", path)
        elif kind < 0.15:
            os.symlink(name, path)
        elif kind < 0.18:
            os.mkdir(path)
        else:
            with open(path, "w", newline="") as f:
                f.write("\n".join(line(r) for _ in range(r.randint(0, 8))) + r.choice(["", "\n"]))


def check(program, seed):
    """Texts of what differs."""
    with tempfile.TemporaryDirectory() as scratch:
        root, written = f"{scratch}/tree", f"{scratch}/sys"
        make_tree(random.Random(seed), root)
        shutil.copytree(f"{root}/proc/sys", written)
        subprocess.run(["unshare", "-m", "sh", "-c", NAMESPACE, "sh", root, written], check=True, capture_output=True)
        out = subprocess.run([program, "facts", "settings", "--format", "json", "--capture", root], check=True,
                             capture_output=True).stdout
        settings, wrong = json.loads(out)["facts"]["settings"], []
        for key in KEYS:
            with open(f"{written}/{key}") as f:
                real = f.read().split("\n")[0].strip()
            ours = settings.get(key.replace("/", "."), {}).get("value", UNTOUCHED)
            if ours != real:
                wrong.append(f"tree {seed}: {key}: systemd-sysctl wrote {real}, facts say {ours}")
        return wrong


def main():
    program, trees, first = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
    able = os.path.exists(READER) and os.geteuid() == 0
    if not able or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode:
        print("check-oracle: skipped: needs root, unshare and systemd-sysctl")
        return
    wrong = [text for seed in range(first, first + trees) for text in check(program, seed)]
    for text in wrong:
        print(text)
    print(f"check-oracle: {trees} trees, {trees * len(KEYS)} sysctls, {len(wrong)} wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
