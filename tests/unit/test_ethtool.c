/* Replies of ethtool and rtnetlink, whole and broken; the ioctl's structures. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <libmnl/libmnl.h>
#include <linux/genetlink.h>
#include <linux/if.h>
#include <linux/if_link.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include "probe/ethtool.h"
#include "nic/abi.h"
#include "probe/link.h"
#include "probe/linkmode.h"
#include "probe/napi.h"
#include "probe/qdisc.h"
#include "tree.h"

static char buffer[16384];

static struct nlmsghdr *reply(uint8_t cmd, uint32_t ifindex)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *genl;
	struct nlattr *nest;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	nest = mnl_attr_nest_start(nlh, TA_ETH_A_HEADER);
	mnl_attr_put_u32(nlh, TA_ETH_A_HEADER_DEV_INDEX, ifindex);
	mnl_attr_put_strz(nlh, TA_ETH_A_HEADER_DEV_NAME, "eth0");
	mnl_attr_nest_end(nlh, nest);
	return nlh;
}

static void put_bits(struct nlmsghdr *nlh, uint16_t attr, uint64_t value, uint64_t mask)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, attr);

	mnl_attr_put_u32(nlh, TA_ETH_A_BITSET_SIZE, 64);
	mnl_attr_put(nlh, TA_ETH_A_BITSET_VALUE, sizeof(value), &value);
	mnl_attr_put(nlh, TA_ETH_A_BITSET_MASK, sizeof(mask), &mask);
	mnl_attr_nest_end(nlh, nest);
}

static const struct ta_eth_names no_names;

static struct ta_ethtool fresh(void)
{
	struct ta_ethtool e = {0};

	for (size_t i = 0; i < TA_ETH_N_VALUES; i++)
		e.v[i].rc = -EOPNOTSUPP;
	e.speed_mbps.rc = e.duplex.rc = e.autoneg.rc = -EOPNOTSUPP;
	e.supported_max_mbps.rc = e.advertised_max_mbps.rc = e.peer_max_mbps.rc = -EOPNOTSUPP;
	return e;
}

static void channels(void **state)
{
	struct ta_ethtool e = fresh();
	struct nlmsghdr *nlh = reply(TA_ETH_CHANNELS_GET_REPLY, 7);

	mnl_attr_put_u32(nlh, 5, 8); /* combined, max and current; the rest is not supported */
	mnl_attr_put_u32(nlh, 9, 4);
	mnl_attr_put_u32(nlh, 999, 1);
	assert_int_equal(ta_eth_decode_header(nlh), 7);
	assert_int_equal(ta_eth_decode(TA_ETH_CHANNELS, nlh, &no_names, &e), 0);
	assert_int_equal(e.rc[TA_ETH_CHANNELS], 0);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_COMBINED_MAX].v, 8);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_COMBINED].v, 4);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_RX].rc, -EOPNOTSUPP);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_RX_MAX].rc, -EOPNOTSUPP);

	/* The request's number is not the reply's. */
	e.rc[TA_ETH_CHANNELS] = -EOPNOTSUPP;
	assert_int_equal(
		ta_eth_decode(TA_ETH_CHANNELS, reply(TA_ETH_CHANNELS_GET, 7), &no_names, &e), 1);
	assert_int_equal(e.rc[TA_ETH_CHANNELS], -EOPNOTSUPP);
	nlh = reply(TA_ETH_CHANNELS_GET_REPLY, 7);
	mnl_attr_put_u8(nlh, 5, 8);
	assert_int_equal(ta_eth_decode(TA_ETH_CHANNELS, nlh, &no_names, &e), 0);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_COMBINED_MAX].rc, -EBADMSG);
}

