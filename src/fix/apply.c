#include "fix/apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/identity.h"

struct work {
	const struct ta_apply *a;
	struct ta_host *host;
	struct ta_state *state;
	struct ta_run *run;
	struct ta_err *err;
};

/* --- before anything is written ----------------------------------------------------- */

static int same_irq(struct ta_host *h, const struct ta_step *s, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf now = TA_BUF_INIT;
	int rc = ta_identity_find_irq(h, s->device, s->target, &now, err);

	if (rc == 0 && strcmp(s->target, ta_buf_text(&now)) != 0)
		rc = ta_err_set(err, -ESTALE, "%s is another interrupt now, not %s", s->target, s->device);
	return rc;
}

/* Is everything still as the plan says, and in the tables? */
static int check_item(const struct ta_apply *a, const struct ta_step *s, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT, name = TA_BUF_INIT, identity = TA_BUF_INIT;
	int rc = ta_knob_check(s->knob->name, s->target, s->after, TA_VALUE_WISHED, err);

	if (rc == 0)
		rc = s->knob->read(a->host, s->target, &present, err);
	if (rc < 0)
		return rc;
	if (strcmp(s->before, ta_buf_text(&present)) != 0)
		return ta_err_set(err, -ESTALE, "%s was %s and is %s now", s->target, s->before, ta_buf_text(&present));
	if (s->device && ta_identity_is_irq(s->knob, s->target))
		return same_irq(a->host, s, err);
	if (!s->device || ta_identity_ifname(s->knob, s->target, &name) < 0)
		return 0;
	rc = ta_identity_read(a->host, ta_buf_text(&name), &identity, err);
	if (rc == 0 && strcmp(s->device, ta_buf_text(&identity)) != 0)
		rc = ta_err_set(err, -ESTALE, "%s is another interface now (%s, not %s)", ta_buf_text(&name),
			ta_buf_text(&identity), s->device);
	return rc;
}

static int check_all(const struct ta_apply *a, struct ta_err *err)
{
	for (size_t i = 0; i < a->n; i++) {
		int rc = check_item(a, a->items[i].step, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

static bool is_kept(const struct ta_apply *a, const struct ta_apply_item *item)
{
	return !a->runtime_only && item->keep_file && item->keep_text;
}

/* What the run is to keep: known before its first change, and looked at. Items and changes have the same numbers. */
static int check_keeps(struct work *w)
{
	for (size_t i = 0; i < w->a->n; i++)
		if (is_kept(w->a, &w->a->items[i]) && !ta_run_add_keep(w->run, (unsigned)i + 1, w->a->items[i].keep_file,
							    w->a->items[i].keep_text))
			return ta_err_set(w->err, -ENOMEM, "out of memory");
	if (ta_persist_complete(w->a->host, w->run, w->err) < 0)
		return -EPERM;
	return ta_persist_check(w->a->host, w->run->keeps, w->run->n_keeps, w->err);
}

static int journal_keeps(struct work *w)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < w->run->n_keeps; i++)
		rc = ta_journal_keep(w->a->state, w->run->number, &w->run->keeps[i], w->err);
	return rc;
}

static int begin(struct work *w)
{
	const struct ta_apply *a = w->a;
	struct ta_run *r = w->run;
	int rc = ta_where_read(a->host, &r->where);

	if (rc < 0 || !ta_set_text(&r->who, a->who) || !ta_set_text(&r->profile, a->profile) ||
		!ta_set_text(&r->tool, a->tool))
		return ta_err_set(w->err, -ENOMEM, "out of memory");
	if (ta_host_time(a->host, &r->time) < 0 || r->time < 0 || r->time > TA_RUN_TIME_MAX)
		r->time = 0;
	r->confirm_within_s = a->confirm_within_s;
	rc = ta_state_new(a->state, &r->number, w->err);
	if (rc == 0)
		rc = ta_journal_run(a->state, r, w->err);
	if (rc < 0)
		return rc;
	rc = journal_keeps(w);
	if (rc < 0)
		ta_journal_end(a->state, r->number, "failed", NULL); /* if not: 'rollback' ends it */
	return rc;
}

/* Whoever undoes it, should we not be there any more, is there before the first change. */
static int arm(struct work *w)
{
	const struct ta_apply *a = w->a;
	int rc = a->confirm_within_s ? a->arm(w->run->number, a->arm_ctx, w->err) : 0;

	if (rc < 0 && ta_journal_end_since(w->state, w->run->number, "failed", w->err->text, NULL) == 0)
		ta_set_text(&w->run->state, "failed");
	return rc;
}

/* --- one change -------------------------------------------------------------------------- */

/* True if the member of a group is that target, or, "eth0" of "eth0 rx-gro", all of which it is a part. */
static bool covers(const struct ta_coupled *k, const struct ta_change *c)
{
	size_t n = strlen(k->target);

	return k->knob == c->knob && !strncmp(k->target, c->target, n) &&
	       (!c->target[n] || (c->knob->nic && c->target[n] == ' '));
}

/* Another change of this run may have moved it: then its value of now is the one to go back to. */
bool ta_apply_moves(const struct ta_run *r, const struct ta_change *c)
{
	for (size_t i = 0; i < r->n; i++)
		for (size_t k = 0; k < r->changes[i].n_coupled; k++)
			if (covers(&r->changes[i].coupled[k], c))
				return true;
	return false;
}

static int read_group(struct work *w, struct ta_change *c)
{
	ta_cleanup_steps struct ta_steps group = TA_STEPS_INIT;
	int rc = c->knob->coupled ? c->knob->coupled(w->host, c->target, &group, w->err) : 0;

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < group.n; i++) {
		ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
		const struct ta_step *s = &group.v[i];

		/* What cannot be read cannot be saved, and would not be there to be put back. */
		if (s->knob->read(w->host, s->target, &value, NULL) < 0)
			continue;
		if (!ta_change_add_coupled(c, s->knob, s->target, ta_buf_text(&value)))
			return -ENOMEM;
	}
	return group.error;
}

