/*
 * Verdicts: one rule over its subjects.
 *
 *     when -> unsupported -> want -> evidence, fix
 *
 * Nothing turns unknown into pass or fail: an unknown `when` or `unsupported`
 * leaves the verdict unknown. `unsupported` that is unknown because the device
 * answered that it cannot is the answer it asks for.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "facts/rates.h"
#include "facts/text.h"
#include "rule/guard.h"
#include "rule/judge.h"

struct judge {
	struct ta_eval ev;
	const struct ta_rule *rule;
	struct ta_outcomes *out;
	size_t room;
	bool brief;      /* what passes is not explained */
	bool by_subject; /* subjects have names of their own, which several may share */
	void (*visit)(struct ta_eval *ev, const struct ta_outcome *o, void *ctx);
	void *ctx;
	size_t n_na, n_folded; /* members that it does not apply to; those of them that one outcome stands for */
	int error;
};

#define NA_KEPT 64 /* of ten thousand containers' interfaces: half a kilobyte each, times all rules */

static char *text_or_empty(struct judge *j, const char *text)
{
	char *copy = strdup(text ? text : "");

	if (!copy)
		j->error = -ENOMEM;
	return copy;
}

static void set_text(struct judge *j, char **slot, const char *text)
{
	free(*slot);
	*slot = text_or_empty(j, text);
}

static struct ta_outcome *new_outcome(struct judge *j, const char *subject)
{
	struct ta_outcome *o;

	if (j->out->n == j->room) {
		size_t room = j->room ? j->room * 2 : 4;
		struct ta_outcome *v = reallocarray(j->out->v, room, sizeof(*v));

		if (!v) {
			j->error = -ENOMEM;
			return NULL;
		}
		j->out->v = v;
		j->room = room;
	}
	o = &j->out->v[j->out->n++];
	*o = (struct ta_outcome){0};
	o->subject = text_or_empty(j, subject);
	o->reason = text_or_empty(j, "");
	o->detail = text_or_empty(j, "");
	o->actual = text_or_empty(j, "");
	o->wanted = text_or_empty(j, "");
	o->because = text_or_empty(j, "");
	return o;
}

static void decide(struct judge *j, struct ta_outcome *o, enum ta_verdict verdict, const char *reason,
	const char *detail)
{
	o->verdict = verdict;
	set_text(j, &o->reason, reason);
	set_text(j, &o->detail, detail);
}

static void decide_broken(struct judge *j, struct ta_outcome *o)
{
	if (j->ev.arena.error == -ENOMEM)
		j->error = -ENOMEM;
	decide(j, o, TA_V_BROKEN, j->ev.broken_reason ? j->ev.broken_reason : "broken",
		ta_buf_text(&j->ev.broken_detail));
}

/* The answer to a condition; true: the verdict stands already. */
static bool decide_by(struct judge *j, struct ta_outcome *o, const struct ta_value *v)
{
	if (v->kind == TA_VAL_BROKEN)
		decide_broken(j, o);
	else if (v->kind == TA_VAL_UNKNOWN)
		decide(j, o, TA_V_UNKNOWN, v->unknown->reason, v->unknown->detail);
	return ta_value_stops(v);
}

/* --- evidence ------------------------------------------------------------------------------ */

/* ", rises now: 12/s" behind a counter that was read twice: it hurts at this moment, or did once. */
static void add_rate(struct ta_eval *ev, const struct ta_value *v, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	double rate;

	if (!v->at)
		return;
	ta_step_format(v->at, &path);
	if (!ta_rates_of(ev->facts, ta_buf_text(&path), &rate))
		return;
	if (rate > 0)
		ta_buf_printf(b, rate < 100 ? ", rises now: %.3g/s" : ", rises now: %.0f/s", rate);
	else
		ta_buf_adds(b, ", does not rise now");
}

