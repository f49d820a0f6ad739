/*
 * Many hosts at a glance: a matrix of hosts and rules for each kind of host. Hosts that are judged alike share a row, those
 * that differ from most of their kind stand first, and where they differ is marked.
 */
#include <string.h>

#include "report/page/group.h"
#include "report/page/parts.h"

#define MOST_COLUMNS 120
#define MOST_NAMES 2000 /* of one row */
#define MOST_ROWS 4000	/* of all matrices */

/* A letter for each verdict, so that nothing depends on its colour; the class is the letter's. */
static const struct {
	char class, letter[4];
	const char *meaning;
} marks[TA_V_COUNT + 1] = {
	[TA_V_FAIL] = {'f', "F", "fails"},
	[TA_V_CONFLICT] = {'f', "C", "in conflict"},
	[TA_V_PENDING_REBOOT] = {'f', "R", "waits for a reboot"},
	[TA_V_BROKEN] = {'u', "B", "broken rule"},
	[TA_V_UNKNOWN] = {'u', "?", "could not be judged"},
	[TA_V_WAIVED] = {'w', "W", "waived"},
	[TA_V_PASS] = {'p', "\u2713", "passes"},
	[TA_V_UNSUPPORTED] = {'n', "x", "cannot: hardware, driver or kernel"},
	[TA_V_NA] = {'n', "\u2013", "does not apply"},
	[TA_V_COUNT] = {'n', "", "not judged"},
};

/* A link where the host has a section of its own. */
static void add_name(const struct ta_page *p, size_t number, struct ta_buf *b)
{
	const struct page_host *h = page_host(p, number);

	if (h->has_section)
		ta_html_tag(b, "a href=\"#h%zu\"", number);
	ta_html_el(b, "bdi", h->label);
	if (h->has_section)
		ta_html_raw(b, "</a>");
}

static void add_names(const struct ta_page *p, const struct page_alike *a, struct ta_buf *b)
{
	add_name(p, a->first, b);
	if (a->n == 1)
		return;
	ta_html_raw(b, "<details><summary>");
	ta_html_textf(b, "and %zu alike", a->n - 1);
	ta_html_raw(b, "</summary>");
	for (size_t i = 1; i < a->n && i < MOST_NAMES; i++) {
		if (i > 1)
			ta_html_raw(b, ", ");
		add_name(p, a->first + i, b);
	}
	if (a->n > MOST_NAMES)
		ta_html_textf(b, " and %zu more", a->n - MOST_NAMES);
	ta_html_raw(b, "</details>");
}

static void add_scores(const struct ta_page *p, const struct page_alike *a, struct ta_buf *b)
{
	int low = 101, high = -1;

	for (size_t i = 0; i < a->n; i++) {
		int score = page_host(p, a->first + i)->score;

		if (score < 0)
			continue;
		low = TA_MIN(low, score);
		high = TA_MAX(high, score);
	}
	ta_html_raw(b, "<td class=n>");
	if (high < 0)
		ta_html_text(b, "\u2013");
	else if (low == high)
		ta_html_textf(b, "%d", low);
	else
		ta_html_textf(b, "%d\u2013%d", low, high);
}

static void add_row(const struct ta_page *p, const struct page_group *g, const struct page_alike *a, struct ta_buf *b)
{
	const struct page_host *h = page_host(p, a->first);

	ta_html_raw(b, "<tr><th scope=row>");
	add_names(p, a, b);
	add_scores(p, a, b);
	ta_html_tag(b, "td class=n");
	if (a->odd)
		ta_html_textf(b, "%zu", a->odd);
	else
		ta_html_text(b, "\u2013");
	for (size_t i = 0; i < g->n_columns && i < MOST_COLUMNS; i++) {
		unsigned v = h->verdicts[g->columns[i]];

		ta_buf_printf(b, v == g->usual[g->columns[i]] ? "<td class=%c>" : "<td class=\"%c o\">", marks[v].class);
		ta_html_raw(b, marks[v].letter);
	}
	ta_html_raw(b, "\n");
}

static void add_head(const struct ta_page *p, const struct page_group *g, struct ta_buf *b)
{
	ta_html_raw(b, "<thead><tr><th scope=col>Host<th scope=col class=n>Score<th scope=col class=n>Differs");
	for (size_t i = 0; i < g->n_columns && i < MOST_COLUMNS; i++) {
		ta_html_tag(b, "th scope=col class=up><a href=\"#r%u\"", g->columns[i]);
		ta_html_text(b, p->rules[g->columns[i]].id);
		ta_html_raw(b, "</a>");
	}
	ta_html_raw(b, "</tr></thead>");
}

static void add_group(const struct ta_page *p, const struct page_group *g, size_t number, size_t *rows_left, struct ta_buf *b)
{
	size_t n = TA_MIN(g->n_rows, *rows_left);

	*rows_left -= n;
	ta_html_tag(b, "section class=card><h3 id=g%zu", number);
	ta_html_textf(b, "%zu host%s: %.*s", g->n, g->n == 1 ? "" : "s", (int)TA_MIN(strcspn(g->fingerprint, "\n"), (size_t)2000),
		g->fingerprint);
	ta_html_raw(b, "</h3>");
	ta_html_el(b, "p class=note", g->fingerprint + strcspn(g->fingerprint, "\n"));
	if (!g->n_columns)
		ta_html_raw(b, "<p class=good>Nothing fails on them.</p>");
	ta_html_tag(b, "div class=wide tabindex=0 role=group aria-labelledby=\"g%zu\"", number);
	ta_html_raw(b, "<table class=matrix>");
	add_head(p, g, b);
	ta_html_raw(b, "<tbody>");
	for (size_t i = 0; i < n; i++)
		add_row(p, g, &g->rows[i], b);
	ta_html_raw(b, "</tbody></table></div>");
	if (g->n_rows > n)
		ta_html_elf(b, "p class=note", "and %zu rows more, which differ less", g->n_rows - n);
	if (g->n_columns > MOST_COLUMNS)
		ta_html_elf(b, "p class=note", "%zu rules more fail on fewer hosts", g->n_columns - MOST_COLUMNS);
	ta_html_raw(b, "</section>");
}

static void add_legend(struct ta_buf *b)
{
	static const enum ta_verdict shown[] = {TA_V_FAIL, TA_V_CONFLICT, TA_V_PENDING_REBOOT, TA_V_UNKNOWN, TA_V_BROKEN, TA_V_WAIVED,
		TA_V_PASS, TA_V_UNSUPPORTED, TA_V_NA};

	ta_html_raw(b, "<p class=marks>");
	for (size_t i = 0; i < TA_ARRAY_SIZE(shown); i++) {
		ta_buf_printf(b, "<span class=%c>%s</span> ", marks[shown[i]].class, marks[shown[i]].letter);
		ta_html_textf(b, "%s \u00b7 ", marks[shown[i]].meaning);
	}
	ta_html_raw(b, "<span class=o>framed</span> unlike most of its kind</p>");
}

void page_part_fleet(const struct ta_page *p, struct ta_buf *b)
{
	size_t rows = MOST_ROWS;

	ta_html_raw(b, "<section id=hosts><h2>Hosts and rules</h2><p class=note>Hosts of one kind stand together, rare kinds first; in each, "
		       "hosts that differ from most of their kind come first. Rules that fail nowhere in a kind have no column.</p>");
	add_legend(b);
	for (size_t i = 0; i < p->n_groups; i++)
		add_group(p, &p->groups[i], i, &rows, b);
	ta_html_raw(b, "</section>");
}
