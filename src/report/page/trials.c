/*
 * Trials: what each change did, with its interval, and latency with and without it.
 */
#include <math.h>
#include <string.h>

#include "report/page/parts.h"

#define SCALE_W 220
#define LAST 400
#define MOST_DRAWN 24 /* drawings of latency */

static double widen(double most, const struct page_unit *u)
{
	const struct page_effect *e = &u->effects[PAGE_THROUGHPUT];

	return e->known ? TA_MAX(most, TA_MAX(fabs(e->low), fabs(e->high))) : most;
}

static double widest(const struct page_trial *t)
{
	double most = 1;

	for (size_t i = 0; i < t->n_parts; i++)
		most = widen(most, &t->parts[i].together);
	for (size_t i = 0; i < t->n_changes; i++)
		most = widen(most, &t->changes[i].unit);
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
	if (!e->known) {
		ta_html_el(b, "td class=n", "\u2013");
		return;
	}
	ta_html_raw(b, "<td class=n>");
	ta_html_textf(b, "%+.1f %%", e->percent);
	ta_html_elf(b, "span class=range", "%+.1f to %+.1f", e->low, e->high);
	ta_html_raw(b, "</td>");
}

static void verdict(const char *word, struct ta_buf *b)
{
	static const struct {
		const char *name, *sign;
	} signs[] = {{"improved", "\u25b2 "}, {"worse", "\u25bc "}, {"no-effect", "= "}, {"cannot-show", "? "}};
	const char *sign = "";

	for (size_t i = 0; i < TA_ARRAY_SIZE(signs); i++)
		if (strcmp(signs[i].name, word) == 0)
			sign = signs[i].sign;
	ta_html_elf(b, "td class=still", "%s%s", sign, word);
}

/* What was measured of it, in the columns behind its name. */
static void measured(const struct page_unit *u, double most, struct ta_buf *b)
{
	ta_html_raw(b, "<td>");
	if (u->effects[PAGE_THROUGHPUT].known)
		draw(&u->effects[PAGE_THROUGHPUT], most, b);
	for (size_t i = 0; i < PAGE_EFFECTS; i++)
		effect(&u->effects[i], b);
	if (u->smallest >= 0)
		ta_html_elf(b, "td class=n", "%.1f %%", u->smallest);
	else
		ta_html_el(b, "td class=n", "\u2013");
}

static void row(const struct page_change *c, double most, struct ta_buf *b)
{
	ta_html_raw(b, "<tr><td>");
	ta_html_el(b, "code", c->rule);
	ta_html_raw(b, "<br>");
	ta_html_textf(b, "%s%s%s", c->target, *c->workload ? ", by " : "", c->workload);
	ta_html_elf(b, "td", "%s \u2192 %s", c->before, c->after);
	verdict(c->unit.verdict, b);
	if (c->together)
		ta_html_raw(b, "<td colspan=6>measured together with the others");
	else if (*c->why_not)
		ta_html_el(b, "td colspan=6", c->why_not);
	else
		measured(&c->unit, most, b);
	ta_html_el(b, "td", c->kept == 1 ? "kept" : c->kept == 0 ? "taken back" : "\u2013");
	ta_html_raw(b, "</tr>");
}

static void together(const struct page_part *part, double most, struct ta_buf *b)
{
	if (!part->has_together)
		return;
	ta_html_raw(b, "<tr class=all><td><b>All of them together</b>");
	if (*part->workload)
		ta_html_textf(b, ", by %s", part->workload);
	ta_html_raw(b, "<td>");
	verdict(part->together.verdict, b);
	measured(&part->together, most, b);
	ta_html_raw(b, "<td></tr>");
}

static void table(const struct page_trial *t, struct ta_buf *b)
{
	double most = widest(t);

	ta_html_raw(b, "<div class=wide tabindex=0 role=group aria-label=\"What each change did\"><table class=trial><caption>What each change did"
		       "</caption><thead><tr><th scope=col>Change<th scope=col>Value<th scope=col>Verdict<th scope=col>Throughput, drawn"
		       "<th scope=col class=n>Throughput<th scope=col class=n>p50<th scope=col class=n>p99<th scope=col class=n>CPU per request"
		       "<th scope=col class=n>Smallest that shows<th scope=col>In the end</tr></thead><tbody>");
	for (size_t i = 0; i < t->n_parts && i < LAST; i++)
		together(&t->parts[i], most, b);
	for (size_t i = 0; i < t->n_changes && i < LAST; i++)
		row(&t->changes[i], most, b);
	ta_html_raw(b, "</tbody></table></div>");
	ta_html_elf(b, "p class=note",
		"Drawn from %+.0f %% to %+.0f %%, no effect in the middle; the line is the interval. Small numbers are intervals, too.", -most, most);
	if (t->n_changes > LAST)
		ta_html_elf(b, "p class=note", "and %zu changes more", t->n_changes - LAST);
}

