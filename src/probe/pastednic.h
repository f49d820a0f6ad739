/*
 * Which interfaces there are, by outputs of ip and ethtool in a capture: the
 * structure that rtnetlink fills. A live host has none of it.
 */
#pragma once

#include "probe/link.h"

/* The interfaces: as ip printed them, else those that ethtool was asked about. 0, -ENOENT,
 * -EBADMSG, -ENOMEM. */
int ta_pastednic_links(struct ta_host *h, struct ta_links *ret);

/* What `ethtool -i` adds of those whose device `devs` does not know: its address, or that there is none. 0 or -ENOMEM. */
int ta_pastednic_devices(struct ta_host *h, const struct ta_netdevs *devs, struct ta_links *links);
