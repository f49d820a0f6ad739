#!/usr/bin/env python3
"""Peers of a load run that are none: badpeer.py KIND prints its port, and ends when its stdin does.

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
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            os._exit(0)
        conn, _ = listener.accept()
        threading.Thread(target=handle, args=(sys.argv[1], conn), daemon=True).start()


main()
