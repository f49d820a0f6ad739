/*
 * The stanza `rule`.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rule/stanza.h"

static bool parse_into(struct ta_parser *p, const char **slot)
{
	*slot = ta_parser_text(p);
	return *slot;
}

static bool parse_title(struct ta_parser *p, void *stanza)
{
	return parse_into(p, &((struct ta_rule *)stanza)->title);
}

static bool parse_why(struct ta_parser *p, void *stanza)
{
	return parse_into(p, &((struct ta_rule *)stanza)->why);
}

static bool parse_advice(struct ta_parser *p, void *stanza)
{
	return parse_into(p, &((struct ta_rule *)stanza)->advice);
}

static bool parse_defaults(struct ta_parser *p, void *stanza)
{
	return parse_into(p, &((struct ta_rule *)stanza)->defaults);
}

/* Strings side by side, each a source of its own. */
static bool parse_ref(struct ta_parser *p, void *stanza)
{
	struct ta_rule *r = stanza;
	const char *found[16];
	size_t n = 0;
	const char **refs;

	while (p->tok.tok == TA_TOK_STRING) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

		if (n + r->n_refs == TA_ARRAY_SIZE(found))
			return ta_parser_fault(p, "more than %zu sources", TA_ARRAY_SIZE(found));
		ta_lex_string(&p->lex, &p->tok, &b);
		found[n++] = ta_arena_strndup(p->arena, ta_buf_text(&b), b.len);
		ta_parser_next(p);
	}
	if (!n)
		return ta_parser_expected(p, "a string");
	refs = ta_arena_alloc(p->arena, (r->n_refs + n) * sizeof(*refs));
	if (!refs)
		return false;
	if (r->n_refs)
		memcpy(refs, r->refs, r->n_refs * sizeof(*refs));
	memcpy(refs + r->n_refs, found, n * sizeof(*refs));
	r->refs = refs;
	r->n_refs += n;
	return true;
}

static bool parse_area(struct ta_parser *p, void *stanza)
{
	struct ta_word word;

	if (!ta_parser_word(p, "-", "the name of an area", &word))
		return false;
	((struct ta_rule *)stanza)->area = word.text;
	return true;
}

static bool parse_severity(struct ta_parser *p, void *stanza)
{
	static const char *const names[] = {"info", "warning", "error"};
	int i = ta_parse_choice(p, names, TA_ARRAY_SIZE(names), "info, warning or error");

	((struct ta_rule *)stanza)->severity = (enum ta_severity)TA_MAX(i, 0);
	return i >= 0;
}

static bool parse_weight(struct ta_parser *p, void *stanza)
{
	int64_t v = ta_parse_number(p, 1, 10, "a number from 1 to 10");

	((struct ta_rule *)stanza)->weight = (unsigned)v;
	return v >= 0;
}

static bool parse_risk(struct ta_parser *p, void *stanza)
{
	const char *names[TA_RISK_WORKLOAD + 1];
	int i;

	for (i = 0; i <= TA_RISK_WORKLOAD; i++)
		names[i] = ta_risk_name((enum ta_risk)i);
	i = ta_parse_choice(p, names, TA_ARRAY_SIZE(names),
		"none, low, flow-reset, link-flap, reboot or workload");
	((struct ta_rule *)stanza)->risk = (enum ta_risk)TA_MAX(i, 0);
	return i >= 0;
}

static bool parse_direction(struct ta_parser *p, void *stanza)
{
	static const char *const names[] = {
		[TA_DIR_EXACT] = "exact",
		[TA_DIR_RAISE] = "raise",
		[TA_DIR_LOWER] = "lower",
		[TA_DIR_LEAVE] = "leave",
	};
	struct ta_rule *r = stanza;

	r->n_directions = 0;
	do {
		int i;

		if (r->n_directions == TA_FIX_ELEMENTS)
			return ta_parser_fault(p, "more than %d directions", TA_FIX_ELEMENTS);
		i = ta_parse_choice(p, names, TA_ARRAY_SIZE(names), "raise, lower, exact or leave");
		if (i < 0)
			return false;
		r->direction[r->n_directions++] = (enum ta_direction)i;
	} while (ta_parser_take_char(p, ','));
	return true;
}

