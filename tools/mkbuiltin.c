/*
 * Writes the field tables and the embedded rules, read and checked, as C data: gen/builtin.c. What every start of the
 * program would find out anew, at a fifth of the time that a check takes, is so found out once, when it is built. A
 * fault in a rule ends the build.
 *
 * A builder's tool, not installed. Each structure is written member by member; one that grew does not compile here
 * until its new member is written too.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/schemadata.h"
#include "fix/fixer.h"
#include "probe/collect.h"
#include "rule/embedded.h"
#include "rule/rules.h"

/* The program's own are what this makes. */
struct ta_schema *const ta_builtin_schema = NULL;
struct ta_rules *const ta_builtin_rules = NULL;

#ifdef __x86_64__
#define WRITTEN(type, size) _Static_assert(sizeof(type) == (size), #type " has another size: is every member written below?")
WRITTEN(struct ta_field, 72);
WRITTEN(struct ta_schema_node, 40);
WRITTEN(struct ta_schema, 56);
WRITTEN(struct ta_source, 40);
WRITTEN(struct ta_word, 16);
WRITTEN(struct ta_stype, 16);
WRITTEN(struct ta_expr, 80);
WRITTEN(struct ta_fix_arg_expr, 32);
WRITTEN(struct ta_fix_expr, 416);
WRITTEN(struct ta_param, 72);
WRITTEN(struct ta_profile, 80);
WRITTEN(struct ta_profile_entry, 4);
WRITTEN(struct ta_rule, 240);
WRITTEN(struct ta_names, 24);
WRITTEN(struct ta_rules, 224);
#endif

/* --- numbers for things ------------------------------------------------------------ */

/* What is written of one kind, in its order; found again by its address. */
struct things {
	const char *name; /* of the array */
	const void *v[20000];
	size_t n;
	unsigned short slot[65536]; /* number + 1, by address */
};

static struct things nodes = {.name = "nodes"}, exprs = {.name = "exprs"};

static size_t slot_of(const struct things *t, const void *p)
{
	size_t at = ((size_t)p >> 3) * 2654435761u % TA_ARRAY_SIZE(t->slot);

	while (t->slot[at] && t->v[t->slot[at] - 1] != p)
		at = (at + 1) % TA_ARRAY_SIZE(t->slot);
	return at;
}

/* True if it was not there. */
static bool add(struct things *t, const void *p)
{
	size_t at = slot_of(t, p);

	if (t->slot[at])
		return false;
	if (t->n == TA_ARRAY_SIZE(t->v)) {
		fprintf(stderr, "mkbuiltin: too many %s\n", t->name);
		exit(1);
	}
	t->v[t->n++] = p;
	t->slot[at] = (unsigned short)t->n;
	return true;
}

/* "&exprs[7]", or NULL. */
static void put_address(const struct things *t, const void *p)
{
	size_t at = p ? slot_of(t, p) : 0;

	if (!p)
		printf("NULL");
	else if (t->slot[at])
		printf("&%s[%d]", t->name, t->slot[at] - 1);
	else
		abort();
}

static void put_text(const char *text)
{
	if (!text) {
		printf("NULL");
		return;
	}
	putchar('"');
	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\' || c == '?')
			printf("\\%c", c);
		else if (c < 0x20 || c > 0x7e)
			printf("\\%03o", c);
		else
			putchar(c);
	}
	putchar('"');
}

static void put_word(const struct ta_word *w)
{
	printf("{");
	put_text(w->text);
	printf(", %u, %u}", w->pos, w->end);
}

/* --- the schema ------------------------------------------------------------------------ */

static void collect_nodes(const struct ta_schema_node *n)
{
	add(&nodes, n);
	for (size_t i = 0; i < n->n_children; i++)
		collect_nodes(n->children[i]);
}

