/*
 * The explainer walks the expression once more and follows what decided: the
 * first operand of an `and` that is false, every operand of an `or` that could
 * have been true, the member that `all` met. At a comparison it says what the
 * host has and what was wanted, the host's side first whichever way the rule
 * wrote it, and where the wanted value comes from.
 */
#include "rule/explain.h"

#include <string.h>

#define JOINED_MAX 3
#define TERMS_MAX 6

void ta_explanation_done(struct ta_explanation *x)
{
	ta_buf_done(&x->because);
	ta_buf_done(&x->actual);
	ta_buf_done(&x->wanted);
}

/* --- facts of an expression ------------------------------------------------------------ */

void ta_expr_terms(struct ta_eval *ev, const struct ta_expr *e,
	void (*fn)(struct ta_eval *ev, const struct ta_expr *term, const struct ta_value *v, void *ctx), void *ctx)
{
	bool folds = e->node == TA_N_LOOP || (e->node == TA_N_CALL && e->child && !e->child->next &&
		e->fn != TA_FN_FLOOR && e->fn != TA_FN_CEIL);

	if (folds || ta_expr_is_path(e)) {
		struct ta_value v = ta_eval(ev, e);

		fn(ev, e, &v, ctx);
		return;
	}
	for (const struct ta_expr *x = e->child; x; x = x->next)
		ta_expr_terms(ev, x, fn, ctx);
}

struct terms {
	struct ta_buf *b;
	const struct ta_expr *seen[TERMS_MAX];
	unsigned n;
	const char *before; /* what stands before the next one */
};

static bool same_text(struct ta_eval *ev, const struct ta_expr *a, const struct ta_expr *b)
{
	ta_cleanup_buf struct ta_buf x = TA_BUF_INIT, y = TA_BUF_INIT;

	ta_expr_print(ev, a, &x);
	ta_expr_print(ev, b, &y);
	return strcmp(ta_buf_text(&x), ta_buf_text(&y)) == 0;
}

static void add_term(struct ta_eval *ev, const struct ta_expr *term, const struct ta_value *v, void *ctx)
{
	struct terms *t = ctx;

	if (t->n == TERMS_MAX)
		return;
	for (unsigned i = 0; i < t->n; i++)
		if (same_text(ev, t->seen[i], term))
			return;
	t->seen[t->n++] = term;
	ta_buf_adds(t->b, t->before);
	t->before = ", ";
	ta_expr_print(ev, term, t->b);
	ta_buf_addc(t->b, ' ');
	ta_value_format(v, t->b);
}

/* ", fact value, fact value" of everything in `e`. */
static void add_terms(struct ta_eval *ev, const struct ta_expr *e, const char *before, struct ta_buf *b)
{
	struct terms t = {.b = b, .before = before};

	ta_expr_terms(ev, e, add_term, &t);
}

static void print_bare(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	struct ta_expr bare = *e;

	bare.paren = false;
	ta_expr_print(ev, &bare, b);
}

/* min(a, b): "min of a 8, b 16". */
static void describe_choice(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	const char *sep = "";

	ta_buf_printf(b, " (%s of ", ta_fn_names[e->fn]);
	for (const struct ta_expr *x = e->child; x; x = x->next) {
		struct ta_value v = ta_eval(ev, x);

		ta_buf_adds(b, sep);
		sep = ", ";
		if (ta_expr_has_facts(x) || ta_expr_is_path(x)) {
			ta_expr_print(ev, x, b);
			ta_buf_addc(b, ' ');
		}
		ta_value_format(&v, b);
	}
	ta_buf_addc(b, ')');
}

/* Which branch of an `if` was taken: " (as PARAM is false)", " (as a == b)", " (as a == b is false)". */
static void add_branch(struct ta_eval *ev, const struct ta_expr *condition, bool holds, struct ta_buf *b)
{
	ta_buf_adds(b, " (as ");
	print_bare(ev, condition, b);
	if (!holds || ta_expr_is_path(condition))
		ta_buf_adds(b, holds ? " is true" : " is false");
	ta_buf_addc(b, ')');
}

/* Where a wanted value comes from, in parentheses; nothing for what is written in the rule. */
static void describe_source(struct ta_eval *ev, const struct ta_expr *e, struct ta_buf *b)
{
	if (e->node == TA_N_IF) {
		struct ta_value condition = ta_eval(ev, e->child);

		if (condition.kind != TA_VAL_BOOL)
			return;
		add_branch(ev, e->child, condition.b, b);
		describe_source(ev, ta_expr_child(e, condition.b ? 1 : 2), b);
	} else if (e->node == TA_N_CALL && (e->fn == TA_FN_MIN || e->fn == TA_FN_MAX) && e->child->next) {
		describe_choice(ev, e, b);
	} else if (ta_expr_is_path(e) || e->node == TA_N_LOOP) {
		ta_buf_adds(b, " (");
		print_bare(ev, e, b);
		ta_buf_addc(b, ')');
	} else if (ta_expr_has_facts(e)) {
		ta_buf_adds(b, " (");
		print_bare(ev, e, b);
		add_terms(ev, e, "; ", b);
		ta_buf_addc(b, ')');
	}
}

