/*
 * A rule as a whole: its expressions, and its fix against the fixers' parameters.
 */
#include <errno.h>
#include <string.h>

#include "rule/check.h"

/* The common subject of all expressions: the variable of `each`. */
static bool check_each(struct ta_checker *c, struct ta_rule *r)
{
	struct ta_stype member;

	if (!r->each)
		return true;
	member = ta_check_member_of(c, r->each, ta_check_expr(c, r->each));
	return member.kind != TA_K_FAULT && ta_check_push_var(c, r->each, r->each_name, member) >= 0;
}

/* In a stanza with faults `e` may be only the beginning of what was meant: then its type says nothing. */
static void check_truth(struct ta_checker *c, const struct ta_rule *r, struct ta_expr *e)
{
	struct ta_stype t;

	if (!e)
		return;
	t = ta_check_expr(c, e);
	if (!r->faulty && t.kind != TA_K_FAULT && (t.kind != TA_K_BOOL || t.many))
		ta_check_fault(c, e, "this must be true or false, it is %s", ta_stype_text(t));
}

/* --- fix --------------------------------------------------------------------------- */

static const struct ta_fix_sig *find_fixer(struct ta_checker *c, const struct ta_word *name,
	const struct ta_fix_sig *fixers, size_t n)
{
	struct ta_nearest near = TA_NEAREST(name->text);
	struct ta_hint hint;

	for (size_t i = 0; i < n; i++)
		if (strcmp(fixers[i].name, name->text) == 0)
			return &fixers[i];
	for (size_t i = 0; i < n; i++)
		ta_nearest_try(&near, fixers[i].name);
	ta_check_fault_at(c, name->pos, name->end, "no fixer '%s'%s", name->text, ta_hint(&hint, near.best));
	return NULL;
}

static bool argument_fits(enum ta_type wanted, struct ta_stype t)
{
	if (t.many || t.kind == TA_K_OBJECT)
		return false;
	switch (wanted) {
	case TA_T_INT:
		return t.kind == TA_K_INT || t.kind == TA_K_NUMBER;
	case TA_T_REAL:
		return ta_kind_is_number(t.kind);
	case TA_T_BOOL:
		return t.kind == TA_K_BOOL;
	case TA_T_STRING:
		return t.kind == TA_K_STRING;
	case TA_T_INTS:
		return t.kind == TA_K_LIST && (t.elem == TA_K_INT || t.elem == TA_K_NUMBER);
	case TA_T_STRINGS:
		return t.kind == TA_K_LIST && t.elem == TA_K_STRING;
	default:
		return true;
	}
}

static const char *type_text(enum ta_type t)
{
	switch (t) {
	case TA_T_INT:
		return "an integer";
	case TA_T_REAL:
		return "a number";
	case TA_T_BOOL:
		return "true or false";
	case TA_T_STRING:
		return "a string";
	case TA_T_INTS:
		return "a list of integers";
	default:
		return "a list of strings";
	}
}

static void check_argument(struct ta_checker *c, const struct ta_fix_sig *sig, struct ta_fix_arg_expr *arg)
{
	struct ta_nearest near = TA_NEAREST(arg->name.text);
	struct ta_stype t = ta_check_expr(c, arg->value);
	struct ta_hint hint;

	for (size_t i = 0; i < sig->n_params; i++) {
		const struct ta_fix_param *p = &sig->params[i];

		if (strcmp(p->name, arg->name.text) != 0)
			continue;
		arg->type = p->type;
		if (t.kind == TA_K_FAULT || argument_fits(p->type, t))
			return;
		if (p->type == TA_T_INT && t.kind == TA_K_REAL)
			ta_check_fault(c, arg->value, "%s takes an integer; round with floor() or ceil()", p->name);
		else
			ta_check_fault(c, arg->value, "%s takes %s, this is %s", p->name, type_text(p->type),
				ta_stype_text(t));
		return;
	}
	for (size_t i = 0; i < sig->n_params; i++)
		ta_nearest_try(&near, sig->params[i].name);
	ta_check_fault_at(c, arg->name.pos, arg->name.end, "%s has no parameter '%s'%s", sig->name, arg->name.text,
		ta_hint(&hint, near.best));
}

