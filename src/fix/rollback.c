#include "fix/rollback.h"

#include <errno.h>
#include <string.h>

#include "fix/persist.h"

bool ta_run_is_open(const struct ta_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (!ta_change_is_undone(&r->changes[i]))
			return true;
	return !r->state; /* interrupted before its first change: it wants its end */
}

static const struct ta_change *find(const struct ta_run *r, unsigned number)
{
	return number >= 1 && number <= r->n ? &r->changes[number - 1] : NULL;
}

static enum ta_rollback_end outcome(const struct ta_run *r, unsigned only)
{
	enum ta_rollback_end end = TA_ROLLBACK_DONE;

	for (size_t i = 0; i < r->n; i++) {
		const struct ta_change *c = &r->changes[i];

		if (only && c->number != only)
			continue;
		if (c->state == TA_CHANGE_STUCK)
			return TA_ROLLBACK_STUCK;
		if (!ta_change_is_undone(c))
			end = TA_ROLLBACK_LEFT;
	}
	return end;
}

/* What the run is from now on. */
static const char *state_of(const struct ta_run *r, bool pending)
{
	const char *state = "rolled-back";

	for (size_t i = 0; i < r->n; i++) {
		if (r->changes[i].state == TA_CHANGE_DONE || r->changes[i].state == TA_CHANGE_LATER)
			return pending ? "pending" : "applied"; /* only some were asked for */
		if (!ta_change_is_undone(&r->changes[i]))
			state = "partly-restored";
	}
	return state;
}

/* What was put back alone must not come again with the next start. */
static void forget(const struct ta_rollback *b, const struct ta_run *r, unsigned only, enum ta_rollback_end *end, struct ta_err *err)
{
	struct ta_err why = {0};

	if (!only || !ta_change_is_undone(find(r, only)) || ta_persist_forget(b->host, r, only, &why) == 0)
		return;
	*end = TA_MAX(*end, TA_ROLLBACK_LEFT);
	ta_err_set(err, 0, "change %u comes again with the next start of the host: %s", only, why.text);
}

/* What still waits to be confirmed waits no longer than it did. */
static int end(const struct ta_rollback *b, const struct ta_run *r, const char *state, struct ta_err *err)
{
	if (!strcmp(state, "pending"))
		return ta_journal_pending(b->state, r->number, r->due_ms, err);
	return ta_journal_end_since(b->state, r->number, state, b->note, err);
}

int ta_rollback_run(const struct ta_rollback *b, struct ta_run *r, unsigned only, enum ta_rollback_end *ret_end,
	struct ta_err *err)
{
	struct ta_where now = {0};
	struct ta_undo u = {.host = b->host, .state = b->state, .force = b->force};
	bool pending = r->state && !strcmp(r->state, "pending");
	const char *state;
	int rc;

	if (only && !find(r, only))
		return ta_err_set(err, -ENOENT, "run %u has no change %u", r->number, only);
	rc = ta_where_read(b->host, &now);
	if (rc == 0)
		rc = ta_where_check(&r->where, &now, err);
	u.same_boot = rc == 0 && ta_where_same_boot(&r->where, &now);
	ta_where_done(&now);
	if (rc < 0)
		return rc;
	/* What a power cut left of a line would spoil the next one. */
	if (r->torn)
		u.journal_error = ta_state_cut(b->state, r->number, r->whole, &u.journal_why);
	u.no_journal = u.journal_error < 0;
	rc = ta_undo_run(&u, r, only);
	if (rc < 0)
		return ta_err_set(err, rc, "out of memory");
	*ret_end = outcome(r, only);
	forget(b, r, only, ret_end, err);
	state = state_of(r, pending);
	if (u.journal_error == 0)
		u.journal_error = end(b, r, state, &u.journal_why);
	if (u.journal_error < 0)
		ta_err_set(err, 0, "what was put back is not in the journal, which could not be written: %s",
			u.journal_why.text);
	return ta_set_text(&r->state, state) && ta_set_text(&r->note, b->note) ? 0 : -ENOMEM;
}
