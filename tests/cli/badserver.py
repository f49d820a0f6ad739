#!/usr/bin/env python3
"""A server that misbehaves in one way, on loopback, for tests of load runs. Prints its port, lives until its stdin ends.

    badserver.py KIND    good close reset silent stall trickle garbage length endless status extra
"""
import select
import socket
import struct
import sys
import threading
import time

GOOD = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
ANSWERS = {
    "good": GOOD,
    "garbage": b"\x00\xff not http at all\r\n\r\n",
    "length": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok",
    "status": b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n",
    "extra": GOOD + b"HTTP/1.1 200 OK\r\n",
}
BEGAN = time.monotonic()


def stalled():
    """For the second half of every second nothing is answered."""
    return (time.monotonic() - BEGAN) % 1 >= 0.5


def answer(kind, conn):
    if kind == "stall":
        while stalled():
            time.sleep(0.005)
        conn.sendall(GOOD)
    elif kind == "trickle":
        for i in range(len(GOOD)):
            conn.sendall(GOOD[i:i + 1])
            time.sleep(0.001)
    elif kind == "endless":
        conn.sendall(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 30000)
    elif kind == "reset":
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False
    elif kind == "close":
        conn.sendall(GOOD[:20])
        return False
    elif kind != "silent":
        conn.sendall(ANSWERS[kind])
    return True


def serve(kind, conn):
    try:
        while conn.recv(65536) and answer(kind, conn):
            pass
    except OSError:
        pass
    conn.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0), backlog=512)
    print(listener.getsockname()[1], flush=True)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            return
        conn, _ = listener.accept()
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        threading.Thread(target=serve, args=(sys.argv[1], conn), daemon=True).start()


main()
