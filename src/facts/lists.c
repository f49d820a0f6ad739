/*
 * Lists of integers out of a document, for those who compute with them.
 */
#include <stdlib.h>

#include <json-c/json.h>

#include "facts/facts.h"

bool ta_facts_get_ints(const struct ta_facts *f, const char *const *path, int64_t **ret, size_t *n)
{
	struct json_object *list = ta_facts_at(f, path);
	int64_t *v;

	if (!json_object_is_type(list, json_type_array))
		return false;
	v = calloc(json_object_array_length(list) + 1, sizeof(*v));
	for (size_t i = 0; v && i < json_object_array_length(list); i++) {
		struct json_object *item = json_object_array_get_idx(list, i);

		if (!json_object_is_type(item, json_type_int) || json_object_get_uint64(item) > INT64_MAX) {
			free(v);
			return false;
		}
		v[i] = json_object_get_int64(item);
	}
	if (!v)
		return false;
	*ret = v;
	*n = json_object_array_length(list);
	return true;
}

bool ta_facts_get_cpus(const struct ta_facts *f, const char *const *path, struct ta_cpuset *ret)
{
	int64_t *v;
	size_t n;
	bool good;

	if (!ta_facts_get_ints(f, path, &v, &n))
		return false;
	ta_cpuset_done(ret);
	good = true;
	for (size_t i = 0; good && i < n; i++)
		good = v[i] >= 0 && v[i] < TA_CPU_LIMIT && ta_cpuset_add(ret, (unsigned)v[i]) == 0;
	free(v);
	return good;
}
