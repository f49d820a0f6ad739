#include "cli/trying.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/caller.h"
#include "cli/progress.h"
#include "rule/rule.h"
#include "trial/loadround.h"

#define WATCHED_S 60 /* more than the longest that the journal stands still while rounds are measured */

void ta_trying_done(struct ta_trying *t)
{
	for (size_t i = 0; i < t->n_parts; i++) {
		struct ta_trying_part *p = &t->parts[i];

		ta_trial_done(&p->trial);
		ta_trial_calm_done(&p->calm);
		ta_strv_done(&p->names);
		free(p->items);
		free(p->row_of);
	}
	ta_state_close(t->state);
	free(t->rows);
	ta_strv_done(&t->reasons);
}

static int no_memory(void)
{
	return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
}

/* --- what can be tried ------------------------------------------------------------------------ */

static int find_reason(const struct ta_strv *reasons, const char *why)
{
	for (size_t i = 0; i < reasons->n; i++)
		if (!strcmp(reasons->v[i], why))
			return (int)i;
	return -1;
}

static int refuse(struct ta_trying *t, size_t row, const char *why)
{
	int at = find_reason(&t->reasons, why);

	if (at < 0) {
		ta_strv_add(&t->reasons, why);
		at = (int)t->reasons.n - 1;
	}
	if (t->reasons.error)
		return t->reasons.error;
	t->rows[row].why_not = t->reasons.v[at];
	return 0;
}

int ta_trying_sort_out(struct ta_trying *t, enum ta_allow allow, bool allow_workload)
{
	int rc = 0;

	t->rows = calloc(t->plan->n_actions + 1, sizeof(*t->rows));
	if (!t->rows)
		return no_memory();
	for (size_t i = 0; i < t->plan->n_actions && rc == 0; i++) {
		const struct ta_action *a = &t->plan->actions[i];
		const char *refusal = ta_action_refusal(a, allow, allow_workload);

		t->rows[i].action = a;
		if (ta_knob_order(a->step.knob, a->step.target) == TA_ORDER_FILE)
			rc = refuse(t, i, "it is a file, which works from the next start of what reads it");
		else if (refusal)
			rc = refuse(t, i, refusal);
	}
	return rc < 0 ? no_memory() : TA_EXIT_OK;
}

static unsigned path_set(const struct ta_trying *t, const struct ta_trying_part *p)
{
	if (!p->is_calm)
		return t->on_loopback ? TA_SHOWN_BIT(TA_SHOWN_LOOPBACK) : ~0u;
	for (int i = 0; i < TA_SHOWN_PATHS; i++)
		if (!strcmp(ta_shown_path_name(i), p->calm.path))
			return TA_SHOWN_BIT(i);
	return 0;
}

/* One of the rules that wish it is enough. */
static bool is_shown(const struct ta_trying *t, size_t row, unsigned paths, const char *workload, struct ta_buf *why)
{
	const struct ta_strv *rules = &t->rows[row].action->rules;

	for (size_t i = 0; i < rules->n; i++) {
		const struct ta_rule *r = ta_rules_find(t->rules, rules->v[i]);

		if (r && ta_rule_is_shown(r, paths, workload, i ? NULL : why))
			return true;
	}
	return false;
}

static bool is_for(const struct ta_trying *t, const struct ta_trying_part *p, size_t row)
{
	const struct ta_trial_row *r = &t->rows[row];

	return !r->why_not && !r->unit && is_shown(t, row, path_set(t, p), p->workload->name, NULL);
}

size_t ta_trying_count(const struct ta_trying *t, const struct ta_trying_part *p)
{
	size_t n = 0;

	for (size_t i = 0; i < t->plan->n_actions; i++)
		n += is_for(t, p, i);
	return n;
}

size_t ta_trying_count_all(const struct ta_trying *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->plan->n_actions; i++) {
		bool any = false;

		for (size_t k = 0; k < t->n_parts; k++)
			any = any || is_for(t, &t->parts[k], i);
		n += any;
	}
	return n;
}

/* The workload that fails by the path alone has the reason that helps. */
int ta_trying_say_why_not(struct ta_trying *t)
{
	int rc = 0;

	for (size_t i = 0; i < t->plan->n_actions && rc == 0; i++) {
		ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;
		size_t with = 0;

		if (t->rows[i].why_not || t->rows[i].unit)
			continue;
		while (with < t->n_parts && !is_shown(t, i, ~0u, t->parts[with].workload->name, NULL))
			with++;
		with = with < t->n_parts ? with : 0;
		if (is_shown(t, i, path_set(t, &t->parts[with]), t->parts[with].workload->name, &why))
			ta_buf_adds(&why, "the trial ended before its turn");
		rc = why.error ?: refuse(t, i, ta_buf_text(&why));
	}
	return rc < 0 ? no_memory() : TA_EXIT_OK;
}

/* --- rounds ------------------------------------------------------------------------------------- */

double ta_trying_round_s(const struct ta_trying_part *p)
{
	return (double)(p->load.warmup_ns + p->load.duration_ns) / 1e9 + 0.1;
}

