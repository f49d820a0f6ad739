#include "cli/changing.h"

#include <errno.h>

#include "base/num.h"
#include "fix/confirm.h"
#include "report/text.h"

int ta_changing_open(struct ta_host *h, const char *dir, struct ta_state **ret)
{
	struct ta_err err = {0};
	int rc = ta_state_open(h, dir ? dir : TA_STATE_DIR, true, ret, &err);

	if (rc == 0)
		return TA_EXIT_OK;
	if (rc == -EWOULDBLOCK)
		return ta_cli_fail(TA_EXIT_LOCKED, "nothing was changed: %s", err.text);
	return ta_cli_fail(rc == -EKEYREJECTED ? TA_EXIT_USAGE : TA_EXIT_RESTORED,
		"nothing was changed, since the journal cannot be written: %s%s", err.text,
		rc == -EROFS ? "; a copy of that directory where it can be written will do (--state COPY)" : "");
}

bool ta_changing_is_there(struct ta_host *h, const char *dir)
{
	ta_cleanup_state struct ta_state *s = NULL;

	return ta_state_open(h, dir ? dir : TA_STATE_DIR, false, &s, NULL) != -ENOENT;
}

void ta_changing_command(const char *program, const char *command, const char *dir, struct ta_buf *ret)
{
	ta_buf_printf(ret, "%s %s", program, command);
	if (dir) {
		ta_buf_adds(ret, " --state ");
		ta_shell_quote(ret, dir);
	}
}

int ta_changing_check_interrupted(struct ta_state *s, const char *program, const char *dir)
{
	ta_cleanup_buf struct ta_buf undo = TA_BUF_INIT, finish = TA_BUF_INIT, words = TA_BUF_INIT;
	ta_cleanup_run struct ta_run r = {0};
	struct ta_err err = {0};
	unsigned run;

	if (ta_apply_interrupted(s, &run, &err) < 0 || (run && ta_run_read(s, run, &r, &err) < 0))
		return ta_cli_fail(TA_EXIT_USAGE, "nothing was changed: %s", err.text);
	if (!run)
		return TA_EXIT_OK;
	ta_buf_printf(&words, "rollback %u", run);
	ta_changing_command(program, ta_buf_text(&words), dir, &undo);
	ta_changing_command(program, "confirm", dir, &finish);
	if (ta_confirm_is_unfinished(&r))
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: run %u is kept, but not all files that keep it over a restart "
			"are known to be written; this writes them, and this puts back what it did:\n%s\n%s", run,
			ta_buf_text(&finish), ta_buf_text(&undo));
	return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: run %u was interrupted; this puts back what it did:\n%s", run,
		ta_buf_text(&undo));
}

/* Another change on top of one that may go away at any moment could not be put back exactly. */
static int refuse_pending(struct ta_host *h, const struct ta_run *r, const char *program, const char *dir)
{
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT, keep = TA_BUF_INIT, undo = TA_BUF_INIT;
	int64_t now = 0, left;

	ta_buf_printf(&words, "rollback %u", r->number);
	ta_changing_command(program, "confirm", dir, &keep);
	ta_changing_command(program, ta_buf_text(&words), dir, &undo);
	ta_host_uptime_ms(h, &now);
	left = ta_confirm_left_s(r, now);
	if (left > 0)
		return ta_cli_fail(TA_EXIT_LOCKED, "nothing was changed: run %u undoes itself in %lld s unless it is confirmed; this "
			"keeps it, and this undoes it now:\n%s\n%s", r->number, (long long)left, ta_buf_text(&keep),
			ta_buf_text(&undo));
	return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: run %u should have undone itself %lld s ago, and what would do "
		"it is gone; this undoes it, and this keeps it:\n%s\n%s", r->number, (long long)-left, ta_buf_text(&undo),
		ta_buf_text(&keep));
}

int ta_changing_check_waiting(struct ta_host *h, const char *program, const char *dir)
{
	ta_cleanup_state struct ta_state *s = NULL;
	ta_cleanup_where struct ta_where now = {0};
	ta_cleanup_run struct ta_run r = {0};

	/* What stands against it is said by who opens it to write. */
	if (ta_state_open(h, dir ? dir : TA_STATE_DIR, false, &s, NULL) < 0 || ta_confirm_find(s, &r, NULL) < 0 ||
		!ta_confirm_is_pending(&r) || ta_where_read(h, &now) < 0 || ta_confirm_is_lost(&r, &now))
		return TA_EXIT_OK;
	return refuse_pending(h, &r, program, dir);
}

int ta_changing_check_pending(struct ta_host *h, struct ta_state *s, const char *program, const char *dir)
{
	ta_cleanup_run struct ta_run r = {0};
	struct ta_err err = {0};
	int code = ta_changing_settle(h, s);

	if (code != TA_EXIT_OK)
		return code;
	if (ta_confirm_find(s, &r, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "nothing was changed: %s", err.text);
	return ta_confirm_is_pending(&r) ? refuse_pending(h, &r, program, dir) : TA_EXIT_OK;
}

int ta_changing_settle(struct ta_host *h, struct ta_state *s)
{
	struct ta_err err = {0};
	unsigned lost;

	if (ta_confirm_settle_after_boot(h, s, &lost, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "nothing was changed: %s", err.text);
	if (lost)
		ta_cli_fail(0, "run %u is undone: " TA_CONFIRM_LOST_NOTE, lost);
	return TA_EXIT_OK;
}

void ta_changing_say(const struct ta_report_options *o, const char *text, struct ta_buf *out)
{
	ta_text_wrap(out, text, o->columns, 0, 0);
	ta_buf_addc(out, '\n');
}

int64_t ta_changing_number(const char *what, const char *text)
{
	uint64_t v;

	if (ta_parse_u64(text, &v) < 0 || v < 1 || v > UINT32_MAX)
		return ta_cli_fail(-1, "'%s' is no number of a %s; 'tuneaudit history' shows them", text, what);
	return (int64_t)v;
}