static const struct ta_fix_arg_expr *find_argument(const struct ta_fix_expr *fix, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(fix->args[i].name.text, name) == 0)
			return &fix->args[i];
	return NULL;
}

/* Several directions are for the elements of a vector, one each. */
static void check_directions(struct ta_checker *c, const struct ta_rule *r)
{
	const struct ta_fix_arg_expr *value = find_argument(r->fix, r->fix->n_args, "value");
	size_t n = 0;

	if (r->n_directions < 2)
		return;
	if (!value || value->value->type.kind != TA_K_LIST) {
		ta_check_fault_at(c, r->fix->name.pos, r->fix->name.end,
			"%zu directions need a list as argument 'value'", r->n_directions);
		return;
	}
	for (const struct ta_expr *x = value->value->child; x; x = x->next)
		n++;
	if (value->value->node == TA_N_LIST && n != r->n_directions)
		ta_check_fault(c, value->value, "%zu directions for a list of %zu", r->n_directions, n);
}

/* What the fixer looks up has to be collected too. Rule sets of a test need not declare all of it. */
static void note_reads(const struct ta_checker *c, struct ta_fix_expr *fix, const struct ta_fix_sig *sig)
{
	fix->n_reads = 0;
	for (size_t i = 0; sig->reads && sig->reads[i] && fix->n_reads < TA_ARRAY_SIZE(fix->reads); i++) {
		const struct ta_schema_node *node = ta_schema_find_text(c->rs->schema, sig->reads[i]);

		if (node)
			fix->reads[fix->n_reads++] = node;
	}
}

static void check_fix(struct ta_checker *c, const struct ta_rule *r, const struct ta_fix_sig *fixers, size_t n_fixers)
{
	struct ta_fix_expr *fix = r->fix;
	const struct ta_fix_sig *sig = find_fixer(c, &fix->name, fixers, n_fixers);

	if (!sig)
		return;
	for (size_t i = 0; i < fix->n_args; i++) {
		const struct ta_word *name = &fix->args[i].name;

		if (find_argument(fix, i, name->text))
			ta_check_fault_at(c, name->pos, name->end, "'%s' stands twice", name->text);
		check_argument(c, sig, &fix->args[i]);
	}
	for (size_t i = 0; i < sig->n_params; i++)
		if (sig->params[i].required && !find_argument(fix, fix->n_args, sig->params[i].name))
			ta_check_fault_at(c, fix->name.pos, fix->name.end, "%s needs the parameter '%s'", sig->name,
				sig->params[i].name);
	note_reads(c, fix, sig);
	check_directions(c, r);
}

int ta_rule_check(struct ta_rules *rs, struct ta_rule *r, const struct ta_fix_sig *fixers, size_t n_fixers,
	struct ta_diags *diags)
{
	struct ta_checker c = {.rs = rs, .src = r->source, .diags = diags, .each_name = r->each_name};

	/* Without its variable everything else would only be told "no such fact". */
	if (check_each(&c, r)) {
		check_truth(&c, r, r->when);
		check_truth(&c, r, r->unsupported);
		check_truth(&c, r, r->want);
		check_truth(&c, r, r->evidence);
		if (r->fix)
			check_fix(&c, r, fixers, n_fixers);
		else if (r->shown.said && !r->faulty)
			ta_check_fault_at(&c, r->pos, r->pos + (uint32_t)strlen(r->id),
				"'shown' says where a fix shows, and rule %s has none", r->id);
		if (r->each && !c.vars[0].used && !c.rc && !r->faulty)
			ta_check_fault(&c, r->each, "the variable '%s' is never used", r->each_name);
	}
	r->faulty |= c.rc != 0;
	return c.rc;
}
