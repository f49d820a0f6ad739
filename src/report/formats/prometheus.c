/*
 * For the textfile collector of node_exporter (Prometheus text format 0.0.4). Labels are stable: a rule, its area,
 * severity and subject; what passes is counted and not listed.
 */
#include <string.h>

#include "report/drift.h"
#include "report/escape.h"

static void family(struct ta_buf *b, const char *name, const char *help)
{
	ta_buf_printf(b, "# HELP %s %s\n# TYPE %s gauge\n", name, help, name);
}

static void add_label(struct ta_buf *b, const char *name, const char *value, char end)
{
	ta_buf_printf(b, "%s=\"", name);
	ta_escape_label(b, value);
	ta_buf_printf(b, "\"%c", end);
}

static void add_sums(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b)
{
	family(b, "tuneaudit_info", "The program and the profile that judged this host.");
	ta_buf_adds(b, "tuneaudit_info{");
	add_label(b, "version", o->tool_version, ',');
	add_label(b, "profile", ta_profile_name(a->profile), '}');
	ta_buf_adds(b, " 1\n");
	if (a->has_score) {
		family(b, "tuneaudit_score", "Weighted share of what applies and passes, 0 to 100.");
		ta_buf_printf(b, "tuneaudit_score %u\n", a->score);
	}
	family(b, "tuneaudit_coverage_ratio", "Weighted share of what applies and could be judged, 0 to 1.");
	ta_buf_printf(b, "tuneaudit_coverage_ratio %u.%02u\n", a->coverage / 100, a->coverage % 100);
	family(b, "tuneaudit_findings", "Judged subjects by verdict.");
	for (size_t v = 0; v < TA_V_COUNT; v++)
		ta_buf_printf(b, "tuneaudit_findings{verdict=\"%s\"} %zu\n", ta_verdict_name((enum ta_verdict)v), a->summary[v]);
}

/* The same rule may judge one subject twice (two listeners of one server): a series stands once. */
static bool is_repeated(const struct ta_audit *a, size_t i)
{
	const struct ta_finding *f = &a->findings[i];

	for (size_t k = i; k-- > 0 && a->findings[k].rule == f->rule;)
		if (ta_audit_is_failing(a->findings[k].out.verdict) && !strcmp(a->findings[k].out.subject, f->out.subject))
			return true;
	return false;
}

static void add_failing(const struct ta_audit *a, struct ta_buf *b)
{
	family(b, "tuneaudit_failing", "1 for each subject that a rule finds fault with.");
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ta_finding *f = &a->findings[i];

		if (!ta_audit_is_failing(f->out.verdict) || is_repeated(a, i))
			continue;
		ta_buf_adds(b, "tuneaudit_failing{");
		add_label(b, "rule", f->rule->id, ',');
		add_label(b, "area", f->rule->area, ',');
		add_label(b, "severity", ta_severity_name(f->severity), ',');
		add_label(b, "subject", f->out.subject, '}');
		ta_buf_adds(b, " 1\n");
	}
}

static void add_points(const struct ta_audit *a, struct ta_buf *b)
{
	family(b, "tuneaudit_lost_points", "What each rule costs of the score.");
	for (size_t i = 0; i < a->n_rules; i++) {
		if (a->rules[i].points <= 0)
			continue;
		ta_buf_adds(b, "tuneaudit_lost_points{");
		add_label(b, "rule", a->rules[i].name, '}');
		ta_buf_printf(b, " %.3f\n", a->rules[i].points);
	}
}

/* The paths alone: values would begin a new series with every change. */
static void add_drift(const struct ta_drift *d, struct ta_buf *b)
{
	family(b, "tuneaudit_drift", "Facts that moved since the baseline, by kind.");
	for (int k = 0; k < TA_DRIFT_KINDS; k++)
		ta_buf_printf(b, "tuneaudit_drift{kind=\"%s\"} %zu\n", ta_drift_kind_name((enum ta_drift_kind)k), d->kinds[k]);
	family(b, "tuneaudit_drifted", "1 for each fact that moved since the baseline.");
	for (size_t i = 0; i < d->n; i++) {
		ta_buf_adds(b, "tuneaudit_drifted{");
		add_label(b, "path", d->entries[i].path, ',');
		add_label(b, "kind", ta_drift_kind_name(d->entries[i].kind), ',');
		add_label(b, "rule", d->entries[i].rule ? d->entries[i].rule->id : "", '}');
		ta_buf_adds(b, " 1\n");
	}
}

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	int64_t time;

	add_sums(a, o, ret);
	add_failing(a, ret);
	add_points(a, ret);
	if (o->drift)
		add_drift(o->drift, ret);
	if (ta_facts_get_i64(facts, TA_KEYS("host", "time"), &time) && time >= 0) {
		family(ret, "tuneaudit_check_time_seconds", "When this host was read, seconds since the epoch.");
		ta_buf_printf(ret, "tuneaudit_check_time_seconds %lld\n", (long long)time);
	}
}

const struct ta_format ta_format_prometheus = {
	.name = "prometheus",
	.summary = "metrics for node_exporter's textfile collector",
	.check = check,
};
