/*
 * Do the cores differ, and which are the fast ones?
 *
 * CPUs are split into types by whatever tells them apart: ARM part number,
 * x86 perf PMU, threads per core, base clock, highest clock, capacity. Two of
 * these lie about small differences: turbo ("ITMT", "preferred cores") gives a
 * few cores of one type a slightly higher clock, and capacity follows the
 * clock. So clocks and capacities split only where there is a gap.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "derive/derive.h"

#define TYPE "cpu.types.*."
#define TYPES_MAX 64 /* real machines have up to four; more is a broken or hostile capture */

static const struct ta_field fields[] = {
	{"cpu.asymmetric", TA_T_BOOL, "", "online cores are of more than one type", 0, {}},
	{"cpu.fast_cpus", TA_T_INTS, "", "online CPUs of the fastest type; all of them if there is one type", TA_F_CPUS,
		{}},
	{TYPE "cpus", TA_T_INTS, "", "online CPUs of the type", TA_F_CPUS, {}},
	{TYPE "cores", TA_T_INT, "cores", "cores of the type", 0, {}},
	{TYPE "max_khz", TA_T_INT, "kHz", "highest clock among them", 0, {}},
	{TYPE "capacity", TA_T_INT, "", "highest cpu_capacity among them, of 1024", 0, {}},
};

static const char *const needs[] = {"cpu.online_list", "cpu.offline", "cpu.core_of", "cpu.package_of", "cpu.capacity",
	"cpu.part", "cpu.kinds", "cpu.family", "cpu.policies", NULL};

/* All vectors have n entries, one per online CPU; −1 is "not known". NULL: nothing known of any. */
struct cores {
	size_t n;
	int64_t *cpu, *core, *capacity, *part, *max_khz, *base_khz, *kind, *threads;
	int64_t *type; /* 0 … n_types−1, in the order of the lowest CPU */
	size_t n_types;
	bool evidence; /* something was there to compare */
	bool x86;
};

static int64_t *vector(size_t n, int64_t value)
{
	int64_t *v = calloc(n + 1, sizeof(*v));

	for (size_t i = 0; v && i < n; i++)
		v[i] = value;
	return v;
}

static int64_t *get_vector(const struct ta_facts *f, const char *name, size_t n)
{
	int64_t *v = NULL;
	size_t got = 0;

	if (!ta_facts_get_ints(f, TA_KEYS("cpu", name), &v, &got) || got != n) {
		free(v);
		return NULL;
	}
	return v;
}

static long index_of(const struct cores *c, int64_t cpu)
{
	size_t low = 0, high = c->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->cpu[mid] < cpu)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n && c->cpu[low] == cpu ? (long)low : -1;
}

/* Gives `value` to the members of the CPU list at `path`. */
static void spread(const struct ta_facts *f, const char *const *path, const struct cores *c, int64_t *v, int64_t value)
{
	int64_t *cpus;
	size_t n;

	if (!ta_facts_get_ints(f, path, &cpus, &n))
		return;
	for (size_t i = 0; i < n; i++) {
		long k = index_of(c, cpus[i]);

		if (k >= 0)
			v[k] = value;
	}
	free(cpus);
}

static void read_policies(const struct ta_facts *f, struct cores *c)
{
	struct json_object *policies = ta_facts_at(f, TA_KEYS("cpu", "policies"));
	struct json_object *kinds = ta_facts_at(f, TA_KEYS("cpu", "kinds"));
	int64_t v, kind = 0;

	if (json_object_is_type(policies, json_type_object)) {
		json_object_object_foreach(policies, key, unused)
		{
			(void)unused;
			if (ta_facts_get_i64(f, TA_KEYS("cpu", "policies", key, "max_khz"), &v)) {
				spread(f, TA_KEYS("cpu", "policies", key, "cpus"), c, c->max_khz, v);
				c->evidence = true;
			}
			if (ta_facts_get_i64(f, TA_KEYS("cpu", "policies", key, "base_khz"), &v))
				spread(f, TA_KEYS("cpu", "policies", key, "cpus"), c, c->base_khz, v);
		}
	}
	if (json_object_is_type(kinds, json_type_object)) {
		json_object_object_foreach(kinds, key, unused)
		{
			(void)unused;
			spread(f, TA_KEYS("cpu", "kinds", key), c, c->kind, kind++);
		}
	}
}

/*
 * Threads per core, but only where a difference means something: an offline sibling, or a virtual
 * machine with an odd number of CPUs, leaves a core with one thread that is like all others.
 */