static void add_evidence(struct ta_eval *ev, const struct ta_expr *term, const struct ta_value *v, void *ctx)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_outcome *o = ctx;
	char **grown, *text;

	if (ta_value_stops(v) || v->kind == TA_VAL_NODE)
		return;
	ta_expr_print(ev, term, &b);
	ta_buf_adds(&b, " is ");
	ta_value_format(v, &b);
	add_rate(ev, v, &b);
	for (size_t i = 0; i < o->n_evidence; i++)
		if (strcmp(o->evidence[i], ta_buf_text(&b)) == 0)
			return;
	text = ta_buf_steal(&b);
	grown = text ? reallocarray(o->evidence, o->n_evidence + 1, sizeof(*grown)) : NULL;
	if (!grown) {
		free(text);
		return;
	}
	o->evidence = grown;
	o->evidence[o->n_evidence++] = text;
}

/* Of several counters of which one is enough, those that show it. */
static void add_evidence_of(struct ta_eval *ev, const struct ta_expr *e, struct ta_outcome *o)
{
	if (e->node != TA_N_OR || !o->evidence_hurts) {
		ta_expr_terms(ev, e, add_evidence, o);
		return;
	}
	for (const struct ta_expr *c = e->child; c; c = c->next) {
		struct ta_value v = ta_eval(ev, c);

		if (v.kind == TA_VAL_BOOL && v.b)
			add_evidence_of(ev, c, o);
	}
}

static void judge_evidence(struct judge *j, struct ta_outcome *o)
{
	struct ta_value v;

	if (!j->rule->evidence)
		return;
	v = ta_eval(&j->ev, j->rule->evidence);
	if (v.kind == TA_VAL_BROKEN) {
		decide_broken(j, o);
		return;
	}
	o->evidence_known = v.kind == TA_VAL_BOOL;
	o->evidence_hurts = o->evidence_known && v.b;
	add_evidence_of(&j->ev, j->rule->evidence, o);
}

/* --- fix --------------------------------------------------------------------------------------- */

static void drop_fix(struct ta_outcome *o)
{
	for (size_t i = 0; i < o->fix.n_args; i++)
		json_object_put(o->fix.args[i].value);
	o->fix = (struct ta_fix_call){0};
	o->has_fix = false;
}

static void make_call(struct judge *j, struct ta_outcome *o, const struct ta_fix_values *values)
{
	const struct ta_rule *r = j->rule;
	struct ta_fix_call *call = &o->fix;

	call->fixer = r->fix->name.text;
	call->n_directions = r->n_directions;
	memcpy(call->direction, r->direction, sizeof(call->direction));
	for (size_t i = 0; i < r->fix->n_args; i++) {
		struct json_object *value = ta_value_json(&values->v[i]);

		if (!value) {
			j->error = -ENOMEM;
			drop_fix(o);
			return;
		}
		call->args[i].name = r->fix->args[i].name.text;
		call->args[i].value = value;
		call->n_args++;
	}
	o->has_fix = true;
}

static void judge_fix(struct judge *j, struct ta_outcome *o, const struct ta_explanation *x)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	const struct ta_unknown *unknown = NULL;
	struct ta_fix_values values = {0};

	if (!j->rule->fix)
		return;
	switch (ta_fix_work_out(&j->ev, x, &values, &unknown)) {
	case TA_FIX_READY:
		make_call(j, o, &values);
		break;
	case TA_FIX_UNKNOWN:
		ta_buf_printf(&b, "the fix cannot be worked out: %s", unknown->detail);
		set_text(j, &o->detail, ta_buf_text(&b));
		break;
	case TA_FIX_BROKEN:
		decide_broken(j, o);
		break;
	}
}

/* --- one subject ---------------------------------------------------------------------------------- */

