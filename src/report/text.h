/*
 * Text for people: safe, wrapped, aligned. Pure; no locale.
 *
 * What is printed is ASCII, so that one byte is one column everywhere (serial consoles, LANG=C,
 * logs) and nothing that a host or a rule file says can move the cursor or reverse the line. JSON
 * carries the exact text.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

/* Below this width nothing is narrowed further; lines overflow instead. */
#define TA_COLUMNS_MIN 20

/*
 * `text` in ASCII: common signs are spelled (µs us, × x, ≥ >=, – -, … ...), others become \u{2192},
 * control characters and bytes that are not UTF-8 \x1b. Newlines too: a text that may hold
 * paragraphs goes to ta_text_wrap().
 */
void ta_text_safe(struct ta_buf *b, const char *text);

/* Line by line the same, newlines kept; one at the end if there is none. For text that has its own
 * layout. */
void ta_text_safe_lines(struct ta_buf *b, const char *text);

/*
 * `text` made safe and broken at blanks to lines of at most `columns`. `used` columns of the first
 * line are taken already; later lines begin with `indent` blanks. Words longer than a line stay
 * whole. A newline in `text` begins a new line, two of them leave one empty. Ends without a
 * newline.
 */
void ta_text_wrap(
	struct ta_buf *b, const char *text, unsigned columns, unsigned used, unsigned indent);

/* The UTF-8 character at `text` and its length; 0 where none begins (overlong forms and surrogates
 * are none). */
size_t ta_text_decode(const char *text, uint32_t *ret);

void ta_text_pad(struct ta_buf *b, unsigned n);

/* A line or more: "  TERM   text …", the text at column `at` and wrapped there; on its own line
 * where TERM is too long. */
void ta_text_term(
	struct ta_buf *b, const char *term, const char *text, unsigned columns, unsigned at);
