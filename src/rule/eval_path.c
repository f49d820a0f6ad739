/*
 * From names to facts. A path goes on below what is not there, so that the
 * reason asked for is that of the whole path and not of its first hole.
 */
#include <json-c/json.h>
#include <string.h>

#include "rule/eval.h"

void ta_step_format(const struct ta_path_step *at, struct ta_buf *b)
{
	if (at->up)
		ta_step_format(at->up, b);
	if (at->key)
		ta_path_add(b, at->key);
	else
		ta_buf_printf(b, "[%llu]", (unsigned long long)at->index);
}

static const struct ta_path_step *step_into(struct ta_eval *ev, const struct ta_path_step *up, const char *key)
{
	struct ta_path_step *s = ta_arena_new(&ev->arena, struct ta_path_step);

	if (s)
		*s = (struct ta_path_step){.up = up, .key = key};
	return s;
}

/* The reason of the nearest collection above that may miss members. */
static bool incomplete_above(struct ta_eval *ev, const struct ta_path_step *at, struct ta_absence *ret)
{
	for (at = at->up; ev->any_incomplete && at; at = at->up) {
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

		ta_step_format(at, &path);
		if (ta_facts_incomplete(ev->facts, ta_buf_text(&path), ret))
			return true;
	}
	return false;
}

struct ta_value ta_eval_absent(struct ta_eval *ev, const struct ta_path_step *at)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	struct ta_absence why;

	if (!at)
		return ta_eval_unknown(ev, "missing", "no value");
	ta_step_format(at, &path);
	why = ta_facts_absence(ev->facts, ta_buf_text(&path));
	if (why.reason == TA_MISSING && !*why.detail)
		incomplete_above(ev, at, &why);
	if (!*why.detail)
		return ta_eval_unknown(ev, ta_reason_name(why.reason), "no value for %s", ta_buf_text(&path));
	return ta_eval_unknown(ev, ta_reason_name(why.reason), "%s: %s", ta_buf_text(&path), why.detail);
}

static struct ta_value malformed(struct ta_eval *ev, const struct ta_path_step *at)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	if (at)
		ta_step_format(at, &path);
	return ta_eval_unknown(ev, "malformed", "%s has another type than declared", ta_buf_text(&path));
}

struct ta_value ta_eval_read(struct ta_eval *ev, struct json_object *o, const struct ta_schema_node *node,
	const struct ta_path_step *at)
{
	const struct ta_field *field = ta_schema_field(node);
	struct ta_value v = {.kind = TA_VAL_NODE, .o = o, .at = at};

	if (!field)
		return !o || json_object_is_type(o, json_type_object) ? v : malformed(ev, at);
	if (!o)
		return ta_eval_absent(ev, at);
	if (!ta_value_read(o, field, &v))
		return malformed(ev, at);
	v.at = at;
	return v;
}

static struct ta_value member_of(struct ta_eval *ev, const struct ta_value *v, const char *key,
	const struct ta_schema_node *node)
{
	struct json_object *child = NULL;

	if (ta_value_stops(v))
		return *v;
	if (!ta_eval_charge(ev, strlen(key) / 256))
		return (struct ta_value){.kind = TA_VAL_BROKEN};
	if (v->o)
		json_object_object_get_ex(v->o, key, &child);
	return ta_eval_read(ev, child, node, step_into(ev, v->at, key));
}

/* An index as the key of a collection; NULL: *ret_why tells. */
static const char *key_text(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *index,
	struct ta_value *ret_why)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	switch (index->kind) {
	case TA_VAL_UNKNOWN:
	case TA_VAL_BROKEN:
		*ret_why = *index;
		return NULL;
	case TA_VAL_STRING:
		return index->s;
	case TA_VAL_INT:
		ta_value_format(index, &b);
		return ta_arena_strndup(&ev->arena, ta_buf_text(&b), b.len);
	case TA_VAL_REAL:
		*ret_why = ta_eval_broken(ev, e, "type", "a key is a string or an integer");
		return NULL;
	default:
		*ret_why = ta_eval_unknown(ev, "missing", "there is no member \"unlimited\" or \"auto\"");
		return NULL;
	}
}

static struct ta_value element_of(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *list,
	const struct ta_value *index)
{
	size_t n = ta_value_length(list);
	struct ta_path_step *s;
	struct ta_value v;

	if (index->kind == TA_VAL_REAL || index->kind == TA_VAL_STRING)
		return ta_eval_broken(ev, e, "type", "a list is indexed by an integer");
	if (index->kind != TA_VAL_INT || index->i.negative || index->i.mag >= n) {
		ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, number = TA_BUF_INIT;

		if (list->at)
			ta_step_format(list->at, &path);
		ta_value_format(index, &number);
		return ta_eval_unknown(ev, "missing", "%s has %zu element%s, none with number %s",
			path.len ? ta_buf_text(&path) : "the list", n, n == 1 ? "" : "s", ta_buf_text(&number));
	}
	if (!ta_value_element(list, (size_t)index->i.mag, &v))
		return malformed(ev, list->at);
	s = ta_arena_new(&ev->arena, struct ta_path_step);
	if (s && list->at) {
		*s = (struct ta_path_step){.up = list->at, .index = index->i.mag};
		v.at = s;
	}
	return v;
}

/* One step of a path from one value. */
static struct ta_value step_from(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *v,
	const struct ta_value *index)
{
	struct ta_value why = {0};
	const char *key;

	if (ta_value_stops(v))
		return *v;
	if (e->node == TA_N_MEMBER)
		return member_of(ev, v, e->text, e->type.node);
	if (e->node == TA_N_KEY)
		return (struct ta_value){.kind = TA_VAL_STRING, .s = v->at && v->at->key ? v->at->key : ""};
	if (v->kind != TA_VAL_NODE)
		return ta_value_stops(index) ? *index : element_of(ev, e, v, index);
	key = key_text(ev, e, index, &why);
	return key ? member_of(ev, v, key, e->type.node) : why;
}

/* The step from every value of a list that [*] made. */
static struct ta_value step_from_many(struct ta_eval *ev, const struct ta_expr *e, const struct ta_value *many,
	const struct ta_value *index)
{
	struct ta_value out = {.kind = TA_VAL_LIST, .many = true, .hole = many->hole};

	out.list.v = ta_arena_alloc(&ev->arena, (many->list.n + 1) * sizeof(*out.list.v));
	for (size_t i = 0; out.list.v && i < many->list.n; i++) {
		struct ta_value v = step_from(ev, e, &many->list.v[i], index);

		if (v.kind == TA_VAL_BROKEN)
			return v;
		out.list.v[out.list.n++] = v;
	}
	return out;
}

struct ta_value ta_eval_path(struct ta_eval *ev, const struct ta_expr *e)
{
	struct ta_value v, index = {0};

	if (e->node == TA_N_FACT) {
		struct ta_value root = {.kind = TA_VAL_NODE, .o = ta_facts_root(ev->facts)};

		return member_of(ev, &root, e->text, e->type.node);
	}
	v = ta_eval(ev, e->child);
	if (e->node == TA_N_INDEX)
		index = ta_eval(ev, e->child->next);
	if (v.kind == TA_VAL_BROKEN || index.kind == TA_VAL_BROKEN)
		return (struct ta_value){.kind = TA_VAL_BROKEN};
	return v.many ? step_from_many(ev, e, &v, &index) : step_from(ev, e, &v, &index);
}
