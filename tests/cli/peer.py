#!/usr/bin/env python3
"""Clients of `load serve --listen` that mean no good: peer.py PORT TOKEN. Each is met as it has to be, and it serves afterwards."""
import concurrent.futures
import hashlib
import hmac
import os
import socket
import sys
import time

PORT, TOKEN = int(sys.argv[1]), sys.argv[2].encode()


class Session:
    def __init__(self, source="127.0.0.1"):
        self.s = socket.create_connection(("127.0.0.1", PORT), 10, source_address=(source, 0))
        self.f = self.s.makefile("rb")
        self.greeting = self.read()

    def read(self):
        return self.f.readline().decode().strip()

    def say(self, text):
        self.s.sendall(text if isinstance(text, bytes) else (text + "\n").encode())

    def ask(self, text):
        self.say(text)
        return self.read()

    def hello(self, token=TOKEN, who=b"client", nonce=None):
        words = self.greeting.split()
        assert words[:2] == ["tuneaudit-peer", "2"] and words[3] == "token", self.greeting
        theirs, ours = bytes.fromhex(words[4]), os.urandom(16)
        text = who.ljust(16, b"\0") + (nonce or theirs) + ours
        answer = self.ask(f"hello 2 0 {ours.hex()} {hmac.new(token, text, hashlib.sha256).hexdigest()}")
        if answer.startswith("welcome"):
            text = b"peer".ljust(16, b"\0") + theirs + ours
            assert answer.split()[1] == hmac.new(token, text, hashlib.sha256).hexdigest(), "the peer shows the token, too"
        return answer

    def close(self):
        self.f.close()
        self.s.close()


def ended(s):
    try:
        return s.read() == ""
    except (ConnectionError, TimeoutError):
        return True


def serves():
    s = Session()
    assert s.hello().startswith("welcome "), "it serves who knows the token"
    s.close()


def one_service(name):
    s = Session()
    assert s.hello().startswith("welcome ")
    assert s.ask("cpu") == "no no service runs"
    assert s.ask("serve nonsense 1 2").startswith("no ")
    port = int(s.ask(f"serve {name} 1 2").split()[1])
    assert s.ask("serve http 1 2").startswith("no "), "one to a session"
    assert s.ask("cpu").split()[0] == "cpu"
    # From its client's address it answers, from another it does not.
    socket.create_connection(("127.0.0.1", port), 5).close()
    try:
        socket.create_connection(("127.0.0.1", port), 0.3, source_address=("127.0.0.9", 0)).close()
        raise AssertionError("somebody else reached the service")
    except TimeoutError:
        pass
    s.close()
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except ConnectionRefusedError:
            break
        except ConnectionResetError:
            pass  # in the moment of its end
        time.sleep(0.05)
    else:
        raise AssertionError("the service outlives its session")


def ways_to_accept():
    s = Session()
    assert s.hello().startswith("welcome ")
    assert s.ask("accepted 0") == "no there are no such threads"
    for line in "accept 3 0 1 0", "accept 0 3 1 0", "accept 99999999999 0 1 0":
        assert s.ask(line) == "no there is no such way to accept", line
    ports = []
    for how in 0, 1, 2:
        word, port, threads = s.ask(f"accept {how} 1 1000000 1").split()
        assert word == "accepts" and int(threads) == (1 if how == 2 else 64), threads
        for _ in range(3):
            socket.create_connection(("127.0.0.1", int(port)), 5).close()
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            counts = [int(n) for n in s.ask("accepted 0").split()[2:]]
            assert len(counts) == (3 if how == 2 else 24)
            if how == 1 or sum(counts[::3]) + sum(int(n) for f in range(8, 64, 8) if how == 0 for n in s.ask(f"accepted {f}").split()[2::3]) == 3:
                break
        else:
            raise AssertionError("three were accepted")
        ports.append(int(port))
    # Each ends the one before.
    try:
        socket.create_connection(("127.0.0.1", ports[0]), 1).close()
        raise AssertionError("the first one listens still")
    except ConnectionRefusedError:
        pass
    assert s.ask("accepted 1") == "no there are no such threads"
    assert s.ask("hold 10 10").startswith("no one service"), "one to a session"
    s.close()


def machine():
    s = Session()
    assert s.hello().startswith("welcome ")
    assert s.ask("cpus 0") == "no there are no such CPUs", "before it was asked for the machine"
    words = s.ask("machine").split()
    n = int(words[1])
    assert words[0] == "machine" and len(words) == 7 and n >= 1
    cpus = s.ask("cpus 0").split()
    assert len(cpus) == 2 + 7 * min(n, 4) and all(int(v) >= 0 for v in cpus[1:])
    assert s.ask(f"cpus {n}") == "no there are no such CPUs"
    s.close()


