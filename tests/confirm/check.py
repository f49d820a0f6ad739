#!/usr/bin/env python3
"""Runs that wait to be confirmed, with real processes, terminals and clocks: check.py TUNEAUDIT KILLER SHIM [SCENARIO…]

Each scenario has namespaces of its own and runs beside the others, as most of them wait. Prints a line per check; exit 1 if one
fails, 0 also if the kernel does not let us (said so).
"""
import contextlib
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SYSTEMD_RUN = "/usr/bin/systemd-run"
SOMAXCONN, FIN = "/proc/sys/net/core/somaxconn", "/proc/sys/net/ipv4/tcp_fin_timeout"
LATER = ["unshare", "--time", "--boottime", "7200"]  # in two hours
PATIENCE_S = 20  # of waiting for what has to come; a machine may be slow
# It would be preloaded after ours, and wants to be first.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0:verify_asan_link_order=0"
RULES = """
rule lab.backlog
  title "a" why "b" ref "c" risk none
  want sysctl["net.core.somaxconn"] == 9000
  fix sysctl.set(key = "net.core.somaxconn", value = 9000)
end
rule lab.fin
  title "a" why "b" ref "c" risk none
  want sysctl["net.ipv4.tcp_fin_timeout"] == 17
  fix sysctl.set(key = "net.ipv4.tcp_fin_timeout", value = 17)
end
rule lab.unit
  title "a" why "b" ref "c" risk none
  want false
  fix nofile.service(unit = "lab.service", value = 65536)
end
profile lab title "lab" rules lab.* end
rule flap.channels
  title "a" why "b" ref "c" risk link-flap
  each nic in nics when nic.key == "v0"
  want nic.channels.rx.current == 2
  fix nic.channels(ifname = nic.key, rx = 2, tx = 2)
end
profile flap title "flap" rules flap.* end
"""
# Written by confirm alone: a change that is a file, and what keeps the others.
FILES = ["/etc/systemd/system/lab.service.d/50-tuneaudit.conf", "/etc/sysctl.d/90-tuneaudit.conf"]


class Lab:
    """One scenario's namespaces: files, program, what is in force."""

    def __init__(self, name, program, killer, shim):
        self.name, self.program, self.killer, self.shim, self.failed = name, program, killer, shim, 0
        self.dir = os.environ["LAB"]
        self.state, self.rules = self.dir + "/state", self.dir + "/rules"
        os.mkdir(self.rules)
        with open(self.rules + "/lab.rules", "w", encoding="ascii") as f:
            f.write(RULES)
        self.mount("--make-rprivate", "/")
        for place in ("/etc", "/run"):
            self.mount("-t", "tmpfs", "none", place)
        os.makedirs("/etc/systemd/system")
        os.makedirs("/run/systemd/system")
        self.fake("/proc/1/comm", "systemd\n")
        self.before = self.values()

    def mount(self, *words):
        subprocess.run(["mount", *words], check=True)

    def fake(self, path, text):
        fake = f"{self.dir}/fake{path.replace('/', '-')}"
        with open(fake, "w", encoding="ascii") as f:
            f.write(text)
        self.mount("--bind", fake, path)

    def is_true(self, what, ok, detail=""):
        print(f"{'ok      ' if ok else 'not ok  '}{self.name}: {what}{'' if ok else ': ' + str(detail)}", flush=True)
        self.failed += not ok

    def is_equal(self, what, a, b):
        self.is_true(what, a == b, f"{a!r}, not {b!r}")

    def says(self, what, text, *parts):
        flat = " ".join(text.split())
        for part in parts:
            self.is_true(what, part in flat, f"{part!r} is not in {text!r}")

    # --- the program

    def run(self, *words, env=None, before=(), **more):
        return subprocess.run([*before, self.program, *words, "--state", self.state], capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=60, env={**os.environ, **(env or {})}, **more)

    def words(self, seconds, *more, profile="lab"):
        more = more or ("--allow", "flow-reset")
        within = [] if seconds is None else ["--confirm-within", str(seconds)]
        return ["apply", "--rules", self.rules, "--profile", profile, "--yes", *within, *more]

    def apply(self, seconds, *more, profile="lab", **how):
        return self.run(*self.words(seconds, *more, profile=profile), **how)

    def applied(self, seconds, *more, **how):
        p = self.apply(seconds, *more, **how)
        self.is_true("apply ends with 0", p.returncode == 0, p)
        self.is_equal("all is made", self.values(), self.after)
        return p

    after = ("9000", "17", 0)

    @staticmethod
    def values():
        def value(path):
            with open(path, encoding="ascii") as f:
                return f.read().strip()
        return value(SOMAXCONN), value(FIN), sum(os.path.exists(f) for f in FILES)

    def history(self):
        p = self.run("history", "--format", "json")
        return json.loads(p.stdout)["runs"]

    def state_is(self, state, note=None):
        run = self.history()[-1]
        self.is_equal("history says what became of it", run["state"], state)
        if note:
            self.says("and why", str(run["note"]), note)

    def supervisors(self):
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
                if len(words) > 1 and words[1] == b"supervise" and os.path.realpath(self.state).encode() in words:
                    found.append(int(pid))
        return found

    # --- waiting

    @staticmethod
    def until(condition, seconds=PATIENCE_S):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def is_undone(self, what="it undoes itself", note=None, state="rolled-back"):
        self.is_true(what, self.until(lambda: self.values() == self.before), self.values())
        self.is_true("the supervisor goes", self.until(lambda: not self.supervisors()), self.supervisors())
        self.state_is(state, note)

    def is_kept(self, files=2):
        self.is_equal("it is kept", self.values(), (*self.after[:2], files))
        self.is_true("the supervisor goes", self.until(lambda: not self.supervisors()), self.supervisors())
        self.state_is("applied", "confirmed by uid")

    def kill_supervisor(self, number=signal.SIGKILL):
        for pid in self.supervisors():
            os.kill(pid, number)


