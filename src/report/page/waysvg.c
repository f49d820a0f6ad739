/*
 * A packet's way as a drawing, and the same as a table. Left the interfaces with their queues and interrupts, right the CPUs in
 * frames of their nodes, lines between them. A fault has a form of its own beside its colour: heavy, dashed or dotted lines, a
 * sign, and its name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/page/parts.h"

#define WIDTH 760
#define MOST_ROWS 20  /* of an interface, before neighbours are folded */
#define LAST_ROWS 48  /* and drawn at most */
#define MOST_NICS 24
#define MOST_BOXES 32
#define LAST_BOXES 160
#define TABLE_ROWS 512

#define ROW 24
#define HEAD 44
#define GAP 14
#define LEFT_X 4
#define LEFT_W 344
#define CHIP_X 196
#define CHIP_W 144
#define NODE_X 470
#define NODE_W 286
#define BOX_X 480
#define BOX_W 266

/* One interface as it is drawn. */
struct nic_rows {
	const struct ta_way_nic *nic;
	struct ta_way_row *rows;
	size_t n, shown;
	int top; /* pixels */
};

struct drawing {
	const struct ta_way *w;
	struct nic_rows nics[MOST_NICS];
	size_t n_nics;
	struct ta_way_box *boxes;
	size_t n_boxes, shown_boxes;
	int *box_y; /* the middle of each */
	int right_top; /* where the CPUs begin */
	int height;
};

static void drawing_done(struct drawing *d)
{
	for (size_t i = 0; i < d->n_nics; i++)
		ta_way_rows_free(d->nics[i].rows, d->nics[i].n);
	free(d->boxes);
	free(d->box_y);
}

static const struct ta_way_cpu *box_cpu(const struct drawing *d, size_t i)
{
	return &d->w->cpus[d->boxes[i].first];
}

/* Boxes with a fault have a second line that names it. */
static int box_height(const struct drawing *d, size_t i)
{
	return box_cpu(d, i)->faults ? 42 : ROW;
}

static bool node_begins(const struct drawing *d, size_t i)
{
	return i == 0 || box_cpu(d, i)->node != box_cpu(d, i - 1)->node;
}

static int place_left(struct drawing *d)
{
	int y = 28;

	for (size_t i = 0; i < d->n_nics; i++) {
		struct nic_rows *n = &d->nics[i];

		n->top = y;
		y += HEAD + (int)n->shown * ROW + (n->n > n->shown ? ROW : 0) + 8 + GAP;
	}
	return y;
}

static int place_right(struct drawing *d)
{
	int y = 28 - GAP;

	for (size_t i = 0; i < d->shown_boxes; i++) {
		if (node_begins(d, i))
			y += GAP + 26;
		d->box_y[i] = y + box_height(d, i) / 2;
		y += box_height(d, i) + 4;
	}
	return y + (d->n_boxes > d->shown_boxes ? ROW : 0) + GAP;
}

static int lay_out(const struct ta_way *w, struct drawing *d)
{
	int left, right;

	d->w = w;
	for (size_t i = 0; i < w->n_nics && d->n_nics < MOST_NICS; i++) {
		struct nic_rows *n = &d->nics[d->n_nics];

		if (!w->nics[i].n_irqs && w->n_nics > MOST_NICS)
			continue;
		n->nic = &w->nics[i];
		n->rows = ta_way_rows(&w->nics[i], MOST_ROWS, &n->n);
		if (!n->rows)
			return -ENOMEM;
		n->shown = TA_MIN(n->n, (size_t)LAST_ROWS);
		d->n_nics++;
	}
	d->boxes = ta_way_boxes(w, MOST_BOXES, &d->n_boxes);
	d->box_y = calloc(d->n_boxes + 1, sizeof(*d->box_y));
	if (!d->boxes || !d->box_y)
		return -ENOMEM;
	d->shown_boxes = TA_MIN(d->n_boxes, (size_t)LAST_BOXES);
	left = place_left(d);
	right = place_right(d);
	d->height = TA_MAX(left, right);
	/* Beside the middle of a long column, so that lines are short. */
	d->right_top = left > right + 120 ? (left - right) / 2 : 0;
	for (size_t i = 0; i < d->shown_boxes; i++)
		d->box_y[i] += d->right_top;
	return 0;
}

/* --- drawing ---------------------------------------------------------------- */

