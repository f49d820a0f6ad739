/*
 * The command's own side of the system: terminal, stdout, rule files. The host under audit is read
 * through host/host.h only.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/strv.h"

/*
 * Holds descriptors 0 … 2 open, so that a file opened later cannot become "stdout". A closed stdout
 * becomes one that cannot be written, so that the loss is noticed.
 */
void ta_system_hold_descriptors(void);

/*
 * Memory that is freed stays with the process, which lives for milliseconds: giving it back and
 * asking for it again costs a page fault each time (mallopt(3)).
 */
void ta_system_keep_memory(void);

/* COLUMNS if it is a number, else the terminal's width (prose up to 100), else 80; 20 … 1000. */
unsigned ta_system_columns(void);
/* stdout is a terminal that knows colours, and NO_COLOR is not set. */
bool ta_system_color(void);
/* stdout is a terminal, and the locale's character set is UTF-8 (locale(7): LC_ALL, LC_CTYPE, LANG). */
bool ta_system_unicode(void);

/* The whole text to `fd`, whatever short writes it takes. 0 or -errno; -EPIPE: the reader has left.
 */
int ta_system_write(int fd, const void *data, size_t len);

/*
 * A rule file of at most `cap` bytes. *ret_trusted: a regular file, reached by no link as its last
 * step, owned by root, and neither it nor its directory can be written by anyone else. 0, -errno,
 * -EFBIG, -EBADMSG (no regular file), with a message that names the file.
 */
int ta_system_read_file(
	const char *path, size_t cap, struct ta_buf *ret, bool *ret_trusted, struct ta_err *err);

/*
 * The file with these bytes in it, in the place of what was there: written beside it under a hidden name, made durable, renamed.
 * On failure what was there is there still. What is no regular file (/dev/stdout, a pipe) is written as it is. 0, -errno, with
 * a message that names the file.
 */
int ta_system_replace_file(const char *path, const void *data, size_t len, struct ta_err *err);

/* The names in `dir` that end with `suffix`, sorted; hidden ones left out. */
int ta_system_list(const char *dir, const char *suffix, struct ta_strv *ret, struct ta_err *err);
