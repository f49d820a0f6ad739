/*
 * The cases of a rule: small documents written next to it, and what it must say
 * of them. They are read here and not at load, where nobody needs them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "facts/text.h"
#include "rule/eval.h"
#include "rule/parse.h"

struct case_reader {
	struct ta_parser p;
	const struct ta_rules *rs;
	struct ta_facts *facts;
	struct ta_profile profile; /* with the case's parameters */
	const char *keys[TA_PATH_DEPTH_MAX + 1];
};

static bool fault_at(struct case_reader *c, uint32_t pos, uint32_t end, const char *fmt, ...) ta_printf(4, 5);

static bool fault_at(struct case_reader *c, uint32_t pos, uint32_t end, const char *fmt, ...)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	va_list ap;

	va_start(ap, fmt);
	ta_buf_vprintf(&b, fmt, ap);
	va_end(ap);
	c->p.failed = true;
	ta_diag_add(c->p.diags, c->p.src, pos, end, "%s", ta_buf_text(&b));
	return false;
}

/* --- paths ------------------------------------------------------------------------------ */

/* A key in brackets: a string or a number. */
static bool parse_bracket_key(struct case_reader *c, struct ta_word *ret)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_parser_next(&c->p);
	*ret = (struct ta_word){.pos = c->p.tok.pos, .end = c->p.tok.end};
	if (c->p.tok.tok == TA_TOK_STRING)
		ta_lex_string(&c->p.lex, &c->p.tok, &b);
	else if (c->p.tok.tok == TA_TOK_INT)
		ta_buf_printf(&b, "%" PRIu64, c->p.tok.number);
	else
		return ta_parser_expected(&c->p, "a key: a string or a number");
	ret->text = ta_arena_strndup(c->p.arena, ta_buf_text(&b), b.len);
	ta_parser_next(&c->p);
	return ret->text && ta_parser_need_char(&c->p, ']');
}

/* One more key of a path: what is declared there, or NULL after a fault. */
static const struct ta_schema_node *descend(struct case_reader *c, const struct ta_schema_node *n, size_t depth,
	const struct ta_word *key)
{
	const struct ta_schema_node *child = ta_schema_child(n, key->text);
	const char *near;

	if (depth == TA_PATH_DEPTH_MAX) {
		fault_at(c, key->pos, key->end, "the path is too deep");
		return NULL;
	}
	c->keys[depth] = key->text;
	c->keys[depth + 1] = NULL;
	if (child)
		return child;
	near = ta_schema_nearest(n, key->text);
	fault_at(c, key->pos, key->end, "no such fact '%s'%s%s%s", key->text, near ? "; did you mean '" : "",
		near ? near : "", near ? "'?" : "");
	return NULL;
}

/* The path ahead into c->keys; what is declared there, or NULL after a fault. */
static const struct ta_schema_node *parse_path(struct case_reader *c)
{
	const struct ta_schema_node *n = ta_schema_root(c->rs->schema);
	struct ta_word key;
	size_t depth = 0;

	if (!ta_parser_word(&c->p, "", "a fact", &key))
		return NULL;
	n = descend(c, n, depth++, &key);
	while (n) {
		if (ta_parser_is_char(&c->p, '.')) {
			if (!ta_parse_key(&c->p, &key))
				return NULL;
		} else if (ta_parser_is_char(&c->p, '[')) {
			if (!parse_bracket_key(c, &key))
				return NULL;
		} else {
			break;
		}
		n = descend(c, n, depth++, &key);
	}
	return n;
}

/* --- values ------------------------------------------------------------------------------- */

static bool wrong_type(struct case_reader *c, const struct ta_expr *e, const struct ta_field *f)
{
	static const char *const names[] = {
		[TA_T_INT] = "an integer",
		[TA_T_REAL] = "a number",
		[TA_T_BOOL] = "true or false",
		[TA_T_STRING] = "a string",
		[TA_T_INTS] = "a list of integers",
		[TA_T_STRINGS] = "a list of strings",
	};

	return fault_at(c, e->pos, e->end, "%s is %s", f->path, names[f->type]);
}

static bool put_int(struct case_reader *c, const struct ta_expr *e, const struct ta_field *f)
{
	if (e->node == TA_N_UNLIMITED && f->flags & TA_F_UNLIMITED)
		ta_facts_put_unlimited(c->facts, c->keys);
	else if (e->node != TA_N_INT)
		return wrong_type(c, e, f);
	else if (e->i.negative)
		ta_facts_put_i64(c->facts, c->keys, (int64_t)(0 - e->i.mag));
	else
		ta_facts_put_u64(c->facts, c->keys, e->i.mag);
	return true;
}

#define ELEMENTS_MAX 1024

