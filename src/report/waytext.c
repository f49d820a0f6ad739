/*
 * A packet's way on a terminal: a line for each queue, an arrow to the CPU that serves it; queues of one CPU share the arrow.
 * Large hosts are folded: what is alike in neighbours is one line.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/parts.h"
#include "report/text.h"
#include "report/way.h"

#define MOST_ROWS 16  /* of an interface, before neighbours are folded */
#define LAST_ROWS 40  /* and where folding does not help */
#define MOST_BOXES 16
#define QUEUE_AT 18   /* columns */
#define NUMBER_AT 14

/* Lines to the right of an interrupt. */
enum line { ALONE, FIRST, MIDDLE, LAST };

static const char *const ascii[] = {"-----> ", "--+", "--+", "--+--> "};
static const char *const drawn[] = {"\u2500\u2500\u2500\u2500\u2500\u25b6 ", "\u2500\u2500\u2510", "\u2500\u2500\u2524",
	"\u2500\u2500\u2534\u2500\u2500\u25b6 "};

/* ASCII words, padded. */
static void add_word(struct ta_buf *b, const struct ta_buf *word, unsigned width)
{
	size_t from = b->len;

	ta_text_safe(b, ta_buf_text(word));
	ta_text_pad(b, b->len - from < width ? width - (unsigned)(b->len - from) : 1);
}

static void add_queue(const struct ta_way_row *r, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf queue = TA_BUF_INIT, number = TA_BUF_INIT;

	ta_buf_adds(&queue, r->first->queue);
	ta_buf_printf(&number, "irq %s", r->first->number);
	if (r->n > 1) {
		const char *dash = strrchr(r->last->queue, '-');

		ta_buf_printf(&queue, "..%s", dash ? dash + 1 : r->last->queue);
		ta_buf_printf(&number, "..%s", r->last->number);
	}
	ta_text_pad(b, 4);
	add_word(b, &queue, QUEUE_AT);
	add_word(b, &number, NUMBER_AT);
}

static void add_target(const struct ta_way *w, const struct ta_way_row *r, unsigned faults, struct ta_buf *b)
{
	if (ta_cpuset_next(&r->cpus, 0) < 0) {
		ta_buf_adds(b, "not known");
		return;
	}
	ta_buf_adds(b, ta_cpuset_count(&r->cpus) == 1 ? "CPU " : "CPUs ");
	ta_cpuset_format(&r->cpus, b);
	if (r->n > 1 && r->one_each)
		ta_buf_adds(b, ", one each");
	if (w->n_nodes > 1 && r->first->node >= 0)
		ta_buf_printf(b, ", node %lld", (long long)r->first->node);
	if (faults) {
		ta_buf_adds(b, "  ! ");
		ta_way_fault_names(faults, b);
	}
}

static bool joined(const struct ta_way_row *a, const struct ta_way_row *b)
{
	return a->n == 1 && b->n == 1 && ta_cpuset_next(&a->cpus, 0) >= 0 && ta_cpuset_equal(&a->cpus, &b->cpus);
}

static void add_rows(const struct ta_way *w, const struct ta_way_row *rows, size_t n, bool unicode, struct ta_buf *b)
{
	unsigned faults = 0;

	for (size_t i = 0; i < n; i++) {
		bool above = i && joined(&rows[i - 1], &rows[i]), below = i + 1 < n && joined(&rows[i], &rows[i + 1]);
		enum line line = above ? (below ? MIDDLE : LAST) : below ? FIRST : ALONE;

		faults = above ? faults | rows[i].faults : rows[i].faults;
		add_queue(&rows[i], b);
		ta_buf_adds(b, unicode ? drawn[line] : ascii[line]);
		if (!below)
			add_target(w, &rows[i], faults, b);
		ta_buf_addc(b, '\n');
	}
}

static void add_nic(const struct ta_way *w, const struct ta_way_nic *nic, unsigned columns, bool unicode, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf head = TA_BUF_INIT;
	size_t n, shown;
	struct ta_way_row *rows = ta_way_rows(nic, MOST_ROWS, &n);

	ta_buf_printf(&head, "%s: %s", nic->name, nic->about);
	if (!nic->n_irqs)
		ta_buf_adds(&head, ", no interrupt of a queue is known");
	if (nic->steering)
		ta_buf_printf(&head, "; %s", nic->steering);
	ta_text_pad(b, 2);
	ta_text_wrap(b, ta_buf_text(&head), columns, 2, 4);
	ta_buf_addc(b, '\n');
	shown = TA_MIN(n, (size_t)LAST_ROWS);
	if (rows)
		add_rows(w, rows, shown, unicode, b);
	if (n > shown || nic->left_out)
		ta_buf_printf(b, "    and %zu lines more\n", n - shown + nic->left_out);
	ta_way_rows_free(rows, n);
}