/* --- one comparison ------------------------------------------------------------------------ */

static enum ta_compare negated(enum ta_compare link)
{
	static const enum ta_compare to[] = {
		[TA_C_NONE] = TA_C_NONE,
		[TA_C_LT] = TA_C_GE,
		[TA_C_LE] = TA_C_GT,
		[TA_C_GT] = TA_C_LE,
		[TA_C_GE] = TA_C_LT,
		[TA_C_EQ] = TA_C_NE,
		[TA_C_NE] = TA_C_EQ,
		[TA_C_IN] = TA_C_IN,
	};

	return to[link];
}

static enum ta_compare mirrored(enum ta_compare link)
{
	static const enum ta_compare to[] = {
		[TA_C_NONE] = TA_C_NONE,
		[TA_C_LT] = TA_C_GT,
		[TA_C_LE] = TA_C_GE,
		[TA_C_GT] = TA_C_LT,
		[TA_C_GE] = TA_C_LE,
		[TA_C_EQ] = TA_C_EQ,
		[TA_C_NE] = TA_C_NE,
		[TA_C_IN] = TA_C_IN,
	};

	return to[link];
}

/* Takes `actual` and `wanted` over if they say more than what is there. */
static bool takes_pair(struct ta_explanation *x, unsigned rank, const struct ta_expr *subject,
	const struct ta_value *value)
{
	if (rank <= x->rank)
		return false;
	x->rank = rank;
	x->subject = subject;
	x->subject_value = *value;
	ta_buf_reset(&x->actual);
	ta_buf_reset(&x->wanted);
	ta_value_format(value, &x->actual);
	return true;
}

/* "TEXT is VALUE", with the facts of TEXT if it is worked out from several. */
static void add_subject(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *v, struct ta_buf *b)
{
	print_bare(ev, e, b);
	ta_buf_adds(b, " is ");
	ta_value_format(v, b);
	if (ta_expr_is_path(e) || e->node == TA_N_LOOP || !ta_expr_has_facts(e))
		return;
	if (e->node == TA_N_CALL && e->child && !e->child->next)
		return;
	add_terms(ev, e, " (", b);
	ta_buf_addc(b, ')');
}

/* `"x" in modules`: the host's side is what it is looked for in. */
static void explain_holding(struct ta_eval *ev, const struct ta_expr *a, const struct ta_value *va,
	const struct ta_expr *b, const struct ta_value *vb, bool want, struct ta_explanation *x)
{
	struct ta_value found = ta_eval_in(ev, va, vb, b->type);
	bool has = found.kind == TA_VAL_BOOL && found.b;

	print_bare(ev, b, &x->because);
	ta_buf_adds(&x->because, has ? " holds " : " does not hold ");
	ta_value_format(va, &x->because);
	describe_source(ev, a, &x->because);
	if (has != want)
		ta_buf_adds(&x->because, want ? ", wanted with it" : ", wanted without it");
	if (takes_pair(x, 2, b, vb)) {
		ta_buf_adds(&x->wanted, want ? "with " : "without ");
		ta_value_format(va, &x->wanted);
	}
}

/* `a` is what the host has, `b` what it is held against. */
static void explain_sides(struct ta_eval *ev, const struct ta_expr *a, const struct ta_value *va,
	const struct ta_expr *b, const struct ta_value *vb, const char *op, struct ta_explanation *x)
{
	add_subject(ev, a, va, &x->because);
	ta_buf_printf(&x->because, ", wanted %s ", op);
	ta_value_format(vb, &x->because);
	describe_source(ev, b, &x->because);
	if (takes_pair(x, 2, a, va)) {
		ta_buf_printf(&x->wanted, "%s ", op);
		ta_value_format(vb, &x->wanted);
	}
}

static void explain_link(struct ta_eval *ev, const struct ta_expr *a, const struct ta_value *va,
	const struct ta_expr *b, const struct ta_value *vb, bool want, struct ta_explanation *x)
{
	enum ta_compare link = want ? b->link : negated(b->link);
	const char *op;

	if (!ta_expr_has_facts(a) && ta_expr_has_facts(b)) {
		if (link == TA_C_IN) {
			explain_holding(ev, a, va, b, vb, want, x);
			return;
		}
		link = mirrored(link);
		explain_sides(ev, b, vb, a, va, ta_compare_texts[link], x);
		return;
	}
	op = link == TA_C_IN && !want ? "not in" : ta_compare_texts[link];
	explain_sides(ev, a, va, b, vb, op, x);
}

