/*
 * Per-queue settings: which CPUs receive packets for a queue (RPS), which send
 * through it (XPS), how many flows are steered (RFS), byte queue limits.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/nicset.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"nics.*.rps.*", TA_T_INTS, "CPUs",
		"CPUs that share the packets of a receive queue (queues/rx-N/rps_cpus)", TA_F_CPUS,
		{{0}}},
	{"nics.*.rps_flow_cnt.*", TA_T_INT, "flows",
		"flows steered per receive queue (queues/rx-N/rps_flow_cnt)", 0, {{0}}},
	{"nics.*.xps.*", TA_T_INTS, "CPUs",
		"CPUs that send through a transmit queue (queues/tx-N/xps_cpus)", TA_F_CPUS, {{0}}},
	{"nics.*.bql.limit_max", TA_T_INT, "bytes",
		"upper bound of byte queue limits, first transmit queue", 0, {{0}}},
	{"nics.*.bql.limit_min", TA_T_INT, "bytes",
		"lower bound of byte queue limits, first transmit queue", 0, {{0}}},
};

static void put_rx(struct ta_host *h, struct ta_facts *f, const char *name, const char *queue)
{
	char file[512];

	ta_read_cpumask(h, f, ta_fmt(&file, "/sys/class/net/%s/queues/rx-%s/rps_cpus", name, queue),
		TA_KEYS("nics", name, "rps", queue));
	ta_read_int(h, f, ta_fmt(&file, "/sys/class/net/%s/queues/rx-%s/rps_flow_cnt", name, queue),
		TA_KEYS("nics", name, "rps_flow_cnt", queue));
}

static void put_bql(struct ta_host *h, struct ta_facts *f, const char *name)
{
	char file[512];

	ta_read_int(h, f,
		ta_fmt(&file, "/sys/class/net/%s/queues/tx-0/byte_queue_limits/limit_max", name),
		TA_KEYS("nics", name, "bql", "limit_max"));
	ta_read_int(h, f,
		ta_fmt(&file, "/sys/class/net/%s/queues/tx-0/byte_queue_limits/limit_min", name),
		TA_KEYS("nics", name, "bql", "limit_min"));
}

static void put_queues(struct ta_host *h, struct ta_facts *f, const char *name)
{
	static const char *const groups[] = {"rps", "rps_flow_cnt", "xps", "bql"};
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	size_t n_tx = 0;
	char file[512];
	int rc;

	rc = ta_host_list(h, ta_fmt(&file, "/sys/class/net/%s/queues", name), &names);
	for (size_t i = 0; i < TA_ARRAY_SIZE(groups) && rc < 0; i++)
		ta_put_errno(f, rc, file, "nics", name, groups[i]);
	if (rc < 0)
		return;
	ta_put_object(f, "nics", name, "rps");
	ta_put_object(f, "nics", name, "rps_flow_cnt");
	for (size_t i = 0; i < names.n; i++) {
		n_tx += strncmp(names.v[i], "tx-", 3) == 0;
		if (strncmp(names.v[i], "rx-", 3) == 0)
			put_rx(h, f, name, names.v[i] + 3);
	}
	put_bql(h, f, name);
	/* With a single queue there is nothing to choose: reading gives ENOENT
	 * (net/core/net-sysfs.c). */
	if (n_tx < 2) {
		ta_facts_put_absent(
			f, TA_KEYS("nics", name, "xps"), TA_UNSUPPORTED, "one transmit queue");
		return;
	}
	ta_put_object(f, "nics", name, "xps");
	for (size_t i = 0; i < names.n; i++)
		if (strncmp(names.v[i], "tx-", 3) == 0)
			ta_read_cpumask(h, f,
				ta_fmt(&file, "/sys/class/net/%s/queues/%s/xps_cpus", name,
					names.v[i]),
				TA_KEYS("nics", name, "xps", names.v[i] + 3));
}

static void put_none(struct ta_facts *f, const char *name, enum ta_reason why, const char *detail)
{
	static const char *const groups[] = {"rps", "rps_flow_cnt", "xps", "bql"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(groups); i++)
		ta_facts_put_absent(f, TA_KEYS("nics", name, groups[i]), why, "%s", detail);
}

static void put_link(struct ta_host *h, struct ta_facts *f, const struct ta_link *l, const struct ta_netdev *d)
{
	if (!d)
		put_none(f, l->name, TA_MISSING, "not in /sys/class/net");
	else
		put_queues(h, f, l->name);
}

static void nic_queues_collect(struct ta_host *h, struct ta_facts *f)
{
	ta_nicset_put_each(h, f, put_link);
}

const struct ta_probe ta_probe_nic_queues = {
	.name = "nic_queues",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = nic_queues_collect,
};
