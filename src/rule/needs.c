/*
 * What a rule reads: found in its checked expressions, so that only those
 * probes run that a chosen rule needs.
 *
 * Going over a collection needs to know its members: that is said by whatever
 * puts the fields nearest below them, also if the rule reads none of these.
 */
#include <string.h>

#include "facts/text.h"
#include "rule/rules.h"

struct needs {
	struct ta_strv *owners, *paths; /* one of them is asked for */
	bool exact; /* of the paths those of values alone, with the keys that the rule writes out */
	const struct ta_expr *over[TA_VARS_MAX]; /* what each variable goes over */
};

static void add_once(struct ta_strv *v, const char *text)
{
	if (v && text && !ta_strv_has(v, text))
		ta_strv_add(v, text);
}

static void add_owner(const struct ta_field *field, const char *owner, void *ctx)
{
	add_once(((struct needs *)ctx)->owners, owner);
}

/* The path of an expression as a pattern; false: it is no path. */
static bool pattern(const struct needs *n, const struct ta_expr *e, struct ta_buf *b)
{
	switch (e->node) {
	case TA_N_FACT:
		ta_path_add(b, e->text);
		return true;
	case TA_N_VAR:
		if (!n->over[e->slot] || !pattern(n, n->over[e->slot], b))
			return false;
		/* [*] has its star already. */
		if (!n->over[e->slot]->type.many)
			ta_buf_adds(b, ".*");
		return true;
	case TA_N_MEMBER:
		if (!pattern(n, e->child, b))
			return false;
		ta_path_add(b, e->text);
		return true;
	case TA_N_INDEX:
	case TA_N_STAR:
		if (!pattern(n, e->child, b))
			return false;
		if (e->node == TA_N_INDEX && e->child->next->node == TA_N_STRING)
			ta_path_add(b, e->child->next->text);
		else
			ta_buf_adds(b, ".*");
		return true;
	default:
		return false;
	}
}

static void need_members(struct needs *n, const struct ta_expr *over)
{
	const struct ta_schema_node *member = ta_schema_child(over->type.node, "*");
	const struct ta_schema_node *subject = ta_schema_child(member, "subject");
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (n->exact)
		return;
	if (n->owners) {
		ta_schema_top_leaves(member, add_owner, n);
		if (subject)
			ta_schema_leaves(subject, add_owner, n);
	} else if (pattern(n, over, &b)) {
		add_once(n->paths, ta_buf_text(&b));
	}
}

static bool is_collection(const struct ta_expr *e)
{
	return e->type.kind == TA_K_OBJECT && !e->type.many && ta_schema_is_collection(e->type.node);
}

static void add_path(struct needs *n, const struct ta_expr *e, const struct ta_field *field)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	bool element = (e->node == TA_N_INDEX || e->node == TA_N_STAR) && e->child->type.node == e->type.node;

	if (n->exact && !element && pattern(n, e, &b))
		add_once(n->paths, ta_buf_text(&b));
	else if (!n->exact || !element)
		add_once(n->paths, field->path);
}

static void walk(struct needs *n, const struct ta_expr *e)
{
	const struct ta_field *field = e->type.node ? ta_schema_field(e->type.node) : NULL;
	bool goes_over = e->node == TA_N_LOOP || e->node == TA_N_STAR || e->node == TA_N_CALL;

	/* An element of a list has the row of its list: told once. */
	if (field && (e->node == TA_N_FACT || e->node == TA_N_VAR || e->node == TA_N_MEMBER || e->node == TA_N_INDEX ||
			     e->node == TA_N_STAR)) {
		add_once(n->owners, ta_schema_owner(e->type.node));
		add_path(n, e, field);
	}
	if (e->node == TA_N_LOOP)
		n->over[e->slot] = e->child;
	for (const struct ta_expr *x = e->child; x; x = x->next) {
		if (is_collection(x) && ((goes_over && x == e->child) || x->link == TA_C_IN))
			need_members(n, x);
		walk(n, x);
	}
}

static void walk_judged(struct needs *n, const struct ta_rule *r)
{
	const struct ta_expr *const parts[] = {r->when, r->unsupported, r->want};

	if (r->faulty)
		return;
	if (r->each) {
		n->over[0] = r->each;
		if (is_collection(r->each))
			need_members(n, r->each);
		walk(n, r->each);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (parts[i])
			walk(n, parts[i]);
}

static void walk_rule(struct needs *n, const struct ta_rule *r)
{
	walk_judged(n, r);
	if (r->evidence && !r->faulty)
		walk(n, r->evidence);
	for (size_t i = 0; !r->faulty && r->fix && i < r->fix->n_args; i++)
		walk(n, r->fix->args[i].value);
}

void ta_rule_owners(const struct ta_rule *r, struct ta_strv *ret)
{
	struct needs n = {.owners = ret};

	if (r->owners) {
		for (const char *const *owner = r->owners; *owner; owner++)
			add_once(ret, *owner);
		return;
	}
	walk_rule(&n, r);
	for (size_t i = 0; r->fix && !r->faulty && i < r->fix->n_reads; i++)
		ta_schema_leaves(r->fix->reads[i], add_owner, &n);
}

void ta_rule_paths(const struct ta_rule *r, struct ta_strv *ret)
{
	struct needs n = {.paths = ret};

	walk_rule(&n, r);
}

void ta_rule_judged_paths(const struct ta_rule *r, struct ta_strv *ret)
{
	struct needs n = {.paths = ret, .exact = true};

	walk_judged(&n, r);
}
