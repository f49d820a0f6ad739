/*
 * tuneaudit.check/1. The order of keys is fixed; docs/json.md says what each is. One finding a
 * line, for diff and grep.
 */
#include <json-c/json.h>

#include "report/drift.h"
#include "report/json.h"
#include "report/report.h"

static void add_summary(struct ta_json *j, const struct ta_audit *a)
{
	ta_json_open(j, "summary", '{');
	for (size_t v = 0; v < TA_V_COUNT; v++)
		ta_json_u64(j, ta_verdict_name((enum ta_verdict)v), a->summary[v]);
	ta_json_close(j, '}');
}

static void add_fix(struct ta_json *j, const struct ta_finding *f)
{
	if (!f->fix_command) {
		ta_json_null(j, "fix");
		return;
	}
	ta_json_open(j, "fix", '{');
	ta_json_str(j, "command", f->fix_command);
	ta_json_str(j, "disruption", f->fix_disruption);
	if (f->fix_persist_file) {
		ta_json_open(j, "persist", '{');
		ta_json_str(j, "file", f->fix_persist_file);
		ta_json_str(j, "text", f->fix_persist_text);
		ta_json_close(j, '}');
	} else {
		ta_json_null(j, "persist");
	}
	ta_json_close(j, '}');
}

/* What there is to say beside the comparison: of a failure, that no counter shows it. */
static const char *detail_of(const struct ta_finding *f)
{
	const struct ta_outcome *o = &f->out;

	if (f->waiver_note)
		return f->waiver_note;
	if (ta_audit_is_failing(o->verdict) && o->evidence_known && !o->evidence_hurts)
		return TA_REPORT_NOT_SEEN;
	return o->detail;
}

/* Why the verdict is none of pass and fail: a word and a sentence. */
static void add_reason(struct ta_json *j, const struct ta_finding *f)
{
	bool waived = f->out.verdict == TA_V_WAIVED;
	const char *detail = detail_of(f);

	ta_json_str(j, "reason", waived ? "waived" : f->out.reason);
	ta_json_str(j, "detail", waived ? f->waived_because : detail);
	ta_json_str(j, "until", f->until);
}

