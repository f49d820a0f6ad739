/*
 * What drivers say of their interfaces: channels, rings, coalescing, pause,
 * EEE, link modes, offloads, RSS. One netlink dump per message for all
 * interfaces; the ioctl, per interface and message, only where the kernel has
 * no such message.
 */
#pragma once

#include "base/cpuset.h"
#include "nic/features.h"
#include "nic/rss.h"
#include "probe/nicset.h"

enum ta_eth_msg {
	TA_ETH_LINKMODES,
	TA_ETH_CHANNELS,
	TA_ETH_RINGS,
	TA_ETH_COALESCE,
	TA_ETH_PAUSE,
	TA_ETH_EEE,
	TA_ETH_FEATURES,
	TA_ETH_RSS,
	TA_ETH_N_MSGS,
};

/* Plain numbers; each has one row in ta_eth_rows. */
enum ta_eth_value {
	TA_ETH_V_CHANNELS_RX_MAX,
	TA_ETH_V_CHANNELS_TX_MAX,
	TA_ETH_V_CHANNELS_OTHER_MAX,
	TA_ETH_V_CHANNELS_COMBINED_MAX,
	TA_ETH_V_CHANNELS_RX,
	TA_ETH_V_CHANNELS_TX,
	TA_ETH_V_CHANNELS_OTHER,
	TA_ETH_V_CHANNELS_COMBINED,
	TA_ETH_V_RINGS_RX_MAX,
	TA_ETH_V_RINGS_TX_MAX,
	TA_ETH_V_RINGS_RX,
	TA_ETH_V_RINGS_TX,
	TA_ETH_V_RX_USECS,
	TA_ETH_V_RX_FRAMES,
	TA_ETH_V_TX_USECS,
	TA_ETH_V_TX_FRAMES,
	TA_ETH_V_ADAPTIVE_RX,
	TA_ETH_V_ADAPTIVE_TX,
	TA_ETH_V_PAUSE_AUTONEG,
	TA_ETH_V_PAUSE_RX,
	TA_ETH_V_PAUSE_TX,
	TA_ETH_V_EEE_ACTIVE,
	TA_ETH_V_EEE_ENABLED,
	TA_ETH_N_VALUES,
};

/* One number in both transports, and the fact that it becomes. */
struct ta_eth_row {
	enum ta_eth_value value;
	enum ta_eth_msg msg;
	uint16_t attr;      /* of the netlink reply */
	uint8_t attr_bytes; /* 1 or 4 */
	uint8_t word;       /* of the ioctl's structure, the command being word 0 */
	bool is_bool;
	bool zero_unsure;      /* the ioctl writes 0 for "cannot" too */
	enum ta_eth_value max; /* itself, or the value that is 0 in the ioctl's answer where this
				  one is not supported */
	const char *path[3];   /* below nics.NAME */
};
extern const struct ta_eth_row ta_eth_rows[TA_ETH_N_VALUES];

struct ta_eth_rss {
	struct ta_cpuset queues; /* that have a slot in the indirection table */
	int64_t slots;           /* of the table */
	int64_t fewest, most;    /* slots of one of these queues */
	int64_t key_bytes;
	int64_t hfunc; /* bit mask: 1 toeplitz, 2 xor, 4 crc32; 0 not told */
};

struct ta_ethtool {
	int rc[TA_ETH_N_MSGS]; /* 0: answered; -EOPNOTSUPP: the driver cannot; -ENODATA: not in this
				  capture … */
	struct ta_val v[TA_ETH_N_VALUES];
	struct ta_val autoneg, speed_mbps, duplex; /* duplex: 0 half, 1 full */
	struct ta_val advertised_max_mbps, supported_max_mbps, peer_max_mbps;
	struct ta_eth_features features;
	struct ta_eth_rss rss;
};

struct ta_ethtools {
	struct ta_ethtool *v; /* one for each of set.links */
	size_t n;
	struct ta_eth_names names;
};

#define ta_cleanup_ethtools ta_cleanup(ta_ethtools_done)

/* 0 or -ENOMEM; what could not be read says so in rc[]. */
int ta_ethtools_read(struct ta_host *h, const struct ta_nicset *set, struct ta_ethtools *ret);
void ta_ethtools_done(struct ta_ethtools *e);

/* --- decoders of untrusted bytes --------------------------------------------- */

struct nlmsghdr;

/* The interface that a reply is about: its index, 0 if it does not say. */
int ta_eth_decode_header(const struct nlmsghdr *nlh);
/* A reply to `msg` into `e`. 0, 1 (another context or command: ignored), -EBADMSG, -ENOMEM. */
int ta_eth_decode(enum ta_eth_msg msg, const struct nlmsghdr *nlh, const struct ta_eth_names *names,
	struct ta_ethtool *e);
/* The indirection table as an array of queue numbers. 0 or -ENOMEM, -EBADMSG (a queue number that
 * cannot be). */
int ta_eth_take_table(const uint32_t *table, size_t n, struct ta_eth_rss *ret);
/* What a driver told of its hash. As above. */
int ta_eth_take_rss(const struct ta_nic_rss *rss, struct ta_eth_rss *ret);

/*
 * What the command prints with -l, -g, -c, -a, -k, -x, --show-eee or no option. Names of features are added to `names`.
 * 0, -EOPNOTSUPP or -EPERM (it says so), -EBADMSG (nothing understood), -ENOMEM.
 */
int ta_eth_parse_text(enum ta_eth_msg msg, const char *text, struct ta_eth_names *names, struct ta_ethtool *e);

/* --- the transports -------------------------------------------------------------- */

int ta_eth_netlink(struct ta_host *h, const struct ta_nicset *set, struct ta_ethtools *e,
	int rc_msg[TA_ETH_N_MSGS]);
void ta_eth_ioctl(struct ta_host *h, const char *ifname, enum ta_eth_msg msg,
	struct ta_ethtools *all, struct ta_ethtool *e);

/* From the command's output in a capture, where there is one. */
void ta_eth_from_text(struct ta_host *h, const char *ifname, enum ta_eth_msg msg,
	struct ta_ethtools *all, struct ta_ethtool *e);
/* The output itself: `option` is "-i". 0 or -errno. */
int ta_eth_text(struct ta_host *h, const char *ifname, const char *option, struct ta_buf *ret);

/* Appends it with blanks for the no-break spaces (U+00A0) that mail programs and web pages make of some. */
void ta_eth_plain_text(const char *text, struct ta_buf *ret);
