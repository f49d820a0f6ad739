/*
 * tuneaudit.trial/1.
 */
#include <math.h>

#include "report/json.h"
#include "report/trial.h"

static void add_real(struct ta_json *j, const char *key, double v)
{
	if (isfinite(v))
		ta_json_real(j, key, v);
	else
		ta_json_null(j, key);
}

static double total(const struct ta_hist *h, double percent)
{
	return (double)ta_hist_percentile(h, percent) / 1e3;
}

static void add_effects(struct ta_json *j, const struct ta_trial_unit *u)
{
	ta_json_open(j, "effects", '{');
	for (unsigned m = 0; u && m < TA_TRIAL_MEASURES; m++) {
		const struct ta_effect *e = &u->effect[m];

		if (!u->has[m])
			continue;
		ta_json_open(j, ta_trial_measure_key(m), '{');
		add_real(j, "percent", e->percent);
		add_real(j, "low", e->low);
		add_real(j, "high", e->high);
		ta_json_bool(j, "seen", u->seen[m]);
		add_real(j, "smallest_detectable_percent", e->smallest);
		ta_json_close(j, '}');
	}
	ta_json_close(j, '}');
}

static void add_side(struct ta_json *j, const char *key, const struct ta_trial_round *r)
{
	ta_json_open(j, key, '{');
	ta_json_u64(j, "replies", r->replies);
	ta_json_u64(j, "errors", r->errors);
	if (r->hist.n) {
		ta_json_open(j, "latency_us", '{');
		ta_json_real(j, "p50", total(&r->hist, 50));
		ta_json_real(j, "p90", total(&r->hist, 90));
		ta_json_real(j, "p99", total(&r->hist, 99));
		ta_json_real(j, "p99.9", total(&r->hist, 99.9));
		ta_json_close(j, '}');
	}
	ta_json_real(j, "softirq_busiest_cpu_share", ta_trial_softirq_top(r));
	ta_json_open(j, "counters", '{');
	for (unsigned c = 0; c < TA_TRIAL_COUNTS; c++)
		ta_json_u64(j, ta_trial_count_key(c), r->counts[c]);
	ta_json_close(j, '}');
	ta_json_close(j, '}');
}

static void add_texts(struct ta_json *j, const char *key, const struct ta_strv *texts)
{
	ta_json_open(j, key, '[');
	for (size_t i = 0; texts && i < texts->n; i++)
		ta_json_str(j, NULL, texts->v[i]);
	ta_json_close(j, ']');
}

static void add_measured(struct ta_json *j, const struct ta_trial_unit *u)
{
	ta_json_u64(j, "pairs", u->n_pairs);
	add_side(j, "without", u->without);
	add_side(j, "with", u->with);
	add_texts(j, "disturbed", &u->disturbed);
	ta_json_u64(j, "repeated_pairs", u->repeated);
	if (u->pairs_for <= TA_TRIAL_PAIRS_MAX)
		ta_json_u64(j, "pairs_for_5_percent", u->pairs_for);
	else
		ta_json_null(j, "pairs_for_5_percent");
}

static void add_change(struct ta_json *j, const struct ta_trial_report *r, const struct ta_trial_row *row)
{
	const struct ta_action *a = row->action;
	const struct ta_trial_unit *u = row->unit;

	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "rule", a->rules.v[0]);
	add_texts(j, "rules", &a->rules);
	ta_json_str(j, "knob", a->step.knob->name);
	ta_json_str(j, "target", a->step.target);
	ta_json_str(j, "before", a->step.before);
	ta_json_str(j, "after", a->step.after);
	add_effects(j, u);
	ta_json_str(j, "verdict", ta_trial_verdict_name(u ? u->verdict : TA_TRIAL_CANNOT_SHOW));
	ta_json_str(j, "workload", row->workload);
	ta_json_str(j, "why_not", row->why_not);
	ta_json_bool(j, "together", u && !r->each);
	add_real(j, "smallest_detectable_percent", u ? u->smallest : INFINITY);
	ta_json_bool(j, "kept", row->kept);
	if (u && r->each)
		add_measured(j, u);
	ta_json_close(j, '}');
}

