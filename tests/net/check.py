#!/usr/bin/env python3
"""Holds tuneaudit against a live kernel: check.py PROGRAM

Makes network namespaces with listening sockets in child processes, and asks from inside, from outside, as
nobody and under seccomp filters. Compares modules, writable sysctls and taint before and after reading.
Prints one line per check; exit 1 if one fails, 0 also if the kernel does not let us (said so).
"""
import ctypes
import fcntl
import json
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time

libc = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
PROGRAM = os.path.abspath(sys.argv[1])
failed = 0

# Sysctls that move by themselves, or that every process moves.
MOVING = ("random/", "fs/file-nr", "fs/inode", "fs/dentry", "fs/aio-nr", "kernel/ns_last_pid", "kernel/pty/nr",
          "kernel/perf_", "kernel/sched_domain", "net/netfilter/nf_conntrack_count", "kernel/hung_task_detect_count",
          "fs/quota", "vm/stat_refresh")


def say(ok, what, detail=""):
    global failed
    print(("ok      " if ok else "not ok  ") + what + ("" if ok or not detail else f": {detail}"))
    failed += not ok


def facts(*areas, **how):
    """The facts that the program tells, in this process's namespaces."""
    out = subprocess.run([PROGRAM, "facts", "--format", "json", *areas], stdout=subprocess.PIPE, timeout=60,
                         check=True, **how)
    return json.loads(out.stdout)


def settings():
    """Every writable sysctl with its text."""
    out = {}
    for directory, _, names in os.walk("/proc/sys"):
        for name in names:
            path = os.path.join(directory, name)
            if any(m in path for m in MOVING) or not os.stat(path).st_mode & 0o222:
                continue
            try:
                out[path] = pathlib.Path(path).read_bytes()
            except OSError as error:
                out[path] = error.errno
    return out


def modules():
    path = pathlib.Path("/proc/modules")
    return sorted(line.split()[0] for line in path.read_text().splitlines()) if path.exists() else None


def reading_changes_nothing(again=True):
    before = settings(), modules(), pathlib.Path("/proc/sys/kernel/tainted").read_text()
    facts()
    subprocess.run([PROGRAM, "check"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
    after = settings(), modules(), pathlib.Path("/proc/sys/kernel/tainted").read_text()
    moved = sorted(k for k in before[0] if before[0][k] != after[0].get(k))
    if again and (moved or before[1] != after[1]):
        # It may have been somebody else; twice it was not.
        return reading_changes_nothing(False)
    say(not moved, f"{len(before[0])} writable sysctls are what they were", ", ".join(moved))
    say(before[1] == after[1], "no module came or went", f"{before[1]} {after[1]}")
    return say(before[2] == after[2], "no taint")


def loopback_up():
    with socket.socket() as s:
        fcntl.ioctl(s, 0x8914, struct.pack("16sh14x", b"lo", 0x1 | 0x40))  # SIOCSIFFLAGS: up and running


def listen(family, address, port, backlog, reuse=False, device=None):
    s = socket.socket(family)
    if reuse:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    if family == socket.AF_INET6:
        s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
    if device:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, device)
    s.bind((address, port))
    s.listen(backlog)
    return s


def in_child(work):
    """Runs work() in a child with a network namespace of its own; its result, a JSON value."""
    out, into = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(out)
            if libc.unshare(CLONE_NEWNET) != 0:
                raise OSError(ctypes.get_errno(), "unshare")
            loopback_up()
            result = work()
        except Exception as error:  # the parent says what went wrong
            result = {"error": repr(error)}
        with os.fdopen(into, "w") as f:
            json.dump(result, f)
        os._exit(0)
    os.close(into)
    with os.fdopen(out) as f:
        text = f.read()
    os.waitpid(pid, 0)
    return json.loads(text)


class Server:
    """A child that listens in a namespace of its own until it is told to end."""

    def __init__(self):
        self.ready, ready = os.pipe()
        end, self.end = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.end)
            libc.unshare(CLONE_NEWNET)
            loopback_up()
            libc.prctl(15, b"ta\x01test", 0, 0, 0)
            pathlib.Path("/proc/sys/net/core/somaxconn").write_text("200")
            keep = [listen(socket.AF_INET, "0.0.0.0", 9101, 500)]
            os.write(ready, b"x")
            os.read(end, 1)
            os._exit(len(keep) - 1)
        os.close(ready)
        os.close(end)
        os.read(self.ready, 1)

    def stop(self):
        os.close(self.end)
        os.close(self.ready)
        os.waitpid(self.pid, 0)


