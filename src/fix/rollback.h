/*
 * Taking back what earlier runs did.
 */
#pragma once

#include "fix/undo.h"

struct ta_rollback {
	struct ta_host *host;
	struct ta_state *state; /* opened for writing */
	bool force;
	const char *note; /* why, for the journal; or NULL */
};

/* How a rollback of a run came out; the larger is the worse. */
enum ta_rollback_end {
	TA_ROLLBACK_DONE,
	TA_ROLLBACK_LEFT,  /* some values are somebody else's now, or their device is gone */
	TA_ROLLBACK_STUCK, /* some could not be put back */
};

/*
 * Puts back one run, as `r` was read; `only`: the one change of that number, 0: all. 0, -EXDEV (the run was made on another
 * host or in another network namespace), -ENOENT (no such change), -ENOMEM; nothing was written then. The changes of `r` tell
 * what became of each.
 */
int ta_rollback_run(const struct ta_rollback *b, struct ta_run *r, unsigned only, enum ta_rollback_end *ret_end,
	struct ta_err *err);

/* True if something of the run may still be in force. */
bool ta_run_is_open(const struct ta_run *r);
