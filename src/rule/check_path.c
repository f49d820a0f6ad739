/*
 * Paths against the field tables: every name that a rule writes must be declared,
 * so that a misspelt fact is found here and not by a verdict that is always "unknown".
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "rule/check.h"

static enum ta_kind kind_of(enum ta_type t)
{
	switch (t) {
	case TA_T_INT:
		return TA_K_INT;
	case TA_T_REAL:
		return TA_K_REAL;
	case TA_T_BOOL:
		return TA_K_BOOL;
	case TA_T_STRING:
		return TA_K_STRING;
	case TA_T_INTS:
	case TA_T_STRINGS:
		return TA_K_LIST;
	default:
		return TA_K_OBJECT;
	}
}

static struct ta_stype type_of_node(const struct ta_schema_node *n)
{
	enum ta_type t = ta_schema_type(n);

	return (struct ta_stype){
		.kind = kind_of(t),
		.elem = t == TA_T_INTS ? TA_K_INT : TA_K_STRING,
		.node = n,
	};
}

static struct ta_stype as_many(struct ta_stype t, bool many)
{
	t.many |= many;
	return t;
}

/* One element of a list of facts; keeps the row, whose special numbers hold for every element. */
static struct ta_stype element_of_list(struct ta_stype list)
{
	return (struct ta_stype){.kind = list.elem, .node = list.node};
}

static struct ta_stype unknown_name(struct ta_checker *c, const struct ta_expr *e)
{
	const char *fact = ta_schema_nearest(ta_schema_root(c->rs->schema), e->text);
	struct ta_nearest near = TA_NEAREST(e->text);
	struct ta_hint hint;

	for (unsigned i = 0; i < c->n_vars; i++)
		ta_nearest_try(&near, c->vars[i].name);
	for (const struct ta_param *p = c->rs->params; p; p = p->next)
		ta_nearest_try(&near, p->name.text);
	if (fact)
		ta_nearest_try(&near, fact);
	return ta_check_fault(c, e, "no such fact, parameter or variable '%s'%s", e->text, ta_hint(&hint, near.best));
}

/* Variables first, then parameters, then facts; none may hide another. */
static struct ta_stype check_name(struct ta_checker *c, struct ta_expr *e)
{
	const struct ta_schema_node *root = ta_schema_root(c->rs->schema), *n;
	struct ta_param *param = ta_names_get(&c->rs->param_names, e->text);

	for (unsigned i = 0; i < c->n_vars; i++) {
		if (strcmp(c->vars[i].name, e->text) == 0) {
			c->vars[i].used = true;
			e->node = TA_N_VAR;
			e->slot = (uint16_t)i;
			return c->vars[i].type;
		}
	}
	if (param) {
		e->node = TA_N_PARAM;
		e->slot = (uint16_t)param->number;
		return (struct ta_stype){.kind = param->kind};
	}
	n = ta_schema_child(root, e->text);
	if (n) {
		e->node = TA_N_FACT;
		return type_of_node(n);
	}
	return unknown_name(c, e);
}

/* The child of an object's type by name, or a fault at [pos, end). */
static struct ta_stype child_type(struct ta_checker *c, struct ta_stype of, const char *key, uint32_t pos, uint32_t end)
{
	const struct ta_schema_node *n = ta_schema_child(of.node, key);
	const char *dash = strchr(key, '-');
	struct ta_stype t;
	struct ta_hint hint;

	if (!n && dash) {
		char head[64];

		snprintf(head, sizeof(head), "%.*s", (int)(dash - key), key);
		if (ta_schema_child(of.node, head))
			return ta_check_fault_at(c, pos, end,
				"no such fact '%s'; a subtraction needs blanks around the '-'", key);
	}
	if (!n)
		return ta_check_fault_at(c, pos, end, "no such fact '%s'%s", key,
			ta_hint(&hint, ta_schema_nearest(of.node, key)));
	t = as_many(type_of_node(n), of.many);
	t.element = ta_schema_is_collection(of.node);
	return t;
}

static struct ta_stype check_member(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype of = ta_check_expr(c, e->child);
	uint32_t pos = e->end - (uint32_t)strlen(e->text);

	if (of.kind == TA_K_FAULT)
		return of;
	if (of.element && strcmp(e->text, "key") == 0) {
		e->node = TA_N_KEY;
		return as_many((struct ta_stype){.kind = TA_K_STRING}, of.many);
	}
	if (of.kind != TA_K_OBJECT)
		return ta_check_fault_at(c, pos, e->end, "%s has no members, also no '%s'", ta_stype_text(of), e->text);
	return child_type(c, of, e->text, pos, e->end);
}