/* What the program does not do by itself is not tried either. */
static void add_not_tried(struct ta_json *j, const struct ta_plan *p)
{
	ta_json_open(j, "not_tried", '[');
	for (size_t i = 0; i < p->n_manual; i++) {
		ta_json_line(j);
		ta_json_open(j, NULL, '{');
		ta_json_str(j, "rule", p->manual[i].rule);
		ta_json_str(j, "subject", p->manual[i].subject);
		ta_json_str(j, "reason", p->manual[i].reason);
		ta_json_close(j, '}');
	}
	for (size_t i = 0; i < p->n_conflicts; i++) {
		ta_json_line(j);
		ta_json_open(j, NULL, '{');
		ta_json_null(j, "rule");
		ta_json_str(j, "subject", p->conflicts[i].target);
		ta_json_str(j, "reason", "rules contradict each other");
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

static void add_calm(struct ta_json *j, const struct ta_trial_calm *c)
{
	if (!c) {
		ta_json_null(j, "before");
		return;
	}
	ta_json_open(j, "before", '{');
	ta_json_u64(j, "rounds", c->rounds);
	ta_json_real(j, "spread_percent", c->spread * 100);
	ta_json_real(j, "others_cpu_share", c->usual.others);
	ta_json_real(j, "steal_share", c->usual.steal);
	add_texts(j, "warnings", &c->warnings);
	ta_json_close(j, '}');
}

static void add_together(struct ta_json *j, const struct ta_trial_unit *u)
{
	if (!u) {
		ta_json_null(j, "together");
		return;
	}
	ta_json_open(j, "together", '{');
	add_effects(j, u);
	ta_json_str(j, "verdict", ta_trial_verdict_name(u->verdict));
	add_real(j, "smallest_detectable_percent", u->smallest);
	add_measured(j, u);
	ta_json_close(j, '}');
}

static void add_run(struct ta_json *j, const char *key, unsigned run)
{
	if (run)
		ta_json_u64(j, key, run);
	else
		ta_json_null(j, key);
}

static void add_part(struct ta_json *j, const struct ta_trial_part *p, bool each)
{
	const struct ta_trial *t = p->trial;

	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "workload", p->workload);
	ta_json_str(j, "path", p->calm ? p->calm->path : NULL);
	ta_json_u64(j, "connections", p->connections);
	add_calm(j, p->calm);
	add_together(j, t && !each && t->n_units ? &t->units[0] : NULL);
	add_run(j, "run", t ? t->run : 0);
	ta_json_str(j, "ended", t ? t->ended : NULL);
	ta_json_str(j, "remark", t ? t->remark : NULL);
	ta_json_bool(j, "restored", !t || t->restored);
	ta_json_close(j, '}');
}

static bool is_restored(const struct ta_trial_report *r)
{
	for (size_t i = 0; i < r->n_parts; i++)
		if (r->parts[i].trial && !r->parts[i].trial->restored)
			return false;
	return true;
}

void ta_report_trial_json(const struct ta_trial_report *r, struct ta_buf *b)
{
	const struct ta_trial_part *first = r->n_parts ? r->parts : NULL;
	struct ta_json j = {.b = b};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.trial/1");
	ta_json_str(&j, "profile", r->profile);
	ta_json_str(&j, "workload", first ? first->workload : NULL);
	ta_json_str(&j, "path", first && first->calm ? first->calm->path : NULL);
	ta_json_str(&j, "target", r->target);
	ta_json_u64(&j, "rounds", r->pairs);
	ta_json_real(&j, "seconds", r->seconds);
	ta_json_bool(&j, "each", r->each);
	ta_json_str(&j, "host", r->host);
	ta_json_value(&j, "fingerprint", r->fingerprint);
	ta_json_str(&j, "tool", r->tool);
	add_together(&j, first && first->trial && !r->each && first->trial->n_units ? &first->trial->units[0] : NULL);
	ta_json_open(&j, "parts", '[');
	for (size_t i = 0; i < r->n_parts; i++)
		add_part(&j, &r->parts[i], r->each);
	ta_json_close(&j, ']');
	ta_json_open(&j, "changes", '[');
	for (size_t i = 0; i < r->n_rows; i++)
		add_change(&j, r, &r->rows[i]);
	ta_json_close(&j, ']');
	add_not_tried(&j, r->plan);
	ta_json_bool(&j, "restored", is_restored(r));
	add_run(&j, "kept_run", r->kept_run);
	ta_json_str(&j, "not_kept", r->not_kept);
	ta_json_close(&j, '}');
	ta_buf_addc(b, '\n');
}
