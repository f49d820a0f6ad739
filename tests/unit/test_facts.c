/*
 * The facts document: exact integers, safe texts, paths, reasons, reading back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "facts/schema.h"
#include "facts/text.h"

static char *format(const struct ta_facts *f)
{
	struct ta_buf b = TA_BUF_INIT;

	ta_facts_format(f, &b);
	return ta_buf_steal(&b);
}

static void test_extreme_integers_survive(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new(), *back = NULL;
	char *text, *again;

	ta_put_i64(f, INT64_MIN, "a", "min");
	ta_put_u64(f, UINT64_MAX, "a", "max");
	ta_put_u64(f, INT64_MAX, "a", "mid");
	text = format(f);
	assert_non_null(strstr(text, "-9223372036854775808"));
	assert_non_null(strstr(text, "18446744073709551615"));
	assert_int_equal(ta_facts_parse(text, strlen(text), &back, NULL), 0);
	again = format(back);
	assert_string_equal(text, again);
	free(text);
	free(again);
}

/* Whatever version of json-c reads it. */
static void test_names_beyond_ascii(void **state)
{
	static const char text[] = "{\"\xc3\xa9\":\"th\xc3\xa9 \xe2\x82\xac\"}";
	struct json_object *doc = NULL, *v;

	assert_int_equal(ta_json_parse(text, strlen(text), &doc, NULL), 0);
	assert_true(json_object_object_get_ex(doc, "\xc3\xa9", &v));
	assert_string_equal(json_object_get_string(v), "th\xc3\xa9 \xe2\x82\xac");
	json_object_put(doc);
	assert_int_equal(ta_json_parse("{\"a\":\"\xc3\"}", 9, &doc, NULL), -EBADMSG);
}

static void test_integers_outside_are_refused(void **state)
{
	static const char *const bad[] = {"18446744073709551616", "-9223372036854775809",
		"100000000000000000000000000000000000000000"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++) {
		struct json_object *doc = NULL;
		char text[128];

		snprintf(text, sizeof(text), "{\"a\":[1,%s]}", bad[i]);
		assert_int_equal(ta_json_parse(text, strlen(text), &doc, NULL), -ERANGE);
		snprintf(text, sizeof(text), "{\"a\":\"%s\"}", bad[i]);
		assert_int_equal(ta_json_parse(text, strlen(text), &doc, NULL), 0);
		json_object_put(doc);
	}
}

static void test_broken_documents(void **state)
{
	static const char *const bad[] = {"", "{", "[1]", "{} x", "{\"schema\":\"other/1\"}",
		"{\"schema\":\"tuneaudit.facts/1\",\"facts\":[],\"absent\":{},\"incomplete\":{}}",
		"{\"schema\":\"tuneaudit.facts/1\",\"facts\":{},\"absent\":{\"a\":{\"reason\":\"lost\",\"detail\":\"\"}},\"incomplete\":{}}",
		"{\"schema\":\"tuneaudit.facts/1\",\"facts\":{},\"absent\":{}}"};
	struct ta_facts *f = NULL;
	char deep[200];

	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(ta_facts_parse(bad[i], strlen(bad[i]), &f, NULL), -EBADMSG);
	memset(deep, '[', sizeof(deep));
	assert_int_equal(ta_facts_parse(deep, sizeof(deep), &f, NULL), -EBADMSG);
	assert_null(f);
}

static void test_hostile_names(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new(), *back = NULL;
	char *text;

	ta_put_i64(f, 1500, "nics", "a\x1b[31m\xff", "mtu");
	ta_put_str(f, "line\nbreak \xe2\x80\xae", "nics", "a\x1b[31m\xff", "alias");
	text = format(f);
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "a\\\\x1b[31m\\\\xff"));
	assert_int_equal(ta_facts_parse(text, strlen(text), &back, NULL), 0);
	free(text);
	/* The raw name finds what the raw name put. */
	assert_non_null(ta_facts_at(f, TA_KEYS("nics", "a\x1b[31m\xff", "mtu")));
	assert_string_equal(ta_facts_get_str(f, TA_KEYS("nics", "a\x1b[31m\xff", "alias")),
		"line\\x0abreak \\xe2\\x80\\xae");
}

