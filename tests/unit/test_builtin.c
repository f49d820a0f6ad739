/* The field tables and rules that the program has ready say what the tables and texts that they were made of say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fix/fixer.h"
#include "probe/collect.h"
#include "rule/embedded.h"
#include "rule/rules.h"

static struct ta_schema *schema;
static struct ta_rules *parsed;
static struct ta_fix_sig *sigs;

static int make(void **state)
{
	struct ta_diags diags = {0};
	struct ta_err err;
	size_t n;

	assert_int_equal(ta_collect_schema_anew(&schema, &err), 0);
	assert_int_equal(ta_fixer_sigs(&sigs, &n), 0);
	parsed = ta_rules_new();
	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		ta_rules_add_text(parsed, ta_embedded_rules[i].file, ta_embedded_rules[i].text,
			strlen(ta_embedded_rules[i].text), TA_RULES_TRUSTED, &diags);
	ta_rules_resolve(parsed, schema, sigs, n, &diags);
	assert_int_equal(diags.total, 0);
	return 0;
}

static int drop(void **state)
{
	ta_rules_free(parsed);
	ta_schema_free(schema);
	free(sigs);
	return 0;
}

static void same_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

/* --- field tables -------------------------------------------------------------------- */

struct leaves {
	const struct ta_field *field[4096];
	const char *owner[4096];
	size_t n;
};

static void keep(const struct ta_field *field, const char *owner, void *ctx)
{
	struct leaves *l = ctx;

	assert_true(l->n < TA_ARRAY_SIZE(l->field));
	l->field[l->n] = field;
	l->owner[l->n++] = owner;
}

static void fields(void **state)
{
	static struct leaves made, anew;

	assert_non_null(ta_builtin_schema);
	ta_schema_leaves(ta_schema_root(ta_builtin_schema), keep, &made);
	ta_schema_leaves(ta_schema_root(schema), keep, &anew);
	assert_true(made.n > 500);
	assert_int_equal(made.n, anew.n);
	for (size_t i = 0; i < made.n; i++) {
		const struct ta_field *a = made.field[i], *b = anew.field[i];

		assert_ptr_not_equal(a, b);
		assert_string_equal(a->path, b->path);
		same_text(a->unit, b->unit);
		same_text(a->meaning, b->meaning);
		assert_true(a->type == b->type && a->flags == b->flags);
		for (size_t k = 0; k < TA_ARRAY_SIZE(a->special); k++)
			assert_true(a->special[k].value == b->special[k].value &&
				    a->special[k].meaning == b->special[k].meaning);
		assert_string_equal(made.owner[i], anew.owner[i]);
		assert_ptr_equal(ta_schema_field(ta_schema_find_text(ta_builtin_schema, a->path)), a);
	}
}

/* --- rules ---------------------------------------------------------------------------------- */

static void same_node(const struct ta_schema_node *a, const struct ta_schema_node *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	assert_int_equal(ta_schema_type(a), ta_schema_type(b));
	assert_int_equal(ta_schema_is_collection(a), ta_schema_is_collection(b));
	if (ta_schema_field(a))
		assert_string_equal(ta_schema_field(a)->path, ta_schema_field(b)->path);
}

static size_t n_exprs;

static void same_expr(const struct ta_expr *a, const struct ta_expr *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	n_exprs++;
	assert_true(a->node == b->node && a->link == b->link && a->fn == b->fn && a->has_value == b->has_value);
	assert_true(a->has_condition == b->has_condition && a->paren == b->paren && a->checked == b->checked);
	assert_true(a->height == b->height && a->slot == b->slot && a->pos == b->pos && a->end == b->end);
	same_text(a->text, b->text);
	if (a->node == TA_N_INT)
		assert_int_equal(ta_int_cmp(a->i, b->i), 0);
	if (a->node == TA_N_REAL)
		assert_true(a->r == b->r);
	if (a->node == TA_N_BOOL)
		assert_int_equal(a->b, b->b);
	assert_true(a->type.kind == b->type.kind && a->type.elem == b->type.elem && a->type.many == b->type.many &&
		    a->type.element == b->type.element);
	same_node(a->type.node, b->type.node);
	same_expr(a->child, b->child);
	same_expr(a->next, b->next);
}

static void same_word(const struct ta_word *a, const struct ta_word *b)
{
	same_text(a->text, b->text);
	assert_true(a->pos == b->pos && a->end == b->end);
}

static void same_fix(const struct ta_fix_expr *a, const struct ta_fix_expr *b)
{
	assert_int_equal(!a, !b);
	if (!a)
		return;
	same_word(&a->name, &b->name);
	assert_true(a->n_args == b->n_args && a->n_reads == b->n_reads);
	for (size_t i = 0; i < a->n_args; i++) {
		same_word(&a->args[i].name, &b->args[i].name);
		assert_int_equal(a->args[i].type, b->args[i].type);
		same_expr(a->args[i].value, b->args[i].value);
	}
	for (size_t i = 0; i < a->n_reads; i++)
		same_node(a->reads[i], b->reads[i]);
}

