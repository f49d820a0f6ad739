#include "fix/confirm.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool ta_confirm_is_pending(const struct ta_run *r)
{
	return r->state && !strcmp(r->state, "pending");
}

enum ta_confirm_next ta_confirm_next(const struct ta_run *r, int64_t now_ms, bool maker_lives)
{
	if (r->confirmed || (r->state && !ta_confirm_is_pending(r)))
		return TA_CONFIRM_OVER;
	if (!r->state)
		return maker_lives ? TA_CONFIRM_WAIT : TA_CONFIRM_UNDO;
	return now_ms < r->due_ms ? TA_CONFIRM_WAIT : TA_CONFIRM_UNDO;
}

int64_t ta_confirm_left_s(const struct ta_run *r, int64_t now_ms)
{
	int64_t ms = r->due_ms - now_ms;

	return ms > 0 ? (ms + 999) / 1000 : ms / 1000;
}

/* --- after a restart of the host ---------------------------------------------------------- */

bool ta_confirm_is_lost(const struct ta_run *r, const struct ta_where *now)
{
	if (!r->confirm_within_s || r->confirmed || (r->state && !ta_confirm_is_pending(r)))
		return false;
	return *r->where.boot && *now->boot && !ta_where_same_boot(&r->where, now) && ta_where_check(&r->where, now, NULL) == 0;
}

/* Returns false: out of memory. */
static bool mark_lost(struct ta_change *c)
{
	c->state = TA_CHANGE_UNDONE;
	return ta_set_text(&c->note, c->later ? NULL : "it went with a restart of the host");
}

int ta_confirm_refresh(struct ta_run *r, const struct ta_where *now, int64_t now_ms)
{
	if (ta_confirm_is_pending(r))
		r->left_s = ta_confirm_left_s(r, now_ms);
	if (!ta_confirm_is_lost(r, now))
		return 0;
	for (size_t i = 0; i < r->n; i++)
		if (!ta_change_is_undone(&r->changes[i]) && !mark_lost(&r->changes[i]))
			return -ENOMEM;
	return ta_set_text(&r->state, "rolled-back") && ta_set_text(&r->note, TA_CONFIRM_LOST_NOTE) ? 0 : -ENOMEM;
}

static int settle(struct ta_state *s, struct ta_run *r, struct ta_err *err)
{
	int rc = r->torn ? ta_state_cut(s, r->number, r->whole, err) : 0;

	for (size_t i = r->n; i-- > 0 && rc == 0;) {
		struct ta_change *c = &r->changes[i];

		if (ta_change_is_undone(c))
			continue;
		if (!mark_lost(c))
			return -ENOMEM;
		rc = ta_journal_state(s, r->number, c, err);
	}
	return rc ?: ta_journal_end_since(s, r->number, "rolled-back", TA_CONFIRM_LOST_NOTE, err);
}

static int settle_all(struct ta_state *s, const struct ta_where *now, const unsigned *runs, size_t n, unsigned *ret_run,
	struct ta_err *err)
{
	*ret_run = 0;
	for (size_t i = 0; i < n; i++) {
		ta_cleanup_run struct ta_run r = {0};
		int rc = ta_run_read(s, runs[i], &r, err);

		if (rc == -ENODATA)
			continue;
		if (rc == 0 && !ta_confirm_is_lost(&r, now))
			continue;
		rc = rc ?: settle(s, &r, err);
		if (rc < 0)
			return rc;
		*ret_run = runs[i];
	}
	return 0;
}

int ta_confirm_settle_after_boot(struct ta_host *h, struct ta_state *s, unsigned *ret_run, struct ta_err *err)
{
	ta_cleanup_where struct ta_where now = {0};
	unsigned *runs;
	size_t n;
	int rc = ta_where_read(h, &now);

	if (rc < 0)
		return ta_err_set(err, rc, "out of memory");
	rc = ta_state_runs(s, &runs, &n, err);
	if (rc < 0)
		return rc;
	rc = settle_all(s, &now, runs, n, ret_run, err);
	free(runs);
	return rc;
}

