/*
 * Putting changes back, exactly: only what is still ours, with what moved along with it.
 */
#pragma once

#include "fix/journal.h"

struct ta_undo {
	struct ta_host *host;
	struct ta_state *state;
	bool same_boot; /* the run was made since the host was started */
	bool force;	/* also what somebody else has set since */
	bool no_journal; /* it cannot be added to */
	bool again;	/* set by ta_undo_run(): it is its second round */
	bool kept;	/* set by ta_undo_run(): a line of ours sets this change again at each start */
	/*
	 * The journal could not be written at some time, with the first reason: values are put back all the same, since what
	 * they were is on the disk already.
	 */
	int journal_error;
	struct ta_err journal_why;
};

/*
 * Puts one change back if that is due. c->state becomes UNDONE (c->note NULL, or why there was nothing to do), LEFT (somebody
 * else's, or its device is gone; c->note says) or STUCK (c->note: the error). 0 or -ENOMEM.
 */
int ta_undo_change(struct ta_undo *u, unsigned run, struct ta_change *c);

/*
 * All changes of the run, last one first, and once more those that were stuck; `only` (0: all) picks one by its number.
 * 0 or -ENOMEM; the states tell.
 */
int ta_undo_run(struct ta_undo *u, struct ta_run *r, unsigned only);

/* True if there is nothing (more) to put back. */
bool ta_change_is_undone(const struct ta_change *c);
