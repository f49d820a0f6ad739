/*
 * Reads a baseline that somebody may have cut, edited or merged wrongly. What is not understood is an error with its place; a
 * key that stands twice is one too, since JSON readers take the last and reviewers see the first.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/flat.h"
#include "facts/text.h"

#define TEXT_MAX 4096 /* of names in the header, rules and subjects */
#define FACTS_MAX 200000
#define VERDICTS_MAX 50000u

/* Members of objects as the text has them: colons outside of strings. */
static size_t count_text(const char *text, size_t len)
{
	bool inside = false;
	size_t n = 0;

	for (size_t i = 0; i < len; i++) {
		if (inside && text[i] == '\\')
			i++;
		else if (text[i] == '"')
			inside = !inside;
		else if (!inside && text[i] == ':')
			n++;
	}
	return n;
}

/* … and as the reader has them. As deep as ta_json_parse() lets it be. */
static size_t count_members(struct json_object *v)
{
	size_t n = 0;

	if (json_object_is_type(v, json_type_object)) {
		json_object_object_foreach(v, key, child)
		{
			n += 1 + count_members(child);
			(void)key;
		}
	} else if (json_object_is_type(v, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(v); i++)
			n += count_members(json_object_array_get_idx(v, i));
	}
	return n;
}

static int shown(const char *text)
{
	return (int)TA_MIN(strlen(text), (size_t)80);
}

/* A text of the object, which must be there; NULL where `may_lack` and it is null or not there. */
static int get_text(struct json_object *doc, const char *key, bool may_lack, char **ret, struct ta_err *err)
{
	struct json_object *v = NULL;

	json_object_object_get_ex(doc, key, &v);
	if (!v && may_lack)
		return 0;
	if (!json_object_is_type(v, json_type_string))
		return ta_err_set(err, -EBADMSG, "\"%s\" is no text", key);
	if (json_object_get_string_len(v) > TEXT_MAX ||
		strlen(json_object_get_string(v)) != (size_t)json_object_get_string_len(v))
		return ta_err_set(err, -EBADMSG, "\"%s\" is too long, or holds a byte 0", key);
	*ret = strdup(json_object_get_string(v));
	return *ret ? 0 : ta_err_set(err, -ENOMEM, "out of memory");
}

static bool is_path(const char *text)
{
	size_t ends[TA_PATH_DEPTH_MAX], n = ta_path_ends(text, ends, TA_ARRAY_SIZE(ends));

	return n && !text[ends[n - 1]] && !strchr(text, '*');
}

static bool is_scalar(struct json_object *v)
{
	enum json_type t = json_object_get_type(v);

	return t == json_type_boolean || t == json_type_int || t == json_type_double || t == json_type_string;
}

static bool is_value(struct json_object *v)
{
	if (!json_object_is_type(v, json_type_array))
		return is_scalar(v);
	for (size_t i = 0; i < json_object_array_length(v); i++)
		if (!is_scalar(json_object_array_get_idx(v, i)))
			return false;
	return true;
}

/* The object or array under this key. */
static int get_part(struct json_object *doc, const char *key, enum json_type type, struct json_object **ret, struct ta_err *err)
{
	if (!json_object_object_get_ex(doc, key, ret) || !json_object_is_type(*ret, type))
		return ta_err_set(err, -EBADMSG, "\"%s\" is no %s", key, type == json_type_array ? "list" : "object");
	return 0;
}

static int parse_facts(struct json_object *doc, struct ta_flat *w, struct ta_err *err)
{
	struct json_object *facts, *absent;
	enum ta_reason reason;
	int rc = get_part(doc, "facts", json_type_object, &facts, err);

	if (rc == 0)
		rc = get_part(doc, "absent", json_type_object, &absent, err);
	if (rc < 0)
		return rc;
	if (json_object_object_length(facts) > FACTS_MAX || json_object_object_length(absent) > FACTS_MAX)
		return ta_err_set(err, -EFBIG, "more than %d facts", FACTS_MAX);
	json_object_object_foreach(facts, path, value)
	{
		if (!is_path(path))
			return ta_err_set(err, -EBADMSG, "facts: '%.*s' is no path", shown(path), path);
		if (!is_value(value))
			return ta_err_set(err, -EBADMSG, "facts: the value of %.*s is neither a value nor a list of them",
				shown(path), path);
		ta_flat_add(w, path, value, TA_MISSING);
	}
	json_object_object_foreach(absent, hole, why)
	{
		if (!is_path(hole))
			return ta_err_set(err, -EBADMSG, "absent: '%.*s' is no path", shown(hole), hole);
		if (!json_object_is_type(why, json_type_string) || ta_reason_parse(json_object_get_string(why), &reason) < 0)
			return ta_err_set(err, -EBADMSG, "absent: %.*s has none of the known reasons", shown(hole), hole);
		ta_flat_add(w, hole, NULL, reason);
	}
	ta_flat_sort(w);
	return w->error ? ta_err_set(err, w->error, "out of memory") : 0;
}

