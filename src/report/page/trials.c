/*
 * Trials: what each change did, with its interval.
 */
#include <math.h>
#include <string.h>

#include "report/page/parts.h"

#define SCALE_W 220
#define LAST 400

static double widest(const struct page_trial *t, size_t effect)
{
	double most = 1;

	for (size_t i = 0; i < t->n_changes; i++) {
		const struct page_effect *e = &t->changes[i].effects[effect];

		if (e->known)
			most = TA_MAX(most, TA_MAX(fabs(e->low), fabs(e->high)));
	}
	return TA_MIN(most, 1000.0);
}

static double x_of(double percent, double most)
{
	return SCALE_W / 2.0 + TA_MAX(TA_MIN(percent, most), -most) / most * (SCALE_W / 2.0 - 6);
}

static void draw(const struct page_effect *e, double most, struct ta_buf *b)
{
	ta_html_tag(b, "svg class=forest viewBox=\"0 0 %d 20\" width=%d height=20 aria-hidden=true", SCALE_W, SCALE_W);
	ta_html_tag(b, "path class=zero d=\"M%d 0v20\" /", SCALE_W / 2);
	ta_html_tag(b, "path class=whisker d=\"M%.1f 10H%.1fM%.1f 5v10M%.1f 5v10\" /", x_of(e->low, most), x_of(e->high, most),
		x_of(e->low, most), x_of(e->high, most));
	ta_html_tag(b, "circle class=run cx=%.1f cy=10 r=4 /", x_of(e->percent, most));
	ta_html_raw(b, "</svg>");
}

static void effect(const struct page_effect *e, struct ta_buf *b)
{
	if (e->known)
		ta_html_elf(b, "td class=n", "%+.1f %% (%+.1f to %+.1f)", e->percent, e->low, e->high);
	else
		ta_html_el(b, "td class=n", "\u2013");
}

static void row(const struct page_change *c, double most, struct ta_buf *b)
{
	static const struct {
		const char *name, *sign;
	} signs[] = {{"improved", "\u25b2 "}, {"worse", "\u25bc "}, {"no-effect", "= "}, {"cannot-show", "? "}};
	const char *sign = "";

	for (size_t i = 0; i < TA_ARRAY_SIZE(signs); i++)
		if (strcmp(signs[i].name, c->verdict) == 0)
			sign = signs[i].sign;
	ta_html_raw(b, "<tr><td>");
	ta_html_el(b, "code", c->rule);
	ta_html_raw(b, "<br>");
	ta_html_text(b, c->target);
	ta_html_elf(b, "td", "%s \u2192 %s", c->before, c->after);
	ta_html_elf(b, "td class=still", "%s%s", sign, c->verdict);
	ta_html_raw(b, "<td>");
	if (c->effects[PAGE_THROUGHPUT].known)
		draw(&c->effects[PAGE_THROUGHPUT], most, b);
	for (size_t i = 0; i < PAGE_EFFECTS; i++)
		effect(&c->effects[i], b);
	if (c->smallest >= 0)
		ta_html_elf(b, "td class=n", "%.1f %%", c->smallest);
	else
		ta_html_el(b, "td class=n", "\u2013");
	ta_html_raw(b, "</tr>");
}

static void trial(const struct page_trial *t, struct ta_buf *b)
{
	double most = widest(t, PAGE_THROUGHPUT);

	ta_html_el(b, "h3", t->label);
	ta_html_raw(b, "<p>");
	if (*t->workload)
		ta_html_textf(b, "Workload %s. ", t->workload);
	if (*t->profile)
		ta_html_textf(b, "Profile %s. ", t->profile);
	if (t->rounds >= 0)
		ta_html_textf(b, "%lld rounds, with and without the change by turns. ", (long long)t->rounds);
	if (t->restored >= 0)
		ta_html_text(b, t->restored ? "Everything was restored afterwards." : "Not everything could be restored afterwards!");
	ta_html_raw(b, "</p><div class=wide tabindex=0 role=group aria-label=\"What each change did\"><table><caption>What each change did"
		       "</caption><thead><tr><th scope=col>Change<th scope=col>Value<th scope=col>Verdict<th scope=col>Throughput, drawn"
		       "<th scope=col class=n>Throughput<th scope=col class=n>p99<th scope=col class=n>CPU per request"
		       "<th scope=col class=n>Smallest effect seen</tr></thead><tbody>");
	for (size_t i = 0; i < t->n_changes && i < LAST; i++)
		row(&t->changes[i], most, b);
	ta_html_raw(b, "</tbody></table></div>");
	ta_html_elf(b, "p class=note", "Drawn from %+.0f %% to %+.0f %%, nothing in the middle; the line is the interval.", -most, most);
	if (t->n_changes > LAST)
		ta_html_elf(b, "p class=note", "and %zu changes more", t->n_changes - LAST);
}

void page_part_trials(const struct ta_page *p, struct ta_buf *b)
{
	if (!p->trials.n)
		return;
	ta_html_raw(b, "<section id=trials class=card><h2>Trials</h2>");
	for (size_t i = 0; i < p->trials.n && i < LAST; i++)
		trial(p->trials.v[i], b);
	ta_html_raw(b, "</section>");
}