static bool parse_each(struct ta_parser *p, void *stanza)
{
	struct ta_rule *r = stanza;
	struct ta_word name;

	if (!ta_parser_word(p, "", "the name of a variable", &name) || !ta_parser_need_id(p, "in"))
		return false;
	r->each_name = name.text;
	r->each = ta_parse_expr(p);
	return r->each;
}

static bool parse_when(struct ta_parser *p, void *stanza)
{
	return (((struct ta_rule *)stanza)->when = ta_parse_expr(p));
}

static bool parse_unsupported(struct ta_parser *p, void *stanza)
{
	return (((struct ta_rule *)stanza)->unsupported = ta_parse_expr(p));
}

static bool parse_want(struct ta_parser *p, void *stanza)
{
	return (((struct ta_rule *)stanza)->want = ta_parse_expr(p));
}

static bool parse_evidence(struct ta_parser *p, void *stanza)
{
	return (((struct ta_rule *)stanza)->evidence = ta_parse_expr(p));
}

static bool parse_fix_arg(struct ta_parser *p, struct ta_fix_expr *fix)
{
	struct ta_fix_arg_expr *arg = &fix->args[fix->n_args];

	if (fix->n_args == TA_ARRAY_SIZE(fix->args))
		return ta_parser_fault(p, "more than %zu arguments", TA_ARRAY_SIZE(fix->args));
	if (!ta_parser_word(p, "", "the name of a parameter", &arg->name) || !ta_parser_need_char(p, '='))
		return false;
	arg->value = ta_parse_expr(p);
	fix->n_args++;
	return arg->value;
}

static bool parse_fix(struct ta_parser *p, void *stanza)
{
	struct ta_fix_expr *fix = ta_arena_new(p->arena, struct ta_fix_expr);

	if (!fix || !ta_parser_word(p, ".-", "the name of a fixer", &fix->name) || !ta_parser_need_char(p, '('))
		return false;
	if (!ta_parser_is_char(p, ')')) {
		do {
			if (!parse_fix_arg(p, fix))
				return false;
		} while (ta_parser_take_char(p, ','));
	}
	((struct ta_rule *)stanza)->fix = fix;
	return ta_parser_need_char(p, ')');
}

/* `NAME, NAME …` out of `names`, each once; 0 after a fault. */
static uint8_t parse_set(struct ta_parser *p, const char *const *names, size_t n, const char *what)
{
	unsigned set = 0;

	do {
		struct ta_token at = p->tok;
		int i = ta_parse_choice(p, names, n, what);

		if (i < 0)
			return 0;
		if (set & TA_SHOWN_BIT(i)) {
			p->failed = true;
			ta_diag_add(p->diags, p->src, at.pos, at.end, "'%s' stands twice", names[i]);
		}
		set |= TA_SHOWN_BIT(i);
	} while (ta_parser_take_char(p, ','));
	return (uint8_t)set;
}

/* PATH, … [by WORKLOAD, …], or nowhere ["why"]. */
static bool parse_shown(struct ta_parser *p, void *stanza)
{
	const char *paths[TA_SHOWN_PATHS], *workloads[TA_SHOWN_WORKLOADS];
	struct ta_shown *s = &((struct ta_rule *)stanza)->shown;

	s->said = true;
	if (ta_parser_take_id(p, "nowhere")) {
		if (p->tok.tok != TA_TOK_STRING)
			return true;
		s->nowhere = ta_parser_text(p);
		return s->nowhere;
	}
	for (int i = 0; i < TA_SHOWN_PATHS; i++)
		paths[i] = ta_shown_path_name((enum ta_shown_path)i);
	for (int i = 0; i < TA_SHOWN_WORKLOADS; i++)
		workloads[i] = ta_shown_workload_name((enum ta_shown_workload)i);
	s->paths = parse_set(p, paths, TA_SHOWN_PATHS, "nowhere, loopback, namespace, wire, storage or cold");
	if (!s->paths)
		return false;
	if (!ta_parser_take_id(p, "by"))
		return true;
	s->workloads = parse_set(p, workloads, TA_SHOWN_WORKLOADS, "connect, file, hold, http, kv or stream");
	return s->workloads;
}

