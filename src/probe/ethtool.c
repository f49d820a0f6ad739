/*
 * Which transport answers for which message.
 *
 * A device that a completed dump leaves out does not support the message. A
 * dump that the kernel refuses (no such message before 5.6, 5.7 or 6.11; no
 * family without CONFIG_ETHTOOL_NETLINK) is asked again by ioctl, and so are
 * the devices behind one that ended the dump with an error of its own.
 */
#include "probe/ethtool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define U32(v, m, a, w, max, ...)                                                                  \
	[v] = {v, m, a, 4, w, false, (m) == TA_ETH_COALESCE, max, {__VA_ARGS__}}
#define FLAG(v, m, a, w, unsure, ...) [v] = {v, m, a, 1, w, true, unsure, v, {__VA_ARGS__}}

/* clang-format off */
const struct ta_eth_row ta_eth_rows[TA_ETH_N_VALUES] = {
	U32(TA_ETH_V_CHANNELS_RX_MAX, TA_ETH_CHANNELS, 2, 1, TA_ETH_V_CHANNELS_RX_MAX, "channels", "rx", "max"),
	U32(TA_ETH_V_CHANNELS_TX_MAX, TA_ETH_CHANNELS, 3, 2, TA_ETH_V_CHANNELS_TX_MAX, "channels", "tx", "max"),
	U32(TA_ETH_V_CHANNELS_OTHER_MAX, TA_ETH_CHANNELS, 4, 3, TA_ETH_V_CHANNELS_OTHER_MAX, "channels", "other", "max"),
	U32(TA_ETH_V_CHANNELS_COMBINED_MAX, TA_ETH_CHANNELS, 5, 4, TA_ETH_V_CHANNELS_COMBINED_MAX, "channels", "combined", "max"),
	U32(TA_ETH_V_CHANNELS_RX, TA_ETH_CHANNELS, 6, 5, TA_ETH_V_CHANNELS_RX_MAX, "channels", "rx", "current"),
	U32(TA_ETH_V_CHANNELS_TX, TA_ETH_CHANNELS, 7, 6, TA_ETH_V_CHANNELS_TX_MAX, "channels", "tx", "current"),
	U32(TA_ETH_V_CHANNELS_OTHER, TA_ETH_CHANNELS, 8, 7, TA_ETH_V_CHANNELS_OTHER_MAX, "channels", "other", "current"),
	U32(TA_ETH_V_CHANNELS_COMBINED, TA_ETH_CHANNELS, 9, 8, TA_ETH_V_CHANNELS_COMBINED_MAX, "channels", "combined", "current"),
	U32(TA_ETH_V_RINGS_RX_MAX, TA_ETH_RINGS, 2, 1, TA_ETH_V_RINGS_RX_MAX, "rings", "rx", "max"),
	U32(TA_ETH_V_RINGS_TX_MAX, TA_ETH_RINGS, 5, 4, TA_ETH_V_RINGS_TX_MAX, "rings", "tx", "max"),
	U32(TA_ETH_V_RINGS_RX, TA_ETH_RINGS, 6, 5, TA_ETH_V_RINGS_RX_MAX, "rings", "rx", "current"),
	U32(TA_ETH_V_RINGS_TX, TA_ETH_RINGS, 9, 8, TA_ETH_V_RINGS_TX_MAX, "rings", "tx", "current"),
	U32(TA_ETH_V_RX_USECS, TA_ETH_COALESCE, 2, 1, TA_ETH_V_RX_USECS, "coalesce", "rx_usecs"),
	U32(TA_ETH_V_RX_FRAMES, TA_ETH_COALESCE, 3, 2, TA_ETH_V_RX_FRAMES, "coalesce", "rx_frames"),
	U32(TA_ETH_V_TX_USECS, TA_ETH_COALESCE, 6, 5, TA_ETH_V_TX_USECS, "coalesce", "tx_usecs"),
	U32(TA_ETH_V_TX_FRAMES, TA_ETH_COALESCE, 7, 6, TA_ETH_V_TX_FRAMES, "coalesce", "tx_frames"),
	FLAG(TA_ETH_V_ADAPTIVE_RX, TA_ETH_COALESCE, 11, 10, true, "coalesce", "adaptive_rx"),
	FLAG(TA_ETH_V_ADAPTIVE_TX, TA_ETH_COALESCE, 12, 11, true, "coalesce", "adaptive_tx"),
	FLAG(TA_ETH_V_PAUSE_AUTONEG, TA_ETH_PAUSE, 2, 1, false, "pause", "autoneg"),
	FLAG(TA_ETH_V_PAUSE_RX, TA_ETH_PAUSE, 3, 2, false, "pause", "rx"),
	FLAG(TA_ETH_V_PAUSE_TX, TA_ETH_PAUSE, 4, 3, false, "pause", "tx"),
	FLAG(TA_ETH_V_EEE_ACTIVE, TA_ETH_EEE, 4, 4, false, "eee", "active"),
	FLAG(TA_ETH_V_EEE_ENABLED, TA_ETH_EEE, 5, 5, false, "eee", "enabled"),
};
/* clang-format on */