/* `class` is a literal. */
static void text_at(struct ta_buf *b, const char *class, int x, int y, const char *text)
{
	ta_buf_printf(b, "<text class=%s x=%d y=%d>", class, x, y);
	ta_html_text(b, text);
	ta_html_raw(b, "</text>");
}

/* A triangle with its mark: known without its colour. */
static void sign(struct ta_buf *b, int x, int y)
{
	ta_html_tag(b, "path class=sign d=\"M%d %dl7 13h-14z\" /", x, y - 10);
	ta_html_tag(b, "text class=bang x=%d y=%d", x, y + 1);
	ta_html_raw(b, "!</text>");
}

/* Thousands of pixels of text do not fit: about so many characters do. */
static void fit(const char *text, size_t most, struct ta_buf *ret)
{
	ta_buf_adds(ret, text);
	if (ret->len <= most + 2)
		return;
	while (most && ((unsigned char)ret->data[most] & 0xc0) == 0x80)
		most--;
	ret->len = most;
	ret->data[most] = '\0';
	ta_buf_adds(ret, "\u2026");
}

static void draw_row(const struct ta_way_row *r, int y, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf queue = TA_BUF_INIT, number = TA_BUF_INIT;
	const char *dash = strrchr(r->last->queue, '-');

	ta_buf_adds(&queue, r->first->queue);
	ta_buf_printf(&number, "irq %s", r->first->number);
	if (r->n > 1) {
		ta_buf_printf(&queue, " \u2026 %s", dash ? dash + 1 : r->last->queue);
		ta_buf_printf(&number, " \u2026 %s", r->last->number);
	}
	text_at(b, "q", LEFT_X + 14, y + 4, ta_buf_text(&queue));
	ta_html_tag(b, "path class=e0 d=\"M%d %dH%d\" /", LEFT_X + 20 + (int)queue.len * 8, y, CHIP_X);
	ta_html_tag(b, "rect class=\"chip%d\" x=%d y=%d width=%d height=18 rx=4 /", r->faults != 0, CHIP_X, y - 9, CHIP_W);
	text_at(b, "t", CHIP_X + 8, y + 4, ta_buf_text(&number));
	if (r->faults)
		sign(b, CHIP_X + CHIP_W - 14, y + 4);
}

static void draw_nic(const struct nic_rows *n, const struct ta_way_nic *nic, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, about = TA_BUF_INIT;
	int height = HEAD + (int)n->shown * ROW + (n->n > n->shown ? ROW : 0) + 4;

	fit(nic->name, 30, &name);
	fit(nic->about, 46, &about);
	ta_html_tag(b, "rect class=frame x=%d y=%d width=%d height=%d rx=6 /", LEFT_X, n->top, LEFT_W, height);
	text_at(b, "h", LEFT_X + 14, n->top + 19, ta_buf_text(&name));
	text_at(b, "s", LEFT_X + 14, n->top + 35, ta_buf_text(&about));
	for (size_t i = 0; i < n->shown; i++)
		draw_row(&n->rows[i], n->top + HEAD + (int)i * ROW + ROW / 2, b);
	if (n->n > n->shown) {
		ta_html_tag(b, "text class=s x=%d y=%d", LEFT_X + 14, n->top + HEAD + (int)n->shown * ROW + 14);
		ta_html_textf(b, "and %zu rows more: see the table", n->n - n->shown);
		ta_html_raw(b, "</text>");
	}
}

static void draw_box(const struct drawing *d, size_t i, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT, shown = TA_BUF_INIT, what = TA_BUF_INIT, faults = TA_BUF_INIT;
	const struct ta_way_cpu *c = box_cpu(d, i);
	int top = d->box_y[i] - box_height(d, i) / 2;

	ta_way_box_name(d->w, &d->boxes[i], &name);
	fit(ta_buf_text(&name), c->isolated ? 8 : 18, &shown);
	ta_html_tag(b, "rect class=\"box%d%d\" x=%d y=%d width=%d height=%d rx=4 /", c->faults != 0, c->isolated, BOX_X, top, BOX_W,
		box_height(d, i));
	ta_html_tag(b, "text class=c x=%d y=%d", BOX_X + 10, top + 16);
	ta_html_textf(b, "CPU %s", ta_buf_text(&shown));
	ta_html_raw(b, "</text>");
	if (c->queues)
		ta_buf_printf(&what, "%u queue%s%s", c->queues, c->queues == 1 ? "" : "s", d->boxes[i].n > 1 ? " each" : "");
	else
		ta_buf_adds(&what, c->sends ? "sends only" : "no queue");
	if (c->isolated)
		ta_buf_adds(&what, ", isolated");
	text_at(b, c->queues ? "\"t right\"" : "\"s right\"", BOX_X + BOX_W - 10, top + 16, ta_buf_text(&what));
	if (!c->faults)
		return;
	ta_way_fault_names(c->faults, &faults);
	sign(b, BOX_X + 18, top + 34);
	text_at(b, "f", BOX_X + 32, top + 34, ta_buf_text(&faults));
}

