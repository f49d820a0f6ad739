"""The kill test's part for trials: changes that go on and off many times in one run of the journal."""

PLAN = "/run/plan.json"


def check(test, kill, fail):
    """SIGKILL and errors at its writing calls, whose number is given back."""
    done = test.call([], "plan", "--rules", test.rules, "--profile", "kill", "--format", "json", plain=True, stateless=True)
    assert done.returncode == 0, done.stderr
    with open(PLAN, "w", encoding="utf-8") as f:
        f.write(done.stdout)

    def switch(*killer):
        return test.traced(killer, test.o.onoff, PLAN, test.state)

    test.forget()
    done = switch()
    assert done.returncode == 0, done.stdout + done.stderr
    assert test.host.snapshot() == test.start, "what went on and off is not as before"
    with open(test.state + "/1.jsonl", encoding="utf-8") as f:
        text = f.read()
    for entry in ("intent", "done", "undone"):
        assert text.count(f'"{entry}","change":1,') == 3, f"not three times {entry}"
    test.forget()
    points = test.points(switch)
    few = 6 if test.o.short else 1
    test.each("trial", lambda: None, switch, points, lambda n, what: [] if n % few else kill(n, what))
    test.each("trial", lambda: None, switch, points, lambda n, what: [] if n % (3 * few) else fail(n, what))
    return len(points)
