/*
 * Network interfaces as the kernel lists them: one rtnetlink dump for all, or,
 * where a capture holds none, the files of sysfs. Both fill the same structure.
 */
#pragma once

#include "probe/netdev.h"
#include "probe/value.h"

struct nlmsghdr;

/* Counters of struct rtnl_link_stats64 (linux/if_link.h), named as in
 * /sys/class/net/NAME/statistics. */
enum ta_link_counter {
	TA_LINK_RX_PACKETS,
	TA_LINK_TX_PACKETS,
	TA_LINK_RX_BYTES,
	TA_LINK_TX_BYTES,
	TA_LINK_RX_ERRORS,
	TA_LINK_TX_ERRORS,
	TA_LINK_RX_DROPPED,
	TA_LINK_TX_DROPPED,
	TA_LINK_RX_LENGTH_ERRORS,
	TA_LINK_RX_OVER_ERRORS,
	TA_LINK_RX_CRC_ERRORS,
	TA_LINK_RX_FRAME_ERRORS,
	TA_LINK_RX_FIFO_ERRORS,
	TA_LINK_RX_MISSED_ERRORS,
	TA_LINK_TX_CARRIER_ERRORS,
	TA_LINK_COLLISIONS,
	TA_LINK_TX_FIFO_ERRORS,
	TA_LINK_RX_NOHANDLER,
	TA_N_LINK_COUNTERS,
};
extern const char *const ta_link_counter_names[TA_N_LINK_COUNTERS];

struct ta_link {
	char *name;
	char kind[32];  /* IFLA_INFO_KIND: "veth", "bond" …, "" for hardware */
	char qdisc[32]; /* root queueing discipline; "" if not told */
	int rc_qdisc;   /* why it is not told */
	int master;     /* ifindex of the bond or bridge it belongs to; 0: none; -1: not told */
	int lower;      /* ifindex below a VLAN or macvlan in this namespace; 0: none */
	bool surplus;   /* one of very many virtual ones: no more is asked than what it is */
	char *parent;   /* bus address of its device (IFLA_PARENT_DEV_NAME, 5.14); NULL */
	struct ta_val ifindex;
	struct ta_val type;      /* ARPHRD_* */
	struct ta_val flags;     /* IFF_* */
	struct ta_val operstate; /* IF_OPER_* */
	struct ta_val mtu, txqueuelen, carrier_changes;
	struct ta_val counters[TA_N_LINK_COUNTERS];
};

struct ta_links {
	struct ta_link *v; /* in natural order of names */
	size_t n, cap;
	struct ta_link **by_index; /* the same, in order of ifindex; from rtnetlink only */
	bool torn;                 /* the dump was interrupted: members may be missing */
};

#define TA_LINKS_INIT                                                                              \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_links ta_cleanup(ta_links_done)

/* One RTM_GETLINK dump. 0 or -errno; -ENODATA: not in this capture. */
int ta_links_netlink(struct ta_host *h, struct ta_links *ret);

/* From sysfs, for the interfaces of `devs`. */
int ta_links_sysfs(struct ta_host *h, const struct ta_netdevs *devs, struct ta_links *ret);

/* One RTM_NEWLINK message, untrusted; appends. 0, -EBADMSG (no name or index), -ENOMEM. */
int ta_links_decode(const struct nlmsghdr *nlh, struct ta_links *links);

/* Is it of a kind that has members (they name it as their master)? */
bool ta_link_has_members(const struct ta_link *l);

const struct ta_link *ta_links_by_index(const struct ta_links *links, int ifindex);

/* Appends an interface of which nothing is known yet; NULL: out of memory. */
struct ta_link *ta_links_add(struct ta_links *links, const char *name, size_t len);

/* Puts them in order, drops doubles and fills by_index. 0 or -ENOMEM. */
int ta_links_sort(struct ta_links *links);

void ta_links_done(struct ta_links *links);
