/*
 * What the machine did during a run, from counters read before and after: so that a result can say what bound it.
 * /proc/stat, /proc/net/netstat, /proc/net/snmp, /proc/net/softnet_stat, thermal_throttle and cpufreq of sysfs.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

#define TA_WATCH_CPUS 1024

struct ta_watch_cpu {
	uint64_t user, system, softirq, irq, steal, idle; /* USER_HZ ticks; user with nice, idle with iowait */
	uint64_t core_throttled; /* thermal events */
	uint64_t khz;
};

struct ta_watch_sample {
	unsigned n_cpus; /* highest CPU number + 1 */
	struct ta_watch_cpu cpu[TA_WATCH_CPUS];
	bool has_netstat, has_snmp, has_softnet;
	uint64_t listen_overflows, listen_drops, retransmits, softnet_dropped, time_squeeze;
};

/* Reads through the door; what is not there stays 0 with its has_… false. 0 or -ENOMEM. */
int ta_watch_read(struct ta_host *h, struct ta_watch_sample *ret);

/*
 * Counters by name from a file of two lines to a table, names and values: those in `wanted` (ended by NULL) into
 * *ret[…]; one that this kernel does not have stays. False: there is no such table.
 */
bool ta_watch_table(struct ta_host *h, const char *path, const char *prefix, const char *const *wanted, uint64_t *const *ret);

/* Shares are of all the time of that CPU between two samples, 0 … 1; 0 where no time passed. */
struct ta_watch_share {
	double busy, softirq, steal;
};

struct ta_watch_share ta_watch_share(const struct ta_watch_sample *from, const struct ta_watch_sample *to, unsigned cpu);
