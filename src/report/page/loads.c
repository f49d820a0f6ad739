/*
 * Load runs beside each other: throughput with the interval of its mean, latency by percentile. Drawn, and as tables.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "baseline/fingerprint.h"
#include "report/page/parts.h"
#include "trial/stats.h"

#define MOST 6 /* drawn: forms and dashes tell so many lines apart */
#define LAST 64

#define W 720
#define X1 600

static const struct page_load *load_at(const struct ta_page *p, size_t i)
{
	return p->loads.v[i];
}

/* Half the interval that holds the true mean in 95 of 100 cases, were the runs independent; below 0: one run tells none. */
static double half_interval(const struct page_load *l)
{
	if (l->n_runs < 2 || !(l->stddev >= 0))
		return -1;
	return ta_student_quantile(0.975, (unsigned)TA_MIN(l->n_runs - 1, (size_t)1000000)) * l->stddev / sqrt((double)l->n_runs);
}

/* "12,345" */
static void add_grouped(double v, struct ta_buf *b)
{
	char digits[32];
	int n = snprintf(digits, sizeof(digits), "%.0f", TA_MIN(v, 1e15));

	for (int i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			ta_buf_addc(b, ',');
		ta_buf_addc(b, digits[i]);
	}
}

static void cell(struct ta_buf *b, void (*add)(double, struct ta_buf *), double v)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	add(v, &text);
	ta_html_el(b, "td class=n", ta_buf_text(&text));
}

/* --- throughput ------------------------------------------------------------ */

static double highest(const struct ta_page *p, size_t n)
{
	double top = 0;

	for (size_t i = 0; i < n; i++) {
		const struct page_load *l = load_at(p, i);

		top = TA_MAX(top, l->mean + TA_MAX(half_interval(l), 0.0));
		for (size_t k = 0; k < l->n_runs; k++)
			top = TA_MAX(top, l->runs[k]);
	}
	return top > 0 ? top : 1;
}

static void draw_throughput(const struct page_load *l, size_t i, double top, struct ta_buf *b)
{
	const double scale = (X1 - 10) / top;
	double half = half_interval(l);
	int y = 16 + (int)i * 40;

	ta_html_tag(b, "text class=t x=4 y=%d", y);
	ta_html_textf(b, "%zu  %s", i + 1, l->label);
	ta_html_raw(b, "</text>");
	ta_html_tag(b, "rect class=\"mean l%zu\" x=4 y=%d width=%.1f height=14 rx=2 /", i, y + 5, TA_MAX(l->mean * scale, 1.0));
	for (size_t k = 0; k < l->n_runs && k < 200; k++)
		ta_html_tag(b, "circle class=run cx=%.1f cy=%d r=2.5 /", 4 + l->runs[k] * scale, y + 12);
	if (half >= 0)
		ta_html_tag(b, "path class=whisker d=\"M%.1f %dH%.1fM%.1f %dv10M%.1f %dv10\" /", 4 + TA_MAX(l->mean - half, 0.0) * scale,
			y + 12, 4 + (l->mean + half) * scale, 4 + TA_MAX(l->mean - half, 0.0) * scale, y + 7,
			4 + (l->mean + half) * scale, y + 7);
}

static void throughput(const struct ta_page *p, size_t n, struct ta_buf *b)
{
	double top = highest(p, n);

	ta_html_raw(b, "<figure><figcaption>Requests per second: the bar is the mean, dots are the runs, the line is the mean\u2019s "
		       "95 % interval</figcaption><div class=wide tabindex=0 role=group aria-label=\"Throughput\">");
	ta_html_tag(b, "svg class=plot viewBox=\"0 0 %d %d\" role=img aria-label=\"Throughput; the table below has the numbers\"", W,
		(int)n * 40 + 6);
	for (size_t i = 0; i < n; i++)
		draw_throughput(load_at(p, i), i, top, b);
	ta_html_raw(b, "</svg></div></figure>");
}

static void latency(const struct ta_page *p, size_t n, struct ta_buf *b)
{
	struct page_line lines[MOST];
	size_t n_lines = 0;

	for (size_t i = 0; i < n; i++)
		if (load_at(p, i)->has_latency)
			lines[n_lines++] = (struct page_line){load_at(p, i)->label, load_at(p, i)->latency, i};
	page_latency(lines, n_lines, b);
}

/* --- tables ------------------------------------------------------------------ */

