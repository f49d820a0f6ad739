/*
 * Whether it matters: the rules that read what moved, and what they said of it then and now.
 */
#include <stdlib.h>
#include <string.h>

#include "baseline/driftparts.h"

struct reader {
	const struct ta_rule *rule;
	struct ta_strv paths; /* that its verdict depends on, second names of sysctls by their first */
};

struct ta_readers {
	const struct ta_drift_options *o;
	size_t n;
	struct reader v[];
};

enum ta_severity ta_drift_severity(const struct ta_drift_options *o, const struct ta_rule *r)
{
	return ta_profile_severity(o->profile, r);
}

static bool selects(const struct ta_drift_options *o, const struct ta_rule *r)
{
	return !r->asleep && ta_profile_has(o->profile, r);
}

static void read_paths(const struct ta_drift_options *o, struct reader *r)
{
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;

	ta_rule_judged_paths(r->rule, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		ta_cleanup_buf struct ta_buf first = TA_BUF_INIT;
		const struct ta_schema_node *node = ta_schema_find_text(o->schema, paths.v[i]);
		const struct ta_field *field = node ? ta_schema_field(node) : NULL;

		ta_strv_add(&r->paths, paths.v[i]);
		if (field && ta_baseline_alias(o->schema, field, &first))
			ta_strv_add(&r->paths, ta_buf_text(&first));
	}
}

struct ta_readers *ta_readers_new(const struct ta_drift_options *o)
{
	struct ta_readers *ret;
	size_t n = 0;

	for (const struct ta_rule *r = ta_rules_first(o->rules); r; r = r->next)
		n += selects(o, r);
	ret = calloc(1, sizeof(*ret) + n * sizeof(ret->v[0]));
	if (!ret)
		return NULL;
	ret->o = o;
	for (const struct ta_rule *r = ta_rules_first(o->rules); r; r = r->next) {
		if (!selects(o, r))
			continue;
		ret->v[ret->n].rule = r;
		read_paths(o, &ret->v[ret->n++]);
	}
	return ret;
}

struct ta_readers *ta_readers_free(struct ta_readers *r)
{
	for (size_t i = 0; r && i < r->n; i++)
		ta_strv_done(&r->v[i].paths);
	free(r);
	return NULL;
}

/* --- verdicts ------------------------------------------------------------------------ */

static int by_rule(const char *rule, const struct ta_baseline_verdict *v)
{
	return ta_natural_cmp(v->rule, rule);
}

/* The first verdict of the rule; b->n_verdicts if there is none. */
static size_t first_of(const struct ta_baseline *b, const char *rule)
{
	size_t low = 0, high = b->n_verdicts;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (by_rule(rule, &b->verdicts[mid]) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

int ta_drift_verdict_of(const struct ta_baseline *b, const char *rule, const char *subject)
{
	for (size_t i = first_of(b, rule); i < b->n_verdicts && strcmp(b->verdicts[i].rule, rule) == 0; i++)
		if (strcmp(b->verdicts[i].subject, subject) == 0)
			return (int)b->verdicts[i].verdict;
	return -1;
}

/* Subjects begin with the name of the member that they are about: "eth0 (0000:03:00.0)". */
static bool is_about(const char *subject, const char *member)
{
	size_t n = strlen(member);

	return strncmp(subject, member, n) == 0 && (!subject[n] || strchr(" :,", subject[n]));
}

/* How much a verdict weighs where a rule has several of them. */
static int weight_of(enum ta_verdict v)
{
	if (ta_audit_is_failing(v))
		return 3;
	return v == TA_V_BROKEN ? 2 : v == TA_V_UNKNOWN ? 1 : v == TA_V_NA ? -1 : 0;
}

/* The worst verdict of the rule on the member, else (the rule is about the host, or about other things) on anything. */
static int verdict_on(const struct ta_baseline *b, const struct ta_rule *r, const char *member)
{
	int ret = -1, any = -1;

	for (size_t i = first_of(b, r->id); i < b->n_verdicts && strcmp(b->verdicts[i].rule, r->id) == 0; i++) {
		const struct ta_baseline_verdict *v = &b->verdicts[i];

		if (any < 0 || weight_of(v->verdict) > weight_of((enum ta_verdict)any))
			any = (int)v->verdict;
		if (*member && is_about(v->subject, member) &&
			(ret < 0 || weight_of(v->verdict) > weight_of((enum ta_verdict)ret)))
			ret = (int)v->verdict;
	}
	return ret >= 0 ? ret : any;
}

/* --- what matters most ----------------------------------------------------------------- */

static bool reads(const struct reader *r, const char *path)
{
	for (size_t i = 0; i < r->paths.n; i++)
		if (ta_path_covers(r->paths.v[i], path))
			return true;
	return false;
}

static int rank(const struct ta_drift_entry *e)
{
	bool fails = e->verdict_is >= 0 && ta_audit_is_failing((enum ta_verdict)e->verdict_is);
	bool failed = e->verdict_was >= 0 && ta_audit_is_failing((enum ta_verdict)e->verdict_was);

	return (fails && !failed ? 300 : failed && !fails ? 200 : fails ? 100 : 0) + (int)e->severity;
}

void ta_readers_judge(const struct ta_readers *r, const struct ta_moved *m, struct ta_drift_entry *e)
{
	for (size_t i = 0; m->field && i < r->n; i++) {
		struct ta_drift_entry one = {.rule = r->v[i].rule, .severity = ta_drift_severity(r->o, r->v[i].rule)};

		if (!reads(&r->v[i], m->path))
			continue;
		one.verdict_was = verdict_on(m->was, one.rule, m->member);
		one.verdict_is = verdict_on(m->is, one.rule, m->member);
		if (e->rule && rank(&one) <= rank(e))
			continue;
		e->rule = one.rule;
		e->severity = one.severity;
		e->verdict_was = one.verdict_was;
		e->verdict_is = one.verdict_is;
	}
}
