/*
 * The rounds. What is on is known to the journal before it is on; between two rounds it is looked whether everything is as we left it.
 */
#include "trial/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct work {
	const struct ta_trial_options *o;
	const struct ta_trial_load *l;
	struct ta_trial *t;
	struct ta_onoff onoff;
	struct ta_trial_round *round; /* the one that is measured */
	struct ta_err *err;
};

/* --- units ------------------------------------------------------------------------------- */

static struct ta_trial_round *new_round(void)
{
	struct ta_trial_round *r = calloc(1, sizeof(*r));

	if (r)
		ta_hist_reset(&r->hist);
	return r;
}

static int unit_init(struct ta_trial_unit *u, size_t first, size_t n, unsigned pairs)
{
	*u = (struct ta_trial_unit){.first = first, .n = n, .without = new_round(), .with = new_round()};
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		u->pairs[m] = calloc(pairs, sizeof(*u->pairs[m]));
		if (!u->pairs[m])
			return -ENOMEM;
	}
	return u->without && u->with ? ta_trial_judge(u) : -ENOMEM;
}

static void unit_done(struct ta_trial_unit *u)
{
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++)
		free(u->pairs[m]);
	free(u->without);
	free(u->with);
	ta_strv_done(&u->disturbed);
}

void ta_trial_done(struct ta_trial *t)
{
	for (size_t i = 0; i < t->n_units; i++)
		unit_done(&t->units[i]);
	free(t->units);
	free(t->ended);
	free(t->remark);
	ta_run_done(&t->journal);
	*t = (struct ta_trial){0};
}

static int make_units(struct work *w)
{
	size_t items = w->o->apply->n, n = w->o->each ? items : items > 0;

	w->t->units = calloc(n + 1, sizeof(*w->t->units));
	if (!w->t->units)
		return -ENOMEM;
	for (; w->t->n_units < n; w->t->n_units++) {
		struct ta_trial_unit *u = &w->t->units[w->t->n_units];
		int rc = unit_init(u, w->t->n_units, w->o->each ? 1 : items, w->o->pairs);

		if (rc < 0) {
			unit_done(u);
			return rc;
		}
	}
	return 0;
}

/* --- a round --------------------------------------------------------------------------------- */

static int is_stopped(struct work *w)
{
	return *w->l->stop ? ta_err_set(w->err, -EINTR, "ended by signal %d", (int)*w->l->stop) : 0;
}

/* All of the unit on, or all off. */
static int set(struct work *w, const struct ta_trial_unit *u, bool on)
{
	int rc = is_stopped(w);

	if (!on)
		return rc ?: ta_onoff_off(&w->onoff, w->err);
	for (size_t i = u->first; i < u->first + u->n && rc == 0; i++)
		rc = ta_onoff_on(&w->onoff, i, w->err) ?: is_stopped(w);
	return rc;
}

static void tell(struct work *w, const struct ta_trial_unit *u, bool with)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	if (!w->l->tell)
		return;
	if (w->o->each)
		ta_buf_printf(&line, "change %zu of %zu, ", (size_t)(u - w->t->units) + 1, w->t->n_units);
	ta_buf_printf(&line, "pair %zu of %u, %s", u->n_pairs + 1, w->o->pairs, with ? "with" : "without");
	w->l->tell(w->l->tell_ctx, ta_buf_text(&line));
}

/* Requests that fail are none: they may be what the change is about. Not answered, they lower the throughput. */
static int note_disturbance(struct ta_trial_unit *u, const struct ta_trial_round *r, const struct ta_trial_calm *calm, bool with,
	bool *disturbed)
{
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT, text = TA_BUF_INIT;

	if (!ta_trial_env_disturbed(&r->env, &calm->usual, with, &why))
		return 0;
	*disturbed = true;
	u->n_disturbed[with]++;
	ta_buf_printf(&text, "pair %zu, %s: %s", u->n_pairs + 1, with ? "with" : "without", ta_buf_text(&why));
	ta_strv_add(&u->disturbed, ta_buf_text(&text));
	return why.error ?: text.error;
}