/* A key that stands in the rule, as text; NULL if it has to be worked out. */
static const char *constant_key(struct ta_checker *c, const struct ta_expr *index)
{
	char digits[24];

	if (index->node == TA_N_STRING)
		return index->text;
	if (index->node != TA_N_INT)
		return NULL;
	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)index->i.mag);
	return ta_arena_strdup(&c->rs->arena, digits);
}

static struct ta_stype index_object(struct ta_checker *c, struct ta_expr *e, struct ta_stype of, struct ta_stype index)
{
	const struct ta_expr *key = e->child->next;
	const char *constant = constant_key(c, key);
	struct ta_stype t;

	if (constant)
		return child_type(c, of, constant, key->pos, key->end);
	if (!ta_schema_is_collection(of.node))
		return ta_check_fault(c, key, "these facts are no collection: only a written key can choose among them");
	if (index.many || (index.kind != TA_K_STRING && !ta_kind_is_number(index.kind)))
		return ta_check_fault(c, key, "a key is a string or an integer, not %s", ta_stype_text(index));
	t = as_many(type_of_node(ta_schema_child(of.node, "*")), of.many);
	t.element = true;
	return t;
}

static struct ta_stype check_index(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype of = ta_check_expr(c, e->child);
	struct ta_expr *key = e->child->next;
	struct ta_stype index = ta_check_expr(c, key);

	if (of.kind == TA_K_FAULT || index.kind == TA_K_FAULT)
		return (struct ta_stype){0};
	if (key->node == TA_N_NEG)
		return ta_check_fault(c, key, "an index never counts from the end");
	if (of.kind == TA_K_OBJECT)
		return index_object(c, e, of, index);
	if (of.kind != TA_K_LIST)
		return ta_check_fault(c, key, "%s cannot be indexed", ta_stype_text(of));
	if (index.many || !ta_kind_is_number(index.kind) || index.kind == TA_K_REAL)
		return ta_check_fault(c, key, "a list is indexed by an integer, not by %s", ta_stype_text(index));
	return as_many(element_of_list(of), of.many);
}

struct ta_stype ta_check_member_of(struct ta_checker *c, const struct ta_expr *e, struct ta_stype over)
{
	struct ta_stype t;

	if (over.kind == TA_K_FAULT)
		return over;
	if (over.many) {
		over.many = false;
		return over;
	}
	if (over.kind == TA_K_LIST)
		return element_of_list(over);
	if (over.kind != TA_K_OBJECT || !ta_schema_is_collection(over.node))
		return ta_check_fault(c, e, "%s is no collection and no list", ta_stype_text(over));
	t = type_of_node(ta_schema_child(over.node, "*"));
	t.element = true;
	return t;
}

static struct ta_stype check_star(struct ta_checker *c, struct ta_expr *e)
{
	struct ta_stype of = ta_check_expr(c, e->child), over = of;

	over.many = false;
	return as_many(ta_check_member_of(c, e, over), of.kind != TA_K_FAULT);
}

struct ta_stype ta_check_path(struct ta_checker *c, struct ta_expr *e)
{
	switch (e->node) {
	case TA_N_NAME:
		return check_name(c, e);
	case TA_N_MEMBER:
		return check_member(c, e);
	case TA_N_INDEX:
		return check_index(c, e);
	default:
		return check_star(c, e);
	}
}

int ta_check_push_var(struct ta_checker *c, const struct ta_expr *at, const char *name, struct ta_stype type)
{
	const char *what = NULL;

	for (unsigned i = 0; i < c->n_vars; i++)
		if (strcmp(c->vars[i].name, name) == 0)
			what = "another variable";
	if (ta_names_get(&c->rs->param_names, name))
		what = "a parameter";
	if (ta_schema_child(ta_schema_root(c->rs->schema), name))
		what = "facts";
	for (int i = 0; i <= TA_FN_ANY; i++)
		if (strcmp(ta_fn_names[i], name) == 0)
			what = "a function";
	if (what) {
		ta_check_fault(c, at, "the variable '%s' has the name of %s", name, what);
		return -1;
	}
	if (c->n_vars == (unsigned)(c->each_name ? TA_VARS_MAX : TA_LOOP_VARS_MAX)) {
		ta_check_fault(c, at, "more than %d variables inside each other", TA_LOOP_VARS_MAX);
		return -1;
	}
	c->vars[c->n_vars] = (struct ta_check_var){.name = name, .type = type};
	return (int)c->n_vars++;
}
