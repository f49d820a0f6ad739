/*
 * Receive and transmit steering of an interface as a whole.
 */
#include <string.h>

#include <json-c/json.h>

#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"nics.*.rps_cpus", TA_T_INTS, "CPUs",
		"CPUs that any receive queue hands packets to (RPS); empty: off", TA_F_CPUS, {}},
	{"nics.*.rps_queues", TA_T_INT, "queues", "receive queues with RPS", 0, {}},
	{"nics.*.rps_flow_cnt_sum", TA_T_INT, "flows", "flows steered by all receive queues (RFS)",
		0, {}},
	{"nics.*.xps_cpus", TA_T_INTS, "CPUs",
		"CPUs that some transmit queue is meant for (XPS); empty: off", TA_F_CPUS, {}},
	{"nics.*.xps_queues", TA_T_INT, "queues", "transmit queues with XPS", 0, {}},
};

static const char *const needs[] = {"nics.*.rps", "nics.*.rps_flow_cnt", "nics.*.xps", NULL};

static void copy_absence(struct ta_facts *f, const char *nic, const char *from, const char *to)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	ta_path_format(&path, TA_KEYS("nics", nic, from));
	why = ta_facts_absence(f, ta_buf_text(&path));
	ta_facts_put_absent(f, TA_KEYS("nics", nic, to), why.reason, "%s", why.detail);
}

/* Union and number of the non-empty sets of one group of queues; false if one of them is not known.
 */
static bool put_union(struct ta_facts *f, const char *nic, const char *group, const char *cpus_key,
	const char *queues_key)
{
	struct json_object *queues = ta_facts_at(f, TA_KEYS("nics", nic, group));
	ta_cleanup_cpuset struct ta_cpuset all = TA_CPUSET_INIT;
	int64_t n = 0;

	if (!json_object_is_type(queues, json_type_object))
		return false;
	json_object_object_foreach(queues, queue, unused)
	{
		ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;

		(void)unused;
		if (!ta_facts_get_cpus(f, TA_KEYS("nics", nic, group, queue), &cpus) ||
			ta_cpuset_or(&all, &cpus) < 0)
			return false;
		n += ta_cpuset_count(&cpus) > 0;
	}
	ta_put_cpus(f, &all, "nics", nic, cpus_key);
	ta_put_i64(f, n, "nics", nic, queues_key);
	return true;
}

static bool put_flows(struct ta_facts *f, const char *nic)
{
	struct json_object *queues = ta_facts_at(f, TA_KEYS("nics", nic, "rps_flow_cnt"));
	int64_t sum = 0, one;

	if (!json_object_is_type(queues, json_type_object))
		return false;
	json_object_object_foreach(queues, queue, unused)
	{
		(void)unused;
		if (!ta_facts_get_i64(f, TA_KEYS("nics", nic, "rps_flow_cnt", queue), &one) ||
			__builtin_add_overflow(sum, one, &sum))
			return false;
	}
	ta_put_i64(f, sum, "nics", nic, "rps_flow_cnt_sum");
	return true;
}

static void compute(struct ta_facts *f)
{
	struct json_object *nics = ta_facts_at(f, TA_KEYS("nics"));

	if (!json_object_is_type(nics, json_type_object))
		return;
	json_object_object_foreach(nics, nic, unused)
	{
		(void)unused;
		if (ta_derive_skips_nic(f, nic))
			continue;
		if (!put_union(f, nic, "rps", "rps_cpus", "rps_queues")) {
			copy_absence(f, nic, "rps", "rps_cpus");
			copy_absence(f, nic, "rps", "rps_queues");
		}
		if (!put_flows(f, nic))
			copy_absence(f, nic, "rps_flow_cnt", "rps_flow_cnt_sum");
		if (!put_union(f, nic, "xps", "xps_cpus", "xps_queues")) {
			copy_absence(f, nic, "xps", "xps_cpus");
			copy_absence(f, nic, "xps", "xps_queues");
		}
	}
}

const struct ta_derivation ta_derive_nic_steering = {
	.name = "nic_steering",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
