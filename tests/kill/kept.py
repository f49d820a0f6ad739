"""What keeps changes over a restart: files that hold what they are to hold, and every way in which they can be in the way."""
import os
import subprocess

SYSCTL = "/etc/sysctl.d/90-tuneaudit.conf"
BOOT = "/etc/tuneaudit/boot.conf"
FILES = {
    SYSCTL: ["# run 1", "net.ipv4.ip_local_port_range = 15001 64998", "vm.dirty_bytes = 500000000"],
    BOOT: ["channels - $(id) rx = 4", "features - $(id) rx-gro = on", "qdisc - peer0 = mq/pfifo_fast", "txqueuelen - $(id) = 500"],
    "/etc/systemd/system/tuneaudit-boot.service": ["ExecStart=/run/tuneaudit boot"],
    "/etc/systemd/system/multi-user.target.d/50-tuneaudit.conf": ["Wants=tuneaudit-boot.service"],
    "/etc/tmpfiles.d/tuneaudit.conf": [],
}


def write(path, text):
    with open(path, "w", encoding="ascii") as f:
        f.write(text)


def read(path):
    with open(path, encoding="ascii") as f:
        return f.read()


def mount(*words):
    subprocess.run(["mount", *words], check=True)


def whole(test):
    """The lines, in files that say whose they are, for all to read."""
    for path, lines in FILES.items():
        if not lines:
            continue
        text = read(path)
        assert text.startswith("# From tuneaudit"), text
        assert os.stat(path).st_mode & 0o7777 == 0o644, path
        for line in lines:
            assert line in text.split("\n"), f"{line} is not in {path}:\n{text}"


def boot(test):
    """What the next start would set: the same."""
    for words in (["ethtool", "-L", "$(id)", "rx", "1", "tx", "1"], ["ethtool", "-K", "$(id)", "gro", "off"],
                  ["ip", "link", "set", "$(id)", "txqueuelen", "1000"]):
        subprocess.run(words, check=True, capture_output=True)
    after = test.call([], "boot", "--wait", "0")
    assert after.returncode == 0, after.stdout + after.stderr
    now = test.host.snapshot()
    assert "RX:\t\t4" in now["ethtool -l"] and "pfifo_fast" in now["tc peer0"] and now["length of $(id)"] == b"500\n", now
    again = test.call([], "boot", "--wait", "0")
    assert again.returncode == 0 and "not set" in again.stdout, again.stdout
    # a device that is gone is told, and waited for no longer than asked
    subprocess.run(["ip", "link", "set", "peer0", "down"], check=True)
    subprocess.run(["ip", "link", "set", "peer0", "name", "other"], check=True)
    gone = test.call([], "boot", "--wait", "1")
    subprocess.run(["ip", "link", "set", "other", "name", "peer0"], check=True)
    subprocess.run(["ip", "link", "set", "peer0", "up"], check=True)
    assert gone.returncode == 1 and "there is no interface peer0" in gone.stderr, gone.stderr


def refused(test, what, why):
    """Nothing is changed, in clear words."""
    before = test.host.snapshot()
    test.forget()
    done = test.apply()
    assert done.returncode == 5 and "nothing was changed" in done.stderr and why in done.stderr, \
        f"{what}: code {done.returncode}\n{done.stdout}{done.stderr}"
    assert test.host.snapshot() == before, what
    runtime = test.call([], "apply", "--rules", test.rules, "--profile", "kill", "--allow", "link-flap", "--confirm-within", "0",
                        "--runtime-only", "--skip", "kill.files")
    assert runtime.returncode == 0 and "as asked for" in runtime.stdout, runtime.stdout + runtime.stderr
    back = test.rollback()
    assert back.returncode == 0 and test.host.snapshot() == before, f"{what}: {back.stdout}{back.stderr}"