/* --- not confirmed ------------------------------------------------------------------------- */

int ta_confirm_undo(struct ta_host *h, struct ta_state *s, struct ta_run *r, const char *why, enum ta_rollback_end *ret_end,
	struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf note = TA_BUF_INIT;
	struct ta_rollback b = {.host = h, .state = s};

	if (why)
		ta_buf_adds(&note, why);
	else if (r->due_ms)
		ta_buf_printf(&note, "it was not confirmed within %u s", r->confirm_within_s);
	else
		ta_buf_adds(&note, "it was interrupted before all was made");
	b.note = ta_buf_text(&note);
	return note.error ?: ta_rollback_run(&b, r, 0, ret_end, err);
}

/* --- which run ------------------------------------------------------------------------------- */

static int find(struct ta_state *s, const unsigned *runs, size_t n, struct ta_run *ret, struct ta_err *err)
{
	*ret = (struct ta_run){0};
	for (size_t i = n; i-- > 0;) {
		struct ta_run r = {0};
		int rc = ta_run_read(s, runs[i], &r, err);

		if (rc == -ENODATA)
			continue;
		if (rc < 0)
			return rc;
		if (ta_confirm_is_pending(&r) || ta_confirm_is_unfinished(&r)) {
			ta_run_done(ret);
			*ret = r;
			return 0;
		}
		if (!ret->number && (r.confirm_within_s || !r.state))
			*ret = r;
		else
			ta_run_done(&r);
	}
	return 0;
}

int ta_confirm_find(struct ta_state *s, struct ta_run *ret, struct ta_err *err)
{
	unsigned *runs;
	size_t n;
	int rc = ta_state_runs(s, &runs, &n, err);

	if (rc < 0)
		return rc;
	rc = find(s, runs, n, ret, err);
	if (rc < 0)
		ta_run_done(ret);
	free(runs);
	return rc;
}

/* --- confirmed -------------------------------------------------------------------------------- */

/* What confirm itself makes; all else was made before. */
static bool is_ours(const struct ta_change *c)
{
	return c->later || ta_persist_is_file(c);
}

bool ta_confirm_is_unfinished(const struct ta_run *r)
{
	/* A rollback that was begun is to be ended. */
	for (size_t i = 0; i < r->n; i++)
		if (r->changes[i].taken_back_late && !is_ours(&r->changes[i]))
			return false;
	return r->confirmed && r->unfinished;
}

static bool has_files(const struct ta_run *r)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->changes[i].later)
			return true;
	return r->n_keeps > 0;
}

static int put_back(struct ta_host *h, struct ta_state *s, unsigned run, struct ta_change *c, struct ta_err *err)
{
	struct ta_undo u = {.host = h, .state = s, .same_boot = true};
	int rc = ta_undo_change(&u, run, c);

	if (rc < 0 || u.journal_error < 0)
		return ta_err_set(err, rc < 0 ? rc : u.journal_error, "%s", rc < 0 ? "out of memory" : u.journal_why.text);
	return ta_change_is_undone(c) ? 0 : ta_err_set(err, -EIO, "%s", c->note ? c->note : "it could not be put back");
}

/* Nobody knows how far it came when it was interrupted, or it failed: once more from where it was. */
static int put_off(struct ta_host *h, struct ta_state *s, unsigned run, struct ta_change *c, struct ta_err *err)
{
	int rc = put_back(h, s, run, c, err);

	if (rc < 0)
		return rc;
	ta_change_drop_coupled(c);
	c->state = TA_CHANGE_LATER;
	return ta_journal_later(s, run, c, err);
}

