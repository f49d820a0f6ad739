/*
 * A growing byte buffer. `data` is NULL or ends with a NUL that `len` does not
 * count, so text in it may be handed to functions that take strings.
 *
 * Errors stick: after a failed allocation or a passed limit every further
 * append does nothing and `error` keeps the first -errno. Build first, look at
 * `error` once at the end.
 */
#pragma once

#include <stdarg.h>
#include <stdbool.h>

#include "base/macros.h"

struct ta_buf {
	char *data;
	size_t len;
	size_t cap;
	int error; /* 0, -ENOMEM or -EFBIG */
};

#define TA_BUF_INIT {0}
#define ta_cleanup_buf ta_cleanup(ta_buf_done)

void ta_buf_add(struct ta_buf *b, const void *data, size_t len);
void ta_buf_adds(struct ta_buf *b, const char *text);
void ta_buf_addc(struct ta_buf *b, char c);
void ta_buf_printf(struct ta_buf *b, const char *fmt, ...) ta_printf(2, 3);
void ta_buf_vprintf(struct ta_buf *b, const char *fmt, va_list ap) ta_printf(2, 0);

/*
 * True once any buffer or string vector of this process could not grow. Short texts are often built without a look at
 * `error`; who prints a result asks here whether it can be believed.
 */
bool ta_memory_failed(void);
void ta_memory_note_failure(void); /* for other containers */

/* Makes room for `more` bytes beyond `len`; 0 or the sticky error. */
int ta_buf_reserve(struct ta_buf *b, size_t more);

/* Empties it and forgets the error; keeps the memory. */
void ta_buf_reset(struct ta_buf *b);

/* Drops blanks and newlines from the end. */
void ta_buf_rtrim(struct ta_buf *b);

/*
 * Words (between blanks) of more than `most` bytes in the text from byte `from` on are cut in their middle: what
 * somebody typed or wrote into a file is told again without filling the screen. UTF-8 stays whole.
 */
void ta_buf_shorten(struct ta_buf *b, size_t from, size_t most);

/* The text without blanks and newlines at both ends: cut in place, the return points into it. */
char *ta_strip(char *text);

/* The text, "" if empty; borrowed until the next change. */
const char *ta_buf_text(const struct ta_buf *b);

/* The text as a string that the caller frees; NULL after an error. The buffer is empty then. */
char *ta_buf_steal(struct ta_buf *b);

void ta_buf_done(struct ta_buf *b);
