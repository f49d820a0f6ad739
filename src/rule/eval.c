/*
 * Operators. Kleene's logic: an unknown operand leaves open only what the other
 * operands do not decide; a broken one breaks the whole when it is reached.
 */
#include "rule/eval.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct ta_value ta_eval_unknown(struct ta_eval *ev, const char *reason, const char *fmt, ...)
{
	static const struct ta_unknown nothing = {"missing", ""};
	struct ta_unknown *u = ta_arena_new(&ev->arena, struct ta_unknown);
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	if (u) {
		u->reason = reason;
		u->detail = ta_arena_strndup(&ev->arena, ta_buf_text(&b), b.len);
	}
	return (struct ta_value){.kind = TA_VAL_UNKNOWN, .unknown = u && u->detail ? u : &nothing};
}

struct ta_value ta_eval_broken(struct ta_eval *ev, const struct ta_expr *e, const char *reason, const char *fmt, ...)
{
	const struct ta_source *src = ev->rule->source;
	unsigned line, column;
	va_list ap;

	if (!ev->broken_reason) {
		ev->broken_reason = reason;
		if (e) {
			ta_source_place(src, e->pos, &line, &column);
			ta_buf_printf(&ev->broken_detail, "%s:%u:%u: ", src->file, line, column);
		}
		va_start(ap, fmt);
		ta_buf_vprintf(&ev->broken_detail, fmt, ap);
		va_end(ap);
	}
	return (struct ta_value){.kind = TA_VAL_BROKEN};
}

bool ta_eval_charge(struct ta_eval *ev, unsigned long steps)
{
	if (steps < ev->steps_left) {
		ev->steps_left -= steps;
		return true;
	}
	ev->steps_left = 0;
	ta_eval_broken(ev, NULL, "steps", "more than %u steps", TA_RULE_STEPS_MAX);
	return false;
}

static struct ta_value value_bool(bool b)
{
	return (struct ta_value){.kind = TA_VAL_BOOL, .b = b};
}

static struct ta_value value_unknown(const struct ta_unknown *u)
{
	return (struct ta_value){.kind = TA_VAL_UNKNOWN, .unknown = u};
}

/* `and` stops at the first false, `or` at the first true; an unknown waits for that. */
static struct ta_value eval_junction(struct ta_eval *ev, const struct ta_expr *e)
{
	bool decides = e->node == TA_N_OR;
	struct ta_value result = value_bool(!decides);

	for (const struct ta_expr *x = e->child; x; x = x->next) {
		struct ta_value v = ta_eval(ev, x);

		if (v.kind == TA_VAL_BROKEN || (v.kind == TA_VAL_BOOL && v.b == decides))
			return v;
		if (v.kind == TA_VAL_UNKNOWN && result.kind != TA_VAL_UNKNOWN)
			result = v;
	}
	return result;
}

static struct ta_value link_result(enum ta_compare link, enum ta_order o, const struct ta_unknown *why)
{
	if (o == TA_NO_ORDER)
		return value_unknown(why);
	switch (link) {
	case TA_C_LT:
		return value_bool(o == TA_LESS);
	case TA_C_LE:
		return value_bool(o == TA_LESS || o == TA_EQUAL);
	case TA_C_GT:
		return value_bool(o == TA_GREATER);
	case TA_C_GE:
		return value_bool(o == TA_GREATER || o == TA_EQUAL);
	case TA_C_NE:
		return value_bool(o != TA_EQUAL);
	default:
		return value_bool(o == TA_EQUAL);
	}
}

struct ta_value ta_eval_link(struct ta_eval *ev, const struct ta_value *a, const struct ta_value *b,
	const struct ta_expr *b_expr)
{
	const struct ta_unknown *why = NULL;
	enum ta_order o;

	if (a->kind == TA_VAL_BROKEN || b->kind == TA_VAL_BROKEN)
		return (struct ta_value){.kind = TA_VAL_BROKEN};
	if (b_expr->link == TA_C_IN)
		return ta_eval_in(ev, a, b, b_expr->type);
	if (!ta_eval_charge(ev, ta_value_weight(a)))
		return (struct ta_value){.kind = TA_VAL_BROKEN};
	o = ta_value_compare(a, b, &why);
	return link_result(b_expr->link, o, why);
}

