#!/usr/bin/env python3
"""Clients of a built-in server without manners: rude.py SERVICE PORT, all at once, for as long as its stdin is open. Prints "ready" when
all of them have begun.

    idle      says nothing            slow     a byte of a request at a time, none of which is ever whole
    garbage   bytes without end       deaf     requests without end, whose replies it does not read
    flood     connects and ends, over and over
"""
import os
import random
import socket
import struct
import sys
import threading
import time

SERVICE, PORT = sys.argv[1], int(sys.argv[2])
REQUESTS = {
    "http": b"GET / HTTP/1.1\r\n\r\n",
    "file": b"GET /sendfile/large HTTP/1.1\r\n\r\n",
    "kv": b"GET key\r\n",
    "stream": b"STREAM SEND 0\n",
    "connect": b"x",
    "hold": b"0123456789abcdef",
}
SLOW = {"http": b"GET / HTTP/1.1\r\nX: ", "file": b"GET / HTTP/1.1\r\nX: ", "kv": b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$100\r\n"}
random.seed(1)
GARBAGE = bytes(random.randrange(256) for _ in range(65536))


def connect():
    return socket.create_connection(("127.0.0.1", PORT), 10)


def idle():
    connect().recv(1)
    time.sleep(3600)


def slow():
    s = connect()
    for byte in SLOW.get(SERVICE, REQUESTS[SERVICE][:-1]):
        s.sendall(bytes([byte]))
        time.sleep(0.05)
    while True:
        s.sendall(b"a")
        time.sleep(0.05)


def garbage():
    s = connect()
    while True:
        s.sendall(GARBAGE)
        time.sleep(0.01)


def deaf():
    s = connect()
    while True:
        s.sendall(REQUESTS[SERVICE] * 500)


def flood():
    while True:
        s = connect()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        s.close()
        time.sleep(0.002)


def for_ever(how):
    while True:
        try:
            how()
        except OSError:
            time.sleep(0.02)


for how, n in (idle, 40), (slow, 4), (garbage, 4), (deaf, 6), (flood, 1):
    for _ in range(n):
        threading.Thread(target=for_ever, args=(how,), daemon=True).start()
time.sleep(0.5)
print("ready", flush=True)
sys.stdin.read()
os._exit(0)