def holding():
    s = Session()
    assert s.hello().startswith("welcome ")
    for line in "hold 0 1", "hold 10 0", "hold 18446744073709551615 1", "hold 18446744073709551615 18446744073709551615", "hold 5000 1":
        assert s.ask(line).startswith("no "), line
    word, processes, ports, backlog = s.ask("hold 10 3").split()
    assert (word, processes, ports) == ("holds", "1", "4"), (processes, ports)
    where = [int(p) for p in s.ask("ports 0").split()[2:]]
    assert len(where) == 4 and s.ask("ports 4") == "no there are no such ports"
    held = [socket.create_connection(("127.0.0.1", p), 5) for p in where]
    for c in held:
        c.sendall(b"?")
        assert c.recv(10) == b"?"
    assert s.ask("held") == "held 4 4 -"
    assert len(s.ask("took").split()) == 6
    held.pop().close()
    deadline = time.monotonic() + 5
    while s.ask("held") != "held 4 3 -":
        assert time.monotonic() < deadline
    try:
        socket.create_connection(("127.0.0.1", where[0]), 0.3, source_address=("127.0.0.9", 0)).close()
        raise AssertionError("somebody else reached it")
    except TimeoutError:
        pass
    assert s.ask("serve http 1 2").startswith("no one service")
    s.close()
    for c in held:
        c.settimeout(5)
        try:
            assert c.recv(1) == b""
        except ConnectionError:
            pass


def not_admitted():
    for line in "machine", "hold 10 10", "accept 0 0 1 0", "took", "cpu", "serve http 1 2", "welcome", "GET / HTTP/1.1", "", "hello", "hello 2 0 00 00", b"\x00\xff\xfe\n":
        s = Session()
        assert s.ask(line).startswith("no "), line
        assert ended(s)
        s.close()
    s = Session()
    assert "version 2" in s.ask("hello 1 9.9 x y z")
    s.close()
    s = Session()
    assert s.ask(b"a" * 500).startswith("no ")
    s.close()


def wrong_tokens():
    """From an address of its own: it is shut out for a while."""
    for wrong in (dict(token=b"another token of some length"), dict(who=b"peer"), dict(nonce=bytes(16)), dict(token=b""), dict(token=TOKEN[:-1])):
        s = Session("127.0.0.5")
        assert s.hello(**wrong) == "no wrong token", wrong
        assert ended(s)
        s.close()
    s = Session("127.0.0.5")
    assert s.greeting.startswith("no too many wrong tokens"), s.greeting
    s.close()


def replay():
    """What was overheard opens nothing."""
    a = Session("127.0.0.6")
    words, ours = a.greeting.split(), os.urandom(16)
    text = b"client".ljust(16, b"\0") + bytes.fromhex(words[4]) + ours
    line = f"hello 2 0 {ours.hex()} {hmac.new(TOKEN, text, hashlib.sha256).hexdigest()}"
    assert a.ask(line).startswith("welcome")
    b = Session("127.0.0.6")
    assert b.ask(line) == "no wrong token"
    a.close()
    b.close()


def flood():
    """Many that say nothing, from one address: somebody else is served at once."""
    many = [Session("127.0.0.7") for _ in range(100)]
    begin = time.monotonic()
    serves()
    assert time.monotonic() - begin < 3
    for s in many:
        s.close()


def slow():
    """A byte at a time, and never a line: given up after five seconds."""
    s = Session("127.0.0.8")
    begin = time.monotonic()
    try:
        while time.monotonic() - begin < 9:
            s.say(b"h")
            time.sleep(0.2)
        raise AssertionError("a client that trickles is not given up")
    except (ConnectionError, TimeoutError):
        pass
    assert time.monotonic() - begin < 8
    s.close()


def too_many():
    all_of_them = [Session() for _ in range(9)]
    answers = [s.hello().split()[0] for s in all_of_them]
    assert answers == ["welcome"] * 8 + ["no"], answers
    for s in all_of_them:
        s.close()
    time.sleep(0.3)


with concurrent.futures.ThreadPoolExecutor() as beside:
    waits = beside.submit(slow)
    for name in "http", "kv", "file", "stream", "connect", "hold":
        one_service(name)
    for test in serves, ways_to_accept, machine, holding, not_admitted, wrong_tokens, replay, too_many, serves:
        test()
    waits.result()
flood()
serves()
