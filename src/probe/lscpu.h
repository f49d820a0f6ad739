/*
 * The output of lscpu in other people's captures (a sosreport, a script's
 * extra/ folder): used where the tree lacks the files that lscpu read.
 */
#pragma once

#include <stdbool.h>

#include "host/host.h"

struct ta_lscpu {
	unsigned cpus, threads_per_core, cores_per_socket, sockets, nodes; /* 0: not said */
	char model[128];
	char arch[32];
	char hypervisor[32]; /* vendor, as lscpu writes it: "KVM" */
};

/* The bytes of the output; what makes no sense is passed over. */
void ta_lscpu_parse(const char *text, size_t len, struct ta_lscpu *ret);

/* True if the host is a capture with such an output. A live machine is never asked. */
bool ta_lscpu_read(struct ta_host *h, struct ta_lscpu *ret);

/* True if the counts fit `online` CPUs, all cores alike: only then do they say how many cores there are. */
bool ta_lscpu_is_uniform(const struct ta_lscpu *l, unsigned online);
