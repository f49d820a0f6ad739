#!/usr/bin/env python3
"""What is read where: environments.py [--here PROGRAM] [NAME=FACTS.json…]

Prints a table, a row per area of facts and a column per environment: how many facts were read, and how many are absent for
which reason (m missing, d denied, u unsupported, n not asked, x malformed; + a collection that could not be read whole).
--here adds this machine: as root, as nobody, in a namespace like a container's, and from a capture of it. Below the table,
for every "NAME OTHER" beside a NAME: what is read there and not here, the numbers of devices and processes as *.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

LETTERS = {"missing": "m", "denied": "d", "unsupported": "u", "not-asked": "n", "malformed": "x"}
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
CONTAINER = ["unshare", "-Urnpf", "--mount-proc"]


def leaves(value, at):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, at + (key,))
    else:
        yield at


def keys(path):
    return tuple(a or json.loads(f'"{b}"') for a, b in re.findall(r'\.?([A-Za-z_0-9-]+)|\["((?:[^"\\]|\\.)*)"\]', path))


def pattern(path):
    """nics.eth0.mtu as nics.*.mtu, irqs.24.name as irqs.*.name."""
    if path[0] == "counters" and path[1].startswith("nic"):
        return ".".join(path[:2] + ("*",))
    if path[0] == "sysctl":
        return "sysctl.*"
    collection = path[0] in ("nics", "irqs", "processes", "listeners", "nvme", "disks", "numa", "netns", "cgroups", "mounts", "irq_devices", "agents", "settings")
    return ".".join("*" if part.isdigit() or collection and n == 1 else part for n, part in enumerate(path))


def absent_of(doc):
    return {keys(path): hole for path, hole in doc["absent"].items()}


def row(doc, area):
    read = sum(1 for path in leaves(doc["facts"].get(area, {}), (area,)))
    why = {}
    for path, hole in absent_of(doc).items():
        if path[0] == area:
            why[LETTERS[hole["reason"]]] = why.get(LETTERS[hole["reason"]], 0) + 1
    text = " ".join([str(read)] + [f"{n}{letter}" for letter, n in sorted(why.items())])
    return text + ("+" if any(keys(path)[0] == area for path in doc["incomplete"]) else "")


def table(documents):
    areas = sorted({a for d in documents.values() for a in list(d["facts"]) + [p[0] for p in absent_of(d)]})
    yield "| area | " + " | ".join(documents) + " |"
    yield "|---|" + "---|" * len(documents)
    for area in areas:
        yield f"| {area} | " + " | ".join(row(d, area) for d in documents.values()) + " |"
    totals = [f"{sum(1 for _ in leaves(d['facts'], ()))} read, {len(d['absent'])} absent" for d in documents.values()]
    yield "| all | " + " | ".join(totals) + " |"


def reason(doc, path):
    holes = absent_of(doc)
    for n in range(len(path), 0, -1):
        if path[:n] in holes:
            return f"{holes[path[:n]]['reason']}: {holes[path[:n]]['detail']}"
    for name, hole in doc["incomplete"].items():
        if path[: len(keys(name))] == keys(name):
            return f"incomplete: {hole['detail']}"
    within = doc["facts"]
    for key in path:
        within = within.get(key)
        if within is None:
            return "NO REASON"
        if within == {}:
            return "there is none"
    return "NO REASON"


def holes(name, base, other):
    """What is read in `base` and not in `other`, told once per pattern."""
    told = {}
    there = set(leaves(other["facts"], ()))
    for path in leaves(base["facts"], ()):
        if path not in there and not gone(path, other):
            text = re.sub(r"/proc/sys/\S+", "/proc/sys/…", re.sub(r"[0-9]+", "*", reason(other, path)))
            told.setdefault((pattern(path), text), []).append(path)
    for (what, why), paths in sorted(told.items()):
        yield f"- {name}: {what} ({len(paths)}): {why}"


def gone(path, other):
    """Of a member of a collection that is not there at all: an interface of another namespace, a process that ended."""
    nics = other["facts"].get("nics")
    if path[0] == "counters" and path[1].startswith("nic"):
        return isinstance(nics, dict) and path[2] not in nics
    members = other["facts"].get(path[0])
    return path[0] in ("nics", "irqs", "processes", "listeners", "settings") and isinstance(members, dict) and \
        path[1] not in members and path[:2] not in absent_of(other)


def here(program):
    run = [program, "facts", "--format", "json"]
    with tempfile.TemporaryDirectory() as scratch:
        capture = pathlib.Path(scratch) / "capture"
        subprocess.run([program, "capture", str(capture)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        for name, command in (("here", run), ("here nobody", NOBODY + run), ("here container", CONTAINER + run),
                              ("here capture", run + ["--capture", str(capture)])):
            done = subprocess.run(command, capture_output=True, timeout=120, check=False, cwd="/")
            if done.returncode == 0:
                yield name, json.loads(done.stdout)
            else:
                print(f"{name}: exit {done.returncode}: {done.stderr.decode(errors='replace').strip()[:200]}", file=sys.stderr)


def main():
    documents, arguments = {}, sys.argv[1:]
    if arguments[:1] == ["--here"]:
        documents.update(here(str(pathlib.Path(arguments[1]).resolve())))
        arguments = arguments[2:]
    for argument in arguments:
        name, _, path = argument.partition("=")
        documents[name] = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    print("\n".join(table(documents)))
    print()
    for name, document in documents.items():
        base = documents.get(name.split(" ")[0])
        if " " in name and base:
            print("\n".join(holes(name, base, document)))


if __name__ == "__main__":
    main()
