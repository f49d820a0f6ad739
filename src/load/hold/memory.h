/*
 * What connections take: in processes by their proportional set size, in the kernel by its slab caches.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "host/host.h"

#define TA_HOLD_CACHES 512u

struct ta_hold_cache {
	char name[28];
	uint64_t objects; /* in use */
	double bytes; /* of memory that one takes: a slab's pages over its objects */
};

struct ta_hold_kernel {
	uint64_t slab, other; /* bytes: Slab; kernel stacks, page tables, vmalloc, per-CPU memory (/proc/meminfo) */
	uint64_t buffers; /* bytes of TCP's buffers (/proc/net/sockstat) */
	unsigned n_caches; /* 0: /proc/slabinfo is for root */
	struct ta_hold_cache caches[TA_HOLD_CACHES];
};

/*
 * Bytes of processes. Pss shares what several have among them; that of program files falls when somebody else starts
 * the same libraries, so what is their own is told apart.
 */
struct ta_hold_user {
	uint64_t pss;
	uint64_t own; /* of it, what is in no file: anonymous and shared memory; 0 where the kernel does not say (before 5.4) */
};

/* Adds those of a process: /proc/PID/smaps_rollup, or smaps where that is not there (before 4.14). 0 or -errno. */
int ta_hold_user_add(struct ta_host *h, pid_t pid, struct ta_hold_user *sum);

/* What came between: the growth of Pss or of what is their own, whichever is more. */
uint64_t ta_hold_user_grown(const struct ta_hold_user *from, const struct ta_hold_user *to);

/* Lines of /proc/slabinfo and /proc/meminfo; what cannot be read stays 0. */
void ta_hold_kernel_read(struct ta_host *h, struct ta_hold_kernel *ret);

/*
 * Bytes that `n` connections took between two readings. By the caches of which there is an object to each connection or
 * more: what else the machine did is in none of them. Without slabinfo by the growth of all. *ret_by_caches says which.
 */
double ta_hold_kernel_grown(const struct ta_hold_kernel *from, const struct ta_hold_kernel *to, uint64_t n, bool *ret_by_caches);

/* How many objects of to->caches[cache] came to a connection, 0 for one that has nothing to do with them. */
double ta_hold_cache_each(const struct ta_hold_kernel *from, const struct ta_hold_kernel *to, unsigned cache, uint64_t n);
