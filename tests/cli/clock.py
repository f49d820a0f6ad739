#!/usr/bin/env python3
"""CPU times that are made up: clock.py FILE "SOFTIRQ IDLE" ... keeps each FILE like /proc/stat of two CPUs, of whose first so many of a hundred
parts are softirq and idle, the rest is system, while the second is idle. Until it is ended."""
import os
import sys
import time

files = [(os.open(f, os.O_RDWR | os.O_CREAT), [int(n) for n in parts.split()]) for f, parts in zip(sys.argv[1::2], sys.argv[2::2])]
ticks = 100000
while True:
    ticks += 100
    for fd, (softirq, idle) in files:
        first = f"cpu0 0 0 {ticks * (100 - softirq - idle) // 100} {ticks * idle // 100} 0 0 {ticks * softirq // 100} 0 0 0"
        text = f"{first:<119}\n{f'cpu1 0 0 0 {ticks} 0 0 0 0 0 0':<119}\n"
        os.pwrite(fd, text.encode(), 0)
    time.sleep(0.02)