static void other_numbers(void **state)
{
	struct ta_ethtool e = fresh();
	struct nlmsghdr *nlh = reply(TA_ETH_COALESCE_GET_REPLY, 1);

	mnl_attr_put_u32(nlh, 2, 50);
	mnl_attr_put_u8(nlh, 11, 1);
	assert_int_equal(ta_eth_decode(TA_ETH_COALESCE, nlh, &no_names, &e), 0);
	assert_int_equal(e.v[TA_ETH_V_RX_USECS].v, 50);
	assert_int_equal(e.v[TA_ETH_V_ADAPTIVE_RX].v, 1);
	assert_int_equal(e.v[TA_ETH_V_ADAPTIVE_TX].rc, -EOPNOTSUPP);
	nlh = reply(TA_ETH_RINGS_GET_REPLY, 1);
	mnl_attr_put_u32(nlh, 2, 4096);
	mnl_attr_put_u32(nlh, 6, 256);
	assert_int_equal(ta_eth_decode(TA_ETH_RINGS, nlh, &no_names, &e), 0);
	assert_int_equal(e.v[TA_ETH_V_RINGS_RX_MAX].v, 4096);
	assert_int_equal(e.v[TA_ETH_V_RINGS_RX].v, 256);
	nlh = reply(TA_ETH_PAUSE_GET_REPLY, 1);
	mnl_attr_put_u8(nlh, 4, 1);
	assert_int_equal(ta_eth_decode(TA_ETH_PAUSE, nlh, &no_names, &e), 0);
	assert_int_equal(e.v[TA_ETH_V_PAUSE_TX].v, 1);
	nlh = reply(TA_ETH_EEE_GET_REPLY, 1);
	mnl_attr_put_u8(nlh, 5, 1);
	assert_int_equal(ta_eth_decode(TA_ETH_EEE, nlh, &no_names, &e), 0);
	assert_int_equal(e.v[TA_ETH_V_EEE_ENABLED].v, 1);
}

static void linkmodes(void **state)
{
	struct ta_ethtool e = fresh();
	struct nlmsghdr *nlh = reply(TA_ETH_LINKMODES_GET_REPLY, 2);
	struct ta_eth_names told = {0};

	mnl_attr_put_u8(nlh, TA_ETH_A_LINKMODES_AUTONEG, 1);
	put_bits(nlh, TA_ETH_A_LINKMODES_OURS, 1 << 3, 1 << 3 | 1 << 5 | UINT64_C(1) << 47);
	put_bits(nlh, TA_ETH_A_LINKMODES_PEER, 1 << 5 | 1 << 6, 0);
	mnl_attr_put_u32(nlh, TA_ETH_A_LINKMODES_SPEED, 100);
	mnl_attr_put_u8(nlh, TA_ETH_A_LINKMODES_DUPLEX, 0);
	assert_int_equal(ta_eth_decode(TA_ETH_LINKMODES, nlh, &no_names, &e), 0);
	assert_int_equal(e.speed_mbps.v, 100);
	assert_int_equal(e.duplex.v, 0);
	assert_int_equal(e.autoneg.v, 1);
	assert_int_equal(e.advertised_max_mbps.v, 100);
	assert_int_equal(e.supported_max_mbps.v, 2500);
	assert_int_equal(e.peer_max_mbps.v, 1000);

	ta_strv_add(&told.link_modes, "10baseT/Half");
	ta_strv_add(&told.link_modes, "TP");
	ta_strv_add(&told.link_modes, "1600000baseCR8/Full");
	/* The kernel's names decide about bits that we do not know. */
	e = fresh();
	nlh = reply(TA_ETH_LINKMODES_GET_REPLY, 2);
	put_bits(nlh, TA_ETH_A_LINKMODES_OURS, 7, 7);
	mnl_attr_put_u32(nlh, TA_ETH_A_LINKMODES_SPEED, 0xffffffff);
	mnl_attr_put_u8(nlh, TA_ETH_A_LINKMODES_DUPLEX, 0xff);
	assert_int_equal(ta_eth_decode(TA_ETH_LINKMODES, nlh, &told, &e), 0);
	assert_int_equal(e.supported_max_mbps.v, 1600000);
	assert_int_equal(e.speed_mbps.rc, -EOPNOTSUPP);
	assert_int_equal(e.duplex.rc, -EOPNOTSUPP);
	assert_int_equal(e.peer_max_mbps.rc, -EOPNOTSUPP);
	ta_strv_done(&told.link_modes);
}

static void mode_names(void **state)
{
	assert_int_equal(ta_linkmode_speed_of_name("10000baseT/Full"), 10000);
	assert_int_equal(ta_linkmode_speed_of_name("Autoneg"), 0);
	assert_int_equal(ta_linkmode_speed_of_name("10"), 0);
	assert_int_equal(ta_linkmode_speed_of_name(""), 0);
	assert_int_equal(ta_linkmode_max((uint32_t[]){0, 0}, 2, NULL, 0), 0);
	assert_int_equal(ta_linkmode_max((uint32_t[]){0, 0, 0, 0xffffffff}, 4, NULL, 0), 0);
}