static void explain_compare(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *x)
{
	const struct ta_expr *a = e->child;
	struct ta_value va = ta_eval(ev, a);

	for (const struct ta_expr *b = a->next; b; a = b, b = b->next) {
		struct ta_value vb = ta_eval(ev, b), v = ta_eval_link(ev, &va, &vb, b);

		/* The link that fails; else the last one, where the chain ends. */
		if ((v.kind == TA_VAL_BOOL && !v.b) || !b->next) {
			explain_link(ev, a, &va, b, &vb, want, x);
			return;
		}
		va = vb;
	}
}

/* --- what is made of several ------------------------------------------------------------------- */

/* `and` that should be true needs all, as does `or` that should be false. */
static void explain_junction(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *x)
{
	bool needs_all = (e->node == TA_N_AND) == want;
	unsigned joined = 0;

	for (const struct ta_expr *c = e->child; c; c = c->next) {
		struct ta_value v = ta_eval(ev, c);

		if (v.kind == TA_VAL_BOOL && (v.b == want) != needs_all) {
			ta_explain(ev, c, want, x); /* decides alone: nothing else matters */
			return;
		}
	}
	for (const struct ta_expr *c = e->child; c && joined < JOINED_MAX; c = c->next) {
		struct ta_value v = ta_eval(ev, c);

		if (v.kind != TA_VAL_BOOL)
			continue;
		if (joined++)
			ta_buf_adds(&x->because, needs_all ? "; " : "; or ");
		ta_explain(ev, c, want, x);
	}
}

/* A member that decides all() or any(): its body is explained, and which member it was. */
static bool explain_member(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_cursor *c,
	struct ta_explanation *x)
{
	const struct ta_expr *condition = e->child->next;
	bool needs_all = (e->fn == TA_FN_ALL) == want;

	while (ta_cursor_next(ev, c, &ev->vars[e->slot])) {
		const struct ta_value *member = &ev->vars[e->slot];
		struct ta_value v = ta_eval(ev, condition);

		if (v.kind == TA_VAL_BROKEN)
			return true;
		if (v.kind != TA_VAL_BOOL || (v.b == want) == needs_all)
			continue;
		ta_explain(ev, condition, want, x);
		if (member->at) {
			ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

			ta_step_format(member->at, &path);
			ta_buf_printf(&x->because, " (%s is %s)", e->text, ta_buf_text(&path));
		}
		return true;
	}
	return false;
}

static void explain_quantifier(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *x)
{
	struct ta_value over = ta_eval(ev, e->child), why, count;
	struct ta_cursor c;

	if (!ta_cursor_open(ev, &over, e->child->type, &c, &why) || explain_member(ev, e, want, &c, x))
		return;
	/* Nobody decided: the condition holds for every member, or for none. */
	if (c.n) {
		ta_buf_printf(&x->because, "%s of the %zu in ", e->fn == TA_FN_ALL ? "each" : "none", c.n);
		print_bare(ev, e->child, &x->because);
		ta_buf_adds(&x->because, " has ");
		print_bare(NULL, e->child->next, &x->because);
	} else {
		print_bare(ev, e->child, &x->because);
		ta_buf_adds(&x->because, " has no members");
	}
	count = (struct ta_value){.kind = TA_VAL_INT, .i = {e->fn == TA_FN_ALL ? c.n : 0, false}};
	if (takes_pair(x, 1, e, &count)) {
		ta_buf_printf(&x->actual, " of %zu", c.n);
		ta_buf_adds(&x->wanted, want ? ta_fn_names[e->fn] : e->fn == TA_FN_ALL ? "not all" : "none");
	}
}

static void explain_truth(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *x)
{
	struct ta_value v = ta_eval(ev, e);

	add_subject(ev, e, &v, &x->because);
	ta_buf_adds(&x->because, want ? ", wanted true" : ", wanted false");
	if (takes_pair(x, 1, e, &v))
		ta_buf_adds(&x->wanted, want ? "true" : "false");
}

static void explain_if(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *x)
{
	struct ta_value condition = ta_eval(ev, e->child);

	if (condition.kind != TA_VAL_BOOL)
		return;
	ta_explain(ev, ta_expr_child(e, condition.b ? 1 : 2), want, x);
	/* The else is what holds by default: only an exception needs saying. */
	if (condition.b)
		add_branch(ev, e->child, true, &x->because);
}

void ta_explain(struct ta_eval *ev, const struct ta_expr *e, bool want, struct ta_explanation *x)
{
	switch (e->node) {
	case TA_N_NOT:
		ta_explain(ev, e->child, !want, x);
		break;
	case TA_N_AND:
	case TA_N_OR:
		explain_junction(ev, e, want, x);
		break;
	case TA_N_COMPARE:
		explain_compare(ev, e, want, x);
		break;
	case TA_N_IF:
		explain_if(ev, e, want, x);
		break;
	case TA_N_LOOP:
		explain_quantifier(ev, e, want, x);
		break;
	default:
		explain_truth(ev, e, want, x);
		break;
	}
}
