/*
 * A JSON writer: commas and escapes are right by construction. Bytes that are not UTF-8 become the
 * text \xHH, as in facts.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct json_object;

struct ta_json {
	struct ta_buf *b;
	bool comma;   /* the next member needs one */
	bool newline; /* … and begins a new line */
};

/* `key` is NULL in arrays and for the outermost value. `bracket` is one of { [ } ]. */
void ta_json_open(struct ta_json *j, const char *key, char bracket);
void ta_json_close(struct ta_json *j, char bracket);
void ta_json_str(struct ta_json *j, const char *key, const char *v); /* NULL becomes null */
void ta_json_u64(struct ta_json *j, const char *key, uint64_t v);
void ta_json_real(struct ta_json *j, const char *key, double v); /* at most three decimals */
void ta_json_bool(struct ta_json *j, const char *key, bool v);
void ta_json_null(struct ta_json *j, const char *key);
/* Another document in this one: at most TA_JSON_DEPTH_MAX deep, as facts/text.h reads them. NULL becomes null. */
void ta_json_value(struct ta_json *j, const char *key, struct json_object *v);
/* The next member begins a new line. */
void ta_json_line(struct ta_json *j);