static int run_round(struct work *w, struct ta_trial_unit *u, bool with, struct ta_trial_round *ret, bool *disturbed)
{
	int rc = set(w, u, with);

	tell(w, u, with);
	rc = rc ?: w->l->measure(w->l->ctx, ret, w->err) ?: ta_onoff_check(&w->onoff, w->err);
	return rc ?: note_disturbance(u, ret, w->o->calm, with, disturbed);
}

/* --- pairs ------------------------------------------------------------------------------------- */

static void add_pair(struct ta_trial_unit *u, bool with_first, const struct ta_trial_round *without, const struct ta_trial_round *with)
{
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++)
		u->pairs[m][u->n_pairs] = (struct ta_pair){without->value[m], with->value[m], with_first};
	ta_trial_round_add(u->without, without);
	ta_trial_round_add(u->with, with);
	u->n_pairs++;
}

/* A pair with a disturbed round is measured anew, but not for ever: then it counts, and the mean of the middle pairs has to bear it. */
static int run_pair(struct work *w, struct ta_trial_unit *u)
{
	bool with_first = ta_trial_with_first(u->n_pairs), disturbed = false;
	struct ta_trial_round *rounds = w->round; /* without, with */
	int rc = run_round(w, u, with_first, &rounds[with_first], &disturbed);

	rc = rc ?: run_round(w, u, !with_first, &rounds[!with_first], &disturbed);
	if (rc < 0)
		return rc;
	if (disturbed && u->repeated < TA_MAX(w->o->pairs / 4, 4u))
		u->repeated++;
	else
		add_pair(u, with_first, &rounds[0], &rounds[1]);
	return 0;
}

static int run_units(struct work *w)
{
	for (size_t i = 0; i < w->t->n_units; i++) {
		struct ta_trial_unit *u = &w->t->units[i];
		int rc = 0;

		while (rc == 0 && u->n_pairs < w->o->pairs)
			rc = run_pair(w, u);
		if (rc == 0)
			rc = ta_onoff_off(&w->onoff, w->err);
		if (ta_trial_judge(u) < 0)
			return ta_err_set(w->err, -ENOMEM, "out of memory");
		if (rc < 0)
			return rc;
	}
	return 0;
}

/* --- from its beginning to its end ----------------------------------------------------------------- */

static void finish(struct work *w, int rc)
{
	static const char *const note = "a trial: measured with and without, and put back";
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_err why = {0};
	int end;

	if (rc < 0)
		ta_buf_printf(&text, "a trial that ended early: %s", w->err->text);
	end = ta_onoff_end(&w->onoff, rc < 0 ? ta_buf_text(&text) : note, &why);
	w->t->restored = end >= 0;
	if (rc < 0)
		ta_set_text(&w->t->ended, w->err->text);
	if (end != 0)
		ta_set_text(&w->t->remark, why.text);
	w->t->run = w->onoff.run.number;
	w->t->journal = w->onoff.run;
	w->onoff.run = (struct ta_run){0};
}

int ta_trial_run(const struct ta_trial_options *o, const struct ta_trial_load *l, struct ta_trial *ret, struct ta_err *err)
{
	struct work w = {.o = o, .l = l, .t = ret, .round = calloc(2, sizeof(*w.round)), .err = err};
	enum ta_apply_end end;
	int rc = w.round ? make_units(&w) : -ENOMEM;

	if (rc < 0) {
		rc = ta_err_set(err, -ECANCELED, "out of memory");
	} else if (!ta_onoff_begin(o->apply, &w.onoff, &end, err)) {
		rc = -ECANCELED;
	} else {
		rc = run_units(&w);
		finish(&w, rc);
	}
	ret->restored = ret->restored || rc == -ECANCELED;
	ta_onoff_done(&w.onoff);
	free(w.round);
	return rc;
}