static void judge_want(struct judge *j, struct ta_outcome *o)
{
	struct ta_value v = ta_eval(&j->ev, j->rule->want);
	struct ta_explanation x = {0};

	if (!decide_by(j, o, &v)) {
		o->verdict = v.b ? TA_V_PASS : TA_V_FAIL;
		if (v.b && j->brief)
			return;
		ta_explain(&j->ev, j->rule->want, true, &x);
		set_text(j, &o->because, ta_buf_text(&x.because));
		set_text(j, &o->actual, ta_buf_text(&x.actual));
		set_text(j, &o->wanted, ta_buf_text(&x.wanted));
	}
	if (o->verdict != TA_V_BROKEN)
		judge_evidence(j, o);
	if (o->verdict == TA_V_FAIL)
		judge_fix(j, o, &x);
	else if (o->verdict == TA_V_PASS)
		ta_fix_name(&j->ev, &o->fix);
	ta_explanation_done(&x);
}

static void add_term(struct ta_eval *ev, const struct ta_expr *term, const struct ta_value *v, void *ctx)
{
	struct ta_buf *b = ctx;

	if (b->len)
		ta_buf_adds(b, ", ");
	ta_expr_print(ev, term, b);
	ta_buf_adds(b, " is ");
	ta_value_format(v, b);
}

/* True: `unsupported` decided. */
static bool judge_unsupported(struct judge *j, struct ta_outcome *o)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_value v;

	if (!j->rule->unsupported)
		return false;
	v = ta_eval(&j->ev, j->rule->unsupported);
	if (v.kind == TA_VAL_UNKNOWN && strcmp(v.unknown->reason, ta_reason_name(TA_UNSUPPORTED)) == 0) {
		decide(j, o, TA_V_UNSUPPORTED, v.unknown->reason, v.unknown->detail);
		return true;
	}
	if (decide_by(j, o, &v))
		return true;
	if (!v.b)
		return false;
	ta_expr_terms(&j->ev, j->rule->unsupported, add_term, &b);
	decide(j, o, TA_V_UNSUPPORTED, ta_reason_name(TA_UNSUPPORTED), ta_buf_text(&b));
	return true;
}

/* True: `when` decided. */
static bool judge_when(struct judge *j, struct ta_outcome *o)
{
	struct ta_explanation x = {0};
	struct ta_value v;

	if (!j->rule->when)
		return false;
	v = ta_eval(&j->ev, j->rule->when);
	if (decide_by(j, o, &v))
		return true;
	if (v.b)
		return false;
	ta_explain(&j->ev, j->rule->when, true, &x);
	decide(j, o, TA_V_NA, "not-applicable", ta_buf_text(&x.because));
	ta_explanation_done(&x);
	return true;
}

static void done_outcome(struct ta_outcome *o)
{
	drop_fix(o);
	for (size_t i = 0; i < o->n_evidence; i++)
		free(o->evidence[i]);
	free(o->evidence);
	free(o->subject);
	free(o->reason);
	free(o->detail);
	free(o->actual);
	free(o->wanted);
	free(o->because);
}

static void judge_subject(struct judge *j, const char *subject)
{
	struct ta_outcome *o = new_outcome(j, subject);

	if (!o)
		return;
	if (!judge_when(j, o) && !judge_unsupported(j, o))
		judge_want(j, o);
	/* A broken explanation is a fault of the rule like any other: steps and memory count for it too. */
	if (j->ev.broken_reason && o->verdict != TA_V_BROKEN)
		decide_broken(j, o);
	if (o->verdict == TA_V_BROKEN)
		drop_fix(o);
	if (j->visit && !j->error)
		j->visit(&j->ev, o, j->ctx);
	ta_buf_reset(&j->ev.broken_detail);
	j->ev.broken_reason = NULL;
}

/* --- each ------------------------------------------------------------------------------------------- */

/* How a finding calls the member: its field `subject`, else its key, else its value. */
static void name_subject(struct judge *j, const struct ta_value *member, struct ta_buf *ret)
{
	struct json_object *o = NULL;
	struct ta_safe_text room;

	if (member->kind == TA_VAL_NODE && json_object_object_get_ex(member->o, "subject", &o) &&
		json_object_is_type(o, json_type_string)) {
		j->by_subject = true;
		ta_buf_adds(ret, ta_safe_key(&room, json_object_get_string(o)));
	} else if (member->at && member->at->key) {
		ta_buf_adds(ret, ta_safe_key(&room, member->at->key));
	} else if (member->kind == TA_VAL_STRING) {
		ta_buf_adds(ret, ta_safe_key(&room, member->s));
	} else {
		ta_value_format(member, ret);
	}
}

