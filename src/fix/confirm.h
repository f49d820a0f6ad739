/*
 * Runs that undo themselves unless they are confirmed in time.
 *
 * Such a run says so in the first line of its journal. A supervisor (host/supervisor.h) is there before its first change. When
 * all is made and verified the run is "pending" until `due_ms`; then whoever holds the lock decides: `confirm` makes it
 * "applied", the supervisor "rolled-back". Until then nothing is written that the next start of the host would read, so that
 * a restart undoes it too.
 */
#pragma once

#include "fix/apply.h"
#include "fix/rollback.h"

/* What a supervisor has to do about its run. */
enum ta_confirm_next {
	TA_CONFIRM_WAIT,
	TA_CONFIRM_UNDO, /* its time is over, or whoever made it has died in the middle */
	TA_CONFIRM_OVER, /* confirmed, put back, or failed: nothing */
};

/* `maker_lives`: the program that makes the changes, which has the run to itself as long as it has no end. */
enum ta_confirm_next ta_confirm_next(const struct ta_run *r, int64_t now_ms, bool maker_lives);

/* Seconds until it undoes itself, rounded up; negative: so long it should have done so. */
int64_t ta_confirm_left_s(const struct ta_run *r, int64_t now_ms);

/*
 * For who reads and does not write: what the run is at this moment. One that is lost is "rolled-back", of one that waits
 * left_s is set. 0 or -ENOMEM.
 */
int ta_confirm_refresh(struct ta_run *r, const struct ta_where *now, int64_t now_ms);

/* Was it waiting, or being made, when the host went down? Then all of it is gone: `now` is another boot of the same host. */
bool ta_confirm_is_lost(const struct ta_run *r, const struct ta_where *now);

/* What history and the journal say of such a run. */
#define TA_CONFIRM_LOST_NOTE "the host was restarted before it was confirmed"

/*
 * Marks such runs as rolled back, with that reason; `s` is open to write. *ret_run: the newest of them, 0: none. Journals that
 * cannot be read or written: -errno, with `err`.
 */
int ta_confirm_settle_after_boot(struct ta_host *h, struct ta_state *s, unsigned *ret_run, struct ta_err *err);

/*
 * Undoes the run because it was not confirmed; as ta_rollback_run(), with the reason in the journal. `why`: NULL, because its
 * time is over or it was interrupted.
 */
int ta_confirm_undo(struct ta_host *h, struct ta_state *s, struct ta_run *r, const char *why, enum ta_rollback_end *ret_end,
	struct ta_err *err);

/* True if it was confirmed, and files that were put off till then are not all written yet. */
bool ta_confirm_is_unfinished(const struct ta_run *r);

/*
 * The newest run that waits to be confirmed or whose files are to be finished, else the newest that ever had to be confirmed or
 * is interrupted; ret->number 0: there is none. `ret` is the caller's to free.
 */
int ta_confirm_find(struct ta_state *s, struct ta_run *ret, struct ta_err *err);

bool ta_confirm_is_pending(const struct ta_run *r);

/*
 * Keeps the run: from the moment that the journal says so it holds, whatever happens then; afterwards come the files that were put
 * off. Also for a run of which only those are missing. 0; -EIO: it is kept, but for some files (`err` names the first, the
 * changes of `r` tell, and a second time may succeed); -EXDEV (made on another host or in another network namespace), or what
 * the journal says: nothing has changed then.
 */
int ta_confirm_keep(struct ta_host *h, struct ta_state *s, const char *who, struct ta_run *r, struct ta_err *err);
