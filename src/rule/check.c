/*
 * Types. Different types never compare; what is wrong for every host is told
 * here, once, before a host is read.
 */
#include "rule/check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const char *ta_kind_name(enum ta_kind k)
{
	static const char *const names[] = {
		[TA_K_FAULT] = "anything",
		[TA_K_INT] = "an integer",
		[TA_K_REAL] = "a real number",
		[TA_K_NUMBER] = "a number",
		[TA_K_BOOL] = "true or false",
		[TA_K_STRING] = "a string",
		[TA_K_LIST] = "a list",
		[TA_K_OBJECT] = "a group of facts",
	};

	return names[k];
}

const char *ta_stype_text(struct ta_stype t)
{
	if (t.many)
		return "many values (made by [*])";
	if (t.kind == TA_K_LIST && t.elem == TA_K_INT)
		return "a list of integers";
	if (t.kind == TA_K_LIST && t.elem == TA_K_STRING)
		return "a list of strings";
	if (t.kind == TA_K_OBJECT && ta_schema_is_collection(t.node))
		return "a collection";
	return ta_kind_name(t.kind);
}

const char *ta_hint(struct ta_hint *h, const char *near)
{
	h->text[0] = '\0';
	if (near)
		snprintf(h->text, sizeof(h->text), "; did you mean '%s'?", near);
	return h->text;
}

struct ta_stype ta_check_fault_at(struct ta_checker *c, uint32_t pos, uint32_t end, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	if (c->rc != -ENOMEM)
		c->rc = ta_diag_add(c->diags, c->src, pos, end, "%s", ta_buf_text(&b));
	return (struct ta_stype){0};
}

struct ta_stype ta_check_fault(struct ta_checker *c, const struct ta_expr *e, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	return ta_check_fault_at(c, e->pos, e->end, "%s", ta_buf_text(&b));
}

static const struct ta_stype bool_type = {.kind = TA_K_BOOL};

/* `e` must be true or false. */
static void need_bool(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype t = ta_check_expr(c, e);

	if (t.kind != TA_K_FAULT && (t.kind != TA_K_BOOL || t.many))
		ta_check_fault(c, e, "this must be true or false, it is %s", ta_stype_text(t));
}

/* `e` must be one number. */
static struct ta_stype need_number(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype t = ta_check_expr(c, e);

	if (t.kind == TA_K_FAULT || (ta_kind_is_number(t.kind) && !t.many && e->node != TA_N_AUTO))
		return t;
	return ta_check_fault(c, e, "this must be a number, it is %s",
		e->node == TA_N_AUTO ? "auto" : ta_stype_text(t));
}

/* --- comparisons ------------------------------------------------------------------ */

/* Types that may stand on both sides of a comparison. */
static bool comparable(struct ta_stype a, struct ta_stype b)
{
	if (ta_kind_is_number(a.kind) && ta_kind_is_number(b.kind))
		return true;
	if (a.kind == TA_K_LIST && b.kind == TA_K_LIST)
		return a.elem == TA_K_FAULT || b.elem == TA_K_FAULT || a.elem == b.elem ||
			(ta_kind_is_number(a.elem) && ta_kind_is_number(b.elem));
	return a.kind == b.kind && a.kind != TA_K_OBJECT;
}

static bool has_meaning(const struct ta_field *f, enum ta_meaning m)
{
	return f && (f->special[0].meaning == m || f->special[1].meaning == m);
}