static void add_row(const struct page_load *l, size_t i, struct ta_buf *b)
{
	double half = half_interval(l);

	ta_html_raw(b, "<tr><th scope=row>");
	ta_html_textf(b, "%zu %s", i + 1, l->label);
	ta_html_elf(b, "td", "%s%s%s%s%s", l->workload, *l->engine ? ", " : "", l->engine, *l->target ? ", " : "", l->target);
	ta_html_el(b, "td", l->path);
	ta_html_elf(b, "td class=n", "%lld", (long long)l->connections);
	cell(b, add_grouped, l->mean);
	if (half >= 0)
		ta_html_elf(b, "td class=n", "\u00b1 %.1f %%", l->mean > 0 ? half / l->mean * 100 : 0);
	else
		ta_html_el(b, "td class=n", "one run");
	for (size_t k = 0; k < PAGE_PERCENTILES; k++)
		cell(b, page_duration, l->latency[k]);
	cell(b, add_grouped, (double)l->errors);
	ta_html_el(b, "td", *l->bound_by ? l->bound_by : "\u2013");
	ta_html_raw(b, "</tr>");
}

static void numbers(const struct ta_page *p, size_t n, struct ta_buf *b)
{
	ta_html_raw(b, "<div class=wide tabindex=0 role=group aria-label=\"Load runs in numbers\"><table><caption>Load runs in numbers"
		       "</caption><thead><tr><th scope=col>Run<th scope=col>Workload<th scope=col>Path<th scope=col class=n>Connections"
		       "<th scope=col class=n>Per second<th scope=col class=n>95 % interval");
	for (size_t i = 0; i < PAGE_PERCENTILES; i++)
		ta_html_el(b, "th scope=col class=n", page_percentiles[i]);
	ta_html_raw(b, "<th scope=col class=n>Errors<th scope=col>Bound by</tr></thead><tbody>");
	for (size_t i = 0; i < n; i++)
		add_row(load_at(p, i), i, b);
	ta_html_raw(b, "</tbody></table></div>");
}

/* What else differs between the hosts of two runs, so that nobody takes it for the effect of something else. */
static void compared(const struct page_load *first, const struct page_load *l, size_t i, struct ta_buf *b)
{
	ta_cleanup_strv struct ta_strv reasons = TA_STRV_INIT;

	if (!first->fingerprint || !l->fingerprint)
		return;
	ta_fingerprint_compare(first->fingerprint, l->fingerprint, &reasons);
	if (!reasons.n) {
		ta_html_elf(b, "p class=note", "1 %s and %zu %s ran on hosts that are alike.", first->label, i + 1, l->label);
		return;
	}
	ta_html_elf(b, "p class=risk", "1 %s and %zu %s can be compared only if this is what was to be compared:", first->label, i + 1, l->label);
	ta_html_raw(b, "<ul class=is>");
	for (size_t k = 0; k < reasons.n && k < LAST; k++)
		ta_html_el(b, "li", reasons.v[k]);
	ta_html_raw(b, "</ul>");
}

static void details(const struct page_load *l, size_t i, struct ta_buf *b)
{
	if (!l->n_softirq && !l->n_notes)
		return;
	ta_html_raw(b, "<details><summary>");
	ta_html_textf(b, "%zu %s: softirq by CPU, notes", i + 1, l->label);
	ta_html_raw(b, "</summary>");
	if (l->n_softirq) {
		ta_html_raw(b, "<p class=label>Share of its time that each CPU spent in softirqs</p><ol class=heat>");
		for (size_t k = 0; k < l->n_softirq; k++)
			page_heat_cell(l->softirq[k].name, l->softirq[k].share, false, b);
		ta_html_raw(b, "</ol>");
	}
	if (l->n_notes) {
		ta_html_raw(b, "<ul>");
		for (size_t k = 0; k < l->n_notes; k++)
			ta_html_el(b, "li", l->notes[k]);
		ta_html_raw(b, "</ul>");
	}
	ta_html_raw(b, "</details>");
}

void page_part_loads(const struct ta_page *p, struct ta_buf *b)
{
	size_t n = TA_MIN(p->loads.n, (size_t)LAST), drawn = TA_MIN(n, (size_t)MOST);

	if (!n)
		return;
	ta_html_raw(b, "<section id=loads class=card><h2>Load runs</h2>");
	throughput(p, drawn, b);
	latency(p, drawn, b);
	if (n > drawn)
		ta_html_elf(b, "p class=note", "The first %zu runs are drawn; the table has %zu.", drawn, n);
	for (size_t i = 1; i < n; i++)
		compared(load_at(p, 0), load_at(p, i), i, b);
	numbers(p, n, b);
	for (size_t i = 0; i < n; i++)
		details(load_at(p, i), i, b);
	if (p->loads.n > n)
		ta_html_elf(b, "p class=note", "%zu runs more were given and are not shown.", p->loads.n - n);
	ta_html_raw(b, "</section>");
}
