#!/usr/bin/env python3
"""The kill test: at every writing call of apply, rollback, confirm, a trial and the self-undo SIGKILL, every error, a write in part.

    check.py TUNEAUDIT KILLER ONOFF [--short] [--keep-going]

Runs itself again in namespaces of its own (network, mounts; a user namespace too where it is not root). There it
makes an interface with several queues, and files that stand in for the sysctls of the whole host, for which KILLER
does what the kernel would do. Each time the host must be as it was at the start after a rollback: /proc/sys/net, the
stand-ins, the interface, /etc; or as it was kept after a second confirm. The numbers of points are printed.
"""
import argparse
import contextlib
import errno
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import kept
import switching

HERE = os.path.dirname(os.path.abspath(__file__))
# The leak sanitizer is a tracer itself and cannot be where ours is; the tests that trace nothing have it.
os.environ["ASAN_OPTIONS"] = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
NIC = "$(id)"
OURS = os.readlink("/proc/self/ns/mnt")  # of the namespaces, once we are in them
ERRORS = ["EIO", "ENOSPC", "EROFS", "EPERM", "EBUSY"]
VM = {"dirty_bytes": ("0", "bytes:/proc/sys/vm/dirty_ratio"),
      "dirty_ratio": ("20", "ratio:/proc/sys/vm/dirty_bytes"),
      "dirty_background_bytes": ("100000000", "bytes:/proc/sys/vm/dirty_background_ratio"),
      "dirty_background_ratio": ("0", "ratio:/proc/sys/vm/dirty_background_bytes")}
CORE = {"rps_sock_flow_entries": ("0", "clamp")}


def run(*words, check=True):
    return subprocess.run(words, check=check, capture_output=True, text=True)


def read(path):
    try:
        with open(path, "rb") as f:
            return f.read()
    except OSError as e:
        return errno.errorcode[e.errno]


class Host:
    """The namespaces, and what is in them."""

    def __init__(self, work):
        self.work, self.fakes = work, []
        run("mount", "--make-rprivate", "/")
        for place in ("/etc", "/run"):
            run("mount", "-t", "tmpfs", "-o", "mode=755", "none", place)
        run("mount", "-t", "sysfs", "none", "/sys")
        os.makedirs("/etc/systemd/system")
        os.makedirs("/run/systemd/system")
        for folder in ("sysctl.d", "modules-load.d", "udev/rules.d"):  # tmpfiles.d has to be made
            os.makedirs("/etc/" + folder)
        self.fake_init()
        self.fake_vm()
        self.fake_core()
        self.make_nic()

    def stand_in(self, path, kind):
        self.fakes += ["--fake", path, kind]

    def fake_init(self):
        """Files are only kept where something reads them at boot."""
        fake = f"{self.work}/init"
        with open(fake, "w") as f:
            f.write("systemd\n")
        run("mount", "--bind", fake, "/proc/1/comm")
        # of a namespace that is not the host's nothing is kept
        os.mkdir(self.work + "/ns")
        os.symlink(os.readlink("/proc/self/ns/net"), self.work + "/ns/net")
        run("mount", "--bind", self.work + "/ns", "/proc/1/ns")

    def fake_vm(self):
        for name, (value, kind) in VM.items():
            fake = f"{self.work}/{name}"
            with open(fake, "w") as f:
                f.write(value + "\n")
            run("mount", "--bind", fake, f"/proc/sys/vm/{name}")
            self.stand_in(f"/proc/sys/vm/{name}", kind)

    def fake_core(self):
        """A directory in place of net/core: a namespace has not all of it."""
        fake = f"{self.work}/core"
        os.makedirs(fake)
        for name in os.listdir("/proc/sys/net/core"):
            value = read(f"/proc/sys/net/core/{name}")
            with open(f"{fake}/{name}", "wb") as f:
                f.write(value if isinstance(value, bytes) else b"")
        for name, (value, _) in CORE.items():
            with open(f"{fake}/{name}", "w") as f:
                f.write(value + "\n")
        run("mount", "--bind", fake, "/proc/sys/net/core")
        for name in os.listdir(fake):
            self.stand_in(f"/proc/sys/net/core/{name}", CORE.get(name, ("", "plain"))[1])
        self.fakes = self.fakes[:3 * len(VM)] + [w for i in range(3 * len(VM), len(self.fakes), 3)
                                                if self.fakes[i + 2] != "plain" for w in self.fakes[i:i + 3]]

    def make_nic(self):
        queues = ["numrxqueues", "4", "numtxqueues", "4"]
        run("ip", "link", "add", NIC, *queues, "type", "veth", "peer", "name", "peer0", *queues)
        run("ethtool", "-L", NIC, "rx", "1", "tx", "1")
        run("ethtool", "-K", NIC, "gro", "off")
        run("ip", "link", "set", NIC, "up")
        run("ip", "link", "set", "peer0", "up")

    def snapshot(self):
        found = {}
        for top in ("/proc/sys/net", "/etc", f"/sys/class/net/{NIC}/queues"):
            for folder, folders, files in os.walk(top):
                if folder.endswith(("/conf", "/neigh")):
                    folders[:] = ["default"]  # hundreds of files that nothing here is about
                found[folder] = sorted(folders)
                for name in files:
                    found[f"{folder}/{name}"] = read(f"{folder}/{name}")
        for name in VM:
            found[name] = read(f"/proc/sys/vm/{name}")
        for letter in ("-l", "-k"):
            found["ethtool " + letter] = run("ethtool", letter, NIC).stdout
        for name in (NIC, "peer0"):
            found["tc " + name] = run("tc", "qdisc", "show", "dev", name).stdout
            found["length of " + name] = read(f"/sys/class/net/{name}/tx_queue_len")
        return found


