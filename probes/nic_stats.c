/*
 * Losses that drivers count for themselves: drops per queue, packets missed for
 * want of buffers, what a cloud's allowance cut off. Some cards ask their
 * firmware for these, so it is a probe of its own, run only where it is needed.
 */
#include <errno.h>

#include "probe/nicset.h"
#include "probe/nicstat.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"counters.nic_driver.*.*", TA_T_INT, "",
		"a driver's own counter of lost packets (ethtool -S), those of queues added up "
		"under one name",
		TA_F_VOLATILE, {{0}}},
};

static void put_stats(struct ta_host *h, struct ta_facts *f, const char *nic)
{
	ta_cleanup_nicstats struct ta_nicstats stats = TA_NICSTATS_INIT;
	int rc = ta_nicstats_read(h, nic, &stats);

	if (rc == -EOPNOTSUPP)
		ta_facts_put_absent(f, TA_KEYS("counters", "nic_driver", nic), TA_UNSUPPORTED,
			"its driver has none");
	else if (rc < 0)
		ta_put_errno(f, rc, "ethtool", "counters", "nic_driver", nic);
	else
		ta_put_object(f, "counters", "nic_driver", nic);
	for (size_t i = 0; i < stats.n; i++)
		ta_put_u64(f, stats.v[i].value, "counters", "nic_driver", nic, stats.v[i].name);
}

static void nic_stats_collect(struct ta_host *h, struct ta_facts *f)
{
	struct ta_nicset set = {0};
	int rc = ta_nicset_read(h, &set);

	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/class/net and rtnetlink", "counters", "nic_driver");
		return;
	}
	ta_put_object(f, "counters", "nic_driver");
	for (size_t i = 0; i < set.links.n; i++) {
		const struct ta_link *l = &set.links.v[i];

		if (ta_nic_is_physical(l, ta_nicset_device(&set, h, l)) != 0)
			put_stats(h, f, l->name);
	}
	ta_nicset_done(&set);
}

const struct ta_probe ta_probe_nic_stats = {
	.name = "nic_stats",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = nic_stats_collect,
};