static void rss(void **state)
{
	struct ta_ethtool e = fresh();
	struct nlmsghdr *nlh = reply(TA_ETH_RSS_GET_REPLY, 2);
	uint32_t table[] = {0, 1, 2, 0, 1, 2, 0, 1}, beyond = 65536;
	char key[40] = {0};

	mnl_attr_put_u32(nlh, TA_ETH_A_RSS_HFUNC, 1);
	mnl_attr_put(nlh, TA_ETH_A_RSS_INDIR, sizeof(table), table);
	mnl_attr_put(nlh, TA_ETH_A_RSS_HKEY, sizeof(key), key);
	assert_int_equal(ta_eth_decode(TA_ETH_RSS, nlh, &no_names, &e), 0);
	assert_int_equal(e.rss.slots, 8);
	assert_int_equal(ta_cpuset_count(&e.rss.queues), 3);
	assert_int_equal(e.rss.fewest, 2);
	assert_int_equal(e.rss.most, 3);
	assert_int_equal(e.rss.key_bytes, 40);

	/* Another context is not the default one's. */
	nlh = reply(TA_ETH_RSS_GET_REPLY, 2);
	mnl_attr_put_u32(nlh, TA_ETH_A_RSS_CONTEXT, 1);
	assert_int_equal(ta_eth_decode(TA_ETH_RSS, nlh, &no_names, &e), 1);
	assert_int_equal(e.rss.slots, 8);
	nlh = reply(TA_ETH_RSS_GET_REPLY, 2);
	mnl_attr_put(nlh, TA_ETH_A_RSS_INDIR, sizeof(beyond), &beyond);
	assert_int_equal(ta_eth_decode(TA_ETH_RSS, nlh, &no_names, &e), -EBADMSG);
	nlh = reply(TA_ETH_RSS_GET_REPLY, 2);
	assert_int_equal(ta_eth_decode(TA_ETH_RSS, nlh, &no_names, &e), 0);
	assert_int_equal(e.rss.slots, 0);
	ta_cpuset_done(&e.rss.queues);
}

static void features(void **state)
{
	struct ta_ethtool e = fresh();
	struct nlmsghdr *nlh = reply(TA_ETH_FEATURES_GET_REPLY, 2);

	put_bits(nlh, TA_ETH_A_FEATURES_ACTIVE, UINT64_C(1) << 40 | 1, 0);
	put_bits(nlh, TA_ETH_A_FEATURES_HW, 2, 0);
	assert_int_equal(ta_eth_decode(TA_ETH_FEATURES, nlh, &no_names, &e), 0);
	assert_int_equal(e.features.active[0], 1);
	assert_int_equal(e.features.active[1], 1 << 8);
	assert_int_equal(e.features.hw[0], 2);
	assert_int_equal(e.features.wanted[0], 0);
}

static void put_string(struct nlmsghdr *nlh, uint32_t index, const char *text)
{
	struct nlattr *nest = mnl_attr_nest_start(nlh, TA_ETH_A_STRINGS_STRING);

	mnl_attr_put_u32(nlh, TA_ETH_A_STRING_INDEX, index);
	mnl_attr_put_strz(nlh, TA_ETH_A_STRING_VALUE, text);
	mnl_attr_nest_end(nlh, nest);
}

static int decode_two_strings(uint32_t first, uint32_t second, struct ta_eth_names *names)
{
	struct nlmsghdr *nlh = reply(TA_ETH_STRSET_GET_REPLY, 0);
	struct nlattr *sets = mnl_attr_nest_start(nlh, TA_ETH_A_STRSET_STRINGSETS);
	struct nlattr *set = mnl_attr_nest_start(nlh, TA_ETH_A_STRINGSETS_STRINGSET), *strings;

	mnl_attr_put_u32(nlh, TA_ETH_A_STRINGSET_ID, TA_ETH_SS_FEATURES);
	strings = mnl_attr_nest_start(nlh, TA_ETH_A_STRINGSET_STRINGS);
	put_string(nlh, first, "one");
	put_string(nlh, second, "two");
	mnl_attr_nest_end(nlh, strings);
	mnl_attr_nest_end(nlh, set);
	mnl_attr_nest_end(nlh, sets);
	return ta_eth_decode_strings(nlh, names);
}

