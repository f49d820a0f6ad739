/*
 * What of a host limits how many connections there can be: descriptors, files, memory, processes, ports. Read through
 * the door; the arithmetic with it is in hold/plan.h and ports.h.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

#define TA_ROOM_UNLIMITED UINT64_MAX

struct ta_room {
	uint64_t descriptors; /* that a process may have: the hard limit, /proc/self/limits */
	uint64_t files_max, files_used; /* of all processes: fs.file-max, file-nr */
	uint64_t memory; /* bytes that are left: MemAvailable, or less where a cgroup says so */
	bool memory_by_cgroup;
	uint64_t tasks; /* processes and threads that may still begin: pid_max, threads-max, the cgroup's pids.max */
	unsigned port_low, port_high; /* ip_local_port_range of this network namespace */
	unsigned ports; /* in it, without ip_local_reserved_ports */
	unsigned somaxconn;
	unsigned tw_reuse; /* net.ipv4.tcp_tw_reuse: 0 never, 1 always, 2 on loopback; 0 too without timestamps */
	uint64_t conntrack_max, conntrack_used; /* 0: connections are not tracked */
};

/* What cannot be read counts as unlimited; ports then are the kernel's default. 0 or -ENOMEM. */
int ta_room_read(struct ta_host *h, struct ta_room *ret);

/* How many of `list` ("8080,9000-9100", as the kernel prints it) are from `low` to `high`. */
unsigned ta_room_reserved(const char *list, unsigned low, unsigned high);
