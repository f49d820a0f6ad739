/*
 * Where each setting comes from: what runs, which line of which file sets it, what the next boot leaves. And the share of
 * receive work that each CPU has.
 */
#include <stdio.h>
#include <string.h>

#include "report/page/parts.h"

#define LAST_ROWS 1500

static void add_setting(const struct page_setting *s, struct ta_buf *b)
{
	ta_html_raw(b, s->differs == 1 ? "<tr class=differs><td>" : "<tr><td>");
	ta_html_el(b, "code", s->target);
	ta_html_el(b, "td", s->running ? s->running : "not known");
	ta_html_raw(b, "<td>");
	if (s->place) {
		ta_html_el(b, "code", s->place);
		if (s->value)
			ta_html_textf(b, " sets %s", s->value);
	} else {
		ta_html_text(b, "nothing: the kernel\u2019s or driver\u2019s own");
	}
	ta_html_raw(b, "<td>");
	if (s->next_boot)
		ta_html_text(b, s->next_boot);
	else
		ta_html_textf(b, "not known%s%s", *s->detail ? ": " : "", s->detail);
	ta_html_el(b, "td", s->differs == 1 ? "moves" : s->differs == 0 ? "stays" : "\u2013");
	ta_html_raw(b, "</tr>");
}

/* Of many hosts only those that the next boot moves. */
static bool is_shown(const struct ta_page *p, const struct page_setting *s)
{
	return !p->brief || s->differs == 1;
}

static size_t count(const struct ta_page *p, const struct page_host *h)
{
	size_t n = 0;

	for (size_t i = 0; i < h->n_findings; i++)
		for (size_t k = 0; k < h->findings[i].n_settings; k++)
			n += is_shown(p, &h->findings[i].settings[k]);
	return n;
}

/* A setting that two rules are about stands once. */
static bool seen_before(const struct page_host *h, size_t finding, size_t k)
{
	const struct page_setting *s = &h->findings[finding].settings[k];

	for (size_t i = 0; i <= finding; i++)
		for (size_t j = 0; j < (i == finding ? k : h->findings[i].n_settings); j++)
			if (h->findings[i].settings[j].target == s->target)
				return true;
	return false;
}

void page_part_settings(const struct ta_page *p, const struct page_host *h, struct ta_buf *b)
{
	size_t n = 0;

	if (!count(p, h))
		return;
	ta_html_raw(b, "<details class=card><summary>Settings, and where each comes from</summary><div class=wide tabindex=0 role=group "
		       "aria-label=\"Settings and their sources\"><table><thead><tr><th scope=col>Setting<th scope=col>Runs"
		       "<th scope=col>Set by<th scope=col>Next boot<th scope=col>Then it</tr></thead><tbody>");
	for (size_t i = 0; i < h->n_findings && n < LAST_ROWS; i++) {
		for (size_t k = 0; k < h->findings[i].n_settings && n < LAST_ROWS; k++) {
			if (!is_shown(p, &h->findings[i].settings[k]) || seen_before(h, i, k))
				continue;
			add_setting(&h->findings[i].settings[k], b);
			n++;
		}
	}
	ta_html_raw(b, "</tbody></table></div></details>");
}

void page_heat_cell(const char *name, double share, bool apart, struct ta_buf *b)
{
	unsigned level = share <= 0 ? 0 : (unsigned)TA_MIN(1 + share * 8.99, 9.0);

	ta_html_tag(b, "li class=\"heat%u\"", level);
	ta_html_textf(b, "CPU %s ", name);
	if (share > 0 && share < 0.005)
		ta_html_el(b, "b", "<1 %");
	else
		ta_html_elf(b, "b", "%.0f %%", share * 100);
	if (apart)
		ta_html_raw(b, " <i>isolated</i>");
	ta_html_raw(b, "</li>");
}

static void add_cells(const struct ta_way *w, struct ta_buf *b)
{
	for (size_t i = 0; i < w->n_cpus; i++) {
		const struct ta_way_cpu *c = &w->cpus[i];
		char name[16];

		if (i == 0 || c->node != w->cpus[i - 1].node) {
			if (i)
				ta_html_raw(b, "</ol>");
			if (w->n_nodes > 1 && c->node >= 0)
				ta_html_elf(b, "p class=label", "NUMA node %lld", (long long)c->node);
			ta_html_raw(b, "<ol class=heat>");
		}
		snprintf(name, sizeof(name), "%u", c->number);
		page_heat_cell(name, TA_MAX(c->softirq, 0.0), c->isolated, b);
	}
	if (w->n_cpus)
		ta_html_raw(b, "</ol>");
}

void page_part_heat(const struct page_host *h, struct ta_buf *b)
{
	bool known = false;

	for (size_t i = 0; i < h->way.n_cpus; i++)
		known |= h->way.cpus[i].softirq >= 0;
	if (!h->has_facts || !known)
		return;
	ta_html_raw(b, "<section class=card><h3>Receive softirqs by CPU</h3><p class=note>");
	ta_html_text(b, h->way.softirq_now ? "Each CPU\u2019s share of the receive softirqs while it was sampled."
					   : "Each CPU\u2019s share of the receive softirqs since boot; --sample SECONDS tells of now.");
	ta_html_raw(b, "</p>");
	add_cells(&h->way, b);
	ta_html_raw(b, "</section>");
}
