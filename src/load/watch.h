/*
 * What the machine did during a run, from counters read before and after: so that a result can say what bound it.
 * /proc/stat, /proc/net/netstat, /proc/net/snmp, /proc/net/softnet_stat, /proc/net/dev, thermal_throttle, cpufreq and
 * the speed of interfaces in sysfs.
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

#define TA_WATCH_LINKS 16

struct ta_watch_link {
	char name[16];
	uint64_t rx_bytes, tx_bytes;
	uint64_t mbit; /* per second; 0: it does not say */
};

struct ta_watch_sample {
	unsigned n_cpus; /* highest CPU number + 1 */
	struct ta_watch_cpu cpu[TA_WATCH_CPUS];
	unsigned n_links; /* network interfaces that are devices */
	struct ta_watch_link links[TA_WATCH_LINKS];
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

/* Adds what grew between two samples. The sum's `khz` are those of `to`. */
void ta_watch_add(struct ta_watch_sample *sum, const struct ta_watch_sample *from, const struct ta_watch_sample *to);

/*
 * While it lasts, some times a second: what an average over the whole time, or a look before and after, does not show.
 */
struct ta_watch_during {
	unsigned looks;
	unsigned n_mhz; /* readings of a clock; 0: this machine does not tell */
	double mhz_sum, mhz_min, mhz_max;
	double softirq; /* the largest share of a CPU's time between two looks */
	unsigned softirq_cpu;
};

/* Only what is looked at meanwhile: CPU times, and the clocks of a few CPUs. 0 or -ENOMEM. */
int ta_watch_glance(struct ta_host *h, struct ta_watch_sample *ret);
void ta_watch_look(struct ta_watch_during *d, const struct ta_watch_sample *from, const struct ta_watch_sample *to);

/* Shares are of all the time of that CPU between two samples, 0 … 1; 0 where no time passed. */
struct ta_watch_share {
	double busy, softirq, steal;
};

struct ta_watch_share ta_watch_share(const struct ta_watch_sample *from, const struct ta_watch_sample *to, unsigned cpu);
