#!/usr/bin/env python3
"""Turns what `strace -ff -X raw -xx -e write=all` recorded of one run into the operations of the floor program.

record.py PREFIX FIRST_PID > ops.c

Files are opened, looked at (fstat), read as often and in pieces as large as they were, and closed; directories listed; netlink requests sent as they were, with
their answers read; other system calls made with the same numbers (pointers become scratch memory). What a
program does for itself (memory, signals, loading libraries, waiting, its own output) is no operation. What could
not be turned into one is counted on stderr, so that nothing is left out unseen.
"""

import collections
import os
import re
import sys

OWN = set(
    "mmap munmap mprotect mremap madvise brk execve arch_prctl set_tid_address set_robust_list rseq rt_sigreturn exit exit_group write writev wait4 waitid futex clock_nanosleep nanosleep kill "
    "pipe2 pipe poll ppoll dup dup2 dup3 lseek fcntl pread64 read recvfrom recvmsg getdents64 close".split()
)
AT_FDCWD = "-100"
CHILDREN = {"clone", "clone3", "fork", "vfork"}
STATS = {"stat", "lstat", "access"}
STATS_AT = {"newfstatat", "statx", "faccessat", "faccessat2"}
LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+|\?|0x[0-9a-f]+)")
DUMP = re.compile(r"^ \| [0-9a-f]{5,}  ((?:[0-9a-f]{2} ?| )+?)  ")


def split(args):
    """The arguments of a call, at the commas outside quotes and brackets."""
    out, depth, quoted, start = [], 0, False, 0
    for i, c in enumerate(args):
        if c == '"':
            quoted = not quoted
        elif not quoted and c in "[{(":
            depth += 1
        elif not quoted and c in "]})":
            depth -= 1
        elif not quoted and depth == 0 and c == ",":
            out.append(args[start:i].strip())
            start = i + 1
    out.append(args[start:].strip())
    return out


def text(arg):
    return bytes(int(h, 16) for h in re.findall(r"\\x([0-9a-f]{2})", arg)).decode("utf-8", "surrogateescape")