static void add_box(const struct ta_way *w, const struct ta_way_box *box, struct ta_buf *line)
{
	const struct ta_way_cpu *c = &w->cpus[box->first];
	double softirq = 0;

	for (size_t i = 0; i < box->n; i++)
		softirq += TA_MAX(w->cpus[box->first + i].softirq, 0.0);
	ta_way_box_name(w, box, line);
	ta_buf_adds(line, c->isolated ? " (isolated): " : ": ");
	if (c->queues)
		ta_buf_printf(line, "%u queue%s%s", c->queues, c->queues == 1 ? "" : "s", box->n > 1 ? " each" : "");
	else
		ta_buf_adds(line, c->sends ? "sends only" : "none");
	if (c->softirq >= 0)
		ta_buf_printf(line, " [%.0f %%]", softirq * 100);
}

/* What each CPU has to do, node by node. */
static void add_cpus(const struct ta_way *w, unsigned columns, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	size_t n;
	struct ta_way_box *boxes = ta_way_boxes(w, MOST_BOXES, &n);

	for (size_t i = 0; i < n && i < LAST_ROWS; i++) {
		bool begins = !i || w->cpus[boxes[i].first].node != w->cpus[boxes[i - 1].first].node;
		bool ends = i + 1 == n || i + 1 == LAST_ROWS || w->cpus[boxes[i].first].node != w->cpus[boxes[i + 1].first].node;

		if (begins && w->n_nodes > 1 && w->cpus[boxes[i].first].node >= 0)
			ta_buf_printf(&line, "node %lld: ", (long long)w->cpus[boxes[i].first].node);
		if (begins)
			ta_buf_adds(&line, "CPU ");
		add_box(w, &boxes[i], &line);
		if (!ends) {
			ta_buf_adds(&line, "; ");
			continue;
		}
		if (i + 1 < n && i + 1 == LAST_ROWS)
			ta_buf_adds(&line, "; ...");
		ta_text_pad(b, 2);
		ta_text_wrap(b, ta_buf_text(&line), columns, 2, 4);
		ta_buf_addc(b, '\n');
		ta_buf_reset(&line);
	}
	free(boxes);
}

static bool any_softirq(const struct ta_way *w)
{
	return w->n_cpus && w->cpus[0].softirq >= 0;
}

static void add_legend(const struct ta_way *w, unsigned columns, struct ta_buf *b)
{
	if (any_softirq(w)) {
		ta_text_pad(b, 2);
		ta_text_wrap(b,
			w->softirq_now ? "[share of receive softirqs while sampled]" : "[share of receive softirqs since boot]",
			columns, 2, 4);
		ta_buf_addc(b, '\n');
	}
	for (size_t i = 0; i < TA_WAY_FAULTS; i++) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		if (!(w->faults & 1u << i))
			continue;
		ta_buf_printf(&line, "! %s: %s", ta_way_fault_name(1u << i), ta_way_fault_meaning(1u << i));
		ta_text_pad(b, 2);
		ta_text_wrap(b, ta_buf_text(&line), columns, 2, 4);
		ta_buf_addc(b, '\n');
	}
}

void ta_way_text(const struct ta_way *w, unsigned columns, bool unicode, struct ta_buf *ret)
{
	if (w->why_not) {
		ta_text_pad(ret, 2);
		ta_text_wrap(ret, w->why_not, columns, 2, 4);
		ta_buf_addc(ret, '\n');
		return;
	}
	for (size_t i = 0; i < w->n_nics && i < LAST_ROWS; i++)
		add_nic(w, &w->nics[i], columns, unicode, ret);
	if (w->n_nics > LAST_ROWS)
		ta_buf_printf(ret, "  and %zu interfaces more\n", w->n_nics - LAST_ROWS);
	add_cpus(w, columns, ret);
	add_legend(w, columns, ret);
}

void ta_part_way(const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_way struct ta_way w = {0};

	/* Rules that know nothing of interrupts are no reason to show them. */
	if (!ta_facts_at(facts, TA_KEYS("irqs")))
		return;
	if (ta_way_of(facts, &w) < 0) {
		b->error = b->error ? b->error : -ENOMEM;
		return;
	}
	ta_buf_addc(b, '\n');
	ta_part_paint(b, o, TA_PAINT_HEAD, "A packet's way: queue, interrupt, CPU");
	ta_buf_addc(b, '\n');
	ta_way_text(&w, o->columns, o->unicode, b);
}
