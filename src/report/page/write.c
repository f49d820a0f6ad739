/*
 * The document: head, sections in their order, foot. What it may load is nothing, and which style and script may run is said by
 * their hashes (Content Security Policy), so that a text that slipped through as markup would still do nothing.
 */
#include <string.h>

#include "report/page/parts.h"

/* A page of a thousand hosts is still to be opened and sent around: whole sections of hosts end where it would be larger. */
#define BUDGET (3500u << 10)
#define OPEN_HOSTS 3 /* up to so many stand open */

static void add_title(const struct ta_page *p, struct ta_buf *b)
{
	if (p->hosts.n == 1)
		ta_html_textf(b, "%s \u2013 tuneaudit", page_host(p, 0)->name);
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
	page_part_rest(p, h, b);
	page_part_settings(h, b);
}

static void add_summary(const struct page_host *h, struct ta_buf *b)
{
	ta_html_raw(b, "<summary><h3 class=inline>");
	ta_html_el(b, "bdi", h->name);
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

/* Those that differ most from their kind come first, and so have a section of their own as long as there is room. */
static void add_each(const struct ta_page *p, struct ta_buf *b)
{
	size_t n = 0;

	ta_html_raw(b, "<section id=each><h2>Each host</h2>");
	for (; n < p->hosts.n; n++) {
		ta_cleanup_buf struct ta_buf one = TA_BUF_INIT;

		ta_html_raw(&one, p->hosts.n <= OPEN_HOSTS ? "<details class=host open>" : "<details class=host>");
		add_summary(page_host(p, n), &one);
		add_about(page_host(p, n), &one);
		add_host(p, n, &one);
		ta_html_raw(&one, "</details>");
		if (b->len + one.len > BUDGET)
			break;
		ta_buf_add(b, ta_buf_text(&one), one.len);
	}
	if (n < p->hosts.n)
		ta_html_elf(b, "p class=note",
			"The page would be too large with the other %zu hosts, which differ less; a page of one: tuneaudit report FILE -o OUT.html",
			p->hosts.n - n);
	ta_html_raw(b, "</section>");
}

static void add_heading(const struct ta_page *p, struct ta_buf *b)
{
	ta_html_raw(b, "<header class=top><p class=brand>tuneaudit</p><h1>");
	if (p->hosts.n == 1)
		ta_html_el(b, "bdi", page_host(p, 0)->name);
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

void ta_page_write(struct ta_page *p, const struct ta_page_options *o, struct ta_buf *ret)
{
	add_head(p, ret);
	add_heading(p, ret);
	ta_html_raw(ret, "<main id=main>");
	page_part_broken(p, ret);
	if (p->hosts.n == 1) {
		ta_html_raw(ret, "<h2 class=sr>The host</h2>");
		add_host(p, 0, ret);
	} else if (p->hosts.n) {
		page_part_fleet(p, ret);
		page_part_common(p, ret);
	}
	page_part_loads(p, ret);
	page_part_trials(p, ret);
	if (p->hosts.n > 1)
		add_each(p, ret);
	ta_html_raw(ret, "</main><footer><p>");
	ta_html_textf(ret, "Made by tuneaudit %s from %zu result%s. This page loads nothing and sends nothing.", o->tool_version,
		ta_page_results(p), ta_page_results(p) == 1 ? "" : "s");
	ta_html_raw(ret, "</p></footer><script>");
	ta_html_raw(ret, ta_page_js);
	ta_html_raw(ret, "</script></body></html>\n");
	if (p->error && !ret->error)
		ret->error = p->error;
}
