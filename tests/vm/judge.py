#!/usr/bin/env python3
"""Judges what a test guest collected (suite.sh): judge.py DIRECTORY OUTPUT

DIRECTORY is the guest's tar unpacked, OUTPUT what suite.sh printed. Prints a line for each fault and "N fields compared …" at
the end; exit 1 if there is one.
"""
import json
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare  # noqa: E402

faults = []
# What check may end with when it could read the machine: nothing found, something found, too little known.
GOOD_EXITS = {"0", "1", "3"}


# Groups that may have nothing to compare, and the facts that say that there must be something.
MUST = {"cpufreq": [("cpu", "policies")], "disks": [("disks",)]}
# What a link that is down for a moment is not judged by.
PASSING = {"unknown", "na", "unsupported"}


def load(path):
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        faults.append(f"{path.parent.name}/{path.name}: {error}")
        return None


def is_noticed(tools, before, after):
    for group in compare.ALL:
        try:
            if any(theirs != ours for _, ours, theirs in group(tools, compare.Facts(before, after))):
                return True
        except (TypeError, KeyError, ValueError):
            return True
    return False


def leaves(value, at):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, at + [key])
    else:
        yield at


def noticed(tools, before, after):
    """How many of 100 facts made wrong one at a time (the same ones each time) the comparison notices."""
    count, paths = 0, list(leaves(after["facts"], []))
    for path in random.Random(1).sample(paths, 100):
        at = after["facts"]
        for key in path[:-1]:
            at = at[key]
        value = at[path[-1]]
        at[path[-1]] = not value if isinstance(value, bool) else value - 10**9 if isinstance(value, (int, float)) else \
            value + "x" if isinstance(value, str) else value + [99]
        count += is_noticed(tools, before, after)
        at[path[-1]] = value
    return count


def compared(out):
    before, after = load(out / "facts/before.json"), load(out / "facts/after.json")
    if not before or not after:
        return 0, 0
    tools, facts = compare.Tools(out / "tools"), compare.Facts(before, after)
    count = 0
    for group in compare.ALL:
        seen = 0
        for what, ours, theirs in group(tools, facts):
            seen += 1
            if theirs != ours:
                faults.append(f"{what}: tuneaudit says {json.dumps(ours, default=repr)}, the other tool {theirs!r}")
        if not seen and any(facts.get(*path) for path in MUST.get(group.__name__, [("kernel",)])):
            faults.append(f"nothing could be compared of {group.__name__}")
        count += seen
    good = noticed(tools, before, after) if not faults else 0
    if not faults and good < 50:
        faults.append(f"of 100 facts made wrong only {good} were noticed")
    return count, good


def reading_changes_nothing(out):
    before, after = (out / "law/before").read_text().splitlines(), (out / "law/after").read_text().splitlines()
    if len(before) < 500:
        faults.append(f"only {len(before)} settings and modules were looked at")
    for line in sorted(set(before) ^ set(after))[:10]:
        faults.append(f"reading changed: {line}")
    return len(before)


def reads_back(out):
    """A capture gives what the live machine gave, but for what moves and what is of the reader."""
    if (out / "facts/capture.json").read_bytes() != (out / "facts/capture-again.json").read_bytes():
        faults.append("a capture read twice differs")
    live, back = load(out / "facts/before.json"), load(out / "facts/capture.json")
    if not live or not back:
        return
    for area in ("cpu", "numa", "nics", "nvme", "disks", "sysctl", "memory", "place", "features", "modules", "listeners"):
        for path in differing(live["facts"].get(area), back["facts"].get(area), [area]):
            if not moves(path):
                faults.append(f"capture differs: {'.'.join(path)}")


    reasons = {p: (h["reason"], back["absent"].get(p, {}).get("reason")) for p, h in live["absent"].items()}
    for path, (was, now) in reasons.items():
        if was != now:
            faults.append(f"capture differs: {path} is {was} live and {now} read back")


def differing(a, b, at):
    if isinstance(a, dict) and isinstance(b, dict):
        for key in sorted(set(a) | set(b)):
            yield from differing(a.get(key), b.get(key), at + [key])
    elif a != b:
        yield at


def moves(path):
    text = ".".join(path)
    return any(part in text for part in ("counts_total", "top_share", "top_cpu", "cur_khz", "cpu.time", "throttle", "free_bytes", "irq.",
                                         "carrier_changes", "available_bytes", "cached_bytes", "committed_bytes", "reclaimable_bytes",
                                         "unwritten_bytes", "dirty_bytes", "queued_", "fs.file-nr"))


