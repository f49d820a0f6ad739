#!/usr/bin/env python3
"""The examples for others' pipelines, run as they stand: check.py PROGRAM TREE SCRATCH

The steps of examples/github-actions.yml as a runner runs them, examples/benchmark.sh as its head says, each on this machine and
on captured hosts whose faults are known, where a tuneaudit in PATH stands in that adds where it reads, and that little is enough.
"""
import json
import os
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    # The distribution's package belongs to the distribution's Python.
    if sys.executable == "/usr/bin/python3" or not os.path.exists("/usr/bin/python3"):
        raise
    os.execv("/usr/bin/python3", ["/usr/bin/python3"] + sys.argv)

PROGRAM, TREE, SCRATCH = (os.path.abspath(p) for p in sys.argv[1:4])
STAND_IN = """#!/bin/sh
case $1 in
check) shift; exec '{program}' check --min-coverage 0 --capture '{capture}' {more} "$@" ;;
baseline)
	verb=$2
	shift 2
	[ "$verb" = compare ] || set -- --capture '{capture}' "$@"
	exec '{program}' baseline "$verb" "$@"
	;;
esac
echo "stand-in: $*" >&2
exit 99
"""
failed = []


def expect(what, good, seen=""):
    if not good:
        failed.append(what)
        print(f"check-usage: {what}: FAILED: {seen}")


def fresh(name):
    directory = f"{SCRATCH}/{name}"
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory + "/bin")
    return directory


def program_for(directory, host=None, more=""):
    """The directory for PATH that has the program, of this host or of a captured one."""
    path = directory + "/bin/tuneaudit"
    if os.path.lexists(path):
        os.unlink(path)
    if host:
        with open(path, "w", encoding="utf-8") as f:
            f.write(STAND_IN.format(program=PROGRAM, capture=host, more=more))
        os.chmod(path, 0o755)
    else:
        os.symlink(PROGRAM, path)
    return {**os.environ, "PATH": f"{directory}/bin:{os.environ['PATH']}", "COLUMNS": "80"}


def capture(directory, name, changes=()):
    host = f"{directory}/{name}"
    description = f"{TREE}/fixtures/hosts/{name}.json"
    subprocess.run([sys.executable, f"{TREE}/fixtures/generate.py", description, host], check=True, stdout=subprocess.DEVNULL)
    for path, text in changes:
        os.makedirs(os.path.dirname(f"{host}/{path}"), exist_ok=True)
        with open(f"{host}/{path}", "w", encoding="utf-8") as f:
            f.write(text)
    return host


def run_steps(workflow, directory, environment):
    """As a runner does it: sh -e on each, in the order; (name, exit code, output) up to the first that fails."""
    with open(workflow, encoding="utf-8") as f:
        (job,) = yaml.safe_load(f)["jobs"].values()
    summary = directory + "/summary.md"
    env = {**environment, **job["env"], "GITHUB_STEP_SUMMARY": summary, "GITHUB_ACTIONS": "true"}
    done = []
    for step in job["steps"]:
        if "run" not in step:
            # What an action is to take is there, and not empty.
            for key in ("sarif_file", "path"):
                if key in step.get("with", {}):
                    path = f"{directory}/{step['with'][key]}"
                    expect(f"{step['uses']} gets {key}", os.path.isfile(path) and os.path.getsize(path) > 1000, path)
            continue
        p = subprocess.run(["bash", "-e", "-c", step["run"]], cwd=directory, env=env, capture_output=True, text=True, check=False)
        done.append((step["name"], p.returncode, p.stdout + p.stderr))
        if p.returncode:
            break
    return done