/* A number that stands for something else in this fact must be written as what it means. */
static bool check_special(struct ta_checker *c, const struct ta_expr *fact, const struct ta_expr *literal)
{
	const struct ta_field *f = fact->type.node ? ta_schema_field(fact->type.node) : NULL;

	if (literal->node == TA_N_AUTO && f && !has_meaning(f, TA_MEANS_AUTO)) {
		ta_check_fault(c, literal, "%s has no value that means auto", f->path);
		return false;
	}
	if (literal->node == TA_N_UNLIMITED && f && f->type != TA_T_REAL && !(f->flags & TA_F_UNLIMITED) &&
		!has_meaning(f, TA_MEANS_UNLIMITED)) {
		ta_check_fault(c, literal, "%s has no value that means unlimited", f->path);
		return false;
	}
	for (size_t i = 0; f && literal->node == TA_N_INT && i < TA_ARRAY_SIZE(f->special); i++) {
		int64_t v = f->special[i].value;
		uint64_t mag = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

		if (f->special[i].meaning != TA_MEANS_NUMBER && literal->i.mag == mag &&
			literal->i.negative == (v < 0)) {
			ta_check_fault(c, literal, "%lld means %s here; write %s", (long long)v,
				f->special[i].meaning == TA_MEANS_AUTO ? "auto" : "unlimited",
				f->special[i].meaning == TA_MEANS_AUTO ? "auto" : "unlimited");
			return false;
		}
	}
	return true;
}

static void check_in(struct ta_checker *c, const struct ta_expr *a, const struct ta_expr *b)
{
	struct ta_stype what = a->type, in = b->type;

	if (what.many) {
		ta_check_fault(c, a, "this is many values; ask for each with all() or any()");
		return;
	}
	if (!in.many && in.kind == TA_K_OBJECT && ta_schema_is_collection(in.node)) {
		if (what.kind != TA_K_STRING && what.kind != TA_K_INT)
			ta_check_fault(c, a, "the keys of a collection are strings, this is %s", ta_stype_text(what));
		return;
	}
	if (!in.many && in.kind != TA_K_LIST) {
		ta_check_fault(c, b, "`in` needs a list or a collection, this is %s", ta_stype_text(in));
		return;
	}
	if (!in.many)
		in.kind = in.elem;
	in.many = false;
	if (in.kind != TA_K_FAULT && !comparable(what, in))
		ta_check_fault(c, a, "%s among values of another type: %s", ta_stype_text(what), ta_kind_name(in.kind));
}

static void check_pair(struct ta_checker *c, const struct ta_expr *a, const struct ta_expr *b)
{
	struct ta_stype x = a->type, y = b->type;
	bool order = b->link != TA_C_EQ && b->link != TA_C_NE;

	if (x.kind == TA_K_FAULT || y.kind == TA_K_FAULT)
		return;
	if (b->link == TA_C_IN) {
		check_in(c, a, b);
		return;
	}
	if (x.many || y.many) {
		ta_check_fault(c, x.many ? a : b, "this is many values; ask for each with all() or any(), "
			"or for their min(), max() or count()");
		return;
	}
	if (!comparable(x, y)) {
		ta_check_fault_at(c, a->pos, b->end, "comparison of two different types: %s and %s", ta_stype_text(x),
			ta_stype_text(y));
		return;
	}
	if (order && (a->node == TA_N_AUTO || b->node == TA_N_AUTO)) {
		ta_check_fault_at(c, a->pos, b->end, "auto is not greater or less than anything; compare with == or !=");
		return;
	}
	if (order && (x.kind == TA_K_BOOL || x.kind == TA_K_STRING || (x.kind == TA_K_LIST && x.elem == TA_K_STRING))) {
		ta_check_fault_at(c, a->pos, b->end, "%s has no order; compare with == or !=", ta_stype_text(x));
		return;
	}
	if (check_special(c, a, b))
		check_special(c, b, a);
}

static struct ta_stype check_compare(struct ta_checker *c, struct ta_expr *e)
{
	for (struct ta_expr *a = e->child; a; a = a->next)
		ta_check_expr(c, a);
	for (struct ta_expr *a = e->child; a->next; a = a->next)
		check_pair(c, a, a->next);
	return bool_type;
}

/* --- everything else ----------------------------------------------------------------- */

