/*
 * The interrupts of an interface's or NVMe controller's queues as a whole:
 * how many, on which CPUs, near or far.
 *
 * "On which CPUs" is the effective affinity where the kernel tells it, else
 * where the interrupts fired. In a container the table is the host's, so only
 * hardware interfaces are brought together with it; devices that nics does not
 * have stand in irq_devices (a container's host's, or a capture without /sys).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "derive/derive.h"

/* clang-format off */
#define SPREAD(at) \
	{at "vectors", TA_T_INT, "interrupts", "interrupts of its queues", 0, {}}, \
	{at "rx_vectors", TA_T_INT, "interrupts", "those that receive (rx and combined)", 0, {}}, \
	{at "cpus", TA_T_INTS, "CPUs", "CPUs that serve the receiving ones (all, if none receives)", TA_F_CPUS, {}}, \
	{at "n_cpus", TA_T_INT, "CPUs", "how many CPUs these are", 0, {}}, \
	{at "source", TA_T_STRING, "", "effective: the kernel's choice; fired: where the counters moved", 0, {}}, \
	{at "most_per_cpu", TA_T_INT, "interrupts", "receiving interrupts on the CPU that has most", 0, {}}, \
	{at "one_cpu", TA_T_BOOL, "", "all are served by one CPU", 0, {}}, \
	{at "all_on_cpu0", TA_T_BOOL, "", "all are served by CPU 0", 0, {}}, \
	{at "off_node", TA_T_INT, "interrupts", "those that fired and are served by a CPU of another NUMA node", 0, {}}, \
	{at "on_isolated", TA_T_INTS, "CPUs", "isolated CPUs that serve or served them", TA_F_CPUS, {}}, \
	{at "fixed", TA_T_INT, "interrupts", "those that are known not to be movable", 0, {}}, \
	{at "astray", TA_T_INT, "interrupts", "those whose effective CPUs are not among the wanted ones", 0, {}}, \
	{at "counts_total", TA_T_INT, "interrupts", "queue interrupts since boot", TA_F_VOLATILE, {}}, \
	{at "top_cpu", TA_T_INT, "", "CPU that handled most of them", TA_F_VOLATILE, {}}, \
	{at "top_share", TA_T_REAL, "", "its share, 0 to 1, of each interrupt only where it is the busiest", TA_F_VOLATILE, {}}

static const struct ta_field fields[] = {
	SPREAD("nics.*.irq."),
	/* Network devices that only the table of interrupts knows. */
	SPREAD("irq_devices.*."),
	{"irq_devices.*.ours", TA_T_BOOL, "",
		"nothing lists interfaces here, so it is taken for this host's; false in a container, which sees its host's", 0, {}},
	{"nvme.*.irq.vectors", TA_T_INT, "interrupts", "interrupts of its I/O queues", 0, {}},
	{"nvme.*.irq.cpus", TA_T_INTS, "CPUs", "CPUs that serve them", TA_F_CPUS, {}},
	{"nvme.*.irq.n_cpus", TA_T_INT, "CPUs", "how many CPUs these are", 0, {}},
};
/* clang-format on */

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
	int64_t vectors, rx_vectors, off_node, fixed, astray, placed; /* placed: both affinities are known */
	struct ta_cpuset cpus, rx_cpus, isolated, node_cpus;
	struct shares alone; /* receiving vectors by their only CPU */
	struct shares tops;  /* counts by the CPU where each vector fired most */
	double total;
	bool is_nvme, fired, node_known,
		node_unknown; /* unknown: of one of its interrupts at least */
};

enum { NICS, NVMES, OTHERS, N_KINDS };

struct devices {
	struct ta_facts *f;
	struct device *v;
	size_t n;
	size_t cap;
	struct json_object *index[N_KINDS]; /* name -> number in v */
	struct ta_cpuset isolated;          /* and nohz_full */
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

/* A borrowed slot, good until the next one is made; NULL without memory. */
static struct device *new_device(struct devices *all, int kind, const char *name)
{
	struct json_object *number = json_object_new_int64((int64_t)all->n);

