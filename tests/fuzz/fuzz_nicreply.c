/*
 * Answers of rtnetlink and ethtool from any bytes. The first byte says what they pretend to answer,
 * the rest is an answer as captures hold it.
 */
#include <stdlib.h>
#include <string.h>

#include "host/netlink.h"
#include "probe/ethtool.h"
#include "probe/link.h"
#include "probe/qdisc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct all {
	uint8_t what;
	struct ta_links links;
	struct ta_qdiscs qdiscs;
	struct ta_ethtools e;
};

static int on_message(const struct nlmsghdr *nlh, void *ctx)
{
	struct all *a = ctx;

	ta_eth_decode_header(nlh);
	if (a->what < TA_ETH_N_MSGS)
		ta_eth_decode((enum ta_eth_msg)a->what, nlh, &a->e.names, a->e.v);
	else if (a->what == TA_ETH_N_MSGS)
		ta_eth_decode_strings(nlh, &a->e.names);
	else if (a->what == TA_ETH_N_MSGS + 1)
		ta_qdiscs_decode(nlh, &a->qdiscs);
	else
		ta_links_decode(nlh, &a->links);
	return 0;
}

/* In order, and each interface finds its own. */
static void check_qdiscs(const struct ta_qdiscs *q)
{
	for (size_t i = 0; i < q->n; i++) {
		ta_cleanup_strv struct ta_strv kinds = TA_STRV_INIT;
		const struct ta_qdisc *root = ta_qdiscs_root(q, q->v[i].ifindex);
		struct ta_val limit;

		ta_qdiscs_leaves(q, q->v[i].ifindex, &kinds, &limit);
		if ((i && q->v[i - 1].ifindex > q->v[i].ifindex) || (q->v[i].is_root ? !root : kinds.n == 0) ||
			(root && root->ifindex != q->v[i].ifindex) || strlen(q->v[i].kind) > 31)
			abort();
	}
}

static void check(const struct all *a)
{
	const struct ta_eth_rss *rss = &a->e.v[0].rss;

	for (size_t i = 0; i < a->links.n; i++)
		if (!a->links.v[i].name || !*a->links.v[i].name)
			abort();
	check_qdiscs(&a->qdiscs);
	if (a->e.v[0].rc[TA_ETH_RSS] == 0 &&
		rss->fewest * (int64_t)ta_cpuset_count(&rss->queues) > rss->slots)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct all a = {0};
	char *copy;

	if (size == 0)
		return 0;
	a.what = data[0] % (TA_ETH_N_MSGS + 3);
	a.e.v = calloc(1, sizeof(*a.e.v));
	a.e.n = 1;
	copy = malloc(size);
	if (!a.e.v || !copy)
		abort();
	memcpy(copy, data + 1, size - 1);
	ta_nl_parse(copy, size - 1, on_message, &a);
	ta_qdiscs_sort(&a.qdiscs);
	check(&a);
	free(copy);
	ta_links_done(&a.links);
	ta_qdiscs_done(&a.qdiscs);
	ta_ethtools_done(&a.e);
	return 0;
}