def from_inside():
    keep = [listen(socket.AF_INET, "0.0.0.0", 8081, 511), listen(socket.AF_INET, "127.0.0.1", 8082, 50),
            listen(socket.AF_INET, "127.0.0.1", 8083, 50, device=b"lo"), listen(socket.AF_INET6, "::", 8081, 10),
            listen(socket.AF_INET, "0.0.0.0", 8084, 100, reuse=True),
            listen(socket.AF_INET, "0.0.0.0", 8084, 200, reuse=True)]
    clients = [socket.create_connection(("127.0.0.1", 8082)) for _ in range(3)]
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    try:
        unprivileged = json.loads(subprocess.run(
            nobody + [PROGRAM, "facts", "--format", "json", "listeners", "processes"],
            stdout=subprocess.PIPE, timeout=60, check=True, cwd="/").stdout)
    except (OSError, subprocess.SubprocessError):
        unprivileged = None
    return {"facts": facts(), "nobody": unprivileged, "pid": os.getpid(),
            "open": len(keep) + len(clients)}


def listeners_from_inside():
    got = in_child(from_inside)
    if "error" in got:
        print("skip    listeners in a network namespace:", got["error"])
        return
    all_ = got["facts"]["facts"]["listeners"]
    want = {"self tcp 0.0.0.0:8081": (1, 511, 0), "self tcp 127.0.0.1:8082": (1, 50, 3),
            "self tcp 127.0.0.1%lo:8083": (1, 50, 0), "self tcp [::]:8081": (1, 10, 0),
            "self tcp 0.0.0.0:8084": (2, 100, 0)}
    for key, (sockets, backlog, queued) in want.items():
        one = all_.get(key, {})
        # Without sock_diag there is no backlog; a reason stands for it.
        backlog_ok = one.get("backlog_min") == backlog or \
            f'listeners["{key}"].backlog_min' in got["facts"]["absent"]
        say(one.get("sockets") == sockets and backlog_ok and one.get("queued_max") == queued and
            got["pid"] in one.get("pids", []), f"listener {key}", json.dumps(one))
    mine = got["facts"]["facts"]["processes"].get(str(got["pid"]), {})
    say(mine.get("listening") is True and mine.get("port") == 8081, "its process", json.dumps(mine))
    absent = got["facts"]["absent"].get('sysctl["net.core.netdev_max_backlog"]', {})
    say("not visible in this network namespace" in absent.get("detail", ""), "settings of the host are not shown here",
        json.dumps(absent))
    if got["nobody"]:
        say(set(want) <= set(got["nobody"]["facts"]["listeners"]), "nobody sees the same listeners")
        say("processes" in got["nobody"]["incomplete"], "nobody is told that processes may be missing")


def listeners_from_outside():
    server = Server()
    try:
        got = facts("listeners", "netns", "processes")
    finally:
        server.stop()
    process = got["facts"]["processes"].get(str(server.pid))
    if not process:
        print("skip    listeners of another network namespace: not permitted")
        return
    name = process["netns"]
    say(process["comm"] == "ta\\x01test" and name not in ("self", "other"), "a server in another network namespace")
    one = got["facts"]["listeners"].get(f"{name} tcp 0.0.0.0:9101", {})
    say(one.get("pids") == [server.pid], "its listener", json.dumps(one))
    somaxconn = got["facts"]["netns"].get(name, {}).get("sysctl", {}).get("net.core.somaxconn")
    say(somaxconn == 200 or f'netns["{name}"].sysctl' in got["absent"], "its own somaxconn", str(somaxconn))
    if "backlog_min" in one:
        say(one["backlog_min"] == 200, "its backlog is cut to that", json.dumps(one))


def seccomp(number, action):
    """A preexec_fn: system call `number` fails with errno `action`, or kills (None)."""
    def install():
        result = 0x80000000 if action is None else 0x00050000 | action
        program = struct.pack("HBBI" * 4, 0x20, 0, 0, 0, 0x15, 0, 1, number, 0x06, 0, 0, result, 0x06, 0, 0, 0x7fff0000)
        buffer = ctypes.create_string_buffer(program)
        fprog = struct.pack("HxxxxxxP", 4, ctypes.addressof(buffer))
        libc.prctl(38, 1, 0, 0, 0)
        if libc.prctl(22, 2, fprog, 0, 0) != 0:
            os._exit(99)
    return install


