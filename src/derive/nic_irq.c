/*
 * The interrupts of an interface's or NVMe controller's queues as a whole:
 * how many, on which CPUs, near or far.
 *
 * "On which CPUs" is the effective affinity where the kernel tells it, else
 * where the interrupts fired. In a container the table is the host's, so only
 * hardware interfaces are brought together with it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "derive/derive.h"

static const struct ta_field fields[] = {
	{"nics.*.irq.vectors", TA_T_INT, "interrupts", "interrupts of its queues", 0, {}},
	{"nics.*.irq.rx_vectors", TA_T_INT, "interrupts", "those that receive (rx and combined)", 0,
		{}},
	{"nics.*.irq.cpus", TA_T_INTS, "CPUs",
		"CPUs that serve the receiving ones (all, if none receives)", TA_F_CPUS, {}},
	{"nics.*.irq.n_cpus", TA_T_INT, "CPUs", "how many CPUs these are", 0, {}},
	{"nics.*.irq.source", TA_T_STRING, "",
		"effective: the kernel's choice; fired: where the counters moved", 0, {}},
	{"nics.*.irq.most_per_cpu", TA_T_INT, "interrupts",
		"receiving interrupts on the CPU that has most", 0, {}},
	{"nics.*.irq.one_cpu", TA_T_BOOL, "", "all are served by one CPU", 0, {}},
	{"nics.*.irq.all_on_cpu0", TA_T_BOOL, "", "all are served by CPU 0", 0, {}},
	{"nics.*.irq.off_node", TA_T_INT, "interrupts",
		"queue interrupts served by a CPU of another NUMA node", 0, {}},
	{"nics.*.irq.on_isolated", TA_T_INTS, "CPUs",
		"isolated CPUs that serve or served queue interrupts", TA_F_CPUS, {}},
	{"nics.*.irq.counts_total", TA_T_INT, "interrupts", "queue interrupts since boot",
		TA_F_VOLATILE, {}},
	{"nics.*.irq.top_cpu", TA_T_INT, "", "CPU that handled most of them", TA_F_VOLATILE, {}},
	{"nics.*.irq.top_share", TA_T_REAL, "",
		"its share, 0 to 1 (at least: shares below a vector's largest are not counted)",
		TA_F_VOLATILE, {}},
	{"nvme.*.irq.vectors", TA_T_INT, "interrupts", "interrupts of its I/O queues", 0, {}},
	{"nvme.*.irq.cpus", TA_T_INTS, "CPUs", "CPUs that serve them", TA_F_CPUS, {}},
	{"nvme.*.irq.n_cpus", TA_T_INT, "CPUs", "how many CPUs these are", 0, {}},
};

static const char *const needs[] = {"irqs", "nics.*.physical", "nics.*.numa_node", "nvme.*.model",
	"numa.*.cpus", "numa_nodes", "cpu.isolated", "cpu.nohz_full", NULL};

/* What the receiving vectors of one CPU, or the vectors that fired most on it, add up to. */
struct share {
	int64_t cpu;
	double amount;
};

struct shares {
	struct share *v;
	size_t n, cap;
};

struct device {
	int64_t vectors, rx_vectors, off_node;
	struct ta_cpuset cpus, rx_cpus, isolated, node_cpus;
	struct shares alone; /* receiving vectors by their only CPU */
	struct shares tops;  /* counts by the CPU where each vector fired most */
	double total;
	bool is_nvme, fired, node_known;
};

struct devices {
	struct ta_facts *f;
	struct device *v;
	size_t n;
	struct json_object *index[2]; /* name -> number in v; interfaces, controllers */
	struct ta_cpuset isolated;    /* and nohz_full */
	bool isolated_known;
};

static void device_done(struct device *d)
{
	ta_cpuset_done(&d->cpus);
	ta_cpuset_done(&d->rx_cpus);
	ta_cpuset_done(&d->isolated);
	ta_cpuset_done(&d->node_cpus);
	free(d->alone.v);
	free(d->tops.v);
}