static bool put_ints(struct case_reader *c, const struct ta_expr *e, const struct ta_field *f)
{
	int64_t v[ELEMENTS_MAX];
	size_t n = 0;

	for (const struct ta_expr *x = e->child; x; x = x->next) {
		if (x->node != TA_N_INT || n == ELEMENTS_MAX || (!x->i.negative && x->i.mag > INT64_MAX))
			return wrong_type(c, x, f);
		v[n++] = x->i.negative ? (int64_t)(0 - x->i.mag) : (int64_t)x->i.mag;
	}
	ta_facts_put_ints(c->facts, c->keys, v, n);
	return true;
}

static bool put_strings(struct case_reader *c, const struct ta_expr *e, const struct ta_field *f)
{
	ta_cleanup_strv struct ta_strv v = TA_STRV_INIT;

	for (const struct ta_expr *x = e->child; x; x = x->next) {
		if (x->node != TA_N_STRING)
			return wrong_type(c, x, f);
		ta_strv_add(&v, x->text);
	}
	ta_facts_put_strs(c->facts, c->keys, v.v, v.n);
	return true;
}

static bool put_value(struct case_reader *c, const struct ta_expr *e, const struct ta_field *f)
{
	bool is_number = e->node == TA_N_INT || e->node == TA_N_REAL;

	switch (f->type) {
	case TA_T_INT:
		return put_int(c, e, f);
	case TA_T_REAL:
		if (!is_number)
			return wrong_type(c, e, f);
		ta_facts_put_real(c->facts, c->keys, e->node == TA_N_INT ? ta_int_real(e->i) : e->r);
		return true;
	case TA_T_BOOL:
		if (e->node != TA_N_BOOL)
			return wrong_type(c, e, f);
		ta_facts_put_bool(c->facts, c->keys, e->b);
		return true;
	case TA_T_STRING:
		if (e->node != TA_N_STRING)
			return wrong_type(c, e, f);
		ta_facts_put_str(c->facts, c->keys, e->text);
		return true;
	case TA_T_INTS:
		return e->node == TA_N_LIST ? put_ints(c, e, f) : wrong_type(c, e, f);
	default:
		return e->node == TA_N_LIST ? put_strings(c, e, f) : wrong_type(c, e, f);
	}
}

/* --- entries ---------------------------------------------------------------------------------- */

/* PATH = VALUE, or COLLECTION = { } for one without members. */
static bool parse_fact(struct case_reader *c)
{
	uint32_t pos = c->p.tok.pos;
	const struct ta_schema_node *n = parse_path(c);
	const struct ta_expr *e;

	if (!n || !ta_parser_need_char(&c->p, '='))
		return false;
	if (ta_parser_take_char(&c->p, '{')) {
		if (ta_schema_field(n))
			return fault_at(c, pos, c->p.tok.pos, "%s is no collection", ta_schema_field(n)->path);
		ta_facts_put_object(c->facts, c->keys);
		return ta_parser_need_char(&c->p, '}');
	}
	e = ta_parse_literal(&c->p);
	if (!e)
		return false;
	if (!ta_schema_field(n))
		return fault_at(c, pos, e->pos, "a group of facts has no value of its own");
	return put_value(c, e, ta_schema_field(n));
}

/* absent PATH REASON ["detail"], incomplete PATH REASON ["detail"] */
static bool parse_hole(struct case_reader *c, bool incomplete)
{
	const char *names[TA_NOT_ASKED + 1], *detail = "";
	uint32_t pos = c->p.tok.pos;
	const struct ta_schema_node *n = parse_path(c);
	struct ta_word word;
	enum ta_reason reason;

	if (!n)
		return false;
	if (incomplete && !ta_schema_is_collection(n))
		return fault_at(c, pos, c->p.tok.pos, "only collections can be incomplete");
	for (int i = 0; i <= TA_NOT_ASKED; i++)
		names[i] = ta_reason_name((enum ta_reason)i);
	if (!ta_parser_word(&c->p, "-", "missing, denied, unsupported, malformed or not-asked", &word))
		return false;
	if (ta_reason_parse(word.text, &reason) < 0) {
		struct ta_nearest near = TA_NEAREST(word.text);

		for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
			ta_nearest_try(&near, names[i]);
		return fault_at(c, word.pos, word.end, "no reason '%s'%s%s%s", word.text,
			near.best ? "; did you mean '" : "", near.best ? near.best : "", near.best ? "'?" : "");
	}
	if (c->p.tok.tok == TA_TOK_STRING) {
		detail = ta_parser_text(&c->p);
		if (!detail)
			return false;
	}
	if (incomplete)
		ta_facts_put_incomplete(c->facts, c->keys, reason, "%s", detail);
	else
		ta_facts_put_absent(c->facts, c->keys, reason, "%s", detail);
	return true;
}

