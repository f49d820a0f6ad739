/*
 * The evaluator: an expression and a facts document to a value. Pure, and total:
 * steps and memory are counted, nothing it meets in a document can stop it.
 */
#pragma once

#include "rule/rules.h"

struct ta_eval {
	const struct ta_rule *rule;
	const struct ta_schema *schema;
	struct ta_expr *const *params; /* literals, by number */
	const struct ta_facts *facts;
	bool any_incomplete; /* some collection of the document is */
	struct ta_arena arena;
	unsigned long steps_left;
	struct ta_value vars[TA_VARS_MAX];
	/* why a value is TA_VAL_BROKEN; the first one */
	const char *broken_reason;
	struct ta_buf broken_detail;
};

/* For one rule over one document; `profile` NULL: the parameters' defaults. */
void ta_eval_init(struct ta_eval *ev, const struct ta_rules *rs, const struct ta_rule *r,
	const struct ta_profile *profile, const struct ta_facts *facts);
void ta_eval_done(struct ta_eval *ev);

struct ta_value ta_eval(struct ta_eval *ev, const struct ta_expr *e);

/* The same kinds of answer, for the files of the evaluator. */
struct ta_value ta_eval_unknown(struct ta_eval *ev, const char *reason, const char *fmt, ...) ta_printf(3, 4);
struct ta_value ta_eval_broken(struct ta_eval *ev, const struct ta_expr *e, const char *reason, const char *fmt, ...)
	ta_printf(4, 5);

/* Counts work beyond the one step of a node; false: that was too much, the value is broken. */
bool ta_eval_charge(struct ta_eval *ev, unsigned long steps);

static inline bool ta_value_stops(const struct ta_value *v)
{
	return v->kind == TA_VAL_UNKNOWN || v->kind == TA_VAL_BROKEN;
}

/* --- paths (eval_path.c) -------------------------------------------------------- */

struct ta_value ta_eval_path(struct ta_eval *ev, const struct ta_expr *e);

/* The text of where a value stands: nics.eth0.mtu, sysctl["net.ipv4.tcp_rmem"][2]. */
void ta_step_format(const struct ta_path_step *at, struct ta_buf *b);

/* Why nothing stands at `at`, as an unknown value. */
struct ta_value ta_eval_absent(struct ta_eval *ev, const struct ta_path_step *at);

/* A child of an object of the document; `node` is what is declared there. `o` NULL: not there. */
struct ta_value ta_eval_read(struct ta_eval *ev, struct json_object *o, const struct ta_schema_node *node,
	const struct ta_path_step *at);

/* --- going over collections and lists (eval_loop.c) ---------------------------------- */

struct ta_cursor {
	struct ta_value over;
	const struct ta_schema_node *member; /* of a collection */
	void *entry;                         /* of a collection, the next one */
	size_t i, n;
	const struct ta_unknown *hole; /* why there may be more, or NULL */
};

/*
 * Starts at the first member of `over`, whose static type is `type`. False: it is unknown or broken, *ret_why tells.
 */
bool ta_cursor_open(struct ta_eval *ev, const struct ta_value *over, struct ta_stype type, struct ta_cursor *ret,
	struct ta_value *ret_why);
bool ta_cursor_next(struct ta_eval *ev, struct ta_cursor *c, struct ta_value *ret);

struct ta_value ta_eval_loop(struct ta_eval *ev, const struct ta_expr *e);
struct ta_value ta_eval_call(struct ta_eval *ev, const struct ta_expr *e);
struct ta_value ta_eval_star(struct ta_eval *ev, const struct ta_expr *e);

/* `what` in `in`, three-valued (eval_loop.c). */
struct ta_value ta_eval_in(struct ta_eval *ev, const struct ta_value *what, const struct ta_value *in,
	struct ta_stype in_type);

/* One link of a chain: a OP b (eval.c). `b` is the expression whose link it is. */
struct ta_value ta_eval_link(struct ta_eval *ev, const struct ta_value *a, const struct ta_value *b,
	const struct ta_expr *b_expr);
