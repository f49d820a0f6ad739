/*
 * Going over collections and lists. Nothing is copied to go over it, and what a
 * turn allocated is given back after it, so nested loops need no memory.
 *
 * A collection that may miss members can decide `any` (one member is enough)
 * and `all` (one counterexample is enough), and nothing else.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "rule/eval.h"

static struct ta_value unknown_of(const struct ta_unknown *u)
{
	return (struct ta_value){.kind = TA_VAL_UNKNOWN, .unknown = u};
}

static struct ta_value broken(void)
{
	return (struct ta_value){.kind = TA_VAL_BROKEN};
}

/* Why the collection at `at` may miss members, or NULL. */
static const struct ta_unknown *find_hole(struct ta_eval *ev, const struct ta_path_step *at)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	if (!ev->any_incomplete || !at)
		return NULL;
	ta_step_format(at, &path);
	if (!ta_facts_incomplete(ev->facts, ta_buf_text(&path), &why))
		return NULL;
	return ta_eval_unknown(ev, ta_reason_name(why.reason), "%s may miss members: %s", ta_buf_text(&path),
		*why.detail ? why.detail : "it was not read whole").unknown;
}

bool ta_cursor_open(struct ta_eval *ev, const struct ta_value *over, struct ta_stype type, struct ta_cursor *ret,
	struct ta_value *ret_why)
{
	*ret = (struct ta_cursor){.over = *over};
	if (ta_value_stops(over)) {
		*ret_why = *over;
		return false;
	}
	if (over->kind != TA_VAL_NODE) {
		ret->n = ta_value_length(over);
		ret->hole = over->kind == TA_VAL_LIST ? over->hole : NULL;
		return true;
	}
	if (!over->o) {
		*ret_why = ta_eval_absent(ev, over->at);
		return false;
	}
	ret->member = ta_schema_child(type.node, "*");
	ret->entry = json_object_get_object(over->o)->head;
	ret->n = (size_t)json_object_object_length(over->o);
	ret->hole = find_hole(ev, over->at);
	return true;
}

static struct ta_value next_member(struct ta_eval *ev, struct ta_cursor *c)
{
	struct lh_entry *entry = c->entry;
	struct ta_path_step *at = ta_arena_new(&ev->arena, struct ta_path_step);

	if (at)
		*at = (struct ta_path_step){.up = c->over.at, .key = lh_entry_k(entry)};
	c->entry = entry->next;
	return ta_eval_read(ev, lh_entry_v(entry), c->member, at);
}

bool ta_cursor_next(struct ta_eval *ev, struct ta_cursor *c, struct ta_value *ret)
{
	if (c->i >= c->n || (c->member && !c->entry))
		return false;
	if (!ta_eval_charge(ev, 1)) {
		*ret = broken();
	} else if (c->member) {
		*ret = next_member(ev, c);
	} else if (!ta_value_element(&c->over, c->i, ret)) {
		*ret = ta_eval_unknown(ev, "malformed", "an element of the list has another type");
	} else if (c->over.at) {
		struct ta_path_step *at = ta_arena_new(&ev->arena, struct ta_path_step);

		if (at)
			*at = (struct ta_path_step){.up = c->over.at, .index = c->i};
		ret->at = at;
	}
	c->i++;
	return true;
}

/* --- what is made of the members ----------------------------------------------------- */

/* A set of values, for distinct(); its room is made before the first turn. */
struct set {
	struct ta_value *values;
	uint32_t *slots; /* number of a value, plus one */
	size_t n, mask;
};

static bool set_init(struct ta_eval *ev, struct set *s, size_t n)
{
	size_t size = 8;

	while (size < n * 2)
		size *= 2;
	s->values = ta_arena_alloc(&ev->arena, (n + 1) * sizeof(*s->values));
	s->slots = ta_arena_alloc(&ev->arena, size * sizeof(*s->slots));
	s->mask = size - 1;
	return s->values && s->slots;
}

