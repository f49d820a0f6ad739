/*
 * A saved plan. It may have been edited, be of another host, or be no plan at all: it is held against its own sum and against
 * the tables here, against the host by apply.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/jsonstrict.h"
#include "fix/ownfile.h"
#include "fix/plan.h"

#define SCHEMA "tuneaudit.plan/"
#define ACTIONS_MAX 20000

static int bad(struct ta_err *err, const char *what)
{
	return ta_err_set(err, -EBADMSG, "%s", what);
}

static int get(struct json_object *o, const char *key, bool needed, const char **ret, struct ta_err *err)
{
	struct json_object *v;

	*ret = NULL;
	if (!json_object_object_get_ex(o, key, &v) || !v)
		return needed ? ta_err_set(err, -EBADMSG, "there is no \"%s\" in it", key) : 0;
	if (!json_object_is_type(v, json_type_string) ||
		strlen(json_object_get_string(v)) != (size_t)json_object_get_string_len(v))
		return ta_err_set(err, -EBADMSG, "its \"%s\" is no text", key);
	*ret = json_object_get_string(v);
	return 0;
}

static int copy(struct json_object *o, const char *key, bool needed, char **slot, struct ta_err *err)
{
	const char *text;
	int rc = get(o, key, needed, &text, err);

	if (rc < 0 || !text)
		return rc;
	*slot = strdup(text);
	return *slot ? 0 : -ENOMEM;
}

static bool get_bool(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_object_get_ex(o, key, &v) && json_object_is_type(v, json_type_boolean) &&
	       json_object_get_boolean(v);
}

static int get_texts(struct json_object *o, const char *key, struct ta_strv *ret, struct ta_err *err)
{
	struct json_object *list;

	if (!json_object_object_get_ex(o, key, &list) || !json_object_is_type(list, json_type_array))
		return ta_err_set(err, -EBADMSG, "its \"%s\" are no list", key);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		if (!json_object_is_type(v, json_type_string))
			return ta_err_set(err, -EBADMSG, "its \"%s\" are no texts", key);
		ta_strv_add(ret, json_object_get_string(v));
	}
	return ret->error;
}

static int get_disruption(struct json_object *o, enum ta_disruption *ret, struct ta_err *err)
{
	const char *name;
	int rc = get(o, "disruption", true, &name, err);

	for (enum ta_disruption d = TA_DISRUPT_NONE; rc == 0 && d <= TA_DISRUPT_REBOOT; d++) {
		if (!strcmp(name, ta_disruption_name(d))) {
			*ret = d;
			return 0;
		}
	}
	return rc < 0 ? rc : bad(err, "a \"disruption\" in it is not known");
}

static int read_step(struct json_object *o, struct ta_step *s, struct ta_err *err)
{
	const char *knob;
	int rc = get(o, "knob", true, &knob, err) ?: copy(o, "target", true, &s->target, err) ?:
		copy(o, "before", true, &s->before, err) ?: copy(o, "after", true, &s->after, err) ?:
		copy(o, "device", false, &s->device, err);

	if (rc == 0)
		rc = ta_knob_check(knob, s->target, s->before, TA_VALUE_FOUND, err);
	if (rc == 0)
		rc = ta_knob_check(knob, s->target, s->after, TA_VALUE_WISHED, err);
	if (rc < 0)
		return rc == -ENOMEM ? rc : -EBADMSG;
	s->knob = ta_knob_find(knob);
	return 0;
}

static int read_action(struct ta_plan *p, struct json_object *o, struct ta_err *err)
{
	struct ta_action *a = &p->actions[p->n_actions++];
	struct json_object *persist;
	int rc = read_step(o, &a->step, err);

	if (rc == 0)
		rc = get_texts(o, "rules", &a->rules, err) ?: copy(o, "fixer", true, &a->fixer, err) ?:
			copy(o, "why", false, &a->why, err) ?: copy(o, "subject", false, &a->subject, err) ?:
			copy(o, "command", true, &a->command, err) ?: get_texts(o, "owners", &a->owners, err) ?:
			get_disruption(o, &a->disruption, err);
	if (rc == 0 && json_object_object_get_ex(o, "persist", &persist) && persist)
		rc = copy(persist, "file", true, &a->persist_file, err) ?:
			copy(persist, "text", true, &a->persist_text, err);
	if (rc == 0)
		rc = copy(o, "not_kept", false, &a->not_kept, err);
	if (rc == 0 && a->persist_file && ta_own_check_lines(a->persist_file, a->persist_text, TA_VALUE_WISHED, err) < 0)
		rc = -EBADMSG;
	if (rc == 0 && !a->rules.n)
		rc = bad(err, "an action in it has no rule");
	a->workload = get_bool(o, "workload");
	a->management = get_bool(o, "management");
	a->trusted = true;
	return rc;
}

static int read_actions(struct ta_plan *p, struct json_object *doc, struct ta_err *err)
{
	struct json_object *list;
	size_t n;
	int rc = 0;

	if (!json_object_object_get_ex(doc, "actions", &list) || !json_object_is_type(list, json_type_array))
		return bad(err, "there are no \"actions\" in it");
	n = json_object_array_length(list);
	if (n > ACTIONS_MAX)
		return bad(err, "there are too many \"actions\" in it");
	p->actions = calloc(n + 1, sizeof(*p->actions));
	if (!p->actions)
		return -ENOMEM;
	for (size_t i = 0; i < n && rc == 0; i++)
		rc = read_action(p, json_object_array_get_idx(list, i), err);
	return rc;
}

static int read_where(struct ta_plan *p, struct json_object *doc, struct ta_err *err)
{
	struct json_object *o;

	if (!json_object_object_get_ex(doc, "host", &o))
		return bad(err, "it does not say of which \"host\" it is");
	return copy(o, "name", true, &p->where.host, err) ?: copy(o, "machine", true, &p->where.machine, err) ?:
		copy(o, "boot", true, &p->where.boot, err) ?: copy(o, "netns", true, &p->where.netns, err) ?:
		copy(o, "kernel", true, &p->where.kernel, err);
}

static int read_document(struct ta_plan *p, struct json_object *doc, const char *text, size_t len, struct ta_err *err)
{
	const char *schema;
	int rc = get(doc, "schema", true, &schema, err);

	if (rc < 0)
		return rc;
	if (strcmp(schema, SCHEMA "1") != 0)
		return ta_err_set(err, !strncmp(schema, SCHEMA, strlen(SCHEMA)) ? -EPROTO : -EBADMSG,
			"it is of the kind %.40s, which this version does not know", schema);
	rc = copy(doc, "profile", true, &p->profile, err) ?: read_where(p, doc, err) ?: read_actions(p, doc, err);
	/* Of the text and not of what was understood of it: unknown keys and second ones are edits too. */
	if (rc == 0 && !ta_sum_is_right(text, len))
		rc = bad(err, "it was edited after it was made, or written anew by another program: make a new one");
	return rc;
}

int ta_plan_parse(const char *text, size_t len, struct ta_plan *ret, struct ta_err *err)
{
	struct json_tokener *tok = json_tokener_new();
	struct ta_plan plan = {0};
	struct json_object *doc;
	int rc;

	if (!tok)
		return ta_err_set(err, -ENOMEM, "out of memory");
	len -= len && text[len - 1] == '\n';
	json_tokener_set_flags(tok, ta_json_strict(text, len));
	doc = json_tokener_parse_ex(tok, text, (int)TA_MIN(len, (size_t)INT32_MAX));
	if (json_tokener_get_error(tok) != json_tokener_success || !json_object_is_type(doc, json_type_object))
		rc = bad(err, "it is no whole JSON document");
	else
		rc = read_document(&plan, doc, text, len, err);
	json_object_put(doc);
	json_tokener_free(tok);
	if (rc < 0)
		ta_plan_done(&plan);
	else
		*ret = plan;
	return rc;
}
