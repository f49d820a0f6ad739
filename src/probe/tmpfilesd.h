/*
 * Lines of tmpfiles.d(5) that write into files: type w, as src/tmpfiles/tmpfiles.c of systemd (252 to 258) reads them.
 * Takes bytes and reads nothing.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct ta_tmpfiles_line {
	unsigned number;   /* from 1 */
	const char *path;  /* may be a glob(7) pattern */
	const char *value; /* what is written; NULL: it stands elsewhere, or depends on what only the boot knows */
	bool append;       /* w+ */
};

/* Calls fn for each; a non-zero return of it stops and is returned. Lines with faults are passed over. -ENOMEM. */
int ta_tmpfiles_parse(const char *text, size_t len, int (*fn)(const struct ta_tmpfiles_line *line, void *ctx),
	void *ctx);