class Terminal:
    """The program with a terminal of its own."""

    def __init__(self, words):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # also where the suite runs in the background
            os.execve(words[0], words, {**os.environ, "TERM": "xterm"})
        self.text = ""

    def read(self, part):
        """Until it has said `part`."""
        end = time.monotonic() + PATIENCE_S
        while part not in self.text and time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    self.text += os.read(self.fd, 4096).decode()
                except OSError:
                    break
        return part in self.text

    def type(self, text):
        os.write(self.fd, text.encode())

    def end(self):
        self.read("\0 until it ends")
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


# --- time ------------------------------------------------------------------------------------------

def expiry(lab):
    began = time.monotonic()
    p = lab.applied(3)
    lab.says("apply says what to type", p.stdout, "All of this is undone in 3 s unless it is confirmed",
             f"{lab.program} confirm --state {lab.state}")
    lab.is_true("there is one supervisor", len(lab.supervisors()) == 1, lab.supervisors())
    lab.state_is("pending")
    lab.is_undone(note="it was not confirmed within 3 s")
    lab.is_true("not before its time", time.monotonic() - began >= 3)
    p = lab.run("confirm")
    lab.is_equal("confirm comes too late", p.returncode, 1)
    lab.says("and is told", p.stderr, "run 1 is rolled-back already: it was not confirmed within 3 s")


def in_time(lab):
    p = lab.run("confirm")
    lab.is_equal("there is nothing to confirm yet", (p.returncode, p.stderr), (1, "tuneaudit: nothing waits to be confirmed\n"))
    lab.applied(4)
    p = lab.run("confirm")
    lab.is_true("confirm ends with 0", p.returncode == 0 and "Run 1 is kept." in p.stdout, p)
    lab.is_kept()
    time.sleep(4.2)
    lab.is_kept()
    p = lab.run("confirm")
    lab.is_equal("a second time there is nothing", p.returncode, 1)
    lab.says("and it is said why", p.stderr, "run 1 is applied already: confirmed by uid 0")
    p = lab.run("rollback", "--yes")
    lab.is_true("rollback takes all of it back", p.returncode == 0 and lab.values() == lab.before, p)


