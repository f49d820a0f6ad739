/*
 * What the drivers of network interfaces say: link modes, channels, rings,
 * coalescing, pause, EEE, offloads, RSS.
 *
 * A group that a driver does not have is absent as a whole, unsupported; so is
 * a single value that its driver leaves out (most have either combined
 * channels or separate ones). Speed and duplex also stand in sysfs, for
 * captures without netlink.
 */
#include <errno.h>
#include <string.h>

#include "probe/ethtool.h"
#include "probe/probe.h"

/* clang-format off */
static const struct ta_field fields[] = {
	{"nics.*.speed_mbps", TA_T_INT, "Mbit/s", "link speed; unsupported while there is no link, and for NICs without one", TA_F_LINK, {{0}}},
	{"nics.*.duplex", TA_T_STRING, "", "full or half", TA_F_LINK, {{0}}},
	{"nics.*.autoneg", TA_T_BOOL, "", "speed is negotiated", 0, {{0}}},
	{"nics.*.supported_max_mbps", TA_T_INT, "Mbit/s", "fastest mode that the port can", TA_F_HARDWARE, {{0}}},
	{"nics.*.advertised_max_mbps", TA_T_INT, "Mbit/s", "fastest mode that is offered to the peer", 0, {{0}}},
	{"nics.*.peer_max_mbps", TA_T_INT, "Mbit/s", "fastest mode that the peer offers", TA_F_LINK, {{0}}},
	{"nics.*.channels.rx.current", TA_T_INT, "queues", "separate receive queues in use", TA_F_SIZED, {{0}}},
	{"nics.*.channels.rx.max", TA_T_INT, "queues", "separate receive queues possible", TA_F_HARDWARE, {{0}}},
	{"nics.*.channels.tx.current", TA_T_INT, "queues", "separate transmit queues in use", TA_F_SIZED, {{0}}},
	{"nics.*.channels.tx.max", TA_T_INT, "queues", "separate transmit queues possible", TA_F_HARDWARE, {{0}}},
	{"nics.*.channels.other.current", TA_T_INT, "queues", "queues for link state and the like in use", 0, {{0}}},
	{"nics.*.channels.other.max", TA_T_INT, "queues", "queues for link state and the like possible", TA_F_HARDWARE, {{0}}},
	{"nics.*.channels.combined.current", TA_T_INT, "queues", "queues that receive and send in use", TA_F_SIZED, {{0}}},
	{"nics.*.channels.combined.max", TA_T_INT, "queues", "queues that receive and send possible", TA_F_HARDWARE, {{0}}},
	{"nics.*.rings.rx.current", TA_T_INT, "packets", "length of a receive ring", 0, {{0}}},
	{"nics.*.rings.rx.max", TA_T_INT, "packets", "longest receive ring", TA_F_HARDWARE, {{0}}},
	{"nics.*.rings.tx.current", TA_T_INT, "packets", "length of a transmit ring", 0, {{0}}},
	{"nics.*.rings.tx.max", TA_T_INT, "packets", "longest transmit ring", TA_F_HARDWARE, {{0}}},
	{"nics.*.coalesce.rx_usecs", TA_T_INT, "us", "longest wait before a receive interrupt (some drivers read 1 as adaptive)", 0, {{0}}},
	{"nics.*.coalesce.rx_frames", TA_T_INT, "packets", "packets that end the wait", 0, {{0}}},
	{"nics.*.coalesce.tx_usecs", TA_T_INT, "us", "longest wait before a transmit interrupt", 0, {{0}}},
	{"nics.*.coalesce.tx_frames", TA_T_INT, "packets", "packets that end the wait", 0, {{0}}},
	{"nics.*.coalesce.adaptive_rx", TA_T_BOOL, "", "the driver adapts the receive wait to the load", 0, {{0}}},
	{"nics.*.coalesce.adaptive_tx", TA_T_BOOL, "", "the driver adapts the transmit wait to the load", 0, {{0}}},
	{"nics.*.pause.autoneg", TA_T_BOOL, "", "pause frames are negotiated", 0, {{0}}},
	{"nics.*.pause.rx", TA_T_BOOL, "", "pause frames are obeyed", 0, {{0}}},
	{"nics.*.pause.tx", TA_T_BOOL, "", "pause frames are sent", 0, {{0}}},
	{"nics.*.eee.active", TA_T_BOOL, "", "energy efficient Ethernet was negotiated", TA_F_LINK, {{0}}},
	{"nics.*.eee.enabled", TA_T_BOOL, "", "energy efficient Ethernet is allowed", 0, {{0}}},
	{"nics.*.features.*", TA_T_BOOL, "", "offload in effect, by the kernel's name: rx-gro, tx-tcp-segmentation …", 0, {{0}}},
	{"nics.*.features_changeable", TA_T_STRINGS, "", "offloads that can be switched", TA_F_SYSTEM, {{0}}},
	{"nics.*.features_refused", TA_T_STRINGS, "", "offloads that were asked for and are not in effect", 0, {{0}}},
	{"nics.*.rss.queues", TA_T_INTS, "", "receive queues that the indirection table uses", 0, {{0}}},
	{"nics.*.rss.n_queues", TA_T_INT, "queues", "how many these are", 0, {{0}}},
	{"nics.*.rss.slots", TA_T_INT, "", "slots of the indirection table", 0, {{0}}},
	{"nics.*.rss.slots_fewest", TA_T_INT, "", "slots of the queue that has fewest of those used", 0, {{0}}},
	{"nics.*.rss.slots_most", TA_T_INT, "", "slots of the queue that has most", 0, {{0}}},
	{"nics.*.rss.key_bytes", TA_T_INT, "bytes", "length of the hash key; 0: not told", 0, {{0}}},
	{"nics.*.rss.hash", TA_T_STRING, "", "hash function: toeplitz, xor, crc32", 0, {{0}}},
};
/* clang-format on */