static int note_group(struct work *w, struct ta_change *c)
{
	for (size_t i = 0; i < c->n_coupled; i++) {
		ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
		struct ta_coupled *k = &c->coupled[i];

		if (k->knob->read(w->host, k->target, &value, NULL) == 0 && !ta_set_text(&k->value, ta_buf_text(&value)))
			return -ENOMEM;
	}
	return 0;
}

static int add_change(struct work *w, const struct ta_apply_item *item, struct ta_change **ret)
{
	struct ta_change *c = ta_run_add(w->run, item->step);

	if (!c || !ta_set_text(&c->rule, item->rule) || !ta_set_text(&c->why, item->why) ||
		!ta_set_text(&c->disruption, item->disruption))
		return ta_err_set(w->err, -ENOMEM, "out of memory");
	*ret = c;
	return 0;
}

/* Everything that has to be known before the write, and on the disk. */
static int prepare(struct work *w, struct ta_change *c)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	int rc = c->knob->read(w->host, c->target, &present, w->err);

	if (rc < 0)
		return rc;
	if (strcmp(c->before, ta_buf_text(&present)) != 0) {
		if (!ta_apply_moves(w->run, c))
			return ta_err_set(w->err, -ESTALE, "%s was %s and is %s now: somebody else sets it too", c->target,
				c->before, ta_buf_text(&present));
		if (!ta_set_text(&c->before, ta_buf_text(&present)))
			return -ENOMEM;
	}
	rc = read_group(w, c);
	rc = rc ?: ta_journal_intent(w->state, w->run->number, c, w->err);
	if (rc == 0)
		c->state = TA_CHANGE_INTENT;
	return rc;
}

/* The kernel's own value counts; that it kept the old one is a refusal without words. */
static int write_and_look(struct work *w, struct ta_change *c)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	int rc = c->knob->write(w->host, c->target, c->after, w->err);

	if (rc == 0)
		rc = c->knob->read(w->host, c->target, &value, w->err);
	if (rc < 0)
		return rc;
	if (!strcmp(ta_buf_text(&value), c->before) && strcmp(c->before, c->after) != 0)
		return ta_err_set(w->err, -EIO, "%s was set to %s and stays %s", c->target, c->after, c->before);
	if (!ta_set_text(&c->value, ta_buf_text(&value)))
		return -ENOMEM;
	return note_group(w, c);
}