static void same_owners(const struct ta_rule *a, const struct ta_rule *b)
{
	ta_cleanup_strv struct ta_strv x = TA_STRV_INIT, y = TA_STRV_INIT;

	ta_rule_owners(a, &x);
	ta_rule_owners(b, &y);
	assert_true(a->owners && !b->owners && x.n > 0);
	assert_int_equal(x.n, y.n);
	for (size_t i = 0; i < x.n; i++)
		assert_string_equal(x.v[i], y.v[i]);
}

static void same_rule(const struct ta_rule *a, const struct ta_rule *b)
{
	const char *const texts[][2] = {{a->id, b->id}, {a->area, b->area}, {a->title, b->title}, {a->why, b->why},
		{a->advice, b->advice}, {a->defaults, b->defaults}, {a->file, b->file}, {a->each_name, b->each_name},
		{a->source->file, b->source->file}, {a->source->text, b->source->text}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(texts); i++)
		same_text(texts[i][0], texts[i][1]);
	assert_true(a->source->len == b->source->len && a->source->trusted == b->source->trusted &&
		    a->source->ours == b->source->ours);
	assert_int_equal(a->n_refs, b->n_refs);
	for (size_t i = 0; i < a->n_refs; i++)
		same_text(a->refs[i], b->refs[i]);
	assert_true(a->weight == b->weight && a->severity == b->severity && a->risk == b->risk && a->line == b->line);
	assert_true(a->trusted == b->trusted && a->pos == b->pos && a->number == b->number && a->faulty == b->faulty);
	assert_int_equal(a->n_directions, b->n_directions);
	assert_memory_equal(a->direction, b->direction, a->n_directions * sizeof(a->direction[0]));
	same_expr(a->each, b->each);
	same_expr(a->when, b->when);
	same_expr(a->unsupported, b->unsupported);
	same_expr(a->want, b->want);
	same_expr(a->evidence, b->evidence);
	same_fix(a->fix, b->fix);
	same_owners(a, b);
}

static void rules(void **state)
{
	const struct ta_rule *a = ta_rules_first(ta_builtin_rules), *b = ta_rules_first(parsed);
	size_t n = 0;

	for (; a && b; a = a->next, b = b->next, n++) {
		same_rule(a, b);
		assert_ptr_equal(ta_rules_find(ta_builtin_rules, a->id), a);
	}
	assert_true(!a && !b && n > 100 && n_exprs > 1000);
	assert_null(ta_rules_find(ta_builtin_rules, "no.such"));
}

static void profiles(void **state)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT, anew = TA_STRV_INIT;

	ta_rules_profile_names(ta_builtin_rules, &names);
	ta_rules_profile_names(parsed, &anew);
	assert_true(names.n == anew.n && names.n > 4);
	for (size_t i = 0; i < names.n; i++) {
		const struct ta_profile *a = ta_rules_profile(ta_builtin_rules, names.v[i]);
		const struct ta_profile *b = ta_rules_profile(parsed, anew.v[i]);
		const struct ta_rule *q = ta_rules_first(parsed);

		assert_string_equal(ta_profile_name(a), ta_profile_name(b));
		same_text(ta_profile_title(a), ta_profile_title(b));
		assert_int_equal(a->depth, b->depth);
		for (const struct ta_rule *r = ta_rules_first(ta_builtin_rules); r; r = r->next, q = q->next)
			assert_true(ta_profile_has(a, r) == ta_profile_has(b, q) &&
				    ta_profile_weight(a, r) == ta_profile_weight(b, q) &&
				    ta_profile_severity(a, r) == ta_profile_severity(b, q));
		assert_int_equal(ta_builtin_rules->n_params, parsed->n_params);
		for (size_t k = 0; k < parsed->n_params; k++)
			same_expr(a->params[k], b->params[k]);
	}
}

static void params(void **state)
{
	const struct ta_param *a = ta_builtin_rules->params, *b = parsed->params;

	for (; a && b; a = a->next, b = b->next) {
		same_word(&a->name, &b->name);
		same_text(a->unit, b->unit);
		same_text(a->meaning, b->meaning);
		assert_true(a->kind == b->kind && a->number == b->number);
		same_expr(a->value, b->value);
		same_expr(ta_builtin_rules->defaults[a->number], parsed->defaults[b->number]);
		assert_ptr_equal(ta_names_get(&ta_builtin_rules->param_names, a->name.text), a);
	}
	assert_true(!a && !b);
}

/* They are nobody's to free. */
static void stays(void **state)
{
	assert_null(ta_rules_free(ta_builtin_rules));
	assert_null(ta_schema_free(ta_builtin_schema));
	assert_non_null(ta_rules_first(ta_builtin_rules)->id);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields),
		cmocka_unit_test(rules),
		cmocka_unit_test(profiles),
		cmocka_unit_test(params),
		cmocka_unit_test(stays),
	};

	return cmocka_run_group_tests(tests, make, drop);
}