static int add_share(struct shares *s, int64_t cpu, double amount)
{
	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		struct share *v = reallocarray(s->v, cap, sizeof(*v));

		if (!v)
			return -ENOMEM;
		s->v = v;
		s->cap = cap;
	}
	s->v[s->n++] = (struct share){cpu, amount};
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* The CPU with the largest sum, the lowest if several; false if there is none. */
static bool largest(struct shares *s, struct share *ret)
{
	struct share sum = {-1, 0}, best = {-1, 0};

	if (s->n)
		qsort(s->v, s->n, sizeof(*s->v), by_cpu);
	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].cpu != sum.cpu)
			sum = (struct share){s->v[i].cpu, 0};
		sum.amount += s->v[i].amount;
		if (sum.amount > best.amount)
			best = sum;
	}
	*ret = best;
	return best.cpu >= 0;
}

/* --- gathering ---------------------------------------------------------------- */

static double number_at(const struct ta_facts *f, const char *irq, const char *key)
{
	return json_object_get_double(ta_facts_at(f, TA_KEYS("irqs", irq, key)));
}

static bool is_subset(const struct ta_cpuset *a, const struct ta_cpuset *b)
{
	return ta_cpuset_count_common(a, b) == ta_cpuset_count(a);
}

/* The CPUs of one vector. */
static int add_cpus(struct devices *all, struct device *d, const char *irq, bool receives)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT, fired = TA_CPUSET_INIT,
					   isolated = TA_CPUSET_INIT;
	int rc;

	ta_facts_get_cpus(all->f, TA_KEYS("irqs", irq, "fired"), &fired);
	if (!ta_facts_get_cpus(all->f, TA_KEYS("irqs", irq, "effective"), &cpus)) {
		d->fired = true;
		rc = ta_cpuset_or(&cpus, &fired);
		if (rc < 0)
			return rc;
	}
	rc = ta_cpuset_or(&d->cpus, &cpus);
	if (rc == 0 && receives)
		rc = ta_cpuset_or(&d->rx_cpus, &cpus);
	if (rc == 0 && receives && ta_cpuset_count(&cpus) == 1)
		rc = add_share(&d->alone, ta_cpuset_next(&cpus, 0), 1);
	d->off_node += d->node_known && !is_subset(&cpus, &d->node_cpus);
	if (rc == 0)
		rc = ta_cpuset_or(&isolated, &cpus);
	if (rc == 0)
		rc = ta_cpuset_or(&isolated, &fired);
	ta_cpuset_and(&isolated, &all->isolated);
	return rc ? rc : ta_cpuset_or(&d->isolated, &isolated);
}

static int add_vector(struct devices *all, struct device *d, const char *irq, const char *role)
{
	bool receives = strcmp(role, "rx") == 0 || strcmp(role, "combined") == 0;
	double count = number_at(all->f, irq, "counts_total");
	int64_t top;
	int rc;

	if (d->is_nvme ? strcmp(role, "io") != 0 : !receives && strcmp(role, "tx") != 0)
		return 0;
	d->vectors++;
	d->rx_vectors += receives;
	d->total += count;
	rc = add_cpus(all, d, irq, receives);
	if (rc == 0 && ta_facts_get_i64(all->f, TA_KEYS("irqs", irq, "top_cpu"), &top))
		rc = add_share(&d->tops, top, number_at(all->f, irq, "top_share") * count);
	return rc;
}

static int gather(struct devices *all)
{
	struct json_object *irqs = ta_facts_at(all->f, TA_KEYS("irqs")), *found;
	int rc = 0;

	json_object_object_foreach(irqs, irq, unused)
	{
		struct json_object *names = ta_facts_at(all->f, TA_KEYS("irqs", irq, "devices"));
		const char *role = ta_facts_get_str(all->f, TA_KEYS("irqs", irq, "role"));
		size_t n = role && json_object_is_type(names, json_type_array)
				   ? json_object_array_length(names)
				   : 0;

		struct json_object *index = all->index[role && strcmp(role, "io") == 0];

		(void)unused;
		for (size_t i = 0; rc == 0 && i < n; i++) {
			const char *name =
				json_object_get_string(json_object_array_get_idx(names, i));

			if (name && json_object_object_get_ex(index, name, &found))
				rc = add_vector(
					all, &all->v[json_object_get_int64(found)], irq, role);
		}
	}
	return rc;
}

