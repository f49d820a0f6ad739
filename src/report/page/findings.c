/*
 * Findings: what fails with what to type, then what could not be judged, is waived, passes.
 */
#include <string.h>

#include "base/strv.h"
#include "report/page/parts.h"

#define FIRST_SUBJECTS 6  /* shown at once; more behind a click */
#define LAST_SUBJECTS 300
#define MOST_COMMANDS 64
#define LAST_ROWS 1500 /* of those that do not fail */

size_t page_run(const struct page_host *h, size_t i)
{
	size_t n = 1;

	while (i + n < h->n_findings && h->findings[i + n].rule == h->findings[i].rule &&
		page_is_failing(&h->findings[i + n]) == page_is_failing(&h->findings[i]))
		n++;
	return n;
}

/* Form and word beside the colour. */
void page_severity(enum ta_severity s, struct ta_buf *b)
{
	static const char *const shapes[] = {
		[TA_SEV_INFO] = "<circle cx=8 cy=8 r=7 /><path class=in d=\"M8 7v5M8 4v1\" />",
		[TA_SEV_WARNING] = "<path d=\"M8 1l7.5 14h-15z\" /><path class=in d=\"M8 6v4M8 12v1\" />",
		[TA_SEV_ERROR] = "<path d=\"M5 1h6l4 4v6l-4 4h-6l-4-4v-6z\" /><path class=in d=\"M5 5l6 6M11 5l-6 6\" />",
	};

	ta_html_tag(b, "span class=sev%d", (int)s);
	ta_html_raw(b, "<svg viewBox=\"0 0 16 16\" width=16 height=16 aria-hidden=true>");
	ta_html_raw(b, shapes[s]);
	ta_html_raw(b, "</svg> ");
	ta_html_text(b, ta_severity_name(s));
	ta_html_raw(b, "</span>");
}

void page_command(const char *label, const char *text, struct ta_buf *b)
{
	ta_html_raw(b, "<div class=type>");
	ta_html_el(b, "p class=label", label);
	ta_html_tag_with(b, "pre tabindex=0 role=group", "aria-label", label);
	ta_html_raw(b, "<code>");
	ta_html_whole(b, text);
	ta_html_raw(b, "</code></pre></div>");
}

void page_sources(const struct page_rule *r, struct ta_buf *b)
{
	if (!r->n_refs)
		return;
	ta_html_raw(b, "<details><summary>Sources</summary><ul class=refs>");
	for (size_t i = 0; i < r->n_refs; i++)
		ta_html_el(b, "li", r->refs[i]);
	ta_html_raw(b, "</ul></details>");
}

static double points_of(const struct ta_page *p, const struct page_host *h, uint32_t rule)
{
	for (size_t i = 0; i < h->n_rules; i++)
		if (h->rules[i].name == p->rules[rule].id)
			return h->rules[i].points;
	return 0;
}

static void add_subject(const struct page_finding *f, struct ta_buf *b)
{
	ta_html_raw(b, "<li>");
	if (strcmp(f->subject, "host") != 0) {
		ta_html_el(b, "b", f->subject);
		ta_html_raw(b, ": ");
	}
	ta_html_el(b, "span", f->because);
	if (f->verdict != TA_V_FAIL)
		ta_html_elf(b, "em", " (%s)", ta_verdict_name(f->verdict));
	if (f->hurts == 0 && *f->detail)
		ta_html_elf(b, "p class=calm", "%s", f->detail);
	if (f->hurts == 1 && f->n_evidence) {
		ta_html_raw(b, "<p class=proof>It hurts here: ");
		for (size_t i = 0; i < f->n_evidence; i++)
			ta_html_textf(b, "%s%s", i ? "; " : "", f->evidence[i]);
		ta_html_raw(b, "</p>");
	}
	ta_html_raw(b, "</li>");
}

