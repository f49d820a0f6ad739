/*
 * What the next boot writes, line by line, whoever does: the kernel command line, tmpfiles.d, udev rules, .link files,
 * TuneD. Targets have the names that plans and journals give them: "/sys/block/sda/queue/scheduler", "eth0 rings rx".
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/strv.h"
#include "facts/facts.h"

/* In the order in which they act, as far as there is one: those of tmpfiles.d and of udev run at the same time. */
enum ta_boot_by {
	TA_BY_CMDLINE,
	TA_BY_MODPROBE, /* options of a module */
	TA_BY_TMPFILES,
	TA_BY_UDEV, /* ATTR{}=, while the rules are read */
	TA_BY_LINK, /* from within 80-net-setup-link.rules */
	TA_BY_RUN,  /* RUN+=, behind all rules */
	TA_BY_UNIT, /* a unit of this program */
	TA_BY_TUNED,
	TA_N_BY,
};

const char *ta_boot_by_name(enum ta_boot_by by); /* "cmdline", "modprobe.d", "tmpfiles.d", "udev", "link", "udev", "unit", "tuned" */

struct ta_boot_line {
	enum ta_boot_by by;
	char *target, *file;
	char *value; /* NULL: it is not told here */
	unsigned line; /* 0: not in lines */
	bool maybe;  /* whether it is for this target, or is reached at all, cannot be told */
	bool void_; /* its reader passes over it */
};

#define TA_BOOT_LINES_MAX 65536

struct ta_boot_list {
	struct ta_boot_line *v; /* in the order in which they act */
	size_t n, size;
	int error; /* sticky: 0, -ENOMEM, -EFBIG */
};

#define ta_cleanup_boot_list ta_cleanup(ta_boot_list_done)
void ta_boot_list_done(struct ta_boot_list *l);

/* Copies the texts; `value` may be NULL. The new line, or NULL with `error` set. */
struct ta_boot_line *ta_boot_list_add(struct ta_boot_list *l, enum ta_boot_by by, const char *target, const char *file,
	unsigned line, const char *value);

/* Puts persist.TARGET for every target of the list. Sorts it. */
void ta_boot_list_put(struct ta_boot_list *l, struct ta_facts *f);

/* The same of a target that nothing writes. */
void ta_boot_put_unset(struct ta_facts *f, const char *target);