def clock_step(lab):
    """A day ahead, while it waits: nothing happens before its time; and the supervisor lives by the same clock as all others."""
    step = lab.dir + "/step"
    lab.applied(4, env={"LD_PRELOAD": lab.shim, "SHIM_STEP": step})
    with open(step, "w", encoding="ascii"):
        pass
    time.sleep(1)
    lab.is_equal("a step of the wall clock undoes nothing", lab.values(), lab.after)
    lab.is_true("and history counts on", 0 < lab.history()[-1]["undone_in_s"] <= 4)
    lab.is_undone()


# --- who dies ---------------------------------------------------------------------------------------

def apply_killed(lab):
    """In the middle: there is no reason to wait."""
    points = lab.dir + "/points"
    lab.applied(60, before=[lab.killer, "--count", points, "--list"])
    lab.run("rollback", "--yes")
    with open(points, encoding="utf-8") as f:
        writes = [n for n, line in enumerate(f, 1) if SOMAXCONN in line or FIN in line]
    p = lab.apply(3600, before=[lab.killer, "--kill", str(writes[-1])])
    lab.is_equal("apply is killed", p.returncode, 137)
    lab.is_undone("what it did is undone at once", "it was interrupted before all was made")


def apply_killed_waiting(lab):
    t = Terminal([lab.program, *lab.words(4), "--state", lab.state])
    lab.is_true("the seconds are counted", t.read("Undone in 3 s unless confirmed"), t.text)
    os.kill(t.pid, signal.SIGKILL)
    lab.is_equal("apply is killed", t.end(), -signal.SIGKILL)
    lab.is_equal("nothing happens before its time", lab.values(), lab.after)
    lab.is_undone(note="it was not confirmed within 4 s")


def terminal_gone(lab):
    t = Terminal([lab.program, *lab.words(60), "--state", lab.state])
    lab.is_true("the seconds are counted", t.read("Undone in 5"), t.text)
    os.close(t.fd)
    lab.is_equal("apply ends", os.waitstatus_to_exitcode(os.waitpid(t.pid, 0)[1]), 128 + signal.SIGHUP)
    time.sleep(0.3)
    lab.is_equal("it waits on", lab.values(), lab.after)
    lab.is_equal("confirm comes from elsewhere", lab.run("confirm").returncode, 0)
    lab.is_kept()


def session_gone(lab):
    """All processes of the session get SIGHUP, and then SIGKILL, as sshd and a shell do it; the supervisor is in none of them."""
    t = Terminal(["/bin/sh", "-c", f"'{lab.program}' {' '.join(lab.words(4))} --state '{lab.state}'; sleep 60"])
    lab.is_true("the seconds are counted", t.read("Undone in"), t.text)
    for number in (signal.SIGHUP, signal.SIGKILL):
        os.killpg(t.pid, number)
    os.close(t.fd)
    os.waitpid(t.pid, 0)
    lab.is_equal("nothing happens before its time", lab.values(), lab.after)
    lab.is_undone()


def supervisor_killed(lab):
    lab.applied(3)
    lab.kill_supervisor()
    time.sleep(3.3)
    lab.is_equal("nobody undoes it", lab.values(), lab.after)
    p = lab.run("history")
    lab.says("history says so", p.stdout, "pending, should have been undone", "'rollback 1' does it, 'confirm' keeps it")
    lab.is_equal("JSON too", lab.history()[-1]["undone_in_s"], 0)
    p = lab.apply(1)
    lab.is_equal("apply refuses", p.returncode, 1)
    lab.says("and says what to type", p.stderr, "run 1 should have undone itself", f"rollback 1 --state {lab.state}")
    lab.is_equal("supervise undoes it", lab.run("supervise", "1").returncode, 0)
    lab.is_undone()
    lab.applied(3)
    lab.kill_supervisor()
    time.sleep(3.3)
    lab.is_equal("confirm keeps what nobody has undone", lab.run("confirm").returncode, 0)
    lab.is_kept()


def supervisor_ended(lab):
    lab.applied(60)
    lab.kill_supervisor(signal.SIGHUP)
    time.sleep(0.3)
    lab.is_true("SIGHUP is nothing to it", len(lab.supervisors()) == 1, lab.supervisors())
    lab.kill_supervisor(signal.SIGTERM)
    lab.is_undone("SIGTERM: it undoes it at once", "its supervisor was told to end before it was confirmed")


