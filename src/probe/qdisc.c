/*
 * mq and its like are only a frame: what delays packets are the disciplines
 * below, one per transmit queue. Each kind is kept once per interface.
 */
#include "probe/qdisc.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

void ta_qdiscs_done(struct ta_qdiscs *q)
{
	free(q->v);
	*q = (struct ta_qdiscs)TA_QDISCS_INIT;
}

static int add(struct ta_qdiscs *q, int ifindex, const char *kind, size_t len)
{
	struct ta_qdisc *d;

	len = TA_MIN(len, sizeof(d->kind) - 1);
	/* The dump goes interface by interface: doubles are near the end. */
	for (size_t i = q->n; i > 0 && q->v[i - 1].ifindex == ifindex; i--)
		if (strlen(q->v[i - 1].kind) == len && memcmp(q->v[i - 1].kind, kind, len) == 0)
			return 0;
	if (q->n == q->cap) {
		size_t cap = q->cap ? q->cap * 2 : 16;
		struct ta_qdisc *v = reallocarray(q->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		q->v = v;
		q->cap = cap;
	}
	d = &q->v[q->n++];
	*d = (struct ta_qdisc){.ifindex = ifindex};
	memcpy(d->kind, kind, len);
	return 0;
}

int ta_qdiscs_decode(const struct nlmsghdr *nlh, struct ta_qdiscs *q)
{
	const struct tcmsg *tc;
	const struct nlattr *a;

	if (nlh->nlmsg_type != RTM_NEWQDISC)
		return 0;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*tc))
		return -EBADMSG;
	tc = mnl_nlmsg_get_payload(nlh);
	if (tc->tcm_parent == TC_H_ROOT || tc->tcm_parent == TC_H_INGRESS)
		return 0;
	mnl_attr_for_each(a, nlh, sizeof(*tc)) if (mnl_attr_get_type(a) == TCA_KIND) return add(q,
		tc->tcm_ifindex, mnl_attr_get_payload(a),
		strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a)));
	return 0;
}

static int on_qdisc(const struct nlmsghdr *nlh, void *ctx)
{
	return ta_qdiscs_decode(nlh, ctx);
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
	*ret = q;
	q = (struct ta_qdiscs)TA_QDISCS_INIT;
	return 0;
}

void ta_qdiscs_of(const struct ta_qdiscs *q, int ifindex, struct ta_strv *ret)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->v[i].ifindex == ifindex)
			ta_strv_add(ret, q->v[i].kind);
}
