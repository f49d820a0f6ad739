/*
 * The interfaces of this network namespace with what sysfs knows of each: the
 * start of every probe of nics.NAME.
 */
#pragma once

#include "probe/link.h"

/*
 * Containers' interfaces can be ten thousand; what drivers and queues say of them is their affair, and
 * would take minutes and gigabytes. After this many virtual interfaces the others are `surplus`.
 */
#define TA_NICSET_VIRTUAL 256
#define TA_NICSET_SURPLUS "one of very many virtual interfaces"

struct ta_nicset {
	struct ta_links links;
	struct ta_netdevs devs;
	int rc_devs;        /* why sysfs does not tell */
	bool from_netlink;  /* `links` is rtnetlink's list, else made from sysfs */
	bool sysfs_differs; /* it has other names: to be believed only where the index agrees */
};

/* 0, or why neither rtnetlink nor sysfs lists interfaces. */
int ta_nicset_read(struct ta_host *h, struct ta_nicset *ret);
void ta_nicset_done(struct ta_nicset *set);

/* The sysfs side of a link; NULL if there is none, or if this /sys shows another namespace's
 * interface of that name. */
const struct ta_netdev *ta_nicset_device(
	const struct ta_nicset *set, struct ta_host *h, const struct ta_link *l);

struct ta_facts;

/* True for a surplus one, of which probes other than nic say nothing more than that. */
bool ta_nicset_put_surplus(struct ta_facts *f, const struct ta_link *l);

/* One probe's facts of nics.NAME, which is an object by then. `d`: ta_nicset_device(). */
typedef void ta_nic_put_fn(struct ta_host *h, struct ta_facts *f, const struct ta_link *l, const struct ta_netdev *d);

/* `put` for every interface that is not surplus; or why there is none. */
void ta_nicset_put_each(struct ta_host *h, struct ta_facts *f, ta_nic_put_fn *put);

/* 1 hardware (a virtual machine's too), 0 not, -1 not told. */
int ta_nic_is_physical(const struct ta_link *l, const struct ta_netdev *d);
