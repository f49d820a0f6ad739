/*
 * No fix goes against its rule's direction, whatever the host looks like: every rule of ours that fixes something is
 * judged on made-up hosts, with numbers from the edges of what a fact may be and words from the rule itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "facts/text.h"
#include "fix/fixer.h"
#include "fix/sinks.h"
#include "probe/collect.h"
#include "rule/embedded.h"
#include "rule/rule.h"

#define HOSTS 400
#define WORDS_MAX 64

static struct ta_schema *schema;
static struct ta_fix_sig *sigs;
static struct ta_rules *rules;
static uint64_t seed = 88172645463325252;

static uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static int load(void **state)
{
	struct ta_diags diags = {0};
	struct ta_err err;
	size_t n;

	assert_int_equal(ta_collect_schema(&schema, &err), 0);
	assert_int_equal(ta_fixer_sigs(&sigs, &n), 0);
	rules = ta_rules_new();
	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		ta_rules_add_text(rules, ta_embedded_rules[i].file, ta_embedded_rules[i].text,
			strlen(ta_embedded_rules[i].text), TA_RULES_TRUSTED | TA_RULES_STATIC, &diags);
	ta_rules_resolve(rules, schema, sigs, n, &diags);
	assert_int_equal(diags.total, 0);
	return 0;
}

static int unload(void **state)
{
	ta_rules_free(rules);
	ta_schema_free(schema);
	free(sigs);
	return 0;
}

/* --- a host that nobody has ------------------------------------------------------------------- */

struct words {
	char v[WORDS_MAX][40];
	size_t n;	/* all */
	size_t quoted;	/* the first ones: governors, kinds of interfaces, names of programs; then names of counters */
};

static const char *text_of(const struct ta_rule *r, const char **ret_end)
{
	char head[128];

	*ret_end = NULL;
	snprintf(head, sizeof(head), "rule %s\n", r->id);
	for (size_t i = 0; i < ta_n_embedded_rules; i++) {
		const char *at = strstr(ta_embedded_rules[i].text, head);

		if (at) {
			*ret_end = strstr(at, "\nend\n");
			return at;
		}
	}
	fail_msg("%s: no text", r->id);
	return NULL;
}

/* Words of the rule's own text that stand behind `mark` and end with one of `ends`. */
static void add_words(const struct ta_rule *r, char mark, const char *ends, struct words *w)
{
	const char *end, *at = text_of(r, &end);

	while (w->n < WORDS_MAX && (at = strchr(at, mark)) && at < end) {
		size_t len = strcspn(++at, ends);

		if (len > 1 && len < sizeof(w->v[0]) && !memchr(at, ' ', len))
			snprintf(w->v[w->n++], sizeof(w->v[0]), "%.*s", (int)len, at);
		at += mark == '"' ? len + 1 : 0;
	}
}

static void words_of(const struct ta_rule *r, struct words *ret)
{
	ret->n = 0;
	add_words(r, '"', "\"", ret);
	if (!ret->n)
		snprintf(ret->v[ret->n++], sizeof(ret->v[0]), "other");
	ret->quoted = ret->n;
	add_words(r, '.', " ,)]<>=+.[\n", ret);
}

static int64_t some_number(void)
{
	static const int64_t edges[] = {0, 1, 2, 3, 60, 64, 100, 127, 128, 129, 200, 300, 512, 1000, 1024, 2000, 4096, 8000, 65535,
		65536, 131072, 212992, 262144, 1048576, 4194304, 6291456, 7500000, 33554432, 67108864, 1073741824, INT32_MAX,
		17179869184, 274877906944, 4398046511104};
	int64_t v = edges[next_random() % TA_ARRAY_SIZE(edges)];

	return next_random() % 3 ? v : v + (int64_t)(next_random() % 7) - 3 > 0 ? v + (int64_t)(next_random() % 3) : v;
}

/* As many as the kernel has, rising where it keeps them so. */
static void put_vector(struct ta_facts *f, const char *const *path, bool cpus)
{
	const struct ta_sysctl_sink *sink = path[1] ? ta_sysctl_sink(path[1]) : NULL;
	size_t n = sink ? sink->n : cpus ? next_random() % 5 : 3;
	int64_t v[8];

	for (size_t i = 0; i < n; i++)
		v[i] = cpus ? (int64_t)i * (int64_t)(1 + next_random() % 2) : some_number() % (INT64_C(1) << 31);
	for (size_t i = 1; i < n; i++)
		if ((cpus || (sink && sink->flags & TA_SINK_RISING)) && v[i] <= v[i - 1])
			v[i] = v[i - 1] + 1;
	ta_facts_put_ints(f, path, v, n);
}

