/*
 * Inside of this module: two values, and their text.
 */
#pragma once

#include "facts/field.h"

#include "base/buf.h"

struct json_object;

/* By meaning, within the row's tolerance. */
bool ta_value_same(struct json_object *a, struct json_object *b, const struct ta_field *field);

/* A value as people write it: 0-3,8 for CPUs, 1 2 3 for lists of numbers, "a, b" for lists of words. NULL: "". */
void ta_value_text(struct json_object *v, const struct ta_field *field, struct ta_buf *ret);

/* Of the type of the row? */
bool ta_value_fits(struct json_object *v, const struct ta_field *field);
