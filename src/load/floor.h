/*
 * What this machine gives at best, layer by layer: so that a result of a load run can be held against what bounds it. Each
 * part is measured by itself, takes well below a second and leaves nothing behind.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"
#include "load/hist.h"

/* Two threads over TCP on 127.0.0.1. */
struct ta_floor_loopback {
	struct ta_hist round_trip; /* one byte there and one back, ns */
	double bytes_per_second;   /* one connection, one way, received */
};

/* Bytes of memory beyond all caches, per second. */
struct ta_floor_memory {
	double copy, read, write; /* bytes copied, summed up, set */
};

/* A sequential read of a file of ours whose pages are not in memory. */
struct ta_floor_disk {
	char device[64]; /* "nvme0n1p2"; "" where the file system does not say */
	char dir[256], kind[24];
	uint64_t bytes; /* of the file */
	double direct;	/* bytes per second past the page cache; 0: the file system cannot */
	double cold;	/* through it, with read-ahead; 0: the pages would not go */
};

struct ta_floor_clock {
	char source[32]; /* "tsc"; "" not known */
	double read_ns;	 /* clock_gettime(CLOCK_MONOTONIC) as programs call it */
	double call_ns;	 /* the same as a system call */
	bool vdso;	 /* read without one */
};

struct ta_floor_wake {
	bool two_cpus; /* of the two below; one CPU only: both threads share it */
	struct ta_hist futex, eventfd; /* from the call that wakes to the other thread running, ns */
	struct ta_hist timer;	       /* how late a thread runs that slept until a time, timer slack 1 ns */
};

struct ta_floor_cpu {
	double syscall_ns; /* getppid(2): the least that any costs */
	double switch_ns;  /* from one thread to another on the same CPU, by futex */
};

/* All: 0 or -errno with the text. `budget_ns` is about how long it takes. */
int ta_floor_loopback(uint64_t budget_ns, struct ta_floor_loopback *ret, struct ta_err *err);
int ta_floor_memory(struct ta_host *h, unsigned threads, uint64_t budget_ns, struct ta_floor_memory *ret, struct ta_err *err);
int ta_floor_clock(struct ta_host *h, struct ta_floor_clock *ret, struct ta_err *err);
int ta_floor_wake(uint64_t budget_ns, struct ta_floor_wake *ret, struct ta_err *err);
int ta_floor_cpu(uint64_t budget_ns, struct ta_floor_cpu *ret, struct ta_err *err);

/* `dir` NULL: chosen (host/scratch.h). The file is as large as this disk writes in half of the budget, at most 256 MiB. */
int ta_floor_disk(struct ta_host *h, const char *dir, uint64_t budget_ns, const volatile sig_atomic_t *stop,
	struct ta_floor_disk *ret, struct ta_err *err);

/* Measuring began at `begin` with `budget_ns` to go: also where the CPUs are busy with others, some samples there must be. */
#define TA_FLOOR_LEAST 20
bool ta_floor_goes_on(uint64_t begin, uint64_t now, uint64_t budget_ns, uint64_t n);

/* The CPUs that this process may use: the n-th of them, or -1. And this thread onto one of them (-1: all that it had). */
int ta_floor_cpu_number(unsigned n);
void ta_floor_pin(int cpu);