static void test_paths(void **state)
{
	const struct {
		const char *const *keys;
		const char *text;
		size_t n;
	} cases[] = {
		{TA_KEYS("sysctl", "net.core.somaxconn"), "sysctl[\"net.core.somaxconn\"]", 2},
		{TA_KEYS("nics", "eth0.100", "mtu"), "nics[\"eth0.100\"].mtu", 3},
		{TA_KEYS("irqs", "24", "wanted"), "irqs.24.wanted", 3},
		{TA_KEYS("nics", "a\"b\\c", "mtu"), "nics[\"a\\\"b\\\\c\"].mtu", 3},
		{TA_KEYS("nics", "-x"), "nics[\"-x\"]", 2},
		{TA_KEYS("nics", "0a"), "nics[\"0a\"]", 2},
		{TA_KEYS("0a", "b"), "[\"0a\"].b", 2},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
		size_t ends[8];

		ta_path_format(&b, cases[i].keys);
		assert_string_equal(ta_buf_text(&b), cases[i].text);
		assert_int_equal(ta_path_ends(ta_buf_text(&b), ends, 8), cases[i].n);
		assert_int_equal(ends[cases[i].n - 1], b.len);
	}
}

static void test_absence_of_parents(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_absence a;

	ta_facts_put_absent(f, TA_KEYS("nics", "e.1"), TA_DENIED, "no %s", "way");
	a = ta_facts_absence(f, "nics[\"e.1\"].channels.rx.max");
	assert_int_equal(a.reason, TA_DENIED);
	assert_string_equal(a.detail, "no way");
	a = ta_facts_absence(f, "nics.other.mtu");
	assert_int_equal(a.reason, TA_MISSING);
	/* A value takes the absence of its own path back, an absence the value. */
	ta_facts_put_absent(f, TA_KEYS("a", "b"), TA_UNSUPPORTED, "x");
	ta_put_i64(f, 1, "a", "b");
	assert_int_equal(ta_facts_absence(f, "a.b").reason, TA_MISSING);
	ta_facts_put_absent(f, TA_KEYS("a", "b"), TA_UNSUPPORTED, "x");
	assert_null(ta_facts_at(f, TA_KEYS("a", "b")));
}

static void test_reasons_of_errors(void **state)
{
	static const struct {
		int rc;
		enum ta_reason reason;
	} cases[] = {
		{-ENOENT, TA_MISSING}, {-ENOTDIR, TA_MISSING}, {-ESRCH, TA_MISSING}, {-EACCES, TA_DENIED},
		{-EPERM, TA_DENIED}, {-EOPNOTSUPP, TA_UNSUPPORTED}, {-ENOSYS, TA_UNSUPPORTED}, {-EINVAL, TA_UNSUPPORTED},
		/* It is there, and what it says is of no use … */
		{-EIO, TA_MALFORMED}, {-EBADMSG, TA_MALFORMED}, {-EFBIG, TA_MALFORMED}, {-EISDIR, TA_MALFORMED},
		{-EINTR, TA_MALFORMED}, {-EOVERFLOW, TA_MALFORMED},
		/* … or we had nothing to ask with, and know nothing of it. */
		{-ENODATA, TA_NOT_ASKED}, {-EMFILE, TA_NOT_ASKED}, {-ENFILE, TA_NOT_ASKED}, {-ENOMEM, TA_NOT_ASKED},
		{-ETIMEDOUT, TA_NOT_ASKED},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++)
		if (ta_reason_of(cases[i].rc) != cases[i].reason)
			fail_msg("%s is %s", strerror(-cases[i].rc), ta_reason_name(ta_reason_of(cases[i].rc)));
}

static void test_incomplete(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_absence a;

	ta_facts_put_incomplete(f, TA_KEYS("processes"), TA_DENIED, "hidepid");
	assert_true(ta_facts_incomplete(f, "processes", &a));
	assert_int_equal(a.reason, TA_DENIED);
	assert_false(ta_facts_incomplete(f, "processes.1", &a));
	assert_false(ta_facts_incomplete(f, "nics", &a));
}