def apply_hangs(lab):
    """One that stands still with the lock. The supervisor that apply starts has more patience; this one is started beside it."""
    with subprocess.Popen([lab.program, *lab.words(60), "--state", lab.state], stdin=subprocess.DEVNULL,
                          env={**os.environ, "LD_PRELOAD": lab.shim, "SHIM_HANG": "8"}) as p:
        lab.is_true("something is made", lab.until(lambda: lab.values()[0] == "9000"))
        time.sleep(0.3)
        c = lab.run("confirm")
        lab.is_equal("it is too early to confirm", c.returncode, 75)
        lab.says("which is said", c.stderr, "run 1 is still being made")
        with open(f"/proc/{p.pid}/stat", encoding="ascii") as f:
            start = f.read().rsplit(")", 1)[1].split()[19]
        lab.run("supervise", "1", "--stall", "1", "--maker", f"{p.pid}:{start}")
        lab.is_equal("it is killed", p.wait(), -signal.SIGKILL)
    lab.is_undone(note="it was interrupted before all was made")


def lock_held(lab):
    """By a question that nobody answers: it is not. By one of ours that was stopped: it is killed. By somebody else's: it is not needed."""
    lab.applied(3)
    t = Terminal([lab.program, "rollback", "--state", lab.state])
    lab.is_true("rollback asks", t.read("Put back run 1? [y/N]"), t.text)
    lab.is_undone("nobody answers, and it undoes itself")
    t.type("y\n")
    lab.is_equal("an answer that comes too late", t.end(), 1)
    lab.says("is told so", t.text, "nothing was changed: the runs are others by now")
    for what, words in (("one of ours", [lab.program, *lab.words(0), "--state", lab.state + "/../other"]),
                        ("somebody else", ["sleep", "60"])):
        lab.applied(60)
        # Whoever it is, it inherits the lock.
        holder = subprocess.Popen(["flock", "--no-fork", lab.state + "/lock", *words], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, env={**os.environ, "LD_PRELOAD": lab.shim, "SHIM_HANG": "1"})
        run = str(len(lab.history()))
        lab.kill_supervisor()
        lab.is_equal(f"{what} has the lock: it is undone all the same",
                     lab.run("supervise", run, "--stall", "1", before=LATER).returncode, 0)
        lab.is_undone()
        lab.is_equal(f"{what} that hangs with the lock", holder.poll(), -signal.SIGKILL if what == "one of ours" else None)
        holder.kill()
        holder.wait()


# --- who confirms -----------------------------------------------------------------------------------

def terminal_yes(lab):
    t = Terminal([lab.program, *lab.words(60), "--state", lab.state])
    t.read("Undone in")
    t.type("no\n")
    t.read("Undone in 59")
    lab.is_equal("another answer changes nothing", lab.history()[-1]["state"], "pending")
    t.type("y\n")
    lab.is_equal("y keeps it", t.end(), 0)
    lab.is_kept()


def terminal_interrupt(lab):
    t = Terminal([lab.program, *lab.words(60), "--state", lab.state])
    t.read("Undone in")
    t.type("\x03")
    lab.is_equal("Ctrl-C ends it", t.end(), 128 + signal.SIGINT)
    lab.says("and it is said", t.text, "everything was put back")
    lab.is_undone("and undoes it at once", "ended by signal 2 before it was confirmed")


def terminal_elsewhere(lab):
    t = Terminal([lab.program, *lab.words(60), "--state", lab.state])
    t.read("Undone in")
    lab.is_equal("confirmed elsewhere", lab.run("confirm").returncode, 0)
    lab.is_equal("the one that waits sees it", t.end(), 0)
    lab.says("and says it", t.text, "Run 1 is kept: confirmed by uid 0")
    lab.run("rollback", "--yes")
    t = Terminal([lab.program, *lab.words(1), "--state", lab.state])
    lab.is_equal("not confirmed: what it waited for has not come", t.end(), 5)
    lab.says("and it is said", t.text, "run 2 was not confirmed; everything was put back")
    lab.is_undone()


