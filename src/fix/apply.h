/*
 * Making changes, each of them undoable before it is made. If one fails, everything that was done is put back, in reverse.
 */
#pragma once

#include <signal.h>

#include "fix/persist.h"

/* One write that is asked for: a step with its `before`, and what the journal says of it. */
struct ta_apply_item {
	const struct ta_step *step;
	const char *rule, *why, *disruption;
	const char *keep_file, *keep_text; /* the lines that keep it over a restart, or NULL */
};

struct ta_apply {
	struct ta_host *host;
	struct ta_state *state; /* opened for writing */
	const char *who, *profile, *tool;
	/*
	 * Not 0: the run is "pending" at its end, for so many seconds. arm() starts the supervisor of the run, whose
	 * journal has its first line, and returns when that is ready to undo it: 0 or -errno with text, and then nothing
	 * is changed.
	 */
	unsigned confirm_within_s;
	int (*arm)(unsigned run, void *ctx, struct ta_err *err);
	void *arm_ctx;
	const volatile sig_atomic_t *stop; /* not 0: a signal has come; looked at between two writes */
	const struct ta_apply_item *items;
	size_t n;
	bool runtime_only; /* nothing is kept over a restart, whatever the items say */
	/* Before each change, from 1 on: for who waits; or NULL. */
	void (*making)(size_t number, size_t of);
	/* Waits so many seconds, and may say so; NULL: nothing is waited for. */
	void (*pause)(unsigned seconds, void *ctx);
	void *pause_ctx;
	/*
	 * All is made and read back, nothing is kept or confirmed yet: 0, or -errno with text, and all is put back. Within 30 s, or
	 * the supervisor takes it for dead. NULL: nobody is asked.
	 */
	int (*judge)(void *ctx, struct ta_err *err);
	void *judge_ctx;
};

enum ta_apply_end {
	TA_APPLY_DONE,	  /* all are in force, and kept; of a run to be confirmed, but for those that wait till then */
	TA_APPLY_STALE,	  /* something moved since it was planned; nothing was written */
	TA_APPLY_NOTHING, /* could not begin (the journal cannot be written …); nothing was written */
	TA_APPLY_FAILED,  /* one failed, or a signal came: everything was put back */
	TA_APPLY_STUCK,	  /* … but what the changes of the run say */
};

/*
 * `ret` tells what was done (free it in every case); `err` why it did not come to that. Only -ENOMEM is returned as an error,
 * before anything was written.
 */
int ta_apply_run(const struct ta_apply *a, enum ta_apply_end *ret_end, struct ta_run *ret, struct ta_err *err);

/*
 * Its first half: everything is held against the host, the journal has its first line, the supervisor is there. False: nothing
 * was written, `ret_end` and `err` say why. `ret` is to be freed in every case.
 */
bool ta_apply_begin(const struct ta_apply *a, enum ta_apply_end *ret_end, struct ta_run *ret, struct ta_err *err);

/* True if another change of the run moves that target along. */
bool ta_apply_moves(const struct ta_run *r, const struct ta_change *c);

/*
 * Makes a change of TA_CHANGE_LATER, or one that was put back once more. 0, or -errno with text: nothing was written then, or c->state is TA_CHANGE_FAILED.
 */
int ta_apply_change(struct ta_host *h, struct ta_state *s, struct ta_run *r, struct ta_change *c, struct ta_err *err);

/* The run that has no end (it was killed, or the host went down), or 0. Journals that cannot be read: an error. */
int ta_apply_interrupted(struct ta_state *s, unsigned *ret_run, struct ta_err *err);