static void test_cpu_lists_are_shared(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	ta_cleanup_cpuset struct ta_cpuset s = TA_CPUSET_INIT;

	assert_int_equal(ta_cpuset_parse_list(&s, "0-2,7"), 0);
	ta_put_cpus(f, &s, "irqs", "1", "wanted");
	ta_put_cpus(f, &s, "irqs", "2", "wanted");
	assert_ptr_equal(ta_facts_at(f, TA_KEYS("irqs", "1", "wanted")), ta_facts_at(f, TA_KEYS("irqs", "2", "wanted")));
	assert_int_equal(json_object_array_length(ta_facts_at(f, TA_KEYS("irqs", "2", "wanted"))), 4);
}

static const struct ta_field rows[] = {
	{"nics.*.mtu", TA_T_INT, "bytes", "", 0, {}},
	{"nics.*.rings.rx.max", TA_T_INT, "", "", 0, {}},
	{"sysctl[\"net.core.somaxconn\"]", TA_T_INT, "", "", 0, {}},
	{"limits.file_max", TA_T_INT, "", "", TA_F_UNLIMITED, {}},
};

static void test_schema(void **state)
{
	const struct ta_table table = {"t", rows, TA_ARRAY_SIZE(rows)};
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_schema *s = NULL;
	const struct ta_schema_node *n;
	struct ta_err err;

	assert_int_equal(ta_schema_new(&table, 1, &s, &err), 0);
	n = ta_schema_find(s, TA_KEYS("nics", "eth0", "rings", "rx", "max"));
	assert_int_equal(ta_schema_type(n), TA_T_INT);
	assert_string_equal(ta_schema_owner(n), "t");
	assert_true(ta_schema_is_collection(ta_schema_find(s, TA_KEYS("nics"))));
	assert_false(ta_schema_is_collection(ta_schema_find(s, TA_KEYS("sysctl"))));
	assert_null(ta_schema_find(s, TA_KEYS("sysctl", "net.core.somaxcon")));
	assert_string_equal(ta_schema_nearest(ta_schema_find(s, TA_KEYS("sysctl")), "net.core.somaxcon"), "net.core.somaxconn");
	assert_string_equal(ta_schema_field(ta_schema_find_text(s, "sysctl[\"net.core.somaxconn\"]"))->path, rows[2].path);
	assert_null(ta_schema_nearest(ta_schema_root(s), "quite-else"));

	ta_put_i64(f, 1, "nics", "e", "mtu");
	ta_put_unlimited(f, "limits", "file_max");
	assert_int_equal(ta_schema_validate(s, f, &err), 0);
	ta_put_str(f, "x", "nics", "e", "mtu");
	assert_int_equal(ta_schema_validate(s, f, &err), -EINVAL);
	ta_put_i64(f, 1, "nics", "e", "mtu");
	ta_put_i64(f, 1, "nics", "e", "mtuu");
	assert_int_equal(ta_schema_validate(s, f, &err), -EINVAL);
	assert_non_null(strstr(err.text, "nics.e.mtuu"));
	ta_schema_free(s);
}

static void test_schema_refuses_overlaps(void **state)
{
	const struct ta_table twice[] = {{"one", rows, 1}, {"two", rows, 1}};
	struct ta_schema *s = NULL;
	struct ta_err err;

	assert_int_equal(ta_schema_new(twice, 2, &s, &err), -EINVAL);
	assert_non_null(strstr(err.text, "two"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_extreme_integers_survive),
		cmocka_unit_test(test_names_beyond_ascii),
		cmocka_unit_test(test_integers_outside_are_refused),
		cmocka_unit_test(test_broken_documents),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_absence_of_parents),
		cmocka_unit_test(test_incomplete),
		cmocka_unit_test(test_reasons_of_errors),
		cmocka_unit_test(test_cpu_lists_are_shared),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_schema_refuses_overlaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
