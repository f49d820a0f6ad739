/*
 * Counters that drivers keep for themselves (ETHTOOL_GSTATS, `ethtool -S`): those that tell of lost
 * packets.
 *
 * Many drivers count a thing per queue and in total. The total is kept where there is one, else the
 * sum of the queues.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "host/host.h"
#include "probe/nicloss.h"

struct ta_nicstat {
	char *name; /* "rx_queue_drops" for all of rx_queue_0_drops, rx_queue_1_drops … */
	uint64_t value;
	bool is_total; /* the driver's, not our sum */
};

struct ta_nicstats {
	struct ta_nicstat *v; /* in the driver's order of first appearance */
	size_t n, cap;
	const struct ta_nicloss_driver *driver; /* whose words are kept as well; NULL */
};

#define TA_NICSTATS_INIT                                                                           \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_nicstats ta_cleanup(ta_nicstats_done)

/* `driver`: see above. 0, -EOPNOTSUPP (the driver has none), or why not. */
int ta_nicstats_read(struct ta_host *h, const char *ifname, const struct ta_nicloss_driver *driver,
	struct ta_nicstats *ret);
void ta_nicstats_done(struct ta_nicstats *s);

/* Adds one counter if its name is of the kind or a word of the driver; sums stop at 2^64-1. 0 or
 * -ENOMEM. */
int ta_nicstats_add(struct ta_nicstats *s, const char *name, size_t len, uint64_t value);

/* The command's output. 0, -EOPNOTSUPP (it has none), -ENOMEM. */
int ta_nicstats_parse_text(const char *text, struct ta_nicstats *ret);
