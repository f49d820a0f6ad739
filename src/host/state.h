/*
 * The directory where it is kept what was changed: /var/lib/tuneaudit, or --state DIR. One file of lines for each
 * run, "7.jsonl"; one lock. Lines are only added, and each is on the disk before the caller goes on.
 *
 * The directory is ours alone: made 0700; refused (-EKEYREJECTED) if it is a link, belongs to somebody else or can be written by
 * others, and the same for the files in it. Writing calls are changes: a fault host counts and fails them.
 */
#pragma once

#include "host/host.h"

#define TA_STATE_DIR "/var/lib/tuneaudit"
#define TA_STATE_FILE_MAX (8u << 20) /* of one run; more is not ours */
#define TA_STATE_RUNS_MAX 100000

struct ta_state;

/*
 * `write`: the directory is made if missing (its parent must be there) and the lock is taken: -EWOULDBLOCK while
 * another run has it. Else -ENOENT if there is none.
 */
int ta_state_open(struct ta_host *h, const char *dir, bool write, struct ta_state **ret, struct ta_err *err);
struct ta_state *ta_state_close(struct ta_state *s); /* NULL allowed; returns NULL */
void ta_state_closep(struct ta_state **s);
#define ta_cleanup_state ta_cleanup(ta_state_closep)

/*
 * Takes the lock of a directory that was opened to be read, so that it can be written from then on. -EWOULDBLOCK: another run
 * has it. On a file system that cannot be written the lock is taken all the same; what cannot be locked at all gives
 * another error.
 */
int ta_state_lock(struct ta_state *s, struct ta_err *err);
void ta_state_unlock(struct ta_state *s);

/*
 * The process that has the lock (flock(2)), by /proc/locks. -ESRCH: none that can be seen from here.
 */
int ta_state_holder(struct ta_state *s, int64_t *ret_pid);

/* Is somebody else changing this host at this moment? Of one that was opened to be read. */
bool ta_state_is_held(const struct ta_state *s);

/* The numbers of the runs, rising. The caller frees *ret. */
int ta_state_runs(struct ta_state *s, unsigned **ret, size_t *ret_n, struct ta_err *err);

/* The whole text of a run. -EFBIG above TA_STATE_FILE_MAX. */
int ta_state_read(struct ta_state *s, unsigned run, struct ta_buf *ret, struct ta_err *err);

/* From now on this run's file, one at a time, is read by the descriptor that is opened here, whatever becomes of its name. */
int ta_state_hold(struct ta_state *s, unsigned run, struct ta_err *err);

/* A new run, numbered behind all that are there; its file is empty and on the disk. */
int ta_state_new(struct ta_state *s, unsigned *ret_run, struct ta_err *err);

/* Adds `line` (without newline) and waits until the disk has it. A line that did not get whole is taken away again. */
int ta_state_append(struct ta_state *s, unsigned run, const char *line, struct ta_err *err);

/* Cuts the file to `size` bytes: what a power cut left of its last line. */
int ta_state_cut(struct ta_state *s, unsigned run, size_t size, struct ta_err *err);