static void add_subjects(const struct page_finding *f, size_t n, struct ta_buf *b)
{
	size_t first = n <= FIRST_SUBJECTS + 1 ? n : FIRST_SUBJECTS, last = TA_MIN(n, (size_t)LAST_SUBJECTS);

	ta_html_raw(b, "<ul class=is>");
	for (size_t i = 0; i < first; i++)
		add_subject(&f[i], b);
	ta_html_raw(b, "</ul>");
	if (first == n)
		return;
	ta_html_raw(b, "<details><summary>");
	ta_html_textf(b, "and %zu more", n - first);
	ta_html_raw(b, "</summary><ul class=is>");
	for (size_t i = first; i < last; i++)
		add_subject(&f[i], b);
	ta_html_raw(b, "</ul>");
	if (n > last)
		ta_html_elf(b, "p", "and %zu more: tuneaudit check --format json has all of them", n - last);
	ta_html_raw(b, "</details>");
}

/* Texts that stand in `seen` already are left out; the others are lines of `lines`. */
static void add_lines(const char *text, struct ta_strv *seen, struct ta_buf *lines)
{
	if (!text || ta_strv_has(seen, text))
		return;
	ta_strv_add(seen, text);
	ta_buf_printf(lines, "%s%s", lines->len ? "\n" : "", text);
	ta_buf_rtrim(lines);
}

/* What keeps it over a restart, a block for each file. */
static void add_files(const struct page_finding *f, size_t n, struct ta_buf *b)
{
	ta_cleanup_strv struct ta_strv files = TA_STRV_INIT;

	for (size_t i = 0; i < n && files.n < MOST_COMMANDS; i++) {
		ta_cleanup_buf struct ta_buf label = TA_BUF_INIT, lines = TA_BUF_INIT;
		ta_cleanup_strv struct ta_strv seen = TA_STRV_INIT;

		if (!f[i].persist_file || !f[i].persist_text || ta_strv_has(&files, f[i].persist_file))
			continue;
		ta_strv_add(&files, f[i].persist_file);
		for (size_t k = i; k < n && seen.n < MOST_COMMANDS; k++)
			if (f[k].persist_file == f[i].persist_file)
				add_lines(f[k].persist_text, &seen, &lines);
		ta_buf_printf(&label, "To keep it over a restart, in %s", f[i].persist_file);
		page_command(ta_buf_text(&label), ta_buf_text(&lines), b);
	}
}

/* Commands of all subjects, the same once, to be copied together. */
static void add_commands(const struct page_finding *f, size_t n, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv seen = TA_STRV_INIT;

	for (size_t i = 0; i < n && seen.n < MOST_COMMANDS; i++)
		add_lines(f[i].command, &seen, &lines);
	if (lines.len)
		page_command("Type", ta_buf_text(&lines), b);
	if (lines.len && f->disruption && strcmp(f->disruption, "none") != 0)
		ta_html_elf(b, "p class=risk", "Costs: %s", f->disruption);
	add_files(f, n, b);
}

static void add_finding(const struct ta_page *p, const struct page_host *h, size_t i, size_t n, size_t number, struct ta_buf *b)
{
	const struct page_finding *f = &h->findings[i];
	const struct page_rule *r = &p->rules[f->rule];
	double points = points_of(p, h, f->rule);

	ta_html_tag(b, "article class=\"card finding s%d\" id=\"h%zu-r%u\"", (int)f->severity, number, f->rule);
	ta_html_raw(b, "<header>");
	page_severity(f->severity, b);
	ta_html_el(b, "h4", *r->title ? r->title : r->id);
	ta_html_raw(b, "</header><p class=meta>");
	if (p->brief)
		ta_html_tag(b, "a href=\"#r%u\"", f->rule);
	ta_html_el(b, "code", r->id);
	if (p->brief)
		ta_html_raw(b, "</a>");
	if (points >= 0.05)
		ta_html_textf(b, " \u00b7 costs %.1f points", points);
	if (n > 1)
		ta_html_textf(b, " \u00b7 %zu subjects", n);
	ta_html_raw(b, "</p>");
	add_subjects(f, n, b);
	if (!p->brief)
		ta_html_el(b, "p class=why", r->why);
	add_commands(f, n, b);
	if (!p->brief && r->advice)
		ta_html_el(b, "p class=advice", r->advice);
	if (!p->brief)
		page_sources(r, b);
	ta_html_raw(b, "</article>");
}

