/*
 * The document: head, sections in their order, foot. What it may load is nothing, and which style and script may run is said by
 * their hashes (Content Security Policy), so that a text that slipped through as markup would still do nothing.
 */
#include <stdlib.h>
#include <string.h>

#include "report/page/group.h"
#include "report/page/parts.h"

/* A page of a thousand hosts is still to be opened and sent around: whole sections of hosts end where it would be larger. */
#define BUDGET (3000u << 10)
#define OPEN_HOSTS 3 /* up to so many stand open */

static void add_title(const struct ta_page *p, struct ta_buf *b)
{
	if (p->hosts.n == 1)
		ta_html_textf(b, "%s \u2013 tuneaudit", page_host(p, 0)->label);
	else if (p->hosts.n)
		ta_html_textf(b, "%zu hosts \u2013 tuneaudit", p->hosts.n);
	else
		ta_html_text(b, "tuneaudit");
}

static void add_head(const struct ta_page *p, struct ta_buf *b)
{
	ta_html_raw(b, "<!DOCTYPE html>\n<html lang=en><head><meta charset=utf-8>"
		       "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; style-src '");
	ta_html_hash(b, ta_page_css);
	ta_html_raw(b, "'; script-src '");
	ta_html_hash(b, ta_page_js);
	ta_html_raw(b, "'; img-src data:; base-uri 'none'; form-action 'none'\">"
		       "<meta name=viewport content=\"width=device-width, initial-scale=1\"><meta name=color-scheme content=\"light dark\">"
		       "<meta name=referrer content=no-referrer><link rel=icon href=\"data:,\"><title>");
	add_title(p, b);
	ta_html_raw(b, "</title><style>");
	ta_html_raw(b, ta_page_css);
	ta_html_raw(b, "</style></head><body><a class=skip href=\"#main\">To the content</a>");
}

static void add_about(const struct page_host *h, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf time = TA_BUF_INIT, line = TA_BUF_INIT;
	const char *const parts[] = {h->os, h->kernel, h->arch, h->machine ? h->machine : ""};

	page_time(h->time, &time);
	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (*parts[i])
			ta_buf_printf(&line, "%s%s%s", line.len ? " \u00b7 " : "", i == 1 ? "Linux " : "", parts[i]);
	if (time.len)
		ta_buf_printf(&line, "%sread %s", line.len ? " \u00b7 " : "", ta_buf_text(&time));
	ta_html_el(b, "p class=about", ta_buf_text(&line));
}

static void add_nav(const struct ta_page *p, struct ta_buf *b)
{
	ta_html_raw(b, "<nav aria-label=Contents><ul>");
	if (p->broken.n)
		ta_html_raw(b, "<li><a href=\"#broken\">Files not taken</a>");
	if (p->hosts.n > 1)
		ta_html_raw(b, "<li><a href=\"#hosts\">Hosts and rules</a><li><a href=\"#fails\">What fails</a><li><a href=\"#each\">Each host</a>");
	if (p->loads.n)
		ta_html_raw(b, "<li><a href=\"#loads\">Load runs</a>");
	if (p->trials.n)
		ta_html_raw(b, "<li><a href=\"#trials\">Trials</a>");
	ta_html_raw(b, "</ul></nav>");
}

static void add_host(const struct ta_page *p, size_t number, struct ta_buf *b)
{
	const struct page_host *h = page_host(p, number);

	page_part_score(p, h, number, b);
	page_part_way(h, number, b);
	page_part_heat(h, b);
	page_part_findings(p, h, number, b);
	page_part_drift(h, b);
	page_part_rest(p, h, b);
	page_part_settings(p, h, b);
}

static void add_summary(const struct page_host *h, struct ta_buf *b)
{
	ta_html_raw(b, "<summary><h3 class=inline>");
	ta_html_el(b, "bdi", h->label);
	ta_html_raw(b, "</h3>");
	if (h->score >= 0)
		ta_html_textf(b, " \u00b7 score %d", h->score);
	if (h->profile)
		ta_html_textf(b, ", %zu fail", h->summary[TA_V_FAIL] + h->summary[TA_V_CONFLICT] + h->summary[TA_V_PENDING_REBOOT]);
	if (h->way.faults) {
		ta_cleanup_buf struct ta_buf faults = TA_BUF_INIT;

		ta_way_fault_names(h->way.faults, &faults);
		ta_html_textf(b, " \u00b7 ! %s", ta_buf_text(&faults));
	}
	ta_html_raw(b, "</summary>");
}

