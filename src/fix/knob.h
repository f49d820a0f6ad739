/*
 * A knob is one kind of thing that this program may write: how its present value is read, how a new one is written,
 * and the closed table that says which targets and values are ours at all. One file each in src/fix/knobs/:
 *     const struct ta_knob ta_knob_NAME;
 *
 * A fixer (fixer.h) turns a rule's wish into steps; a step names a knob, a target and a value. Plan, journal,
 * apply and rollback know steps alone, so that a plan from a file and a journal of last year pass the same tables.
 *
 * Values are texts in one canonical form per knob: what read() gives can be compared, printed, journaled, and handed to
 * write() again. They hold no control characters and are at most TA_KNOB_VALUE_MAX bytes; only those of files have several lines.
 */
#pragma once

#include "base/buf.h"
#include "host/host.h"

#define TA_KNOB_VALUE_MAX 65536
#define TA_KNOB_TARGET_MAX 4096

/*
 * Order of writing; undone in reverse. Queue counts make the driver build its tables anew, so they come first, and
 * what points at queues after them.
 */
enum ta_knob_order {
	TA_ORDER_MODULE,
	TA_ORDER_SYSCTL,
	TA_ORDER_QUEUES, /* channels, rings */
	TA_ORDER_NIC,	 /* coalescing, features, queue lengths, qdisc */
	TA_ORDER_RSS,
	TA_ORDER_IRQ,
	TA_ORDER_STEERING, /* XPS, RPS, RFS */
	TA_ORDER_REST,
	TA_ORDER_FILE, /* files of ours that a later start reads */
};

struct ta_step;
struct ta_steps;

/* What a value is for, when it is held against the table. */
enum ta_value_use {
	TA_VALUE_WISHED, /* to be set because a rule wants it: within the range that we ever set */
	TA_VALUE_FOUND,	 /* what the host had, to be put back: right in form, whatever its size */
};

struct ta_knob {
	const char *name; /* "sysctl", "attr", "channels" … as it stands in plans and journals */
	enum ta_knob_order order;
	/* Where the order depends on the target; NULL: `order`. Only for targets that check() has passed. */
	enum ta_knob_order (*order_of)(const char *target);
	bool keeps_link; /* of those: a write never takes the link down */
	bool text; /* its values are whole files, ownfile.h: newlines and tabs may stand in them */
	bool nic; /* its targets begin with an interface's name, up to a blank: see identity.h */

	/*
	 * Is `target` ours to write, and `value` a value for it (NULL: only the target is asked about)? Pure: no I/O, no
	 * facts. 0 or -EPERM (not in the table), -EINVAL (out of range, malformed) with the text for the user.
	 */
	int (*check)(const char *target, const char *value, enum ta_value_use use, struct ta_err *err);

	/* The present value. 0 or -errno of the door, with the text for the user. */
	int (*read)(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err);

	/* Whether write() would be let through from here, without writing; 0 or -errno. NULL: it has to be tried. */
	int (*may)(struct ta_host *h, const char *target);

	/* Sets it. The kernel may clamp: what counts is what read() gives afterwards. 0 or -errno with text. */
	int (*write)(struct ta_host *h, const char *target, const char *value, struct ta_err *err);

	/*
	 * The target that a write to this one makes void, so that a plan cannot set both (vm.dirty_ratio of vm.dirty_bytes), or
	 * NULL. NULL: there is none.
	 */
	const char *(*rival)(const char *target);

	/*
	 * True: a write that was killed may leave something beside the value (a temporary file, an empty directory), so undoing
	 * writes `before` even where it is read back already.
	 */
	bool leaves_traces;

	/* True: undone or not, it may stay as it is while somebody uses it. That is no failure, and is told. */
	bool lingers;

	/*
	 * For lists that wishes add to: what is there and what is wished, in `ret`. NULL: a wish replaces what is there.
	 * 0, -EINVAL.
	 */
	int (*join)(const char *before, const char *wish, struct ta_buf *ret);

	/*
	 * How long somebody else may take to change `target` back, s: so long apply() waits before it looks again. -1: nobody does,
	 * and so is NULL. All targets that somebody may change back have the same answer: it is asked for once.
	 */
	int (*settle_s)(struct ta_host *h, const char *target);

	/* After that: appends what is to be known of `target` although it reads as it was set. NULL: nothing. */
	void (*remark)(struct ta_host *h, const char *target, struct ta_buf *b);

	/* Appends what a person would type to the same effect: shell lines, every word quoted unless plain. */
	void (*command)(const char *target, const char *value, struct ta_buf *b);

	/*
	 * What else a write to `target` may move (vm.dirty_ratio with vm.dirty_bytes; the RSS table with the channels): appended
	 * to `ret` as steps whose `before` the engine reads and journals, and writes back after undoing this one where it
	 * differs. NULL: nothing. `h` serves to find which of them there are. A value that cannot be written because another
	 * member of the group rules (vm.dirty_bytes 0) is written by doing nothing, 0: the group is compared at the end.
	 */
	int (*coupled)(struct ta_host *h, const char *target, struct ta_steps *ret, struct ta_err *err);
};

extern const struct ta_knob *const ta_knobs[]; /* generated */
extern const size_t ta_n_knobs;

const struct ta_knob *ta_knob_find(const char *name);

enum ta_knob_order ta_knob_order(const struct ta_knob *knob, const char *target);

/*
 * check() of the named knob; -EPERM for a knob that does not exist. For everything that comes from a file: texts that are
 * too long, or hold control characters, are refused here (-EINVAL) for all kinds.
 */
int ta_knob_check(const char *name, const char *target, const char *value, enum ta_value_use use, struct ta_err *err);

/* Appends the modules of the table that begin with `prefix`, which the kernel loads by itself when one is named ("tcp_", "sch_"). */
void ta_modules_coupled(const char *prefix, struct ta_steps *ret);

/* By name, for fixers and for what is coupled across kinds. */
extern const struct ta_knob ta_knob_attr, ta_knob_file, ta_knob_irqban, ta_knob_module, ta_knob_netsysctl, ta_knob_nofile, ta_knob_sysctl;
