/*
 * The text of udev rules: udev(7), src/udev/udev-rules.c of systemd (252 to 258). Functions take bytes and read nothing.
 *
 * A line that ends with a backslash goes on in the next one; a line that begins with '#' is passed over even between
 * two such. One pair that cannot be read makes the whole line void. Within a line the order of pairs means nothing:
 * all matches are tried before anything is set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define TA_UDEV_LINE_MAX 16384 /* bytes; longer ones are ignored, as udev does */

enum ta_udev_op {
	TA_UDEV_MATCH,   /* == */
	TA_UDEV_NOMATCH, /* != */
	TA_UDEV_ADD,     /* += */
	TA_UDEV_REMOVE,  /* -= */
	TA_UDEV_ASSIGN,  /* = */
	TA_UDEV_FINAL,   /* := */
};

struct ta_udev_token {
	char key[24];   /* "ATTR" */
	char attr[128]; /* what stands in braces: "queue/scheduler"; "" */
	enum ta_udev_op op;
	bool fold;          /* i"…": matches whatever the case */
	struct ta_buf value; /* without its quotes */
	const char *raw;    /* where it stands in the line */
	size_t raw_len;
};

static inline bool ta_udev_is_match(const struct ta_udev_token *t)
{
	return t->op == TA_UDEV_MATCH || t->op == TA_UDEV_NOMATCH;
}

/*
 * The pair at *text, moved behind it. 1, 0 (none left), -EINVAL (the line is void), -ENOMEM. `ret` is to be zeroed before
 * the first call; ta_udev_token_done() after the last.
 */
int ta_udev_token_next(const char **text, struct ta_udev_token *ret);
void ta_udev_token_done(struct ta_udev_token *t);

struct ta_udev_line {
	unsigned number;  /* where it begins, from 1 */
	unsigned n_lines; /* of the file that it takes, comments between them too */
	const char *text; /* joined, ended by NUL; "" where there is nothing to read */
};

/* Calls fn for each line, also for empty ones; a non-zero return of it stops and is returned. -ENOMEM. */
int ta_udev_lines(const char *text, size_t len, int (*fn)(const struct ta_udev_line *line, void *ctx), void *ctx);
