/*
 * ethtool over generic netlink (Documentation/networking/ethtool-netlink.rst).
 *
 * An attribute that is missing in a reply means that the device does not
 * support it, never zero. Bitsets are asked for in compact form, as words of
 * 32 bits, and their names once for all devices.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <stdlib.h>
#include <string.h>

#include "nic/abi.h"
#include "nic/attr.h"
#include "nic/rss.h"
#include "probe/ethtool.h"
#include "probe/linkmode.h"

#define SPEED_UNKNOWN 0xffffffffu

static const struct {
	const char *key; /* in a capture */
	uint8_t request, reply;
} messages[TA_ETH_N_MSGS] = {
	[TA_ETH_LINKMODES] = {"ethtool/linkmodes", TA_ETH_LINKMODES_GET,
		TA_ETH_LINKMODES_GET_REPLY},
	[TA_ETH_CHANNELS] = {"ethtool/channels", TA_ETH_CHANNELS_GET, TA_ETH_CHANNELS_GET_REPLY},
	[TA_ETH_RINGS] = {"ethtool/rings", TA_ETH_RINGS_GET, TA_ETH_RINGS_GET_REPLY},
	[TA_ETH_COALESCE] = {"ethtool/coalesce", TA_ETH_COALESCE_GET, TA_ETH_COALESCE_GET_REPLY},
	[TA_ETH_PAUSE] = {"ethtool/pause", TA_ETH_PAUSE_GET, TA_ETH_PAUSE_GET_REPLY},
	[TA_ETH_EEE] = {"ethtool/eee", TA_ETH_EEE_GET, TA_ETH_EEE_GET_REPLY},
	[TA_ETH_FEATURES] = {"ethtool/features", TA_ETH_FEATURES_GET, TA_ETH_FEATURES_GET_REPLY},
	[TA_ETH_RSS] = {"ethtool/rss", TA_ETH_RSS_GET, TA_ETH_RSS_GET_REPLY},
};

/* --- attributes ------------------------------------------------------------------ */

static struct ta_val number(const struct nlattr *a, size_t bytes)
{
	struct ta_val val = {0};

	val.rc = ta_nic_attr_number(a, bytes, &val.v);
	return val;
}

int ta_eth_decode_header(const struct nlmsghdr *nlh)
{
	const struct nlattr *a;
	struct ta_val index;

	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(struct genlmsghdr))
		return 0;
	a = ta_nic_attr_genl(nlh, TA_ETH_A_HEADER);
	a = a ? ta_nic_attr_nested(a, TA_ETH_A_HEADER_DEV_INDEX) : NULL;
	if (!a)
		return 0;
	index = number(a, 4);
	return index.rc || index.v > INT32_MAX ? 0 : (int)index.v;
}

/* --- messages -------------------------------------------------------------------- */

static void decode_rows(enum ta_eth_msg msg, const struct nlmsghdr *nlh, struct ta_ethtool *e)
{
	for (size_t i = 0; i < TA_ETH_N_VALUES; i++) {
		const struct nlattr *a =
			ta_eth_rows[i].msg == msg ? ta_nic_attr_genl(nlh, ta_eth_rows[i].attr) : NULL;

		if (a)
			e->v[i] = number(a, ta_eth_rows[i].attr_bytes);
	}
}

static struct ta_val max_mode(
	const struct nlattr *bitset, unsigned part, const struct ta_eth_names *names)
{
	uint32_t words[16];
	size_t n = ta_nic_attr_bits(bitset, part, words, TA_ARRAY_SIZE(words));
	int64_t speed = ta_linkmode_max(words, n, names->link_modes.v, names->link_modes.n);

	return speed ? (struct ta_val){.v = speed} : (struct ta_val){.rc = -EOPNOTSUPP};
}