static void set_add(struct set *s, const struct ta_value *v)
{
	size_t i = ta_value_hash(v) & s->mask;

	for (; s->slots[i]; i = (i + 1) & s->mask)
		if (ta_value_compare(v, &s->values[s->slots[i] - 1], NULL) == TA_EQUAL)
			return;
	s->values[s->n++] = *v;
	s->slots[i] = (uint32_t)s->n;
}

struct fold {
	enum ta_fn fn;
	const struct ta_expr *e;
	size_t count;
	struct ta_value result;		  /* of min, max, sum */
	const struct ta_unknown *unknown; /* the first one met */
	struct set set;
};

static bool fold_init(struct ta_eval *ev, struct fold *f, enum ta_fn fn, const struct ta_expr *e, size_t n)
{
	*f = (struct fold){.fn = fn, .e = e, .result = {.kind = TA_VAL_INT}};
	return fn != TA_FN_DISTINCT || set_init(ev, &f->set, n);
}

/* `a` + `b` by the rules of +. */
static struct ta_value add(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *a, const struct ta_value *b)
{
	struct ta_value sum = {.kind = TA_VAL_INT};

	if (a->kind == TA_VAL_UNLIMITED || b->kind == TA_VAL_UNLIMITED)
		return (struct ta_value){.kind = TA_VAL_UNLIMITED};
	if (a->kind == TA_VAL_INT && b->kind == TA_VAL_INT)
		return ta_int_add(a->i, b->i, &sum.i) ? sum :
			ta_eval_broken(ev, e, "overflow", "the sum is no 64-bit integer");
	sum.kind = TA_VAL_REAL;
	sum.r = (a->kind == TA_VAL_INT ? ta_int_real(a->i) : a->r) + (b->kind == TA_VAL_INT ? ta_int_real(b->i) : b->r);
	return isfinite(sum.r) ? sum : ta_eval_broken(ev, e, "overflow", "the sum is no finite number");
}

/* One more value; false: broken. */
static bool fold_add(struct ta_eval *ev, struct fold *f, const struct ta_value *v)
{
	const struct ta_unknown *why = NULL;
	enum ta_order o;

	if (v->kind == TA_VAL_BROKEN)
		return false;
	if (v->kind == TA_VAL_UNKNOWN || (v->kind == TA_VAL_AUTO && f->fn != TA_FN_COUNT && f->fn != TA_FN_DISTINCT)) {
		if (!f->unknown)
			f->unknown = v->kind == TA_VAL_UNKNOWN ? v->unknown :
				ta_eval_unknown(ev, "automatic", "the kernel chooses one of the values").unknown;
		return true;
	}
	if (f->fn == TA_FN_DISTINCT) {
		if (!ta_eval_charge(ev, ta_value_weight(v)))
			return false;
		set_add(&f->set, v);
	} else if (f->fn == TA_FN_SUM) {
		f->result = add(ev, f->e, &f->result, v);
	} else if (f->fn != TA_FN_COUNT) {
		o = f->count ? ta_value_compare(v, &f->result, &why) : TA_NO_ORDER;
		if (!f->count || o == (f->fn == TA_FN_MIN ? TA_LESS : TA_GREATER))
			f->result = *v;
	}
	f->count++;
	return f->result.kind != TA_VAL_BROKEN;
}

static struct ta_value fold_result(struct ta_eval *ev, struct fold *f, const struct ta_unknown *hole)
{
	if (f->unknown || hole)
		return unknown_of(f->unknown ? f->unknown : hole);
	if (f->fn == TA_FN_COUNT || f->fn == TA_FN_DISTINCT) {
		size_t n = f->fn == TA_FN_COUNT ? f->count : f->set.n;

		return (struct ta_value){.kind = TA_VAL_INT, .i = {n, false}};
	}
	if (!f->count && f->fn != TA_FN_SUM)
		return ta_eval_unknown(ev, "empty", "%s of nothing", ta_fn_names[f->fn]);
	f->result.at = NULL; /* the number, not the fact */
	return f->result;
}

/* --- loops ---------------------------------------------------------------------------- */

