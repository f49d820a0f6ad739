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

void ta_setting_place(const struct ta_facts *facts, const char *key, struct ta_buf *b)
{
	const char *file = ta_facts_get_str(facts, TA_KEYS("settings", key, "file"));
	int64_t line;

	if (!file)
		return;
	ta_buf_adds(b, file);
	if (ta_facts_get_i64(facts, TA_KEYS("settings", key, "line"), &line))
		ta_buf_printf(b, ":%lld", (long long)line);
}

static void local_cpus(const struct ta_facts *facts, const char *ifname, struct ta_cpuset *ret)
{
	char key[24];
	int64_t node;

	if (ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "numa_node"), &node)) {
		snprintf(key, sizeof(key), "%lld", (long long)node);
		ta_facts_get_cpus(facts, TA_KEYS("numa", key, "cpus"), ret);
	}
	if (!ta_cpuset_count(ret)) /* not known, or a node without CPUs */
		ta_facts_get_cpus(facts, TA_KEYS("cpu", "online_list"), ret);
}

/* Appends to `list` the CPUs of `left` that are in both sets (an empty set: not known, so no objection). */
static size_t take(unsigned *list, size_t n, struct ta_cpuset *left, const struct ta_cpuset *first,
	const struct ta_cpuset *second)
{
	bool any_first = !ta_cpuset_count(first), any_second = !ta_cpuset_count(second);
	struct ta_cpuset rest = TA_CPUSET_INIT;

	for (int c = -1; (c = ta_cpuset_next(left, c + 1)) >= 0;) {
		if ((any_first || ta_cpuset_has(first, (unsigned)c)) && (any_second || ta_cpuset_has(second, (unsigned)c)))
			list[n++] = (unsigned)c;
		else
			ta_cpuset_add(&rest, (unsigned)c);
	}
	ta_cpuset_done(left);
	*left = rest;
	return n;
}

int ta_fix_nic_cpus(const struct ta_facts *facts, const char *ifname, unsigned **ret, size_t *ret_n,
	struct ta_err *err)
{
	ta_cleanup_cpuset struct ta_cpuset local = TA_CPUSET_INIT, isolated = TA_CPUSET_INIT, left = TA_CPUSET_INIT;
	ta_cleanup_cpuset struct ta_cpuset cores = TA_CPUSET_INIT, fast = TA_CPUSET_INIT, any = TA_CPUSET_INIT;
	unsigned *list;
	size_t n = 0;

	local_cpus(facts, ifname, &local);
	ta_facts_get_cpus(facts, TA_KEYS("cpu", "isolated"), &isolated);
	for (int c = -1; (c = ta_cpuset_next(&local, c + 1)) >= 0;)
		if (!ta_cpuset_has(&isolated, (unsigned)c))
			ta_cpuset_add(&left, (unsigned)c);
	if (!ta_cpuset_count(&left))
		return ta_err_set(err, -EINVAL, "the facts do not say which CPUs could serve %s", ifname);
	list = calloc(ta_cpuset_count(&left), sizeof(*list));
	if (!list)
		return -ENOMEM;
	ta_facts_get_cpus(facts, TA_KEYS("cpu", "core_of"), &cores); /* the lowest thread of every core */
	ta_facts_get_cpus(facts, TA_KEYS("cpu", "fast_cpus"), &fast);
	n = take(list, n, &left, &cores, &fast);
	n = take(list, n, &left, &cores, &any);
	n = take(list, n, &left, &any, &any);
	*ret = list;
	*ret_n = n;
	return 0;
}

static bool is_state(const struct ta_facts *facts, const char *module, const char *state)
{
	const char *now = ta_facts_get_str(facts, TA_KEYS("modules", "state", module));

	return now && !strcmp(now, state);
}

int ta_fix_need_module(const char *who, const struct ta_facts *facts, const char *module, const char *what,
	struct ta_steps *ret, struct ta_err *err)
{
	if (is_state(facts, module, "absent"))
		return ta_err_set(err, -EINVAL, "%s: this kernel has no %s", who, what);
	if (is_state(facts, module, "available") && ta_knob_module.check(module, NULL, TA_VALUE_WISHED, NULL) == 0)
		ta_steps_add(ret, &ta_knob_module, module, "loaded");
	return 0;
}

int ta_fix_module_told(const char *who, const struct ta_facts *facts, const char *module, const char *what,
	struct ta_err *err)
{
	if (is_state(facts, module, "static"))
		return ta_err_set(err, -EINVAL, "%s: this kernel does not tell whether it has %s", who, what);
	return 0;
}