/* --- putting ------------------------------------------------------------------- */

static void put_counts(struct ta_facts *f, const char *nic, struct device *d)
{
	struct share top;

	ta_put_u64(f, (uint64_t)d->total, "nics", nic, "irq", "counts_total");
	if (!largest(&d->tops, &top) || d->total <= 0) {
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "irq", "top_cpu"), TA_MISSING,
			"none of them fired");
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "irq", "top_share"), TA_MISSING,
			"none of them fired");
		return;
	}
	ta_put_i64(f, top.cpu, "nics", nic, "irq", "top_cpu");
	ta_put_real(f, (double)(int)(top.amount / d->total * 1000 + 0.5) / 1000, "nics", nic, "irq",
		"top_share");
}

static void put_spread(struct ta_facts *f, const char *nic, struct device *d)
{
	static const char *const keys[] = {
		"cpus", "n_cpus", "source", "most_per_cpu", "one_cpu", "all_on_cpu0"};
	const struct ta_cpuset *cpus = d->rx_vectors ? &d->rx_cpus : &d->cpus;
	unsigned n = ta_cpuset_count(cpus);
	struct share most;

	for (size_t i = 0; i < TA_ARRAY_SIZE(keys) && !n; i++)
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "irq", keys[i]), TA_MISSING,
			d->vectors ? "neither affinity nor counters tell where they are served"
				   : "it has no queue interrupts");
	if (!n)
		return;
	largest(&d->alone, &most);
	ta_put_cpus(f, cpus, "nics", nic, "irq", "cpus");
	ta_put_i64(f, n, "nics", nic, "irq", "n_cpus");
	ta_put_str(f, d->fired ? "fired" : "effective", "nics", nic, "irq", "source");
	ta_put_i64(f, (int64_t)most.amount, "nics", nic, "irq", "most_per_cpu");
	ta_put_bool(f, n == 1, "nics", nic, "irq", "one_cpu");
	ta_put_bool(f, n == 1 && ta_cpuset_has(cpus, 0), "nics", nic, "irq", "all_on_cpu0");
}

static void put_nic(struct devices *all, const char *nic, struct device *d)
{
	struct ta_facts *f = all->f;

	ta_put_i64(f, d->vectors, "nics", nic, "irq", "vectors");
	ta_put_i64(f, d->rx_vectors, "nics", nic, "irq", "rx_vectors");
	put_spread(f, nic, d);
	put_counts(f, nic, d);
	if (d->node_known)
		ta_put_i64(f, d->off_node, "nics", nic, "irq", "off_node");
	else
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "irq", "off_node"), TA_UNSUPPORTED,
			"its NUMA node is not known");
	if (all->isolated_known)
		ta_put_cpus(f, &d->isolated, "nics", nic, "irq", "on_isolated");
	else
		ta_facts_put_absent(f, TA_KEYS("nics", nic, "irq", "on_isolated"), TA_MISSING,
			"isolated CPUs are not known");
}

static void put_nvme(struct devices *all, const char *name, struct device *d)
{
	ta_put_i64(all->f, d->vectors, "nvme", name, "irq", "vectors");
	ta_put_cpus(all->f, &d->cpus, "nvme", name, "irq", "cpus");
	ta_put_i64(all->f, ta_cpuset_count(&d->cpus), "nvme", name, "irq", "n_cpus");
}

/* --- which devices ------------------------------------------------------------- */