static void put_fields(void)
{
	printf("static const struct ta_field fields[] = {\n");
	for (size_t i = 0; i < nodes.n; i++) {
		const struct ta_field *f = ((const struct ta_schema_node *)nodes.v[i])->field;

		if (!f)
			continue;
		printf("\t[%zu] = {", i);
		put_text(f->path);
		printf(", %d, ", f->type);
		put_text(f->unit);
		printf(", ");
		put_text(f->meaning);
		printf(", %u, {{%lld, %d}, {%lld, %d}}},\n", f->flags, (long long)f->special[0].value, f->special[0].meaning,
			(long long)f->special[1].value, f->special[1].meaning);
	}
	printf("};\n\n");
}

static void put_node(const struct ta_schema_node *n, size_t number)
{
	printf("{");
	put_text(n->key);
	if (n->field)
		printf(", &fields[%zu], ", number);
	else
		printf(", NULL, ");
	put_text(n->owner);
	if (n->n_children)
		printf(", children_%zu, %zu}", number, n->n_children);
	else
		printf(", NULL, 0}");
}

static void put_schema(const struct ta_schema *s)
{
	collect_nodes(&s->root);
	put_fields();
	printf("static struct ta_schema_node nodes[%zu];\n", nodes.n);
	for (size_t i = 0; i < nodes.n; i++) {
		const struct ta_schema_node *n = nodes.v[i];

		if (!n->n_children)
			continue;
		printf("static struct ta_schema_node *children_%zu[] = {", i);
		for (size_t k = 0; k < n->n_children; k++) {
			printf("%s", k ? ", " : "");
			put_address(&nodes, n->children[k]);
		}
		printf("};\n");
	}
	printf("static struct ta_schema_node nodes[] = {\n");
	for (size_t i = 0; i < nodes.n; i++) {
		printf("\t");
		put_node(nodes.v[i], i);
		printf(",\n");
	}
	printf("};\n\nstatic struct ta_schema schema = {.root = ");
	put_node(&s->root, 0);
	printf(", .builtin = true};\nstruct ta_schema *const ta_builtin_schema = &schema;\n\n");
}

/* --- expressions --------------------------------------------------------------------------- */

static void collect_expr(const struct ta_expr *e)
{
	if (!e || !add(&exprs, e))
		return;
	for (const struct ta_expr *c = e->child; c; c = c->next)
		collect_expr(c);
}

static void collect_exprs(const struct ta_rules *rs)
{
	for (size_t i = 0; i < rs->n_rules; i++) {
		const struct ta_rule *r = rs->rules[i];
		const struct ta_expr *const parts[] = {r->each, r->when, r->unsupported, r->want, r->evidence};

		for (size_t k = 0; k < TA_ARRAY_SIZE(parts); k++)
			collect_expr(parts[k]);
		for (size_t k = 0; r->fix && k < r->fix->n_args; k++)
			collect_expr(r->fix->args[k].value);
	}
	for (const struct ta_param *p = rs->params; p; p = p->next)
		collect_expr(p->value);
	for (const struct ta_profile *p = rs->profiles; p; p = p->next)
		for (size_t i = 0; i < rs->n_params; i++)
			collect_expr(p->params[i]);
}

static void put_literal(const struct ta_expr *e)
{
	switch (e->node) {
	case TA_N_INT:
		printf(", .i = {UINT64_C(%llu), %d}", (unsigned long long)e->i.mag, e->i.negative);
		break;
	case TA_N_REAL:
		printf(", .r = %a", e->r);
		break;
	case TA_N_BOOL:
		printf(", .b = %d", e->b);
		break;
	default:
		break;
	}
}

static void put_expr(const struct ta_expr *e)
{
	printf("\t{%d, %d, %d, %d, %d, %d, %d, %d, %d, %u, %u, ", e->node, e->link, e->fn, e->has_value, e->has_condition,
		e->paren, e->checked, e->height, e->slot, e->pos, e->end);
	put_address(&exprs, e->child);
	printf(", ");
	put_address(&exprs, e->next);
	printf(", ");
	put_text(e->text);
	put_literal(e);
	printf(", .type = {%d, %d, %d, %d, ", e->type.kind, e->type.elem, e->type.many, e->type.element);
	put_address(&nodes, e->type.node);
	printf("}},\n");
}