static const char *const groups[TA_ETH_N_MSGS] = {
	[TA_ETH_CHANNELS] = "channels",
	[TA_ETH_RINGS] = "rings",
	[TA_ETH_COALESCE] = "coalesce",
	[TA_ETH_PAUSE] = "pause",
	[TA_ETH_EEE] = "eee",
	[TA_ETH_FEATURES] = "features",
	[TA_ETH_RSS] = "rss",
};

/* True if the driver answered; else the whole group is absent. */
static bool answered(
	struct ta_facts *f, const char *nic, enum ta_eth_msg msg, const struct ta_ethtool *e)
{
	const char *const *path = TA_KEYS("nics", nic, groups[msg]);

	if (e->rc[msg] == -EOPNOTSUPP)
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "its driver has no %s", groups[msg]);
	else if (e->rc[msg] < 0)
		ta_facts_put_errno(f, path, e->rc[msg], "ethtool");
	return e->rc[msg] == 0;
}

static void put_row(
	struct ta_facts *f, const char *nic, const struct ta_eth_row *row, struct ta_val v)
{
	const char *const *path = TA_KEYS("nics", nic, row->path[0], row->path[1], row->path[2]);

	if (v.rc == -EOPNOTSUPP)
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "its driver does not have it");
	else if (v.rc == -ENOENT)
		ta_facts_put_absent(
			f, path, TA_MISSING, "zero or unsupported: not told apart here");
	else if (v.rc < 0)
		ta_facts_put_errno(f, path, v.rc, "ethtool");
	else if (row->is_bool)
		ta_facts_put_bool(f, path, v.v != 0);
	else
		ta_facts_put_i64(f, path, v.v);
}

