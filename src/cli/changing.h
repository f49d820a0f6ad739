/*
 * What the commands that change the host, or tell what was changed, have in common.
 */
#pragma once

#include "cli/command.h"
#include "host/state.h"
#include "report/change.h"

#define TA_OPTION_STATE(type, member)                                                              \
	{                                                                                          \
		.name = "state", .arg = "DIR", .kind = TA_OPT_STRING,                              \
		.help = "where it is kept what was changed (default " TA_STATE_DIR ")",            \
		.offset = offsetof(type, member)                                                   \
	}

/* Opens the state directory to write (`dir` NULL: the default), or says why not and returns an exit code. */
int ta_changing_open(struct ta_host *h, const char *dir, struct ta_state **ret);

/* False: nothing was ever changed. */
bool ta_changing_is_there(struct ta_host *h, const char *dir);

/* A run that was interrupted has to be undone before another one begins. */
int ta_changing_check_interrupted(struct ta_state *s, const char *program, const char *dir);

/*
 * Runs that a restart of the host has undone are marked so, which is said; `s` is open to write. An exit code.
 */
int ta_changing_settle(struct ta_host *h, struct ta_state *s);

/* The same; then refuses (75, or 1 where nobody will undo it) while a run waits to be confirmed. */
int ta_changing_check_pending(struct ta_host *h, struct ta_state *s, const char *program, const char *dir);

/* The refusal alone, before anything is asked or opened to write: what is in force now may not be for long. */
int ta_changing_check_waiting(struct ta_host *h, const char *program, const char *dir);

/* What a person would type: "tuneaudit COMMAND --state DIR", without the option where `dir` is NULL. */
void ta_changing_command(const char *program, const char *command, const char *dir, struct ta_buf *ret);

/* A paragraph at the end of the output, wrapped. */
void ta_changing_say(const struct ta_report_options *o, const char *text, struct ta_buf *out);

/* "7": 7. -1 after a message. */
int64_t ta_changing_number(const char *what, const char *text);
