#include "cli/changing.h"

#include <errno.h>

#include "base/num.h"
#include "fix/apply.h"
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
	ta_cleanup_buf struct ta_buf command = TA_BUF_INIT, words = TA_BUF_INIT;
	struct ta_err err = {0};
	unsigned run;

	if (ta_apply_interrupted(s, &run, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "nothing was changed: %s", err.text);
	ta_buf_printf(&words, "rollback %u", run);
	ta_changing_command(program, ta_buf_text(&words), dir, &command);
	if (run)
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: run %u was interrupted; this puts back what it did:\n"
			"%s", run, ta_buf_text(&command));
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
