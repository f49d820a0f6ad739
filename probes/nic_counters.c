/*
 * What network interfaces counted, by one rtnetlink dump or the files of sysfs.
 * A probe of its own, because counters may be read twice.
 */
#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"counters.nic.*.*", TA_T_INT, "",
		"interface counters since boot, named as in /sys/class/net/*/statistics",
		TA_F_VOLATILE, {{0}}},
};

static void put_counters(struct ta_facts *f, const struct ta_link *l)
{
	if (l->surplus) {
		ta_facts_put_absent(f, TA_KEYS("counters", "nic", l->name), TA_NOT_ASKED, TA_NICSET_SURPLUS);
		return;
	}
	if (l->counters[0].rc < 0 && l->counters[1].rc < 0) {
		ta_put_errno(f, l->counters[0].rc, "statistics", "counters", "nic", l->name);
		return;
	}
	for (size_t i = 0; i < TA_N_LINK_COUNTERS; i++) {
		const char *const *path =
			TA_KEYS("counters", "nic", l->name, ta_link_counter_names[i]);

		/* All 64 bits of it. */
		if (l->counters[i].rc < 0)
			ta_facts_put_errno(f, path, l->counters[i].rc, "statistics");
		else
			ta_facts_put_u64(f, path, (uint64_t)l->counters[i].v);
	}
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	struct ta_nicset set;
	int rc = ta_nicset_read(h, &set);

	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "counters", "nic");
		return;
	}
	ta_put_object(f, "counters", "nic");
	for (size_t i = 0; i < set.links.n; i++)
		put_counters(f, &set.links.v[i]);
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_nic_counters = {
	.name = "nic_counters",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
