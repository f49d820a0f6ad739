/*
 * Never lower (law 9): `direction raise` holds here, in the engine, and not in the
 * care of whoever writes a rule. Present values are known for sysctls by their
 * key; for other knobs they are the host's sides of the comparisons in `want`:
 * the one whose path names the parameter, or that of the only number the fix sets.
 *
 * In a vector each element keeps what it has if the new value would move it the
 * wrong way. A fix that would only move things the wrong way is the rule's fault.
 */
#include "rule/guard.h"

#include <json-c/json.h>
#include <string.h>

static enum ta_direction direction_of(const struct ta_rule *r, size_t element)
{
	if (r->n_directions == 1)
		return r->direction[0];
	return element < r->n_directions ? r->direction[element] : TA_DIR_LEAVE;
}

static bool moves_wrong(enum ta_direction d, const struct ta_value *present, const struct ta_value *wanted)
{
	enum ta_order o = ta_value_compare(wanted, present, NULL);

	return (d == TA_DIR_RAISE && o == TA_LESS) || (d == TA_DIR_LOWER && o == TA_GREATER);
}

static bool is_scalar_number(const struct ta_value *v)
{
	return v->kind == TA_VAL_INT || v->kind == TA_VAL_REAL || v->kind == TA_VAL_UNLIMITED;
}

static bool is_list(const struct ta_value *v)
{
	return v->kind == TA_VAL_LIST || v->kind == TA_VAL_ARRAY;
}

static enum ta_fix_state refuse(struct ta_eval *ev, const struct ta_fix_arg_expr *arg, const char *what,
	const struct ta_value *present, const struct ta_value *wanted)
{
	ta_cleanup_buf struct ta_buf from = TA_BUF_INIT, to = TA_BUF_INIT;
	enum ta_order o = ta_value_compare(wanted, present, NULL);

	ta_value_format(present, &from);
	ta_value_format(wanted, &to);
	ta_eval_broken(ev, arg->value, "direction", "the fix would %s %s from %s to %s, against the rule's direction",
		o == TA_LESS ? "lower" : "raise", what, ta_buf_text(&from), ta_buf_text(&to));
	return TA_FIX_BROKEN;
}

/* --- sysctls: by key ------------------------------------------------------------------------ */

static long find_arg(const struct ta_fix_expr *fix, const char *name)
{
	for (size_t i = 0; i < fix->n_args; i++)
		if (strcmp(fix->args[i].name.text, name) == 0)
			return (long)i;
	return -1;
}

/* The present value of sysctl `key`; false if nothing is known of it. */
static bool read_sysctl(struct ta_eval *ev, const struct ta_schema *schema, const char *key, struct ta_value *ret)
{
	const struct ta_schema_node *node = ta_schema_find(schema, TA_KEYS("sysctl", key));
	struct json_object *o = ta_facts_at(ev->facts, TA_KEYS("sysctl", key));

	if (!node || !ta_schema_field(node) || !o)
		return false;
	*ret = ta_eval_read(ev, o, node, NULL);
	return !ta_value_stops(ret);
}

/* Every element by its own direction; *wanted becomes what will stand there. */
static enum ta_fix_state guard_vector(struct ta_eval *ev, const struct ta_fix_arg_expr *arg, const char *key,
	const struct ta_value *present, struct ta_value *wanted)
{
	struct ta_value out = {.kind = TA_VAL_LIST}, was, will;
	size_t n = ta_value_length(wanted), wrong = 0, moved = 0;

	out.list.v = ta_arena_alloc(&ev->arena, (n + 1) * sizeof(*out.list.v));
	for (size_t i = 0; out.list.v && i < n; i++) {
		enum ta_direction d = direction_of(ev->rule, i);

		if (!ta_value_element(wanted, i, &will))
			return TA_FIX_READY;
		if (i < ta_value_length(present) && ta_value_element(present, i, &was)) {
			bool against = moves_wrong(d, &was, &will);

			wrong += against;
			if (against || d == TA_DIR_LEAVE)
				will = was;
			moved += ta_value_compare(&was, &will, NULL) != TA_EQUAL;
		}
		out.list.v[out.list.n++] = will;
	}
	if (wrong && !moved)
		return refuse(ev, arg, key, present, wanted);
	*wanted = out;
	return TA_FIX_READY;
}

static enum ta_fix_state guard_sysctl(struct ta_eval *ev, const struct ta_schema *schema, const char *key,
	struct ta_fix_values *values)
{
	const struct ta_fix_expr *fix = ev->rule->fix;
	long v = find_arg(fix, "value"), i = find_arg(fix, "index");
	struct ta_value present, *wanted;

	if (v < 0 || !read_sysctl(ev, schema, key, &present))
		return TA_FIX_READY;
	wanted = &values->v[v];
	if (is_list(wanted))
		return is_list(&present) ? guard_vector(ev, &fix->args[v], key, &present, wanted) : TA_FIX_READY;
	if (is_list(&present)) {
		const struct ta_value *index = i >= 0 ? &values->v[i] : NULL;

		if (!index || index->kind != TA_VAL_INT || index->i.negative ||
			index->i.mag >= ta_value_length(&present) ||
			!ta_value_element(&present, (size_t)index->i.mag, &present))
			return TA_FIX_READY;
	}
	if (moves_wrong(direction_of(ev->rule, 0), &present, wanted))
		return refuse(ev, &fix->args[v], key, &present, wanted);
	return TA_FIX_READY;
}