static void decode_linkmodes(
	const struct nlmsghdr *nlh, const struct ta_eth_names *names, struct ta_ethtool *e)
{
	const struct nlattr *a;

	a = ta_nic_attr_genl(nlh, TA_ETH_A_LINKMODES_AUTONEG);
	if (a)
		e->autoneg = number(a, 1);
	a = ta_nic_attr_genl(nlh, TA_ETH_A_LINKMODES_SPEED);
	if (a)
		e->speed_mbps = number(a, 4);
	/* Unknown: no link, or a virtual machine's NIC that has none. */
	if (e->speed_mbps.rc == 0 && (e->speed_mbps.v == SPEED_UNKNOWN || e->speed_mbps.v == 0))
		e->speed_mbps.rc = -EOPNOTSUPP;
	a = ta_nic_attr_genl(nlh, TA_ETH_A_LINKMODES_DUPLEX);
	if (a)
		e->duplex = number(a, 1);
	if (e->duplex.rc == 0 && e->duplex.v > 1)
		e->duplex.rc = -EOPNOTSUPP;
	a = ta_nic_attr_genl(nlh, TA_ETH_A_LINKMODES_OURS);
	if (a) {
		e->advertised_max_mbps = max_mode(a, TA_ETH_A_BITSET_VALUE, names);
		e->supported_max_mbps = max_mode(a, TA_ETH_A_BITSET_MASK, names);
	}
	a = ta_nic_attr_genl(nlh, TA_ETH_A_LINKMODES_PEER);
	if (a)
		e->peer_max_mbps = max_mode(a, TA_ETH_A_BITSET_VALUE, names);
}

static int decode_rss(const struct nlmsghdr *nlh, struct ta_ethtool *e)
{
	ta_cleanup_nic_rss struct ta_nic_rss rss = TA_NIC_RSS_INIT;
	int rc = ta_nic_rss_decode(nlh, &rss);

	return rc != 0 ? rc : ta_eth_take_rss(&rss, &e->rss);
}

int ta_eth_decode(enum ta_eth_msg msg, const struct nlmsghdr *nlh, const struct ta_eth_names *names,
	struct ta_ethtool *e)
{
	int rc = 0;

	if (!ta_nic_is_reply(nlh, messages[msg].reply))
		return 1;
	if (msg == TA_ETH_LINKMODES)
		decode_linkmodes(nlh, names, e);
	else if (msg == TA_ETH_FEATURES)
		ta_eth_features_decode(nlh, &e->features);
	else if (msg == TA_ETH_RSS)
		rc = decode_rss(nlh, e);
	else
		decode_rows(msg, nlh, e);
	if (rc <= 0)
		e->rc[msg] = rc;
	return rc;
}

/* --- requests ------------------------------------------------------------------------- */

struct u32_attr {
	struct nlattr head;
	uint32_t v;
};

struct dump {
	enum ta_eth_msg msg;
	const struct ta_nicset *set;
	struct ta_ethtools *all;
};

static int on_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct dump *d = ctx;
	const struct ta_link *l = ta_links_by_index(&d->set->links, ta_eth_decode_header(nlh));
	int rc;

	/* It came after the list was made, or says nothing of whom it is. */
	if (!l)
		return 0;
	rc = ta_eth_decode(d->msg, nlh, &d->all->names, &d->all->v[l - d->set->links.v]);
	return rc == -ENOMEM ? rc : 0;
}

static int ask_all(struct ta_host *h, const struct ta_nicset *set, enum ta_eth_msg msg,
	struct ta_ethtools *all)
{
	struct {
		struct nlattr header;
		struct u32_attr flags;
	} attrs = {
		.header = {sizeof(attrs), TA_ETH_A_HEADER | NLA_F_NESTED},
		.flags = {{sizeof(attrs.flags), TA_ETH_A_HEADER_FLAGS},
			TA_ETH_FLAG_COMPACT_BITSETS},
	};
	struct ta_genl request = {
		.family = "ethtool",
		.cmd = messages[msg].request,
		.version = 1,
		.flags = NLM_F_DUMP,
		.attrs = &attrs,
		.attrs_len = sizeof(attrs),
	};
	struct dump d = {msg, set, all};

	return ta_host_genl(h, messages[msg].key, &request, on_reply, &d);
}

int ta_eth_netlink(struct ta_host *h, const struct ta_nicset *set, struct ta_ethtools *e,
	int rc_msg[TA_ETH_N_MSGS])
{
	int rc = ta_eth_ask_strings(h, &e->names);

	if (rc == -ENOMEM)
		return rc;
	for (size_t m = 0; m < TA_ETH_N_MSGS; m++) {
		rc_msg[m] = ask_all(h, set, (enum ta_eth_msg)m, e);
		if (rc_msg[m] == -ENOMEM)
			return -ENOMEM;
		for (size_t i = 0; i < e->n && rc_msg[m] < 0; i++)
			if (e->v[i].rc[m] < 0)
				e->v[i].rc[m] = rc_msg[m];
	}
	return 0;
}