static void strings(void **state)
{
	struct ta_eth_names names = {0};

	assert_int_equal(decode_two_strings(0, 2, &names), 0);
	assert_int_equal(names.features.n, 3);
	assert_string_equal(names.features.v[0], "one");
	assert_string_equal(names.features.v[1], "");
	assert_string_equal(names.features.v[2], "two");
	assert_int_equal(names.link_modes.n, 0);
	/* One that comes again does not move the others; a number that cannot be is refused. */
	assert_int_equal(decode_two_strings(1, 1, &names), 0);
	assert_int_equal(names.features.n, 3);
	assert_int_equal(decode_two_strings(0, 0xffffffff, &names), -EBADMSG);
	ta_strv_done(&names.features);
}

/* --- rtnetlink ------------------------------------------------------------------- */

static struct nlmsghdr *link_message(int index, const char *name)
{
	struct nlmsghdr *nlh;
	struct ifinfomsg *info;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	nlh->nlmsg_type = RTM_NEWLINK;
	info = mnl_nlmsg_put_extra_header(nlh, sizeof(*info));
	info->ifi_index = index;
	info->ifi_type = 1;
	info->ifi_flags = IFF_UP;
	if (name)
		mnl_attr_put_strz(nlh, IFLA_IFNAME, name);
	return nlh;
}

static void links(void **state)
{
	struct ta_links l = TA_LINKS_INIT;
	struct nlmsghdr *nlh = link_message(3, "a.b\"c\n");
	uint64_t stats[24] = {[0] = 11, [15] = UINT64_MAX};
	struct nlattr *nest;

	mnl_attr_put_u32(nlh, IFLA_MTU, 9000);
	mnl_attr_put_u32(nlh, IFLA_LINK, 2);
	mnl_attr_put_strz(nlh, IFLA_QDISC, "mq");
	mnl_attr_put(nlh, IFLA_STATS64, sizeof(stats), stats);
	nest = mnl_attr_nest_start(nlh, IFLA_LINKINFO);
	mnl_attr_put_strz(nlh, IFLA_INFO_KIND, "macvlan");
	mnl_attr_nest_end(nlh, nest);
	assert_int_equal(ta_links_decode(nlh, &l), 0);
	assert_string_equal(l.v[0].name, "a.b\"c\n");
	assert_string_equal(l.v[0].kind, "macvlan");
	assert_string_equal(l.v[0].qdisc, "mq");
	assert_int_equal(l.v[0].mtu.v, 9000);
	assert_int_equal(l.v[0].lower, 2);
	assert_int_equal(l.v[0].counters[TA_LINK_RX_PACKETS].v, 11);
	assert_true((uint64_t)l.v[0].counters[TA_LINK_RX_MISSED_ERRORS].v == UINT64_MAX);
	assert_int_equal(l.v[0].txqueuelen.rc, -ENOENT);

	/* A lower device in another namespace has that one's number. */
	nlh = link_message(4, "x");
	mnl_attr_put_u32(nlh, IFLA_LINK, 2);
	mnl_attr_put_u32(nlh, IFLA_LINK_NETNSID, 0);
	mnl_attr_put_u8(nlh, IFLA_MTU, 1);
	mnl_attr_put(nlh, IFLA_STATS64, 8, stats);
	assert_int_equal(ta_links_decode(nlh, &l), 0);
	assert_int_equal(l.v[1].lower, 0);
	assert_int_equal(l.v[1].mtu.rc, -EBADMSG);
	assert_int_equal(l.v[1].counters[TA_LINK_TX_PACKETS].rc, -ENOENT);

	assert_int_equal(ta_links_decode(link_message(5, NULL), &l), -EBADMSG);
	assert_int_equal(ta_links_decode(link_message(5, ""), &l), -EBADMSG);
	assert_int_equal(ta_links_decode(link_message(0, "y"), &l), -EBADMSG);
	assert_int_equal(l.n, 2);
	ta_links_done(&l);
}

