/*
 * Keeping what a run changed over a restart of the host: files of ours (ownfile.h), written as further changes of the run, so
 * that its journal knows their bytes and `rollback` takes exactly these out again.
 *
 * What is to be kept stands in the journal (struct ta_keep) from the beginning of the run: whoever writes it need not be the
 * process that made the changes.
 */
#pragma once

#include <signal.h>

#include "fix/undo.h"

struct ta_persist {
	struct ta_host *host;
	struct ta_state *state; /* opened for writing */
	const volatile sig_atomic_t *stop; /* not 0: a signal has come; NULL: none is looked for */
};

/*
 * Adds to what the run is to keep the lines that others need: modules that sysctls come with, and what starts 'tuneaudit boot' on
 * this host. 0, -EPERM (this program is where others may write it, and must not be started as root), -ENOMEM, with text.
 */
int ta_persist_complete(struct ta_host *h, struct ta_run *r, struct ta_err *err);

/*
 * Could these be written? Nothing is: files of our name that are not ours, links on the way, a /etc that is read-only. For
 * before anything is changed. 0 or -errno with the text for the user.
 */
int ta_persist_check(struct ta_host *h, const struct ta_keep *keeps, size_t n, struct ta_err *err);

/*
 * Writes all that `r` is to keep, and reads it back; the run has these changes more then, each journaled before and after, and
 * wants its `end`. Of no keeps, or where they are written already: 0, and nothing is done. On failure, or a signal, the files that were
 * written are put back: -errno with text (-EINTR: a signal); the changes of `r` say if one could not be.
 */
int ta_persist_run(const struct ta_persist *p, struct ta_run *r, struct ta_err *err);

/*
 * Change `number` of the run was put back alone: its lines leave the files of the run. 0, -EBADMSG (somebody edited a file: it is
 * left), or another error, with text.
 */
int ta_persist_forget(struct ta_host *h, const struct ta_run *r, unsigned number, struct ta_err *err);

/* True for a change that is a file which keeps others. */
bool ta_persist_is_file(const struct ta_change *c);
