/*
 * Text forms around the facts document: safe strings, paths, JSON from outside.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct json_object;

#define TA_PATH_DEPTH_MAX 32
#define TA_JSON_MAX (64u << 20)
#define TA_JSON_DEPTH_MAX 32

struct ta_safe_text {
	char text[1024];
};

/* The length of the UTF-8 character at `s` (ended by NUL), 0 if there is none that may be shown. */
size_t ta_printable_char(const char *s);

/*
 * `raw` itself if it is UTF-8 without control characters, else a copy in `room` with
 * each offending byte as \xHH (cut at the room's size). For keys and values alike.
 */
const char *ta_safe_key(struct ta_safe_text *room, const char *raw);

/*
 * Where each key of a path in text form ends (offsets, rising), at most `max`.
 * "nics[\"a.b\"].mtu" gives 4, 11, 15. Text that is no path ends where it stops being one.
 */
size_t ta_path_ends(const char *path, size_t *ends, size_t max);

/* The key between two such ends, without dot, brackets, quotes and escapes. False: too long. */
bool ta_path_key(const char *path, size_t start, size_t end, char (*ret)[256]);

/*
 * JSON from outside: strict, at most TA_JSON_MAX bytes and TA_JSON_DEPTH_MAX deep, UTF-8, and
 * integers outside −2^63 … 2^64−1 refused (json-c clamps them silently).
 * 0, -EBADMSG, -EFBIG, -ERANGE, -ENOMEM. The caller puts *ret.
 */
int ta_json_parse(const char *text, size_t len, struct json_object **ret, struct ta_err *err);