static void draw_node(const struct drawing *d, size_t i, struct ta_buf *b)
{
	size_t last = i;
	int top = d->box_y[i] - box_height(d, i) / 2 - 26;
	int64_t node = box_cpu(d, i)->node;

	while (last + 1 < d->shown_boxes && !node_begins(d, last + 1))
		last++;
	ta_html_tag(b, "rect class=frame x=%d y=%d width=%d height=%d rx=6 /", NODE_X, top, NODE_W,
		d->box_y[last] + box_height(d, last) / 2 + 8 - top);
	ta_html_tag(b, "text class=h x=%d y=%d", BOX_X, top + 18);
	if (node >= 0)
		ta_html_textf(b, "NUMA node %lld", (long long)node);
	else
		ta_html_text(b, "CPUs");
	ta_html_raw(b, "</text>");
}

/* The worst alone gives a line its form; the others stand in words. */
static unsigned form_of(unsigned faults)
{
	static const unsigned order[] = {TA_WAY_ISOLATED, TA_WAY_FAR, TA_WAY_CPU0 | TA_WAY_ONE_CPU, TA_WAY_SHARED};

	for (size_t i = 0; i < TA_ARRAY_SIZE(order); i++)
		if (faults & order[i])
			return 4 - (unsigned)i;
	return 0;
}

static bool box_serves(const struct drawing *d, size_t box, const struct ta_cpuset *cpus)
{
	for (size_t i = 0; i < d->boxes[box].n; i++)
		if (ta_cpuset_has(cpus, d->w->cpus[d->boxes[box].first + i].number))
			return true;
	return false;
}

static void draw_lines(const struct drawing *d, const struct ta_way_row *r, int y, struct ta_buf *b)
{
	const int from = CHIP_X + CHIP_W, mid = (from + BOX_X) / 2;

	for (size_t i = 0; i < d->shown_boxes; i++)
		if (box_serves(d, i, &r->cpus))
			ta_html_tag(b, "path class=e%u d=\"M%d %dC%d %d %d %d %d %d\" /", form_of(r->faults), from, y, mid, y, mid,
				d->box_y[i], BOX_X, d->box_y[i]);
}

static void draw(const struct drawing *d, size_t number, struct ta_buf *b)
{
	ta_html_tag(b, "svg class=way viewBox=\"0 0 %d %d\" role=img aria-labelledby=\"w%zu-t\" aria-describedby=\"w%zu-d\"", WIDTH,
		d->height, number, number);
	ta_html_tag(b, "title id=w%zu-t", number);
	ta_html_raw(b, "Queues, interrupts, CPUs and NUMA nodes</title>");
	ta_html_tag(b, "desc id=w%zu-d", number);
	ta_html_raw(b, "The table below the picture says the same in words.</desc>");
	text_at(b, "k", LEFT_X + 14, 16, "queue");
	text_at(b, "k", CHIP_X, 16, "interrupt");
	text_at(b, "k", BOX_X, d->right_top + 16, "CPU that serves it");
	for (size_t i = 0; i < d->shown_boxes; i++)
		if (node_begins(d, i))
			draw_node(d, i, b);
	for (size_t i = 0; i < d->n_nics; i++)
		draw_nic(&d->nics[i], d->nics[i].nic, b);
	for (size_t i = 0; i < d->n_nics; i++)
		for (size_t k = 0; k < d->nics[i].shown; k++)
			draw_lines(d, &d->nics[i].rows[k], d->nics[i].top + HEAD + (int)k * ROW + ROW / 2, b);
	for (size_t i = 0; i < d->shown_boxes; i++)
		draw_box(d, i, b);
	ta_html_raw(b, "</svg>");
}

