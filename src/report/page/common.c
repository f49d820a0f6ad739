/*
 * What fails over all hosts, a rule at a time: on how many, how it shows, what to type. And the results that could not be
 * taken.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "report/page/parts.h"

#define MOST_WAYS 4
#define MOST_NAMES 12
#define MOST_BROKEN 2000
#define MOST_HELD 256 /* different texts that are counted */

/* Texts that several hosts share, and how many. */
struct tally {
	const char *text;
	const struct page_finding *of;
	size_t n;
};

struct seen {
	struct tally because[MOST_HELD], commands[MOST_HELD];
	size_t n_because, n_commands;
	struct ta_strv names;
	enum ta_severity severity;
	double points; /* the most that it costs anywhere */
};

/* Kept texts are the same if their addresses are. */
static void count(struct tally *v, size_t *n, const char *text, const struct page_finding *f)
{
	size_t i = 0;

	if (!text || !*text)
		return;
	while (i < *n && v[i].text != text)
		i++;
	if (i == MOST_HELD)
		return;
	if (i == *n)
		v[(*n)++] = (struct tally){text, f, 0};
	v[i].n++;
}

static int by_count(const void *a, const void *b)
{
	const struct tally *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return strcmp(x->text, y->text);
}

static void look(const struct ta_page *p, uint32_t rule, struct seen *s)
{
	for (size_t i = 0; i < p->hosts.n; i++) {
		const struct page_host *h = page_host(p, i);
		bool fails = false;

		if (!h->verdicts || rule >= h->n_verdicts ||
			(h->verdicts[rule] != TA_V_FAIL && h->verdicts[rule] != TA_V_CONFLICT && h->verdicts[rule] != TA_V_PENDING_REBOOT))
			continue;
		for (size_t k = 0; k < h->n_findings; k++) {
			const struct page_finding *f = &h->findings[k];

			if (f->rule != rule || !page_is_failing(f))
				continue;
			count(s->because, &s->n_because, f->because, f);
			count(s->commands, &s->n_commands, f->command, f);
			s->severity = TA_MAX(s->severity, f->severity);
			fails = true;
		}
		if (fails)
			ta_strv_add(&s->names, h->label);
		for (size_t k = 0; k < h->n_rules; k++)
			if (h->rules[k].name == p->rules[rule].id)
				s->points = TA_MAX(s->points, h->rules[k].points);
	}
	qsort(s->because, s->n_because, sizeof(*s->because), by_count);
	qsort(s->commands, s->n_commands, sizeof(*s->commands), by_count);
}

static void add_hosts(const struct seen *s, struct ta_buf *b)
{
	ta_html_raw(b, "<p class=on>");
	for (size_t i = 0; i < s->names.n && i < MOST_NAMES; i++) {
		ta_html_raw(b, i ? ", " : "On ");
		ta_html_el(b, "bdi", s->names.v[i]);
	}
	if (s->names.n > MOST_NAMES)
		ta_html_textf(b, " and %zu more", s->names.n - MOST_NAMES);
	ta_html_raw(b, "</p>");
}

static void add_rule(const struct ta_page *p, uint32_t rule, const struct seen *s, struct ta_buf *b)
{
	const struct page_rule *r = &p->rules[rule];

	ta_html_tag(b, "article class=\"card finding s%d\" id=r%u", (int)s->severity, rule);
	ta_html_raw(b, "<header>");
	page_severity(s->severity, b);
	ta_html_el(b, "h3", *r->title ? r->title : r->id);
	ta_html_raw(b, "</header><p class=meta>");
	ta_html_el(b, "code", r->id);
	ta_html_textf(b, " \u00b7 %zu of %zu hosts", s->names.n, p->hosts.n);
	if (s->points >= 0.05)
		ta_html_textf(b, " \u00b7 costs up to %.1f points", s->points);
	ta_html_raw(b, "</p>");
	add_hosts(s, b);
	ta_html_raw(b, "<ul class=is>");
	for (size_t i = 0; i < s->n_because && i < MOST_WAYS; i++)
		ta_html_elf(b, "li", "%zu \u00d7 %s", s->because[i].n, s->because[i].text);
	ta_html_raw(b, "</ul>");
	ta_html_el(b, "p class=why", r->why);
	for (size_t i = 0; i < s->n_commands && i < MOST_WAYS; i++) {
		ta_cleanup_buf struct ta_buf label = TA_BUF_INIT;

		if (s->n_commands == 1)
			ta_buf_adds(&label, "Type");
		else
			ta_buf_printf(&label, "Type (for %zu)", s->commands[i].n);
		page_command(ta_buf_text(&label), s->commands[i].text, b);
	}
	if (s->n_commands > MOST_WAYS)
		ta_html_elf(b, "p class=note", "and %zu more: each host\u2019s own section or page has its own", s->n_commands - MOST_WAYS);
	if (r->advice)
		ta_html_el(b, "p class=advice", r->advice);
	page_sources(r, b);
	ta_html_raw(b, "</article>");
}

