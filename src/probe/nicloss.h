/*
 * What drivers call their losses. Each has names of its own for the same few things; this is the
 * dictionary. A driver that is not in it has counters that mean we do not know what.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum ta_nicloss {
	TA_NICLOSS_RX_MISSED,
	TA_NICLOSS_RX_NO_BUFFER,
	TA_NICLOSS_RX_RING_EMPTY,
	TA_NICLOSS_RX_NO_MEMORY,
	TA_NICLOSS_RX_DRIVER_DROPS,
	TA_NICLOSS_TX_RING_FULL,
	TA_NICLOSS_TX_TIMEOUTS,
	TA_NICLOSS_ALLOWANCE_BW_IN,
	TA_NICLOSS_ALLOWANCE_BW_OUT,
	TA_NICLOSS_ALLOWANCE_PPS,
	TA_NICLOSS_ALLOWANCE_CONNTRACK,
	TA_NICLOSS_ALLOWANCE_LINKLOCAL,
	TA_N_NICLOSS,
};

/* The last key of the fact: "rx_no_buffer". */
extern const char *const ta_nicloss_names[TA_N_NICLOSS];

struct ta_nicloss_driver;

/* By the name that sysfs or ETHTOOL_GDRVINFO gives; NULL: not in the dictionary. */
const struct ta_nicloss_driver *ta_nicloss_driver(const char *name);

/* What the driver means by this counter; `name` without the number of a queue. False: nothing that we
 * have a word for. `d` may be NULL. */
bool ta_nicloss_of(const struct ta_nicloss_driver *d, const char *name, enum ta_nicloss *ret);

/* Has any version of the driver that we know a counter of this kind? */
bool ta_nicloss_has(const struct ta_nicloss_driver *d, enum ta_nicloss which);