static struct nlmsghdr *qdisc_message(int index, uint32_t parent, const char *kind)
{
	struct nlmsghdr *nlh;
	struct tcmsg *tc;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	nlh->nlmsg_type = RTM_NEWQDISC;
	tc = mnl_nlmsg_put_extra_header(nlh, sizeof(*tc));
	tc->tcm_ifindex = index;
	tc->tcm_parent = parent;
	mnl_attr_put_strz(nlh, TCA_KIND, kind);
	return nlh;
}

static void qdiscs(void **state)
{
	ta_cleanup_qdiscs struct ta_qdiscs q = TA_QDISCS_INIT;
	ta_cleanup_strv struct ta_strv kinds = TA_STRV_INIT, none = TA_STRV_INIT;
	struct ta_val limit;

	assert_int_equal(ta_qdiscs_decode(qdisc_message(3, 0x80010001, "fq"), &q), 0);
	assert_int_equal(ta_qdiscs_decode(qdisc_message(2, TC_H_ROOT, "mq"), &q), 0);
	assert_int_equal(ta_qdiscs_decode(qdisc_message(2, 0x80010001, "fq"), &q), 0);
	assert_int_equal(ta_qdiscs_decode(qdisc_message(2, 0x80010002, "fq"), &q), 0);
	assert_int_equal(ta_qdiscs_decode(qdisc_message(2, 0x80010003, "fq_codel"), &q), 0);
	assert_int_equal(ta_qdiscs_decode(qdisc_message(2, TC_H_INGRESS, "clsact"), &q), 0);
	assert_int_equal(q.n, 5);
	ta_qdiscs_sort(&q);
	ta_qdiscs_leaves(&q, 2, &kinds, &limit);
	assert_int_equal(kinds.n, 2);
	assert_string_equal(kinds.v[0], "fq");
	assert_string_equal(kinds.v[1], "fq_codel");
	assert_int_equal(limit.rc, -EOPNOTSUPP);
	assert_string_equal(ta_qdiscs_root(&q, 2)->kind, "mq");
	assert_null(ta_qdiscs_root(&q, 3));
	assert_null(ta_qdiscs_root(&q, 4));
	ta_qdiscs_leaves(&q, 4, &none, &limit);
	assert_int_equal(none.n, 0);
	assert_int_equal(limit.rc, -ENOENT);
}

static void put_queue_stats(struct nlmsghdr *nlh, size_t len)
{
	const struct gnet_stats_queue queue = {.qlen = 1, .backlog = 1514, .drops = 3, .requeues = 4, .overlimits = 5};
	struct nlattr *nest = mnl_attr_nest_start(nlh, TCA_STATS2);

	mnl_attr_put(nlh, TCA_STATS_QUEUE, len, &queue);
	mnl_attr_nest_end(nlh, nest);
}

static void qdisc_limits_and_counters(void **state)
{
	const struct tc_sfq_qopt sfq = {.limit = 127};
	ta_cleanup_qdiscs struct ta_qdiscs q = TA_QDISCS_INIT;
	ta_cleanup_strv struct ta_strv kinds = TA_STRV_INIT;
	struct nlmsghdr *nlh = qdisc_message(2, TC_H_ROOT, "mq");
	struct ta_val limit;
	struct nlattr *nest;

	put_queue_stats(nlh, sizeof(struct gnet_stats_queue));
	mnl_attr_put_u32(nlh, 999, 1);
	assert_int_equal(ta_qdiscs_decode(nlh, &q), 0);
	for (uint32_t i = 0; i < 2; i++) {
		nlh = qdisc_message(2, 0x80010001 + i, "fq_codel");
		nest = mnl_attr_nest_start(nlh, TCA_OPTIONS);
		mnl_attr_put_u32(nlh, TCA_FQ_CODEL_LIMIT, 10240 - i);
		mnl_attr_nest_end(nlh, nest);
		assert_int_equal(ta_qdiscs_decode(nlh, &q), 0);
	}
	nlh = qdisc_message(3, TC_H_ROOT, "sfq");
	mnl_attr_put(nlh, TCA_OPTIONS, sizeof(sfq), &sfq);
	put_queue_stats(nlh, 8); /* shorter than the structure: what is in it counts */
	assert_int_equal(ta_qdiscs_decode(nlh, &q), 0);
	nlh = qdisc_message(4, TC_H_ROOT, "pfifo");
	mnl_attr_put_u8(nlh, TCA_OPTIONS, 9);
	assert_int_equal(ta_qdiscs_decode(nlh, &q), 0);
	nlh = qdisc_message(5, TC_H_ROOT, "a kind of a kernel that is still to come");
	assert_int_equal(ta_qdiscs_decode(nlh, &q), 0);

	ta_qdiscs_leaves(&q, 2, &kinds, &limit);
	assert_int_equal(limit.v, 10239);
	assert_int_equal(ta_qdiscs_root(&q, 2)->drops.v, 3);
	assert_int_equal(ta_qdiscs_root(&q, 2)->requeues.v, 4);
	assert_int_equal(ta_qdiscs_root(&q, 2)->overlimits.v, 5);
	assert_int_equal(ta_qdiscs_root(&q, 2)->backlog_bytes.v, 1514);
	assert_int_equal(ta_qdiscs_root(&q, 3)->limit.v, 127);
	assert_int_equal(ta_qdiscs_root(&q, 3)->qlen.v, 1);
	assert_int_equal(ta_qdiscs_root(&q, 3)->drops.rc, -EBADMSG);
	assert_int_equal(ta_qdiscs_root(&q, 4)->limit.rc, -EBADMSG);
	assert_int_equal(ta_qdiscs_root(&q, 4)->drops.rc, -ENOENT);
	assert_int_equal(strlen(ta_qdiscs_root(&q, 5)->kind), 31);
}

