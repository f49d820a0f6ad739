/*
 * Who has each listener open: processes tell what they listen on, this turns
 * it round.
 */
#include "derive/derive.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

static const struct ta_field fields[] = {
	{"listeners.*.pids", TA_T_INTS, "",
		"processes that have it open; none of them may be in sight", TA_F_VOLATILE, {}},
};

static const char *const needs[] = {"listeners", "processes", NULL};

static bool has(struct json_object *listens, const char *key)
{
	for (size_t i = 0; i < json_object_array_length(listens); i++)
		if (strcmp(json_object_get_string(json_object_array_get_idx(listens, i)), key) == 0)
			return true;
	return false;
}

/* The PIDs of processes whose `listens` has `key`, into v (room for all processes); their count. */
static size_t owners(struct json_object *processes, const char *key, int64_t *v)
{
	size_t n = 0;

	json_object_object_foreach(processes, pid, process)
	{
		struct json_object *listens;

		if (json_object_object_get_ex(process, "listens", &listens) && has(listens, key) &&
			ta_parse_i64(pid, &v[n]) == 0)
			n++;
	}
	return n;
}

/* That nobody has a listener open is said only where everybody was looked at. */
static void put(struct ta_facts *f, const char *key, const int64_t *v, size_t n)
{
	const char *const *path = TA_KEYS("listeners", key, "pids");
	struct ta_absence why;

	if (n == 0 && ta_facts_incomplete(f, "processes", &why))
		ta_facts_put_absent(f, path, why.reason, "%s", why.detail);
	else
		ta_facts_put_ints(f, path, v, n);
}

static void compute(struct ta_facts *f)
{
	struct json_object *listeners = ta_facts_at(f, TA_KEYS("listeners"));
	struct json_object *processes = ta_facts_at(f, TA_KEYS("processes"));
	int64_t *v;

	if (!listeners || !processes)
		return;
	v = calloc((size_t)json_object_object_length(processes) + 1, sizeof(*v));
	if (!v)
		return;
	json_object_object_foreach(listeners, key, listener)
	{
		size_t n = owners(processes, key, v);

		(void)listener;
		put(f, key, v, n);
	}
	free(v);
}

const struct ta_derivation ta_derive_listener_pids = {
	.name = "listener_pids",
	.needs = needs,
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.compute = compute,
};