/* What is intended, made. */
static int carry_out(struct work *w, struct ta_change *c)
{
	int rc;

	if (!strcmp(c->before, c->after)) { /* an earlier change brought it along */
		c->state = TA_CHANGE_UNDONE;
		return ta_journal_state(w->state, w->run->number, c, w->err);
	}
	rc = write_and_look(w, c);
	if (rc < 0) {
		c->state = TA_CHANGE_FAILED;
		if (ta_set_text(&c->note, w->err->text))
			ta_journal_state(w->state, w->run->number, c, NULL); /* if not: it is an intent for whoever reads */
		return rc;
	}
	rc = ta_journal_done(w->state, w->run->number, c, w->err);
	if (rc == 0)
		c->state = TA_CHANGE_DONE;
	return rc;
}

/* A file that the next start of the host reads would keep what nobody has confirmed. */
static int put_off(struct work *w, struct ta_change *c)
{
	c->later = true;
	c->state = TA_CHANGE_LATER;
	return ta_journal_later(w->state, w->run->number, c, w->err);
}

static int make_change(struct work *w, const struct ta_apply_item *item)
{
	struct ta_change *c = NULL;
	int rc = add_change(w, item, &c);
	bool later = rc == 0 && w->run->confirm_within_s && ta_knob_order(c->knob, c->target) == TA_ORDER_FILE;

	if (rc == 0)
		rc = later ? put_off(w, c) : prepare(w, c);
	if (rc < 0) {
		ta_run_drop_last(w->run); /* nothing came of it */
		return rc;
	}
	return later ? 0 : carry_out(w, c);
}

int ta_apply_change(struct ta_host *h, struct ta_state *s, struct ta_run *r, struct ta_change *c, struct ta_err *err)
{
	struct work w = {.host = h, .state = s, .run = r, .err = err};

	return prepare(&w, c) ?: carry_out(&w, c);
}

/* --- the end of it ------------------------------------------------------------------------- */

static bool all_undone(const struct ta_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!ta_change_is_undone(&r->changes[i]))
			return false;
	return true;
}

static int end(struct work *w, const char *state)
{
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;
	struct ta_err err = {0};
	int rc;

	ta_set_text(&w->run->state, state);
	rc = ta_journal_end(w->state, w->run->number, state, &err);
	if (rc < 0 && w->err) {
		ta_buf_printf(&why, "%s; the journal has no end (%s), 'rollback %u' writes it", w->err->text, err.text,
			w->run->number);
		ta_err_set(w->err, rc, "%s", ta_buf_text(&why));
	}
	return rc;
}

static enum ta_apply_end take_back(struct work *w)
{
	struct ta_undo u = {.host = w->host, .state = w->state, .same_boot = true};
	int rc = ta_undo_run(&u, w->run, 0);

	if (rc < 0 || !all_undone(w->run)) {
		end(w, "partly-restored");
		return TA_APPLY_STUCK;
	}
	end(w, "failed");
	return TA_APPLY_FAILED;
}

/* Others who write these things too are given the time that they take. */
static void settle(struct work *w)
{
	int seconds = -1;

	for (size_t i = 0; i < w->run->n && seconds < 0; i++) {
		const struct ta_change *c = &w->run->changes[i];

		if (c->state == TA_CHANGE_DONE && c->knob->settle_s)
			seconds = c->knob->settle_s(w->host, c->target);
	}
	if (seconds > 0 && w->a->pause)
		w->a->pause((unsigned)seconds, w->a->pause_ctx);
}

static int remark(struct work *w, struct ta_change *c)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (!c->knob->remark)
		return 0;
	c->knob->remark(w->host, c->target, &b);
	return b.error || (b.len && !ta_set_text(&c->remark, ta_buf_text(&b))) ? -ENOMEM : 0;
}

