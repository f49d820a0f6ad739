/*
 * What queueing disciplines dropped and hold now: packets that this host itself
 * did not send, in front of the driver. One rtnetlink dump; a probe of its own,
 * because counters may be read twice.
 */
#include <string.h>

#include "probe/nicset.h"
#include "probe/probe.h"
#include "probe/qdisc.h"

static const struct ta_field fields[] = {
	{"counters.qdisc.*.drops", TA_T_INT, "packets", "dropped by the root discipline and those below it (32 bits: wraps)",
		TA_F_VOLATILE | TA_F_WRAPS32, {{0}}},
	{"counters.qdisc.*.overlimits", TA_T_INT, "", "times that it held packets back to keep a rate",
		TA_F_VOLATILE | TA_F_WRAPS32, {{0}}},
	{"counters.qdisc.*.requeues", TA_T_INT, "", "packets that the driver gave back: its ring was full",
		TA_F_VOLATILE | TA_F_WRAPS32, {{0}}},
	{"counters.qdisc.*.qlen", TA_T_INT, "packets", "waiting now", TA_F_VOLATILE | TA_F_LEVEL, {{0}}},
	{"counters.qdisc.*.backlog_bytes", TA_T_INT, "bytes", "waiting now", TA_F_VOLATILE | TA_F_LEVEL, {{0}}},
};

static void put_qdisc(struct ta_facts *f, const char *nic, const struct ta_qdisc *d)
{
	const struct {
		const char *key;
		struct ta_val v;
	} rows[] = {{"drops", d->drops}, {"overlimits", d->overlimits}, {"requeues", d->requeues}, {"qlen", d->qlen},
		{"backlog_bytes", d->backlog_bytes}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(rows); i++)
		ta_put_val(f, TA_KEYS("counters", "qdisc", nic, rows[i].key), rows[i].v, "statistics of the queue");
}

static void put_nic(struct ta_facts *f, const struct ta_qdiscs *q, const struct ta_link *l)
{
	const struct ta_qdisc *root = l->ifindex.rc == 0 ? ta_qdiscs_root(q, (int)l->ifindex.v) : NULL;

	if (l->surplus)
		ta_facts_put_absent(f, TA_KEYS("counters", "qdisc", l->name), TA_NOT_ASKED, TA_NICSET_SURPLUS);
	else if (root && strcmp(root->kind, "noqueue") != 0)
		put_qdisc(f, l->name, root);
	else
		ta_facts_put_absent(f, TA_KEYS("counters", "qdisc", l->name), TA_UNSUPPORTED, "no queue");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_qdiscs struct ta_qdiscs q = TA_QDISCS_INIT;
	struct ta_nicset set = {0};
	int rc = ta_qdiscs_netlink(h, &q);

	if (rc == 0)
		rc = ta_nicset_read(h, &set);
	if (rc < 0) {
		ta_put_errno(f, rc, "rtnetlink", "counters", "qdisc");
		return;
	}
	ta_put_object(f, "counters", "qdisc");
	for (size_t i = 0; i < set.links.n; i++)
		put_nic(f, &q, &set.links.v[i]);
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_qdisc_counters = {
	.name = "qdisc_counters",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
