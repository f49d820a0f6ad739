/*
 * Two readings become rates: walks the second one along the declared rates,
 * then takes over why counters are absent.
 */
#include "facts/rates.h"

#include <json-c/json.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "facts/text.h"

struct walk {
	struct ta_facts *f;
	const struct ta_schema *schema;
	double seconds;
	const char *path[TA_PATH_DEPTH_MAX + 1]; /* below rates; ended by NULL */
};

/*
 * What came between two readings; false if it went backwards. Of 32-bit counters, and of sums of such (each
 * CPU's wraps by itself), the difference is right modulo 2^32 whichever of them wrapped; one above 2^31 is
 * a counter that was reset, or a CPU that went.
 */
static bool difference(const struct ta_field *field, uint64_t before, uint64_t after, uint64_t *ret)
{
	if (field->flags & TA_F_WRAPS32) {
		*ret = (uint32_t)(after - before);
		return after >= before || *ret <= INT32_MAX;
	}
	*ret = after - before;
	return after >= before;
}

/* Of each CPU, say; whole numbers. CPUs that came or went between the readings leave no pairs. */
static void put_list(struct walk *w, const struct ta_field *field, struct json_object *before, struct json_object *after)
{
	size_t n = json_object_is_type(after, json_type_array) ? json_object_array_length(after) : 0;
	int64_t *rates;

	if (!json_object_is_type(before, json_type_array) || json_object_array_length(before) != n) {
		ta_facts_put_absent(w->f, w->path, TA_MISSING, "only one of the readings has all of these counters");
		return;
	}
	rates = calloc(n + 1, sizeof(*rates));
	for (size_t i = 0; rates && i < n; i++) {
		uint64_t a = json_object_get_uint64(json_object_array_get_idx(before, i)), rise;
		uint64_t b = json_object_get_uint64(json_object_array_get_idx(after, i));

		if (!difference(field, a, b, &rise)) {
			ta_facts_put_absent(w->f, w->path, TA_MALFORMED, "one of the counters went backwards, from %llu to %llu",
				(unsigned long long)a, (unsigned long long)b);
			free(rates);
			return;
		}
		rates[i] = (int64_t)TA_MIN(round((double)rise / w->seconds), 9e18);
	}
	if (rates)
		ta_facts_put_ints(w->f, w->path, rates, n);
	else
		ta_memory_note_failure();
	free(rates);
}

static void put_rate(
	struct walk *w, const struct ta_field *field, struct json_object *before, struct json_object *after)
{
	uint64_t a, b, rise;

	if (!json_object_is_type(after, json_type_int))
		return;
	if (!json_object_is_type(before, json_type_int)) {
		ta_facts_put_absent(w->f, w->path, TA_MISSING, "only the second reading has this counter");
		return;
	}
	/* Counters are never negative; json-c answers 0 for what is. */
	a = json_object_get_uint64(before);
	b = json_object_get_uint64(after);
	if (!difference(field, a, b, &rise))
		ta_facts_put_absent(w->f, w->path, TA_MALFORMED,
			"the counter went backwards, from %llu to %llu: it wrapped or was reset", (unsigned long long)a,
			(unsigned long long)b);
	else
		ta_facts_put_real(w->f, w->path, round((double)rise / w->seconds * 1000) / 1000);
}

static void walk(struct walk *w, unsigned depth, const struct ta_schema_node *node, struct json_object *before,
	struct json_object *after)
{
	if (ta_schema_field(node)) {
		(ta_schema_field(node)->type == TA_T_INTS ? put_list : put_rate)(w, ta_schema_field(node), before, after);
		return;
	}
	if (depth == TA_PATH_DEPTH_MAX || !json_object_is_type(after, json_type_object))
		return;
	ta_facts_put_object(w->f, w->path);
	json_object_object_foreach (after, key, value) {
		const struct ta_schema_node *child = ta_schema_child(node, key);
		struct json_object *old = NULL;

		if (!child)
			continue;
		json_object_object_get_ex(before, key, &old);
		w->path[depth] = key;
		w->path[depth + 1] = NULL;
		walk(w, depth + 1, child, old, value);
		w->path[depth] = NULL;
	}
}

static void note_hole(const char *path, struct ta_absence why, void *ctx)
{
	size_t end;

	if (strncmp(path, TA_RATES_FROM, strlen(TA_RATES_FROM)) == 0 && ta_path_ends(path, &end, 1) &&
		end == strlen(TA_RATES_FROM))
		ta_strv_add(ctx, path);
}

/* `text` below counters is absent: so is its rate. */
static void put_hole(struct walk *w, const char *text)
{
	const char *keys[TA_PATH_DEPTH_MAX + 1] = {TA_RATES_TO};
	char room[TA_PATH_DEPTH_MAX][256];
	size_t ends[TA_PATH_DEPTH_MAX], n = ta_path_ends(text, ends, TA_ARRAY_SIZE(ends));
	struct ta_absence why = ta_facts_absence(w->f, text);

	for (size_t i = 1; i < n; i++) {
		if (!ta_path_key(text, ends[i - 1], ends[i], &room[i]))
			return;
		keys[i] = room[i];
	}
	if (ta_schema_find(w->schema, keys))
		ta_facts_put_absent(w->f, keys, why.reason, "%s", why.detail);
}

static void put_holes(struct walk *w)
{
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;

	ta_facts_each_hole(w->f, false, note_hole, &paths);
	for (size_t i = 0; i < paths.n; i++)
		put_hole(w, paths.v[i]);
}

void ta_rates_put(struct ta_facts *f, const struct ta_schema *schema, const struct ta_facts *before, double seconds)
{
	struct walk w = {.f = f, .schema = schema, .seconds = seconds, .path = {TA_RATES_TO}};
	const struct ta_schema_node *rates = ta_schema_find(schema, TA_KEYS(TA_RATES_TO));

	if (!rates)
		return;
	walk(&w, 1, rates, ta_facts_at(before, TA_KEYS(TA_RATES_FROM)), ta_facts_at(f, TA_KEYS(TA_RATES_FROM)));
	put_holes(&w);
}

void ta_rates_not_asked(struct ta_facts *f, const char *why)
{
	ta_facts_put_absent(f, TA_KEYS(TA_RATES_TO), TA_NOT_ASKED, "%s", why);
}

bool ta_rates_of(const struct ta_facts *f, const char *path, double *ret)
{
	size_t ends[TA_PATH_DEPTH_MAX], n = ta_path_ends(path, ends, TA_ARRAY_SIZE(ends));
	struct json_object *at = ta_facts_at(f, TA_KEYS(TA_RATES_TO));
	char key[256];

	if (!n || ends[0] != strlen(TA_RATES_FROM) || strncmp(path, TA_RATES_FROM, ends[0]) != 0)
		return false;
	for (size_t i = 1; at && i < n; i++)
		if (!ta_path_key(path, ends[i - 1], ends[i], &key) || !json_object_object_get_ex(at, key, &at))
			return false;
	if (!json_object_is_type(at, json_type_double))
		return false;
	*ret = json_object_get_double(at);
	return true;
}
