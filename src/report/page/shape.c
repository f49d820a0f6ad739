#include "report/page/shape.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "facts/facts.h"

#define MAX_ELEMENTS 200000

static unsigned kind_of(struct json_object *v)
{
	switch (json_object_get_type(v)) {
	case json_type_null: return SHAPE_NULL;
	case json_type_boolean: return SHAPE_BOOL;
	case json_type_double: return isfinite(json_object_get_double(v)) ? SHAPE_NUMBER : 0;
	case json_type_int: return SHAPE_INT | SHAPE_NUMBER;
	case json_type_object: return SHAPE_OBJECT;
	case json_type_array: return SHAPE_LIST;
	/* A NUL in the middle would end the text for everybody else. */
	case json_type_string:
		return strlen(json_object_get_string(v)) == (size_t)json_object_get_string_len(v) ? SHAPE_TEXT : 0;
	}
	return 0;
}

static int check_members(struct json_object *o, const struct shape *members, struct ta_buf *path, struct ta_err *err);

static int check_value(struct json_object *v, const struct shape *s, struct ta_buf *path, struct ta_err *err)
{
	size_t len = path->len;

	if (!(kind_of(v) & s->what))
		return ta_err_set(err, -EBADMSG, "%s is not what it should be", path->len ? ta_buf_text(path) : "the document");
	if (!s->members || json_object_is_type(v, json_type_null))
		return 0;
	if (json_object_is_type(v, json_type_object))
		return check_members(v, s->members, path, err);
	if (!json_object_is_type(v, json_type_array))
		return 0;
	if (json_object_array_length(v) > MAX_ELEMENTS)
		return ta_err_set(err, -EBADMSG, "%s has more than %d elements", ta_buf_text(path), MAX_ELEMENTS);
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		int rc;

		ta_buf_printf(path, "[%zu]", i);
		rc = check_value(json_object_array_get_idx(v, i), s->members, path, err);
		path->len = len;
		path->data[len] = '\0';
		if (rc < 0)
			return rc;
	}
	return 0;
}

static int check_one(struct json_object *v, const struct shape *s, const char *key, struct ta_buf *path, struct ta_err *err)
{
	size_t len = path->len;
	int rc;

	ta_path_add(path, key);
	if (path->error)
		return path->error;
	rc = check_value(v, s, path, err);
	path->len = len;
	path->data[len] = '\0';
	return rc;
}

static int check_members(struct json_object *o, const struct shape *members, struct ta_buf *path, struct ta_err *err)
{
	for (const struct shape *s = members; s->key; s++) {
		struct json_object *v;
		int rc = 0;

		if (strcmp(s->key, "*") == 0) {
			json_object_object_foreach (o, key, each)
				if (rc == 0)
					rc = check_one(each, s, key, path, err);
		} else if (json_object_object_get_ex(o, s->key, &v)) {
			rc = check_one(v, s, s->key, path, err);
		} else if (!(s->what & SHAPE_OPTIONAL)) {
			return ta_err_set(err, -EBADMSG, "there is no \"%s\"%s%s", s->key, path->len ? " in " : "", ta_buf_text(path));
		}
		if (rc < 0)
			return rc;
	}
	return 0;
}

int shape_check(struct json_object *o, const struct shape *members, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;

	if (!json_object_is_type(o, json_type_object))
		return ta_err_set(err, -EBADMSG, "it is no JSON object");
	return check_members(o, members, &path, err);
}

struct json_object *shape_at(struct json_object *o, const char *key)
{
	struct json_object *v;

	return json_object_is_type(o, json_type_object) && json_object_object_get_ex(o, key, &v) ? v : NULL;
}

const char *shape_text(struct json_object *o, const char *key)
{
	struct json_object *v = shape_at(o, key);

	return json_object_is_type(v, json_type_string) ? json_object_get_string(v) : NULL;
}

int64_t shape_int(struct json_object *o, const char *key, int64_t unset)
{
	struct json_object *v = shape_at(o, key);

	return json_object_is_type(v, json_type_int) ? json_object_get_int64(v) : unset;
}

double shape_number(struct json_object *o, const char *key, double unset)
{
	struct json_object *v = shape_at(o, key);

	return kind_of(v) & SHAPE_NUMBER ? json_object_get_double(v) : unset;
}

int shape_bool(struct json_object *o, const char *key)
{
	struct json_object *v = shape_at(o, key);

	return json_object_is_type(v, json_type_boolean) ? json_object_get_boolean(v) : -1;
}

size_t shape_count(struct json_object *list)
{
	return json_object_is_type(list, json_type_array) ? json_object_array_length(list) : 0;
}
