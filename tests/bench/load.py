#!/usr/bin/env python3
"""load.py PROGRAM PAIRS SECONDS MARGIN [NAME…]: load runs against the tools of the field, in alternating pairs, medians.

Runs the comparisons in load_NAME.py beside this file, all or those named. Ends with 1 if a median passes its limit times MARGIN,
with 77 where everything that could be run holds and a tool was missing for the rest.
"""
import glob
import importlib
import os
import sys
import tempfile

import loadkit

HERE = os.path.dirname(os.path.abspath(__file__))


def run(name, bench):
    """Whether it could be run."""
    module = importlib.import_module(f"load_{name}")
    missing = [t for t in module.TOOLS if not loadkit.find(t)]
    if missing:
        print(f"{name}: not run: {', '.join(missing)} not here (./quickstart bench installs what is needed)", flush=True)
        return False
    print(f"{name}: {module.__doc__.splitlines()[0]}", flush=True)
    try:
        module.compare(bench)
    except loadkit.Broken as e:
        print(f"  FAILED: {e}", flush=True)
        bench.fine = False
    finally:
        bench.stop_all()
    return True


def main():
    program, pairs, seconds, margin = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
    there = sorted(os.path.basename(p)[5:-3] for p in glob.glob(f"{HERE}/load_*.py"))
    wanted = sys.argv[5:] or there
    if set(wanted) - set(there):
        loadkit.die(f"no comparison {', '.join(sorted(set(wanted) - set(there)))}; there are: {', '.join(there)}")
    with tempfile.TemporaryDirectory(prefix="bench-load.") as work:
        bench = loadkit.Bench(program, pairs, seconds, margin, work)
        left_out = [name for name in wanted if not run(name, bench)]
    print(f"medians of {pairs} alternated pairs of {seconds} s; limits times {margin:g} fail")
    if not bench.fine:
        sys.exit(1)
    if left_out:
        print(f"skip: {', '.join(left_out)}: tools are missing; the others hold")
        sys.exit(77)


main()