static int parse_incomplete(struct json_object *doc, struct ta_baseline *ret, struct ta_err *err)
{
	struct json_object *list;
	int rc = get_part(doc, "incomplete", json_type_array, &list, err);

	for (size_t i = 0; rc == 0 && i < json_object_array_length(list); i++) {
		struct json_object *v = json_object_array_get_idx(list, i);

		if (!json_object_is_type(v, json_type_string) || !is_path(json_object_get_string(v)))
			return ta_err_set(err, -EBADMSG, "incomplete: its element %zu is no path", i + 1);
		ta_strv_add(&ret->incomplete, json_object_get_string(v));
	}
	ta_strv_sort(&ret->incomplete);
	return rc ? rc : ret->incomplete.error;
}

static int parse_verdict(struct json_object *o, size_t number, struct ta_baseline_verdict *ret, struct ta_err *err)
{
	char *name = NULL;
	int v = 0, rc;

	if (!json_object_is_type(o, json_type_object))
		return ta_err_set(err, -EBADMSG, "findings: its element %zu is no object", number);
	rc = get_text(o, "rule", false, &ret->rule, err);
	if (rc == 0)
		rc = get_text(o, "subject", false, &ret->subject, err);
	if (rc == 0)
		rc = get_text(o, "verdict", false, &name, err);
	if (rc < 0)
		return ta_err_prefix(err, rc, "findings: in its element %zu", number);
	while (v < TA_V_COUNT && strcmp(ta_verdict_name((enum ta_verdict)v), name) != 0)
		v++;
	if (v == TA_V_COUNT)
		rc = ta_err_set(err, -EBADMSG, "findings: '%.*s' of element %zu is no verdict", shown(name), name, number);
	ret->verdict = (enum ta_verdict)v;
	free(name);
	return rc;
}

static int parse_verdicts(struct json_object *doc, struct ta_baseline *ret, struct ta_err *err)
{
	struct json_object *list;
	int rc = get_part(doc, "findings", json_type_array, &list, err);
	size_t n = rc == 0 ? json_object_array_length(list) : 0;

	if (n > VERDICTS_MAX)
		return ta_err_set(err, -EFBIG, "more than %u findings", VERDICTS_MAX);
	if (rc == 0)
		ret->verdicts = calloc(n + 1, sizeof(*ret->verdicts));
	if (rc == 0 && !ret->verdicts)
		return ta_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = parse_verdict(json_object_array_get_idx(list, i), i + 1, &ret->verdicts[ret->n_verdicts++], err);
	if (rc == 0)
		ta_baseline_sort_verdicts(ret);
	return rc;
}

static int parse_header(struct json_object *doc, struct ta_baseline *ret, struct ta_err *err)
{
	struct json_object *schema = NULL, *fingerprint = NULL;
	const char *is;
	int rc;

	json_object_object_get_ex(doc, "schema", &schema);
	is = json_object_is_type(schema, json_type_string) ? json_object_get_string(schema) : "";
	if (strncmp(is, "tuneaudit.baseline/", 19) != 0)
		return ta_err_set(err, -EBADMSG, "this is no baseline ('tuneaudit baseline save FILE' makes one)%s%.*s",
			*is ? "; its schema is " : "", shown(is), is);
	if (strcmp(is, TA_BASELINE_SCHEMA) != 0)
		return ta_err_set(err, -EBADMSG, "its schema is %.*s, and this version reads " TA_BASELINE_SCHEMA, shown(is), is);
	rc = get_text(doc, "tool", false, &ret->tool, err);
	if (rc == 0)
		rc = get_text(doc, "rules", false, &ret->rules, err);
	if (rc == 0)
		rc = get_text(doc, "profile", false, &ret->profile, err);
	if (rc == 0)
		rc = get_text(doc, "host", true, &ret->host, err);
	if (rc == 0)
		rc = get_part(doc, "fingerprint", json_type_object, &fingerprint, err);
	if (rc == 0)
		ret->fingerprint = json_object_get(fingerprint);
	return rc;
}

static int parse_doc(struct json_object *doc, const char *text, size_t len, struct ta_baseline *ret, struct ta_err *err)
{
	struct ta_flat flat = {0};
	int rc;

	if (!json_object_is_type(doc, json_type_object))
		return ta_err_set(err, -EBADMSG, "this is no baseline ('tuneaudit baseline save FILE' makes one)");
	if (count_text(text, len) != count_members(doc))
		return ta_err_set(err, -EBADMSG, "a key stands twice in it, as after a merge that kept both sides");
	rc = parse_header(doc, ret, err);
	if (rc == 0)
		rc = parse_facts(doc, &flat, err);
	ret->facts = flat.v;
	ret->n_facts = flat.n;
	if (rc == 0)
		rc = parse_incomplete(doc, ret, err);
	return rc ? rc : parse_verdicts(doc, ret, err);
}

int ta_baseline_parse(const char *text, size_t len, struct ta_baseline *ret, struct ta_err *err)
{
	struct json_object *doc = NULL;
	int rc;

	*ret = (struct ta_baseline){0};
	if (len > TA_BASELINE_MAX)
		return ta_err_set(err, -EFBIG, "larger than %u MiB", TA_BASELINE_MAX >> 20);
	rc = ta_json_parse(text, len, &doc, err);
	if (rc < 0)
		return rc;
	rc = parse_doc(doc, text, len, ret, err);
	json_object_put(doc);
	return rc;
}