static void add_single(struct judge *j, const char *subject, enum ta_verdict verdict, const char *reason,
	const char *detail)
{
	struct ta_outcome *o = new_outcome(j, subject);

	if (o)
		decide(j, o, verdict, reason, detail);
}

static void add_empty(struct judge *j, const struct ta_value *over)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	if (over->at)
		ta_step_format(over->at, &b);
	else
		ta_expr_print(&j->ev, j->rule->each, &b);
	ta_buf_adds(&b, " has no members");
	add_single(j, "host", TA_V_NA, "empty", ta_buf_text(&b));
}

static void fold_na(struct judge *j)
{
	struct ta_outcomes *out = j->out;

	if (j->visit || !out->n || out->v[out->n - 1].verdict != TA_V_NA || ++j->n_na <= NA_KEPT)
		return;
	done_outcome(&out->v[--out->n]);
	j->n_folded++;
}

static void add_folded(struct judge *j)
{
	ta_cleanup_buf struct ta_buf subject = TA_BUF_INIT;

	ta_expr_print(&j->ev, j->rule->each, &subject);
	ta_buf_printf(&subject, " (%zu others)", j->n_folded);
	add_single(j, ta_buf_text(&subject), TA_V_NA, "not-applicable", "members like those that it does not apply to");
}

static void judge_members(struct judge *j, struct ta_cursor *c)
{
	struct ta_arena_mark mark = ta_arena_mark(&j->ev.arena);

	while (!j->error && ta_cursor_next(&j->ev, c, &j->ev.vars[0])) {
		ta_cleanup_buf struct ta_buf subject = TA_BUF_INIT;

		if (j->ev.vars[0].kind == TA_VAL_BROKEN || j->ev.arena.error) {
			struct ta_outcome *o = new_outcome(j, "host");

			if (o)
				decide_broken(j, o);
			return;
		}
		name_subject(j, &j->ev.vars[0], &subject);
		judge_subject(j, ta_buf_text(&subject));
		fold_na(j);
		ta_arena_release(&j->ev.arena, mark);
	}
}

/* Does `when` rule out every member, also those that nobody has seen? */
static bool rules_out_all(struct judge *j, const struct ta_unknown *why)
{
	struct ta_value v = {.kind = TA_VAL_UNKNOWN, .unknown = why};

	j->ev.vars[0] = v;
	v = j->rule->when ? ta_eval(&j->ev, j->rule->when) : v;
	return v.kind == TA_VAL_BOOL && !v.b;
}

/* Members that may be missing are one more subject. */
static void judge_others(struct judge *j, const struct ta_unknown *why)
{
	ta_cleanup_buf struct ta_buf subject = TA_BUF_INIT;
	bool na = rules_out_all(j, why);

	ta_expr_print(&j->ev, j->rule->each, &subject);
	ta_buf_adds(&subject, " (others)");
	add_single(j, ta_buf_text(&subject), na ? TA_V_NA : TA_V_UNKNOWN, na ? "not-applicable" : why->reason,
		na ? "`when` is false for every member" : why->detail);
}

static void judge_each(struct judge *j)
{
	struct ta_value over = ta_eval(&j->ev, j->rule->each), why;
	struct ta_cursor c;

	if (!ta_cursor_open(&j->ev, &over, j->rule->each->type, &c, &why)) {
		struct ta_outcome *o = new_outcome(j, "host");

		if (o)
			decide_by(j, o, &why);
		return;
	}
	judge_members(j, &c);
	if (j->n_folded)
		add_folded(j);
	if (c.hole) {
		judge_others(j, c.hole);
	} else if (!j->out->n && !j->error) {
		add_empty(j, &over);
	}
}

/* --- several members of one name ----------------------------------------------------------------------- */