static void put_random(struct ta_facts *f, const char *const *path, const struct ta_field *field, struct words *w)
{
	char *strings[] = {w->v[next_random() % w->quoted], w->v[next_random() % w->quoted]};

	switch (field->type) {
	case TA_T_INT:
		if (field->flags & TA_F_UNLIMITED && next_random() % 8 == 0)
			ta_facts_put_unlimited(f, path);
		else
			ta_facts_put_i64(f, path, some_number());
		return;
	case TA_T_REAL:
		ta_facts_put_real(f, path, (double)(next_random() % 2000) / 10);
		return;
	case TA_T_BOOL:
		ta_facts_put_bool(f, path, next_random() % 2);
		return;
	case TA_T_INTS:
		put_vector(f, path, field->flags & TA_F_CPUS);
		return;
	case TA_T_STRINGS:
		ta_facts_put_strs(f, path, strings, next_random() % 3);
		return;
	default:
		ta_facts_put_str(f, path, strings[0]);
	}
}

/* One path; the first collection has the member "m0", a collection in it one for each word of the rule. */
static void put_path(struct ta_facts *f, const char *path, struct words *w)
{
	const struct ta_schema_node *node = ta_schema_find_text(schema, path);
	const char *keys[TA_PATH_DEPTH_MAX + 1] = {NULL};
	char room[TA_PATH_DEPTH_MAX][256];
	size_t ends[TA_PATH_DEPTH_MAX], n = ta_path_ends(path, ends, TA_PATH_DEPTH_MAX), stars = 0;

	if (!node || !ta_schema_field(node))
		return;
	for (size_t k = 0; k < n; k++) {
		assert_true(ta_path_key(path, k ? ends[k - 1] : 0, ends[k], &room[k]));
		stars += strcmp(room[k], "*") == 0;
		keys[k] = strcmp(room[k], "*") == 0 ? "m0" : room[k];
	}
	for (size_t i = 0; i < (stars > 1 ? w->n : 1); i++) {
		if (stars > 1)
			keys[n - 1] = w->v[i];
		put_random(f, keys, ta_schema_field(node), w);
	}
}

/* Everything that the rule reads. */
static struct ta_facts *some_host(const struct ta_rule *r, struct words *w)
{
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;
	struct ta_facts *f = ta_facts_new();

	ta_rule_paths(r, &paths);
	for (size_t i = 0; i < paths.n; i++)
		put_path(f, paths.v[i], w);
	return f;
}

/* --- what a fix would do ------------------------------------------------------------------------ */

static struct json_object *arg(const struct ta_fix_call *call, const char *name)
{
	for (size_t i = 0; i < call->n_args; i++)
		if (strcmp(call->args[i].name, name) == 0)
			return call->args[i].value;
	return NULL;
}

/* By meaning: 0 or -1 may be more than every number. */
static double worth(struct json_object *o, const struct ta_field *field)
{
	int64_t v;

	if (!json_object_is_type(o, json_type_int) && !json_object_is_type(o, json_type_double))
		return INFINITY;
	v = json_object_get_int64(o);
	for (size_t i = 0; field && i < TA_ARRAY_SIZE(field->special); i++)
		if (field->special[i].meaning == TA_MEANS_UNLIMITED && field->special[i].value == v)
			return INFINITY;
	return json_object_get_double(o);
}

static void hold(const struct ta_rule *r, struct ta_facts *f, size_t element, double was, double will)
{
	enum ta_direction d = r->direction[r->n_directions == 1 ? 0 : element];
	bool wrong = (d == TA_DIR_RAISE && will < was) || (d == TA_DIR_LOWER && will > was) ||
		     (d == TA_DIR_LEAVE && will != was);

	if (wrong)
		fail_msg("%s moves element %zu from %g to %g", r->id, element, was, will);
}