class Process:
    def __init__(self, prefix, pid, left_out):
        self.prefix, self.left_out = prefix, left_out
        self.fds, self.ops, self.n_sockets, self.listed = {}, [], 0, None
        with open(f"{prefix}.{pid}", errors="surrogateescape") as f:
            self.lines = f.read().split("\n")
        for i, line in enumerate(self.lines):
            m = LINE.match(line)
            if m:
                self.call(m[1], split(m[2]), m[3], i)

    def path(self, dirfd, arg):
        """The path, and whether it is one below the directory that was listed last."""
        name = text(arg)
        base = self.fds.get(dirfd)
        if name.startswith("/") or dirfd == AT_FDCWD or not base or base[0] != "file":
            return {"text": name}
        if name and base[1] is self.listed:
            return {"text": name, "a": 1}
        return {"text": base[1]["text"].rstrip("/") + "/" + name if name else base[1]["text"]}

    def add(self, kind, **more):
        op = {"kind": kind, **more}
        self.ops.append(op)
        return op

    def written(self, at):
        """The bytes that strace dumped below line `at`."""
        data = b""
        for line in self.lines[at + 1 :]:
            if not line.startswith(" "):
                break
            m = DUMP.match(line)
            if m:
                data += bytes.fromhex(m[1])
        return data

    def call(self, name, args, result, at):
        if name in ("open", "openat", "openat2", "creat"):
            where = args if name == "open" else args[1:]
            path = self.path(AT_FDCWD if name == "open" else args[0], where[0])
            flags = int(re.search(r"0[x0-7]?[0-9a-f]*|[1-9]\d*", where[1])[0], 0) if len(where) > 1 else 0
            if re.search(r"\.so(\.|$)|/ld\.so\.", path["text"]):
                op = {"kind": "library", **path}
            elif flags & os.O_PATH:
                op = self.add("DIR" if flags & os.O_DIRECTORY else "STAT", **path)
            else:
                op = self.add("LIST" if flags & os.O_DIRECTORY else "READ", **path)
            if not result.startswith("-"):
                self.fds[result] = ("file", op)
            if op["kind"] == "DIR":
                self.listed = op
        elif name in ("readlink", "readlinkat"):
            self.add("LINK", **(self.path(AT_FDCWD, args[0]) if name == "readlink" else self.path(args[0], args[1])))
        elif name in STATS:
            self.add("STAT", text=text(args[0]))
        elif name == "fstat" or (name in STATS_AT and not text(args[1])):
            if self.fds.get(args[0], " ")[0] == "file":
                self.fds[args[0]][1]["looked_at"] = 1
        elif name in STATS_AT:
            if text(args[1]) and not text(args[1]).startswith("/lib"):
                self.add("STAT", **self.path(args[0], args[1]))
        elif name == "socket":
            self.add("SOCKET", args=args)
            if not result.startswith("-"):
                self.fds[result] = ("socket", self.n_sockets)
            self.n_sockets += 1
        elif name in ("sendto", "sendmsg") and self.fds.get(args[0], " ")[0] == "socket":
            self.add("SEND", a=self.fds[args[0]][1], data=self.written(at))
        elif name == "read" and self.fds.get(args[0], " ")[0] == "file":
            op = self.fds[args[0]][1]
            op["reads"] = op.get("reads", 0) + 1
            op.setdefault("size", int(args[2], 0))
        elif name == "getdents64":
            if args[0] in self.fds and self.fds[args[0]][0] == "file":
                self.listed = self.fds[args[0]][1]
                self.listed["kind"] = "LIST"
        elif name == "close":
            was = self.fds.pop(args[0], None)
            if was and was[0] == "socket":
                self.add("SOCKET_CLOSE", a=was[1])
        elif name in CHILDREN:
            if not result.startswith("-"):
                child = Process(self.prefix, result, self.left_out)
                self.add("CHILD", a=len(child.ops))
                self.ops += child.ops
        elif name not in OWN:
            self.plain(name, args)

    def plain(self, name, args):
        """A call of which only the numbers count. Sockets among them are told by their count."""
        values = []
        for i, a in enumerate(args[:6]):
            if re.fullmatch(r"-?\d+|0x[0-9a-f]{1,8}", a):
                fd = self.fds.get(a) if i == 0 else None
                values.append(f"FLOOR_SOCKET_0 + {fd[1]}" if fd and fd[0] == "socket" else a)
            elif a == "NULL":
                values.append("0")
            else:
                values.append("FLOOR_SCRATCH")
        if name in ("ioctl", "sendto", "sendmsg", "execveat", "connect"):
            self.left_out[name] += 1
        else:
            self.add("CALL", name=name, args=values)


def c_string(data):
    return '"' + "".join(f"\\{b:03o}" for b in data) + '"'


def print_op(op):
    kind = op["kind"]
    if kind in ("READ", "LIST", "DIR", "LINK", "STAT"):
        data = op["text"].encode("utf-8", "surrogateescape")
        reads = f", {op.get('size', 0)}, {op.get('reads', 0)}, .look = {op.get('looked_at', 0)}" if kind == "READ" else ""
        print(f"\t{{FLOOR_{kind}, {op.get('a', 0)}{reads}, .text = {c_string(data)}}},")
    elif kind == "SOCKET":
        a, b, c = op["args"]
        print(f"\t{{FLOOR_SOCKET, {a}, {b}, {c}}},")
    elif kind == "SEND":
        print(f"\t{{FLOOR_SEND, {op['a']}, .text = {c_string(op['data'])}, .len = {len(op['data'])}}},")
    elif kind == "CALL":
        print(f"\t{{FLOOR_CALL, SYS_{op['name']}, .args = {{{', '.join(op['args'])}}}}},")
    else:
        print(f"\t{{FLOOR_{kind}, {op['a']}}},")


def main():
    left_out = collections.Counter()
    ops = Process(sys.argv[1], sys.argv[2], left_out).ops
    print("/* Made by tests/bench/record.py. */")
    print('#include <sys/syscall.h>\n#include "floor.h"\nconst struct floor_op floor_ops[] = {')
    for op in ops:
        print_op(op)
    print("};\nconst size_t n_floor_ops = sizeof(floor_ops) / sizeof(floor_ops[0]);")
    kinds = collections.Counter(op["kind"] for op in ops)
    print("recorded:", ", ".join(f"{n} {k.lower()}" for k, n in kinds.most_common()), file=sys.stderr)
    if left_out:
        print("not repeated:", ", ".join(f"{n} {k}" for k, n in left_out.items()), file=sys.stderr)


main()
