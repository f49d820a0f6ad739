#!/usr/bin/env python3
"""A fleet out of the project's own hosts: fleet.py PROGRAM DIRECTORY HOSTS [BROKEN]

Each host is one of a few captured and described ones under a name of its own; some of them differ from the others of their
kind in a rule or two, and BROKEN of the files are no results. The same numbers give the same fleet.
"""
import copy
import json
import pathlib
import random
import subprocess
import sys
import tarfile
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
CAPTURES = ["vm-server-6.1", "vm-cloud-6.1", "vm-server-5.10", "vm-desk-6.12"]
DESCRIPTIONS = ["report-two-cards-cpu0", "isolated-hit", "foreign-node", "report-rss-16-of-63"]


def result(program, command, host, *options):
    p = subprocess.run([program, command, *options, "--capture", host, "--format", "json"], capture_output=True, check=False)
    return json.loads(p.stdout)


def kinds(program, scratch):
    """(check, facts, weight) of each kind of host."""
    for i, name in enumerate(CAPTURES + DESCRIPTIONS):
        host = scratch / name
        if name in CAPTURES:
            host.mkdir()
            with tarfile.open(TREE / f"fixtures/captures/{name}.tar.gz") as tar:
                tar.extractall(host, filter="data") if hasattr(tarfile, "data_filter") else tar.extractall(host)
        else:
            subprocess.run([sys.executable, TREE / "fixtures/generate.py", TREE / f"fixtures/hosts/{name}.json", host],
                           stdout=subprocess.DEVNULL, check=True)
        check = result(program, "check", host, "--min-coverage", "0", "--profile", "gateway")
        yield check, result(program, "facts", host), [24, 12, 6, 4, 3, 2, 1, 1][i]


def drift(check, chance):
    """A rule that passes fails here, or the other way round."""
    for finding in chance.sample(check["findings"], chance.randint(1, 3)):
        if finding["verdict"] not in ("pass", "fail"):
            continue
        worse = finding["verdict"] == "pass"
        check["summary"][finding["verdict"]] -= 1
        finding["verdict"] = "fail" if worse else "pass"
        finding["because"] += " (changed by hand)" if worse else ""
        check["summary"][finding["verdict"]] += 1
        if check["score"] is not None:
            check["score"] = max(0, min(100, check["score"] + (-4 if worse else 3)))


def main():
    program, directory, hosts = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    broken = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    chance = random.Random(8)
    directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        all_kinds = list(kinds(program, pathlib.Path(scratch)))
    for i in range(hosts):
        check, facts, _ = chance.choices(all_kinds, weights=[k[2] for k in all_kinds])[0]
        check, name = copy.deepcopy(check), f"{chance.choice(['web', 'cache', 'gw', 'db'])}-{i:04}.example.net"
        if chance.random() < 0.15:
            drift(check, chance)
        check["host"]["name"] = name
        facts = {**facts, "host": {**facts["host"], "name": name}, "facts": {**facts["facts"]}}
        facts["facts"]["host"] = {**facts["facts"].get("host", {}), "name": name}
        texts = [json.dumps(check), json.dumps(facts)]
        if i < broken:
            texts[0] = texts[0][:chance.randint(0, len(texts[0]) - 1)]
            texts[1] = texts[1].replace("tuneaudit.facts/1", "tuneaudit.facts/9")
        (directory / f"{i:04}-check.json").write_text(texts[0], encoding="utf-8")
        (directory / f"{i:04}-facts.json").write_text(texts[1], encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