	if (all->n == all->cap) {
		size_t cap = all->cap ? all->cap * 2 : 16;
		struct device *v = reallocarray(all->v, cap, sizeof(*v));

		if (!v) {
			json_object_put(number);
			return NULL;
		}
		all->v = v;
		all->cap = cap;
	}
	if (json_object_object_add(all->index[kind], name, number) < 0) {
		json_object_put(number);
		return NULL;
	}
	all->v[all->n] = (struct device){.is_nvme = kind == NVMES};
	return &all->v[all->n++];
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

/* The CPUs of a node; false if they are not known, or if there are none: then no other CPU is
 * nearer. */
static bool cpus_of_node(const struct ta_facts *f, int64_t node, struct ta_cpuset *ret)
{
	char key[24];

	snprintf(key, sizeof(key), "%lld", (long long)node);
	return ta_facts_get_cpus(f, TA_KEYS("numa", key, "cpus"), ret) && ta_cpuset_count(ret);
}

/* The device's node counts, else the interrupt's own. */
static void add_off_node(
	struct devices *all, struct device *d, const char *irq, const struct ta_cpuset *cpus)
{
	ta_cleanup_cpuset struct ta_cpuset own = TA_CPUSET_INIT;
	const struct ta_cpuset *near = d->node_known ? &d->node_cpus : &own;
	int64_t node;

