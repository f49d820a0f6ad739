/*
 * Counters that drivers keep for themselves (ETHTOOL_GSTATS, `ethtool -S`): those that tell of lost
 * packets.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"

struct ta_nicstat {
	char *name; /* "rx_queue_drops" for all of rx_queue_0_drops, rx_queue_1_drops … */
	uint64_t value;
};

struct ta_nicstats {
	struct ta_nicstat *v; /* in the driver's order of first appearance */
	size_t n, cap;
};

#define TA_NICSTATS_INIT                                                                           \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_nicstats ta_cleanup(ta_nicstats_done)

int ta_nicstats_read(struct ta_host *h, const char *ifname, struct ta_nicstats *ret);
void ta_nicstats_done(struct ta_nicstats *s);

/* Adds one counter if its name is of the kind; sums stop at 2^64-1. 0 or -ENOMEM. */
int ta_nicstats_add(struct ta_nicstats *s, const char *name, size_t len, uint64_t value);

/* The command's output. 0, -EOPNOTSUPP (it has none), -ENOMEM. */
int ta_nicstats_parse_text(const char *text, struct ta_nicstats *ret);
