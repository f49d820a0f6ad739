/*
 * mq and its like are only a frame: what delays packets are the disciplines
 * below, one per transmit queue.
 */
#include "probe/qdisc.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

void ta_qdiscs_done(struct ta_qdiscs *q)
{
	free(q->v);
	*q = (struct ta_qdiscs)TA_QDISCS_INIT;
}

static struct ta_qdisc *append(struct ta_qdiscs *q)
{
	if (q->n == q->cap) {
		size_t cap = q->cap ? q->cap * 2 : 16;
		struct ta_qdisc *v = reallocarray(q->v, cap, sizeof(*v));

		if (!v)
			return NULL;
		q->v = v;
		q->cap = cap;
	}
	return &q->v[q->n++];
}

/* --- one message ------------------------------------------------------------- */

static struct ta_val word_at(const struct nlattr *a, size_t offset)
{
	uint32_t v;

	if (mnl_attr_get_payload_len(a) < offset + sizeof(v))
		return (struct ta_val){.rc = -EBADMSG};
	memcpy(&v, (const char *)mnl_attr_get_payload(a) + offset, sizeof(v));
	return (struct ta_val){.v = v};
}

static const struct nlattr *find_nested(const struct nlattr *nest, unsigned type)
{
	const struct nlattr *a;

	mnl_attr_for_each_nested(a, nest) if (mnl_attr_get_type(a) == type) return a;
	return NULL;
}

/* The attribute of TCA_OPTIONS, or the place in its structure, that holds packets. */
static struct ta_val limit_of(const char *kind, const struct nlattr *options)
{
	static const struct {
		const char *kind;
		int attr;      /* 0: a structure */
		size_t offset; /* in it */
	} rows[] = {
		{"fq", TCA_FQ_PLIMIT, 0},
		{"fq_codel", TCA_FQ_CODEL_LIMIT, 0},
		{"codel", TCA_CODEL_LIMIT, 0},
		{"pie", TCA_PIE_LIMIT, 0},
		{"fq_pie", 1, 0}, /* TCA_FQ_PIE_LIMIT, 5.6 */
		{"pfifo", 0, 0},
		{"sfq", 0, offsetof(struct tc_sfq_qopt, limit)},
		{"netem", 0, offsetof(struct tc_netem_qopt, limit)},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++) {
		if (strcmp(rows[i].kind, kind) != 0)
			continue;
		options = rows[i].attr ? find_nested(options, (unsigned)rows[i].attr) : options;
		return options ? word_at(options, rows[i].offset) : (struct ta_val){.rc = -EOPNOTSUPP};
	}
	return (struct ta_val){.rc = -EOPNOTSUPP};
}

static void read_stats(const struct nlattr *stats, struct ta_qdisc *d)
{
	const struct nlattr *a = find_nested(stats, TCA_STATS_QUEUE);

	if (!a)
		return;
	d->qlen = word_at(a, offsetof(struct gnet_stats_queue, qlen));
	d->backlog_bytes = word_at(a, offsetof(struct gnet_stats_queue, backlog));
	d->drops = word_at(a, offsetof(struct gnet_stats_queue, drops));
	d->requeues = word_at(a, offsetof(struct gnet_stats_queue, requeues));
	d->overlimits = word_at(a, offsetof(struct gnet_stats_queue, overlimits));
}

int ta_qdiscs_decode(const struct nlmsghdr *nlh, struct ta_qdiscs *q)
{
	const struct nlattr *a, *kind = NULL, *options = NULL, *stats = NULL;
	const struct tcmsg *tc;
	struct ta_qdisc d;
	size_t len;

	if (nlh->nlmsg_type != RTM_NEWQDISC)
		return 0;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*tc))
		return -EBADMSG;
	tc = mnl_nlmsg_get_payload(nlh);
	if (tc->tcm_parent == TC_H_INGRESS)
		return 0;
	mnl_attr_for_each(a, nlh, sizeof(*tc))
	{
		unsigned type = mnl_attr_get_type(a);

		kind = type == TCA_KIND ? a : kind;
		options = type == TCA_OPTIONS ? a : options;
		stats = type == TCA_STATS2 ? a : stats;
	}
	if (!kind)
		return 0;
	d = (struct ta_qdisc){.ifindex = tc->tcm_ifindex, .is_root = tc->tcm_parent == TC_H_ROOT};
	d.drops = d.overlimits = d.requeues = d.qlen = d.backlog_bytes = TA_VAL_NONE;
	len = strnlen(mnl_attr_get_payload(kind), mnl_attr_get_payload_len(kind));
	memcpy(d.kind, mnl_attr_get_payload(kind), TA_MIN(len, sizeof(d.kind) - 1));
	d.limit = options ? limit_of(d.kind, options) : (struct ta_val){.rc = -EOPNOTSUPP};
	if (stats)
		read_stats(stats, &d);
	if (!append(q))
		return -ENOMEM;
	q->v[q->n - 1] = d;
	return 0;
}