/* A fix that leaves everything as it is, offered for a fault, is a fault itself. */
static void hold_sysctl(const struct ta_rule *r, struct ta_facts *f, const struct ta_fix_call *call)
{
	const char *key = json_object_get_string(arg(call, "key"));
	struct json_object *value = arg(call, "value"), *index = arg(call, "index");
	struct json_object *present = ta_facts_at(f, TA_KEYS("sysctl", key));
	const struct ta_schema_node *node = ta_schema_find(schema, TA_KEYS("sysctl", key));
	const struct ta_field *field = node ? ta_schema_field(node) : NULL;
	bool moves = false;

	if (!ta_sysctl_sink(key))
		fail_msg("%s: %s is not in the table of what may be written", r->id, key);
	if (!present || json_object_is_type(value, json_type_string))
		return;
	if (json_object_is_type(value, json_type_array)) {
		for (size_t i = 0; i < json_object_array_length(value); i++) {
			double was = worth(json_object_array_get_idx(present, i), field);
			double will = worth(json_object_array_get_idx(value, i), field);

			hold(r, f, i, was, will);
			moves |= was != will;
		}
	} else {
		struct json_object *o = present;

		if (json_object_is_type(present, json_type_array))
			o = json_object_array_get_idx(present, (size_t)json_object_get_int64(index));
		hold(r, f, 0, worth(o, field), worth(value, field));
		moves = worth(o, field) != worth(value, field);
	}
	if (!moves)
		fail_msg("%s: the fix of a fault changes nothing (%s stays %s)", r->id, key, json_object_to_json_string(present));
}

/* Knobs that have a direction, and where the host's value stands. */
static void hold_knob(const struct ta_rule *r, struct ta_facts *f, const struct ta_fix_call *call)
{
	static const struct {
		const char *fixer, *arg, *path[6];
	} knobs[] = {
		{"nic.rings", "rx", {"nics", "m0", "rings", "rx", "current"}},
		{"nic.rings", "tx", {"nics", "m0", "rings", "tx", "current"}},
		{"nic.channels", "combined", {"nics", "m0", "channels", "combined", "current"}},
		{"nic.channels", "rx", {"nics", "m0", "channels", "rx", "current"}},
		{"nic.channels", "tx", {"nics", "m0", "channels", "tx", "current"}},
		{"nic.coalesce", "rx_usecs", {"nics", "m0", "coalesce", "rx_usecs"}},
		{"block.set", "read_ahead_kb", {"disks", "m0", "read_ahead_kb"}},
		{"nofile.service", "value", {"processes", "m0", "nofile_soft"}},
		{"nvme.apst", "latency_us", {"nvme", "m0", "latency_tolerance_us"}},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(knobs); i++) {
		struct json_object *value = arg(call, knobs[i].arg), *present = ta_facts_at(f, knobs[i].path);

		if (strcmp(knobs[i].fixer, call->fixer) != 0 || !value || !present)
			continue;
		hold(r, f, 0, worth(present, NULL), worth(value, NULL));
		if (call->n_args == 2 && worth(present, NULL) == worth(value, NULL))
			fail_msg("%s: the fix of a fault changes nothing (%s stays %s)", r->id, knobs[i].arg,
				json_object_to_json_string(present));
	}
}

static size_t judge(const struct ta_rule *r, struct ta_facts *f, const struct ta_profile *profile)
{
	struct ta_outcomes out;
	size_t fixes = 0;

	assert_int_equal(ta_rule_eval(rules, r, profile, f, &out), 0);
	for (size_t i = 0; i < out.n; i++) {
		const struct ta_outcome *o = &out.v[i];

		if (o->verdict == TA_V_BROKEN && strcmp(o->reason, "direction") == 0)
			fail_msg("%s: %s", r->id, o->detail);
		if (!o->has_fix)
			continue;
		fixes++;
		if (strcmp(o->fix.fixer, "sysctl.set") == 0)
			hold_sysctl(r, f, &o->fix);
		else
			hold_knob(r, f, &o->fix);
	}
	ta_outcomes_done(&out);
	return fixes;
}

static void test_no_fix_goes_the_wrong_way(void **state)
{
	static const char *const profiles[] = {"base", "gateway", "redis", "file-server", "benchmark", "small-device"};
	size_t with_fix = 0, tried = 0, directed = 0;

	for (const struct ta_rule *r = ta_rules_first(rules); r; r = r->next) {
		struct words w;
		size_t fixes = 0;

		if (!r->fix)
			continue;
		words_of(r, &w);
		for (size_t i = 0; i < HOSTS; i++) {
			struct ta_facts *f = some_host(r, &w);

			fixes += judge(r, f, ta_rules_profile(rules, profiles[i % TA_ARRAY_SIZE(profiles)]));
			ta_facts_free(f);
		}
		with_fix += fixes > 0;
		directed += fixes > 0 && r->direction[0] != TA_DIR_EXACT;
		tried++;
		if (!fixes)
			print_message("never failed on a made-up host: %s\n", r->id);
	}
	print_message("%zu rules with a fix, %zu of them failed on some host, %zu have a direction\n", tried, with_fix, directed);
	/* The test must see what it holds. */
	assert_true(with_fix * 10 >= tried * 8);
	assert_true(directed >= 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_fix_goes_the_wrong_way)};

	return cmocka_run_group_tests(tests, load, unload);
}
