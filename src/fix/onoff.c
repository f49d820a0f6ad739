#include "fix/onoff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fix/undo.h"

#define JOURNAL_MAX (TA_STATE_FILE_MAX / 2) /* one that grows beyond what is read could not be followed any more */
#define TRIES 2 /* more to put something back that could not be */

bool ta_onoff_begin(const struct ta_apply *a, struct ta_onoff *ret, enum ta_apply_end *ret_end, struct ta_err *err)
{
	*ret = (struct ta_onoff){.a = a, .numbers = calloc(a->n + 1, sizeof(*ret->numbers))};
	if (!ret->numbers) {
		*ret_end = TA_APPLY_NOTHING;
		ta_err_set(err, -ENOMEM, "out of memory");
		return false;
	}
	return ta_apply_begin(a, ret_end, &ret->run, err);
}

void ta_onoff_done(struct ta_onoff *o)
{
	free(o->numbers);
	ta_run_done(&o->run);
	*o = (struct ta_onoff){0};
}

/* --- on ------------------------------------------------------------------------------- */

/* Nothing of it is on the disk yet, and there is nothing to put back. */
static int add(struct ta_onoff *o, size_t item, struct ta_err *err)
{
	const struct ta_apply_item *i = &o->a->items[item];
	struct ta_change *c = ta_run_add(&o->run, i->step);

	if (!c || !ta_set_text(&c->rule, i->rule) || !ta_set_text(&c->why, i->why) ||
		!ta_set_text(&c->disruption, i->disruption)) {
		if (c)
			ta_run_drop_last(&o->run);
		return ta_err_set(err, -ENOMEM, "out of memory");
	}
	c->state = TA_CHANGE_UNDONE;
	return 0;
}

/* As if it had never been on. */
static int forget(struct ta_change *c, const struct ta_step *s)
{
	ta_change_drop_coupled(c);
	ta_set_text(&c->value, NULL);
	ta_set_text(&c->note, NULL);
	return ta_set_text(&c->before, s->before) && ta_set_text(&c->after, s->after) ? 0 : -ENOMEM;
}

static int check_room(struct ta_onoff *o, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_state_read(o->a->state, o->run.number, &text, err);

	if (rc == 0 && text.len > JOURNAL_MAX)
		rc = ta_err_set(err, -EFBIG, "the journal of this run has grown to %zu KB, and no more is read of one", text.len >> 10);
	return rc;
}

int ta_onoff_on(struct ta_onoff *o, size_t item, struct ta_err *err)
{
	unsigned number = o->numbers[item];
	bool fresh = !number;
	struct ta_change *c;
	int rc;

	if (number && !ta_change_is_undone(&o->run.changes[number - 1]))
		return 0;
	rc = check_room(o, err);
	if (rc == 0 && fresh)
		rc = add(o, item, err);
	if (rc < 0)
		return rc;
	c = &o->run.changes[fresh ? o->run.n - 1 : number - 1];
	rc = forget(c, o->a->items[item].step) ?: ta_apply_change(o->a->host, o->a->state, &o->run, c, err);
	if (rc < 0 && fresh && ta_change_is_undone(c))
		ta_run_drop_last(&o->run);
	else
		o->numbers[item] = c->number;
	return rc;
}

/* --- off ------------------------------------------------------------------------------- */

static int worst(int a, int b)
{
	return a == -EIO || b == -EIO ? -EIO : a ?: b;
}

static int put_back(struct ta_undo *u, unsigned run, struct ta_change *c, struct ta_err *err)
{
	int rc = ta_undo_change(u, run, c);

	if (rc < 0)
		return ta_err_set(err, rc, "out of memory");
	if (c->state == TA_CHANGE_STUCK)
		return ta_err_set(err, -EIO, "%s could not be put back: %s", c->target, c->note ? c->note : "no reason given");
	if (c->state == TA_CHANGE_LEFT)
		return ta_err_set(err, -EBUSY, "%s is left as it is: %s", c->target, c->note ? c->note : "it is gone");
	/* What moved with it is no longer ours to move. */
	ta_change_drop_coupled(c);
	return 0;
}

int ta_onoff_off(struct ta_onoff *o, struct ta_err *err)
{
	struct ta_undo u = {.host = o->a->host, .state = o->a->state, .same_boot = true};
	int ret = 0;

	for (size_t i = o->run.n; i-- > 0;) {
		struct ta_change *c = &o->run.changes[i];
		struct ta_err why = {0};
		int rc = ta_change_is_undone(c) ? 0 : put_back(&u, o->run.number, c, &why);

		if (rc < 0 && worst(ret, rc) != ret)
			ta_err_set(err, rc, "%s", why.text);
		ret = worst(ret, rc);
	}
	if (ret == 0 && u.journal_error < 0)
		return ta_err_set(err, u.journal_error, "%s", u.journal_why.text);
	return ret;
}

/* --- as we left it ------------------------------------------------------------------------ */

static int check_one(struct ta_onoff *o, const struct ta_knob *knob, const char *target, const char *wanted, const char *was,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf present = TA_BUF_INIT;
	int rc = knob->read(o->a->host, target, &present, err);

	if (rc < 0)
		return -EBUSY;
	if (!strcmp(wanted, ta_buf_text(&present)))
		return 0;
	return ta_err_set(err, -EBUSY, "%s %s %s and is %s now: somebody else sets it too", target, was, wanted,
		ta_buf_text(&present));
}

int ta_onoff_check(struct ta_onoff *o, struct ta_err *err)
{
	bool any = false;
	int rc = 0;

	for (size_t i = 0; i < o->run.n && rc == 0; i++) {
		const struct ta_change *c = &o->run.changes[i];

		any = any || !ta_change_is_undone(c);
		if (c->state == TA_CHANGE_DONE && !ta_apply_moves(&o->run, c))
			rc = check_one(o, c->knob, c->target, c->value, "was set to", err);
	}
	/* What is on may move what is off. */
	for (size_t i = 0; i < o->a->n && rc == 0 && !any; i++) {
		const struct ta_step *s = o->a->items[i].step;

		if (!s->knob->lingers)
			rc = check_one(o, s->knob, s->target, s->before, "was", err);
	}
	return rc;
}

static bool is_back(struct ta_onoff *o, struct ta_err *err)
{
	int rc = ta_onoff_off(o, err);

	for (int i = 0; rc == -EIO && i < TRIES; i++) {
		struct ta_err again = {0};

		rc = ta_onoff_off(o, &again); /* what was in the way may be gone */
	}
	return rc != -EIO && rc != -EBUSY && rc != -ENOMEM;
}

int ta_onoff_end(struct ta_onoff *o, const char *note, struct ta_err *err)
{
	struct ta_err why = {0};
	bool back = is_back(o, &why);
	const char *state = back ? "rolled-back" : "partly-restored";
	int ret = 0;

	if (!back) {
		ret = ta_err_set(err, -EIO, "%s", why.text);
	} else if (ta_onoff_check(o, &why) < 0) {
		ta_err_set(err, 0, "%s", why.text);
		ret = 1;
	}
	ta_set_text(&o->run.state, state);
	ta_set_text(&o->run.note, note);
	if (ta_journal_end_since(o->a->state, o->run.number, state, note, &why) < 0 && ret == 0) {
		ta_err_set(err, 0, "the journal has no end (%s), 'rollback %u' writes it", why.text, o->run.number);
		ret = 1;
	}
	return ret;
}
