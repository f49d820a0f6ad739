/*
 * What a host's benchmark results depend on, in a few lines: attached to a result, it says later whether another one may be
 * held against it. Pure.
 */
#pragma once

#include "base/strv.h"
#include "facts/schema.h"

struct json_object;

/* The fingerprint as an object; what is not known is null in it. NULL: out of memory. The caller puts it. */
struct json_object *ta_fingerprint_make(const struct ta_facts *f);

/* Owners of the facts that it is made of. Adds to `ret`. */
void ta_fingerprint_owners(const struct ta_schema *schema, struct ta_strv *ret);

/* Five lines for people, each ended by a newline; or one without, which leaves the settings to the number. Texts of the host are not yet safe. */
void ta_fingerprint_format(struct json_object *fingerprint, struct ta_buf *ret);
void ta_fingerprint_format_line(struct json_object *fingerprint, struct ta_buf *ret);

/* As tuneaudit.fingerprint/1, with the newline at its end. */
void ta_fingerprint_format_json(struct json_object *fingerprint, struct ta_buf *ret);

/*
 * Why results of two hosts cannot be compared: a line each, none where they can. What one of them does not know is a reason
 * too. `a` and `b` may come from files: what has another form than ours counts as not known.
 */
void ta_fingerprint_compare(struct json_object *a, struct json_object *b, struct ta_strv *ret);
