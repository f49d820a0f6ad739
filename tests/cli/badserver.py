#!/usr/bin/env python3
"""A server that misbehaves in one way, on loopback, for tests of load runs. Prints its port, lives until its stdin ends.

    badserver.py KIND,KIND,... [kv]    (a port for each, a line each) good close reset silent stall trickle garbage length endless status extra short full
                              stall:N answers nothing in the last N ms of every second

With kv it speaks RESP, and to the first connection says +OK: what is asked before a run is answered well.
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
KV_GOOD = b"+OK\r\n"
KV_ANSWERS = {
    "good": KV_GOOD,
    "garbage": b"\x00\xff not RESP at all\r\n\r\n",
    "length": b"$3\r\nabcdef\r\n",
    "status": b"-MOVED 3999 127.0.0.1:6381\r\n",
    "extra": KV_GOOD + b"$1\r\na\r\n",
}
BEGAN = time.monotonic()


def stalled():
    """For the second half of every second nothing is answered."""
    return (time.monotonic() - BEGAN) % 1 >= 0.5


def wait_out_stall(ms):
    """To the end of the second, if that is not farther than so many ms."""
    left = 1 - (time.monotonic() - BEGAN) % 1
    if left <= ms / 1000:
        time.sleep(left)


def answer(kind, conn):
    if kind == "stall":
        while stalled():
            time.sleep(0.005)
        conn.sendall(GOOD)
    elif kind.startswith("stall:"):
        wait_out_stall(int(kind.split(":")[1]))
        conn.sendall(GOOD)
    elif kind == "short":
        conn.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nok")
        return False
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
        # What was sent and the end arrive in one segment: nothing wakes the client a second time.
        conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)
        conn.sendall(GOOD[:20])
        return False
    elif kind != "silent":
        conn.sendall(ANSWERS[kind])
    return True


def answer_kv(kind, conn):
    if kind == "stall":
        while stalled():
            time.sleep(0.005)
        conn.sendall(KV_GOOD)
    elif kind == "trickle":
        for byte in b"$3\r\nabc\r\n":
            conn.sendall(bytes([byte]))
            time.sleep(0.001)
    elif kind == "endless":
        conn.sendall(b"$500000000\r\n")
        while True:
            conn.sendall(b"a" * 65536)
    elif kind == "close":
        conn.sendall(KV_GOOD[:2])
        return False
    elif kind == "reset":
        return answer(kind, conn)
    elif kind != "silent":
        conn.sendall(KV_ANSWERS[kind])
    return True


def serve(kind, conn, how):
    try:
        while conn.recv(65536) and how(kind, conn):
            pass
    except OSError:
        pass
    conn.close()


def main():
    how, places, counts = answer_kv if sys.argv[2:] == ["kv"] else answer, {}, {}
    for kind in sys.argv[1].split(","):
        listener = socket.create_server(("127.0.0.1", 0), backlog=0 if kind == "full" else 512)
        places[listener] = kind
        counts[kind] = 0
    print("\n".join(str(listener.getsockname()[1]) for listener in places), flush=True)
    # "full" accepts nothing: what does not fit into its queue gets no answer, as from an address that is not there.
    watched = [sys.stdin] + [listener for listener, kind in places.items() if kind != "full"]
    while True:
        ready, _, _ = select.select(watched, [], [])
        if sys.stdin in ready:
            return
        for listener in ready:
            kind = places[listener]
            conn, _ = listener.accept()
            conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            first = how is answer_kv and counts[kind] == 0
            counts[kind] += 1
            threading.Thread(target=serve, args=("good" if first else kind, conn, how), daemon=True).start()


main()