static void show(void *ctx, const char *what)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	const struct ta_trying_part *p = ctx;

	ta_buf_printf(&line, "%s: %s", p->workload->name, what);
	ta_progress_show(ta_buf_text(&line));
}

static int get_calm(struct ta_trying *t, struct ta_trying_part *p, const struct ta_trial_load *l)
{
	struct ta_err err = {0};
	int rc = ta_trial_calm(t->arming.host, l, &p->calm, &err);

	p->is_calm = rc == 0;
	if (rc == 0)
		return TA_EXIT_OK;
	if (*t->stop)
		return ta_cli_fail(TA_EXIT_SIGNAL + *t->stop, "%s: %s; nothing is changed", p->workload->name, err.text);
	return ta_cli_fail(rc == -EINVAL ? TA_EXIT_USAGE : TA_EXIT_RESTORED, "%s: %s; nothing is changed", p->workload->name, err.text);
}

static int take_item(struct ta_trying *t, struct ta_trying_part *p, size_t row)
{
	const struct ta_action *a = t->rows[row].action;
	ta_cleanup_buf struct ta_buf rules = TA_BUF_INIT;

	for (size_t i = 0; i < a->rules.n; i++)
		ta_buf_printf(&rules, "%s%s", i ? ", " : "", a->rules.v[i]);
	ta_strv_add(&p->names, ta_buf_text(&rules));
	p->row_of[p->n] = row;
	p->items[p->n++] = (struct ta_apply_item){.step = &a->step, .why = a->why, .disruption = ta_disruption_name(a->disruption)};
	return rules.error ?: p->names.error;
}

/* Now the path is known that the load really goes. */
static int choose_items(struct ta_trying *t, struct ta_trying_part *p)
{
	size_t n = t->plan->n_actions;
	int rc = 0;

	p->items = calloc(n + 1, sizeof(*p->items));
	p->row_of = calloc(n + 1, sizeof(*p->row_of));
	if (!p->items || !p->row_of)
		return no_memory();
	for (size_t i = 0; i < n && rc == 0; i++)
		if (is_for(t, p, i))
			rc = take_item(t, p, i);
	for (size_t i = 0; i < p->n && rc == 0; i++)
		p->items[i].rule = p->names.v[i];
	return rc < 0 ? no_memory() : TA_EXIT_OK;
}

static int how_it_ended(struct ta_trying *t, struct ta_trying_part *p, int rc, const struct ta_err *err)
{
	const struct ta_trial *trial = &p->trial;

	if (rc == -ECANCELED)
		return ta_cli_fail(TA_EXIT_RESTORED, "nothing was changed: %s", err->text);
	if (!trial->restored)
		return ta_cli_fail(TA_EXIT_STUCK, "%s; not everything could be put back", trial->ended ? trial->ended : trial->remark);
	if (rc < 0)
		return ta_cli_fail(*t->stop ? TA_EXIT_SIGNAL + *t->stop : TA_EXIT_RESTORED, "%s; everything was put back", err->text);
	return trial->remark ? ta_cli_fail(TA_EXIT_RESTORED, "everything was put back, but %s", trial->remark) : TA_EXIT_OK;
}

static int try(struct ta_trying *t, struct ta_trying_part *p, const struct ta_trial_load *l)
{
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT;
	struct ta_apply apply = {.host = t->arming.host, .state = t->state, .profile = t->plan->profile, .tool = TA_VERSION,
		.stop = t->stop, .items = p->items, .n = p->n, .runtime_only = true, .arm = ta_arming_start, .arm_ctx = &t->arming,
		.confirm_within_s = (unsigned)TA_MIN(8 * ta_trying_round_s(p) + WATCHED_S, (double)TA_CONFIRM_MAX_S)};
	const struct ta_trial_options o = {&apply, &p->calm, t->each, t->pairs};
	struct ta_err err = {0};
	int rc;

	ta_caller_who(&who);
	apply.who = ta_buf_text(&who);
	rc = ta_trial_run(&o, l, &p->trial, &err);
	p->tried = rc != -ECANCELED;
	for (size_t u = 0; p->tried && u < p->trial.n_units; u++) {
		const struct ta_trial_unit *unit = &p->trial.units[u];

		for (size_t i = 0; i < unit->n; i++) {
			t->rows[p->row_of[unit->first + i]].unit = unit;
			t->rows[p->row_of[unit->first + i]].workload = p->workload->name;
		}
	}
	return how_it_ended(t, p, rc, &err);
}

int ta_trying_run(struct ta_trying *t, struct ta_trying_part *p)
{
	struct ta_trial_loading ctx = {t->arming.host, &p->load};
	const struct ta_trial_load l = {
		.measure = ta_trial_measure_load,
		.ctx = &ctx,
		.stop = t->stop,
		.tell = ta_progress_is_wanted(t->arming.cli->quiet) ? show : NULL,
		.tell_ctx = p,
	};
	int code;

	if (!ta_trying_count(t, p))
		return TA_EXIT_OK;
	code = get_calm(t, p, &l);
	if (code == TA_EXIT_OK)
		code = choose_items(t, p);
	if (code == TA_EXIT_OK && p->n)
		code = try(t, p, &l);
	ta_progress_erase();
	return code;
}