static unsigned badness(enum ta_verdict v)
{
	static const unsigned char order[TA_V_COUNT] = {
		[TA_V_NA] = 0,
		[TA_V_UNSUPPORTED] = 1,
		[TA_V_PASS] = 2,
		[TA_V_UNKNOWN] = 3,
		[TA_V_FAIL] = 4,
		[TA_V_BROKEN] = 5,
	};

	return order[v];
}

/* Sixteen workers of one service are one subject: the worst of them stands for all. */
static void merge_subjects(struct judge *j)
{
	struct ta_names names = {0};
	struct ta_outcomes *out = j->out;
	size_t kept = 0;

	for (size_t i = 0; i < out->n; i++) {
		struct ta_outcome *o = &out->v[i];
		size_t other = (size_t)(uintptr_t)ta_names_get(&names, o->subject);

		if (!other) {
			out->v[kept++] = *o;
			if (!ta_names_put(&names, out->v[kept - 1].subject, (void *)(uintptr_t)kept))
				j->error = -ENOMEM;
			continue;
		}
		if (badness(o->verdict) > badness(out->v[other - 1].verdict)) {
			struct ta_outcome worse = *o;
			char *subject = worse.subject;

			/* The table keeps the text of the first one. */
			worse.subject = out->v[other - 1].subject;
			out->v[other - 1].subject = subject;
			done_outcome(&out->v[other - 1]);
			out->v[other - 1] = worse;
		} else {
			done_outcome(o);
		}
	}
	out->n = kept;
	free(names.slots);
}

void ta_outcomes_done(struct ta_outcomes *o)
{
	for (size_t i = 0; i < o->n; i++)
		done_outcome(&o->v[i]);
	free(o->v);
	*o = (struct ta_outcomes){0};
}

static void note_incomplete(const char *path, struct ta_absence why, void *ctx)
{
	*(bool *)ctx = true;
}

void ta_eval_init(struct ta_eval *ev, const struct ta_rules *rs, const struct ta_rule *r,
	const struct ta_profile *profile, const struct ta_facts *facts)
{
	*ev = (struct ta_eval){
		.rule = r,
		.schema = rs->schema,
		.params = profile ? profile->params : rs->defaults,
		.facts = facts,
		.arena = {.limit = TA_RULE_MEMORY_MAX},
		.steps_left = TA_RULE_STEPS_MAX,
	};
	ta_facts_each_hole(facts, true, note_incomplete, &ev->any_incomplete);
}

void ta_eval_done(struct ta_eval *ev)
{
	ta_arena_done(&ev->arena);
	ta_buf_done(&ev->broken_detail);
}

static int judge_rule(struct judge *j, const struct ta_rules *rs, const struct ta_rule *r,
	const struct ta_profile *profile, const struct ta_facts *facts, struct ta_outcomes *ret)
{
	struct ta_outcomes out = {0};

	j->rule = r;
	j->out = &out;
	ta_eval_init(&j->ev, rs, r, profile, facts);
	if (!rs->schema || r->faulty)
		add_single(j, "host", TA_V_BROKEN, "unchecked", "the rule did not pass the check");
	else if (r->each)
		judge_each(j);
	else
		judge_subject(j, "host");
	if (j->by_subject && !j->visit && !j->error)
		merge_subjects(j);
	ta_eval_done(&j->ev);
	if (j->error) {
		ta_outcomes_done(&out);
		return j->error;
	}
	*ret = out;
	return 0;
}

int ta_judge_rule(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, void (*visit)(struct ta_eval *ev, const struct ta_outcome *o, void *ctx),
	void *ctx, struct ta_outcomes *ret)
{
	struct judge j = {.visit = visit, .ctx = ctx};

	return judge_rule(&j, rs, r, profile, facts, ret);
}

int ta_rule_eval(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, struct ta_outcomes *ret)
{
	struct judge j = {0};

	return judge_rule(&j, rs, r, profile, facts, ret);
}

int ta_rule_eval_brief(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, struct ta_outcomes *ret)
{
	struct judge j = {.brief = true};

	return judge_rule(&j, rs, r, profile, facts, ret);
}