/* param NAME = VALUE */
static bool parse_param(struct case_reader *c)
{
	const struct ta_param *param;
	struct ta_word name;
	struct ta_expr *e;

	if (!ta_parser_word(&c->p, "", "the name of a parameter", &name) || !ta_parser_need_char(&c->p, '='))
		return false;
	param = ta_names_get(&c->rs->param_names, name.text);
	if (!param)
		return fault_at(c, name.pos, name.end, "no parameter '%s'", name.text);
	e = ta_parse_literal(&c->p);
	if (!e)
		return false;
	if (!ta_param_accepts(param, e))
		return fault_at(c, e->pos, e->end, "%s is %s, this is not", name.text, ta_kind_name(param->kind));
	c->profile.params[param->number] = e;
	return true;
}

static bool parse_body(struct case_reader *c)
{
	while (!ta_parser_is_char(&c->p, '}')) {
		bool ok;

		if (ta_parser_take_id(&c->p, "absent"))
			ok = parse_hole(c, false);
		else if (ta_parser_take_id(&c->p, "incomplete"))
			ok = parse_hole(c, true);
		else if (ta_parser_take_id(&c->p, "param"))
			ok = parse_param(c);
		else
			ok = parse_fact(c);
		if (!ok)
			return false;
	}
	return !c->p.failed;
}

/* --- running -------------------------------------------------------------------------------------- */

static const struct ta_outcome *worst_of(const struct ta_outcomes *out)
{
	static const enum ta_verdict order[] = {TA_V_BROKEN, TA_V_FAIL, TA_V_UNKNOWN, TA_V_PASS};

	for (size_t v = 0; v < TA_ARRAY_SIZE(order); v++)
		for (size_t i = 0; i < out->n; i++)
			if (out->v[i].verdict == order[v])
				return &out->v[i];
	return &out->v[0];
}

/* What it said instead, and why. */
static void tell(struct ta_parser *p, const struct ta_case *k, const struct ta_outcome *o)
{
	const char *why = *o->detail ? o->detail : o->because;

	ta_diag_add(p->diags, p->src, k->pos, k->pos + (uint32_t)strlen(ta_verdict_name(k->verdict)),
		"case \"%s\" should be %s, it is %s%s%s", k->text, ta_verdict_name(k->verdict),
		ta_verdict_name(o->verdict), *why ? ": " : "", why);
}

static int judge_case(struct case_reader *c, const struct ta_rule *r, const struct ta_case *k)
{
	struct ta_outcomes out = {0};
	int rc = ta_facts_error(c->facts);

	if (rc < 0)
		return rc;
	rc = ta_rule_eval(c->rs, r, &c->profile, c->facts, &out);
	if (rc < 0)
		return rc;
	if (worst_of(&out)->verdict != k->verdict)
		tell(&c->p, k, worst_of(&out));
	ta_outcomes_done(&out);
	return 0;
}

static int run_case(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_case *k, struct ta_diags *diags)
{
	ta_cleanup_arena struct ta_arena arena = {0};
	ta_cleanup_facts struct ta_facts *facts = ta_facts_new();
	struct case_reader c = {.rs = rs, .facts = facts};
	size_t n = rs->n_params + 1;

	c.profile.params = ta_arena_alloc(&arena, n * sizeof(*c.profile.params));
	if (!facts || !c.profile.params)
		return -ENOMEM;
	memcpy(c.profile.params, rs->defaults, rs->n_params * sizeof(*c.profile.params));
	ta_parser_init(&c.p, NULL, r->source, &arena, diags);
	ta_parser_seek(&c.p, k->body);
	if (parse_body(&c))
		return judge_case(&c, r, k);
	return arena.error == -ENOMEM ? -ENOMEM : 0;
}

int ta_rule_run_cases(const struct ta_rules *rs, const struct ta_rule *r, struct ta_diags *diags, size_t *ret_run)
{
	static const enum ta_verdict needed[] = {TA_V_PASS, TA_V_FAIL, TA_V_UNKNOWN};
	unsigned seen = 0;
	size_t run = 0;

	if (!rs->schema || r->faulty) {
		*ret_run = 0;
		return 0;
	}
	for (const struct ta_case *k = r->cases; k; k = k->next) {
		int rc = run_case(rs, r, k, diags);

		if (rc < 0)
			return rc;
		seen |= 1u << k->verdict;
		run++;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(needed); i++)
		if (!(seen & 1u << needed[i]))
			ta_diag_add(diags, r->source, r->pos, r->pos + (uint32_t)strlen(r->id), "rule %s has no case %s",
				r->id, ta_verdict_name(needed[i]));
	if (r->fix && !r->shown.said)
		ta_diag_add(diags, r->source, r->pos, r->pos + (uint32_t)strlen(r->id),
			"rule %s does not say where its fix shows: 'shown'", r->id);
	*ret_run = run;
	return 0;
}
