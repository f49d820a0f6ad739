/*
 * Physical cores of each NUMA node: what a NIC's queues and a service's
 * workers near it are counted by.
 */
#include <stdlib.h>

#include <json-c/json.h>

#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"numa.*.physical_cores", TA_T_INT, "cores", "cores with an online CPU in the node", 0, {}},
};

static const char *const needs[] = {"numa", "numa_nodes", "cpu.core_of", "cpu.online_list", "cpu.physical_cores",
	NULL};

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Distinct cores of the online CPUs that are in `node`; −1 without memory. */
static int64_t count_cores(const int64_t *online, const int64_t *core, size_t n, const struct ta_cpuset *node)
{
	int64_t *in = calloc(n + 1, sizeof(*in)), count = 0;
	size_t k = 0;

	if (!in)
		return -1;
	for (size_t i = 0; i < n; i++)
		if (online[i] >= 0 && online[i] < TA_CPU_LIMIT && ta_cpuset_has(node, (unsigned)online[i]))
			in[k++] = core[i];
	qsort(in, k, sizeof(*in), compare);
	for (size_t i = 0; i < k; i++)
		count += i == 0 || in[i] != in[i - 1];
	free(in);
	return count;
}

/* Without the cores of each CPU a single node still has all of them. */
static void from_total(struct ta_facts *f, const char *key)
{
	int64_t nodes, cores;

	if (ta_facts_get_i64(f, TA_KEYS("numa_nodes"), &nodes) && nodes == 1 &&
		ta_facts_get_i64(f, TA_KEYS("cpu", "physical_cores"), &cores)) {
		ta_put_i64(f, cores, "numa", key, "physical_cores");
	} else {
		struct ta_absence why = ta_facts_absence(f, "cpu.core_of");

		ta_facts_put_absent(f, TA_KEYS("numa", key, "physical_cores"), why.reason, "%s", why.detail);
	}
}

static void put_node(struct ta_facts *f, const char *key, const int64_t *online, const int64_t *core, size_t n)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;
	int64_t count;

	if (!core) {
		from_total(f, key);
		return;
	}
	if (!ta_facts_get_cpus(f, TA_KEYS("numa", key, "cpus"), &cpus)) {
		ta_facts_put_absent(f, TA_KEYS("numa", key, "physical_cores"), TA_MISSING,
			"the CPUs of the node are not known");
		return;
	}
	count = count_cores(online, core, n, &cpus);
	if (count >= 0)
		ta_put_i64(f, count, "numa", key, "physical_cores");
}

static void compute(struct ta_facts *f)
{
	struct json_object *numa = ta_facts_at(f, TA_KEYS("numa"));
	int64_t *online = NULL, *core = NULL;
	size_t n_online = 0, n_core = 0;
	bool known = ta_facts_get_ints(f, TA_KEYS("cpu", "online_list"), &online, &n_online) &&
		     ta_facts_get_ints(f, TA_KEYS("cpu", "core_of"), &core, &n_core) && n_online == n_core;

	if (json_object_is_type(numa, json_type_object)) {
		json_object_object_foreach(numa, key, unused)
		{
			(void)unused;
			put_node(f, key, online, known ? core : NULL, n_online);
		}
	}
	free(online);
	free(core);
}

const struct ta_derivation ta_derive_node_cores = {
	.name = "node_cores",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
