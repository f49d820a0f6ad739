/*
 * Queueing disciplines below the root ones: one RTM_GETQDISC dump for all interfaces.
 */
#pragma once

#include "base/strv.h"
#include "host/host.h"

struct ta_qdisc {
	int ifindex;
	char kind[32];
};

struct ta_qdiscs {
	struct ta_qdisc *v; /* each kind once per interface, in the kernel's order */
	size_t n, cap;
};

#define TA_QDISCS_INIT                                                                             \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_qdiscs ta_cleanup(ta_qdiscs_done)

int ta_qdiscs_netlink(struct ta_host *h, struct ta_qdiscs *ret);

/* One RTM_NEWQDISC message, untrusted; appends what is a leaf. 0, -EBADMSG, -ENOMEM. */
int ta_qdiscs_decode(const struct nlmsghdr *nlh, struct ta_qdiscs *q);

/* Appends the kinds below the root of one interface. */
void ta_qdiscs_of(const struct ta_qdiscs *q, int ifindex, struct ta_strv *ret);

void ta_qdiscs_done(struct ta_qdiscs *q);
