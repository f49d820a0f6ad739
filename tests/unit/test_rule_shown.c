/*
 * Where a fix shows: the key `shown`, the line `workload` of profiles, and what they answer.
 */
#include "tests/unit/rule_kit.h"

#include "load/workload.h"

#define FIX "title \"t\" want sysctl[\"net.core.somaxconn\"] >= 9 fix sysctl.set(key = \"net.core.somaxconn\", value = 9) "
#define PATHS(p) TA_SHOWN_BIT(TA_SHOWN_##p)

static void assert_why(const struct ta_rule *r, unsigned paths, const char *workload, const char *why)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_false(ta_rule_is_shown(r, paths, workload, NULL));
	assert_false(ta_rule_is_shown(r, paths, workload, &b));
	assert_string_equal(ta_buf_text(&b), why);
}

static void test_what_shows_where(void **state)
{
	struct kit k = kit_good("rule a " FIX "shown wire, loopback by kv, connect end\nrule b " FIX "shown storage, cold end\n"
				"rule c " FIX "shown nowhere \"it is\" \"late\" end\nrule d " FIX "shown nowhere end\nrule e " FIX "end");
	const struct ta_rule *a = ta_rules_find(k.rs, "a"), *b = ta_rules_find(k.rs, "b");

	assert_true(ta_rule_is_shown(a, PATHS(LOOPBACK), "kv", NULL));
	assert_true(ta_rule_is_shown(a, PATHS(WIRE) | PATHS(STORAGE), "connect", NULL));
	assert_why(a, PATHS(LOOPBACK), "http", "it shows with connect or kv only");
	assert_why(a, PATHS(NAMESPACE), "kv", "it shows over loopback or wire only");
	assert_why(a, PATHS(COLD), "stream", "it shows over loopback or wire with connect or kv only");
	assert_why(a, 0, "kv", "it shows over loopback or wire only");
	assert_true(ta_rule_is_shown(b, PATHS(LOOPBACK) | PATHS(COLD), "http", NULL));
	assert_why(b, PATHS(LOOPBACK), "file", "it shows over storage or cold only");
	assert_why(ta_rules_find(k.rs, "c"), ~0u, "http", "no trial shows it: it is late");
	assert_why(ta_rules_find(k.rs, "d"), ~0u, "http", "no trial shows it");
	assert_why(ta_rules_find(k.rs, "e"), ~0u, "http", "its rule does not say where it shows");
	kit_done(&k);
}

static void test_it_is_written_as_it_is_read(void **state)
{
	static const char *const texts[] = {"loopback", "loopback, namespace, wire, storage, cold by connect, file, hold, http, kv, stream",
		"wire by stream", "nowhere: why"};
	static const char *const read[] = {"loopback", "cold, storage, wire, loopback, namespace by stream, kv, http, hold, file, connect",
		"wire by stream", "nowhere \"why\""};

	for (size_t i = 0; i < TA_ARRAY_SIZE(texts); i++) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, b = TA_BUF_INIT;
		struct kit k;

		ta_buf_printf(&text, "rule a " FIX "shown %s end", read[i]);
		k = kit_good(ta_buf_text(&text));
		ta_shown_format(&ta_rules_first(k.rs)->shown, &b);
		assert_string_equal(ta_buf_text(&b), texts[i]);
		kit_done(&k);
	}
}

static void test_faults(void **state)
{
	size_t at = strlen("rule a " FIX "shown ") + 1;

	kit_bad("rule a " FIX "shown 7 end", 1, at, "expected nowhere, loopback");
	kit_bad("rule a " FIX "shown lopback end", 1, at, "'lopback' is not nowhere, loopback, namespace, wire, storage or cold; did you "
		"mean 'loopback'?");
	kit_bad("rule a " FIX "shown wire, wire end", 1, at + 6, "'wire' stands twice");
	kit_bad("rule a " FIX "shown wire by htp end", 1, at + 8, "did you mean 'http'?");
	kit_bad("rule a " FIX "shown wire shown cold end", 1, at + 5, "'shown'");
	kit_bad("rule a title \"t\" want true shown wire end", 1, 6, "'shown' says where a fix shows, and rule a has none");
	kit_bad("profile p workload htp end", 1, 20, "'htp' is not connect, file, hold, http, kv or stream; did you mean 'http'?");
	kit_bad("profile p workload kv workload http end", 1, 23, "'workload'");
}

/* `rules check` asks for it. */
static void test_a_fix_without_it(void **state)
{
	struct kit k = kit_good("rule a " FIX "case pass \"p\" { sysctl[\"net.core.somaxconn\"] = 9 } case fail \"f\" { "
				"sysctl[\"net.core.somaxconn\"] = 1 } case unknown \"u\" { } end");
	struct ta_diags diags = {0};
	size_t n;

	assert_int_equal(ta_rule_run_cases(k.rs, ta_rules_first(k.rs), &diags, &n), 0);
	assert_int_equal(diags.n, 1);
	assert_int_equal(diags.v[0].column, 6);
	assert_non_null(strstr(diags.v[0].text, "rule a does not say where its fix shows: 'shown'"));
	ta_diags_done(&diags);
	kit_done(&k);
}

static void test_profiles(void **state)
{
	struct kit k = kit_good("profile a workload kv end profile b inherits a end profile c inherits b, d end profile d end "
				"profile e inherits a workload stream end profile f inherits a, e end");
	static const char *const want[][2] = {{"a", "kv"}, {"b", "kv"}, {"c", "kv"}, {"d", "http"}, {"e", "stream"}, {"f", "stream"}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(want); i++)
		assert_string_equal(ta_profile_workload(ta_rules_profile(k.rs, want[i][0])), want[i][1]);
	kit_done(&k);
}

/* The names are those of the load runs; `floor` measures the machine, not what is set. */
static void test_names(void **state)
{
	unsigned found = 0;

	for (size_t i = 0; i < ta_n_workloads; i++) {
		if (!strcmp(ta_workloads[i]->name, "floor"))
			continue;
		assert_in_range(found, 0, TA_SHOWN_WORKLOADS - 1);
		assert_string_equal(ta_workloads[i]->name, ta_shown_workload_name((enum ta_shown_workload)found++));
	}
	assert_int_equal(found, TA_SHOWN_WORKLOADS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_shows_where),
		cmocka_unit_test(test_it_is_written_as_it_is_read),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_a_fix_without_it),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