/* False if the page has no room for it. */
static bool add_section(struct ta_page *p, size_t number, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf one = TA_BUF_INIT;
	struct page_host *h = page_host(p, number);

	if (h->has_section)
		return true;
	ta_html_tag(&one, p->brief ? "details class=host id=h%zu" : "details class=host id=h%zu open", number);
	add_summary(h, &one);
	add_about(h, &one);
	add_host(p, number, &one);
	ta_html_raw(&one, "</details>");
	if (b->len + one.len > BUDGET)
		return false;
	ta_buf_add(b, ta_buf_text(&one), one.len);
	h->has_section = true;
	return true;
}

/* First one of those that are judged alike, those that differ most from their kind before the others; then as many as fit. */
static void add_each(struct ta_page *p, struct ta_buf *b)
{
	size_t n = 0;
	bool room = true;

	ta_html_raw(b, "<section id=each><h2>Each host</h2>");
	for (size_t i = 0; i < p->n_groups; i++)
		for (size_t k = 0; k < p->groups[i].n_rows && room; k++)
			room = add_section(p, p->groups[i].rows[k].first, b);
	for (size_t i = 0; i < p->hosts.n && room; i++)
		room = add_section(p, i, b);
	for (size_t i = 0; i < p->hosts.n; i++)
		n += page_host(p, i)->has_section;
	if (n < p->hosts.n)
		ta_html_elf(b, "p class=note",
			"The page would be too large with the other %zu hosts, which are judged like one above or differ less; a page of one: "
			"tuneaudit report FILE -o OUT.html",
			p->hosts.n - n);
	ta_html_raw(b, "</section>");
}

static void add_heading(const struct ta_page *p, struct ta_buf *b)
{
	ta_html_raw(b, "<header class=top><p class=brand>tuneaudit</p><h1>");
	if (p->hosts.n == 1)
		ta_html_el(b, "bdi", page_host(p, 0)->label);
	else if (p->hosts.n)
		ta_html_textf(b, "%zu hosts side by side", p->hosts.n);
	else
		ta_html_text(b, p->loads.n || p->trials.n ? "Measurements" : "Nothing to show");
	ta_html_raw(b, "</h1>");
	if (p->hosts.n == 1)
		add_about(page_host(p, 0), b);
	if (p->hosts.n != 1 || p->loads.n || p->trials.n || p->broken.n)
		add_nav(p, b);
	ta_html_raw(b, "</header>");
}

static int by_name(const void *a, const void *b)
{
	const struct page_host *x = *(struct page_host *const *)a, *y = *(struct page_host *const *)b;

	return strcmp(x->name, y->name);
}

/* Several results of one host, or of hosts that have no name of their own, are told apart by their files. */
static void fill_labels(struct ta_page *p)
{
	struct page_host **v = page_room(p, p->hosts.n, sizeof(*v));

	for (size_t i = 0; v && i < p->hosts.n; i++)
		v[i] = page_host(p, i);
	if (!v || !p->hosts.n)
		return;
	qsort(v, p->hosts.n, sizeof(*v), by_name);
	for (size_t i = 0; i < p->hosts.n; i++) {
		bool twice = (i && v[i - 1]->name == v[i]->name) || (i + 1 < p->hosts.n && v[i + 1]->name == v[i]->name);
		ta_cleanup_buf struct ta_buf label = TA_BUF_INIT;

		ta_buf_adds(&label, v[i]->name);
		ta_buf_shorten(&label, 0, 80);
		if (twice)
			ta_buf_printf(&label, " (%s)", page_short(p, v[i]->file));
		v[i]->label = page_keep(p, ta_buf_text(&label));
	}
}

static void add_main(struct ta_page *p, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf each = TA_BUF_INIT;

	page_part_broken(p, b);
	if (p->hosts.n == 1) {
		ta_html_raw(b, "<h2 class=sr>The host</h2>");
		add_host(p, 0, b);
	} else if (p->hosts.n) {
		page_groups(p);
		add_each(p, &each);
		page_part_overview(p, b);
		page_part_fleet(p, b);
		page_part_common(p, b);
	}
	page_part_loads(p, b);
	page_part_trials(p, b);
	ta_buf_add(b, ta_buf_text(&each), each.len);
}

void ta_page_write(struct ta_page *p, const struct ta_page_options *o, struct ta_buf *ret)
{
	p->brief = p->hosts.n > OPEN_HOSTS;
	fill_labels(p);
	add_head(p, ret);
	add_heading(p, ret);
	ta_html_raw(ret, "<main id=main>");
	add_main(p, ret);
	ta_html_raw(ret, "</main><footer><p>");
	ta_html_textf(ret, "Made by tuneaudit %s from %zu result%s. This page loads nothing and sends nothing.", o->tool_version,
		ta_page_results(p), ta_page_results(p) == 1 ? "" : "s");
	ta_html_raw(ret, "</p></footer><script>");
	ta_html_raw(ret, ta_page_js);
	ta_html_raw(ret, "</script></body></html>\n");
	if (p->error && !ret->error)
		ret->error = p->error;
}
