/*
 * Why a verdict is what it is, said by the engine: no rule writes a message.
 */
#pragma once

#include "rule/eval.h"

/* The expression as the rule writes it; with `ev` the indexes of paths are worked out: numa["0"].cpus. */
void ta_expr_print(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b);

/* True if it depends on the host: on a fact or a variable. */
bool ta_expr_has_facts(const struct ta_expr *e);
bool ta_expr_is_path(const struct ta_expr *e);

struct ta_explanation {
	struct ta_buf because; /* `nic.mtu is 1500, wanted >= 9000` */
	struct ta_buf actual;  /* "1500" */
	struct ta_buf wanted;  /* ">= 9000" */
	/* the comparison that `actual` and `wanted` come from: its host side, and the value it had */
	const struct ta_expr *subject;
	struct ta_value subject_value;
	unsigned rank;
};

void ta_explanation_done(struct ta_explanation *x);

/* Explains `e`, which should be `want`: by the operands that decide, if it has a definite value. */
void ta_explain(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *ret);

/*
 * The facts of an expression, each once: fn(expression, its value, ctx). Paths that
 * hang on a loop's variable are told by the value of the whole loop.
 */
void ta_expr_terms(struct ta_eval *ev, const struct ta_expr *e,
	void (*fn)(struct ta_eval *ev, const struct ta_expr *term, const struct ta_value *v, void *ctx), void *ctx);
