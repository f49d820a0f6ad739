/*
 * Keeping and undoing what waits to be confirmed, for `confirm` and for `apply`, which can be answered where it waits.
 */
#pragma once

#include <signal.h>

#include "cli/command.h"
#include "report/change.h"

struct ta_confirming {
	struct ta_cli *cli;
	struct ta_host *host;
	const char *dir; /* of --state; NULL: the default */
	struct ta_report_options o;
};

/* What `tuneaudit confirm` does; prints, and returns an exit code. `run`: this one only; 0: whichever waits. */
int ta_confirming_keep(const struct ta_confirming *c, unsigned run);

/* Undoes the run `run` if it still waits; `why` for the journal. An exit code: 5 undone, 6 not all of it, 0 kept by somebody else. */
int ta_confirming_undo(const struct ta_confirming *c, unsigned run, const char *why);

/*
 * Counts down on the terminal until the run is kept or undone, here (y, Ctrl-C) or elsewhere. `stop` as of
 * ta_caller_watch_signals(). An exit code.
 */
int ta_confirming_wait(const struct ta_confirming *c, unsigned run, const volatile sig_atomic_t *stop);

/* Says how a run that waited has ended, and gives the exit code of the apply that made it. */
int ta_confirming_tell_end(const struct ta_confirming *c, const struct ta_run *r);

/*
 * As ta_changing_open(), but waits for others who have the lock, who in this matter are soon done: `always`, or while the newest
 * run is one that is not confirmed, which its supervisor may be undoing.
 */
int ta_confirming_open(const struct ta_confirming *c, bool always, struct ta_state **ret);
