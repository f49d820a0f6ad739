/*
 * irq.affinity(ifname): each queue of an interface on a CPU of its own, as near as possible.
 *
 * Vectors of one queue (receive and transmit of some drivers) stay together. Managed interrupts are placed by the
 * kernel, and some controllers cannot route at all: both refuse (EIO, since 6.12 EPERM: kernel/irq/proc.c), so they are left out.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "fix/describe.h"

static const struct ta_fix_param params[] = {{"ifname", TA_T_STRING, true}};

static const char *const reads[] = {"irqs.*.device", "processes.*.comm", "irqbalance.banned_irqs", "nics.*.numa_node", "nics.*.irq.rx_vectors", "numa.*.cpus",
	"cpu.online_list", "cpu.core_of", "cpu.isolated", "cpu.fast_cpus", NULL};

static const struct ta_fix_sig sigs[] = {{"irq.affinity", params, TA_ARRAY_SIZE(params), reads}};

struct vector {
	uint64_t irq;
	int64_t queue;
};

struct vectors {
	struct vector *v;
	size_t n;
	size_t fixed; /* that cannot be moved */
};

static bool member_is(struct json_object *irq, const char *key, bool wanted)
{
	struct json_object *o;

	return json_object_object_get_ex(irq, key, &o) && json_object_is_type(o, json_type_boolean) &&
	       json_object_get_boolean(o) == wanted;
}

/* Takes the interrupt if it is a queue of this interface. */
static void consider(struct vectors *list, const char *number, struct json_object *irq, const char *ifname)
{
	struct json_object *device, *queue;
	struct vector v;

	if (!json_object_object_get_ex(irq, "device", &device) || strcmp(json_object_get_string(device), ifname) != 0)
		return;
	if (!json_object_object_get_ex(irq, "queue", &queue) || ta_fix_json_i64(queue, &v.queue) < 0)
		return;
	if (ta_parse_u64(number, &v.irq) < 0)
		return;
	if (member_is(irq, "managed", true) || member_is(irq, "movable", false))
		list->fixed++;
	else
		list->v[list->n++] = v;
}

static int by_queue(const void *a, const void *b)
{
	const struct vector *x = a, *y = b;

	if (x->queue != y->queue)
		return x->queue < y->queue ? -1 : 1;
	return x->irq < y->irq ? -1 : x->irq > y->irq;
}

static int find_vectors(const struct ta_facts *facts, const char *ifname, struct vectors *ret, struct ta_err *err)
{
	struct json_object *irqs = ta_facts_at(facts, TA_KEYS("irqs"));
	struct vectors list = {0};

	if (!json_object_is_type(irqs, json_type_object))
		return ta_err_set(err, -EINVAL, "the interrupts of %s are not known", ifname);
	list.v = calloc((size_t)json_object_object_length(irqs) + 1, sizeof(*list.v));
	if (!list.v)
		return -ENOMEM;
	json_object_object_foreach(irqs, number, irq) consider(&list, number, irq, ifname);
	if (!list.n) {
		free(list.v);
		return ta_err_set(err, -EINVAL, "%s: %s", ifname,
			list.fixed ? "its interrupts cannot be moved: the kernel places them, or their controller cannot route"
				   : "no queue interrupts known");
	}
	qsort(list.v, list.n, sizeof(*list.v), by_queue);
	*ret = list;
	return 0;
}

/* Queues of the interfaces of the same node that stand before this one: they have the first CPUs. */
static size_t queues_before(const struct ta_facts *facts, const char *ifname)
{
	struct json_object *nics = ta_facts_at(facts, TA_KEYS("nics"));
	int64_t node = -1, other, queues;
	size_t n = 0;

	if (!json_object_is_type(nics, json_type_object))
		return 0;
	ta_facts_get_i64(facts, TA_KEYS("nics", ifname, "numa_node"), &node);
	json_object_object_foreach(nics, name, nic)
	{
		(void)nic;
		if (!strcmp(name, ifname))
			break;
		other = -1;
		ta_facts_get_i64(facts, TA_KEYS("nics", name, "numa_node"), &other);
		if (other == node && ta_facts_get_i64(facts, TA_KEYS("nics", name, "irq", "rx_vectors"), &queues) &&
			queues > 0)
			n += (size_t)queues;
	}
	return n;
}