static void put_exprs(const struct ta_rules *rs)
{
	collect_exprs(rs);
	printf("static struct ta_expr exprs[%zu];\nstatic struct ta_expr exprs[] = {\n", exprs.n);
	for (size_t i = 0; i < exprs.n; i++)
		put_expr(exprs.v[i]);
	printf("};\n\n");
}

/* --- rules ------------------------------------------------------------------------------------ */

static size_t source_number(const struct ta_source *s)
{
	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		if (strcmp(ta_embedded_rules[i].file, s->file) == 0)
			return i;
	abort();
}

/* Those of the rules, with the text that their faults would quote. */
static void put_sources(const struct ta_rules *rs)
{
	const struct ta_source *s = rs->n_rules ? rs->rules[0]->source : NULL;

	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		printf("extern const char ta_embedded_text_%zu[];\n", i);
	printf("static const struct ta_source sources[] = {\n");
	for (size_t i = 0; i < ta_n_embedded_rules; i++) {
		printf("\t{NULL, ");
		put_text(ta_embedded_rules[i].file);
		printf(", ta_embedded_text_%zu, %zu, %d, %d},\n", i, strlen(ta_embedded_rules[i].text), s->trusted, s->ours);
	}
	printf("};\n\n");
}

static void put_fix(const struct ta_fix_expr *fix, size_t number)
{
	printf("static struct ta_fix_expr fix_%zu = {", number);
	put_word(&fix->name);
	printf(", %zu, {", fix->n_args);
	for (size_t i = 0; i < fix->n_args; i++) {
		printf("%s{", i ? ", " : "");
		put_word(&fix->args[i].name);
		printf(", ");
		put_address(&exprs, fix->args[i].value);
		printf(", %d}", fix->args[i].type);
	}
	printf("%s}, {", fix->n_args ? "" : "{}");
	for (size_t i = 0; i < fix->n_reads; i++) {
		printf("%s", i ? ", " : "");
		put_address(&nodes, fix->reads[i]);
	}
	printf("%s}, %zu};\n", fix->n_reads ? "" : "NULL", fix->n_reads);
}

static void put_rule(const struct ta_rules *rs, size_t i)
{
	const struct ta_rule *r = rs->rules[i];
	const char *const texts[] = {r->id, r->area, r->title, r->why, r->advice, r->defaults};
	const struct ta_expr *const parts[] = {r->each, r->when, r->unsupported, r->want, r->evidence};

	printf("\t{");
	for (size_t k = 0; k < TA_ARRAY_SIZE(texts); k++) {
		put_text(texts[k]);
		printf(", ");
	}
	printf(r->n_refs ? "refs_%zu" : "NULL", i);
	printf(", %zu, %u, %d, %d, ", r->n_refs, r->weight, r->severity, r->risk);
	put_text(r->file);
	printf(", %u, %d, &sources[%zu], %u, %u, %d, %d, {", r->line, r->trusted, source_number(r->source), r->pos,
		r->number, r->faulty, r->asleep);
	for (size_t k = 0; k < TA_ARRAY_SIZE(r->direction); k++)
		printf("%s%d", k ? ", " : "", r->direction[k]);
	printf("}, %zu, ", r->n_directions);
	put_text(r->each_name);
	for (size_t k = 0; k < TA_ARRAY_SIZE(parts); k++) {
		printf(", ");
		put_address(&exprs, parts[k]);
	}
	printf(r->fix ? ", &fix_%zu" : ", NULL", i);
	printf(", {%d, %u, %u, ", r->shown.said, r->shown.paths, r->shown.workloads);
	put_text(r->shown.nowhere);
	printf("}, NULL, owners_%zu, ", i);
	printf(i + 1 < rs->n_rules ? "&rules[%zu]" : "NULL", i + 1);
	printf("},\n");
}