def ended_well(path, kinds=GOOD_EXITS):
    """The exit code of a run beside its output, and that the output is whole."""
    code = path.with_suffix(".rc").read_text().strip()
    if code not in kinds:
        faults.append(f"{path.parent.name}/{path.name}: exit {code}: {path.with_suffix('.err').read_text(errors='replace')[:200]}")
        return None
    return load(path)


def verdicts(doc):
    """By rule and name. The bus address beside a name comes by a way that is not there for a moment while it is renamed."""
    return {(f["rule"], (f["subject"] or "").split(" (")[0]): f["verdict"] for f in doc["findings"]}


# What a namespace does not change: the machine itself.
OF_THE_MACHINE = {"cpu", "memory", "time", "kernel", "storage", "numa"}


def less_is_not_different(out):
    """With less in sight a verdict is the same or unknown; never another."""
    docs = {who: load(out / f"check-{who}.json") for who in ("root", "nobody", "container")}
    if not all(docs.values()):
        return 0
    root, count = verdicts(docs["root"]), 0
    for who in ("nobody", "container"):
        for finding in docs[who]["findings"]:
            key = (finding["rule"], (finding["subject"] or "").split(" (")[0])
            if who == "container" and finding["area"] not in OF_THE_MACHINE or key not in root:
                continue
            count += 1
            if finding["verdict"] not in PASSING | {root[key]}:
                faults.append(f"{who}: {key[0]} {key[1]} is {finding['verdict']} ({finding['because']}), root sees {root[key]}")
    return count


def devices(doc):
    return {key for area in ("nics", "nvme", "disks") for key in doc["facts"].get(area, {})} | {f"cpu {c}" for c in doc["facts"]["cpu"]["online_list"]}


def check_vanished(name, state, known, states):
    """What is gone is not a fact any more and judged by nothing."""
    if not known.get(state) or not known.get("before"):
        return
    vanished = devices(known["before"]) - devices(known[state])
    if not vanished:
        faults.append(f"{name}: in state {state} everything is there that was there before")
    for rule, subject in states.get(state, {}):
        if subject and subject.split()[0] in vanished:
            faults.append(f"{name}: {rule} judges {subject}, which is gone")


def loops(directory):
    """While the machine changes, a verdict is one of those of the states it goes through, or unknown."""
    name, states, runs = directory.name, {}, 0
    for path in sorted(directory.glob("state-*.json")):
        doc = ended_well(path)
        if doc:
            states[path.stem[6:]] = verdicts(doc)
    if len(states) < 2:
        faults.append(f"{name}: {len(states)} states")
        return 0
    known = {p.stem[6:]: ended_well(p, {"0"}) for p in sorted(directory.glob("known-*.json"))}
    for state in set(known) - {"before", "after"}:
        check_vanished(name, state, known, states)
    for path in sorted(directory.glob("check-*.json")):
        doc = ended_well(path)
        runs += 1
        if not doc:
            continue
        for key, verdict in verdicts(doc).items():
            allowed = {s[key] for s in states.values() if key in s}
            if verdict == "broken" or verdict not in allowed | PASSING:
                finding = next(f for f in doc["findings"] if f["rule"] == key[0] and (f["subject"] or "").split(" (")[0] == key[1])
                faults.append(f"{name}/{path.stem}: {key[0]} {key[1]} is {verdict} ({finding['because']}), it is {sorted(allowed) or 'not judged'} in "
                              f"{', '.join(sorted(states))}")
    for path in sorted(directory.glob("facts-*.json")):
        ended_well(path, {"0"})
        runs += 1
    return runs


def main():
    out, printed = pathlib.Path(sys.argv[1]) / "out", pathlib.Path(sys.argv[2]).read_text(errors="replace")
    faults.extend(line for line in printed.splitlines() if line.startswith("not ok"))
    if not out.is_dir() or "done" not in printed.splitlines():
        faults.append("the guest did not come to its end")
    if not out.is_dir():
        print("\n".join(faults))
        print("0 fields")
        return 1
    (count, good), settings = compared(out), reading_changes_nothing(out)
    reads_back(out)
    for path in sorted(out.glob("check*.json")):
        ended_well(path)
    same = less_is_not_different(out)
    runs = {d.name: loops(d) for d in sorted((out / "loops").iterdir())}
    print("\n".join(faults))
    print(f"{count} fields compared, {len(faults)} faults; {good} of 100 wrong facts noticed; {settings} settings untouched by reading; {same} verdicts with less in sight; runs while the machine changed: " +
          ", ".join(f"{name} {n}" for name, n in runs.items()))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