static void put_rows(struct ta_facts *f, const char *nic, const struct ta_ethtool *e)
{
	bool known[TA_ETH_N_MSGS] = {false};

	for (size_t m = 0; m < TA_ETH_N_MSGS; m++)
		known[m] = m != TA_ETH_LINKMODES && m != TA_ETH_FEATURES && m != TA_ETH_RSS &&
			   answered(f, nic, (enum ta_eth_msg)m, e);
	for (size_t i = 0; i < TA_ETH_N_VALUES; i++)
		if (known[ta_eth_rows[i].msg])
			put_row(f, nic, &ta_eth_rows[i], e->v[i]);
}

/* --- link -------------------------------------------------------------------------------- */

/* "1000", "-1" (unknown), EINVAL while the link is down. */
static struct ta_val sysfs_speed(struct ta_host *h, const char *nic)
{
	char file[512];
	struct ta_val v = ta_val_read(h, ta_fmt(&file, "/sys/class/net/%s/speed", nic));

	if (v.rc == -EINVAL || (v.rc == 0 && (v.v <= 0 || v.v == UINT32_MAX)))
		v.rc = -EOPNOTSUPP;
	return v;
}

static struct ta_val sysfs_duplex(struct ta_host *h, const char *nic)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc = ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/duplex", nic), &text);

	if (rc < 0)
		return (struct ta_val){.rc = rc == -EINVAL ? -EOPNOTSUPP : rc};
	if (strcmp(ta_buf_text(&text), "full") == 0)
		return (struct ta_val){.v = 1};
	return (struct ta_val){.rc = strcmp(ta_buf_text(&text), "half") == 0 ? 0 : -EOPNOTSUPP};
}

static void put_link_value(struct ta_facts *f, const char *nic, const char *key, struct ta_val v)
{
	if (v.rc == -EOPNOTSUPP)
		ta_facts_put_absent(f, TA_KEYS("nics", nic, key), TA_UNSUPPORTED,
			"unknown to its driver, or no link");
	else
		ta_put_val(f, TA_KEYS("nics", nic, key), v, "ethtool");
}

static void put_linkmodes(
	struct ta_host *h, struct ta_facts *f, const char *nic, struct ta_ethtool *e)
{
	int rc = e->rc[TA_ETH_LINKMODES];
	struct ta_val *const all[] = {&e->speed_mbps, &e->duplex, &e->autoneg,
		&e->supported_max_mbps, &e->advertised_max_mbps, &e->peer_max_mbps};

	for (size_t i = 0; i < TA_ARRAY_SIZE(all) && rc < 0; i++)
		all[i]->rc = rc;
	if (rc < 0 && rc != -EOPNOTSUPP) {
		struct ta_val speed = sysfs_speed(h, nic), duplex = sysfs_duplex(h, nic);

		e->speed_mbps = speed.rc == -ENOENT ? e->speed_mbps : speed;
		e->duplex = duplex.rc == -ENOENT ? e->duplex : duplex;
	}
	put_link_value(f, nic, "speed_mbps", e->speed_mbps);
	if (e->duplex.rc == 0)
		ta_put_str(f, e->duplex.v ? "full" : "half", "nics", nic, "duplex");
	else
		put_link_value(f, nic, "duplex", e->duplex);
	if (e->autoneg.rc == 0)
		ta_put_bool(f, e->autoneg.v != 0, "nics", nic, "autoneg");
	else
		put_link_value(f, nic, "autoneg", e->autoneg);
	put_link_value(f, nic, "supported_max_mbps", e->supported_max_mbps);
	put_link_value(f, nic, "advertised_max_mbps", e->advertised_max_mbps);
	put_link_value(f, nic, "peer_max_mbps", e->peer_max_mbps);
}

/* --- features, RSS -------------------------------------------------------------------------- */

static bool bit(const uint32_t *words, size_t i)
{
	return words[i / 32] >> (i % 32) & 1;
}