static int on_qdisc(const struct nlmsghdr *nlh, void *ctx)
{
	return ta_qdiscs_decode(nlh, ctx);
}

/* --- all of them -------------------------------------------------------------------- */

static bool in_order(const struct ta_qdiscs *q)
{
	for (size_t i = 1; i < q->n; i++)
		if (q->v[i - 1].ifindex > q->v[i].ifindex)
			return false;
	return true;
}

static int by_ifindex(const void *a, const void *b)
{
	const struct ta_qdisc *const *x = a, *const *y = b;

	if ((*x)->ifindex != (*y)->ifindex)
		return ((*x)->ifindex > (*y)->ifindex) - ((*x)->ifindex < (*y)->ifindex);
	return (*x > *y) - (*x < *y);
}

/* The kernel goes interface by interface, in the order of its list: mostly there is nothing to do. Without
 * memory the order stays, and some interfaces are not found. */
void ta_qdiscs_sort(struct ta_qdiscs *q)
{
	const struct ta_qdisc **order;
	struct ta_qdisc *sorted;

	if (in_order(q))
		return;
	order = calloc(q->n, sizeof(*order));
	sorted = calloc(q->n, sizeof(*sorted));
	for (size_t i = 0; order && i < q->n; i++)
		order[i] = &q->v[i];
	if (order && sorted)
		qsort(order, q->n, sizeof(*order), by_ifindex);
	for (size_t i = 0; order && sorted && i < q->n; i++)
		sorted[i] = *order[i];
	free(order);
	if (!sorted)
		return;
	free(q->v);
	q->v = sorted;
	q->cap = q->n;
}

int ta_qdiscs_netlink(struct ta_host *h, struct ta_qdiscs *ret)
{
	ta_cleanup_qdiscs struct ta_qdiscs q = TA_QDISCS_INIT;
	struct {
		struct nlmsghdr nlh;
		struct tcmsg tc;
	} request = {
		.nlh =
			{
				.nlmsg_len = sizeof(request),
				.nlmsg_type = RTM_GETQDISC,
				.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			},
	};
	int rc = ta_host_netlink(h, NETLINK_ROUTE, "route/qdisc", &request.nlh, on_qdisc, &q);

	if (rc < 0)
		return rc;
	ta_qdiscs_sort(&q);
	*ret = q;
	q = (struct ta_qdiscs)TA_QDISCS_INIT;
	return 0;
}

/* Where those of the interface begin. */
static size_t first_of(const struct ta_qdiscs *q, int ifindex)
{
	size_t low = 0, high = q->n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (q->v[mid].ifindex < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const struct ta_qdisc *ta_qdiscs_root(const struct ta_qdiscs *q, int ifindex)
{
	for (size_t i = first_of(q, ifindex); i < q->n && q->v[i].ifindex == ifindex; i++)
		if (q->v[i].is_root)
			return &q->v[i];
	return NULL;
}

void ta_qdiscs_leaves(const struct ta_qdiscs *q, int ifindex, struct ta_strv *kinds, struct ta_val *ret_limit)
{
	*ret_limit = TA_VAL_NONE;
	for (size_t i = first_of(q, ifindex); i < q->n && q->v[i].ifindex == ifindex; i++) {
		const struct ta_qdisc *d = &q->v[i];

		if (d->is_root)
			continue;
		if (!ta_strv_has(kinds, d->kind))
			ta_strv_add(kinds, d->kind);
		if (ret_limit->rc == -ENOENT || (d->limit.rc == 0 && (ret_limit->rc < 0 || d->limit.v < ret_limit->v)))
			*ret_limit = d->limit;
	}
}