/* Whose facts it reads. */
static void put_owners(const struct ta_rule *r, size_t number)
{
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;

	ta_rule_owners(r, &owners);
	if (owners.error)
		abort();
	printf("static const char *const owners_%zu[] = {", number);
	for (size_t i = 0; i < owners.n; i++) {
		put_text(owners.v[i]);
		printf(", ");
	}
	printf("NULL};\n");
}

static void put_rules(const struct ta_rules *rs)
{
	for (size_t i = 0; i < rs->n_rules; i++) {
		const struct ta_rule *r = rs->rules[i];

		if (r->fix)
			put_fix(r->fix, i);
		put_owners(r, i);
		if (!r->n_refs)
			continue;
		printf("static const char *const refs_%zu[] = {", i);
		for (size_t k = 0; k < r->n_refs; k++) {
			put_text(r->refs[k]);
			printf(", ");
		}
		printf("};\n");
	}
	printf("static struct ta_rule rules[%zu];\nstatic struct ta_rule rules[] = {\n", rs->n_rules);
	for (size_t i = 0; i < rs->n_rules; i++)
		put_rule(rs, i);
	printf("};\nstatic struct ta_rule *by_number[] = {");
	for (size_t i = 0; i < rs->n_rules; i++)
		printf("&rules[%zu], ", i);
	printf("};\n\n");
}

/* --- parameters, profiles, names ----------------------------------------------------------------- */

static size_t param_number(const struct ta_rules *rs, const struct ta_param *wanted)
{
	size_t i = 0;

	for (const struct ta_param *p = rs->params; p != wanted; p = p->next)
		i++;
	return i;
}

static size_t profile_number(const struct ta_rules *rs, const struct ta_profile *wanted)
{
	size_t i = 0;

	for (const struct ta_profile *p = rs->profiles; p != wanted; p = p->next)
		i++;
	return i;
}

static void put_param(const struct ta_rules *rs, const struct ta_param *p)
{
	printf("\t{");
	printf(p->next ? "&params[%zu]" : "NULL", p->next ? param_number(rs, p->next) : 0);
	printf(", &sources[%zu], ", source_number(p->source));
	put_word(&p->name);
	printf(", %d, ", p->kind);
	put_address(&exprs, p->value);
	printf(", ");
	put_text(p->unit);
	printf(", ");
	put_text(p->meaning);
	printf(", %u},\n", p->number);
}

static void put_values(struct ta_expr *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		put_address(&exprs, v[i]);
		printf(", ");
	}
	printf("NULL};\n");
}

/* Without its lines: what they say stands in the tables that resolving made of them. */
static void put_profile(const struct ta_rules *rs, const struct ta_profile *p, size_t i)
{
	printf("\t{");
	printf(p->next ? "&profiles[%zu]" : "NULL", p->next ? profile_number(rs, p->next) : 0);
	printf(", &sources[%zu], ", source_number(p->source));
	put_word(&p->name);
	printf(", ");
	put_text(p->title);
	printf(", NULL, %d, %u, entries_%zu, values_%zu, %d},\n", p->state, p->depth, i, i, p->workload);
}

static void put_profiles(const struct ta_rules *rs)
{
	size_t n = 0;

	printf("static struct ta_param params[%zu];\nstatic struct ta_param params[] = {\n", rs->n_params + 1);
	for (const struct ta_param *p = rs->params; p; p = p->next)
		put_param(rs, p);
	printf("\t{0}};\nstatic struct ta_expr *defaults[] = {");
	put_values(rs->defaults, rs->n_params);
	for (const struct ta_profile *p = rs->profiles; p; p = p->next, n++) {
		printf("static struct ta_profile_entry entries_%zu[] = {", n);
		for (size_t i = 0; i < rs->n_rules; i++)
			printf("{%d, %d, %d, %d}, ", p->rules[i].in, p->rules[i].has_severity, p->rules[i].weight,
				p->rules[i].severity);
		printf("};\nstatic struct ta_expr *values_%zu[] = {", n);
		put_values(p->params, rs->n_params);
	}
	printf("static struct ta_profile profiles[%zu];\nstatic struct ta_profile profiles[] = {\n", n);
	n = 0;
	for (const struct ta_profile *p = rs->profiles; p; p = p->next)
		put_profile(rs, p, n++);
	printf("};\n\n");
}