/* --- in words -------------------------------------------------------------- */

static void table_row(const struct ta_way *w, const struct ta_way_nic *nic, const struct ta_way_irq *irq, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf cpus = TA_BUF_INIT, faults = TA_BUF_INIT;

	if (ta_cpuset_next(&irq->cpus, 0) >= 0)
		ta_cpuset_format(&irq->cpus, &cpus);
	else
		ta_buf_adds(&cpus, "not known");
	ta_way_fault_names(irq->faults, &faults);
	ta_html_raw(b, "<tr>");
	ta_html_el(b, "td", nic->name);
	ta_html_el(b, "td", irq->queue);
	ta_html_el(b, "td", irq->number);
	ta_html_el(b, "td", ta_buf_text(&cpus));
	if (w->n_nodes > 1 && irq->node >= 0)
		ta_html_elf(b, "td", "%lld", (long long)irq->node);
	else
		ta_html_el(b, "td", w->n_nodes == 1 ? "0" : "\u2013");
	ta_html_el(b, "td", faults.len ? ta_buf_text(&faults) : "\u2013");
	ta_html_raw(b, "</tr>");
}

static void table(const struct ta_way *w, struct ta_buf *b)
{
	size_t n = 0, left_out = 0;

	ta_html_raw(b, "<details><summary>The same as a table</summary><div class=wide tabindex=0 role=group "
		       "aria-label=\"Queues, interrupts and CPUs\"><table><thead><tr><th scope=col>Interface<th scope=col>Queue"
		       "<th scope=col>Interrupt<th scope=col>CPU<th scope=col>Node<th scope=col>Faults</tr></thead><tbody>");
	for (size_t i = 0; i < w->n_nics; i++) {
		for (size_t k = 0; k < w->nics[i].n_irqs && n < TABLE_ROWS; k++, n++)
			table_row(w, &w->nics[i], &w->nics[i].irqs[k], b);
		left_out += w->nics[i].n_irqs + w->nics[i].left_out;
	}
	ta_html_raw(b, "</tbody></table></div>");
	if (left_out > n)
		ta_html_elf(b, "p", "and %zu more", left_out - n);
	ta_html_raw(b, "</details>");
}

static void legend(const struct ta_way *w, struct ta_buf *b)
{
	if (!w->faults) {
		ta_html_raw(b, "<p class=good>No fault in the placement of interrupts.</p>");
		return;
	}
	ta_html_raw(b, "<ul class=legend>");
	for (size_t i = 0; i < TA_WAY_FAULTS; i++) {
		unsigned bit = 1u << i;

		if (!(w->faults & bit))
			continue;
		ta_html_raw(b, "<li><svg class=key viewBox=\"0 0 40 10\" aria-hidden=true>");
		ta_html_tag(b, "path class=e%u d=\"M0 5H40\" /", form_of(bit));
		ta_html_raw(b, "</svg><span>");
		ta_html_el(b, "b", ta_way_fault_name(bit));
		ta_html_textf(b, ": %s", ta_way_fault_meaning(bit));
		ta_html_raw(b, "</span></li>");
	}
	ta_html_raw(b, "</ul>");
}

static void notes(const struct ta_way *w, struct ta_buf *b)
{
	for (size_t i = 0; i < w->n_nics; i++)
		if (w->nics[i].steering)
			ta_html_elf(b, "p class=note", "%s: %s", w->nics[i].name, w->nics[i].steering);
}

void page_part_way(const struct page_host *h, size_t number, struct ta_buf *b)
{
	struct drawing d = {0};

	if (!h->has_facts)
		return;
	ta_html_raw(b, "<section class=card><h3>A packet\u2019s way</h3>");
	if (h->way.why_not) {
		ta_html_elf(b, "p", "There is nothing to draw: %s.", h->way.why_not);
	} else if (lay_out(&h->way, &d) < 0) {
		b->error = b->error ? b->error : -ENOMEM;
	} else {
		ta_html_raw(b, "<div class=wide tabindex=0 role=group aria-label=\"Picture of a packet\u2019s way\">");
		draw(&d, number, b);
		ta_html_raw(b, "</div>");
		legend(&h->way, b);
		notes(&h->way, b);
		table(&h->way, b);
	}
	drawing_done(&d);
	ta_html_raw(b, "</section>");
}