def io_uring_off():
    for action, part in ((1, "EPERM, and not by"), (38, "ENOSYS"), (None, "kills")):
        try:
            got = facts("features", preexec_fn=seccomp(425, action))
        except subprocess.SubprocessError as error:
            print("skip    io_uring under a filter:", error)
            return
        uring = got["facts"]["features"].get("io_uring", {})
        disabled = pathlib.Path("/proc/sys/kernel/io_uring_disabled")
        if action == 1 and disabled.exists() and disabled.read_text().strip() != "0":
            part = "io_uring_disabled"
        say(uring.get("works") is False and part in uring.get("why", ""), f"io_uring off: {part}", json.dumps(uring))


def taps():
    """Packet sockets, as they come and go."""
    def counted():
        return facts("taps")["facts"].get("taps")

    def work():
        out = [counted()]
        with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)) as every:
            out.append(counted())
            every.bind(("lo", 3))
            with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x88cc)):
                out.append(counted())
        return out + [counted()]

    got = in_child(work)
    if isinstance(got, dict) or got[0] is None:
        print("skip    packet sockets:", got)
        return
    want = [(0, 0, []), (1, 1, ["any"]), (2, 1, ["lo"]), (0, 0, [])]
    got = [(g["sockets"], g["all_packets"], g["nics"]) for g in got]
    say(got == want, "packet sockets are told, and where they listen", json.dumps(got))


def interfaces():
    """A pair of veth below a bridge, then very many of them: what ip says, in time."""
    def ip(text):
        subprocess.run(["ip", "-batch", "-"], input=text, text=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, check=True, timeout=120)

    def told():
        start, own = time.monotonic(), os.times().children_user + os.times().children_system
        got = facts("nics")
        return got, time.monotonic() - start, os.times().children_user + os.times().children_system - own

    def work():
        ip("link add v0 type veth peer name v1\nlink add b0 type bridge\nlink set v0 master b0\nlink set v0 up\n"
           "link set v1 up\nlink set b0 up mtu 1400\n")
        nics = told()[0]["facts"]["nics"]
        few = {name: {k: nics[name].get(k) for k in ("kind", "driver", "physical", "master", "lower", "mtu", "up")}
               for name in ("v0", "v1", "b0")}
        few["channels"] = nics["v0"].get("channels")
        ip("".join(f"link add w{i} type veth peer name x{i}\n" for i in range(1500)))
        got, _, cpu = told()
        many = got["facts"]["nics"]
        others = sorted(set(many) ^ {name for _, name in socket.if_nameindex()})
        return {"few": few, "n": len(many), "others": others, "cpu": cpu, "last": many.get("w1499"),
                "why": got["absent"].get("nics.w1499"), "lower": many["b0"]["lower"]}

    try:
        got = in_child(work)
    except subprocess.SubprocessError as error:
        got = {"error": str(error)}
    if "error" in got:
        print("skip    interfaces:", got["error"])
        return
    few = got["few"]
    say((few["v0"]["driver"], few["v0"]["master"], few["v0"]["physical"]) == ("veth", "b0", False) and
        few["b0"]["kind"] == "bridge" and few["b0"]["lower"] == ["v0"] and few["b0"]["mtu"] == 1400,
        "a bridge and its member", json.dumps(few))
    say(set(few["channels"] or {}) >= {"rx", "tx"} and "combined" not in few["channels"],
        "veth has receive and transmit queues, no combined ones", json.dumps(few["channels"]))
    say(got["n"] > 3000 and got["last"]["physical"] is False and got["why"]["reason"] == "not-asked" and
        got["lower"] == ["v0"], "thousands of interfaces are all told, the last ones in short",
        json.dumps({k: got[k] for k in ("n", "last", "why", "lower")}))
    say(not got["others"], "no interface of another network namespace", ", ".join(got["others"]))
    say(got["cpu"] < 2, "and take less than two seconds", str(got["cpu"]))


def main():
    if os.geteuid() != 0:
        print("skip: check-net takes root")
        return 0
    reading_changes_nothing()
    listeners_from_inside()
    listeners_from_outside()
    taps()
    interfaces()
    io_uring_off()
    print(f"check-net: {failed} failed" if failed else "check-net: ok")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
