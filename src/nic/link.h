/*
 * One interface as rtnetlink knows it: what makes it that one and no other, and what is set through rtnetlink.
 */
#pragma once

#include <net/if.h>
#include <stdint.h>

#include "host/host.h"

struct nlmsghdr;

struct ta_nic_link {
	int ifindex;
	char name[IFNAMSIZ];
	char parent[64];   /* its device's name, "0000:01:00.0", "virtio0"; "" for virtual ones, and before 5.14 */
	char mac[64];	   /* "52:54:00:12:34:56"; "" for those without */
	char permanent[64]; /* the address it was made with (IFLA_PERM_ADDRESS, 5.6); "" where that is not told */
	int64_t txqueuelen; /* -1: not told */
	char kind[32];	   /* "veth", "bond" …; "" for hardware */
};

/*
 * True for a name that an interface may have (net/core/dev.c: dev_valid_name()) and that can stand in a text: 1 to 15
 * bytes, no '/', ':', blanks and control characters, not "." or "..".
 */
bool ta_nic_name_valid(const char *name, size_t len);

/* By its name. 0, -ENODEV, or what the door said. */
int ta_nic_link_read(struct ta_host *h, const char *name, struct ta_nic_link *ret);

/* Each of them to `fn`; a negative return stops and is returned. */
int ta_nic_links_each(struct ta_host *h, int (*fn)(const struct ta_nic_link *link, void *ctx), void *ctx);

/* One RTM_NEWLINK message, untrusted. 0, -ENOMSG (another kind of message), -EBADMSG (no index or no valid name). */
int ta_nic_link_decode(const struct nlmsghdr *nlh, struct ta_nic_link *ret);

/*
 * True if /sys/class/net/NAME is this interface, and not one of that name of another network namespace whose /sys is
 * mounted here.
 */
bool ta_nic_link_in_sysfs(struct ta_host *h, const struct ta_nic_link *link);
