/*
 * Which CPUs there are and which of them share a core or a package.
 *
 * Which source wins, in this order:
 *   online   1. /sys/devices/system/cpu/online
 *            2. the cpuN directories and their `online` files (kernels before 2.6.28, trees that lack the list)
 *            3. the cpuN lines of /proc/stat, which are of online CPUs only
 *            4. /proc/cpuinfo
 *            5. the columns of /proc/interrupts, one per online CPU (kernel/irq/proc.c)
 *   cores    1. smt/active 0: no core has two threads online (kernel/cpu.c, sched_smt_active()); where an
 *               architecture never filled its topology in, sibling lists are a default that says "all of them"
 *            2. topology/core_cpus_list, thread_siblings_list, or the masks
 *            3. package and core_id  4. the ids in /proc/cpuinfo
 *   package  1. topology/physical_package_id  2. "physical id" in /proc/cpuinfo; −1 is "not known"
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"
#include "host/host.h"

/* 0 and where it is from (a static text), or -errno of the last source. */
int ta_cpus_online(struct ta_host *h, struct ta_cpuset *ret, const char **source);

struct ta_topology {
	struct ta_cpuset online;
	size_t n;      /* online CPUs; the vectors below have one entry for each, in rising order */
	unsigned *cpu;
	int64_t *core;    /* the lowest online CPU of the same core */
	int64_t *package; /* the kernel's number, any size, with holes */
	bool has_cores;
	bool has_packages;
	char no_cores[160]; /* why not; "" if has_cores */
	char no_packages[160];
	int smt_active; /* 0, 1, or −1: the kernel does not say */
};

#define TA_TOPOLOGY_INIT {.smt_active = -1}
#define ta_cleanup_topology ta_cleanup(ta_topology_done)

/* 0 or -ENOMEM; t->online must be filled. */
int ta_topology_read(struct ta_host *h, struct ta_topology *t);

/* The place of `cpu` in the vectors, or −1. */
long ta_topology_index(const struct ta_topology *t, unsigned cpu);

unsigned ta_topology_cores(const struct ta_topology *t);                            /* distinct cores */
void ta_topology_threads(const struct ta_topology *t, unsigned *min, unsigned *max); /* online threads per core */
unsigned ta_topology_packages(const struct ta_topology *t);                         /* distinct packages */

void ta_topology_done(struct ta_topology *t);
