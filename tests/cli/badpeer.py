#!/usr/bin/env python3
"""Peers of a load run that are none: badpeer.py KIND,KIND,... prints a port for each, and ends when its stdin does.

    silent  garbage  endless  close  version  stranger  refuse  wordless  half
"""
import os
import select
import socket
import sys
import threading

GREETING = b"tuneaudit-peer 2 0.0.9 %s " + os.urandom(16).hex().encode() + b"\n"


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
        elif kind in ("refuse", "wordless", "half"):
            conn.sendall(GREETING % b"open")
            conn.recv(1000)
            conn.sendall({"refuse": b"no \xff not\x01 today\n"[:3] + b"not today\n", "wordless": b"no\n", "half": b"welc"}[kind])
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
