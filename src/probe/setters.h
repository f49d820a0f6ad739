/*
 * Who sets a sysctl at the next boot. Lines are given in the order in which they are applied; what wins is worked
 * out as systemd-sysctl does (apply_all() in src/sysctl/sysctl.c): the last line that names a key wins, patterns
 * hold only for keys that no line names, a file that cannot be read makes unknown what it could have decided.
 *
 * Before the files comes the kernel command line (do_sysctl_args(), fs/proc/proc_sysctl.c), behind them ufw, which
 * overrides them with a file of its own, and TuneD, which then applies /etc and /run/sysctl.d again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/strv.h"

enum ta_set_by {
	TA_SET_CMDLINE,
	TA_SET_FILE,
	TA_SET_UNREAD, /* stands in a file that nothing applies at boot */
	TA_SET_UFW,    /* the firewall's own file, put over the others when it starts (ufw-framework(8)) */
	TA_SET_TUNED,
};

struct ta_setter {
	enum ta_set_by by;
	unsigned file;  /* index into ta_setters.files */
	unsigned line;  /* 0: not in lines */
	char *key;      /* of a pattern, else NULL */
	char *value;    /* NULL: keeps patterns away */
};

#define TA_SETTERS_MAX 32    /* lines kept per key: the last ones */
#define TA_PATTERNS_MAX 256  /* that are for keys of ours; sixteen times as many in all */

struct ta_setting {
	const char *name; /* borrowed: "net.core.somaxconn" */
	char path[112];   /* "net/core/somaxconn" */
	struct ta_setter *v;
	size_t n;
};

struct ta_setters {
	struct ta_setting *keys; /* sorted by path */
	size_t n_keys;
	struct ta_setter *patterns; /* those in force, in the order of application */
	size_t n_patterns;
	unsigned tried; /* patterns held against the keys */
	struct ta_strv files;
	unsigned at;    /* the present one */
	bool etc_again; /* TuneD applies /etc and /run/sysctl.d behind itself */
	/* The last file that could not be read (its index, files.n if it comes behind all); `rc` 0: all were. */
	int rc;
	unsigned hole;
	char hole_text[512];
};

#define ta_cleanup_setters ta_cleanup(ta_setters_done)

/* The names of the sysctls to watch; borrowed. 0 or -ENOMEM. */
int ta_setters_init(struct ta_setters *s, const char *const *names, size_t n);
void ta_setters_done(struct ta_setters *s);

/* From now on lines are in this file. 0 or -ENOMEM. */
int ta_setters_file(struct ta_setters *s, const char *path);

/* A line of the present file; `key` as a path, `pattern` if it is one. 0, -ENOMEM, -EFBIG (too many patterns). */
int ta_setters_line(struct ta_setters *s, enum ta_set_by by, unsigned line, const char *key, bool pattern,
	const char *value);

/* The present file could not be read (to its end); `all`: it may decide every key. */
void ta_setters_hole(struct ta_setters *s, int rc, bool all, const char *path);

struct ta_set_result {
	const struct ta_setter *winner; /* NULL: nothing sets it */
	const struct ta_setter *excluded_by; /* the line that keeps the patterns which match from it */
	const struct ta_setter *base; /* what held before TuneD, for its "at least" and "at most" */
	bool unknown; /* the file of the hole may decide */
};

void ta_setters_result(const struct ta_setters *s, const struct ta_setting *key, struct ta_set_result *ret);

/* True if the line, a pattern or not, is one for this key. */
bool ta_setter_is_for(const struct ta_setter *line, const struct ta_setting *key);

/* Appends "FILE:LINE", or FILE. */
void ta_setter_place(const struct ta_setters *s, const struct ta_setter *line, struct ta_buf *b);