/* Only where a case is, not what stands in it: that is read when the cases run. */
static bool parse_case(struct ta_parser *p, void *stanza)
{
	static const enum ta_verdict verdicts[] = {TA_V_PASS, TA_V_FAIL, TA_V_UNKNOWN, TA_V_NA, TA_V_UNSUPPORTED,
		TA_V_BROKEN};
	const char *names[TA_ARRAY_SIZE(verdicts)];
	struct ta_case *c = ta_arena_new(p->arena, struct ta_case);
	struct ta_rule *r = stanza;
	uint32_t end;
	int i;

	if (!c)
		return false;
	c->pos = p->tok.pos;
	for (i = 0; i < (int)TA_ARRAY_SIZE(verdicts); i++)
		names[i] = ta_verdict_name(verdicts[i]);
	i = ta_parse_choice(p, names, TA_ARRAY_SIZE(verdicts), "pass, fail, unknown, na, unsupported or broken");
	if (i < 0)
		return false;
	c->verdict = verdicts[i];
	c->text = ta_parser_text(p);
	if (!c->text)
		return false;
	if (!ta_parser_is_char(p, '{'))
		return ta_parser_expected(p, "'{'");
	c->body = p->tok.end;
	end = ta_lex_skip_braces(&p->lex, c->body);
	if (!end)
		return ta_parser_fault(p, "this '{' is not closed within %u bytes", TA_CASE_MAX);
	ta_parser_seek(p, end);
	c->next = r->cases; /* turned round when the rule ends */
	r->cases = c;
	return true;
}

static struct ta_case *reverse_cases(struct ta_case *c)
{
	struct ta_case *out = NULL;

	while (c) {
		struct ta_case *next = c->next;

		c->next = out;
		out = c;
		c = next;
	}
	return out;
}

enum { KEY_EACH = 10 };

static const struct ta_stanza_key keys[] = {
	{"title", parse_title, false},
	{"why", parse_why, false},
	{"ref", parse_ref, true},
	{"defaults", parse_defaults, false},
	{"advice", parse_advice, false},
	{"area", parse_area, false},
	{"severity", parse_severity, false},
	{"weight", parse_weight, false},
	{"risk", parse_risk, false},
	{"direction", parse_direction, false},
	[KEY_EACH] = {"each", parse_each, false},
	{"when", parse_when, false},
	{"unsupported", parse_unsupported, false},
	{"want", parse_want, false},
	{"evidence", parse_evidence, false},
	{"fix", parse_fix, false},
	{"shown", parse_shown, false},
	{"case", parse_case, true},
};

bool ta_parser_at_rule_key(const struct ta_parser *p)
{
	if (!p->tok.first)
		return false;
	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++)
		if (ta_parser_is_id(p, keys[i].name))
			return true;
	return false;
}

static bool push_rule(struct ta_rules *rs, struct ta_rule *r)
{
	if (rs->n_rules == rs->cap_rules) {
		size_t cap = rs->cap_rules ? rs->cap_rules * 2 : 64;
		struct ta_rule **v = reallocarray(rs->rules, cap, sizeof(struct ta_rule *));

		if (!v)
			return false;
		rs->rules = v;
		rs->cap_rules = cap;
	}
	rs->rules[rs->n_rules++] = r;
	return ta_names_put(&rs->rule_names, r->id, r);
}