/* What a turn leaves behind that later turns need: then its memory stays. */
static bool keeps_memory(const struct ta_value *v)
{
	return v->kind == TA_VAL_UNKNOWN || v->kind == TA_VAL_BROKEN || v->kind == TA_VAL_LIST;
}

/* all() and any(). */
static struct ta_value eval_quantifier(struct ta_eval *ev, const struct ta_expr *e, struct ta_cursor *c)
{
	const struct ta_expr *condition = e->child->next;
	bool decides = e->fn == TA_FN_ANY;
	const struct ta_unknown *unknown = NULL;
	struct ta_arena_mark mark = ta_arena_mark(&ev->arena);

	while (ta_cursor_next(ev, c, &ev->vars[e->slot])) {
		struct ta_value v = ta_eval(ev, condition);

		if (v.kind == TA_VAL_BROKEN || (v.kind == TA_VAL_BOOL && v.b == decides))
			return v;
		if (v.kind == TA_VAL_UNKNOWN && !unknown) {
			unknown = v.unknown;
			mark = ta_arena_mark(&ev->arena);
			continue;
		}
		ta_arena_release(&ev->arena, mark);
	}
	if (unknown || c->hole)
		return unknown_of(unknown ? unknown : c->hole);
	return (struct ta_value){.kind = TA_VAL_BOOL, .b = !decides};
}

/* One turn of fn(value for x in c if condition): into the fold; false: broken. */
static bool turn(struct ta_eval *ev, const struct ta_expr *e, struct fold *f, bool *keep)
{
	const struct ta_expr *value = e->has_value ? e->child->next : NULL;
	const struct ta_expr *condition = e->has_condition ? (value ? value->next : e->child->next) : NULL;
	struct ta_value v = {.kind = TA_VAL_BOOL, .b = true};
	const struct ta_unknown *had;

	if (condition)
		v = ta_eval(ev, condition);
	if (v.kind == TA_VAL_BOOL && !v.b)
		return true;
	if (v.kind == TA_VAL_BOOL && value)
		v = ta_eval(ev, value);
	had = f->unknown;
	*keep = keeps_memory(&v);
	if (!fold_add(ev, f, &v))
		return false;
	*keep |= f->unknown != had;
	return true;
}

struct ta_value ta_eval_loop(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value over = ta_eval(ev, e->child), why;
	struct ta_arena_mark mark;
	struct ta_cursor c;
	struct fold f;

	if (!ta_cursor_open(ev, &over, e->child->type, &c, &why))
		return why;
	if (e->fn == TA_FN_ALL || e->fn == TA_FN_ANY)
		return eval_quantifier(ev, e, &c);
	if (!fold_init(ev, &f, e->fn, e, c.n))
		return broken();
	mark = ta_arena_mark(&ev->arena);
	while (ta_cursor_next(ev, &c, &ev->vars[e->slot])) {
		bool keep = false;

		if (!turn(ev, e, &f, &keep))
			return broken();
		if (keep)
			mark = ta_arena_mark(&ev->arena);
		else
			ta_arena_release(&ev->arena, mark);
	}
	return fold_result(ev, &f, c.hole);
}

/* fn(list): every member is a value. */
static struct ta_value fold_members(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value over = ta_eval(ev, e->child), why, v;
	struct ta_cursor c;
	struct fold f;

	if (!ta_cursor_open(ev, &over, e->child->type, &c, &why))
		return why;
	if (e->fn == TA_FN_COUNT && !over.many)
		return c.hole ? unknown_of(c.hole) : (struct ta_value){.kind = TA_VAL_INT, .i = {c.n, false}};
	if (!fold_init(ev, &f, e->fn, e, c.n))
		return broken();
	while (ta_cursor_next(ev, &c, &v)) {
		if (v.kind == TA_VAL_NODE && !v.o)
			v = ta_eval_absent(ev, v.at);
		if (!fold_add(ev, &f, &v))
			return broken();
	}
	return fold_result(ev, &f, c.hole);
}

static struct ta_value eval_round(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value v = ta_eval(ev, e->child), out = {.kind = TA_VAL_INT};

	if (v.kind != TA_VAL_REAL)
		return v;
	if (!ta_int_from_real(e->fn == TA_FN_FLOOR ? floor(v.r) : ceil(v.r), &out.i))
		return ta_eval_broken(ev, e, "overflow", "the result is no 64-bit integer");
	return out;
}

