/*
 * The output of lscpu in other people's captures (a sosreport, a script's
 * extra/ folder): used where the tree lacks the files that lscpu read.
 */
#pragma once

#include <stdbool.h>

#include "base/cpuset.h"
#include "host/host.h"

/* 0: not said. Where cores differ there is a block of counts for each type. */
struct ta_lscpu {
	unsigned cpus, nodes;
	unsigned sockets;                  /* of the type that is in most */
	unsigned cores, threads;           /* of all types together; threads as if none were offline */
	unsigned min_threads, max_threads; /* of a core, by its type */
	char model[128];
	char arch[32];
	char hypervisor[32]; /* vendor, as lscpu writes it: "KVM" */
};

/* The bytes of the output; what makes no sense is passed over. */
void ta_lscpu_parse(const char *text, size_t len, struct ta_lscpu *ret);

/* True if the host is a capture with such an output. A live machine is never asked. */
bool ta_lscpu_read(struct ta_host *h, struct ta_lscpu *ret);

/* True if that many CPUs can be online with these cores; else the counts contradict each other. */
bool ta_lscpu_fits(const struct ta_lscpu *l, unsigned online);

/*
 * The CPUs that a line of such an output lists: "On-line CPU(s) list", "NUMA node0 CPU(s)".
 * -ENOENT: no output, or no such line.
 */
int ta_lscpu_list(struct ta_host *h, const char *key, struct ta_cpuset *ret);