static struct ta_stype check_arithmetic(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype a = need_number(c, e->child), b = need_number(c, e->child->next);

	if (a.kind == TA_K_FAULT || b.kind == TA_K_FAULT)
		return (struct ta_stype){0};
	if (e->node == TA_N_DIV)
		return (struct ta_stype){.kind = TA_K_REAL};
	if (e->node == TA_N_MOD && (a.kind == TA_K_REAL || b.kind == TA_K_REAL))
		return ta_check_fault(c, e, "%% takes integers");
	if (a.kind == TA_K_INT && b.kind == TA_K_INT)
		return (struct ta_stype){.kind = TA_K_INT};
	return (struct ta_stype){.kind = a.kind == TA_K_REAL || b.kind == TA_K_REAL ? TA_K_REAL : TA_K_NUMBER};
}

static struct ta_stype check_neg(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype t = need_number(c, e->child);

	if (e->child->node == TA_N_INT && e->child->i.mag > UINT64_C(1) << 63)
		return ta_check_fault(c, e, "the number is less than -9223372036854775808");
	return (struct ta_stype){.kind = t.kind};
}

/* The common type of two values where either may come out; a fault at `at` if there is none. */
static struct ta_stype join(struct ta_checker *c, const struct ta_expr *at, struct ta_stype a, struct ta_stype b)
{
	if (a.kind == TA_K_FAULT || b.kind == TA_K_FAULT)
		return (struct ta_stype){0};
	if (a.many || b.many || !comparable(a, b))
		return ta_check_fault(c, at, "this is %s, the other value is %s", ta_stype_text(b), ta_stype_text(a));
	if (a.kind != b.kind)
		a.kind = TA_K_NUMBER;
	if (a.elem == TA_K_FAULT)
		a.elem = b.elem;
	if (a.node != b.node)
		a.node = NULL;
	a.element = false;
	return a;
}

static struct ta_stype check_if(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_expr *yes = e->child->next, *no = yes->next;

	need_bool(c, e->child);
	ta_check_expr(c, yes);
	return join(c, no, yes->type, ta_check_expr(c, no));
}

static struct ta_stype check_list(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype all = {0};

	for (struct ta_expr *x = e->child; x; x = x->next) {
		struct ta_stype t = ta_check_expr(c, x);

		if (t.kind == TA_K_LIST || t.kind == TA_K_OBJECT)
			t = ta_check_fault(c, x, "a list holds numbers, strings or truth values, not %s", ta_stype_text(t));
		all = x == e->child ? t : join(c, x, all, t);
	}
	return (struct ta_stype){.kind = TA_K_LIST, .elem = all.kind};
}

/* The one argument that is a list, [*] or a collection; what its members are. */
static struct ta_stype check_one_list(struct ta_checker *c, const struct ta_expr *e)
{
	const struct ta_expr *x = e->child;

	if (!x || x->next)
		return ta_check_fault(c, e, "%s() takes one list or collection", ta_fn_names[e->fn]);
	return ta_check_member_of(c, x, x->type);
}

static struct ta_stype check_call(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype t = {0};
	bool several = e->child && e->child->next;

	for (struct ta_expr *x = e->child; x; x = x->next)
		ta_check_expr(c, x);
	if (e->fn == TA_FN_COUNT || e->fn == TA_FN_DISTINCT) {
		t = check_one_list(c, e);
		if (t.kind == TA_K_OBJECT && e->fn == TA_FN_DISTINCT)
			return ta_check_fault(c, e->child, "groups of facts cannot be compared");
		return (struct ta_stype){.kind = TA_K_INT};
	}
	if (e->fn == TA_FN_FLOOR || e->fn == TA_FN_CEIL) {
		if (!e->child || several)
			return ta_check_fault(c, e, "%s() takes one number", ta_fn_names[e->fn]);
		need_number(c, e->child);
		return (struct ta_stype){.kind = TA_K_INT};
	}
	if (!several || e->fn == TA_FN_SUM) {
		t = check_one_list(c, e);
		if (t.kind != TA_K_FAULT && !ta_kind_is_number(t.kind))
			return ta_check_fault(c, e->child, "%s() takes numbers, not %s", ta_fn_names[e->fn],
				ta_stype_text(t));
		return (struct ta_stype){.kind = t.kind, .node = e->fn == TA_FN_SUM ? NULL : t.node};
	}
	for (struct ta_expr *x = e->child; x; x = x->next) {
		struct ta_stype n = need_number(c, x);

		t = x == e->child ? n : join(c, x, t, n);
	}
	return (struct ta_stype){.kind = t.kind};
}