def workflow():
    path = f"{TREE}/examples/github-actions.yml"
    directory = fresh("workflow")
    last = "Nothing is wrong with it"
    drift = "Nothing has moved since the baseline"

    # This machine: whatever is wrong with it is found in the last step, and there only; a second time it has a baseline.
    env = program_for(directory)
    for turn in ("first", "second"):
        steps = run_steps(path, directory, env)
        expect(f"workflow, here, {turn}", steps[-1][0] == last and steps[-1][1] in (0, 1), steps[-1])
        expect(f"workflow, here, {turn}: notice", ("There was no baseline" in steps[2][2]) == (turn == "first"), steps[2])
    with open(directory + "/tuneaudit.sarif", encoding="utf-8") as f:
        expect("workflow: sarif", json.load(f)["version"] == "2.1.0")
    with open(directory + "/summary.md", encoding="utf-8") as f:
        expect("workflow: summary", f.read().count("## tuneaudit") == 2)

    # A host with nothing wrong, which then drifts.
    directory = fresh("workflow-captured")
    host = capture(directory, "all-on-cpu0", [("proc/sys/net/core/somaxconn", "4096\n"), ("proc/sys/kernel/hostname", "ci-1\n")])
    env = program_for(directory, host)
    steps = run_steps(path, directory, env)
    expect("workflow, captured", [s[1] for s in steps] == [0, 0, 0, 0] or steps[-1][0] == last, steps[-1])
    expect("workflow, captured: annotations", steps[0][2].startswith("::error title="), steps[0][2][:200])
    with open(host + "/proc/sys/net/core/somaxconn", "w", encoding="utf-8") as f:
        f.write("128\n")
    steps = run_steps(path, directory, env)
    expect("workflow, drifted", steps[-1][:2] == (drift, 4) and "somaxconn" in steps[-1][2], steps[-1])


def benchmark():
    directory = fresh("benchmark")
    script = f"{TREE}/examples/benchmark.sh"

    def run(env, *argv):
        return subprocess.run([script, *argv], cwd=directory, env=env, capture_output=True, text=True, check=False)

    # This machine: measured, or refused with the reason.
    env = program_for(directory)
    p = run(env, "here", "sh", "-c", "echo 42 per second")
    if p.returncode == 0:
        expect("benchmark, here", open(f"{directory}/here/output.txt", encoding="utf-8").read() == "42 per second\n", p)
    else:
        expect("benchmark, here", p.returncode == 1 and "not measured" in p.stderr and "Score" in p.stdout, p)

    # A captured host: measured, the command's exit code, then another host in its place.
    host = capture(directory, "all-on-cpu0", [("proc/sys/kernel/hostname", "ci-1\n")])
    env = program_for(directory, host, "--only 'cpu.*'")
    p = run(env, "there", "sh", "-c", "echo 43 per second")
    expect("benchmark, captured", p.returncode == 0 and os.path.exists(f"{directory}/there/after.json"), p)
    p = run(env, "there", "sh", "-c", "exit 7")
    expect("benchmark: the command's exit code", p.returncode == 7, p)
    with open(host + "/proc/version", "w", encoding="utf-8") as f:
        f.write("Linux version 4.4.1-other (x) #1 SMP\n")
    with open(host + "/proc/sys/kernel/osrelease", "w", encoding="utf-8") as f:
        f.write("4.4.1-other\n")
    p = run(env, "there", "sh", "-c", "echo 44 per second > ran")
    expect("benchmark, another host", p.returncode == 4 and not os.path.exists(directory + "/ran") and "4.4.1" in p.stdout, p)
    expect("benchmark: usage", run(env, "there").returncode == 2)


def alone():
    """Again in namespaces where no other test's processes and networks come and go: what moves is what this test has moved."""
    if "ALONE" in os.environ:
        return
    words = ["unshare", "-n" if os.geteuid() == 0 else "-rn", "--pid", "--fork", "--kill-child", "--mount-proc"]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
        os.execvpe(words[0], [*words, sys.executable, *sys.argv], {**os.environ, "ALONE": "yes"})


def main():
    alone()
    workflow()
    benchmark()
    if failed:
        print(f"check-usage: {len(failed)} FAILED")
        return 1
    print("check-usage: ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
