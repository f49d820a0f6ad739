/*
 * Values compare by what they mean: a number that stands for "unlimited" is the word, CPU lists are sets, and what the row
 * gives a tolerance may differ by it.
 */
#include "baseline/compare.h"

#include <json-c/json.h>
#include <string.h>

#include "base/cpuset.h"

static enum ta_meaning meaning_of(struct json_object *v, const struct ta_field *field)
{
	if (json_object_is_type(v, json_type_string) && field->flags & TA_F_UNLIMITED &&
		strcmp(json_object_get_string(v), "unlimited") == 0)
		return TA_MEANS_UNLIMITED;
	for (size_t i = 0; json_object_is_type(v, json_type_int) && i < TA_ARRAY_SIZE(field->special); i++)
		if (field->special[i].meaning != TA_MEANS_NUMBER && field->special[i].value == json_object_get_int64(v))
			return field->special[i].meaning;
	return TA_MEANS_NUMBER;
}

static bool is_number(struct json_object *v)
{
	return json_object_is_type(v, json_type_int) || json_object_is_type(v, json_type_double);
}

static bool within(struct json_object *a, struct json_object *b, unsigned percent)
{
	double x = json_object_get_double(a), y = json_object_get_double(b);
	double off = x > y ? x - y : y - x, most = TA_MAX(x < 0 ? -x : x, y < 0 ? -y : y);

	return off * 100 <= most * percent;
}

static bool same_one(struct json_object *a, struct json_object *b, const struct ta_field *field)
{
	enum ta_meaning means = meaning_of(a, field);
	unsigned percent = TA_F_WITHIN_PERCENT(field->flags);

	if (means != meaning_of(b, field))
		return false;
	if (means != TA_MEANS_NUMBER)
		return true;
	if (percent && is_number(a) && is_number(b))
		return within(a, b, percent);
	return json_object_equal(a, b);
}

/* The numbers of a list as a set; false: it is none. */
static bool get_set(struct json_object *v, struct ta_cpuset *ret)
{
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		struct json_object *one = json_object_array_get_idx(v, i);
		int64_t cpu = json_object_get_int64(one);

		if (!json_object_is_type(one, json_type_int) || cpu < 0 || cpu >= TA_CPU_LIMIT ||
			ta_cpuset_add(ret, (unsigned)cpu) < 0)
			return false;
	}
	return true;
}

bool ta_value_same(struct json_object *a, struct json_object *b, const struct ta_field *field)
{
	ta_cleanup_cpuset struct ta_cpuset x = TA_CPUSET_INIT, y = TA_CPUSET_INIT;

	if (!json_object_is_type(a, json_type_array) || !json_object_is_type(b, json_type_array))
		return same_one(a, b, field);
	if (field->flags & TA_F_CPUS && get_set(a, &x) && get_set(b, &y))
		return ta_cpuset_equal(&x, &y);
	if (json_object_array_length(a) != json_object_array_length(b))
		return false;
	for (size_t i = 0; i < json_object_array_length(a); i++)
		if (!same_one(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i), field))
			return false;
	return true;
}

void ta_value_text(struct json_object *v, const struct ta_field *field, struct ta_buf *ret)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;

	if (!v)
		return;
	if (!json_object_is_type(v, json_type_array)) {
		ta_buf_adds(ret, json_object_get_string(v));
		return;
	}
	if (field && field->flags & TA_F_CPUS && get_set(v, &set)) {
		ta_cpuset_format(&set, ret);
		return;
	}
	for (size_t i = 0; i < json_object_array_length(v); i++) {
		struct json_object *one = json_object_array_get_idx(v, i);

		ta_buf_adds(ret, !i ? "" : json_object_is_type(one, json_type_string) ? ", " : " ");
		ta_buf_adds(ret, json_object_get_string(one));
	}
}

static bool fits_one(struct json_object *v, enum ta_type type, unsigned flags)
{
	switch (type) {
	case TA_T_INT:
	case TA_T_INTS:
		return json_object_is_type(v, json_type_int) ||
		       (flags & TA_F_UNLIMITED && json_object_is_type(v, json_type_string));
	case TA_T_REAL:
		return is_number(v);
	case TA_T_BOOL:
		return json_object_is_type(v, json_type_boolean);
	default:
		return json_object_is_type(v, json_type_string);
	}
}

bool ta_value_fits(struct json_object *v, const struct ta_field *field)
{
	bool list = field->type == TA_T_INTS || field->type == TA_T_STRINGS;

	if (!list || !json_object_is_type(v, json_type_array))
		return !list && fits_one(v, field->type, field->flags);
	for (size_t i = 0; i < json_object_array_length(v); i++)
		if (!fits_one(json_object_array_get_idx(v, i), field->type, field->flags))
			return false;
	return true;
}
