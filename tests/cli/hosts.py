#!/usr/bin/env python3
"""Every host of the project by every profile: no crash, valid JSON, text in ASCII within narrow columns.

    hosts.py PROGRAM SCRATCH PROFILE...
"""
import json
import os
import pathlib
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
sys.path.insert(0, str(HERE))
import schema  # noqa: E402

PROGRAM, SCRATCH, *PROFILES = sys.argv[1:]
SCHEMA = json.loads((TREE / "docs/schemas/check.schema.json").read_text(encoding="utf-8"))


def check(*args, **more):
    return subprocess.run([PROGRAM, "check", *args], capture_output=True, check=False, env={**os.environ, **more})


def faults(description):
    host = pathlib.Path(SCRATCH, description.stem)
    subprocess.run([sys.executable, TREE / "fixtures/generate.py", description, host], stdout=subprocess.DEVNULL, check=True)
    for profile in PROFILES:
        p = check("--profile", profile, "--capture", str(host), "--format", "json")
        if p.returncode not in (0, 1, 3) or (p.stderr and p.returncode != 3):
            yield f"{profile}: exit {p.returncode}: {p.stderr.decode(errors='replace')}"
            continue
        document = json.loads(p.stdout)
        # Each host by one profile, each profile by many hosts: the library takes its time.
        if profile == PROFILES[sum(description.stem.encode()) % len(PROFILES)]:
            yield from (f"{profile}: {fault}" for fault in schema.faults(SCHEMA, document)[:5])
    text = check("-v", "--capture", str(host), COLUMNS="20").stdout
    if any(c not in b"\n" and not 32 <= c < 127 for c in text):
        yield "the text is not ASCII"
    subprocess.run(["rm", "-rf", host], check=True)


def main():
    descriptions = sorted((TREE / "fixtures/hosts").glob("*.json"))
    assert len(descriptions) > 100 and len(PROFILES) >= 6
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda d: [f"{d.stem}: {f}" for f in faults(d)], descriptions))
    wrong = [f for r in results for f in r]
    print("\n".join(wrong[:40]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
