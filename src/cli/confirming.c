#include "cli/confirming.h"

#include <errno.h>
#include <string.h>

#include "cli/caller.h"
#include "cli/changing.h"
#include "cli/pause.h"
#include "fix/confirm.h"

#define TURN_MS 50
#define PATIENCE_MS 10000

static bool waits(const struct ta_confirming *c)
{
	ta_cleanup_state struct ta_state *s = NULL;
	ta_cleanup_run struct ta_run r = {0};

	return ta_state_open(c->host, c->dir ? c->dir : TA_STATE_DIR, false, &s, NULL) == 0 && ta_confirm_find(s, &r, NULL) == 0 &&
	       r.confirm_within_s && !r.confirmed && (!r.state || ta_confirm_is_pending(&r));
}

int ta_confirming_open(const struct ta_confirming *c, bool always, struct ta_state **ret)
{
	const char *dir = c->dir ? c->dir : TA_STATE_DIR;
	struct ta_err err = {0};

	for (int ms = 0; ms < PATIENCE_MS; ms += TURN_MS) {
		int rc = ta_state_open(c->host, dir, true, ret, &err);

		if (rc == 0)
			return TA_EXIT_OK;
		if (rc != -EWOULDBLOCK || !(always || waits(c)))
			break;
		ta_pause_ms(TURN_MS);
	}
	return ta_changing_open(c->host, c->dir, ret);
}

/* --- what there is to say ------------------------------------------------------------- */

static void add_command(const struct ta_confirming *c, const char *words, struct ta_buf *b)
{
	ta_changing_command(c->cli->program, words, c->dir, b);
}

/* There is nothing to keep, and this is why. */
static int nothing(const struct ta_confirming *c, const struct ta_run *r)
{
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT, command = TA_BUF_INIT;

	if (!r->number)
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing waits to be confirmed");
	if (!r->state) {
		ta_buf_printf(&words, "rollback %u", r->number);
		add_command(c, ta_buf_text(&words), &command);
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing is kept: run %u was interrupted; this puts back what it did:\n%s",
			r->number, ta_buf_text(&command));
	}
	return ta_cli_fail(TA_EXIT_FINDINGS, "nothing waits to be confirmed: run %u is %s already%s%s", r->number,
		ta_run_state_name(r), r->note ? ": " : "", r->note ? r->note : "");
}

static int tell_kept(const struct ta_confirming *c, const struct ta_run *r, bool files)
{
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT;
	struct ta_buf *out = &c->cli->out;

	ta_buf_printf(out, "Run %u is kept.\n", r->number);
	if (files)
		ta_report_changes(r, &c->o, out);
	ta_buf_printf(&words, "rollback %u", r->number);
	ta_buf_adds(out, "To undo: ");
	add_command(c, ta_buf_text(&words), out);
	ta_buf_addc(out, '\n');
	c->cli->unseen = "the run is kept ('tuneaudit history' tells it)";
	return TA_EXIT_OK;
}

static int keep(const struct ta_confirming *c, struct ta_state *s, struct ta_run *r)
{
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT, command = TA_BUF_INIT;
	struct ta_err err = {0};
	bool files = r->n_keeps > 0;
	int rc;

	ta_caller_who(&who);
	for (size_t i = 0; i < r->n; i++)
		files = files || r->changes[i].later;
	/* It is made to an end: what is kept has its files. */
	ta_caller_watch_signals();
	rc = ta_confirm_keep(c->host, s, ta_buf_text(&who), r, &err);
	if (rc == 0)
		return tell_kept(c, r, files);
	if (!r->confirmed)
		return ta_cli_fail(rc == -EXDEV ? TA_EXIT_USAGE : TA_EXIT_RESTORED, "run %u is not confirmed, and will be undone: %s",
			r->number, err.text);
	ta_report_changes(r, &c->o, &c->cli->out);
	add_command(c, "confirm", &command);
	return ta_cli_fail(TA_EXIT_RESTORED, "run %u is kept, but not over a restart of the host: %s; once more:\n%s", r->number,
		err.text, ta_buf_text(&command));
}

/* --- keeping and undoing ------------------------------------------------------------------ */

/* Is it being made at this moment? Then it is too early: whoever confirms wants to have seen all of it. */
static int check_too_early(const struct ta_confirming *c)
{
	ta_cleanup_state struct ta_state *s = NULL;
	ta_cleanup_run struct ta_run r = {0};

	if (ta_state_open(c->host, c->dir ? c->dir : TA_STATE_DIR, false, &s, NULL) < 0 ||
		ta_confirm_find(s, &r, NULL) < 0 || !r.number || r.state || r.confirmed || !ta_state_is_held(s))
		return TA_EXIT_OK;
	for (size_t i = 0; i < r.n; i++)
		if (r.changes[i].state != TA_CHANGE_INTENT && r.changes[i].state != TA_CHANGE_DONE)
			return TA_EXIT_OK; /* being put back */
	return ta_cli_fail(TA_EXIT_LOCKED, "nothing is kept: run %u is still being made; confirm it when that is done", r.number);
}

int ta_confirming_keep(const struct ta_confirming *c, unsigned run)
{
	ta_cleanup_state struct ta_state *s = NULL;
	ta_cleanup_run struct ta_run r = {0};
	struct ta_err err = {0};
	int code = TA_EXIT_OK;

	if (!ta_changing_is_there(c->host, c->dir))
		return nothing(c, &r);
	if (!run)
		code = check_too_early(c);
	if (code == TA_EXIT_OK)
		code = ta_confirming_open(c, true, &s);
	if (code == TA_EXIT_OK)
		code = ta_changing_settle(c->host, s);
	if (code != TA_EXIT_OK)
		return code;
	if ((run ? ta_run_read(s, run, &r, &err) : ta_confirm_find(s, &r, &err)) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "nothing is kept: %s", err.text);
	if (ta_confirm_is_pending(&r) || ta_confirm_is_unfinished(&r))
		return keep(c, s, &r);
	return nothing(c, &r);
}

int ta_confirming_undo(const struct ta_confirming *c, unsigned run, const char *why)
{
	ta_cleanup_state struct ta_state *s = NULL;
	ta_cleanup_run struct ta_run r = {0};
	enum ta_rollback_end end;
	struct ta_err err = {0};
	int code = ta_confirming_open(c, true, &s), rc;

	if (code != TA_EXIT_OK)
		return code;
	rc = ta_run_read(s, run, &r, &err);
	if (rc == 0 && ta_confirm_is_pending(&r))
		rc = ta_confirm_undo(c->host, s, &r, why, &end, &err);
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_STUCK, "run %u is not undone: %s", run, err.text);
	return ta_confirming_tell_end(c, &r);
}

int ta_confirming_tell_end(const struct ta_confirming *c, const struct ta_run *r)
{
	struct ta_buf *out = &c->cli->out;

	if (r->confirmed) {
		ta_buf_printf(out, "Run %u is kept: %s.\n", r->number, r->note ? r->note : "confirmed");
		return TA_EXIT_OK;
	}
	ta_buf_printf(out, "Run %u: %s%s%s.\n", r->number, ta_run_state_name(r), r->note ? ", " : "", r->note ? r->note : "");
	ta_report_changes(r, &c->o, out);
	ta_report_stuck(r, &c->o, out);
	if (!ta_run_is_open(r))
		return ta_cli_fail(TA_EXIT_RESTORED, "run %u was not confirmed; everything was put back", r->number);
	return ta_cli_fail(TA_EXIT_STUCK, "run %u was not confirmed; not everything could be put back", r->number);
}
