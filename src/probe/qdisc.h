/*
 * Queueing disciplines: one RTM_GETQDISC dump for all interfaces. Those that the kernel made for itself
 * (noqueue) are not in it, nor is any loaded by asking (net/sched/sch_api.c tc_dump_qdisc()).
 */
#pragma once

#include "base/strv.h"
#include "host/host.h"
#include "probe/value.h"

struct ta_qdisc {
	int ifindex;
	bool is_root; /* else below one */
	char kind[32];
	struct ta_val limit; /* packets that it holds; -EOPNOTSUPP: of this kind it is not told */
	/* Of struct gnet_stats_queue (linux/gen_stats.h); a root like mq gives the sum of what is below it. 32 bits. */
	struct ta_val drops, overlimits, requeues, qlen, backlog_bytes;
};

struct ta_qdiscs {
	struct ta_qdisc *v; /* in order of ifindex, within it in the kernel's */
	size_t n, cap;
};

#define TA_QDISCS_INIT                                                                             \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_qdiscs ta_cleanup(ta_qdiscs_done)

int ta_qdiscs_netlink(struct ta_host *h, struct ta_qdiscs *ret);

/* One RTM_NEWQDISC message, untrusted; appends. Ingress ones are left out. 0, -EBADMSG, -ENOMEM. */
int ta_qdiscs_decode(const struct nlmsghdr *nlh, struct ta_qdiscs *q);

/* Puts them in the order that the two below need. */
void ta_qdiscs_sort(struct ta_qdiscs *q);

/* The root one of an interface; NULL: none. */
const struct ta_qdisc *ta_qdiscs_root(const struct ta_qdiscs *q, int ifindex);

/* Appends the kinds below the root of one interface, each once, and the smallest limit of those; -ENOENT: there are none. */
void ta_qdiscs_leaves(const struct ta_qdiscs *q, int ifindex, struct ta_strv *kinds, struct ta_val *ret_limit);

void ta_qdiscs_done(struct ta_qdiscs *q);
