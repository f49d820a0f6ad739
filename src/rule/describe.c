/*
 * A rule told to a person: what it asks for, then what this host says to each of its expressions.
 * Lines are not wrapped; whoever prints them knows the width.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "rule/explain.h"
#include "rule/judge.h"

#define DETAILED_MAX 20

static void add_text(struct ta_buf *b, const char *label, const char *text)
{
	ta_buf_printf(b, "%s\t%s\n", label, text);
}

static void add_expr(struct ta_buf *b, const char *label, const struct ta_expr *e)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!e)
		return;
	ta_expr_print(NULL, e, &text);
	add_text(b, label, ta_buf_text(&text));
}

static const char *direction_text(const struct ta_rule *r)
{
	if (r->n_directions != 1)
		return ", each element in its own direction";
	if (r->direction[0] == TA_DIR_RAISE)
		return ", never lowers";
	return r->direction[0] == TA_DIR_LOWER ? ", never raises" : "";
}

static void add_fix(struct ta_buf *b, const struct ta_rule *r)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!r->fix)
		return;
	ta_buf_printf(&text, "%s(", r->fix->name.text);
	for (size_t i = 0; i < r->fix->n_args; i++) {
		ta_buf_printf(&text, "%s%s = ", i ? ", " : "", r->fix->args[i].name.text);
		ta_expr_print(NULL, r->fix->args[i].value, &text);
	}
	ta_buf_printf(&text, ")%s", direction_text(r));
	add_text(b, "Fix", ta_buf_text(&text));
	ta_buf_reset(&text);
	ta_shown_format(&r->shown, &text);
	if (text.len)
		add_text(b, "Shown", ta_buf_text(&text));
}

static void mark_params(const struct ta_expr *e, unsigned number, bool *used)
{
	*used |= e->node == TA_N_PARAM && e->slot == number;
	for (const struct ta_expr *x = e->child; x; x = x->next)
		mark_params(x, number, used);
}

static bool uses_param(const struct ta_rule *r, unsigned number)
{
	const struct ta_expr *const parts[] = {r->each, r->when, r->unsupported, r->want, r->evidence};
	bool used = false;

	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (parts[i])
			mark_params(parts[i], number, &used);
	for (size_t i = 0; r->fix && i < r->fix->n_args; i++)
		mark_params(r->fix->args[i].value, number, &used);
	return used;
}

/* What the rule takes from the profile, so that one knows which knob is meant. */
static void add_params(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	struct ta_buf *b)
{
	for (const struct ta_param *p = rs->params; p; p = p->next) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

		if (!uses_param(r, p->number))
			continue;
		ta_buf_printf(&text, "%s = ", p->name.text);
		ta_expr_print(NULL, profile ? profile->params[p->number] : p->value, &text);
		if (p->unit)
			ta_buf_printf(&text, " %s", p->unit);
		ta_buf_printf(&text, ", %s", p->meaning);
		add_text(b, "Param", ta_buf_text(&text));
	}
}

static void add_rule(const struct ta_rule *r, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf each = TA_BUF_INIT;

	if (r->each) {
		ta_buf_printf(&each, "%s in ", r->each_name);
		ta_expr_print(NULL, r->each, &each);
		add_text(b, "Each", ta_buf_text(&each));
	}
	add_expr(b, "When", r->when);
	add_expr(b, "Cannot if", r->unsupported);
	add_expr(b, "Want", r->want);
	add_expr(b, "Evidence", r->evidence);
	add_fix(b, r);
}

/* --- on this host ------------------------------------------------------------------------ */

struct telling {
	struct ta_buf *b;
	struct ta_strv facts; /* lines of this subject that were told already */
	const struct ta_rule *rule;
	size_t detailed, left_out;
};

static void tell_fact(struct ta_eval *ev, const struct ta_expr *term, const struct ta_value *v, void *ctx)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	struct telling *t = ctx;

	ta_expr_print(ev, term, &line);
	ta_buf_adds(&line, " is ");
	if (v->kind == TA_VAL_UNKNOWN)
		ta_buf_printf(&line, "unknown (%s)", v->unknown->reason);
	else
		ta_value_format(v, &line);
	if (ta_strv_has(&t->facts, ta_buf_text(&line)))
		return;
	ta_strv_add(&t->facts, ta_buf_text(&line));
	ta_buf_printf(t->b, "    %s\n", line.data);
}

/* Of a subject that the rule does not apply to, only what that hangs on. */
static void tell_facts(struct telling *t, struct ta_eval *ev, bool applies)
{
	const struct ta_rule *r = t->rule;
	const struct ta_expr *const parts[] = {r->when, r->unsupported, r->want, r->evidence};

	ta_strv_done(&t->facts);
	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (parts[i] && (applies || parts[i] == r->when))
			ta_expr_terms(ev, parts[i], tell_fact, t);
	for (size_t i = 0; applies && r->fix && i < r->fix->n_args; i++)
		ta_expr_terms(ev, r->fix->args[i].value, tell_fact, t);
}

static void tell_call(struct telling *t, const struct ta_fix_call *call)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_printf(&text, "fix: %s(", call->fixer);
	for (size_t i = 0; i < call->n_args; i++)
		ta_buf_printf(&text, "%s%s = %s", i ? ", " : "", call->args[i].name,
			json_object_to_json_string_ext(call->args[i].value, JSON_C_TO_STRING_NOSLASHESCAPE));
	ta_buf_addc(&text, ')');
	ta_buf_printf(t->b, "  %s\n", ta_buf_text(&text));
}

static void tell_line(struct telling *t, const char *text)
{
	if (*text)
		ta_buf_printf(t->b, "  %s\n", text);
}

static void tell_verdict(struct telling *t, const struct ta_outcome *o)
{
	ta_buf_printf(t->b, "%s: %s", o->subject, ta_verdict_name(o->verdict));
	if (*o->reason)
		ta_buf_printf(t->b, " (%s)", o->reason);
	ta_buf_addc(t->b, '\n');
	tell_line(t, o->because);
	tell_line(t, o->detail);
	if (o->evidence_known)
		tell_line(t, o->evidence_hurts ? "the counters show that it hurts here" :
			"the counters do not show that it hurts here");
}

static void tell_outcome(struct ta_eval *ev, const struct ta_outcome *o, void *ctx)
{
	struct telling *t = ctx;

	if (t->detailed == DETAILED_MAX) {
		t->left_out++;
		return;
	}
	t->detailed++;
	tell_verdict(t, o);
	if (o->verdict != TA_V_BROKEN)
		tell_facts(t, ev, o->verdict != TA_V_NA);
	if (o->has_fix)
		tell_call(t, &o->fix);
}

int ta_rule_explain(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, struct ta_buf *ret)
{
	struct telling t = {.b = ret, .rule = r};
	struct ta_outcomes out = {0};
	int rc;

	add_rule(r, ret);
	if (!r->faulty)
		add_params(rs, r, profile, ret);
	ta_buf_addc(ret, '\n');
	rc = ta_judge_rule(rs, r, profile, facts, tell_outcome, &t, &out);
	/* What has no subject: an empty collection, members that could not be seen. */
	for (size_t i = t.detailed + t.left_out; rc == 0 && i < out.n; i++)
		tell_verdict(&t, &out.v[i]);
	if (t.left_out)
		ta_buf_printf(ret, "... and %zu more\n", t.left_out);
	ta_outcomes_done(&out);
	ta_strv_done(&t.facts);
	return rc ? rc : ret->error;
}