/* Every attribute of a message, and of the nests in it, with lengths that cannot be; the decoders get a copy of
 * the exact size, for the sanitizer to watch its end. What they make of it is theirs, but nothing beyond. */
static void decode_lies(const struct nlmsghdr *nlh)
{
	static const uint16_t lies[] = {0, 1, 3, 4, 5, 7, 9, 0x7fff, 0x8000, 0xffff};
	size_t len = nlh->nlmsg_len;
	char *copy = malloc(len);

	for (size_t at = sizeof(*nlh); at + sizeof(struct nlattr) <= len; at += 4) {
		for (size_t i = 0; i < TA_ARRAY_SIZE(lies); i++) {
			struct nlmsghdr *lie = (struct nlmsghdr *)(void *)copy;
			struct ta_qdiscs q = TA_QDISCS_INIT;
			struct ta_links links = TA_LINKS_INIT;
			struct ta_eth_names names = {0};

			memcpy(copy, nlh, len);
			memcpy(copy + at, &lies[i], sizeof(lies[i]));
			ta_eth_decode_header(lie);
			for (int msg = 0; msg < TA_ETH_N_MSGS; msg++) {
				struct ta_ethtool e = fresh();

				ta_eth_decode((enum ta_eth_msg)msg, lie, &no_names, &e);
				ta_cpuset_done(&e.rss.queues);
			}
			ta_eth_decode_strings(lie, &names);
			ta_links_decode(lie, &links);
			ta_qdiscs_decode(lie, &q);
			assert_true(links.n <= 1 && q.n <= 1);
			ta_strv_done(&names.features);
			ta_strv_done(&names.link_modes);
			ta_links_done(&links);
			ta_qdiscs_done(&q);
		}
	}
	free(copy);
}

static void lying_lengths(void **state)
{
	struct nlmsghdr *nlh = reply(TA_ETH_LINKMODES_GET_REPLY, 2);

	put_bits(nlh, TA_ETH_A_LINKMODES_OURS, 1, 3);
	put_bits(nlh, TA_ETH_A_LINKMODES_PEER, 1, 3);
	decode_lies(nlh);
	nlh = reply(TA_ETH_FEATURES_GET_REPLY, 2);
	put_bits(nlh, TA_ETH_A_FEATURES_ACTIVE, 1, 3);
	decode_lies(nlh);
	nlh = reply(TA_ETH_RSS_GET_REPLY, 2);
	mnl_attr_put(nlh, TA_ETH_A_RSS_INDIR, 16, "\1\0\0\0\2\0\0\0\3\0\0\0\4\0\0");
	decode_lies(nlh);
	nlh = link_message(5, "eth0");
	mnl_attr_put_u32(nlh, IFLA_MTU, 1500);
	decode_lies(nlh);
	nlh = qdisc_message(2, TC_H_ROOT, "fq");
	put_queue_stats(nlh, sizeof(struct gnet_stats_queue));
	decode_lies(nlh);
}