class Test:
    def __init__(self, options, host):
        self.o, self.host = options, host
        self.state, self.rules = "/run/state", "/run/rules"  # in memory: no disk is waited for
        os.mkdir(self.rules)  # ours, whoever we are: rules of others are not followed
        self.program = "/run/tuneaudit"  # where nobody else could put another, which the boot unit would start
        shutil.copy(options.tuneaudit, self.program)
        shutil.copy(HERE + "/kill.rules", self.rules)
        with open("/proc/self/uid_map", encoding="ascii") as f:
            self.keeps = "4294967295" in f.read()  # the files of the host are not for who is root in a namespace alone
        self.start = host.snapshot()
        self.faults = self.killed = self.signals = self.failed = self.partly = 0

    def traced(self, killer, *words, before=()):
        return run(*before, self.o.killer, *killer, *self.host.fakes, *words, check=False)

    def call(self, killer, *words, plain=False, stateless=False, before=()):
        asks = words[0] in ("apply", "rollback") and not plain
        state = [] if stateless else ["--state", self.state]
        return self.traced(killer, self.program, *words, *state, *(["--yes"] if asks else []), before=before)

    def apply(self, *killer, within=0):
        return self.call(killer, "apply", "--rules", self.rules, "--profile", "kill", "--allow", "link-flap",
                         "--confirm-within", str(within))

    def rollback(self, *killer):
        return self.call(killer, "rollback", "--all")

    def wait(self):
        """A run that waits to be confirmed, and nobody to undo it: what the kernel does for stand-ins is done by KILLER alone."""
        done = self.apply(within=3600)
        assert done.returncode == 0, done.stdout + done.stderr
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", "rb") as f:
                words = f.read().split(b"\0")
                if words[1:2] == [b"supervise"] and self.state.encode() in words and os.readlink(f"/proc/{pid}/ns/mnt") == OURS:
                    os.kill(int(pid), signal.SIGKILL)

    def confirm(self, *killer):
        return self.call(killer, "confirm")

    def supervise(self, *killer):
        """In two hours, when its time is over."""
        return self.call(killer, "supervise", "1", before=["unshare", "--time", "--boottime", "7200"])

    def twice(self, which, goal, what):
        """Disturbed, and then once more: as it is to be."""
        def both(*mode):
            done, again = which(*mode), which()
            now = self.host.snapshot()
            # handles of queueing disciplines are counted on by the kernel
            if any(now.get(key) != goal.get(key) for key in set(now) | set(goal) if not key.startswith("tc ")):
                self.faults += 1
                print(f"FAULT: {what}, {mode}, and once more: not as it is to be\n{again.stdout}{again.stderr}")
            return done
        return both

    def forget(self):
        shutil.rmtree(self.state, ignore_errors=True)

    def points(self, which):
        """The writing calls of a run that nobody disturbs."""
        listing = self.host.work + "/points"
        which("--count", listing, "--list")
        with open(listing) as f:
            return [line.split(" ", 1)[1].strip() for line in f]

    def settle(self, what):
        """Rolls back and compares; a host that is not as before is a fault, and is mended by hand for the next turn."""
        last = self.rollback()
        now = self.host.snapshot()
        if now == self.start and last.returncode == 0:
            return
        self.faults += 1
        print(f"FAULT: {what}: rollback says {last.returncode}\n{last.stdout}{last.stderr}")
        for key in sorted(set(now) | set(self.start)):
            if now.get(key) != self.start.get(key):
                print(f"  {key}: {self.start.get(key)} -> {now.get(key)}")
        if not self.o.keep_going:
            sys.exit(1)
        self.call([], "rollback", "--all", "--force")
        self.start = self.host.snapshot()

    def no_disturbance(self):
        done = self.apply()
        changed = self.host.snapshot()
        assert done.returncode == 0, done.stdout + done.stderr
        assert changed != self.start
        steering = ["rps_cpus"] if self.keeps else []
        for text in ["the kernel made it 1024", "tcp_rmem", "dirty_bytes", "rx: 1 -> 4", "kill-test",
                     "mq/pfifo_fast", "txqueuelen: 1000 -> 500"] + steering:
            assert text in done.stdout, f"{text} is not applied:\n{done.stdout}{done.stderr}"
        assert read("/proc/sys/vm/dirty_ratio") == b"0\n", "the stand-in does what the kernel does"
        if self.keeps:
            kept.whole(self)
            kept.boot(self)
        self.settle("nothing")

    def each(self, name, before, which, points, modes):
        """`which` is disturbed in each of `modes` at each of its points."""
        for n, what in enumerate(points, 1):
            for mode in modes(n, what):
                self.forget()
                before()
                done = which(*mode)
                label = f"{name}, {' '.join(mode)} ({what})"
                if mode[0] == "--kill":
                    self.killed += 1
                    assert done.returncode == 137, f"{label} is not killed: {done.returncode}"
                elif mode[0] == "--term":
                    self.signals += 1
                    self.after_signal(label, done)
                elif mode[0] == "--short":
                    self.partly += 1
                else:
                    self.failed += 1
                    self.after_error(label, name, done)
                self.settle(label)

    def after_signal(self, label, done):
        """It ends by the signal and has put everything back; or it was done already when the signal came."""
        if done.returncode == 0 and "made and verified" in done.stdout:
            return
        if done.returncode != 128 + signal.SIGTERM or self.host.snapshot() != self.start:
            self.faults += 1
            print(f"FAULT: {label}: code {done.returncode}, and the host is not as before\n{done.stdout}{done.stderr}")

    def after_error(self, label, name, done):
        """What apply could not do it has put back by itself already."""
        if done.returncode == 0 or name not in ("apply", "trial"):
            return
        if done.returncode not in (5, 6) or (done.returncode == 5 and self.host.snapshot() != self.start):
            self.faults += 1
            print(f"FAULT: {label}: code {done.returncode}, and the host is not as before\n{done.stdout}{done.stderr}")

    def undo(self, of_apply):
        """The last of the changes fails; apply is killed while it puts the others back."""
        last = max(n for n, what in enumerate(of_apply, 1) if "journal" not in what and self.state not in what)
        fail = ["--fail", str(last), str(errno.EIO)]
        self.forget()
        points = self.points(lambda *how: self.apply(*fail, *how))
        self.settle("apply that fails")

        def kill(n, what):
            return [["--kill", str(n)]] if n > last else []

        self.each("apply", lambda: None, lambda *how: self.apply(*fail, *how), points, kill)
        return len(points) - last

    def confirmation(self, kill, fail):
        """Kept, or undone by itself: each disturbed at every call, then by a second one, or by rollback."""
        self.forget()
        self.wait()
        of_confirm = self.points(self.confirm)
        kept = self.host.snapshot()
        assert "90-tuneaudit" in str(sorted(kept)) and "kill-test" in str(sorted(kept)), "files are written by confirm"
        self.settle("confirm")
        self.each("confirm", self.wait, self.twice(self.confirm, kept, "confirm"), of_confirm,
                  lambda n, what: [] if self.o.short and n % 4 else kill(n, what))
        if not self.o.short:
            self.each("confirm", self.wait, self.confirm, of_confirm, kill)
            self.each("confirm", self.wait, self.twice(self.confirm, kept, "confirm"), of_confirm, fail)
        if not os.path.exists("/proc/self/ns/time"):
            print("check-kill: no time namespaces here: the self-undo is left out")
            return len(of_confirm), 0
        self.forget()
        self.wait()
        of_supervise = self.points(self.supervise)
        self.settle("supervise")
        again = self.twice(self.supervise, self.start, "supervise")
        self.each("supervise", self.wait, again, of_supervise,
                  lambda n, what: [] if self.o.short and n % 6 else kill(n, what))
        if not self.o.short:
            self.each("supervise", self.wait, self.supervise, of_supervise, fail)
        return len(of_confirm), len(of_supervise)

    def run(self):
        self.no_disturbance()
        if self.keeps:
            kept.check(self)
        self.forget()
        of_apply = self.points(self.apply)
        of_rollback = self.points(self.rollback)
        names = ERRORS[:1] if self.o.short else ERRORS

        def kill(n, what):
            return [["--kill", str(n)]]

        def fail(n, what):
            if self.o.short and n % 3:
                return []
            modes = [["--fail", str(n), str(getattr(errno, e))] for e in names]
            # a vector, of which the kernel takes the first elements
            return modes + ([["--short", str(n)]] if "/proc/sys/net/ipv4/" in what else [])

        self.each("apply", lambda: None, self.apply, of_apply, kill)
        self.each("rollback", self.apply, self.rollback, of_rollback, kill)
        self.each("apply", lambda: None, self.apply, of_apply,
                  lambda n, what: [["--term", str(n)]] if not self.o.short or n % 4 == 0 else [])
        self.each("apply", lambda: None, self.apply, of_apply, fail)
        self.each("rollback", self.apply, self.rollback, of_rollback, fail)
        of_undo = self.undo(of_apply)
        of_trial = switching.check(self, kill, fail)
        of_confirm, of_supervise = self.confirmation(kill, fail)
        print(f"check-kill: {len(of_apply)} writing calls of apply, {len(of_rollback)} of rollback, "
              f"{of_undo} of an apply that takes itself back, {of_trial} of a trial, {of_confirm} of confirm, {of_supervise} of a run "
              f"that undoes itself; "
              f"{self.killed} kills, {self.signals} signals, {self.failed} errors ({', '.join(names)}), {self.partly} writes in part, "
              f"{self.faults} faults")
        return 1 if self.faults else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tuneaudit")
    parser.add_argument("killer")
    parser.add_argument("onoff")
    parser.add_argument("--short", action="store_true", help="one error of five, at every third call; signals at every fourth")
    parser.add_argument("--keep-going", action="store_true", help="after a fault go on")
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    o = parser.parse_args()
    if o.inside:
        return Test(o, Host(o.inside)).run()
    flags = "-nm" if os.geteuid() == 0 else "-rnm"
    if subprocess.run(["unshare", flags, "true"], capture_output=True, check=False).returncode:
        print("check-kill: skipped, there are no namespaces here")
        return 0
    with tempfile.TemporaryDirectory(prefix="tuneaudit-kill.") as work:
        return subprocess.run(["unshare", flags, sys.executable, *sys.argv, "--inside", work], check=False).returncode


sys.exit(main())