/* A chain is the `and` of its links; every operand is worked out once. */
static struct ta_value eval_compare(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value result = value_bool(true), a = ta_eval(ev, e->child);

	for (const struct ta_expr *x = e->child->next; x; x = x->next) {
		struct ta_value b = ta_eval(ev, x), v = ta_eval_link(ev, &a, &b, x);

		if (v.kind == TA_VAL_BROKEN || (v.kind == TA_VAL_BOOL && !v.b))
			return v;
		if (v.kind == TA_VAL_UNKNOWN && result.kind != TA_VAL_UNKNOWN)
			result = v;
		a = b;
	}
	return result;
}

/* --- arithmetic ------------------------------------------------------------------------- */

static struct ta_value eval_int(struct ta_eval *ev, const struct ta_expr *e, struct ta_int a, struct ta_int b)
{
	struct ta_value v = {.kind = TA_VAL_INT};
	bool ok;

	switch (e->node) {
	case TA_N_ADD:
		ok = ta_int_add(a, b, &v.i);
		break;
	case TA_N_SUB:
		ok = ta_int_sub(a, b, &v.i);
		break;
	case TA_N_MUL:
		ok = ta_int_mul(a, b, &v.i);
		break;
	default:
		if (!b.mag)
			return ta_eval_broken(ev, e, "division-by-zero", "the remainder of a division by zero");
		ok = ta_int_mod(a, b, &v.i);
		break;
	}
	return ok ? v : ta_eval_broken(ev, e, "overflow", "the result is no 64-bit integer");
}

static double real_of(const struct ta_value *v)
{
	return v->kind == TA_VAL_INT ? ta_int_real(v->i) : v->r;
}

static struct ta_value eval_real(struct ta_eval *ev, const struct ta_expr *e, double a, double b)
{
	struct ta_value v = {.kind = TA_VAL_REAL};

	switch (e->node) {
	case TA_N_ADD:
		v.r = a + b;
		break;
	case TA_N_SUB:
		v.r = a - b;
		break;
	case TA_N_MUL:
		v.r = a * b;
		break;
	case TA_N_DIV:
		if (b == 0)
			return ta_eval_broken(ev, e, "division-by-zero", "a division by zero");
		v.r = a / b;
		break;
	default:
		return ta_eval_broken(ev, e, "type", "%% takes integers");
	}
	return isfinite(v.r) ? v : ta_eval_broken(ev, e, "overflow", "the result is no finite number");
}

static bool is_positive(const struct ta_value *v)
{
	return v->kind == TA_VAL_UNLIMITED || (v->kind == TA_VAL_INT && v->i.mag && !v->i.negative) ||
		(v->kind == TA_VAL_REAL && v->r > 0);
}

/* At least one operand is unlimited or auto. What has no answer is unknown, not broken: the host said so, not the rule. */
static struct ta_value eval_without_end(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *a,
	const struct ta_value *b)
{
	struct ta_value unlimited = {.kind = TA_VAL_UNLIMITED};
	bool ua = a->kind == TA_VAL_UNLIMITED, ub = b->kind == TA_VAL_UNLIMITED;

	if (a->kind == TA_VAL_AUTO || b->kind == TA_VAL_AUTO)
		return ta_eval_unknown(ev, "automatic", "the kernel chooses this value");
	if (e->node == TA_N_ADD || (e->node == TA_N_SUB && ua && !ub))
		return unlimited;
	if (e->node == TA_N_MUL && is_positive(a) && is_positive(b))
		return unlimited;
	if (e->node == TA_N_DIV && ua && !ub && is_positive(b))
		return unlimited;
	return ta_eval_unknown(ev, "unlimited", "unlimited %s is no number", ta_node_operator(e->node));
}

static struct ta_value eval_arithmetic(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value a = ta_eval(ev, e->child), b = ta_eval(ev, e->child->next);

	if (a.kind == TA_VAL_BROKEN || b.kind == TA_VAL_BROKEN)
		return (struct ta_value){.kind = TA_VAL_BROKEN};
	if (a.kind == TA_VAL_UNKNOWN)
		return a;
	if (b.kind == TA_VAL_UNKNOWN)
		return b;
	if (a.kind == TA_VAL_UNLIMITED || a.kind == TA_VAL_AUTO || b.kind == TA_VAL_UNLIMITED || b.kind == TA_VAL_AUTO)
		return eval_without_end(ev, e, &a, &b);
	if (a.kind == TA_VAL_INT && b.kind == TA_VAL_INT && e->node != TA_N_DIV)
		return eval_int(ev, e, a.i, b.i);
	return eval_real(ev, e, real_of(&a), real_of(&b));
}