void ta_ethtools_done(struct ta_ethtools *e)
{
	for (size_t i = 0; i < e->n; i++)
		ta_cpuset_done(&e->v[i].rss.queues);
	free(e->v);
	ta_strv_done(&e->names.features);
	ta_strv_done(&e->names.link_modes);
	*e = (struct ta_ethtools){0};
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int ta_eth_take_table(const uint32_t *table, size_t n, struct ta_eth_rss *ret)
{
	uint32_t *sorted = calloc(n + 1, sizeof(*sorted));
	int rc = sorted ? 0 : -ENOMEM;

	ta_cpuset_done(&ret->queues);
	ret->slots = (int64_t)n;
	ret->fewest = ret->most = 0;
	if (rc == 0 && n) {
		memcpy(sorted, table, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), by_number);
	}
	for (size_t start = 0, end; rc == 0 && start < n; start = end) {
		int64_t slots;

		for (end = start + 1; end < n && sorted[end] == sorted[start]; end++)
			;
		slots = (int64_t)(end - start);
		ret->fewest = start == 0 ? slots : TA_MIN(ret->fewest, slots);
		ret->most = TA_MAX(ret->most, slots);
		rc = ta_cpuset_add(&ret->queues, sorted[start]);
	}
	free(sorted);
	return rc == -ERANGE ? -EBADMSG : rc;
}

int ta_eth_take_rss(const struct ta_nic_rss *rss, struct ta_eth_rss *ret)
{
	ret->key_bytes = (int64_t)rss->n_key;
	ret->hfunc = rss->hfunc;
	return ta_eth_take_table(rss->table, rss->n, ret);
}

static void init(struct ta_ethtool *e)
{
	struct ta_val none = {.rc = -EOPNOTSUPP};

	for (size_t i = 0; i < TA_ETH_N_MSGS; i++)
		e->rc[i] = -EOPNOTSUPP;
	for (size_t i = 0; i < TA_ETH_N_VALUES; i++)
		e->v[i] = none;
	e->autoneg = e->speed_mbps = e->duplex = none;
	e->advertised_max_mbps = e->supported_max_mbps = e->peer_max_mbps = none;
}

/* By ioctl what the dump of one message did not bring. */
static void fill_by_ioctl(
	struct ta_host *h, const struct ta_nicset *set, enum ta_eth_msg msg, struct ta_ethtools *e)
{
	for (size_t i = 0; i < e->n; i++) {
		const struct ta_link *l = &set->links.v[i];

		if (e->v[i].rc[msg] == 0)
			continue;
		if (l->surplus) {
			e->v[i].rc[msg] = -ENOENT;
			continue;
		}
		ta_eth_ioctl(h, l->name, msg, e, &e->v[i]);
		if (e->v[i].rc[msg] == -ENODATA && !ta_host_is_live(h))
			ta_eth_from_text(h, l->name, msg, e, &e->v[i]);
	}
}

int ta_ethtools_read(struct ta_host *h, const struct ta_nicset *set, struct ta_ethtools *ret)
{
	struct ta_ethtools e = {.n = set->links.n};
	int rc_msg[TA_ETH_N_MSGS];
	int rc;

	e.v = calloc(e.n + 1, sizeof(*e.v));
	if (!e.v)
		return -ENOMEM;
	for (size_t i = 0; i < e.n; i++)
		init(&e.v[i]);
	rc = ta_eth_netlink(h, set, &e, rc_msg);
	for (size_t m = 0; rc == 0 && m < TA_ETH_N_MSGS; m++)
		if (rc_msg[m] < 0)
			fill_by_ioctl(h, set, (enum ta_eth_msg)m, &e);
	if (rc < 0) {
		ta_ethtools_done(&e);
		return rc;
	}
	*ret = e;
	return 0;
}