/* The changes that were put off. -EIO: one failed; `err` is the first of them. */
static int make_later(struct ta_host *h, struct ta_state *s, struct ta_run *r, struct ta_err *err)
{
	int ret = 0;

	for (size_t i = 0; i < r->n; i++) {
		struct ta_change *c = &r->changes[i];
		struct ta_err why = {0};
		int rc = 0;

		if (!c->later || c->state == TA_CHANGE_DONE)
			continue;
		if (c->state != TA_CHANGE_LATER)
			rc = put_off(h, s, r->number, c, &why);
		if (rc == 0)
			rc = ta_apply_change(h, s, r, c, &why);
		if (rc < 0 && ret == 0)
			ret = ta_err_set(err, -EIO, "%s", why.text);
		if (rc < 0 && c->state == TA_CHANGE_FAILED && put_off(h, s, r->number, c, NULL) == 0)
			ta_set_text(&c->note, why.text);
	}
	return ret;
}

/* What was taken out of the run while it waited is not to come with the next start. */
static void drop_keeps(struct ta_run *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_keeps; i++) {
		struct ta_keep k = r->keeps[i];

		if (k.change > 0 && k.change <= r->n && r->changes[k.change - 1].taken_back) {
			free(k.file);
			free(k.text);
		} else {
			r->keeps[n++] = k;
		}
	}
	r->n_keeps = n;
}

/* The files that keep the others: all of them or none, so what an earlier try left of them goes first. */
static int write_keeps(struct ta_host *h, struct ta_state *s, struct ta_run *r, struct ta_err *err)
{
	for (size_t i = r->n; i-- > 0;) {
		int rc = 0;

		if (ta_persist_is_file(&r->changes[i]))
			rc = put_back(h, s, r->number, &r->changes[i], err);
		if (rc < 0)
			return rc;
	}
	drop_keeps(r);
	return ta_persist_run(&(struct ta_persist){.host = h, .state = s}, r, err);
}

static int say_confirmed(struct ta_state *s, struct ta_run *r, const char *who, bool unfinished, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf note = TA_BUF_INIT;
	int rc;

	ta_buf_printf(&note, "confirmed by %s", who);
	rc = note.error ?: ta_journal_confirmed(s, r->number, ta_buf_text(&note), unfinished, err);
	if (rc < 0)
		return rc;
	r->confirmed = true;
	r->unfinished = unfinished;
	return ta_set_text(&r->state, "applied") && ta_set_text(&r->note, ta_buf_text(&note)) ? 0 : -ENOMEM;
}

/* All of it is tried, so that as much as possible is kept; `err` is the first failure. */
static int write_files(struct ta_host *h, struct ta_state *s, const char *who, struct ta_run *r, struct ta_err *err)
{
	struct ta_err why = {0}, journal = {0};
	int later = make_later(h, s, r, err), keeps = write_keeps(h, s, r, &why), rc;

	if (later == 0 && keeps < 0)
		ta_err_set(err, keeps, "%s", why.text);
	rc = say_confirmed(s, r, who, later < 0 || keeps < 0, &journal); /* what came behind the last end reopened it */
	if (later == 0 && keeps == 0 && rc < 0)
		ta_err_set(err, rc, "the files are written, but the journal has no end: %s", journal.text);
	return later < 0 || keeps < 0 || rc < 0 ? -EIO : 0;
}

int ta_confirm_keep(struct ta_host *h, struct ta_state *s, const char *who, struct ta_run *r, struct ta_err *err)
{
	ta_cleanup_where struct ta_where now = {0};
	int rc = ta_where_read(h, &now);

	if (rc == 0)
		rc = ta_where_check(&r->where, &now, err);
	if (rc == 0 && r->torn)
		rc = ta_state_cut(s, r->number, r->whole, err);
	if (rc == 0 && !r->confirmed)
		rc = say_confirmed(s, r, who, has_files(r), err);
	if (rc == 0 && ta_confirm_is_unfinished(r))
		rc = write_files(h, s, who, r, err);
	return rc;
}