struct failing {
	uint32_t rule;
	enum ta_severity worst;
	size_t hosts;
	const char *id;
};

static int by_weight(const void *a, const void *b)
{
	const struct failing *x = a, *y = b;

	if (x->worst != y->worst)
		return x->worst > y->worst ? -1 : 1;
	if (x->hosts != y->hosts)
		return x->hosts > y->hosts ? -1 : 1;
	return strcmp(x->id, y->id);
}

/* Rules that fail anywhere: the severe ones first, then the frequent ones. */
static size_t collect(const struct ta_page *p, struct failing *v)
{
	size_t n = 0;

	for (size_t r = 0; r < p->n_rules; r++) {
		size_t hosts = 0;

		for (size_t i = 0; i < p->hosts.n; i++) {
			const struct page_host *h = page_host(p, i);
			unsigned verdict = h->verdicts && r < h->n_verdicts ? h->verdicts[r] : TA_V_COUNT;

			hosts += verdict == TA_V_FAIL || verdict == TA_V_CONFLICT || verdict == TA_V_PENDING_REBOOT;
		}
		if (hosts)
			v[n++] = (struct failing){(uint32_t)r, p->rules[r].worst, hosts, p->rules[r].id};
	}
	qsort(v, n, sizeof(*v), by_weight);
	return n;
}

void page_part_common(const struct ta_page *p, struct ta_buf *b)
{
	struct failing *v = calloc(p->n_rules + 1, sizeof(*v));
	struct seen *s = malloc(sizeof(*s));
	size_t n = v && s ? collect(p, v) : 0;

	if (!v || !s)
		b->error = b->error ? b->error : -ENOMEM;
	if (n)
		ta_html_raw(b, "<section id=fails><h2>What fails, rule by rule</h2>");
	for (size_t i = 0; i < n; i++) {
		*s = (struct seen){0};
		look(p, v[i].rule, s);
		add_rule(p, v[i].rule, s, b);
		ta_strv_done(&s->names);
	}
	if (n)
		ta_html_raw(b, "</section>");
	free(s);
	free(v);
}

void page_part_broken(const struct ta_page *p, struct ta_buf *b)
{
	if (!p->broken.n)
		return;
	ta_html_raw(b, "<section id=broken class=\"card broken\"><h2>");
	ta_html_textf(b, "%zu file%s could not be taken", p->broken.n, p->broken.n == 1 ? "" : "s");
	ta_html_raw(b, "</h2><p>They are missing from everything else on this page.</p><div class=wide tabindex=0 role=group "
		       "aria-label=\"Files that could not be taken\"><table><thead><tr><th scope=col>File<th scope=col>Why"
		       "</tr></thead><tbody>");
	for (size_t i = 0; i < p->broken.n && i < MOST_BROKEN; i++) {
		const struct page_broken *x = p->broken.v[i];

		ta_html_raw(b, "<tr><td>");
		ta_html_el(b, "code", x->file);
		ta_html_el(b, "td class=wordy", x->why);
		ta_html_raw(b, "</tr>");
	}
	ta_html_raw(b, "</tbody></table></div>");
	if (p->broken.n > MOST_BROKEN)
		ta_html_elf(b, "p", "and %zu more", p->broken.n - MOST_BROKEN);
	ta_html_raw(b, "</section>");
}