def confirms_race(lab):
    for _ in range(8):
        lab.apply(60)
        ps = [subprocess.Popen([lab.program, "confirm", "--state", lab.state], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               text=True) for _ in range(4)]
        said = [p.communicate() for p in ps]
        codes = sorted(p.returncode for p in ps)
        if codes != [0, 1, 1, 1] or sum("is applied already: confirmed by" in s[1] for s in said) != 3:
            lab.is_true("one of four keeps it", False, (codes, said))
            return
        lab.run("rollback", "--yes")
    lab.is_true("one of four keeps it, the others are told, eight times", True)
    lab.is_equal("and each is undone", lab.values(), lab.before)


def deadline_race(lab):
    """Whoever has the lock first; the other one is told; never half of both."""
    kept = 0
    for i in range(4):
        lab.apply(1)
        due = time.monotonic() + 1 - 0.06 + 0.08 * i
        while time.monotonic() < due:
            time.sleep(0.002)
        p = lab.run("confirm")
        lab.until(lambda: not lab.supervisors())
        run = lab.history()[-1]
        kept += p.returncode == 0
        wanted = ("applied", ("9000", "17", 2)) if p.returncode == 0 else ("rolled-back", lab.before)
        if p.returncode not in (0, 1) or (run["state"], lab.values()) != wanted:
            lab.is_true("confirm against the undo", False, (p, run["state"], lab.values()))
            return
        lab.run("rollback", "--yes")
    lab.is_true(f"confirm against the undo: kept {kept} of 4, and what was said was done", True)


def second_apply(lab):
    lab.applied(60)
    p = lab.apply(60)
    lab.is_equal("another apply is refused", p.returncode, 75)
    lab.says("and says what to type", p.stderr, "run 1 undoes itself in", f"{lab.program} confirm --state {lab.state}",
             f"{lab.program} rollback 1 --state {lab.state}")
    p = lab.run("history")
    lab.says("history shows it", p.stdout, "pending, undone in", "unless confirmed")
    p = subprocess.run([sys.executable, HERE + "/../cli/schema.py", HERE + "/../../docs/schemas/history.schema.json"],
                       input=lab.run("history", "--format", "json").stdout, capture_output=True, text=True, check=False)
    lab.is_equal("and its JSON is as its schema says", (p.returncode, p.stderr), (0, ""))
    p = lab.run("rollback", "1", "1", "--yes")
    lab.is_equal("one change is taken out", (p.returncode, lab.values()[:2]), (0, (lab.before[0], "17")))
    lab.state_is("pending")
    lab.is_true("the supervisor stays", len(lab.supervisors()) == 1, lab.supervisors())
    p = lab.run("rollback", "--yes")
    lab.is_equal("rollback undoes it now", p.returncode, 0)
    lab.is_undone()
    lab.applied(60)
    lab.is_equal("and then there may be another", lab.run("confirm").returncode, 0)


# --- what is in the way ------------------------------------------------------------------------------

def make_stuck(lab):
    """A value that reads as it was set and cannot be written."""
    lab.apply(3)
    fake = lab.dir + "/fin"
    with open(fake, "w", encoding="ascii") as f:
        f.write("17\n")
    lab.mount("--bind", fake, FIN)
    lab.mount("-o", "remount,ro,bind", FIN)
    lab.is_true("the rest is undone", lab.until(lambda: lab.values()[0] == lab.before[0]))


def stuck_for_a_while(lab):
    make_stuck(lab)
    subprocess.run(["umount", FIN], check=True)
    lab.is_undone("it is tried again")


def stuck(lab):
    make_stuck(lab)
    lab.is_true("it gives up", lab.until(lambda: not lab.supervisors()))
    lab.says("and names it", lab.run("history", "1").stdout, "partly-restored", "net.ipv4.tcp_fin_timeout: 60 -> 17: not put back, ")
    subprocess.run(["umount", FIN], check=True)
    lab.is_equal("rollback finishes it", lab.run("rollback", "--yes").returncode, 0)
    lab.is_undone()