def in_the_way(test):
    """A file of our name, links, a /etc that cannot be written."""
    write(SYSCTL, "vm.swappiness = 1\n")
    refused(test, "a file of somebody else", "not from this program")
    os.unlink(SYSCTL)
    os.symlink("/etc/hostname", SYSCTL)
    refused(test, "a link as the file", "is a link")
    os.unlink(SYSCTL)
    os.rename("/etc/sysctl.d", "/etc/elsewhere")
    os.symlink("elsewhere", "/etc/sysctl.d")
    refused(test, "a link as the directory", "is a link")
    os.unlink("/etc/sysctl.d")
    os.rename("/etc/elsewhere", "/etc/sysctl.d")
    os.mkdir(SYSCTL)
    refused(test, "a directory as the file", "no file of this program")
    os.rmdir(SYSCTL)
    mount("-o", "remount,ro", "/etc")
    refused(test, "a read-only /etc", "Read-only file system")
    mount("-o", "remount,rw", "/etc")


def full(test):
    """The first files are written, the next one is not: all is put back."""
    mount("-o", "remount,size=64k", "/etc")
    with open("/etc/filler", "wb", buffering=0) as f:
        try:
            while f.write(b"x" * 4096):
                pass
        except OSError:
            pass
        f.truncate(f.tell() // 4096 * 4096 - 8192)
    before = test.host.snapshot()
    test.forget()
    done = test.apply()
    assert done.returncode == 5 and "No space left" in done.stderr and "everything was put back" in done.stderr, \
        f"{done.returncode}: {done.stdout}{done.stderr}"
    assert test.host.snapshot() == before, "a full /etc"
    os.unlink("/etc/filler")
    mount("-o", "remount,size=10m", "/etc")


def edited(test):
    """What somebody edited is left, and named; the rest goes."""
    test.forget()
    assert test.apply().returncode == 0
    write(SYSCTL, read(SYSCTL).replace("15001", "15003"))
    back = test.rollback()
    assert back.returncode == 1 and "edited or replaced" in back.stdout, back.stdout + back.stderr
    assert "15003" in read(SYSCTL) and not os.path.exists(BOOT)
    again = test.apply()
    assert again.returncode == 5 and "was edited" in again.stderr, again.stdout + again.stderr
    forced = test.call([], "rollback", "1", "--force")
    assert forced.returncode == 0 and test.host.snapshot() == test.start, forced.stdout + forced.stderr


def shared(test):
    """Two runs in the same files, taken back in either order, and one change alone."""
    for first, last in (("1", "2"), ("2", "1")):
        test.forget()
        one = test.call([], "apply", "--rules", test.rules, "--profile", "kill", "--only", "kill.ports,kill.congestion")
        two = test.apply()
        assert one.returncode == 0 and two.returncode == 0, one.stderr + two.stderr
        text = read(SYSCTL)
        assert "# run 1\nnet.ipv4.ip_local" in text and "# run 2\nnet.core.rps_sock" in text, text
        assert test.call([], "rollback", first).returncode == 0
        assert ("# run " + last in read(SYSCTL)) and ("# run " + first not in read(SYSCTL))
        assert os.path.exists(BOOT) == (last == "2")
        back = test.call([], "rollback", last)
        assert back.returncode == 0 and test.host.snapshot() == test.start, back.stdout + back.stderr
    test.forget()
    assert test.apply().returncode == 0
    changes = [line.split(".", 1)[0] for line in test.call([], "history", "1", plain=True).stdout.split("\n")
               if "ip_local_port_range: " in line]
    alone = test.call([], "rollback", "1", changes[0])
    assert alone.returncode == 0 and "ip_local" not in read(SYSCTL) and "tcp_rmem" in read(SYSCTL), alone.stdout
    back = test.rollback()
    assert back.returncode == 0 and test.host.snapshot() == test.start, back.stdout + back.stderr


def check(test):
    in_the_way(test)
    full(test)
    edited(test)
    shared(test)
    assert test.host.snapshot() == test.start
