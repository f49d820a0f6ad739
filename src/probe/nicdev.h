/*
 * What an interface is and what stands behind it: the device's part of nics.NAME.
 */
#pragma once

#include "probe/link.h"

struct ta_nicdev {
	struct ta_host *h;
	struct ta_facts *f;
	bool from_netlink;     /* the links come from rtnetlink, which tells their kind */
	struct ta_val n_nodes; /* NUMA nodes online */
};

/* subject, driver, bus, pcie, usb_mbps, numa_node. `d` may be NULL: nothing known in sysfs. */
void ta_nicdev_put(struct ta_nicdev *n, const struct ta_link *l, const struct ta_netdev *d);

/* physical, kind. */
void ta_nicdev_put_kind(struct ta_nicdev *n, const struct ta_link *l, const struct ta_netdev *d);

/* What stands behind the last '/'. */
const char *ta_last_component(const char *path);
