#include "cli/keeping.h"

#include "cli/caller.h"

#define CONFIRM_S 60

static int tell(enum ta_apply_end end, const struct ta_run *run, const struct ta_err *err, unsigned *ret_run, struct ta_buf *note)
{
	if (end == TA_APPLY_DONE) {
		*ret_run = run->number;
		if (run->confirm_within_s)
			ta_buf_printf(note, "What is kept may take a link down: it is undone in %u s unless 'tuneaudit confirm' comes.",
				run->confirm_within_s);
		return TA_EXIT_OK;
	}
	ta_buf_printf(note, "What was proven better could not be kept: %s", err->text);
	if (end == TA_APPLY_STUCK)
		return ta_cli_fail(TA_EXIT_STUCK, "%s; not everything could be put back", err->text);
	return ta_cli_fail(TA_EXIT_RESTORED, "nothing is kept: %s", err->text);
}

int ta_keeping_make(const struct ta_keeping *k, unsigned *ret_run, struct ta_buf *note)
{
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT;
	ta_cleanup_run struct ta_run run = {0};
	struct ta_arming arming = k->arming;
	struct ta_apply apply = {.host = arming.host, .state = k->state, .profile = k->profile, .tool = TA_VERSION, .stop = k->stop,
		.items = k->items, .n = k->n, .confirm_within_s = k->flaps ? CONFIRM_S : 0, .arm = ta_arming_start, .arm_ctx = &arming};
	enum ta_apply_end end;
	struct ta_err err = {0};

	*ret_run = 0;
	if (!k->n)
		return TA_EXIT_OK;
	ta_caller_who(&who);
	apply.who = ta_buf_text(&who);
	ta_apply_run(&apply, &end, &run, &err);
	return tell(end, &run, &err, ret_run, note);
}
