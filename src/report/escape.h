/*
 * Texts of hosts and rules inside other languages. What a host says is anything: quotes, newlines, escape sequences,
 * bytes that are no UTF-8 (shown as \xHH, as in JSON), a megabyte. Pure; each appends to `b`.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

/* Valid UTF-8: other bytes become \xHH, all else stays. */
void ta_escape_utf8(struct ta_buf *b, const char *text);

/* Text or an attribute value of XML and HTML. Characters that XML 1.0 forbids become \xHH. */
void ta_escape_xml(struct ta_buf *b, const char *text);

/* The same for HTML (report/html.h); marks that turn a line around become \u{202e}. */
void ta_escape_html(struct ta_buf *b, const char *text);

/* A label's value of Prometheus' text format: \\ \" \n; other control characters become \xHH. */
void ta_escape_label(struct ta_buf *b, const char *text);

/*
 * The message of a workflow command of GitHub Actions (actions/toolkit, packages/core/src/command.ts): % \r \n as %25 %0D
 * %0A; in a property also : and , .
 */
void ta_escape_workflow(struct ta_buf *b, const char *text, bool property);

/* Words within a line of CommonMark, without markup of their own: newlines are blanks. */
void ta_escape_markdown(struct ta_buf *b, const char *text);

/*
 * Inline code, its fence longer than any inside. Newlines are blanks. `cell`: of a table, where a bar would end it even in
 * code and GitHub takes \| (GFM, 4.10).
 */
void ta_escape_code(struct ta_buf *b, const char *text, bool cell);

/* A path segment of a URI: all but unreserved characters as %HH (RFC 3986, 2.3). */
void ta_escape_uri(struct ta_buf *b, const char *text);
