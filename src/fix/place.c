/*
 * Where the work of an interface belongs. Packet buffers are allocated on the node of the CPU that serves the
 * queue, hyper-threads of one core share what interrupt work needs, and an isolated CPU is isolated for a
 * reason (Documentation/networking/scaling.rst).
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fix/describe.h"

bool ta_fix_in_container(const struct ta_facts *facts)
{
	const char *kind = ta_facts_get_str(facts, TA_KEYS("place", "container"));

	return kind && *kind && strcmp(kind, "none") != 0;
}

bool ta_fix_cpus(const struct ta_facts *facts, const char *const *path, struct ta_cpuset *ret)
{
	struct json_object *list = ta_facts_at(facts, path);

	if (!json_object_is_type(list, json_type_array))
		return false;
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		int64_t cpu;

		if (ta_fix_json_i64(json_object_array_get_idx(list, i), &cpu) < 0 || cpu < 0 || cpu >= TA_CPU_LIMIT ||
			ta_cpuset_add(ret, (unsigned)cpu) < 0)
			return false;
	}
	return true;
}

/* The CPUs of every node together: those online. */
static void online_cpus(const struct ta_facts *facts, struct ta_cpuset *ret)
{
	struct json_object *nodes = ta_facts_at(facts, TA_KEYS("numa"));

	if (!json_object_is_type(nodes, json_type_object))
		return;
	json_object_object_foreach(nodes, key, node)
	{
		(void)node;
		ta_fix_cpus(facts, TA_KEYS("numa", key, "cpus"), ret);
	}
}

static void local_cpus(const struct ta_facts *facts, const char *ifname, struct ta_cpuset *ret)
{
	char key[24];
	int64_t node;

	if (ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "numa_node"), &node)) {
		snprintf(key, sizeof(key), "%lld", (long long)node);
		ta_fix_cpus(facts, TA_KEYS("numa", key, "cpus"), ret);
	}
	if (!ta_cpuset_count(ret)) /* not known, or a node without CPUs */
		online_cpus(facts, ret);
}

/* Adds those of `from` that are (not) in `in`, for a set that is not known all of them; each once. */
static size_t take(unsigned *list, size_t n, struct ta_cpuset *left, const struct ta_cpuset *first,
	const struct ta_cpuset *second)
{
	struct ta_cpuset rest = TA_CPUSET_INIT;

	for (int c = -1; (c = ta_cpuset_next(left, c + 1)) >= 0;) {
		if ((first && !ta_cpuset_has(first, (unsigned)c)) || (second && !ta_cpuset_has(second, (unsigned)c)))
			ta_cpuset_add(&rest, (unsigned)c);
		else
			list[n++] = (unsigned)c;
	}
	ta_cpuset_done(left);
	*left = rest;
	return n;
}

int ta_fix_nic_cpus(const struct ta_facts *facts, const char *ifname, unsigned **ret, size_t *ret_n,
	struct ta_err *err)
{
	ta_cleanup_cpuset struct ta_cpuset local = TA_CPUSET_INIT, isolated = TA_CPUSET_INIT, left = TA_CPUSET_INIT;
	ta_cleanup_cpuset struct ta_cpuset threads = TA_CPUSET_INIT, fast = TA_CPUSET_INIT;
	const struct ta_cpuset *cores, *big;
	unsigned *list;
	size_t n = 0;

	local_cpus(facts, ifname, &local);
	ta_fix_cpus(facts, TA_KEYS("cpu", "isolated"), &isolated);
	for (int c = -1; (c = ta_cpuset_next(&local, c + 1)) >= 0;)
		if (!ta_cpuset_has(&isolated, (unsigned)c))
			ta_cpuset_add(&left, (unsigned)c);
	if (!ta_cpuset_count(&left))
		return ta_err_set(err, -EINVAL, "the facts do not say which CPUs could serve %s", ifname);
	list = calloc(ta_cpuset_count(&left), sizeof(*list));
	if (!list)
		return -ENOMEM;
	cores = ta_fix_cpus(facts, TA_KEYS("cpu", "first_threads"), &threads) ? &threads : NULL;
	big = ta_fix_cpus(facts, TA_KEYS("cpu", "fastest"), &fast) ? &fast : NULL;
	n = take(list, n, &left, cores, big);
	n = take(list, n, &left, cores, NULL);
	n = take(list, n, &left, NULL, NULL);
	*ret = list;
	*ret_n = n;
	return 0;
}
