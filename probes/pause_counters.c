/*
 * Pause frames that interfaces exchanged: a port that is held up loses nothing
 * and stands still. One dump, with the flag that asks for statistics (5.10).
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/genetlink.h>

#include "nic/abi.h"
#include "nic/attr.h"
#include "probe/ethtool.h"
#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"counters.pause.*.rx_frames", TA_T_INT, "frames", "pause frames received: the switch held this port up", TA_F_VOLATILE, {{0}}},
	{"counters.pause.*.tx_frames", TA_T_INT, "frames", "pause frames sent: this port held the switch up", TA_F_VOLATILE, {{0}}},
};

struct dump {
	struct ta_facts *f;
	const struct ta_nicset *set;
};

static void put(struct ta_facts *f, const char *nic, const char *key, const struct nlattr *stats, unsigned type)
{
	const struct nlattr *a = stats ? ta_nic_attr_nested(stats, type) : NULL;

	if (!a)
		ta_facts_put_absent(
			f, TA_KEYS("counters", "pause", nic, key), TA_UNSUPPORTED, "its driver does not count them");
	else if (mnl_attr_get_payload_len(a) < sizeof(uint64_t))
		ta_put_errno(f, -EBADMSG, "ethtool", "counters", "pause", nic, key);
	else
		ta_put_u64(f, mnl_attr_get_u64(a), "counters", "pause", nic, key);
}

static int on_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct dump *d = ctx;
	const struct ta_link *l = ta_links_by_index(&d->set->links, ta_eth_decode_header(nlh));
	const struct nlattr *stats;

	if (!ta_nic_is_reply(nlh, TA_ETH_PAUSE_GET_REPLY) || !l || l->surplus)
		return 0;
	stats = ta_nic_attr_genl(nlh, TA_ETH_A_PAUSE_STATS);
	ta_put_object(d->f, "counters", "pause", l->name);
	put(d->f, l->name, "rx_frames", stats, TA_ETH_A_PAUSE_STAT_RX_FRAMES);
	put(d->f, l->name, "tx_frames", stats, TA_ETH_A_PAUSE_STAT_TX_FRAMES);
	return 0;
}

static int ask(struct ta_host *h, struct dump *d)
{
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT;
	struct ta_genl request = {
		.family = "ethtool", .cmd = TA_ETH_PAUSE_GET, .version = 1, .flags = NLM_F_DUMP};
	size_t nest = ta_nic_put_nest(&attrs, TA_ETH_A_HEADER);

	ta_nic_put_u32(&attrs, TA_ETH_A_HEADER_FLAGS, TA_ETH_FLAG_COMPACT_BITSETS | TA_ETH_FLAG_STATS);
	ta_nic_put_end(&attrs, nest);
	if (attrs.error)
		return attrs.error;
	request.attrs = attrs.data;
	request.attrs_len = attrs.len;
	return ta_host_genl(h, "ethtool/pause-stats", &request, on_reply, d);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	struct ta_nicset set = {0};
	struct dump d = {f, &set};
	int rc = ta_nicset_read(h, &set);

	if (rc == 0)
		rc = ask(h, &d);
	if (rc < 0) {
		ta_put_errno(f, rc, "ethtool", "counters", "pause");
		ta_nicset_done(&set);
		return;
	}
	ta_put_object(f, "counters", "pause");
	/* Whom the dump left out has no pause frames. */
	for (size_t i = 0; i < set.links.n; i++)
		if (!ta_facts_at(f, TA_KEYS("counters", "pause", set.links.v[i].name)))
			ta_facts_put_absent(f, TA_KEYS("counters", "pause", set.links.v[i].name), TA_UNSUPPORTED,
				"its driver has no pause frames");
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_pause_counters = {
	.name = "pause_counters",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
