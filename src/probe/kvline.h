/*
 * Lines of "key: value" as commands print them.
 */
#pragma once

#include <stddef.h>

#include "base/macros.h"

struct ta_kvline {
	const char *raw; /* the line in the text, blanks at its ends left out; not ended by NUL */
	size_t raw_len;
	size_t indent; /* blanks and tabs before it */
	char key[96]; /* before the first colon, or the whole line; cut to what fits, as is value */
	char value[512]; /* behind it; "" without a colon */
};

/* The next line that is not empty, from *text on; moves *text behind it. 0: none left. */
int ta_kvline_next(const char **text, const char *end, struct ta_kvline *ret);
