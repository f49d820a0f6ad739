/*
 * The CPU that most interrupts of network interfaces and drives end on, and
 * what it serves. One interface with one interrupt is well where it is; two
 * busy ones on the same CPU are not while others wait, and no judgement of
 * each alone shows that.
 *
 * Counted since boot by where each interrupt fired most, so it tells of the
 * past: an interrupt that was moved an hour ago still counts where it was. Its
 * affinity of today, where it names one CPU, is believed instead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/strv.h"
#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"irq_load.top_cpu", TA_T_INT, "", "CPU that most interrupts of interfaces and drives end on", TA_F_VOLATILE, {}},
	{"irq_load.top_share", TA_T_REAL, "", "its share of them, 0 to 1", TA_F_VOLATILE, {}},
	{"irq_load.top_devices", TA_T_STRINGS, "",
		"devices with at least a thirtieth of all such interrupts and most of their own there", TA_F_VOLATILE, {}},
	{"irq_load.total", TA_T_INT, "interrupts", "interrupts of interfaces and drives since boot", TA_F_VOLATILE, {}},
};

static const char *const needs[] = {"irqs", NULL};

/* One interrupt: what it is of, where it ends. */
struct load {
	const char *device;
	int64_t cpu;
	double count;
};

struct loads {
	struct load *v;
	size_t n;
	double total;
};

/* The only CPU that it may go to now, else where it fired most; -1: not told. */
static int64_t cpu_of(const struct ta_facts *f, const char *irq)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;
	int64_t cpu;

	if (ta_facts_get_cpus(f, TA_KEYS("irqs", irq, "effective"), &cpus) && ta_cpuset_count(&cpus) == 1)
		return ta_cpuset_next(&cpus, 0);
	return ta_facts_get_i64(f, TA_KEYS("irqs", irq, "top_cpu"), &cpu) ? cpu : -1;
}

static void gather(const struct ta_facts *f, struct json_object *irqs, struct loads *loads)
{
	json_object_object_foreach(irqs, irq, unused)
	{
		const char *role = ta_facts_get_str(f, TA_KEYS("irqs", irq, "role"));
		const char *device = ta_facts_get_str(f, TA_KEYS("irqs", irq, "device"));
		struct load l = {.device = device, .cpu = cpu_of(f, irq)};

		(void)unused;
		l.count = json_object_get_double(ta_facts_at(f, TA_KEYS("irqs", irq, "counts_total")));
		if (!device || !role || strcmp(role, "other") == 0 || l.count <= 0)
			continue;
		loads->total += l.count;
		if (l.cpu >= 0)
			loads->v[loads->n++] = l;
	}
}

static int by_cpu(const void *a, const void *b)
{
	const struct load *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return strcmp(x->device, y->device);
}

/* The stretch of one CPU, of those sorted by it, that adds up to most. */
static double find_top(const struct loads *loads, size_t *ret_first, size_t *ret_n)
{
	double best = 0;

	for (size_t i = 0, n; i < loads->n; i += n) {
		double sum = 0;

		for (n = 0; i + n < loads->n && loads->v[i + n].cpu == loads->v[i].cpu; n++)
			sum += loads->v[i + n].count;
		if (sum > best) {
			best = sum;
			*ret_first = i;
			*ret_n = n;
		}
	}
	return best;
}

static double total_of(const struct loads *loads, const char *device)
{
	double sum = 0;

	for (size_t i = 0; i < loads->n; i++)
		if (strcmp(loads->v[i].device, device) == 0)
			sum += loads->v[i].count;
	return sum;
}

/* Those that matter, of the sorted loads of one CPU. */
static void name_devices(const struct loads *loads, size_t first, size_t n, struct ta_strv *ret)
{
	for (size_t i = first, next; i < first + n; i = next) {
		const char *device = loads->v[i].device;
		double sum = 0;

		for (next = i; next < first + n && strcmp(loads->v[next].device, device) == 0; next++)
			sum += loads->v[next].count;
		if (sum * 30 >= loads->total && sum * 2 > total_of(loads, device))
			ta_strv_add(ret, device);
	}
}

static void put(struct ta_facts *f, struct loads *loads)
{
	ta_cleanup_strv struct ta_strv devices = TA_STRV_INIT;
	size_t first = 0, n = 0;
	double top;

	ta_facts_put_u64(f, TA_KEYS("irq_load", "total"), (uint64_t)loads->total);
	if (loads->n)
		qsort(loads->v, loads->n, sizeof(*loads->v), by_cpu);
	top = find_top(loads, &first, &n);
	if (!n)
		return;
	name_devices(loads, first, n, &devices);
	ta_facts_put_i64(f, TA_KEYS("irq_load", "top_cpu"), loads->v[first].cpu);
	ta_facts_put_real(f, TA_KEYS("irq_load", "top_share"), (double)(int)(top / loads->total * 1000 + 0.5) / 1000);
	ta_facts_put_strs(f, TA_KEYS("irq_load", "top_devices"), devices.v, devices.n);
}

static void compute(struct ta_facts *f)
{
	static const char *const keys[] = {"top_cpu", "top_share", "top_devices"};
	struct json_object *irqs = ta_facts_at(f, TA_KEYS("irqs"));
	struct loads loads = {0};

	if (!json_object_is_type(irqs, json_type_object)) {
		struct ta_absence why = ta_facts_absence(f, "irqs");

		ta_facts_put_absent(f, TA_KEYS("irq_load"), why.reason, "%s", why.detail);
		return;
	}
	loads.v = calloc((size_t)json_object_object_length(irqs) + 1, sizeof(*loads.v));
	if (!loads.v)
		return;
	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++)
		ta_facts_put_absent(f, TA_KEYS("irq_load", keys[i]), TA_MISSING, "none fired, or nothing tells where");
	gather(f, irqs, &loads);
	put(f, &loads);
	free(loads.v);
}

const struct ta_derivation ta_derive_irq_load = {
	.name = "irq_load",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
