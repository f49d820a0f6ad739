#!/usr/bin/env python3
"""The completions in the shells that they are for: check.py PROGRAM TREE

In bash and zsh keys are typed at a prompt of a real shell on a terminal; fish is asked for its candidates. A shell that is
not installed is left out, with its name; at least one has to be there.
"""
import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

PROGRAM, TREE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
RULES = """rule my.own
  title    "A rule of this directory"
  severity info
  want     cpu.online > 0
  case pass "one" { cpu.online = 1 }
  case fail "none" { cpu.online = 0 }
  case unknown "hidden" { absent cpu.online denied "not permitted" }
end
"""
failed = []


def expect(what, good, seen):
    if not good:
        failed.append(what)
        print(f"FAILED {what}: {seen!r}")


class Shell:
    """A shell at a terminal."""

    def __init__(self, argv, env, cwd, setup):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.execvpe(argv[0], argv, env)
        self.seen = ""
        for line in setup:
            self.type(line + "\n")
            self.until(lambda s: s.count("READY>") >= 1)
        self.type("echo set''up\n")
        self.until(lambda s: "\nsetup" in s.replace("\r", ""))

    def type(self, keys):
        os.write(self.fd, keys.encode())

    def until(self, done, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if select.select([self.fd], [], [], 0.1)[0]:
                try:
                    piece = os.read(self.fd, 65536)
                except OSError:
                    return False
                self.seen += re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|[\x07\x0f]", "", piece.decode(errors="replace"))
            if done(self.seen):
                return True
        return False

    def complete(self, typed, wanted, keys="\t"):
        """Types, presses TAB, and waits for what is wanted to stand on the screen."""
        self.seen = ""
        self.type(typed + keys)
        good = self.until(lambda s: all(w in s for w in wanted))
        seen = self.seen
        # Ctrl-U: the line is empty again. Not Ctrl-C, behind which the terminal is not the line editor's for a moment.
        self.type("\x15")
        self.until(lambda s: False, 0.05)
        return good, seen

    def close(self):
        self.type("\x15exit\n")
        try:
            os.close(self.fd)
        except OSError:
            pass
        os.waitpid(self.pid, 0)


def cases(directory):
    """What is typed, and what stands on the screen then; the second TAB of a shell lists what is left."""
    yield "tuneaudit che", ["tuneaudit check "]
    yield "tuneaudit check --min", ["--min-coverage "]
    yield "tuneaudit check --format juni", ["--format junit "]
    yield "tuneaudit check --format=juni", ["--format=junit "]
    yield "tuneaudit apply --allow link", ["--allow link-flap "]
    yield "tuneaudit check --profile gatew", ["--profile gateway "]
    yield "tuneaudit explain nic.channels.com", ["nic.channels.combined "]
    yield f"tuneaudit check --rules {directory}/my-ru", ["my-rules/"]
    yield f"tuneaudit check --rules {directory}/my-rules --only my.o", ["--only my.own "]
    yield "tuneaudit check --only net.somaxconn.listeners,nic.channels.com", [",nic.channels.combined "]
    yield "tuneaudit rules check zz-so", ["zz-some.rules "]
    yield "tuneaudit load stre", ["load stream "]
    yield "tuneaudit load http --engine ep", ["--engine epoll "]
    yield "tuneaudit help rollb", ["help rollback "]
    yield "tuneaudit -q facts listene", ["facts listeners "]


def env_of(directory):
    return {"PATH": f"{directory}/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": directory, "TERM": "xterm", "LC_ALL": "C.UTF-8",
            "PS1": "READY> ", "HISTFILE": "/dev/null"}


def typed_in(name, argv, setup, directory):
    shell = Shell(argv, env_of(directory), directory, setup)
    for typed, wanted in cases(directory):
        good, seen = shell.complete(typed, wanted)
        expect(f"{name}: {typed}", good, seen)
    # A list, with what it means where the shell shows that.
    good, seen = shell.complete("tuneaudit load serve ", ["connect", "stream", "http"], "\t\t")
    expect(f"{name}: the list of workloads", good and "serve serve" not in seen, seen)
    good, seen = shell.complete("tuneaudit check --fail-on ", ["info", "warning", "error", "none"], "\t\t")
    expect(f"{name}: choices", good, seen)
    shell.close()


def in_bash(directory):
    typed_in("bash", ["bash", "--norc", "--noprofile", "-i"],
             ["PS1='READY> '; bind 'set bell-style none'; bind 'set enable-bracketed-paste off'; bind 'set page-completions off'",
              f". {TREE}/completions/tuneaudit.bash"], directory)


def in_zsh(directory):
    typed_in("zsh", ["zsh", "-f", "-i"],
             ["PS1='READY> '; PROMPT_EOL_MARK=; unsetopt ZLE_BRACKETED_PASTE 2>/dev/null",
              f"fpath=({TREE}/completions $fpath); autoload -Uz compinit; compinit -u -D"], directory)


def in_fish(directory):
    def ask(line):
        out = subprocess.run(["fish", "--no-config", "-c", f"source {TREE}/completions/tuneaudit.fish; complete -C '{line}'"],
                             env=env_of(directory), cwd=directory, capture_output=True, text=True, timeout=60)
        return out.stdout

    for typed, wanted in cases(directory):
        seen = ask(typed)
        offered = [w.split("\t")[0] for w in seen.split("\n")]
        # The last word as a whole.
        good = all(any((w.strip().split(" ")[-1]) in o for o in offered) for w in wanted) and len(seen.strip().split("\n")) == 1
        expect(f"fish: {typed}", good, seen)
    seen = ask("tuneaudit check --fail-on ")
    expect("fish: choices", all(w in seen for w in ("info", "warning", "error", "none")), seen)
    seen = ask("tuneaudit ")
    expect("fish: what commands do", re.search(r"(?m)^check\tjudges this host", seen) and "supervise" not in seen, seen)


def main():
    ran = []
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(f"{directory}/bin")
        os.symlink(PROGRAM, f"{directory}/bin/tuneaudit")
        os.mkdir(f"{directory}/my-rules")
        for name in ("my-rules/one.rules", "zz-some.rules"):
            with open(f"{directory}/{name}", "w", encoding="utf-8") as f:
                f.write(RULES)
        for name, run in (("bash", in_bash), ("zsh", in_zsh), ("fish", in_fish)):
            if shutil.which(name):
                run(directory)
                ran.append(name)
            else:
                print(f"completion: {name} is not installed, left out")
    if failed or not ran:
        print(f"completion: {len(failed)} FAILED")
        return 1
    print(f"completion: ok in {', '.join(ran)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
