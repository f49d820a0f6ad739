#!/usr/bin/env python3
"""Peers of a load run that are none: badpeer.py KIND,KIND,... prints a port for each, and ends when its stdin does.

    silent  garbage  endless  close  version  stranger  refuse  wordless
    few many lie limit dies     of those that are asked to hold connections: no port, more than there can be, ports that are none, a limit
                                after 50, the end of the session
"""
import hashlib
import hmac
import os
import select
import socket
import sys
import threading

GREETING = b"tuneaudit-peer 2 0.0.9 %s " + os.urandom(16).hex().encode() + b"\n"


def hold(kind, conn):
    """A peer that knows the protocol, for whoever asks it to hold connections."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    kept = []

    def accept():
        while len(kept) < (50 if kind == "limit" else 1 << 30):
            kept.append(listener.accept()[0])

    threading.Thread(target=accept, daemon=True).start()
    port = listener.getsockname()[1]
    answers = {
        b"hold": {"few": b"holds 1 0 128", "many": b"holds 1 999999 128"}.get(kind, b"holds 1 1 128"),
        b"ports": b"ports 0 0" if kind == "lie" else b"ports 0 %d" % port,
        b"cpu": b"cpu 1 1",
        b"machine": b"machine 0 - - - - -",
        b"took": b"took 1 2 1 0 meminfo",
    }
    for line in conn.makefile("rb"):
        word = line.split()[0]
        if word == b"hello":
            client = bytes.fromhex(line.split()[3].decode())
            text = b"peer".ljust(16, b"\0") + bytes.fromhex(GREETING.split()[-1].decode()) + client
            conn.sendall(b"welcome " + hmac.new(b"", text, hashlib.sha256).hexdigest().encode() + b" - -\n")
        elif word == b"held":
            if kind == "dies":
                conn.shutdown(socket.SHUT_RDWR)
                return
            full = len(kept) == 50
            conn.sendall(b"held %d %d %s\n" % (len(kept), len(kept), b"patience: of 50 connections" if full else b"-"))
        else:
            conn.sendall(answers[word] + b"\n")


def handle(kind, conn):
    try:
        if kind == "garbage":
            conn.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
        elif kind == "endless":
            while True:
                conn.sendall(b"a" * 4096)
        elif kind == "close":
            conn.close()
            return
        elif kind == "version":
            conn.sendall(b"tuneaudit-peer 3 9.9.9 whatever comes then\n")
        elif kind == "stranger":
            conn.sendall(GREETING % b"token")
            conn.recv(1000)
            conn.sendall(b"welcome " + b"00" * 32 + b" - -\n")
        elif kind in ("refuse", "wordless"):
            conn.sendall(GREETING % b"open")
            conn.recv(1000)
            conn.sendall({"refuse": b"no not today\n", "wordless": b"no\n"}[kind])
        elif kind in ("few", "many", "lie", "limit", "dies"):
            conn.sendall(GREETING % b"open")
            hold(kind, conn)
        while conn.recv(1000):
            pass
    except OSError:
        pass


def main():
    places = {socket.create_server(("127.0.0.1", 0)): kind for kind in sys.argv[1].split(",")}
    print("\n".join(str(listener.getsockname()[1]) for listener in places), flush=True)
    while True:
        ready, _, _ = select.select([sys.stdin, *places], [], [])
        if sys.stdin in ready:
            os._exit(0)
        for listener in ready:
            conn, _ = listener.accept()
            threading.Thread(target=handle, args=(places[listener], conn), daemon=True).start()


main()