static void count_threads(const struct ta_facts *f, struct cores *c)
{
	int64_t offline;
	size_t single = 0;

	if (!c->core || !ta_facts_get_i64(f, TA_KEYS("cpu", "offline"), &offline) || offline > 0)
		return;
	for (size_t i = 0; i < c->n; i++) {
		long k = index_of(c, c->core[i]);

		if (k >= 0)
			c->threads[k] = c->threads[k] < 0 ? 1 : c->threads[k] + 1;
	}
	for (size_t i = 0; i < c->n; i++) {
		long k = index_of(c, c->core[i]);

		single += c->threads[i] == 1;
		c->threads[i] = k < 0 ? -1 : c->threads[k];
	}
	if (single < 2)
		for (size_t i = 0; i < c->n; i++)
			c->threads[i] = -1;
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Replaces values by the number of their group; a group ends where the next value is `percent` of it, or less. */
static void group(int64_t *v, size_t n, unsigned percent)
{
	int64_t *sorted = calloc(n + 1, sizeof(*sorted)), *groups = calloc(n + 1, sizeof(*groups));

	for (size_t i = 0; sorted && i < n; i++)
		sorted[i] = v[i];
	if (sorted && groups)
		qsort(sorted, n, sizeof(*sorted), compare);
	for (size_t i = 1; sorted && groups && i < n; i++) {
		double low = (double)sorted[i - 1], high = (double)sorted[i];

		groups[i] = groups[i - 1] + (low < 0 ? high >= 0 : low * 100 <= high * percent);
	}
	for (size_t i = 0; sorted && groups && i < n; i++) {
		const int64_t *at = bsearch(&v[i], sorted, n, sizeof(*sorted), compare);

		v[i] = at ? groups[at - sorted] : 0;
	}
	free(sorted);
	free(groups);
}

/* Splits the types further where `key` differs within one. */
static void split(struct cores *c, const int64_t *key)
{
	int64_t *type = calloc(c->n + 1, sizeof(*type));
	size_t first[TYPES_MAX]; /* of each new type, a CPU of it */
	size_t n = 0;

	for (size_t i = 0; type && n <= TYPES_MAX && i < c->n; i++) {
		size_t t = 0;

		while (t < n && (c->type[first[t]] != c->type[i] || key[first[t]] != key[i]))
			t++;
		type[i] = (int64_t)t;
		if (t == n && n++ < TYPES_MAX)
			first[t] = i;
	}
	if (type) {
		memcpy(c->type, type, c->n * sizeof(*type));
		c->n_types = n;
	}
	free(type);
}

/* Of every CPU. What is known of some alone (a file that could not be read) tells no types apart. */
static bool is_known(const struct cores *c, const int64_t *v)
{
	for (size_t i = 0; v && i < c->n; i++)
		if (v[i] < 0)
			return false;
	return v;
}

static bool is_known_of_some(const struct cores *c, const int64_t *v)
{
	for (size_t i = 0; i < c->n; i++)
		if (v[i] >= 0)
			return !is_known(c, v);
	return false;
}

static void find_types(struct cores *c)
{
	/* x86 turbo differs by 4 % within one type (5.0 and 5.2 GHz); efficient cores are at 75 % of the others. */
	unsigned percent = c->x86 ? 85 : 95;
	int64_t *clocks[] = {c->max_khz, c->capacity};
	int64_t *exact[] = {c->part, c->kind, c->threads, c->base_khz};

	for (size_t i = 0; i < TA_ARRAY_SIZE(exact); i++)
		if (is_known(c, exact[i]) && c->n_types <= TYPES_MAX)
			split(c, exact[i]);
	for (size_t i = 0; i < TA_ARRAY_SIZE(clocks); i++) {
		int64_t *copy = is_known(c, clocks[i]) && c->n_types <= TYPES_MAX ? vector(c->n, 0) : NULL;

		if (!copy)
			continue;
		memcpy(copy, clocks[i], c->n * sizeof(*copy));
		group(copy, c->n, percent);
		split(c, copy);
		free(copy);
	}
}

/* A value, or −1 and the reason why `source` has none. */
static void put_or_absent(struct ta_facts *f, const char *type, const char *name, int64_t v, const char *source)
{
	struct ta_absence why = ta_facts_absence(f, source);

	if (v >= 0)
		ta_put_i64(f, v, "cpu", "types", type, name);
	else
		ta_facts_put_absent(f, TA_KEYS("cpu", "types", type, name), why.reason, "%s",
			*why.detail ? why.detail : "no clock policies");
}

static void put_type(struct ta_facts *f, const struct cores *c, int64_t type)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;
	int64_t cores = 0, max_khz = -1, capacity = -1;
	char key[32];

	snprintf(key, sizeof(key), "type%lld", (long long)type);
	for (size_t i = 0; i < c->n; i++) {
		if (c->type[i] != type)
			continue;
		(void)ta_cpuset_add(&cpus, (unsigned)c->cpu[i]);
		cores += c->core && c->core[i] == c->cpu[i];
		max_khz = TA_MAX(max_khz, c->max_khz[i]);
		capacity = c->capacity ? TA_MAX(capacity, c->capacity[i]) : -1;
	}
	ta_put_cpus(f, &cpus, "cpu", "types", key, "cpus");
	put_or_absent(f, key, "cores", c->core ? cores : -1, "cpu.core_of");
	put_or_absent(f, key, "max_khz", max_khz, "cpu.policies");
	put_or_absent(f, key, "capacity", capacity, "cpu.capacity");
}