static void latency(const char *title, const struct page_unit *u, size_t *left, struct ta_buf *b)
{
	const struct page_line lines[] = {{"without", u->without.latency, 0}, {"with", u->with.latency, 1}};

	if (!u->without.has_latency || !u->with.has_latency || !*left)
		return;
	--*left;
	ta_html_raw(b, "<details><summary>");
	ta_html_textf(b, "Latency without and with %s", title);
	ta_html_raw(b, "</summary>");
	page_latency(lines, TA_ARRAY_SIZE(lines), b);
	ta_html_raw(b, "<div class=wide tabindex=0 role=group aria-label=\"Latency in numbers\"><table class=narrow><thead><tr>"
		       "<th scope=col>Rounds");
	for (size_t k = 0; k < PAGE_PERCENTILES; k++)
		if (u->without.latency[k] >= 0 || u->with.latency[k] >= 0)
			ta_html_el(b, "th scope=col class=n", page_percentiles[k]);
	ta_html_raw(b, "<th scope=col class=n>Replies<th scope=col class=n>Errors</tr></thead><tbody>");
	for (size_t i = 0; i < TA_ARRAY_SIZE(lines); i++) {
		const struct page_side *s = i ? &u->with : &u->without;

		ta_html_raw(b, "<tr>");
		ta_html_el(b, "th scope=row", lines[i].label);
		for (size_t k = 0; k < PAGE_PERCENTILES; k++) {
			ta_cleanup_buf struct ta_buf us = TA_BUF_INIT;

			if (u->without.latency[k] < 0 && u->with.latency[k] < 0)
				continue;
			page_duration(s->latency[k], &us);
			ta_html_el(b, "td class=n", ta_buf_text(&us));
		}
		ta_html_elf(b, "td class=n", "%lld", (long long)s->replies);
		ta_html_elf(b, "td class=n", "%lld", (long long)s->errors);
		ta_html_raw(b, "</tr>");
	}
	ta_html_raw(b, "</tbody></table></div></details>");
}

static void about_part(const struct page_part *part, struct ta_buf *b)
{
	if (*part->workload)
		ta_html_elf(b, "p", "Workload %s%s%s.", part->workload, *part->path ? ", over " : "", part->path);
	if (*part->ended)
		ta_html_elf(b, "p class=risk", "It ended early: %s", part->ended);
	if (*part->remark)
		ta_html_el(b, "p class=note", part->remark);
	for (size_t i = 0; i < part->n_warnings && i < LAST; i++)
		ta_html_el(b, "p class=risk", part->warnings[i]);
}

static void about(const struct page_trial *t, struct ta_buf *b)
{
	ta_html_raw(b, "<p>");
	if (*t->host)
		ta_html_textf(b, "On %s%s%s. ", t->host, *t->target ? ", against " : "", t->target);
	if (*t->profile)
		ta_html_textf(b, "Profile %s. ", t->profile);
	if (t->rounds >= 0)
		ta_html_textf(b, "%lld rounds, with and without by turns. ", (long long)t->rounds);
	if (t->restored == 1)
		ta_html_text(b, "Everything was restored.");
	ta_html_raw(b, "</p>");
	if (t->restored == 0)
		ta_html_raw(b, "<p class=proof>Not everything could be restored.</p>");
	for (size_t i = 0; i < t->n_parts && i < LAST; i++)
		about_part(&t->parts[i], b);
	if (*t->not_kept)
		ta_html_elf(b, "p class=note", "Nothing was kept: %s", t->not_kept);
}

static void trial(const struct page_trial *t, size_t *left, struct ta_buf *b)
{
	ta_html_el(b, "h3", t->label);
	about(t, b);
	table(t, b);
	for (size_t i = 0; i < t->n_parts && i < LAST; i++)
		latency("all changes", &t->parts[i].together, left, b);
	for (size_t i = 0; i < t->n_changes && i < LAST; i++)
		latency(t->changes[i].target, &t->changes[i].unit, left, b);
}

void page_part_trials(const struct ta_page *p, struct ta_buf *b)
{
	size_t left = MOST_DRAWN;

	if (!p->trials.n)
		return;
	ta_html_raw(b, "<section id=trials class=card><h2>Trials</h2>");
	for (size_t i = 0; i < p->trials.n && i < LAST; i++)
		trial(p->trials.v[i], &left, b);
	ta_html_raw(b, "</section>");
}