static void put_features(struct ta_facts *f, const char *nic, const struct ta_eth_names *names,
	const struct ta_ethtool *e)
{
	static const char *const lists[] = {"features_changeable", "features_refused"};
	ta_cleanup_strv struct ta_strv changeable = TA_STRV_INIT, refused = TA_STRV_INIT;
	const struct ta_eth_features *s = &e->features;
	size_t n = TA_MIN(names->features.n, (size_t)TA_ETH_FEATURE_WORDS * 32);
	bool known = answered(f, nic, TA_ETH_FEATURES, e);

	if (known && n == 0)
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "features"), TA_MISSING,
			"the kernel does not tell the offloads' names");
	for (size_t i = 0; i < TA_ARRAY_SIZE(lists) && (!known || n == 0); i++)
		ta_facts_put_errno(f, TA_KEYS("nics", nic, lists[i]),
			known ? -ENOENT : e->rc[TA_ETH_FEATURES], "ethtool");
	if (!known || n == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		const char *name = names->features.v[i];

		if (!*name || !bit(s->known, i))
			continue;
		ta_put_bool(f, bit(s->active, i), "nics", nic, "features", name);
		if (bit(s->hw, i) && !bit(s->nochange, i))
			ta_strv_add(&changeable, name);
		if (bit(s->wanted, i) && !bit(s->active, i))
			ta_strv_add(&refused, name);
	}
	ta_facts_put_strs(
		f, TA_KEYS("nics", nic, "features_changeable"), changeable.v, changeable.n);
	ta_facts_put_strs(f, TA_KEYS("nics", nic, "features_refused"), refused.v, refused.n);
}

static void put_hash(struct ta_facts *f, const char *nic, int64_t hfunc)
{
	static const char *const names[] = {"toeplitz", "xor", "crc32"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++) {
		if (hfunc & (int64_t)1 << i) {
			ta_put_str(f, names[i], "nics", nic, "rss", "hash");
			return;
		}
	}
	ta_facts_put_absent(
		f, TA_KEYS("nics", nic, "rss", "hash"), TA_UNSUPPORTED, "its driver does not tell");
}

static void put_rss(struct ta_facts *f, const char *nic, const struct ta_ethtool *e)
{
	static const char *const keys[] = {
		"queues", "n_queues", "slots", "slots_fewest", "slots_most"};

	if (!answered(f, nic, TA_ETH_RSS, e))
		return;
	ta_put_i64(f, e->rss.key_bytes, "nics", nic, "rss", "key_bytes");
	put_hash(f, nic, e->rss.hfunc);
	for (size_t i = 0; i < TA_ARRAY_SIZE(keys) && e->rss.slots == 0; i++)
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "rss", keys[i]), TA_UNSUPPORTED,
			"no indirection table");
	if (e->rss.slots == 0)
		return;
	ta_put_cpus(f, &e->rss.queues, "nics", nic, "rss", "queues");
	ta_put_i64(f, ta_cpuset_count(&e->rss.queues), "nics", nic, "rss", "n_queues");
	ta_put_i64(f, e->rss.slots, "nics", nic, "rss", "slots");
	ta_put_i64(f, e->rss.fewest, "nics", nic, "rss", "slots_fewest");
	ta_put_i64(f, e->rss.most, "nics", nic, "rss", "slots_most");
}

static void ethtool_collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_ethtools struct ta_ethtools e = {0};
	struct ta_nicset set = {0};
	int rc = ta_nicset_read(h, &set);

	if (rc == 0)
		rc = ta_ethtools_read(h, &set, &e);
	if (rc < 0)
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "nics");
	else
		ta_put_object(f, "nics");
	for (size_t i = 0; i < e.n; i++) {
		const struct ta_link *l = &set.links.v[i];
		const char *nic = l->name;

		if (ta_nicset_put_surplus(f, l))
			continue;
		ta_put_object(f, "nics", nic);
		put_linkmodes(h, f, nic, &e.v[i]);
		put_rows(f, nic, &e.v[i]);
		put_features(f, nic, &e.names, &e.v[i]);
		put_rss(f, nic, &e.v[i]);
	}
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_ethtool = {
	.name = "ethtool",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = ethtool_collect,
};
