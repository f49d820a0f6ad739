/*
 * Which queues an interrupt serves, from the generic netlink family "netdev"
 * (Documentation/netlink/specs/netdev.yaml; NAPI and queue dumps since 6.8).
 * Few drivers tell; it settles what a vector's name does not say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/host.h"

struct ta_napi {
	uint32_t id;
	unsigned irq; /* 0: not told */
	int ifindex;
	int rx, tx; /* lowest queue of each direction; -1: none */
};

struct ta_napis {
	struct ta_napi *v; /* in order of id while being read, of irq afterwards */
	size_t n, cap;
};

#define TA_NAPIS_INIT                                                                              \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_napis ta_cleanup(ta_napis_done)

/* 0, -EOPNOTSUPP (an older kernel), -ENODATA (not in this capture) … */
int ta_napis_read(struct ta_host *h, struct ta_napis *ret);
void ta_napis_done(struct ta_napis *n);

const struct ta_napi *ta_napis_by_irq(const struct ta_napis *n, unsigned irq); /* NULL: none */

/* Replies to NAPI_GET and QUEUE_GET, untrusted; queues after their NAPIs. 0 or -ENOMEM. */
int ta_napis_decode_napi(const struct nlmsghdr *nlh, struct ta_napis *n);
int ta_napis_decode_queue(const struct nlmsghdr *nlh, struct ta_napis *n);
/* Between the two, and after: brings the array into order. */
void ta_napis_sort_by_id(struct ta_napis *n);
void ta_napis_sort_by_irq(struct ta_napis *n);