struct ta_value ta_eval_call(struct ta_eval *ev, const struct ta_expr *e)
{
	struct fold f;

	if (e->fn == TA_FN_FLOOR || e->fn == TA_FN_CEIL)
		return eval_round(ev, e);
	if (!e->child->next)
		return fold_members(ev, e);
	fold_init(ev, &f, e->fn, e, 0);
	for (const struct ta_expr *x = e->child; x; x = x->next) {
		struct ta_value v = ta_eval(ev, x);

		if (!fold_add(ev, &f, &v))
			return broken();
	}
	return fold_result(ev, &f, NULL);
}

/* Appends the members of one value to those of [*]; false: *ret_why is the answer. */
static bool spread(struct ta_eval *ev, const struct ta_value *over, struct ta_stype type, struct ta_value *out,
	size_t *room, struct ta_value *ret_why)
{
	struct ta_cursor c;
	struct ta_value v;

	if (!ta_cursor_open(ev, over, type, &c, ret_why))
		return false;
	if (c.hole && !out->hole)
		out->hole = c.hole;
	if (out->list.n + c.n > *room) {
		size_t more = TA_MAX(*room * 2, out->list.n + c.n);
		struct ta_value *grown = ta_arena_alloc(&ev->arena, more * sizeof(*grown));

		if (!grown) {
			*ret_why = broken();
			return false;
		}
		if (out->list.n)
			memcpy(grown, out->list.v, out->list.n * sizeof(*grown));
		out->list.v = grown;
		*room = more;
	}
	while (ta_cursor_next(ev, &c, &v)) {
		if (v.kind == TA_VAL_BROKEN) {
			*ret_why = v;
			return false;
		}
		out->list.v[out->list.n++] = v;
	}
	return true;
}

struct ta_value ta_eval_star(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value over = ta_eval(ev, e->child), why = {0};
	struct ta_value out = {.kind = TA_VAL_LIST, .many = true};
	struct ta_stype type = e->child->type;
	size_t room = 0;

	if (!over.many)
		return spread(ev, &over, type, &out, &room, &why) ? out : why;
	type.many = false;
	out.hole = over.hole;
	for (size_t i = 0; i < over.list.n; i++) {
		/* A member without this collection is an unknown among the values. */
		if (spread(ev, &over.list.v[i], type, &out, &room, &why))
			continue;
		if (why.kind == TA_VAL_BROKEN)
			return why;
		if (!out.hole)
			out.hole = why.unknown;
	}
	return out;
}

struct ta_value ta_eval_in(struct ta_eval *ev, const struct ta_value *what, const struct ta_value *in,
	struct ta_stype in_type)
{
	const struct ta_unknown *unknown = NULL;
	unsigned long weight = ta_value_weight(what);
	struct ta_value v, why;
	struct ta_cursor c;

	if (ta_value_stops(what))
		return *what;
	if (!ta_cursor_open(ev, in, in_type, &c, &why))
		return why;
	if (c.member) {
		ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;

		if (what->kind == TA_VAL_INT)
			ta_value_format(what, &key);
		v = (struct ta_value){.kind = TA_VAL_BOOL};
		v.b = json_object_object_get_ex(in->o, what->kind == TA_VAL_STRING ? what->s : ta_buf_text(&key), NULL);
		return !v.b && c.hole ? unknown_of(c.hole) : v;
	}
	while (ta_cursor_next(ev, &c, &v)) {
		if (v.kind == TA_VAL_BROKEN || !ta_eval_charge(ev, weight))
			return broken();
		if (ta_value_compare(what, &v, &unknown) == TA_EQUAL)
			return (struct ta_value){.kind = TA_VAL_BOOL, .b = true};
	}
	if (unknown || c.hole)
		return unknown_of(unknown ? unknown : c.hole);
	return (struct ta_value){.kind = TA_VAL_BOOL, .b = false};
}
