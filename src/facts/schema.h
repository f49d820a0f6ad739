/*
 * The field tables of all probes and derivations as one tree, for everything
 * that asks "does this path exist, and of what type is it?".
 */
#pragma once

#include "facts/facts.h"

struct ta_schema;
struct ta_schema_node;

/* Where a table comes from: a probe's or derivation's name and its rows. */
struct ta_table {
	const char *owner;
	const struct ta_field *fields;
	size_t n_fields;
};

/* 0, -EINVAL (a bad pattern, or two rows for one path; `err` names both owners), -ENOMEM. Tables are borrowed. */
int ta_schema_new(const struct ta_table *tables, size_t n, struct ta_schema **ret, struct ta_err *err);
struct ta_schema *ta_schema_free(struct ta_schema *s); /* nothing, for the one of the program */

/*
 * Declares below `to` a rate for every counter below `from`, with the same keys behind it and the same
 * owner: integers that move by themselves (TA_F_VOLATILE) and are no levels (TA_F_LEVEL), and lists of such, of which the
 * rates are whole numbers. `from` and `to` are first keys. 0, -EINVAL (`to` is taken), -ENOMEM.
 */
int ta_schema_add_rates(struct ta_schema *s, const char *from, const char *to, struct ta_err *err);

/* All tables of the program, made when it was built (tools/mkbuiltin.c); NULL in builders' tools. */
extern struct ta_schema *const ta_builtin_schema;

const struct ta_schema_node *ta_schema_root(const struct ta_schema *s);

/* The child for `key`: the named one, else the "*" one, else NULL. */
const struct ta_schema_node *ta_schema_child(const struct ta_schema_node *n, const char *key);

/* Walks a list of keys from the root; NULL where nothing is declared. */
const struct ta_schema_node *ta_schema_find(const struct ta_schema *s, const char *const *path);

/* The same by a path in text form, "*" for any member; NULL also for text that is no path. */
const struct ta_schema_node *ta_schema_find_text(const struct ta_schema *s, const char *path);

enum ta_type ta_schema_type(const struct ta_schema_node *n);
bool ta_schema_is_collection(const struct ta_schema_node *n);            /* it has a "*" child */
const struct ta_field *ta_schema_field(const struct ta_schema_node *n); /* NULL for inner nodes */
const char *ta_schema_owner(const struct ta_schema_node *n);            /* of a leaf */

/* Every leaf under `n`, itself if it is one: fn(leaf, owner, ctx). */
void ta_schema_leaves(const struct ta_schema_node *n,
	void (*fn)(const struct ta_field *field, const char *owner, void *ctx), void *ctx);

/* The same for those leaves only that are fewest keys below `n`. */
void ta_schema_top_leaves(const struct ta_schema_node *n,
	void (*fn)(const struct ta_field *field, const char *owner, void *ctx), void *ctx);

/* The declared child name nearest to `key` (base/nearest.h), or NULL. */
const char *ta_schema_nearest(const struct ta_schema_node *n, const char *key);

/*
 * Holds a document against the tables: the first value whose path is not
 * declared or whose type differs, as text in `err`; 0 or -EINVAL. For tests.
 */
int ta_schema_validate(const struct ta_schema *s, const struct ta_facts *f, struct ta_err *err);