static void find_node(struct devices *all, const char *nic, struct device *d)
{
	int64_t node, nodes = 0;
	char key[24];

	ta_facts_get_i64(all->f, TA_KEYS("numa_nodes"), &nodes);
	if (!ta_facts_get_i64(all->f, TA_KEYS("nics", nic, "numa_node"), &node))
		return;
	snprintf(key, sizeof(key), "%lld", (long long)node);
	d->node_known = ta_facts_get_cpus(all->f, TA_KEYS("numa", key, "cpus"), &d->node_cpus);
	/* No CPU is nearer than another to a node that has none. */
	if (nodes != 1 && !ta_cpuset_count(&d->node_cpus))
		d->node_known = false;
}

static bool is_hardware(const struct ta_facts *f, const char *nic)
{
	bool physical;

	return ta_facts_get_bool(f, TA_KEYS("nics", nic, "physical"), &physical) && physical;
}

static void add_devices(struct devices *all, struct json_object *collection, bool is_nvme)
{
	if (!json_object_is_type(collection, json_type_object))
		return;
	json_object_object_foreach(collection, name, unused)
	{
		(void)unused;
		if (!is_nvme && !is_hardware(all->f, name)) {
			ta_facts_put_absent(all->f, TA_KEYS("nics", name, "irq"), TA_UNSUPPORTED,
				"no hardware, no interrupts");
			continue;
		}
		all->v[all->n] = (struct device){.is_nvme = is_nvme};
		if (!is_nvme)
			find_node(all, name, &all->v[all->n]);
		json_object_object_add(
			all->index[is_nvme], name, json_object_new_int64((int64_t)all->n++));
	}
}

static int count_members(struct json_object *collection)
{
	return json_object_is_type(collection, json_type_object)
		       ? json_object_object_length(collection)
		       : 0;
}

static void read_isolated(struct devices *all)
{
	ta_cleanup_cpuset struct ta_cpuset nohz = TA_CPUSET_INIT;

	all->isolated_known = ta_facts_get_cpus(all->f, TA_KEYS("cpu", "isolated"), &all->isolated);
	if (ta_facts_get_cpus(all->f, TA_KEYS("cpu", "nohz_full"), &nohz))
		all->isolated_known = ta_cpuset_or(&all->isolated, &nohz) == 0;
}

static void put_all(struct devices *all)
{
	json_object_object_foreach(all->index[0], nic, nic_number)
		put_nic(all, nic, &all->v[json_object_get_int64(nic_number)]);
	json_object_object_foreach(all->index[1], nvme, nvme_number)
		put_nvme(all, nvme, &all->v[json_object_get_int64(nvme_number)]);
}

static void put_no_table(struct devices *all)
{
	static const char *const collections[] = {"nics", "nvme"};
	struct ta_absence why = ta_facts_absence(all->f, "irqs");

	for (size_t i = 0; i < TA_ARRAY_SIZE(collections); i++) {
		json_object_object_foreach(all->index[i], name, unused)
		{
			(void)unused;
			ta_facts_put_absent(all->f, TA_KEYS(collections[i], name, "irq"),
				why.reason, "%s", why.detail);
		}
	}
}

static void compute(struct ta_facts *f)
{
	struct json_object *nics = ta_facts_at(f, TA_KEYS("nics")),
			   *nvme = ta_facts_at(f, TA_KEYS("nvme"));
	struct devices all = {
		.f = f, .index = {json_object_new_object(), json_object_new_object()}};

	all.v = calloc(
		(size_t)count_members(nics) + (size_t)count_members(nvme) + 1, sizeof(*all.v));
	if (all.v && all.index[0] && all.index[1]) {
		read_isolated(&all);
		add_devices(&all, nics, false);
		add_devices(&all, nvme, true);
		if (!json_object_is_type(ta_facts_at(f, TA_KEYS("irqs")), json_type_object))
			put_no_table(&all);
		else if (gather(&all) == 0)
			put_all(&all);
	}
	for (size_t i = 0; i < all.n; i++)
		device_done(&all.v[i]);
	free(all.v);
	json_object_put(all.index[0]);
	json_object_put(all.index[1]);
	ta_cpuset_done(&all.isolated);
}

const struct ta_derivation ta_derive_nic_irq = {
	.name = "nic_irq",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