void page_part_findings(const struct ta_page *p, const struct page_host *h, size_t number, struct ta_buf *b)
{
	bool any = false;

	if (!h->profile)
		return;
	ta_html_raw(b, "<section><h3>What fails</h3>");
	for (size_t i = 0, n; i < h->n_findings; i += n) {
		n = page_run(h, i);
		if (!page_is_failing(&h->findings[i]))
			continue;
		add_finding(p, h, i, n, number, b);
		any = true;
	}
	if (!any)
		ta_html_raw(b, "<p class=good>Nothing fails.</p>");
	ta_html_raw(b, "</section>");
}

static void add_rest_row(const struct ta_page *p, const struct page_finding *f, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;

	if (f->verdict == TA_V_PASS)
		ta_buf_adds(&why, *f->because ? f->because : p->rules[f->rule].title);
	else
		ta_buf_printf(&why, "%s%s%s", f->reason, *f->reason && *f->detail ? ": " : "", *f->detail ? f->detail : *f->reason ? "" : f->because);
	if (f->until)
		ta_buf_printf(&why, " (until %s)", f->until);
	ta_html_raw(b, "<tr><td>");
	ta_html_el(b, "code", p->rules[f->rule].id);
	ta_html_el(b, "td", strcmp(f->subject, "host") == 0 ? "\u2013" : f->subject);
	ta_html_el(b, "td class=wordy", ta_buf_text(&why));
	ta_html_raw(b, "</tr>");
}

static void add_rest(const struct ta_page *p, const struct page_host *h, enum ta_verdict v, const char *title, struct ta_buf *b)
{
	size_t n = 0;

	if (!h->summary[v])
		return;
	/* Paper is for what there is to do. */
	ta_html_raw(b, v == TA_V_PASS || v == TA_V_NA || v == TA_V_UNSUPPORTED ? "<details class=\"card quiet\"><summary>"
									       : "<details class=card><summary>");
	ta_html_textf(b, "%s (%zu)", title, h->summary[v]);
	ta_html_raw(b, "</summary>");
	ta_html_tag_with(b, "div class=wide tabindex=0 role=group", "aria-label", title);
	ta_html_raw(b, "<table><thead><tr><th scope=col>Rule<th scope=col>Subject<th scope=col>Why</tr></thead><tbody>");
	for (size_t i = 0; i < h->n_findings && n < LAST_ROWS; i++) {
		if (h->findings[i].verdict != v)
			continue;
		add_rest_row(p, &h->findings[i], b);
		n++;
	}
	ta_html_raw(b, "</tbody></table></div>");
	if (h->summary[v] > n)
		ta_html_elf(b, "p", "and %zu more", h->summary[v] - n);
	ta_html_raw(b, "</details>");
}

/* Of many hosts the names alone. */
static void add_brief(const struct ta_page *p, const struct page_host *h, enum ta_verdict v, const char *title, struct ta_buf *b)
{
	uint32_t last = UINT32_MAX;

	if (!h->summary[v])
		return;
	ta_html_raw(b, "<details><summary>");
	ta_html_textf(b, "%s (%zu)", title, h->summary[v]);
	ta_html_raw(b, "</summary><p>");
	for (size_t i = 0; i < h->n_findings; i++) {
		if (h->findings[i].verdict != v || h->findings[i].rule == last)
			continue;
		ta_html_textf(b, "%s%s", last == UINT32_MAX ? "" : ", ", p->rules[h->findings[i].rule].id);
		last = h->findings[i].rule;
	}
	ta_html_raw(b, "</p></details>");
}

void page_part_rest(const struct ta_page *p, const struct page_host *h, struct ta_buf *b)
{
	if (p->brief) {
		add_brief(p, h, TA_V_BROKEN, "Broken rules", b);
		add_brief(p, h, TA_V_UNKNOWN, "Could not be judged", b);
		add_brief(p, h, TA_V_WAIVED, "Waived", b);
		return;
	}
	add_rest(p, h, TA_V_BROKEN, "Broken rules", b);
	add_rest(p, h, TA_V_UNKNOWN, "Could not be judged", b);
	add_rest(p, h, TA_V_WAIVED, "Waived", b);
	add_rest(p, h, TA_V_PASS, "Passed", b);
	add_rest(p, h, TA_V_UNSUPPORTED, "Hardware, driver or kernel cannot", b);
	add_rest(p, h, TA_V_NA, "Do not apply", b);
}