/* --- netdev --------------------------------------------------------------------- */

static struct nlmsghdr *netdev_message(uint8_t cmd, const uint32_t *attrs, size_t n)
{
	struct nlmsghdr *nlh;
	struct genlmsghdr *genl;

	memset(buffer, 0, sizeof(buffer));
	nlh = mnl_nlmsg_put_header(buffer);
	genl = mnl_nlmsg_put_extra_header(nlh, sizeof(*genl));
	genl->cmd = cmd;
	for (size_t i = 0; i < n; i++)
		mnl_attr_put_u32(nlh, (uint16_t)(i + 1), attrs[i]);
	return nlh;
}

static void napis(void **state)
{
	ta_cleanup_napis struct ta_napis n = TA_NAPIS_INIT;
	const struct ta_napi *napi;

	/* ifindex, id, irq; then id, ifindex, type, napi */
	assert_int_equal(
		ta_napis_decode_napi(netdev_message(11, (uint32_t[]){2, 900, 41}, 3), &n), 0);
	assert_int_equal(
		ta_napis_decode_napi(netdev_message(11, (uint32_t[]){2, 899, 40}, 3), &n), 0);
	assert_int_equal(ta_napis_decode_napi(netdev_message(11, (uint32_t[]){2, 898}, 2), &n), 0);
	assert_int_equal(
		ta_napis_decode_napi(netdev_message(10, (uint32_t[]){2, 897, 40}, 3), &n), 0);
	assert_int_equal(n.n, 3);
	ta_napis_sort_by_id(&n);
	assert_int_equal(
		ta_napis_decode_queue(netdev_message(10, (uint32_t[]){5, 2, 0, 900}, 4), &n), 0);
	assert_int_equal(
		ta_napis_decode_queue(netdev_message(10, (uint32_t[]){3, 2, 0, 900}, 4), &n), 0);
	assert_int_equal(
		ta_napis_decode_queue(netdev_message(10, (uint32_t[]){7, 2, 1, 900}, 4), &n), 0);
	assert_int_equal(
		ta_napis_decode_queue(netdev_message(10, (uint32_t[]){1, 2, 1, 1}, 4), &n), 0);
	assert_int_equal(
		ta_napis_decode_queue(netdev_message(10, (uint32_t[]){1, 2, 9, 899}, 4), &n), 0);
	ta_napis_sort_by_irq(&n);
	napi = ta_napis_by_irq(&n, 41);
	assert_non_null(napi);
	assert_int_equal(napi->rx, 3);
	assert_int_equal(napi->tx, 7);
	napi = ta_napis_by_irq(&n, 40);
	assert_non_null(napi);
	assert_int_equal(napi->rx, -1);
	assert_null(ta_napis_by_irq(&n, 0));
	assert_null(ta_napis_by_irq(&n, 42));
}

/* --- ioctl ------------------------------------------------------------------------ */

static void hex(struct ta_buf *b, const void *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		ta_buf_printf(b, "%02x", ((const unsigned char *)data)[i]);
}

static struct ta_host *host_with_calls(struct tree *t, const char *calls)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_host *h;
	struct ta_err err;

	ta_buf_printf(&text, "{\"schema\":\"tuneaudit.calls/1\",\"calls\":{%s}}\n", calls);
	tree_file(t, "calls.json", ta_buf_text(&text));
	tree_file(t, "proc/version", "x\n");
	if (ta_host_capture(t->dir, &h, &err) < 0)
		fail_msg("%s", err.text);
	return h;
}

