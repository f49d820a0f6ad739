/*
 * Runs the selected rules, lays the waivers over what fails, and hands the result to the score.
 */
#include "audit/audit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "audit/score.h"

bool ta_audit_matches(const char *pattern, const char *id)
{
	size_t len = strlen(pattern);

	if (len >= 2 && strcmp(pattern + len - 2, ".*") == 0)
		return strncmp(pattern, id, len - 1) == 0;
	return strcmp(pattern, id) == 0;
}

static bool matches_any(const struct ta_strv *patterns, const char *id)
{
	for (size_t i = 0; i < patterns->n; i++)
		if (ta_audit_matches(patterns->v[i], id))
			return true;
	return false;
}

bool ta_audit_selects(const struct ta_audit_options *o, const struct ta_rule *r)
{
	if (!ta_profile_has(o->profile, r))
		return false;
	if (o->only && o->only->n && !matches_any(o->only, r->id))
		return false;
	return !(o->skip && matches_any(o->skip, r->id));
}

/* An end that has passed, or cannot be compared with the time, is none. */
static void lay_waiver(
	const struct ta_rules *rs, const struct ta_facts *facts, struct ta_finding *f)
{
	const struct ta_waiver *w;
	int64_t now;

	if (!ta_audit_is_failing(f->out.verdict))
		return;
	w = ta_rules_waiver(rs, f->rule->id, f->out.subject);
	if (!w)
		return;
	if (w->until && !ta_facts_get_i64(facts, TA_KEYS("host", "time"), &now)) {
		f->waiver_note = "a waiver is written for it, but its end cannot be compared: the "
				 "host's time is not known";
		return;
	}
	if (w->until && now > w->until_time) {
		f->waiver_note = "the waiver for it has ended";
		return;
	}
	f->out.verdict = TA_V_WAIVED;
	f->waived_because = w->reason;
	f->until = w->until;
}

static int add_findings(
	struct ta_audit *a, const struct ta_rule *r, const struct ta_outcomes *outcomes)
{
	struct ta_finding *more =
		reallocarray(a->findings, a->n_findings + outcomes->n + 1, sizeof(*more));

	if (!more)
		return -ENOMEM;
	a->findings = more;
	for (size_t i = 0; i < outcomes->n; i++)
		a->findings[a->n_findings++] = (struct ta_finding){
			.rule = r,
			.severity = ta_profile_severity(a->profile, r),
			.weight = ta_profile_weight(a->profile, r),
			.out = outcomes->v[i],
		};
	return 0;
}

static int run_rules(const struct ta_rules *rs, const struct ta_audit_options *o,
	const struct ta_facts *facts, struct ta_audit *a)
{
	for (const struct ta_rule *r = ta_rules_first(rs); r; r = r->next) {
		struct ta_outcomes *outcomes;
		int rc;

		if (!ta_audit_selects(o, r))
			continue;
		outcomes = reallocarray(a->outcomes, a->n_selected + 1, sizeof(*outcomes));
		if (!outcomes)
			return -ENOMEM;
		a->outcomes = outcomes;
		outcomes += a->n_selected;
		*outcomes = (struct ta_outcomes){0};
		rc = (o->brief ? ta_rule_eval_brief : ta_rule_eval)(rs, r, o->profile, facts, outcomes);
		if (rc < 0)
			return rc;
		a->n_selected++;
		rc = add_findings(a, r, outcomes);
		if (rc < 0)
			return rc;
	}
	return 0;
}

int ta_audit_run(const struct ta_rules *rs, const struct ta_audit_options *o,
	const struct ta_facts *facts, struct ta_audit *ret)
{
	struct ta_audit a = {.profile = o->profile};
	int rc = run_rules(rs, o, facts, &a);

	for (size_t i = 0; i < a.n_findings; i++)
		lay_waiver(rs, facts, &a.findings[i]);
	if (rc == 0)
		rc = ta_score_fill(&a);
	if (rc == 0)
		rc = ta_score_sort(&a);
	if (rc < 0) {
		ta_audit_done(&a);
		return rc;
	}
	*ret = a;
	return 0;
}

void ta_columns_done(struct ta_columns *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->v[i].target);
		free(c->v[i].running);
		free(c->v[i].place);
		free(c->v[i].value);
		free(c->v[i].next_boot);
		free(c->v[i].detail);
	}
	free(c->v);
	*c = (struct ta_columns){0};
}

void ta_audit_done(struct ta_audit *a)
{
	for (size_t i = 0; i < a->n_findings; i++) {
		free(a->findings[i].fix_command);
		free(a->findings[i].fix_persist_file);
		free(a->findings[i].fix_persist_text);
		free(a->findings[i].fix_error);
		ta_columns_done(&a->findings[i].columns);
	}
	for (size_t i = 0; i < a->n_selected; i++)
		ta_outcomes_done(&a->outcomes[i]);
	free(a->findings);
	free(a->outcomes);
	free(a->areas);
	free(a->rules);
	*a = (struct ta_audit){0};
}

int ta_audit_exit(const struct ta_audit *a, unsigned min_coverage, const enum ta_severity *fail_on)
{
	if (a->summary[TA_V_BROKEN])
		return 2;
	if (a->coverage < min_coverage)
		return 3;
	for (size_t i = 0; fail_on && i < a->n_findings; i++)
		if (ta_audit_is_failing(a->findings[i].out.verdict) &&
			a->findings[i].severity >= *fail_on)
			return 1;
	return 0;
}