/* --- other knobs: by what `want` compares ------------------------------------------------------ */

static bool path_names(const struct ta_expr *path, const char *name)
{
	for (; path; path = path->child)
		if (path->node == TA_N_MEMBER && strcmp(path->text, name) == 0)
			return true;
	return false;
}

/* The host's side in a comparison of `e` whose path names `name`; NULL if there is none. */
static const struct ta_expr *find_subject(const struct ta_expr *e, const char *name)
{
	if (e->node == TA_N_LOOP)
		return NULL;
	for (const struct ta_expr *a = e->child; e->node == TA_N_COMPARE && a->next; a = a->next) {
		const struct ta_expr *subject = ta_expr_has_facts(a) ? a : a->next;

		if (ta_expr_is_path(subject) && path_names(subject, name))
			return subject;
	}
	for (const struct ta_expr *x = e->child; x; x = x->next) {
		const struct ta_expr *found = find_subject(x, name);

		if (found)
			return found;
	}
	return NULL;
}

static enum ta_fix_state guard_knob(struct ta_eval *ev, const struct ta_explanation *x, const struct ta_fix_arg_expr *arg,
	const struct ta_value *wanted, bool only_number)
{
	const struct ta_expr *subject = find_subject(ev->rule->want, arg->name.text);
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_value present;

	if (subject) {
		present = ta_eval(ev, subject);
	} else if (only_number && x->subject && ta_expr_is_path(x->subject)) {
		subject = x->subject;
		present = x->subject_value;
	} else {
		return TA_FIX_READY;
	}
	if (!is_scalar_number(&present) || !moves_wrong(direction_of(ev->rule, 0), &present, wanted))
		return TA_FIX_READY;
	ta_expr_print(ev, subject, &text);
	return refuse(ev, arg, ta_buf_text(&text), &present, wanted);
}

static enum ta_fix_state guard(struct ta_eval *ev, const struct ta_explanation *x, struct ta_fix_values *values)
{
	const struct ta_fix_expr *fix = ev->rule->fix;
	long key = find_arg(fix, "key");
	size_t numbers = 0;

	if (key >= 0 && values->v[key].kind == TA_VAL_STRING)
		return guard_sysctl(ev, ev->schema, values->v[key].s, values);
	for (size_t i = 0; i < fix->n_args; i++)
		numbers += is_scalar_number(&values->v[i]);
	for (size_t i = 0; i < fix->n_args; i++) {
		enum ta_fix_state s;

		if (!is_scalar_number(&values->v[i]))
			continue;
		s = guard_knob(ev, x, &fix->args[i], &values->v[i], numbers == 1);
		if (s != TA_FIX_READY)
			return s;
	}
	return TA_FIX_READY;
}

/* --- arguments ------------------------------------------------------------------------------------ */

static enum ta_fix_state work_out(struct ta_eval *ev, const struct ta_fix_arg_expr *arg, struct ta_value *ret,
	const struct ta_unknown **ret_unknown)
{
	*ret = ta_eval(ev, arg->value);
	if (ret->kind == TA_VAL_BROKEN)
		return TA_FIX_BROKEN;
	if (ret->kind == TA_VAL_UNLIMITED && !ret->special && arg->type == TA_T_INT)
		*ret = ta_eval_unknown(ev, "unlimited", "%s would be unlimited", arg->name.text);
	if (ret->kind == TA_VAL_AUTO && !ret->special)
		*ret = ta_eval_unknown(ev, "automatic", "%s would be auto", arg->name.text);
	if (ret->kind == TA_VAL_UNKNOWN) {
		*ret_unknown = ret->unknown;
		return TA_FIX_UNKNOWN;
	}
	if (arg->type == TA_T_INT && ret->kind == TA_VAL_REAL) {
		ta_eval_broken(ev, arg->value, "type", "%s takes an integer; round with floor() or ceil()",
			arg->name.text);
		return TA_FIX_BROKEN;
	}
	return TA_FIX_READY;
}

enum ta_fix_state ta_fix_work_out(struct ta_eval *ev, const struct ta_explanation *x, struct ta_fix_values *ret,
	const struct ta_unknown **ret_unknown)
{
	const struct ta_fix_expr *fix = ev->rule->fix;

	for (size_t i = 0; i < fix->n_args; i++) {
		enum ta_fix_state s = work_out(ev, &fix->args[i], &ret->v[i], ret_unknown);

		if (s != TA_FIX_READY)
			return s;
	}
	return guard(ev, x, ret);
}

void ta_fix_name(struct ta_eval *ev, struct ta_fix_call *ret)
{
	const struct ta_fix_expr *fix = ev->rule->fix;

	for (size_t i = 0; fix && i < fix->n_args; i++) {
		const struct ta_expr *e = fix->args[i].value;
		struct ta_value v = {.kind = TA_VAL_UNKNOWN};

		if (fix->args[i].type == TA_T_STRING && (e->node == TA_N_STRING || e->node == TA_N_KEY || e->node == TA_N_MEMBER))
			v = ta_eval(ev, e);
		ret->args[i].name = fix->args[i].name.text;
		ret->args[i].value = v.kind == TA_VAL_STRING ? ta_value_json(&v) : NULL;
		ret->n_args++;
	}
	ret->fixer = fix ? fix->name.text : NULL;
}
