/*
 * The files that keep changes over a restart: a closed table of places, each with a grammar, and what stands in them, line by line,
 * with the run that wrote it. Several runs share a file; a line that a later run sets anew is that run's from then on.
 *
 * A file of ours says so on top and carries a sum over the rest, so that one that somebody edited, or that merely has the name, is
 * never written over. Text and lines have one form: what is parsed and formatted again is the same, byte for byte.
 */
#pragma once

#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "fix/knob.h"

#define TA_OWN_SYSCTL "/etc/sysctl.d/90-tuneaudit.conf"
#define TA_OWN_TMPFILES "/etc/tmpfiles.d/tuneaudit.conf"
#define TA_OWN_MODULES "/etc/modules-load.d/tuneaudit.conf"
#define TA_OWN_UDEV "/etc/udev/rules.d/90-tuneaudit.rules"
/* What 'tuneaudit boot' sets, and what starts it: a unit of systemd and what enables that, or a script of procd. */
#define TA_OWN_BOOT "/etc/tuneaudit/boot.conf"
#define TA_OWN_UNIT "/etc/systemd/system/tuneaudit-boot.service"
#define TA_OWN_WANTS "/etc/systemd/system/multi-user.target.d/50-tuneaudit.conf"
#define TA_OWN_RC "/etc/rc.d/S99tuneaudit"

/* Values of a file in a journal beside its text: it is not there; nor is its directory; what is there is not ours. */
#define TA_OWN_ABSENT "absent"
#define TA_OWN_NOWHERE "nowhere"
#define TA_OWN_FOREIGN "foreign"

struct ta_own_kind {
	const char *path; /* '*' stands for letters, digits and "_.:-" */
	mode_t mode;
	/* How much of a line says what it sets: a later line with the same key takes its place. */
	size_t (*key)(const char *line);
	/* Lines of a smaller rank stand, and are read, first. NULL: all the same. */
	int (*rank)(const char *line);
	/* The closed table: 0, or -EPERM, -EINVAL with text. */
	int (*check)(const char *line, enum ta_value_use use, struct ta_err *err);
	/*
	 * Files of one line between fixed ones: every run that wants it has it, and it stays until the last of them goes. NULL: `before`
	 * of the others.
	 */
	const char *before, *behind;
	const char *first; /* a line that has to stand even before ours, or NULL */
	/*
	 * Of files that are nothing without certain lines (a .link without [Match]): checks one of these, which stand before the
	 * runs' and belong to all of them. In texts of one change: all lines but the last. NULL: there are none.
	 */
	int (*check_base)(const char *line, struct ta_err *err);
};

extern const struct ta_own_kind ta_own_kinds[];
extern const size_t ta_n_own_kinds;

/* NULL: no file of ours can be there. */
const struct ta_own_kind *ta_own_kind(const char *path);

struct ta_own_line {
	unsigned run;
	char *text; /* without newline */
};

struct ta_own {
	const struct ta_own_kind *kind;
	struct ta_own_line *v;
	size_t n;
	char *base; /* whole lines that belong to all runs, or NULL */
	bool made_dir; /* its directory was made for it */
};

#define ta_cleanup_own ta_cleanup(ta_own_done)
void ta_own_done(struct ta_own *o);

/*
 * The value of a file (a text, "absent", "nowhere") taken apart. 0; -EPERM (no place of ours); -EBADMSG: not ours, edited, or
 * outside the tables; -ENOMEM.
 */
int ta_own_parse(const char *path, const char *value, struct ta_own *ret, struct ta_err *err);

/* Appends the value: without lines "absent", or "nowhere" where the directory was made for it. */
int ta_own_format(const struct ta_own *o, struct ta_buf *ret);

/* Appends the lines of `run` in a value; how many there are. 0 also where it is no file of ours. */
size_t ta_own_lines_of(const char *path, const char *value, unsigned run, struct ta_buf *ret);

/* Are these lines (whole ones, of one change: from a plan or a journal) ones for that file? Errors as ta_own_kind.check. */
int ta_own_check_lines(const char *path, const char *lines, enum ta_value_use use, struct ta_err *err);

/* Appends the value that the file is to have with `lines` of one change of `run` in it. Errors as ta_own_parse(). */
int ta_own_put(const char *path, const char *present, unsigned run, const char *lines, struct ta_buf *ret, struct ta_err *err);

/* How taking lines out came out. */
struct ta_own_taken {
	unsigned newer;	 /* a run that has set some of them anew since: those are left; 0: none */
	struct ta_buf value; /* what the file is to have */
};

/*
 * What is to be in the file so that the change from `before` to `after` is taken back out of `present`: lines that are still as
 * the change left them become what they were. `only` (whole lines, or NULL: all) picks some. 0; -EBADMSG: `present` is not ours any
 * more; -ENOMEM. Free ret->value.
 */
int ta_own_take(const char *path, const char *before, const char *after, const char *present, const char *only,
	struct ta_own_taken *ret, struct ta_err *err);