/* From the CPU at `nth` on, one for each queue. */
static int add_steps(struct ta_steps *ret, const struct vectors *list, const unsigned *cpus, size_t n_cpus, size_t nth)
{
	char path[64], cpu[12];

	for (size_t i = 0; i < list->n; i++) {
		if (i && list->v[i].queue != list->v[i - 1].queue)
			nth++;
		snprintf(path, sizeof(path), "/proc/irq/%llu/smp_affinity_list", (unsigned long long)list->v[i].irq);
		snprintf(cpu, sizeof(cpu), "%u", cpus[nth % n_cpus]);
		ta_steps_add(ret, &ta_knob_attr, path, cpu);
	}
	return ret->error;
}

/* "45:0 46:2": interrupt and CPU, so that a shell's loop can take them apart. */
static void add_pairs(struct ta_buf *b, const struct ta_steps *list)
{
	for (size_t i = 0; i < list->n; i++) {
		const char *number = list->v[i].target + strlen("/proc/irq/");

		if (list->v[i].knob == &ta_knob_attr)
			ta_buf_printf(b, "%s%.*s:%s", b->len ? " " : "", (int)strcspn(number, "/"), number, list->v[i].after);
	}
}

/* Whether irqbalance runs; only then what was set by hand does not last. */
static bool irqbalance_runs(const struct ta_facts *facts)
{
	struct json_object *processes = ta_facts_at(facts, TA_KEYS("processes"));

	if (!json_object_is_type(processes, json_type_object))
		return false;
	json_object_object_foreach(processes, pid, process)
	{
		struct json_object *comm;

		(void)pid;
		if (json_object_object_get_ex(process, "comm", &comm) &&
			!strcmp(json_object_get_string(comm), "irqbalance"))
			return true;
	}
	return false;
}

/*
 * irqbalance moves interrupts back within seconds. It is told to leave these alone, beside those that it was told of at its start;
 * what else it leaves alone by now is added when the plan is made.
 */
static int add_ban(struct ta_steps *ret, const struct vectors *list, const struct ta_facts *facts)
{
	struct json_object *banned = ta_facts_at(facts, TA_KEYS("irqbalance", "banned_irqs"));
	ta_cleanup_buf struct ta_buf irqs = TA_BUF_INIT, sorted = TA_BUF_INIT;
	size_t n = json_object_is_type(banned, json_type_array) ? json_object_array_length(banned) : 0;
	int rc;

	for (size_t i = 0; i < list->n; i++)
		ta_buf_printf(&irqs, "%llu ", (unsigned long long)list->v[i].irq);
	for (size_t i = 0; i < n; i++)
		ta_buf_printf(&irqs, "%lld ", (long long)json_object_get_int64(json_object_array_get_idx(banned, i)));
	rc = irqs.error ?: ta_knob_irqban.join("none", ta_buf_text(&irqs), &sorted);
	if (rc == 0)
		ta_steps_add(ret, &ta_knob_irqban, "irqbalance", ta_buf_text(&sorted));
	return rc < 0 ? rc : ret->error;
}

static int steps(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret, struct ta_err *err)
{
	struct vectors list = {0};
	unsigned *cpus = NULL;
	size_t n_cpus;
	const char *ifname;
	int rc = ta_fix_arg_name(call, "ifname", &ifname, err);

	if (rc >= 0)
		rc = find_vectors(facts, ifname, &list, err);
	if (rc >= 0)
		rc = ta_fix_nic_cpus(facts, ifname, &cpus, &n_cpus, err);
	if (rc >= 0 && irqbalance_runs(facts))
		rc = add_ban(ret, &list, facts);
	if (rc >= 0)
		rc = add_steps(ret, &list, cpus, n_cpus, queues_before(facts, ifname));
	free(cpus);
	free(list.v);
	return rc;
}

static int describe(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret,
	struct ta_err *err)
{
	ta_cleanup_steps struct ta_steps list = TA_STEPS_INIT;
	ta_cleanup_buf struct ta_buf pairs = TA_BUF_INIT;
	int rc = steps(call, facts, &list, err);

	if (rc < 0)
		return rc;
	if (list.v[0].knob == &ta_knob_irqban)
		ta_knob_irqban.command("irqbalance", list.v[0].after, &ret->command);
	add_pairs(&pairs, &list);
	ta_buf_printf(&ret->command, "for x in %s; do echo ${x#*:} > /proc/irq/${x%%:*}/smp_affinity_list; done\n",
		ta_buf_text(&pairs));
	ta_fix_keep_steps(ret, &list, facts);
	return pairs.error;
}

const struct ta_fixer ta_fixer_irq = {
	.sigs = sigs,
	.n_sigs = TA_ARRAY_SIZE(sigs),
	.disruption = TA_DISRUPT_NONE,
	.steps = steps,
	.describe = describe,
};
