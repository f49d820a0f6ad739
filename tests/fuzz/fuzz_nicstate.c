/*
 * Answers of the kernel from any bytes, as the knobs of interfaces read them: what they make of it can be put back, or is refused.
 * The first byte says what is answered.
 */
#include <stdlib.h>
#include <string.h>

#include "fix/nicknob.h"
#include "host/netlink.h"
#include "nic/featuretext.h"
#include "nic/link.h"
#include "nic/qdisc.h"
#include "nic/rsstext.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void put_back(const struct ta_knob *knob, const struct ta_buf *b)
{
	/* no driver tells that it has no queue at all */
	if (b->len && knob != &ta_knob_channels && knob->check("eth0", ta_buf_text(b), TA_VALUE_FOUND, NULL) < 0)
		abort();
}

static void numbers(const struct nlmsghdr *nlh, const struct ta_nic_group *g, const struct ta_knob *knob)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_nic_values v;

	if (ta_nic_values_decode(g, nlh, &v) < 0)
		return;
	ta_nic_values_format(g, &v, &b);
	put_back(knob, &b);
}

static void features(const struct nlmsghdr *nlh)
{
	ta_cleanup_eth_names struct ta_eth_names names = {0};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_eth_features f = {0};

	for (int i = 0; i < 300; i++)
		ta_strv_add(&names.features, i % 7 ? "rx-gro" : "");
	ta_eth_features_decode(nlh, &f);
	ta_features_format(&f, &names.features, &b);
	put_back(&ta_knob_features, &b);
}

static void rss(const struct nlmsghdr *nlh)
{
	ta_cleanup_nic_rss struct ta_nic_rss r = TA_NIC_RSS_INIT;
	ta_cleanup_rss_table struct ta_rss_table t = TA_RSS_TABLE_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (ta_nic_rss_decode(nlh, &r) != 0 || !r.n)
		return;
	ta_rss_table_format(r.table, r.n, (uint32_t)r.n_key, &b);
	for (size_t i = 0; i < r.n; i++)
		if (r.table[i] > 65535)
			return;
	if (r.n <= TA_NIC_RSS_MAX && ta_rss_table_parse(ta_buf_text(&b), b.len, &t) < 0)
		abort();
}

struct state {
	uint8_t what;
	struct ta_nic_qdisc qdisc;
};

static int on_message(const struct nlmsghdr *nlh, void *ctx)
{
	struct state *s = ctx;
	struct ta_nic_link link;

	switch (s->what % 7) {
	case 0:
		numbers(nlh, &ta_nic_channels, &ta_knob_channels);
		break;
	case 1:
		numbers(nlh, &ta_nic_rings, &ta_knob_rings);
		break;
	case 2:
		numbers(nlh, &ta_nic_coalesce, &ta_knob_coalesce);
		break;
	case 3:
		features(nlh);
		break;
	case 4:
		rss(nlh);
		break;
	case 5:
		ta_nic_qdisc_decode(nlh, &s->qdisc);
		break;
	default:
		if (ta_nic_link_decode(nlh, &link) == 0 && !ta_nic_name_valid(link.name, strlen(link.name)))
			abort();
	}
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct state s = {.qdisc.ifindex = 2};
	struct ta_nic_qdisc again;
	char *copy;

	if (size == 0)
		return 0;
	s.what = data[0];
	copy = malloc(size);
	if (!copy)
		abort();
	memcpy(copy, data + 1, size - 1);
	ta_nl_parse(copy, size - 1, on_message, &s);
	ta_nic_qdisc_sort(&s.qdisc);
	ta_nic_qdisc_format(&s.qdisc, &text);
	/* What the knob does not know it does not read. */
	if (ta_nic_qdisc_parse(ta_buf_text(&text), &again) == 0 && strcmp(again.kind, s.qdisc.kind) != 0)
		abort();
	free(copy);
	return 0;
}