static void ioctl_numbers(void **state)
{
	/* combined only: 4 of 8; coalescing all zero */
	const uint32_t channels_answer[] = {TA_ETHTOOL_GCHANNELS, 0, 0, 1, 8, 0, 0, 1, 4};
	const uint32_t coalesce[23] = {TA_ETHTOOL_GCOALESCE};
	/* virtio with one queue: no table, no key, but toeplitz */
	const unsigned char one_queue[24] = {TA_ETHTOOL_GRSSH, [16] = 1};
	ta_cleanup_buf struct ta_buf calls = TA_BUF_INIT;
	struct ta_ethtool e = fresh();
	struct ta_ethtools all = {0};
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	ta_buf_adds(&calls, "\"ethtool/eth0/0x0000003c\":{\"rc\":0,\"data\":\"");
	hex(&calls, channels_answer, sizeof(channels_answer));
	ta_buf_adds(&calls, "\"},\"ethtool/eth0/0x0000000e\":{\"rc\":0,\"data\":\"");
	hex(&calls, coalesce, sizeof(coalesce));
	ta_buf_adds(&calls, "\"},\"ethtool/eth0/0x00000046\":{\"rc\":0,\"data\":\"");
	hex(&calls, one_queue, sizeof(one_queue));
	ta_buf_adds(
		&calls, "\"},\"ethtool/eth0/0x00000012\":{\"rc\":\"EOPNOTSUPP\",\"data\":\"\"}");
	h = host_with_calls(&t, ta_buf_text(&calls));
	ta_eth_ioctl(h, "eth0", TA_ETH_CHANNELS, &all, &e);
	assert_int_equal(e.rc[TA_ETH_CHANNELS], 0);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_COMBINED].v, 4);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_OTHER].v, 1);
	assert_int_equal(e.v[TA_ETH_V_CHANNELS_RX].rc, -EOPNOTSUPP);
	ta_eth_ioctl(h, "eth0", TA_ETH_COALESCE, &all, &e);
	assert_int_equal(e.rc[TA_ETH_COALESCE], 0);
	assert_int_equal(e.v[TA_ETH_V_RX_USECS].rc, -ENOENT);
	assert_int_equal(e.v[TA_ETH_V_ADAPTIVE_RX].rc, -ENOENT);
	ta_eth_ioctl(h, "eth0", TA_ETH_PAUSE, &all, &e);
	assert_int_equal(e.rc[TA_ETH_PAUSE], -EOPNOTSUPP);
	ta_eth_ioctl(h, "eth0", TA_ETH_RINGS, &all, &e);
	assert_int_equal(e.rc[TA_ETH_RINGS], -ENODATA);
	ta_eth_ioctl(h, "eth0", TA_ETH_RSS, &all, &e);
	assert_int_equal(e.rc[TA_ETH_RSS], 0);
	assert_int_equal(e.rss.slots, 0);
	assert_int_equal(e.rss.key_bytes, 0);
	assert_int_equal(e.rss.hfunc, 1);
	ta_host_free(h);
	tree_remove(&t);
}

/* struct ethtool_cmd of kernels before 4.6: 1 Gbit/s full duplex, supports 1000baseT, peer
 * 100baseT. */
static void ioctl_old_settings(void **state)
{
	unsigned char data[44] = {TA_ETHTOOL_GSET, [4] = 0x2f, [12] = 0xe8, [13] = 0x03, [14] = 1,
		[18] = 1, [32] = 0x0f};
	ta_cleanup_buf struct ta_buf calls = TA_BUF_INIT;
	struct ta_ethtool e = fresh();
	struct ta_ethtools all = {0};
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	ta_buf_adds(&calls, "\"ethtool/eth0/0x0000004c\":{\"rc\":\"EOPNOTSUPP\",\"data\":\"\"},"
			    "\"ethtool/eth0/0x00000001\":{\"rc\":0,\"data\":\"");
	hex(&calls, data, sizeof(data));
	ta_buf_adds(&calls, "\"}");
	h = host_with_calls(&t, ta_buf_text(&calls));
	ta_eth_ioctl(h, "eth0", TA_ETH_LINKMODES, &all, &e);
	assert_int_equal(e.rc[TA_ETH_LINKMODES], 0);
	assert_int_equal(e.speed_mbps.v, 1000);
	assert_int_equal(e.duplex.v, 1);
	assert_int_equal(e.supported_max_mbps.v, 1000);
	assert_int_equal(e.peer_max_mbps.v, 100);
	ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(channels),
		cmocka_unit_test(other_numbers),
		cmocka_unit_test(linkmodes),
		cmocka_unit_test(mode_names),
		cmocka_unit_test(rss),
		cmocka_unit_test(features),
		cmocka_unit_test(strings),
		cmocka_unit_test(links),
		cmocka_unit_test(qdiscs),
		cmocka_unit_test(qdisc_limits_and_counters),
		cmocka_unit_test(lying_lengths),
		cmocka_unit_test(napis),
		cmocka_unit_test(ioctl_numbers),
		cmocka_unit_test(ioctl_old_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
