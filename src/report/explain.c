#include "report/explain.h"

#include <string.h>

#include "report/parts.h"
#include "report/text.h"

static void section(struct ta_buf *b, const struct ta_report_options *o, const char *title)
{
	ta_buf_addc(b, '\n');
	ta_part_paint(b, o, TA_PAINT_HEAD, title);
	ta_buf_addc(b, '\n');
}

static void paragraph(struct ta_buf *b, const struct ta_report_options *o, const char *text)
{
	ta_text_pad(b, 2);
	ta_text_wrap(b, text, o->columns, 2, 2);
	ta_buf_addc(b, '\n');
}

static void optional(
	struct ta_buf *b, const struct ta_report_options *o, const char *title, const char *text)
{
	if (!text || !*text)
		return;
	section(b, o, title);
	paragraph(b, o, text);
}

/* Lines of LABEL, tab, text. Returns where they end. */
static const char *expressions(
	struct ta_buf *b, const struct ta_report_options *o, const char *lines)
{
	while (*lines && *lines != '\n') {
		ta_cleanup_buf struct ta_buf label = TA_BUF_INIT, text = TA_BUF_INIT;
		size_t tab = strcspn(lines, "\t\n"), n = strcspn(lines, "\n");

		ta_buf_add(&label, lines, tab);
		if (tab < n)
			ta_buf_add(&text, lines + tab + 1, n - tab - 1);
		ta_text_term(b, ta_buf_text(&label), ta_buf_text(&text), o->columns, 13);
		lines += n + (lines[n] == '\n');
	}
	return lines + (*lines == '\n');
}

/* Lines with their own indentation: kept, and what wraps goes two deeper. */
static void indented_lines(struct ta_buf *b, const struct ta_report_options *o, const char *lines)
{
	while (*lines) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
		size_t n = strcspn(lines, "\n"), blanks = strspn(lines, " ");
		unsigned at = (unsigned)TA_MIN(blanks, (size_t)o->columns / 4) + 2;

		ta_buf_add(&line, lines, n);
		ta_text_pad(b, at);
		ta_text_wrap(b, ta_buf_text(&line), o->columns, at, at + 2);
		ta_buf_addc(b, '\n');
		lines += n + (lines[n] == '\n');
	}
}

static void heading(
	const struct ta_explanation *e, const struct ta_report_options *o, struct ta_buf *b)
{
	const struct ta_rule *r = e->rule;
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_part_paint(b, o, TA_PAINT_HEAD, r->id);
	ta_buf_addc(b, '\n');
	paragraph(b, o, r->title);
	ta_buf_printf(&line, "severity %s, weight %u of 10, risk of the change: %s",
		ta_severity_name(ta_profile_severity(e->audit->profile, r)),
		ta_profile_weight(e->audit->profile, r), ta_risk_name(r->risk));
	paragraph(b, o, ta_buf_text(&line));
	ta_buf_reset(&line);
	ta_buf_adds(&line, "in profiles: ");
	for (size_t i = 0; i < e->members->n; i++)
		ta_buf_printf(&line, "%s%s", i ? ", " : "", e->members->v[i]);
	ta_buf_printf(&line, "; judged here by %s", ta_profile_name(e->audit->profile));
	paragraph(b, o, ta_buf_text(&line));
}

static void sources(const struct ta_rule *r, const struct ta_report_options *o, struct ta_buf *b)
{
	if (!r->n_refs)
		return;
	section(b, o, "Sources");
	for (size_t i = 0; i < r->n_refs; i++)
		paragraph(b, o, r->refs[i]);
}

static void defined_in(const struct ta_rule *r, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_printf(&text, "%s, line %u", r->file, r->line);
	optional(b, o, "Written in", ta_buf_text(&text));
}

static const char *setting_text(const struct ta_facts *f, const char *key, const char *name)
{
	return ta_facts_get_str(f, TA_KEYS("settings", key, name));
}

/* "net.core.somaxconn: /etc/sysctl.d/90-x.conf:3 sets 4096"; nothing for one of which nothing is known. */
static void add_setter(struct ta_buf *b, const struct ta_facts *f, const char *key)
{
	const char *file = setting_text(f, key, "file"), *value = setting_text(f, key, "value");
	const char *boot = setting_text(f, key, "next_boot"), *by = setting_text(f, key, "ignored_by");
	int64_t line;
	bool hand;

	if (file && value) {
		ta_buf_printf(b, "%s: %s", key, file);
		if (ta_facts_get_i64(f, TA_KEYS("settings", key, "line"), &line))
			ta_buf_printf(b, ":%lld", (long long)line);
		ta_buf_printf(b, " sets %s at boot\n", boot ? boot : value);
	} else if (by && *by) {
		ta_buf_printf(b, "%s: nothing at boot; ignored by %s\n", key, by);
	} else if (ta_facts_get_bool(f, TA_KEYS("settings", key, "by_hand"), &hand) && hand) {
		ta_buf_printf(b, "%s: nothing at boot, and no kernel starts with what runs\n", key);
	}
}

static void setters(const struct ta_explanation *e, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	for (size_t i = 0; i < e->sysctls->n; i++)
		add_setter(&text, e->host, e->sysctls->v[i]);
	if (!text.len)
		return;
	section(b, o, "Who sets it");
	indented_lines(b, o, ta_buf_text(&text));
}

/* The commands for what fails; the facts above said why it does. */
static void commands(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	if (!a->n_findings || !ta_audit_is_failing(a->findings[0].out.verdict))
		return;
	section(b, o, "What to do");
	ta_part_remedy(&a->findings[0], ta_part_run(a, 0), o, b);
}

void ta_report_explain(
	const struct ta_explanation *e, const struct ta_report_options *o, struct ta_buf *ret)
{
	const char *host;

	heading(e, o, ret);
	optional(ret, o, "Why it matters", e->rule->why);
	section(ret, o, "The rule");
	host = expressions(ret, o, e->facts);
	section(ret, o, "On this host");
	indented_lines(ret, o, host);
	setters(e, o, ret);
	commands(e->audit, o, ret);
	ta_part_waived(e->audit, o, ret);
	optional(ret, o, "The kernel's default", e->rule->defaults);
	sources(e->rule, o, ret);
	defined_in(e->rule, o, ret);
}
