/*
 * Runs probes and derivations over a throw-away tree, and looks at what they say.
 */
#pragma once

#include <json-c/json.h>

#include "derive/derive.h"
#include "facts/schema.h"
#include "probe/probe.h"
#include "tests/unit/tree.h"

/* The facts of some probes (ended by NULL), then of one derivation (or NULL); each value has a row of its type. */
static inline struct ta_facts *probe_tree(struct tree *t, const struct ta_probe *const *probes,
	const struct ta_derivation *const *derivations)
{
	struct ta_table tables[16];
	struct ta_facts *f = ta_facts_new();
	struct ta_schema *s = NULL;
	struct ta_host *h = NULL;
	struct ta_err err = {0};
	size_t n = 0;

	assert_int_equal(ta_host_capture(t->dir, &h, &err), 0);
	for (; *probes; probes++) {
		tables[n++] = (struct ta_table){(*probes)->name, (*probes)->fields, (*probes)->n_fields};
		(*probes)->collect(h, f);
	}
	for (; *derivations; derivations++) {
		tables[n++] = (struct ta_table){(*derivations)->name, (*derivations)->fields, (*derivations)->n_fields};
		(*derivations)->compute(f);
	}
	ta_host_free(h);
	assert_int_equal(ta_schema_new(tables, n, &s, &err), 0);
	if (ta_schema_validate(s, f, &err) < 0)
		fail_msg("%s", err.text);
	ta_schema_free(s);
	assert_int_equal(ta_facts_error(f), 0);
	return f;
}

static inline void assert_fact(struct ta_facts *f, const char *const *path, const char *want, const char *file,
	int line)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct json_object *v = ta_facts_at(f, path);
	const char *got = v ? json_object_to_json_string_ext(v, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE) : "nothing";

	ta_path_format(&text, path);
	if (strcmp(got, want)) {
		print_error("%s is %s, not %s (%s)\n", ta_buf_text(&text), got, want,
			v ? "" : ta_facts_absence(f, ta_buf_text(&text)).detail);
		_fail(file, line);
	}
}

/* FACT(f, "[0,1]", "cpu", "online_list"): the value as JSON, on one line. */
#define FACT(f, want, ...) assert_fact((f), TA_KEYS(__VA_ARGS__), (want), __FILE__, __LINE__)

/* HOLE(f, TA_MISSING, "cpu.sockets"): there is no value, and this reason. */
static inline void assert_hole(struct ta_facts *f, enum ta_reason why, const char *path, const char *file, int line)
{
	struct ta_absence a = ta_facts_absence(f, path);

	if (a.reason != why || !*a.detail) {
		print_error("%s is absent as %s (%s), not as %s\n", path, ta_reason_name(a.reason), a.detail,
			ta_reason_name(why));
		_fail(file, line);
	}
}

#define HOLE(f, why, path) assert_hole((f), (why), (path), __FILE__, __LINE__)
