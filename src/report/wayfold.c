/*
 * What the printers of a packet's way share: the words for faults, and rows and boxes that stand for many.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/way.h"

static const struct {
	unsigned bit;
	const char *name, *meaning;
} faults[TA_WAY_FAULTS] = {
	{TA_WAY_CPU0, "all on CPU 0", "every receiving queue of the interface interrupts CPU 0, so that they are worth one queue"},
	{TA_WAY_ONE_CPU, "all on one CPU", "every receiving queue of the interface interrupts the same CPU, so that they are worth one queue"},
	{TA_WAY_SHARED, "shared CPU", "several receiving queues of the interface interrupt one CPU, while another that could serve has none"},
	{TA_WAY_FAR, "other node", "served by a CPU of another NUMA node than the interface's: each packet crosses the interconnect"},
	{TA_WAY_ISOLATED, "isolated CPU", "served by a CPU that was set apart so that nothing disturbs what runs there"},
};

const char *ta_way_fault_name(unsigned bit)
{
	for (size_t i = 0; i < TA_WAY_FAULTS; i++)
		if (faults[i].bit == bit)
			return faults[i].name;
	return NULL;
}

const char *ta_way_fault_meaning(unsigned bit)
{
	for (size_t i = 0; i < TA_WAY_FAULTS; i++)
		if (faults[i].bit == bit)
			return faults[i].meaning;
	return NULL;
}

void ta_way_fault_names(unsigned bits, struct ta_buf *ret)
{
	const char *sep = "";

	for (size_t i = 0; i < TA_WAY_FAULTS; i++) {
		if (!(bits & faults[i].bit))
			continue;
		ta_buf_printf(ret, "%s%s", sep, faults[i].name);
		sep = ", ";
	}
}

static bool alike(const struct ta_way_irq *a, const struct ta_way_irq *b)
{
	return a->faults == b->faults && a->receives == b->receives && a->node == b->node &&
	       (ta_cpuset_count(&a->cpus) == 1) == (ta_cpuset_count(&b->cpus) == 1) &&
	       /* Sharing and not sharing a CPU do not go into one row. */
	       (!(a->faults & (TA_WAY_CPU0 | TA_WAY_ONE_CPU | TA_WAY_SHARED)) || ta_cpuset_equal(&a->cpus, &b->cpus));
}

struct ta_way_row *ta_way_rows(const struct ta_way_nic *nic, size_t most, size_t *ret_n)
{
	struct ta_way_row *rows = calloc(nic->n_irqs + 1, sizeof(*rows));
	bool fold = nic->n_irqs > most;
	size_t n = 0;

	*ret_n = 0;
	for (size_t i = 0; rows && i < nic->n_irqs; i++) {
		const struct ta_way_irq *irq = &nic->irqs[i];

		if (!fold || !n || !alike(rows[n - 1].last, irq))
			rows[n++] = (struct ta_way_row){.first = irq, .faults = irq->faults};
		rows[n - 1].last = irq;
		rows[n - 1].n++;
		if (ta_cpuset_or(&rows[n - 1].cpus, &irq->cpus) < 0) {
			ta_way_rows_free(rows, n);
			return NULL;
		}
	}
	for (size_t i = 0; i < n; i++)
		rows[i].one_each = ta_cpuset_count(&rows[i].cpus) == rows[i].n;
	*ret_n = n;
	return rows;
}

void ta_way_rows_free(struct ta_way_row *rows, size_t n)
{
	for (size_t i = 0; rows && i < n; i++)
		ta_cpuset_done(&rows[i].cpus);
	free(rows);
}

static bool is_idle(const struct ta_way_cpu *c)
{
	return !c->queues && !c->sends && !c->faults;
}

static size_t count_serving(const struct ta_way *w)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_cpus; i++)
		n += !is_idle(&w->cpus[i]);
	return n;
}

struct ta_way_box *ta_way_boxes(const struct ta_way *w, size_t most, size_t *ret_n)
{
	struct ta_way_box *boxes = calloc(w->n_cpus + 1, sizeof(*boxes));
	bool fold = count_serving(w) > most;
	size_t n = 0;

	for (size_t i = 0; boxes && i < w->n_cpus; i++) {
		const struct ta_way_cpu *cpu = &w->cpus[i], *before = i ? cpu - 1 : NULL;
		bool same = before && before->node == cpu->node && before->isolated == cpu->isolated &&
			    before->queues == cpu->queues && before->sends == cpu->sends && before->faults == cpu->faults;

		if (!same || !(is_idle(cpu) || fold))
			boxes[n++] = (struct ta_way_box){.first = i};
		boxes[n - 1].n++;
	}
	*ret_n = boxes ? n : 0;
	return boxes;
}

void ta_way_box_name(const struct ta_way *w, const struct ta_way_box *box, struct ta_buf *ret)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;

	for (size_t i = 0; i < box->n; i++)
		if (ta_cpuset_add(&set, w->cpus[box->first + i].number) < 0)
			ret->error = ret->error ? ret->error : -ENOMEM;
	ta_cpuset_format(&set, ret);
}