/* What a loop's function makes of the values. */
static struct ta_stype loop_type(struct ta_checker *c, struct ta_expr *e, struct ta_expr *value)
{
	struct ta_stype t;

	if (e->fn == TA_FN_ALL || e->fn == TA_FN_ANY)
		return bool_type;
	if (e->fn == TA_FN_FLOOR || e->fn == TA_FN_CEIL)
		return ta_check_fault(c, e, "%s() takes one number", ta_fn_names[e->fn]);
	if (e->fn == TA_FN_COUNT)
		return (struct ta_stype){.kind = TA_K_INT};
	t = value->type;
	if (t.kind == TA_K_FAULT)
		return t;
	if (e->fn == TA_FN_DISTINCT) {
		if (t.many || t.kind == TA_K_OBJECT)
			return ta_check_fault(c, value, "distinct() takes single values, not %s", ta_stype_text(t));
		return (struct ta_stype){.kind = TA_K_INT};
	}
	if (t.many || !ta_kind_is_number(t.kind))
		return ta_check_fault(c, value, "%s() takes numbers, not %s", ta_fn_names[e->fn], ta_stype_text(t));
	/* A least or greatest value is one of the facts and keeps the meaning of its special numbers. */
	return (struct ta_stype){.kind = t.kind, .node = e->fn == TA_FN_SUM ? NULL : t.node};
}

static struct ta_stype check_loop(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_expr *over = e->child, *value = over->next;
	struct ta_stype member = ta_check_member_of(c, over, ta_check_expr(c, over)), t;
	int slot = ta_check_push_var(c, over, e->text, member);

	if (slot < 0)
		return (struct ta_stype){0};
	e->slot = (uint16_t)slot;
	if (e->has_value)
		ta_check_expr(c, value);
	if (e->has_condition)
		need_bool(c, e->has_value ? value->next : value);
	t = loop_type(c, e, value);
	c->n_vars--;
	return t;
}

static struct ta_stype check_node(struct ta_checker *c, struct ta_expr *e)
{
	switch (e->node) {
	case TA_N_INT:
	case TA_N_UNLIMITED:
	case TA_N_AUTO:
		return (struct ta_stype){.kind = TA_K_INT};
	case TA_N_REAL:
		return (struct ta_stype){.kind = TA_K_REAL};
	case TA_N_STRING:
		return (struct ta_stype){.kind = TA_K_STRING};
	case TA_N_BOOL:
		return bool_type;
	case TA_N_LIST:
		return check_list(c, e);
	case TA_N_NEG:
		return check_neg(c, e);
	case TA_N_NOT:
	case TA_N_AND:
	case TA_N_OR:
		for (struct ta_expr *x = e->child; x; x = x->next)
			need_bool(c, x);
		return bool_type;
	case TA_N_ADD:
	case TA_N_SUB:
	case TA_N_MUL:
	case TA_N_DIV:
	case TA_N_MOD:
		return check_arithmetic(c, e);
	case TA_N_COMPARE:
		return check_compare(c, e);
	case TA_N_IF:
		return check_if(c, e);
	case TA_N_CALL:
		return check_call(c, e);
	case TA_N_LOOP:
		return check_loop(c, e);
	default:
		return ta_check_path(c, e);
	}
}

struct ta_stype ta_check_expr(struct ta_checker *c, struct ta_expr *e)
{
	/* Some are asked for twice; the first answer stands, and its fault was told. */
	if (!e->checked) {
		e->checked = true;
		e->type = check_node(c, e);
	}
	return e->type;
}
