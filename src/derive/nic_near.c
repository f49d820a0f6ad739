/*
 * The CPUs near an interface: those of its NUMA node. A host of one node is
 * near as a whole; so is the whole host where the node has no CPUs of its own
 * (a node of memory only), because then none is nearer than another.
 */
#include <stdio.h>
#include <stdlib.h>

#include <json-c/json.h>

#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"nics.*.local_cpus", TA_T_INTS, "CPUs", "online CPUs of its NUMA node", TA_F_CPUS, {}},
	{"nics.*.local_cores", TA_T_INT, "cores", "physical cores among them", 0, {}},
};

static const char *const needs[] = {"nics.*.numa_node", "nics.*.physical", "numa.*.cpus",
	"numa_nodes", "cpu.core_of", "cpu.online_list", "cpu.physical_cores", NULL};

struct host {
	struct ta_cpuset online;
	int64_t *online_list, *core_of;
	size_t n;
	int64_t nodes, cores; /* -1: not known */
};

/* Distinct cores of those CPUs; -1: not known, or no memory. */
static int64_t count_cores(const struct host *h, const struct ta_cpuset *cpus)
{
	ta_cleanup_cpuset struct ta_cpuset cores = TA_CPUSET_INIT;

	if (!h->core_of)
		return ta_cpuset_equal(cpus, &h->online) ? h->cores : -1;
	for (size_t i = 0; i < h->n; i++)
		if (h->online_list[i] >= 0 && h->core_of[i] >= 0 &&
			ta_cpuset_has(cpus, (unsigned)h->online_list[i]) &&
			ta_cpuset_add(&cores, (unsigned)h->core_of[i]) < 0)
			return -1;
	return ta_cpuset_count(&cores);
}

/* False: not known. */
static bool cpus_near(
	const struct ta_facts *f, const struct host *h, const char *nic, struct ta_cpuset *ret)
{
	char key[24];
	int64_t node;

	if (ta_facts_get_i64(f, TA_KEYS("nics", nic, "numa_node"), &node)) {
		snprintf(key, sizeof(key), "%lld", (long long)node);
		if (ta_facts_get_cpus(f, TA_KEYS("numa", key, "cpus"), ret)) {
			ta_cpuset_and(ret, &h->online);
			if (ta_cpuset_count(ret))
				return true;
		} else if (h->nodes != 1) {
			return false;
		}
	} else if (h->nodes != 1) {
		return false;
	}
	return ta_cpuset_or(ret, &h->online) == 0 && ta_cpuset_count(ret);
}

static void put_near(struct ta_facts *f, const struct host *h, const char *nic)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;
	int64_t cores;

	if (!cpus_near(f, h, nic, &cpus)) {
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "local_cpus"), TA_UNSUPPORTED,
			"its NUMA node is not known");
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "local_cores"), TA_UNSUPPORTED,
			"its NUMA node is not known");
		return;
	}
	ta_put_cpus(f, &cpus, "nics", nic, "local_cpus");
	cores = count_cores(h, &cpus);
	if (cores >= 0)
		ta_put_i64(f, cores, "nics", nic, "local_cores");
	else
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "local_cores"), TA_MISSING,
			"the cores of its CPUs are not known");
}

static void compute(struct ta_facts *f)
{
	struct json_object *nics = ta_facts_at(f, TA_KEYS("nics"));
	struct host h = {.nodes = -1, .cores = -1};
	size_t n_core = 0;

	if (!json_object_is_type(nics, json_type_object))
		return;
	ta_facts_get_cpus(f, TA_KEYS("cpu", "online_list"), &h.online);
	ta_facts_get_i64(f, TA_KEYS("numa_nodes"), &h.nodes);
	ta_facts_get_i64(f, TA_KEYS("cpu", "physical_cores"), &h.cores);
	ta_facts_get_ints(f, TA_KEYS("cpu", "online_list"), &h.online_list, &h.n);
	if (ta_facts_get_ints(f, TA_KEYS("cpu", "core_of"), &h.core_of, &n_core) && n_core != h.n) {
		free(h.core_of);
		h.core_of = NULL;
	}
	json_object_object_foreach(nics, nic, unused)
	{
		(void)unused;
		if (!ta_derive_skips_nic(f, nic))
			put_near(f, &h, nic);
	}
	free(h.online_list);
	free(h.core_of);
	ta_cpuset_done(&h.online);
}

const struct ta_derivation ta_derive_nic_near = {
	.name = "nic_near",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