/* The type of the CPU with the highest capacity, else the highest clock; −1 if nothing ranks them. */
static int64_t fastest(const struct cores *c)
{
	const int64_t *by = c->capacity ? c->capacity : c->max_khz;
	size_t best = 0;

	for (size_t i = 1; i < c->n; i++)
		if (by[i] > by[best])
			best = i;
	if (c->n_types == 1)
		return 0;
	return by[best] > 0 ? c->type[best] : -1;
}

static void put_types(struct ta_facts *f, const struct cores *c)
{
	ta_cleanup_cpuset struct ta_cpuset fast = TA_CPUSET_INIT;
	int64_t first = fastest(c);

	ta_put_bool(f, c->n_types > 1, "cpu", "asymmetric");
	for (size_t t = 0; t < c->n_types; t++)
		put_type(f, c, (int64_t)t);
	for (size_t i = 0; i < c->n; i++)
		if (c->type[i] == first)
			(void)ta_cpuset_add(&fast, (unsigned)c->cpu[i]);
	if (first >= 0)
		ta_put_cpus(f, &fast, "cpu", "fast_cpus");
	else
		ta_facts_put_absent(f, TA_KEYS("cpu", "fast_cpus"), TA_MISSING,
			"neither capacity nor clock ranks the types of cores");
}

/*
 * One type of ARM cores that is only assumed: telephones have clusters of one part with different clocks, so equal
 * part numbers alone prove nothing. (arm64 tells capacities since 4.13, and cpufreq the clocks before.)
 */
static bool is_assumed(const struct cores *c)
{
	return c->n_types == 1 && c->n > 1 && c->part && !c->capacity && !is_known(c, c->max_khz);
}

static void put_absent(struct ta_facts *f, enum ta_reason why, const char *detail)
{
	static const char *const names[] = {"asymmetric", "fast_cpus", "types"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		ta_facts_put_absent(f, TA_KEYS("cpu", names[i]), why, "%s", detail);
}

static void compute(struct ta_facts *f)
{
	struct cores c = {0};
	int64_t ignored, *package = NULL;

	if (!ta_facts_get_ints(f, TA_KEYS("cpu", "online_list"), &c.cpu, &c.n) || c.n == 0) {
		struct ta_absence why = ta_facts_absence(f, "cpu.online_list");

		put_absent(f, why.reason, why.detail);
		free(c.cpu);
		return;
	}
	c.core = get_vector(f, "core_of", c.n);
	c.capacity = get_vector(f, "capacity", c.n);
	c.part = get_vector(f, "part", c.n);
	package = get_vector(f, "package_of", c.n);
	c.x86 = ta_facts_get_i64(f, TA_KEYS("cpu", "family"), &ignored);
	c.max_khz = vector(c.n, -1);
	c.base_khz = vector(c.n, -1);
	c.kind = vector(c.n, -1);
	c.threads = vector(c.n, -1);
	c.type = vector(c.n, 0);
	c.n_types = 1;
	c.evidence = c.n == 1 || c.core || c.capacity || c.part || package || c.x86;
	if (c.max_khz && c.base_khz && c.kind && c.threads && c.type) {
		read_policies(f, &c);
		count_threads(f, &c);
		find_types(&c);
		if (c.n_types > TYPES_MAX)
			put_absent(f, TA_MALFORMED, "more than 64 types of cores");
		else if (c.n_types == 1 && !c.capacity && is_known_of_some(&c, c.max_khz))
			put_absent(f, TA_MISSING, "the highest clock is known of some CPUs only");
		else if (c.evidence && !is_assumed(&c))
			put_types(f, &c);
		else if (c.evidence)
			put_absent(f, TA_MISSING, "neither clocks nor capacities of the single CPUs are known");
		else
			put_absent(f, TA_MISSING, "nothing is known of the single CPUs");
	}
	for (size_t i = 0; i < 10; i++)
		free((int64_t *[]){c.cpu, c.core, c.capacity, c.part, c.max_khz, c.base_khz, c.kind, c.threads, c.type,
			package}[i]);
}

const struct ta_derivation ta_derive_asymmetry = {
	.name = "asymmetry",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
