/*
 * For people: the host, the score, what fails and what to type, what could not be judged, what to
 * do next. With -q one line per finding.
 */
#include <string.h>

#include "report/drift.h"
#include "report/parts.h"
#include "report/text.h"

/* Percent: below it a score says more about what was read than about the host. */
#define TOO_LITTLE 50

static void add_wrapped(struct ta_buf *b, const char *text, const struct ta_report_options *o)
{
	ta_text_wrap(b, text, o->columns, 0, 2);
	ta_buf_addc(b, '\n');
}

static void add_costs(const struct ta_audit *a, struct ta_buf *text)
{
	const char *sep = "; lost: ";

	for (size_t i = 0; i < a->n_areas && a->areas[i].lost > 0; i++) {
		ta_buf_printf(text, "%s%s ", sep, a->areas[i].name);
		if (a->areas[i].points >= 0.5)
			ta_buf_printf(text, "%.0f", a->areas[i].points);
		else
			ta_buf_adds(text, "<1");
		sep = ", ";
	}
}

static void score_line(
	const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (a->has_score)
		ta_buf_printf(&text, "Score %u of 100", a->score);
	else
		ta_buf_adds(&text, "No score");
	ta_buf_printf(
		&text, " (profile %s), coverage %u %%", ta_profile_name(a->profile), a->coverage);
	add_costs(a, &text);
	if (a->coverage < TOO_LITTLE)
		ta_buf_adds(&text, "; too little was read to say much");
	add_wrapped(b, ta_buf_text(&text), o);
}

static void counts_line(
	const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *sep = ": ";

	ta_buf_printf(&text, "%zu rule%s", a->n_selected, a->n_selected == 1 ? "" : "s");
	if (a->n_findings > a->n_selected)
		ta_buf_printf(&text, ", %zu subjects", a->n_findings);
	for (size_t i = 0; i < ta_n_count_words; i++) {
		if (!a->summary[ta_count_words[i].verdict])
			continue;
		ta_buf_printf(&text, "%s%zu %s", sep, a->summary[ta_count_words[i].verdict], ta_count_words[i].text);
		sep = ", ";
	}
	add_wrapped(b, ta_buf_text(&text), o);
}

static double points_of(const struct ta_audit *a, const struct ta_rule *r)
{
	for (size_t i = 0; i < a->n_rules; i++)
		if (strcmp(a->rules[i].name, r->id) == 0)
			return a->rules[i].points;
	return 0;
}

static void all_findings(
	const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	for (size_t i = 0; i < a->n_findings;) {
		size_t n = ta_part_run(a, i);

		if (!ta_audit_is_failing(a->findings[i].out.verdict))
			break;
		ta_buf_addc(b, '\n');
		ta_part_finding(&a->findings[i], n, points_of(a, a->findings[i].rule), o, b);
		i += n;
	}
}

static size_t count_failing(const struct ta_audit *a)
{
	return a->summary[TA_V_FAIL] + a->summary[TA_V_CONFLICT] + a->summary[TA_V_PENDING_REBOOT];
}

static void add_next(
	struct ta_buf *b, const struct ta_report_options *o, const char *command, const char *what)
{
	ta_buf_printf(b, "  %s\n", command);
	ta_text_pad(b, 6);
	ta_text_wrap(b, what, o->columns, 6, 6);
	ta_buf_addc(b, '\n');
}

static bool any_denied(const struct ta_audit *a)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (a->findings[i].out.verdict == TA_V_UNKNOWN &&
			strcmp(a->findings[i].out.reason, "denied") == 0)
			return true;
	return false;
}

static void profile_step(const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT, what = TA_BUF_INIT;

	ta_buf_printf(&line, "%s check --profile NAME%s", o->program, o->how);
	ta_buf_adds(&what, "judges by what this host is for. Profiles:");
	for (size_t i = 0; i < o->profiles->n; i++)
		ta_buf_printf(&what, "%s %s", i ? "," : "", o->profiles->v[i]);
	add_next(b, o, ta_buf_text(&line), ta_buf_text(&what));
}

static void next_steps(
	const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	bool any = false;

	ta_buf_adds(b, "\nNext:\n");
	if (count_failing(a)) {
		ta_buf_printf(
			&line, "%s explain %s%s", o->program, a->findings[0].rule->id, o->how);
		add_next(b, o, ta_buf_text(&line),
			"shows the facts behind a finding, the target worked out, and the sources");
		any = true;
	}
	if (o->no_root && any_denied(a)) {
		add_next(b, o, o->no_root, "judges what needs more rights, too");
		any = true;
	}
	if (o->profiles && o->profiles->n > 1) {
		profile_step(o, b);
		any = true;
	}
	if (!any) {
		ta_buf_printf(&line, "%s rules list", o->program);
		add_next(b, o, ta_buf_text(&line), "shows what was judged");
	}
}

static void quiet_lines(
	const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ta_finding *f = &a->findings[i];

		if (!ta_audit_is_failing(f->out.verdict) && f->out.verdict != TA_V_BROKEN)
			continue;
		ta_buf_printf(b, "%s %s ", ta_severity_name(f->severity), f->rule->id);
		ta_text_safe(b, f->out.subject);
		ta_buf_adds(b, ": ");
		ta_text_safe(b, f->out.because);
		ta_buf_addc(b, '\n');
	}
	(void)o;
}

static void check(const struct ta_audit *a, const struct ta_facts *facts,
	const struct ta_report_options *o, struct ta_buf *ret)
{
	if (o->verbosity < 0) {
		score_line(a, o, ret);
		quiet_lines(a, o, ret);
		if (o->drift)
			ta_report_drift(o->drift, o, ret);
		return;
	}
	ta_part_host(facts, o, ret);
	ta_buf_addc(ret, '\n');
	score_line(a, o, ret);
	counts_line(a, o, ret);
	if (o->verbosity > 0)
		ta_part_way(facts, o, ret);
	all_findings(a, o, ret);
	ta_part_unknown(a, o, ret);
	ta_part_waived(a, o, ret);
	ta_part_rest(a, o, ret);
	if (o->drift) {
		ta_buf_addc(ret, '\n');
		ta_report_drift(o->drift, o, ret);
	}
	next_steps(a, o, ret);
}

const struct ta_format ta_format_text = {
	.name = "text",
	.summary = "for people",
	.check = check,
};
