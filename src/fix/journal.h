/*
 * What was changed, and how to take it back: lines of JSON in the state directory, one run a file.
 *
 *   run     who, when, where, which profile; in how many seconds it has to be confirmed, if it has to be
 *   keep    lines for a file of ours that keep a change over a restart, to be written once the run is to stay
 *   later   a change that is not made before that: a file that the next start of the host would read
 *   intent  before a write: target, value before, value wished, what may move with it
 *   done    after it: the value read back ("ours" from now on), and what moved with it
 *   failed  the write was refused, or had no effect
 *   undo    before a value is put back: what those that move with it are to be in the end
 *   undone | left | stuck   it is as before | somebody else's now | could not be put back
 *   end     the state the run is in from now on, and why; several of them, the last one counts
 *
 * Each line ends with a sum over itself, so that a line somebody changed is known; a last line without end was never
 * whole on the disk, and what it would have announced never happened. Targets and values are held against the
 * tables of the knobs when they are read.
 */
#pragma once

#include "fix/step.h"
#include "fix/where.h"
#include "host/state.h"

struct json_object;

enum ta_change_state {
	TA_CHANGE_INTENT, /* written or not: nobody knows */
	TA_CHANGE_DONE,
	TA_CHANGE_FAILED, /* refused; parts of a vector may have been taken */
	TA_CHANGE_UNDO,   /* being put back, or a put back that was interrupted */
	TA_CHANGE_UNDONE,
	TA_CHANGE_LEFT,
	TA_CHANGE_STUCK,
	TA_CHANGE_LATER, /* not written before the run is confirmed */
};

const char *ta_change_state_name(enum ta_change_state s); /* "intent", "done" … */

/* What moves with a change. */
struct ta_coupled {
	const struct ta_knob *knob;
	char *target;
	char *before;
	char *value; /* after the write; NULL: not known */
	char *goal;  /* what it is to be when the change is put back; NULL: not worked out yet */
};

struct ta_change {
	unsigned number; /* from 1 */
	char *rule;	 /* "tcp.rmem.max, tcp.rmem.default" */
	char *why;	 /* the rule's title */
	char *disruption;
	const struct ta_knob *knob;
	char *target, *device, *before, *after; /* as in a step */
	char *value; /* read back after the write; NULL: not known */
	char *stuck_at; /* of TA_CHANGE_STUCK: what was there then; NULL: not known */
	struct ta_coupled *coupled;
	size_t n_coupled;
	enum ta_change_state state;
	bool later; /* was put off until the run is confirmed */
	bool taken_back; /* was made, and somebody has put it back, or has begun to */
	bool taken_back_late; /* … after the run was confirmed */
	bool gone; /* of TA_CHANGE_LEFT, as just found: there is nothing to write to; not kept */
	char *remark; /* beside a change that holds, of the moment it was made; not kept; or NULL */
	char *note; /* what went wrong or was left, as it was last said; or NULL */
};

/* Lines that keep a change over a restart: whole ones, for a file of ours (ownfile.h). */
struct ta_keep {
	unsigned change; /* its number; 0: what several of them need */
	char *file, *text;
};

/* What the change that writes such a file has in place of a rule. */
#define TA_KEEP_RULE "persist"
/* The longest time that a run may wait for its confirmation. */
#define TA_CONFIRM_MAX_S 3600

/* The end of the year 9999: json-c makes INT64_MAX of every number that is too long. */
#define TA_RUN_TIME_MAX 253402300799

struct ta_run {
	unsigned number;
	int64_t time; /* seconds since the epoch */
	struct ta_where where;
	char *who, *profile, *tool;
	unsigned confirm_within_s; /* 0: it holds without being confirmed */
	int64_t due_ms;	/* of "pending": when it undoes itself, as ta_host_uptime_ms() */
	bool confirmed; /* it was "applied" at some time */
	bool unfinished; /* … and files that were to be written then are not known to be */
	struct ta_change *changes;
	size_t n;
	struct ta_keep *keeps;
	size_t n_keeps;
	char *state; /* of the last `end`; NULL: the run was interrupted */
	char *note;  /* why it came to that; or NULL */
	int64_t left_s; /* of "pending", as just found: until it undoes itself; not kept */
	size_t whole; /* bytes of whole lines */
	bool torn;    /* there is a piece of a line behind them */
};

#define ta_cleanup_run ta_cleanup(ta_run_done)
void ta_run_done(struct ta_run *r);

/*
 * Untrusted bytes to a run. 0, -EBADMSG (malformed, edited, outside the tables; `err` names the line), -EPROTO (of a newer
 * version), -ENODATA (not even its first line was written: nothing happened), -ENOMEM.
 */
int ta_run_parse(const char *text, size_t len, unsigned number, struct ta_run *ret, struct ta_err *err);

/* ta_state_read() and ta_run_parse(); `err` names the file. */
int ta_run_read(struct ta_state *s, unsigned number, struct ta_run *ret, struct ta_err *err);

/* A change behind the others of the run, with copies of the step's texts; NULL: out of memory (it may be there in part). */
struct ta_change *ta_run_add(struct ta_run *r, const struct ta_step *step);
void ta_run_drop_last(struct ta_run *r); /* if there is one */
struct ta_coupled *ta_change_add_coupled(struct ta_change *c, const struct ta_knob *knob, const char *target,
	const char *before);

/* NULL: out of memory. */
struct ta_keep *ta_run_add_keep(struct ta_run *r, unsigned change, const char *file, const char *text);
void ta_change_drop_coupled(struct ta_change *c);

/* Sets a text of a change; false: out of memory. */
bool ta_set_text(char **slot, const char *text);

/* --- writing: each is on the disk when it returns 0 -------------------------------- */

int ta_journal_run(struct ta_state *s, const struct ta_run *r, struct ta_err *err);
int ta_journal_keep(struct ta_state *s, unsigned run, const struct ta_keep *k, struct ta_err *err);
/* A change in TA_CHANGE_LATER, with what is known of it before its intent. */
int ta_journal_later(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err);
int ta_journal_intent(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err);
int ta_journal_done(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err);
int ta_journal_undo(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err);
/* failed, undone, left, stuck: by c->state, with c->note. */
int ta_journal_state(struct ta_state *s, unsigned run, const struct ta_change *c, struct ta_err *err);
int ta_journal_end(struct ta_state *s, unsigned run, const char *state, struct ta_err *err);
/* The same with the reason; NULL: none. */
int ta_journal_end_since(struct ta_state *s, unsigned run, const char *state, const char *note, struct ta_err *err);
/* "applied" since it was confirmed; `unfinished`: files are still to be written. */
int ta_journal_confirmed(struct ta_state *s, unsigned run, const char *note, bool unfinished, struct ta_err *err);
/* Done and verified, and undone at `due_ms` unless it is confirmed before. */
int ta_journal_pending(struct ta_state *s, unsigned run, int64_t due_ms, struct ta_err *err);