static int read_back(struct work *w)
{
	if (w->a->stop && *w->a->stop)
		return ta_err_set(w->err, -EINTR, "ended by signal %d", (int)*w->a->stop);
	for (size_t i = 0; i < w->run->n; i++) {
		ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
		struct ta_change *c = &w->run->changes[i];
		int rc;

		if (c->state != TA_CHANGE_DONE)
			continue;
		rc = c->knob->read(w->host, c->target, &present, w->err);
		if (rc < 0)
			return rc;
		if (strcmp(c->value, ta_buf_text(&present)) != 0 && !ta_apply_moves(w->run, c))
			return ta_err_set(w->err, -EIO, "%s was set to %s and is %s already: somebody else sets it too",
				c->target, c->value, ta_buf_text(&present));
		rc = remark(w, c);
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int verify(struct work *w)
{
	int rc;

	settle(w);
	rc = read_back(w);
	if (rc < 0 || !w->a->judge)
		return rc;
	return w->a->judge(w->a->judge_ctx, w->err) ?: read_back(w);
}

/* All is made and verified: it holds, and is kept over a restart, or waits for that to be confirmed. */
static int hold(struct work *w)
{
	struct ta_run *r = w->run;
	int rc;

	if (!r->confirm_within_s) {
		rc = ta_persist_run(&(struct ta_persist){w->host, w->state, w->a->stop}, r, w->err);
		rc = rc ?: ta_journal_end(w->state, r->number, "applied", w->err);
		ta_set_text(&r->state, rc < 0 ? NULL : "applied");
		return rc;
	}
	rc = ta_host_uptime_ms(w->host, &r->due_ms);
	if (rc < 0)
		return ta_err_set(w->err, rc, "the kernel's clock cannot be read");
	r->due_ms += (int64_t)r->confirm_within_s * 1000;
	rc = ta_journal_pending(w->state, r->number, r->due_ms, w->err);
	ta_set_text(&r->state, rc < 0 ? NULL : "pending");
	return rc;
}

bool ta_apply_begin(const struct ta_apply *a, enum ta_apply_end *ret_end, struct ta_run *ret, struct ta_err *err)
{
	struct work w = {.a = a, .host = a->host, .state = a->state, .run = ret, .err = err};

	*ret = (struct ta_run){0};
	*ret_end = TA_APPLY_STALE;
	if (check_all(a, err) < 0)
		return false;
	*ret_end = TA_APPLY_NOTHING;
	return check_keeps(&w) == 0 && begin(&w) == 0 && arm(&w) == 0;
}

int ta_apply_run(const struct ta_apply *a, enum ta_apply_end *ret_end, struct ta_run *ret, struct ta_err *err)
{
	struct work w = {.a = a, .host = a->host, .state = a->state, .run = ret, .err = err};
	int rc;

	if (!ta_apply_begin(a, ret_end, ret, err))
		return 0;
	for (size_t i = 0; i < a->n; i++) {
		if (a->making)
			a->making(i + 1, a->n);
		if (a->stop && *a->stop)
			rc = ta_err_set(err, -EINTR, "ended by signal %d", (int)*a->stop);
		else
			rc = make_change(&w, &a->items[i]);
		if (rc < 0) {
			*ret_end = take_back(&w);
			return 0;
		}
	}
	rc = verify(&w) ?: hold(&w);
	*ret_end = rc < 0 ? take_back(&w) : TA_APPLY_DONE;
	return 0;
}

int ta_apply_interrupted(struct ta_state *s, unsigned *ret_run, struct ta_err *err)
{
	unsigned *runs;
	size_t n;
	int rc = ta_state_runs(s, &runs, &n, err);

	*ret_run = 0;
	if (rc < 0)
		return rc;
	for (size_t i = n; i-- > 0 && !*ret_run && rc >= 0;) {
		ta_cleanup_run struct ta_run r = {0};

		rc = ta_run_read(s, runs[i], &r, err);
		if (rc == -ENODATA)
			rc = 0; /* it was killed before its first line: nothing happened */
		else if (rc == 0 && !r.state)
			*ret_run = runs[i];
	}
	free(runs);
	return rc;
}