static void add_columns(struct ta_json *j, const struct ta_columns *c)
{
	ta_json_open(j, "columns", '[');
	for (size_t i = 0; i < c->n; i++) {
		const struct ta_column *x = &c->v[i];

		ta_json_open(j, NULL, '{');
		ta_json_str(j, "target", x->target);
		ta_json_str(j, "running", x->running);
		if (x->place) {
			ta_json_open(j, "persisted", '{');
			ta_json_str(j, "place", x->place);
			ta_json_str(j, "value", x->value);
			ta_json_close(j, '}');
		} else {
			ta_json_null(j, "persisted");
		}
		ta_json_str(j, "next_boot", x->next_boot);
		if (x->differs < 0)
			ta_json_null(j, "differs");
		else
			ta_json_bool(j, "differs", x->differs);
		ta_json_str(j, "detail", x->detail ? x->detail : "");
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

static void add_finding(struct ta_json *j, const struct ta_finding *f)
{
	const struct ta_outcome *o = &f->out;

	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "rule", f->rule->id);
	ta_json_str(j, "area", f->rule->area);
	ta_json_str(j, "severity", ta_severity_name(f->severity));
	ta_json_u64(j, "weight", f->weight);
	ta_json_str(j, "subject", o->subject);
	ta_json_str(j, "verdict", ta_verdict_name(o->verdict));
	add_reason(j, f);
	ta_json_str(j, "actual", o->actual);
	ta_json_str(j, "wanted", o->wanted);
	ta_json_str(j, "because", o->because);
	ta_json_str(j, "why", f->rule->why);
	ta_json_open(j, "refs", '[');
	for (size_t i = 0; i < f->rule->n_refs; i++)
		ta_json_str(j, NULL, f->rule->refs[i]);
	ta_json_close(j, ']');
	ta_json_open(j, "evidence", '[');
	for (size_t i = 0; i < o->n_evidence; i++)
		ta_json_str(j, NULL, o->evidence[i]);
	ta_json_close(j, ']');
	add_fix(j, f);
	ta_json_str(j, "title", f->rule->title);
	ta_json_str(j, "advice", f->rule->advice);
	if (o->evidence_known)
		ta_json_bool(j, "hurts", o->evidence_hurts);
	else
		ta_json_null(j, "hurts");
	add_columns(j, &f->columns);
	ta_json_close(j, '}');
}

static void add_areas(struct ta_json *j, const struct ta_audit *a)
{
	ta_json_open(j, "areas", '[');
	for (size_t i = 0; i < a->n_areas; i++) {
		const struct ta_share *s = &a->areas[i];

		ta_json_open(j, NULL, '{');
		ta_json_str(j, "area", s->name);
		ta_json_real(j, "weight", s->weight);
		ta_json_real(j, "lost", s->lost);
		ta_json_real(j, "unknown", s->unknown);
		ta_json_real(j, "points", s->points);
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

/* Those that cost something, the costliest first. */
static void add_rules(struct ta_json *j, const struct ta_audit *a)
{
	ta_json_open(j, "rules", '[');
	for (size_t i = 0; i < a->n_rules; i++) {
		const struct ta_share *s = &a->rules[i];

		if (s->lost <= 0)
			continue;
		ta_json_open(j, NULL, '{');
		ta_json_str(j, "rule", s->name);
		ta_json_real(j, "weight", s->weight);
		ta_json_real(j, "lost", s->lost);
		ta_json_real(j, "points", s->points);
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

static void add_host(struct ta_json *j, const struct ta_facts *facts)
{
	int64_t time;

	ta_json_open(j, "host", '{');
	ta_json_str(j, "name", ta_facts_get_str(facts, TA_KEYS("host", "name")));
	ta_json_str(j, "os", ta_facts_get_str(facts, TA_KEYS("host", "os")));
	ta_json_str(j, "kernel", ta_facts_get_str(facts, TA_KEYS("kernel", "release")));
	ta_json_str(j, "arch", ta_facts_get_str(facts, TA_KEYS("kernel", "arch")));
	if (ta_facts_get_i64(facts, TA_KEYS("host", "time"), &time) && time >= 0)
		ta_json_u64(j, "time", (uint64_t)time);
	else
		ta_json_null(j, "time");
	ta_json_close(j, '}');
}

static void check(const struct ta_audit *a, const struct ta_facts *facts,
	const struct ta_report_options *o, struct ta_buf *ret)
{
	struct ta_json j = {.b = ret};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.check/1");
	ta_json_str(&j, "profile", ta_profile_name(a->profile));
	if (a->has_score)
		ta_json_u64(&j, "score", a->score);
	else
		ta_json_null(&j, "score");
	ta_json_u64(&j, "coverage", a->coverage);
	add_summary(&j, a);
	ta_json_open(&j, "findings", '[');
	for (size_t i = 0; i < a->n_findings; i++)
		add_finding(&j, &a->findings[i]);
	ta_json_line(&j);
	ta_json_close(&j, ']');
	add_areas(&j, a);
	add_rules(&j, a);
	add_host(&j, facts);
	ta_json_str(&j, "tool", o->tool_version);
	if (o->drift) {
		ta_json_open(&j, "baseline", '{');
		ta_json_drift(&j, o->drift);
		ta_json_close(&j, '}');
	} else {
		ta_json_null(&j, "baseline");
	}
	ta_json_close(&j, '}');
	ta_buf_addc(ret, '\n');
}

const struct ta_format ta_format_json = {
	.name = "json",
	.summary = "for programs: tuneaudit.check/1",
	.explains_passes = true,
	.check = check,
};
