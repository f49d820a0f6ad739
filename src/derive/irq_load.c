/*
 * The CPUs that many interrupts of network interfaces and drives end on, and
 * what they serve. One interface with one interrupt is well where it is; two
 * busy ones on the same CPU are not while others wait, and no judgement of
 * each alone shows that.
 *
 * Counted since boot by where each interrupt fired most, so it tells of the
 * past: an interrupt that was moved an hour ago still counts where it was. Its
 * affinity of today, where it names one CPU, is believed instead.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "base/strv.h"
#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"irq_cpus.*.subject", TA_T_STRING, "", "the CPU, as findings call it", 0, {}},
	{"irq_cpus.*.share", TA_T_REAL, "", "its share of all interrupts of interfaces and drives, 0 to 1", TA_F_VOLATILE, {}},
	{"irq_cpus.*.device", TA_T_STRING, "", "the interface or drive that interrupts it most", TA_F_VOLATILE, {}},
	{"irq_cpus.*.devices", TA_T_STRINGS, "",
		"those with a thirtieth of all such interrupts, and most of their own, on it", TA_F_VOLATILE, {}},
	{"irq_load.total", TA_T_INT, "interrupts", "interrupts of interfaces and drives since boot", TA_F_VOLATILE, {}},
};

static const char *const needs[] = {"irqs", NULL};

/* A thirtieth of all: less is no load worth a word. */
#define PARTS 30

/* One interrupt: what it is of, where it ends, and how much of it does. */
struct load {
	const char *device;
	int64_t cpu;
	double count, here;
};

struct loads {
	struct load *v;
	size_t n;
	double total;
};

/* The only CPU that it may go to now, else where it fired most. False: not told. */
static bool place(const struct ta_facts *f, const char *irq, struct load *l)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;

	if (ta_facts_get_cpus(f, TA_KEYS("irqs", irq, "effective"), &cpus) && ta_cpuset_count(&cpus) == 1) {
		l->cpu = ta_cpuset_next(&cpus, 0);
		l->here = l->count;
		return true;
	}
	l->here = l->count * json_object_get_double(ta_facts_at(f, TA_KEYS("irqs", irq, "top_share")));
	return ta_facts_get_i64(f, TA_KEYS("irqs", irq, "top_cpu"), &l->cpu);
}

static void gather(const struct ta_facts *f, struct json_object *irqs, struct loads *loads)
{
	json_object_object_foreach(irqs, irq, unused)
	{
		const char *role = ta_facts_get_str(f, TA_KEYS("irqs", irq, "role"));
		struct load l = {.device = ta_facts_get_str(f, TA_KEYS("irqs", irq, "device"))};

		(void)unused;
		l.count = json_object_get_double(ta_facts_at(f, TA_KEYS("irqs", irq, "counts_total")));
		if (!l.device || !role || strcmp(role, "other") == 0 || l.count <= 0)
			continue;
		loads->total += l.count;
		if (place(f, irq, &l))
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

static double total_of(const struct loads *loads, const char *device)
{
	double sum = 0;

	for (size_t i = 0; i < loads->n; i++)
		if (strcmp(loads->v[i].device, device) == 0)
			sum += loads->v[i].count;
	return sum;
}

/* Those that matter, of the sorted loads of one CPU; returns the busiest of all. */
static const char *name_devices(const struct loads *loads, const struct load *v, size_t n, struct ta_strv *ret)
{
	const char *busiest = NULL;
	double most = 0;

	for (size_t i = 0, next; i < n; i = next) {
		double sum = 0;

		for (next = i; next < n && strcmp(v[next].device, v[i].device) == 0; next++)
			sum += v[next].here;
		if (sum > most) {
			most = sum;
			busiest = v[i].device;
		}
		if (sum * PARTS >= loads->total && sum * 2 > total_of(loads, v[i].device))
			ta_strv_add(ret, v[i].device);
	}
	return busiest;
}

static void put_cpu(struct ta_facts *f, const struct loads *loads, const struct load *v, size_t n, double sum)
{
	ta_cleanup_strv struct ta_strv devices = TA_STRV_INIT;
	const char *busiest = name_devices(loads, v, n, &devices);
	char cpu[24], subject[32];

	snprintf(cpu, sizeof(cpu), "%lld", (long long)v->cpu);
	snprintf(subject, sizeof(subject), "CPU %s", cpu);
	ta_facts_put_str(f, TA_KEYS("irq_cpus", cpu, "subject"), subject);
	ta_facts_put_real(f, TA_KEYS("irq_cpus", cpu, "share"), (double)(int)(sum / loads->total * 1000 + 0.5) / 1000);
	ta_facts_put_str(f, TA_KEYS("irq_cpus", cpu, "device"), busiest);
	ta_facts_put_strs(f, TA_KEYS("irq_cpus", cpu, "devices"), devices.v, devices.n);
}

static void put(struct ta_facts *f, struct loads *loads)
{
	ta_facts_put_u64(f, TA_KEYS("irq_load", "total"), (uint64_t)loads->total);
	ta_facts_put_object(f, TA_KEYS("irq_cpus"));
	if (loads->n)
		qsort(loads->v, loads->n, sizeof(*loads->v), by_cpu);
	for (size_t i = 0, n; i < loads->n; i += n) {
		double sum = 0;

		for (n = 0; i + n < loads->n && loads->v[i + n].cpu == loads->v[i].cpu; n++)
			sum += loads->v[i + n].here;
		if (sum * PARTS >= loads->total)
			put_cpu(f, loads, &loads->v[i], n, sum);
	}
}

static void compute(struct ta_facts *f)
{
	struct json_object *irqs = ta_facts_at(f, TA_KEYS("irqs"));
	struct loads loads = {0};

	if (!json_object_is_type(irqs, json_type_object)) {
		struct ta_absence why = ta_facts_absence(f, "irqs");

		ta_facts_put_absent(f, TA_KEYS("irq_load"), why.reason, "%s", why.detail);
		ta_facts_put_absent(f, TA_KEYS("irq_cpus"), why.reason, "%s", why.detail);
		return;
	}
	loads.v = calloc((size_t)json_object_object_length(irqs) + 1, sizeof(*loads.v));
	if (!loads.v)
		return;
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
