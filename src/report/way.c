#include "report/way.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/strv.h"

/* Facts may come from a file that anybody wrote. */
#define MAX_NICS 512
#define MAX_IRQS 4096 /* of one interface */
#define NAME_MAX_BYTES 64

/* A copy, or its beginning and dots. */
static char *short_copy(const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_buf_adds(&b, text);
	ta_buf_shorten(&b, 0, NAME_MAX_BYTES);
	return ta_buf_steal(&b);
}

static const char *text_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_string) ? json_object_get_string(v) : "";
}

static bool number_at(struct json_object *o, const char *key, int64_t *ret)
{
	struct json_object *v;

	if (!json_object_object_get_ex(o, key, &v) || !json_object_is_type(v, json_type_int))
		return false;
	*ret = json_object_get_int64(v);
	return true;
}

/* Adds what is a CPU number in the list. */
static int add_list(struct json_object *list, struct ta_cpuset *ret)
{
	size_t n = json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;

	for (size_t i = 0; i < n; i++) {
		struct json_object *v = json_object_array_get_idx(list, i);
		int64_t cpu = json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : -1;

		if (cpu >= 0 && cpu < TA_CPU_LIMIT && ta_cpuset_add(ret, (unsigned)cpu) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int cpus_at(struct json_object *o, const char *key, struct ta_cpuset *ret)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) ? add_list(v, ret) : 0;
}

/* --- CPUs ---------------------------------------------------------------- */

struct cpus {
	struct ta_cpuset all, isolated;
	int16_t *node_of; /* TA_CPU_LIMIT of them */
};

static int read_nodes(const struct ta_facts *f, struct cpus *c, struct ta_way *w)
{
	struct json_object *numa = ta_facts_at(f, TA_KEYS("numa"));
	int64_t nodes = 0;

	if (ta_facts_get_i64(f, TA_KEYS("numa_nodes"), &nodes) && nodes > 0)
		w->n_nodes = (size_t)nodes;
	if (!json_object_is_type(numa, json_type_object))
		return 0;
	json_object_object_foreach (numa, key, node) {
		ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
		int64_t number;

		if (ta_parse_i64(key, &number) < 0 || number < 0 || number > INT16_MAX)
			continue;
		if (cpus_at(node, "cpus", &set) < 0 || ta_cpuset_or(&c->all, &set) < 0)
			return -ENOMEM;
		for (int cpu = -1; (cpu = ta_cpuset_next(&set, cpu + 1)) >= 0;)
			c->node_of[cpu] = (int16_t)number;
	}
	return 0;
}

/* Where no node lists CPUs, those that anything else tells of. */
static int read_cpus(const struct ta_facts *f, struct cpus *c, struct ta_way *w)
{
	static const char *const apart[] = {"isolated", "nohz_full"};
	int64_t online;

	for (size_t i = 0; i < TA_CPU_LIMIT; i++)
		c->node_of[i] = -1;
	if (read_nodes(f, c, w) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < TA_ARRAY_SIZE(apart); i++) {
		struct json_object *list = ta_facts_at(f, TA_KEYS("cpu", apart[i]));

		if (list && add_list(list, &c->isolated) < 0)
			return -ENOMEM;
	}
	if (ta_cpuset_next(&c->all, 0) >= 0)
		return 0;
	if (add_list(ta_facts_at(f, TA_KEYS("counters", "softirq", "cpus")), &c->all) < 0)
		return -ENOMEM;
	if (ta_cpuset_next(&c->all, 0) < 0 && ta_facts_get_i64(f, TA_KEYS("cpu", "online"), &online))
		for (int64_t i = 0; i < online && i < TA_CPU_LIMIT; i++)
			if (ta_cpuset_add(&c->all, (unsigned)i) < 0)
				return -ENOMEM;
	return 0;
}

/* --- interfaces ---------------------------------------------------------- */

static void add_speed(int64_t mbps, struct ta_buf *b)
{
	if (mbps >= 1000)
		ta_buf_printf(b, ", %g Gbit/s", (double)mbps / 1000);
	else if (mbps > 0)
		ta_buf_printf(b, ", %d Mbit/s", (int)mbps);
}

static char *about(struct json_object *o, const struct ta_way_nic *nic, size_t n_nodes)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int64_t mbps;

	ta_buf_adds(&b, *text_at(o, "driver") ? text_at(o, "driver") : "driver not known");
	ta_buf_shorten(&b, 0, NAME_MAX_BYTES);
	if (number_at(o, "speed_mbps", &mbps) && mbps <= 100000000)
		add_speed(mbps, &b);
	if (nic->node >= 0 && n_nodes > 1)
		ta_buf_printf(&b, ", node %lld", (long long)nic->node);
	else if (n_nodes > 1)
		ta_buf_adds(&b, ", node not known");
	if (nic->down)
		ta_buf_adds(&b, ", down");
	return ta_buf_steal(&b);
}