	if (!d->node_known && (!ta_facts_get_i64(all->f, TA_KEYS("irqs", irq, "node"), &node) ||
				      !cpus_of_node(all->f, node, &own)))
		d->node_unknown = true;
	else
		d->off_node += !is_subset(cpus, near);
}

/* Whether it can be moved, and whether it went where it was sent. */
static void add_obedience(struct devices *all, struct device *d, const char *irq)
{
	ta_cleanup_cpuset struct ta_cpuset wanted = TA_CPUSET_INIT, effective = TA_CPUSET_INIT;
	bool movable;

	d->fixed += ta_facts_get_bool(all->f, TA_KEYS("irqs", irq, "movable"), &movable) && !movable;
	if (!ta_facts_get_cpus(all->f, TA_KEYS("irqs", irq, "wanted"), &wanted) ||
		!ta_facts_get_cpus(all->f, TA_KEYS("irqs", irq, "effective"), &effective) ||
		!ta_cpuset_count(&effective))
		return;
	d->placed++;
	d->astray += !is_subset(&effective, &wanted);
}

/* The CPUs of one vector. */
static int add_cpus(struct devices *all, struct device *d, const char *irq, bool receives)
{
	ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT, fired = TA_CPUSET_INIT,
					   isolated = TA_CPUSET_INIT;
	int rc;

	ta_facts_get_cpus(all->f, TA_KEYS("irqs", irq, "fired"), &fired);
	/* None at all: its controller does not tell (or cannot route). */
	if (!ta_facts_get_cpus(all->f, TA_KEYS("irqs", irq, "effective"), &cpus) || !ta_cpuset_count(&cpus)) {
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
	if (ta_cpuset_count(&fired))
		add_off_node(all, d, irq, &cpus);
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
	add_obedience(all, d, irq);
	rc = add_cpus(all, d, irq, receives);
	if (rc == 0 && ta_facts_get_i64(all->f, TA_KEYS("irqs", irq, "top_cpu"), &top))
		rc = add_share(&d->tops, top, number_at(all->f, irq, "top_share") * count);
	return rc;
}

/* The device of that name; one that only the interrupts know is made. NULL: none, or no memory. */
static struct device *find_device(struct devices *all, const char *name, bool is_nvme)
{
	struct json_object *found;

	if (json_object_object_get_ex(all->index[is_nvme ? NVMES : NICS], name, &found) ||
		json_object_object_get_ex(all->index[OTHERS], name, &found))
		return &all->v[json_object_get_int64(found)];
	return is_nvme ? NULL : new_device(all, OTHERS, name);
}

static int gather(struct devices *all)
{
	struct json_object *irqs = ta_facts_at(all->f, TA_KEYS("irqs"));
	int rc = 0;

	json_object_object_foreach(irqs, irq, unused)
	{
		struct json_object *names = ta_facts_at(all->f, TA_KEYS("irqs", irq, "devices"));
		const char *role = ta_facts_get_str(all->f, TA_KEYS("irqs", irq, "role"));
		bool is_nvme = role && strcmp(role, "io") == 0;
		size_t n = 0;

		(void)unused;
		if (role && strcmp(role, "other") != 0 &&
			json_object_is_type(names, json_type_array))
			n = json_object_array_length(names);
		for (size_t i = 0; rc == 0 && i < n; i++) {
			const char *name =
				json_object_get_string(json_object_array_get_idx(names, i));
			struct device *d = name ? find_device(all, name, is_nvme) : NULL;

			rc = d ? add_vector(all, d, irq, role) : 0;
		}
	}
	return rc;
}

/* --- putting ------------------------------------------------------------------- */

/* Where a device's facts stand: nics.NAME.irq.KEY or irq_devices.NAME.KEY. */
struct place {
	const char *collection, *name, *group; /* group NULL: none */
};

#define AT(p, key)                                                                                 \
	TA_KEYS((p)->collection, (p)->name, (p)->group ? (p)->group : (key),                       \
		(p)->group ? (key) : NULL)

static void put_counts(struct ta_facts *f, const struct place *p, struct device *d)
{
	struct share top;

	ta_facts_put_u64(f, AT(p, "counts_total"), (uint64_t)d->total);
	if (!largest(&d->tops, &top) || d->total <= 0) {
		ta_facts_put_absent(f, AT(p, "top_cpu"), TA_MISSING, "none of them fired");
		ta_facts_put_absent(f, AT(p, "top_share"), TA_MISSING, "none of them fired");
		return;
	}
	ta_facts_put_i64(f, AT(p, "top_cpu"), top.cpu);
	ta_facts_put_real(
		f, AT(p, "top_share"), (double)(int)(top.amount / d->total * 1000 + 0.5) / 1000);
}

static void put_spread(struct ta_facts *f, const struct place *p, struct device *d)
{
	static const char *const keys[] = {
		"cpus", "n_cpus", "source", "most_per_cpu", "one_cpu", "all_on_cpu0"};
	const struct ta_cpuset *cpus = d->rx_vectors ? &d->rx_cpus : &d->cpus;
	unsigned n = ta_cpuset_count(cpus);
	struct share most;

	for (size_t i = 0; i < TA_ARRAY_SIZE(keys) && !n; i++)
		ta_facts_put_absent(f, AT(p, keys[i]), TA_MISSING,
			d->vectors ? "neither affinity nor counters tell where they are served"
				   : "it has no queue interrupts");
	if (!n)
		return;
	largest(&d->alone, &most);
	ta_facts_put_cpus(f, AT(p, "cpus"), cpus);
	ta_facts_put_i64(f, AT(p, "n_cpus"), n);
	ta_facts_put_str(f, AT(p, "source"), d->fired ? "fired" : "effective");
	ta_facts_put_i64(f, AT(p, "most_per_cpu"), (int64_t)most.amount);
	ta_facts_put_bool(f, AT(p, "one_cpu"), n == 1);
	ta_facts_put_bool(f, AT(p, "all_on_cpu0"), n == 1 && ta_cpuset_has(cpus, 0));
}

static void put_net(struct devices *all, const struct place *p, struct device *d)
{
	struct ta_facts *f = all->f;

	ta_facts_put_i64(f, AT(p, "vectors"), d->vectors);
	ta_facts_put_i64(f, AT(p, "rx_vectors"), d->rx_vectors);
	put_spread(f, p, d);
	put_counts(f, p, d);
	ta_facts_put_i64(f, AT(p, "fixed"), d->fixed);
	if (d->placed)
		ta_facts_put_i64(f, AT(p, "astray"), d->astray);
	else
		ta_facts_put_absent(f, AT(p, "astray"), TA_MISSING, "no effective affinity is known");
	if (d->node_unknown || (!d->node_known && !d->vectors))
		ta_facts_put_absent(
			f, AT(p, "off_node"), TA_UNSUPPORTED, "its NUMA node is not known");
	else
		ta_facts_put_i64(f, AT(p, "off_node"), d->off_node);
	if (all->isolated_known)
		ta_facts_put_cpus(f, AT(p, "on_isolated"), &d->isolated);
	else
		ta_facts_put_absent(
			f, AT(p, "on_isolated"), TA_MISSING, "isolated CPUs are not known");
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
	int64_t node;

	d->node_known = ta_facts_get_i64(all->f, TA_KEYS("nics", nic, "numa_node"), &node) &&
			cpus_of_node(all->f, node, &d->node_cpus);
}

static bool is_hardware(const struct ta_facts *f, const char *nic)
{
	bool physical;

	return ta_facts_get_bool(f, TA_KEYS("nics", nic, "physical"), &physical) && physical;
}

static void add_devices(struct devices *all, const char *collection, bool is_nvme)
{
	struct json_object *members = ta_facts_at(all->f, TA_KEYS(collection));
	struct device *d;

	if (!json_object_is_type(members, json_type_object))
		return;
	json_object_object_foreach(members, name, unused)
	{
		(void)unused;
		if (!is_nvme && ta_derive_skips_nic(all->f, name))
			continue;
		if (!is_nvme && !is_hardware(all->f, name)) {
			ta_facts_put_absent(all->f, TA_KEYS("nics", name, "irq"), TA_UNSUPPORTED,
				"no hardware, no interrupts");
			continue;
		}
		d = new_device(all, is_nvme ? NVMES : NICS, name);
		if (d && !is_nvme)
			find_node(all, name, d);
	}
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
	bool listed = json_object_is_type(ta_facts_at(all->f, TA_KEYS("nics")), json_type_object);

	ta_put_object(all->f, "irq_devices");
	json_object_object_foreach(all->index[NICS], nic, nic_number) put_net(all,
		&(struct place){"nics", nic, "irq"}, &all->v[json_object_get_int64(nic_number)]);
	json_object_object_foreach(all->index[OTHERS], other, other_number)
	{
		put_net(all, &(struct place){"irq_devices", other, NULL},
			&all->v[json_object_get_int64(other_number)]);
		ta_put_bool(all->f, !listed, "irq_devices", other, "ours");
	}
	json_object_object_foreach(all->index[NVMES], nvme, nvme_number)
		put_nvme(all, nvme, &all->v[json_object_get_int64(nvme_number)]);
}

static void put_no_table(struct devices *all)
{
	static const char *const collections[] = {[NICS] = "nics", [NVMES] = "nvme"};
	struct ta_absence why = ta_facts_absence(all->f, "irqs");

	ta_facts_put_absent(all->f, TA_KEYS("irq_devices"), why.reason, "%s", why.detail);
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
	struct devices all = {.f = f};
	bool whole = true;

	for (size_t i = 0; i < N_KINDS; i++) {
		all.index[i] = json_object_new_object();
		whole = whole && all.index[i];
	}
	if (whole) {
		read_isolated(&all);
		add_devices(&all, "nics", false);
		add_devices(&all, "nvme", true);
		if (!json_object_is_type(ta_facts_at(f, TA_KEYS("irqs")), json_type_object))
			put_no_table(&all);
		else if (gather(&all) == 0)
			put_all(&all);
	}
	for (size_t i = 0; i < all.n; i++)
		device_done(&all.v[i]);
	free(all.v);
	for (size_t i = 0; i < N_KINDS; i++)
		json_object_put(all.index[i]);
	ta_cpuset_done(&all.isolated);
}

const struct ta_derivation ta_derive_nic_irq = {
	.name = "nic_irq",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
