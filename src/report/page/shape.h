/*
 * What a JSON document must look like, as a table; and reading what was held against one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct json_object;

enum {
	SHAPE_TEXT = 1 << 0,
	SHAPE_INT = 1 << 1,
	SHAPE_NUMBER = 1 << 2, /* whole or not */
	SHAPE_BOOL = 1 << 3,
	SHAPE_NULL = 1 << 4,
	SHAPE_OBJECT = 1 << 5,
	SHAPE_LIST = 1 << 6,
	SHAPE_OPTIONAL = 1 << 7, /* may be missing */
};

struct shape {
	const char *key;	 /* NULL ends the table; "*": every member */
	unsigned what;
	const struct shape *members; /* of the object; of a list: one row with the key "" for each of its elements */
};

/* 0, or -EBADMSG with where and what. */
int shape_check(struct json_object *o, const struct shape *members, struct ta_err *err);

/* Members; what is not there or of another type is NULL, `unset`, an empty list. */
struct json_object *shape_at(struct json_object *o, const char *key);
const char *shape_text(struct json_object *o, const char *key);
int64_t shape_int(struct json_object *o, const char *key, int64_t unset);
double shape_number(struct json_object *o, const char *key, double unset);
int shape_bool(struct json_object *o, const char *key); /* -1: neither */
size_t shape_count(struct json_object *list);
