/*
 * Interrupts of each interface and NVMe controller, to be read twice: how many
 * a second. The kernel counts with 32 bits per interrupt and CPU
 * (include/linux/irqdesc.h, kstat_irqs), so the sum is right modulo 2^32 only.
 */
#include <errno.h>
#include <json-c/json.h>

#include "probe/irqtable.h"
#include "probe/probe.h"

static const struct ta_field fields[] = {
	{"counters.interrupts.*.queues", TA_T_INT, "interrupts",
		"interrupts of its queues since boot, all CPUs (32 bits per queue and CPU: wraps)",
		TA_F_VOLATILE | TA_F_WRAPS32, {{0}}},
	{"counters.interrupts.*.other", TA_T_INT, "interrupts",
		"its others: link state, mailbox, admin queue, and those of which it is not known",
		TA_F_VOLATILE | TA_F_WRAPS32, {{0}}},
};

static void add(struct ta_facts *f, const char *device, const char *key, uint64_t more)
{
	struct json_object *o = ta_facts_at(f, TA_KEYS("counters", "interrupts", device, key));
	uint64_t sum = o ? json_object_get_uint64(o) : 0;

	ta_put_u64(f, __builtin_add_overflow(sum, more, &sum) ? UINT64_MAX : sum, "counters", "interrupts", device,
		key);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_irqtable struct ta_irqtable t = {0};
	int rc = ta_irqtable_read(h, &t);

	if (rc < 0) {
		ta_put_errno(f, rc, "/proc/interrupts", "counters", "interrupts");
		return;
	}
	ta_put_object(f, "counters", "interrupts");
	for (size_t i = 0; i < t.vecs.n; i++) {
		const struct ta_irqvec *v = &t.vecs.v[i];
		bool queue = v->role != TA_IRQ_OTHER && v->role != TA_IRQ_UNKNOWN;

		if (!v->device || v->counts.huge)
			continue;
		add(f, v->device, "queues", queue ? v->counts.total : 0);
		add(f, v->device, "other", queue ? 0 : v->counts.total);
	}
}

const struct ta_probe ta_probe_irq_counters = {
	.name = "irq_counters",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
