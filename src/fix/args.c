/*
 * Arguments of a fix, strictly: they come from rule files and facts, both of which may be someone else's.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "fix/describe.h"

struct json_object *ta_fix_arg(const struct ta_fix_call *call, const char *name)
{
	for (size_t i = 0; i < call->n_args; i++)
		if (!strcmp(call->args[i].name, name))
			return call->args[i].value;
	return NULL;
}

int ta_fix_json_i64(struct json_object *v, int64_t *ret)
{
	double d;

	if (json_object_is_type(v, json_type_int)) {
		/* json-c clamps what does not fit into int64 */
		if (json_object_get_uint64(v) > INT64_MAX)
			return -ERANGE;
		*ret = json_object_get_int64(v);
		return 0;
	}
	if (!json_object_is_type(v, json_type_double))
		return -EINVAL;
	d = ceil(json_object_get_double(v));
	if (!(d >= -0x1p62 && d <= 0x1p62))
		return -ERANGE;
	*ret = (int64_t)d;
	return 0;
}

int ta_fix_arg_i64_opt(const struct ta_fix_call *call, const char *name, int64_t min, int64_t max, int64_t *ret,
	struct ta_err *err)
{
	struct json_object *v = ta_fix_arg(call, name);
	int64_t n;

	if (!v)
		return 0;
	if (ta_fix_json_i64(v, &n) < 0)
		return ta_err_set(err, -EINVAL, "%s: %s is not a number", call->fixer, name);
	if (n < min || n > max)
		return ta_err_set(err, -EINVAL, "%s: %s = %lld is outside %lld … %lld", call->fixer, name, (long long)n,
			(long long)min, (long long)max);
	*ret = n;
	return 0;
}

int ta_fix_arg_i64(const struct ta_fix_call *call, const char *name, int64_t min, int64_t max, int64_t *ret,
	struct ta_err *err)
{
	if (!ta_fix_arg(call, name))
		return ta_err_set(err, -EINVAL, "%s: %s is missing", call->fixer, name);
	return ta_fix_arg_i64_opt(call, name, min, max, ret, err);
}

int ta_fix_arg_str(const struct ta_fix_call *call, const char *name, const char **ret, struct ta_err *err)
{
	struct json_object *v = ta_fix_arg(call, name);

	if (!json_object_is_type(v, json_type_string))
		return ta_err_set(err, -EINVAL, "%s: %s is missing or no text", call->fixer, name);
	*ret = json_object_get_string(v);
	return 0;
}

static bool is_name(const char *s)
{
	if (!*s || !strcmp(s, ".") || !strcmp(s, ".."))
		return false;
	for (; *s; s++)
		if (*s == '/' || (unsigned char)*s <= ' ' || *s == 0x7f)
			return false;
	return true;
}

int ta_fix_arg_name(const struct ta_fix_call *call, const char *name, const char **ret, struct ta_err *err)
{
	const char *s;
	int rc = ta_fix_arg_str(call, name, &s, err);

	if (rc < 0)
		return rc;
	if (!is_name(s))
		return ta_err_set(err, -EINVAL, "%s: '%s' can be no %s", call->fixer, s, name);
	*ret = s;
	return 0;
}