/* Puts the rule among the others; a known id is a fault, or is replaced. */
static bool add_rule(struct ta_parser *p, struct ta_rule *r, const struct ta_word *id)
{
	struct ta_rules *rs = p->rs;
	struct ta_rule *old = ta_names_get(&rs->rule_names, r->id);

	/* Two of one name in one file is a slip also where files may replace each other's. */
	if (old && (!(p->flags & TA_RULES_OVERRIDE) || old->source == p->src)) {
		p->failed = true;
		ta_diag_add(p->diags, p->src, id->pos, id->end, "rule %s stands at %s:%u already", r->id, old->file,
			old->line);
		return true;
	}
	if (old) {
		r->number = old->number;
		rs->rules[r->number] = r;
		/* Its file is at fault all the same, and will be when the later one goes. */
		if (!old->source->ours) {
			old->next = rs->replaced;
			rs->replaced = old;
		}
		return ta_names_put(&rs->rule_names, r->id, r);
	}
	r->number = (unsigned)rs->n_rules;
	if (push_rule(rs, r))
		return true;
	rs->arena.error = -ENOMEM;
	return false;
}

static const char *area_of(struct ta_arena *arena, const char *id)
{
	return ta_arena_strndup(arena, id, strcspn(id, "."));
}

/* What stands behind the id. False: it is no rule to be used, which has been told. */
static bool parse_body(struct ta_parser *p, struct ta_rule *r)
{
	uint64_t seen;

	r->severity = TA_SEV_WARNING;
	r->weight = 5;
	r->n_directions = 1;
	if (!ta_stanza_keys(p, keys, TA_ARRAY_SIZE(keys), r, "rule", &seen)) {
		/* Without its variable the rest would only be told "no such fact". */
		if (r->each || !(seen & UINT64_C(1) << KEY_EACH)) {
			r->faulty = true;
			r->next = p->rs->spoilt;
			p->rs->spoilt = r;
		}
		return false;
	}
	if (!r->title || !r->want) {
		p->failed = true;
		ta_diag_add(p->diags, p->src, r->pos, r->pos + (uint32_t)strlen(r->id), "rule %s has no '%s'", r->id,
			r->title ? "want" : "title");
		return false;
	}
	r->cases = reverse_cases(r->cases);
	if (!r->why)
		r->why = "";
	if (!r->area)
		r->area = area_of(p->arena, r->id);
	return true;
}

/* Leaves the body for later: goes behind the line `end`. False: there is none, so that reading it will tell. */
static bool skip_body(struct ta_parser *p)
{
	static const char end[] = "\nend\n";
	const char *text = p->src->text, *at = strstr(text + p->tok.pos, end);

	if (at)
		ta_parser_seek(p, (uint32_t)(at - text) + (uint32_t)strlen(end));
	return at;
}

bool ta_parse_rule(struct ta_parser *p)
{
	struct ta_rule *r = ta_arena_new(p->arena, struct ta_rule);
	struct ta_word id;

	if (!r || !ta_parser_word(p, TA_ID_CHARS, "the id of a rule", &id))
		return false;
	r->id = id.text;
	r->source = p->src;
	r->file = p->src->file;
	r->pos = id.pos;
	r->trusted = p->src->trusted;
	r->line = ta_parser_line(p, id.pos);
	r->asleep = p->flags & TA_RULES_LAZY && skip_body(p);
	return (!r->asleep && !parse_body(p, r)) || add_rule(p, r, &id);
}

int ta_rule_read(struct ta_rules *rs, struct ta_rule *r, struct ta_diags *diags)
{
	struct ta_parser p;

	ta_parser_init(&p, rs, r->source, &rs->arena, diags);
	ta_parser_seek(&p, r->pos + (uint32_t)strlen(r->id));
	r->faulty = !parse_body(&p, r);
	if (rs->arena.error)
		return -ENOMEM;
	return r->faulty ? -EBADMSG : 0;
}