def journal_gone(lab):
    lab.applied(3)
    shutil.rmtree(lab.state)
    lab.is_true("without a journal it is undone all the same", lab.until(lambda: lab.values() == lab.before), lab.values())
    lab.is_true("the supervisor goes", lab.until(lambda: not lab.supervisors()), lab.supervisors())


def journal_read_only(lab):
    os.mkdir(lab.state, 0o700)
    lab.mount("-t", "tmpfs", "-o", "mode=0700", "none", lab.state)
    lab.applied(3)
    lab.mount("-o", "remount,bind,ro", lab.state)
    lab.is_true("on a read-only disk it is undone all the same", lab.until(lambda: lab.values() == lab.before), lab.values())
    lab.is_true("the supervisor goes", lab.until(lambda: not lab.supervisors()), lab.supervisors())
    lab.state_is("pending")
    lab.mount("-o", "remount,bind,rw", lab.state)
    p = lab.run("rollback", "--yes")
    lab.is_equal("rollback writes down what has happened", (p.returncode, lab.values()), (0, lab.before))
    lab.state_is("rolled-back")


def no_supervisor(lab):
    p = lab.apply(5, env={"LD_PRELOAD": lab.shim, "SHIM_NOFORK": "1"})
    lab.is_equal("nothing is changed", (p.returncode, lab.values()), (5, lab.before))
    lab.says("and it is said why", p.stderr, "nothing was changed: who would undo it cannot be started")
    lab.state_is("failed", "who would undo it cannot be started")
    lab.applied(60)
    lab.is_equal("the next one begins anew", lab.run("confirm").returncode, 0)


def full_disk(lab):
    """Files cannot be written when it is confirmed: it is kept, and a second time writes them."""
    lab.applied(60)
    lab.mount("-t", "tmpfs", "-o", "ro", "none", "/etc/systemd/system")
    p = lab.run("confirm")
    lab.is_equal("confirm says so", p.returncode, 5)
    lab.says("with what to type", p.stderr, "run 1 is kept, but not over a restart", f"{lab.program} confirm --state {lab.state}")
    lab.is_kept(files=1)
    subprocess.run(["umount", "/etc/systemd/system"], check=True)
    lab.is_equal("a second time writes them", lab.run("confirm").returncode, 0)
    lab.is_kept()


def restart(lab):
    """As after a crash: everything is as at the start, another boot id, no supervisor."""
    lab.applied(3600)
    lab.kill_supervisor()
    for path, value in zip((SOMAXCONN, FIN), lab.before):
        with open(path, "w", encoding="ascii") as f:
            f.write(value)
    lab.fake("/proc/sys/kernel/random/boot_id", "01234567-89ab-cdef-0123-456789abcdef\n")
    p = lab.run("history")
    lab.says("history says that it is undone", p.stdout, "rolled-back", "the host was restarted before it was confirmed")
    shutil.copytree(lab.state, lab.dir + "/copy")
    p = subprocess.run([lab.program, "boot", "--wait", "0", "--state", lab.dir + "/copy"], capture_output=True, text=True, check=False)
    lab.says("the boot unit marks it", p.stderr, "run 1 is undone: the host was restarted before it was confirmed")
    with open(lab.dir + "/copy/1.jsonl", encoding="utf-8") as f:
        end = json.loads(f.read().splitlines()[-1])
    lab.is_equal("in the journal", (end["entry"], end["state"]), ("end", "rolled-back"))
    p = lab.run("confirm")
    lab.is_equal("confirm has nothing to keep", (p.returncode, lab.values()), (1, lab.before))
    lab.says("and says it", p.stderr, "run 1 is undone: the host was restarted before it was confirmed")
    p = lab.run("rollback", "--yes")
    lab.is_true("rollback neither", p.returncode == 0 and "nothing to put back" in p.stdout, p)
    lab.state_is("rolled-back", "the host was restarted")
    lab.applied(60)
    lab.is_equal("and then there may be another", lab.run("confirm").returncode, 0)


# --- how it is called --------------------------------------------------------------------------------

def relative(lab):
    os.makedirs(lab.dir + "/a b'c")
    os.chdir(lab.dir + "/a b'c")
    lab.state = "sta te"
    lab.applied(1)
    lab.is_undone()