static void put_names(const char *array, const struct ta_names *names, size_t (*number)(const struct ta_rules *rs, const void *),
	const struct ta_rules *rs)
{
	printf("static struct ta_name_slot %s_names[%zu] = {\n", array, names->size);
	for (size_t i = 0; i < names->size; i++) {
		if (!names->slots[i].name)
			continue;
		printf("\t[%zu] = {", i);
		put_text(names->slots[i].name);
		printf(", &%s[%zu]},\n", array, number(rs, names->slots[i].what));
	}
	printf("};\n");
}

static size_t number_of_rule(const struct ta_rules *rs, const void *what)
{
	return ((const struct ta_rule *)what)->number;
}

static size_t number_of_param(const struct ta_rules *rs, const void *what)
{
	return param_number(rs, what);
}

static size_t number_of_profile(const struct ta_rules *rs, const void *what)
{
	return profile_number(rs, what);
}

static void put_set(const struct ta_rules *rs)
{
	if (rs->spoilt || rs->replaced || rs->waivers)
		abort();
	put_names("rules", &rs->rule_names, number_of_rule, rs);
	put_names("params", &rs->param_names, number_of_param, rs);
	put_names("profiles", &rs->profile_names, number_of_profile, rs);
	printf("\nstatic struct ta_rules set = {.rule_names = {rules_names, %zu, %zu}, .param_names = {params_names, %zu, %zu},\n",
		rs->rule_names.n, rs->rule_names.size, rs->param_names.n, rs->param_names.size);
	printf("\t.profile_names = {profiles_names, %zu, %zu}, .rules = by_number, .n_rules = %zu, .params = params, .n_params = %zu,\n",
		rs->profile_names.n, rs->profile_names.size, rs->n_rules, rs->n_params);
	printf("\t.defaults = defaults, .profiles = profiles, .schema = &schema, .builtin = true};\n");
	printf("struct ta_rules *const ta_builtin_rules = &set;\n");
}

/* --- all of it --------------------------------------------------------------------------------------- */

static struct ta_rules *load(const struct ta_schema *schema)
{
	struct ta_rules *rs = ta_rules_new();
	struct ta_diags diags = {0};
	struct ta_fix_sig *sigs;
	bool faults;
	size_t n;

	if (!rs || ta_fixer_sigs(&sigs, &n) < 0)
		return NULL;
	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		ta_rules_add_text(rs, ta_embedded_rules[i].file, ta_embedded_rules[i].text, strlen(ta_embedded_rules[i].text),
			TA_RULES_TRUSTED, &diags);
	ta_rules_resolve(rs, schema, sigs, n, &diags);
	for (size_t i = 0; i < diags.n; i++)
		fputs(diags.v[i].text, stderr);
	faults = diags.total;
	ta_diags_done(&diags);
	free(sigs);
	return faults ? ta_rules_free(rs) : rs;
}

int main(void)
{
	struct ta_schema *schema;
	struct ta_rules *rs;
	struct ta_err err;

	if (ta_collect_schema(&schema, &err) < 0) {
		fprintf(stderr, "mkbuiltin: %s\n", err.text);
		return 1;
	}
	rs = load(schema);
	if (!rs)
		return 1;
	printf("/* Made by tools/mkbuiltin. */\n#include \"facts/schemadata.h\"\n#include \"rule/embedded.h\"\n#include \"rule/rules.h\"\n\n");
	put_schema(schema);
	put_exprs(rs);
	put_sources(rs);
	put_rules(rs);
	put_profiles(rs);
	put_set(rs);
	ta_rules_free(rs);
	ta_schema_free(schema);
	return fflush(stdout) || ferror(stdout);
}