static char *steering(struct json_object *o)
{
	ta_cleanup_cpuset struct ta_cpuset rps = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (cpus_at(o, "rps_cpus", &rps) < 0 || ta_cpuset_next(&rps, 0) < 0)
		return NULL;
	ta_buf_adds(&b, "RPS hands packets on to CPUs ");
	ta_cpuset_format(&rps, &b);
	return ta_buf_steal(&b);
}

static int add_nic(struct ta_way *w, const char *name, struct json_object *o)
{
	struct ta_way_nic *nic = &w->nics[w->n_nics++];
	struct json_object *up;

	nic->name = short_copy(name);
	nic->node = -1;
	if (!number_at(o, "numa_node", &nic->node) && w->n_nodes == 1)
		nic->node = 0;
	nic->down = json_object_object_get_ex(o, "up", &up) && json_object_is_type(up, json_type_boolean) &&
		    !json_object_get_boolean(up);
	nic->about = about(o, nic, w->n_nodes);
	nic->steering = steering(o);
	return nic->name && nic->about ? 0 : -ENOMEM;
}

static bool true_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_boolean) && json_object_get_boolean(v);
}

/* Hardware interfaces, and what the table of interrupts alone knows, each if `flag` is true of it. */
static int add_nics(struct ta_way *w, struct json_object *all, const char *flag, struct json_object *index)
{
	if (!json_object_is_type(all, json_type_object))
		return 0;
	json_object_object_foreach (all, name, o) {
		if (w->n_nics == MAX_NICS)
			return 0;
		if (!true_at(o, flag) || json_object_object_get_ex(index, name, NULL))
			continue;
		if (json_object_object_add(index, name, json_object_new_int64((int64_t)w->n_nics)) < 0 || add_nic(w, name, o) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* --- interrupts ---------------------------------------------------------- */

/* The kernel's choice is one CPU mostly; where it tells of none, those where it fired. */
static int serving(struct json_object *o, struct ta_cpuset *ret)
{
	if (cpus_at(o, "effective", ret) < 0)
		return -ENOMEM;
	if (ta_cpuset_next(ret, 0) < 0)
		return cpus_at(o, "fired", ret);
	return 0;
}

static int64_t node_of(const struct ta_cpuset *cpus, const struct cpus *c)
{
	int64_t node = -1;

	for (int cpu = -1; (cpu = ta_cpuset_next(cpus, cpu + 1)) >= 0;) {
		if (node >= 0 && c->node_of[cpu] != node)
			return -1;
		node = c->node_of[cpu];
	}
	return node;
}

/* Of a link that is down, or an interrupt that never came, nothing is a fault. */
static unsigned own_faults(const struct ta_way_nic *nic, const struct ta_way_irq *irq, bool fired, const struct cpus *c)
{
	unsigned faults = 0;

	for (int cpu = -1; (cpu = ta_cpuset_next(&irq->cpus, cpu + 1)) >= 0;) {
		if (fired && nic->node >= 0 && c->node_of[cpu] >= 0 && c->node_of[cpu] != nic->node)
			faults |= TA_WAY_FAR;
		if (ta_cpuset_has(&c->isolated, (unsigned)cpu))
			faults |= TA_WAY_ISOLATED;
	}
	return faults;
}

static int add_irq(struct ta_way_nic *nic, const char *number, struct json_object *o, const struct cpus *c)
{
	const char *role = text_at(o, "role");
	struct ta_way_irq *irq;
	int64_t queue, count = 0;
	char label[64];

	if (strcmp(role, "rx") != 0 && strcmp(role, "tx") != 0 && strcmp(role, "combined") != 0)
		return 0;
	if (nic->n_irqs == MAX_IRQS) {
		nic->left_out++;
		return 0;
	}
	if (!(nic->n_irqs & (nic->n_irqs + 1))) {
		struct ta_way_irq *v = reallocarray(nic->irqs, 2 * nic->n_irqs + 1, sizeof(*v));

		if (!v)
			return -ENOMEM;
		nic->irqs = v;
	}
	irq = &nic->irqs[nic->n_irqs++];
	*irq = (struct ta_way_irq){.receives = *role != 't', .number = short_copy(number)};
	if (number_at(o, "queue", &queue))
		snprintf(label, sizeof(label), "%s-%lld", role, (long long)queue);
	else
		snprintf(label, sizeof(label), "%s", role);
	irq->queue = strdup(label);
	if (!irq->queue || !irq->number || serving(o, &irq->cpus) < 0)
		return -ENOMEM;
	irq->node = node_of(&irq->cpus, c);
	number_at(o, "counts_total", &count);
	irq->faults = own_faults(nic, irq, count > 0, c);
	return 0;
}

static int add_irqs(struct ta_way *w, struct json_object *irqs, struct json_object *index, const struct cpus *c)
{
	if (!json_object_is_type(irqs, json_type_object))
		return 0;
	json_object_object_foreach (irqs, number, o) {
		struct json_object *at;

		if (!json_object_object_get_ex(index, text_at(o, "device"), &at))
			continue;
		if (add_irq(&w->nics[json_object_get_int64(at)], number, o, c) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int by_queue(const void *a, const void *b)
{
	const struct ta_way_irq *x = a, *y = b;
	int by_name = ta_natural_cmp(x->queue, y->queue);

	return by_name ? by_name : ta_natural_cmp(x->number, y->number);
}

/* --- faults of several together ------------------------------------------ */

/* Is there a CPU that could serve a queue of the interface, and has none? */
static bool any_idle(const struct ta_way_nic *nic, const unsigned *load, const struct cpus *c)
{
	for (int cpu = -1; (cpu = ta_cpuset_next(&c->all, cpu + 1)) >= 0;) {
		if (load[cpu] || ta_cpuset_has(&c->isolated, (unsigned)cpu))
			continue;
		if (nic->node < 0 || c->node_of[cpu] < 0 || c->node_of[cpu] == nic->node)
			return true;
	}
	return false;
}

static void mark_together(struct ta_way_nic *nic, unsigned *load, const struct cpus *c)
{
	ta_cleanup_cpuset struct ta_cpuset used = TA_CPUSET_INIT;
	size_t receiving = 0;
	unsigned mark = 0;

	memset(load, 0, TA_CPU_LIMIT * sizeof(*load));
	for (size_t i = 0; i < nic->n_irqs; i++) {
		if (!nic->irqs[i].receives || ta_cpuset_or(&used, &nic->irqs[i].cpus) < 0)
			continue;
		receiving++;
		if (ta_cpuset_count(&nic->irqs[i].cpus) == 1)
			load[ta_cpuset_next(&nic->irqs[i].cpus, 0)]++;
	}
	if (receiving < 2 || ta_cpuset_count(&c->all) < 2)
		return;
	if (ta_cpuset_count(&used) == 1)
		mark = ta_cpuset_has(&used, 0) ? TA_WAY_CPU0 : TA_WAY_ONE_CPU;
	else if (any_idle(nic, load, c))
		mark = TA_WAY_SHARED;
	for (size_t i = 0; i < nic->n_irqs; i++) {
		struct ta_way_irq *irq = &nic->irqs[i];

		if (irq->receives && ta_cpuset_count(&irq->cpus) == 1 && load[ta_cpuset_next(&irq->cpus, 0)] > 1)
			irq->faults |= mark;
	}
}

static int mark_all(struct ta_way *w, const struct cpus *c)
{
	unsigned *load = calloc(TA_CPU_LIMIT, sizeof(*load));

	if (!load)
		return -ENOMEM;
	for (size_t i = 0; i < w->n_nics; i++) {
		struct ta_way_nic *nic = &w->nics[i];

		if (nic->n_irqs > 1)
			qsort(nic->irqs, nic->n_irqs, sizeof(*nic->irqs), by_queue);
		if (!nic->down)
			mark_together(nic, load, c);
		for (size_t k = 0; k < nic->n_irqs; k++) {
			if (nic->down)
				nic->irqs[k].faults = 0;
			nic->faults |= nic->irqs[k].faults;
		}
		w->faults |= nic->faults;
	}
	free(load);
	return 0;
}

/* --- what CPUs get -------------------------------------------------------- */

static struct ta_way_cpu *cpu_at(struct ta_way *w, unsigned number)
{
	size_t low = 0, high = w->n_cpus;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (w->cpus[mid].number < number)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->n_cpus && w->cpus[low].number == number ? &w->cpus[low] : NULL;
}

static void read_softirqs(const struct ta_facts *f, struct ta_way *w)
{
	struct json_object *cpus = ta_facts_at(f, TA_KEYS("counters", "softirq", "cpus"));
	struct json_object *now = ta_facts_at(f, TA_KEYS("rates", "softirq", "net_rx_by_cpu"));
	struct json_object *runs = now ? now : ta_facts_at(f, TA_KEYS("counters", "softirq", "net_rx_by_cpu"));
	size_t n = json_object_is_type(cpus, json_type_array) ? json_object_array_length(cpus) : 0;
	double sum = 0;

	if (!json_object_is_type(runs, json_type_array) || json_object_array_length(runs) != n)
		return;
	w->softirq_now = now != NULL;
	for (size_t i = 0; i < n; i++)
		sum += TA_MAX(json_object_get_double(json_object_array_get_idx(runs, i)), 0.0);
	for (size_t i = 0; i < n; i++) {
		int64_t number = json_object_get_int64(json_object_array_get_idx(cpus, i));
		struct ta_way_cpu *cpu = number >= 0 && number < TA_CPU_LIMIT ? cpu_at(w, (unsigned)number) : NULL;

		if (cpu)
			cpu->softirq = sum > 0 ? TA_MAX(json_object_get_double(json_object_array_get_idx(runs, i)), 0.0) / sum : 0;
	}
}

static void add_queues(struct ta_way *w, const struct ta_way_nic *nic)
{
	for (size_t i = 0; i < nic->n_irqs; i++) {
		const struct ta_way_irq *irq = &nic->irqs[i];

		for (int n = -1; (n = ta_cpuset_next(&irq->cpus, n + 1)) >= 0;) {
			struct ta_way_cpu *cpu = cpu_at(w, (unsigned)n);

			if (!cpu)
				continue;
			cpu->queues += irq->receives;
			cpu->sends += !irq->receives;
			cpu->faults |= irq->faults;
		}
	}
}

static int by_node(const void *a, const void *b)
{
	const struct ta_way_cpu *x = a, *y = b;

	if (x->node != y->node)
		return x->node < y->node ? -1 : 1;
	return x->number < y->number ? -1 : 1;
}

static int fill_cpus(const struct ta_facts *f, struct cpus *c, struct ta_way *w)
{
	for (size_t i = 0; i < w->n_nics; i++)
		for (size_t k = 0; k < w->nics[i].n_irqs; k++)
			if (ta_cpuset_or(&c->all, &w->nics[i].irqs[k].cpus) < 0)
				return -ENOMEM;
	w->cpus = calloc(ta_cpuset_count(&c->all) + 1, sizeof(*w->cpus));
	if (!w->cpus)
		return -ENOMEM;
	for (int n = -1; (n = ta_cpuset_next(&c->all, n + 1)) >= 0;)
		w->cpus[w->n_cpus++] = (struct ta_way_cpu){.number = (unsigned)n,
			.node = c->node_of[n],
			.isolated = ta_cpuset_has(&c->isolated, (unsigned)n),
			.softirq = -1};
	for (size_t i = 0; i < w->n_nics; i++)
		add_queues(w, &w->nics[i]);
	read_softirqs(f, w);
	qsort(w->cpus, w->n_cpus, sizeof(*w->cpus), by_node);
	return 0;
}

/* A page keeps the ways of thousands of hosts. */
static void give_back(struct ta_way *w)
{
	struct ta_way_nic *nics = reallocarray(w->nics, w->n_nics + 1, sizeof(*nics));

	if (nics)
		w->nics = nics;
}

static int why_not(const struct ta_facts *f, struct ta_way *w)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	size_t irqs = 0;

	for (size_t i = 0; i < w->n_nics; i++)
		irqs += w->nics[i].n_irqs;
	if (irqs)
		return 0;
	if (!ta_facts_at(f, TA_KEYS("nics")))
		ta_buf_printf(&b, "the interfaces were not read: %s", ta_facts_absence(f, "nics").detail);
	else if (!ta_facts_at(f, TA_KEYS("irqs")))
		ta_buf_printf(&b, "the interrupts were not read: %s", ta_facts_absence(f, "irqs").detail);
	else if (!w->n_nics)
		ta_buf_adds(&b, "there is no hardware interface");
	else
		ta_buf_adds(&b, "no interrupt is known to be of an interface");
	w->why_not = ta_buf_steal(&b);
	return w->why_not ? 0 : -ENOMEM;
}

static int fill(const struct ta_facts *f, struct cpus *c, struct json_object *index, struct ta_way *w)
{
	c->node_of = malloc(TA_CPU_LIMIT * sizeof(*c->node_of));
	w->nics = calloc(MAX_NICS, sizeof(*w->nics));
	if (!c->node_of || !w->nics || !index || read_cpus(f, c, w) < 0)
		return -ENOMEM;
	if (add_nics(w, ta_facts_at(f, TA_KEYS("nics")), "physical", index) < 0 ||
		add_nics(w, ta_facts_at(f, TA_KEYS("irq_devices")), "ours", index) < 0)
		return -ENOMEM;
	if (add_irqs(w, ta_facts_at(f, TA_KEYS("irqs")), index, c) < 0 || mark_all(w, c) < 0 || fill_cpus(f, c, w) < 0)
		return -ENOMEM;
	give_back(w);
	return why_not(f, w);
}

int ta_way_of(const struct ta_facts *f, struct ta_way *ret)
{
	struct json_object *index = json_object_new_object();
	struct cpus c = {0};
	struct ta_way w = {0};
	int rc = fill(f, &c, index, &w);

	json_object_put(index);
	ta_cpuset_done(&c.all);
	ta_cpuset_done(&c.isolated);
	free(c.node_of);
	if (rc < 0)
		ta_way_done(&w);
	else
		*ret = w;
	return rc;
}

void ta_way_done(struct ta_way *w)
{
	for (size_t i = 0; i < w->n_nics; i++) {
		struct ta_way_nic *nic = &w->nics[i];

		for (size_t k = 0; k < nic->n_irqs; k++) {
			free(nic->irqs[k].queue);
			free(nic->irqs[k].number);
			ta_cpuset_done(&nic->irqs[k].cpus);
		}
		free(nic->irqs);
		free(nic->name);
		free(nic->about);
		free(nic->steering);
	}
	free(w->nics);
	free(w->cpus);
	free(w->why_not);
	*w = (struct ta_way){0};
}
