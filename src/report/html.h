/*
 * HTML: the only place where text becomes markup. What a host says goes through ta_html_text() and its kin, which escape it; the
 * others take literals of our own. Formats of tags may hold numbers (%d %u %zu %g %.1f) and nothing else: a %s in one is an
 * error that sticks in the buffer.
 */
#pragma once

#include "base/buf.h"

/* Longer texts are cut in the page and say so: it is to be read. */
#define TA_HTML_TEXT_MAX 4000

/* Markup of our own, as it is. */
void ta_html_raw(struct ta_buf *b, const char *markup);

/* "<", the format, ">": ta_html_tag(b, "rect class=bar x=%d", x); ta_html_tag(b, "/svg") closes. */
void ta_html_tag(struct ta_buf *b, const char *fmt, ...) ta_printf(2, 3);

/* The same with an attribute whose value is a text: `name` is a literal. */
void ta_html_tag_with(struct ta_buf *b, const char *tag, const char *name, const char *value);

/*
 * Text, or an attribute's value: escaped; control characters and bytes that are no UTF-8 as \xHH, marks that turn a line
 * around as \u{202e}; cut at TA_HTML_TEXT_MAX bytes.
 */
void ta_html_text(struct ta_buf *b, const char *text);
void ta_html_textf(struct ta_buf *b, const char *fmt, ...) ta_printf(2, 3);
/* Never cut: what is to be copied. */
void ta_html_whole(struct ta_buf *b, const char *text);

/* An element and its text: ta_html_el(b, "td class=rule", id). Nothing in it where `text` is NULL. */
void ta_html_el(struct ta_buf *b, const char *tag, const char *text);
void ta_html_elf(struct ta_buf *b, const char *tag, const char *fmt, ...) ta_printf(3, 4);

/* "sha256-…" of a text, as Content-Security-Policy names an inline style or script (CSP level 3, 2.3.1). */
void ta_html_hash(struct ta_buf *b, const char *text);
