/*
 * What moved since the baseline, who may have moved it, and whether it matters.
 */
#include <string.h>

#include "report/page/parts.h"

#define LAST_ROWS 500

/* "fails, passed before"; the words of the terminal's report. */
static void add_matter(const struct page_move *m, struct ta_buf *b)
{
	if (!m->rule) {
		ta_html_text(b, "no rule of the profile reads it");
		return;
	}
	ta_html_el(b, "code", m->rule);
	ta_html_textf(b, " (%s)", m->severity ? m->severity : "");
	if (!m->verdict_is)
		return;
	if (m->verdict_was && strcmp(m->verdict_was, m->verdict_is) != 0)
		ta_html_textf(b, ": %s \u2192 ", m->verdict_was);
	else
		ta_html_text(b, ": ");
	ta_html_el(b, "b", m->verdict_is);
	if (m->verdict_was && strcmp(m->verdict_was, m->verdict_is) == 0)
		ta_html_text(b, ", as before");
}

static void add_move(const struct page_move *m, struct ta_buf *b)
{
	ta_html_raw(b, "<tr><td>");
	ta_html_el(b, "code", m->path);
	ta_html_el(b, "td", m->was ? m->was : "\u2013");
	ta_html_el(b, "td", m->is ? m->is : "\u2013");
	ta_html_el(b, "td", m->kind);
	ta_html_raw(b, "<td>");
	if (m->by)
		ta_html_text(b, m->by);
	if (m->note)
		ta_html_textf(b, "%s%s", m->by ? "; " : "", m->note);
	ta_html_raw(b, "<td>");
	add_matter(m, b);
	ta_html_raw(b, "</tr>");
}

void page_part_drift(const struct page_host *h, struct ta_buf *b)
{
	if (!h->has_baseline)
		return;
	ta_html_raw(b, "<section class=card><h3>What moved since the baseline</h3>");
	if (!h->n_moves) {
		ta_html_raw(b, "<p>Nothing.</p></section>");
		return;
	}
	ta_html_raw(b, "<div class=wide tabindex=0 role=group aria-label=\"What moved since the baseline\"><table><thead><tr><th scope=col>What"
		       "<th scope=col>Was<th scope=col>Is<th scope=col>Kind<th scope=col>By whom<th scope=col>Does it matter</tr></thead><tbody>");
	for (size_t i = 0; i < TA_MIN(h->n_moves, (size_t)LAST_ROWS); i++)
		add_move(&h->moves[i], b);
	ta_html_raw(b, "</tbody></table></div>");
	if (h->n_moves > LAST_ROWS)
		ta_html_elf(b, "p class=note", "and %zu more", h->n_moves - LAST_ROWS);
	ta_html_raw(b, "</section>");
}