static struct ta_value eval_neg(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value v = ta_eval(ev, e->child);

	if (ta_value_stops(&v))
		return v;
	if (v.kind == TA_VAL_REAL)
		return (struct ta_value){.kind = TA_VAL_REAL, .r = -v.r};
	if (v.kind != TA_VAL_INT)
		return ta_eval_unknown(ev, "unlimited", "minus unlimited is no number");
	if (!ta_int_make(v.i.mag, !v.i.negative, &v.i))
		return ta_eval_broken(ev, e, "overflow", "the result is no 64-bit integer");
	return (struct ta_value){.kind = TA_VAL_INT, .i = v.i};
}

/* --- the rest --------------------------------------------------------------------------- */

static struct ta_value eval_list(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value list = {.kind = TA_VAL_LIST};
	size_t n = 0;

	for (const struct ta_expr *x = e->child; x; x = x->next)
		n++;
	list.list.v = ta_arena_alloc(&ev->arena, (n + 1) * sizeof(*list.list.v));
	for (const struct ta_expr *x = e->child; list.list.v && x; x = x->next) {
		struct ta_value v = ta_eval(ev, x);

		if (v.kind == TA_VAL_BROKEN)
			return v;
		list.list.v[list.list.n++] = v;
	}
	return list;
}

static struct ta_value eval_not(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value v = ta_eval(ev, e->child);

	return ta_value_stops(&v) ? v : value_bool(!v.b);
}

static struct ta_value eval_if(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value condition = ta_eval(ev, e->child);

	if (ta_value_stops(&condition))
		return condition;
	return ta_eval(ev, ta_expr_child(e, condition.b ? 1 : 2));
}

static struct ta_value eval_node(struct ta_eval *ev, const struct ta_expr *e)
{
	switch (e->node) {
	case TA_N_INT:
		return (struct ta_value){.kind = TA_VAL_INT, .i = e->i};
	case TA_N_REAL:
		return (struct ta_value){.kind = TA_VAL_REAL, .r = e->r};
	case TA_N_STRING:
		return (struct ta_value){.kind = TA_VAL_STRING, .s = e->text};
	case TA_N_BOOL:
		return value_bool(e->b);
	case TA_N_UNLIMITED:
		return (struct ta_value){.kind = TA_VAL_UNLIMITED, .literal = true};
	case TA_N_AUTO:
		return (struct ta_value){.kind = TA_VAL_AUTO, .literal = true};
	case TA_N_VAR:
		return ev->vars[e->slot];
	case TA_N_PARAM:
		return ta_eval(ev, ev->params[e->slot]);
	case TA_N_LIST:
		return eval_list(ev, e);
	case TA_N_NEG:
		return eval_neg(ev, e);
	case TA_N_NOT:
		return eval_not(ev, e);
	case TA_N_COMPARE:
		return eval_compare(ev, e);
	case TA_N_AND:
	case TA_N_OR:
		return eval_junction(ev, e);
	case TA_N_IF:
		return eval_if(ev, e);
	case TA_N_CALL:
		return ta_eval_call(ev, e);
	case TA_N_LOOP:
		return ta_eval_loop(ev, e);
	case TA_N_STAR:
		return ta_eval_star(ev, e);
	case TA_N_ADD:
	case TA_N_SUB:
	case TA_N_MUL:
	case TA_N_DIV:
	case TA_N_MOD:
		return eval_arithmetic(ev, e);
	default:
		return ta_eval_path(ev, e);
	}
}

struct ta_value ta_eval(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value v;

	if (!ta_eval_charge(ev, 1))
		return (struct ta_value){.kind = TA_VAL_BROKEN};
	v = eval_node(ev, e);
	if (ev->arena.error)
		return ta_eval_broken(ev, NULL, "memory", "more than %u bytes of memory", TA_RULE_MEMORY_MAX);
	return v;
}