def descriptors(lab):
    """Whoever waits for the end of a pipe that apply had (ssh, CI) does not wait for the supervisor."""
    r, w = os.pipe()
    began = time.monotonic()
    lab.applied(60, pass_fds=(w,))
    os.close(w)
    lab.is_true("all pipes end with apply", select.select([r], [], [], 10)[0] and time.monotonic() - began < 30)
    pid = lab.supervisors()[0]
    fds = sorted(os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd"))
    wanted = [os.path.realpath(lab.state), os.path.realpath(lab.state) + "/1.jsonl"]
    lab.is_equal("it holds nothing of ours", [f for f in fds if f not in ("/", "/dev/null")], wanted)
    with open(f"/proc/{pid}/stat", encoding="ascii") as f:
        ppid, _, session = f.read().rsplit(")", 1)[1].split()[1:4]
    lab.is_true("it is in a session of its own", int(session) != os.getsid(0) and int(ppid) != os.getpid(), (ppid, session))
    lab.is_equal("and stands in no directory", os.readlink(f"/proc/{pid}/cwd"), "/")
    lab.run("rollback", "--yes")
    lab.is_undone()


def links(lab):
    """What may take a link down is confirmed unless told otherwise; what may cut the host off always."""
    for words in (["link", "add", "v0", "numrxqueues", "4", "numtxqueues", "4", "type", "veth", "peer", "name", "v1",
                   "numrxqueues", "4", "numtxqueues", "4"], ["link", "set", "v0", "up"], ["link", "set", "v1", "up"]):
        subprocess.run(["ip", *words], check=True)

    def queues():
        return subprocess.run(["ethtool", "-l", "v0"], capture_output=True, text=True, check=True).stdout.split("Current")[1]

    before = queues()
    flap = {"profile": "flap"}
    p = lab.apply(None, "--allow", "link-flap", "--dry-run", **flap)
    lab.says("--dry-run says so", p.stdout, "2 changes would be made, and undone after 60 s unless confirmed")
    p = lab.apply(None, "--allow", "link-flap", **flap)
    lab.is_equal("a change of a link ends with 0", p.returncode, 0)
    left = lab.history()[-1]
    lab.is_true("and waits a minute", left["state"] == "pending" and 40 < left["undone_in_s"] <= 60, left["state"])
    lab.is_equal("confirmed", lab.run("confirm").returncode, 0)
    lab.run("rollback", "--yes")
    lab.is_equal("0 s: kept at once", lab.apply(0, "--allow", "link-flap", **flap).returncode, 0)
    lab.state_is("applied")
    lab.run("rollback", "--yes")
    subprocess.run(["ip", "addr", "add", "192.0.2.1/24", "dev", "v0"], check=True)
    subprocess.run(["ip", "route", "add", "default", "via", "192.0.2.2"], check=True)
    p = lab.apply(0, "--allow", "link-flap", **flap)
    lab.is_equal("not if the host is reached by it", (p.returncode, queues()), (1, before))
    lab.says("which is said", p.stderr, "--confirm-within 0 would keep at once what may cut this host off (v0 channels ")
    lab.apply(1, "--allow", "link-flap", **flap)
    lab.is_true("it is made", queues() != before)
    lab.is_true("and undone", lab.until(lambda: queues() == before), queues())
    lab.is_undone()


def service(lab):
    """Where systemd is process 1 (a stand-in): a unit of its own, that is started again if it is killed."""
    lab.mount("--bind", HERE + "/systemd-run", SYSTEMD_RUN)
    p = lab.applied(4)
    with open("/run/units", encoding="ascii") as f:
        lab.says("it is a unit", f.read(), "--unit=tuneaudit-confirm-1-")
    lab.is_equal("without a word", p.stderr, "")
    first = lab.supervisors()
    lab.kill_supervisor()
    lab.is_true("killed, it comes again", lab.until(lambda: lab.supervisors() and lab.supervisors() != first))
    lab.is_undone(note="it was not confirmed within 4 s")
    with open("/run/refuse", "w", encoding="ascii"):
        pass
    p = lab.applied(1)
    lab.says("systemd refuses: a process, and a word", p.stderr, "systemd does not run what would undo it", "Access denied",
             "KillUserProcesses=")
    lab.is_undone()


def confirm_killed(lab):
    """Behind the entry that keeps the run: it is kept, and every command says what is missing."""
    lab.applied(60)
    points = lab.dir + "/points"
    lab.run("confirm", before=[lab.killer, "--count", points, "--list"])
    with open(points, encoding="utf-8") as f:
        file = [n for n, line in enumerate(f, 1) if "tuneaudit.conf" in line][0]
    lab.run("rollback", "--yes")
    lab.applied(60)
    lab.is_equal("confirm is killed", lab.run("confirm", before=[lab.killer, "--kill", str(file)]).returncode, 137)
    lab.is_true("the supervisor goes", lab.until(lambda: not lab.supervisors()), lab.supervisors())
    lab.is_equal("it is kept all the same", lab.values()[:2], lab.after[:2])
    p = lab.run("apply", "--rules", lab.rules, "--profile", "lab", "--allow", "flow-reset", "--yes")
    lab.is_equal("another apply is refused", p.returncode, 1)
    lab.says("and says what to type", p.stderr, "run 2 is kept, but not all files", f"{lab.program} confirm --state {lab.state}",
             f"{lab.program} rollback 2 --state {lab.state}")
    lab.is_equal("a second confirm writes them", lab.run("confirm").returncode, 0)
    lab.is_kept()


SCENARIOS = [expiry, in_time, clock_step, apply_killed, apply_killed_waiting, terminal_gone, session_gone, supervisor_killed,
             supervisor_ended, apply_hangs, lock_held, terminal_yes, terminal_interrupt, terminal_elsewhere, confirms_race, deadline_race,
             second_apply, stuck_for_a_while, stuck, journal_gone, journal_read_only, no_supervisor, full_disk, restart, confirm_killed, relative, descriptors,
             links, service]


def start(name, work, flags):
    lab = f"{work}/{name}"
    os.mkdir(lab)
    # With a process 1 of our own it looks like a container, for which no files are written, and as if systemd had our namespaces.
    own = ["--pid", "--fork", "--kill-child", "--mount-proc"] if name == "service" else []
    words = ["unshare", flags, *own, sys.executable, *sys.argv[:4], "--inside", name]
    with open(lab + "/out", "wb") as out:
        return subprocess.Popen(words, stdout=out, stderr=out, stdin=subprocess.DEVNULL, env={**os.environ, "LAB": lab},
                                start_new_session=True)


def main():
    program, killer, shim = (os.path.abspath(p) for p in sys.argv[1:4])
    sys.argv[1:4] = [program, killer, shim]
    if sys.argv[4:5] == ["--inside"]:
        lab = Lab(sys.argv[5], program, killer, shim)
        try:
            {s.__name__: s for s in SCENARIOS}[sys.argv[5]](lab)
        finally:
            lab.kill_supervisor()
        return 1 if lab.failed else 0
    flags = "-nm" if os.geteuid() == 0 else "-rnm"
    if subprocess.run(["unshare", flags, "--pid", "--fork", "--mount-proc", "true"], capture_output=True, check=False).returncode:
        print("check-confirm: skipped, there are no namespaces here")
        return 0
    names = sys.argv[4:] or [s.__name__ for s in SCENARIOS]
    if "service" in names and not os.path.exists(SYSTEMD_RUN):
        print(f"check-confirm: service: skipped, there is no {SYSTEMD_RUN} that a stand-in could be put over")
        names.remove("service")
    failed, took, began = [], {}, time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tuneaudit-confirm.") as work:
        running = {name: start(name, work, flags) for name in names}
        for name, p in running.items():
            code = p.wait()
            took[name] = time.monotonic() - began
            with open(f"{work}/{name}/out", encoding="utf-8") as f:
                out = f.read()
            if code:
                failed.append(name)
                print(out, end="")
    print(f"check-confirm: {len(names)} scenarios, {time.monotonic() - began:.0f} s" +
          (f"; failed: {', '.join(failed)}" if failed else ""))
    if os.environ.get("V"):
        print(took)
    return 1 if failed else 0


sys.exit(main())
