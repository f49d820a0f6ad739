/*
 * Profiles, parameters and waivers.
 */
#include "tests/unit/rule_kit.h"

#define RULES                                                                                      \
	"param rtt_ms : number = 20 unit ms \"round trip time\"\n"                                 \
	"param mode : string = \"a\" \"a word\"\n"                                                 \
	"rule net.a title \"t\" want cpu.online >= rtt_ms weight 3 end\n"                          \
	"rule net.b title \"t\" want mode == \"b\" severity error end\n"                           \
	"rule nic.a title \"t\" want true end\n"                                                   \
	"rule cpu.x title \"t\" want true end\n"

static void test_rules_weights_and_parents(void **state)
{
	struct kit k = kit_good(RULES
		"profile gateway\n"
		"	title \"API gateways\"\n"
		"	inherits base\n"
		"	rules nic.a, cpu.x\n"
		"	without net.b\n"
		"	weight net.a 9\n"
		"	severity nic.a info\n"
		"	param rtt_ms = 60\n"
		"end\n"
		"profile base rules net.* weight net.b 1 param mode = \"b\" end\n");
	const struct ta_profile *gateway = ta_rules_profile(k.rs, "gateway"), *base = ta_rules_profile(k.rs, "base");
	const struct ta_rule *a = ta_rules_find(k.rs, "net.a"), *b = ta_rules_find(k.rs, "net.b");
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_outcomes out = {0};

	assert_string_equal(ta_profile_name(gateway), "gateway");
	assert_string_equal(ta_profile_title(gateway), "API gateways");
	assert_true(ta_profile_has(base, a) && ta_profile_has(base, b));
	assert_false(ta_profile_has(base, ta_rules_find(k.rs, "nic.a")));
	assert_true(ta_profile_has(gateway, a) && ta_profile_has(gateway, ta_rules_find(k.rs, "cpu.x")));
	assert_false(ta_profile_has(gateway, b));
	assert_int_equal(ta_profile_weight(base, a), 3);
	assert_int_equal(ta_profile_weight(base, b), 1);
	assert_int_equal(ta_profile_weight(gateway, a), 9);
	assert_int_equal(ta_profile_severity(gateway, ta_rules_find(k.rs, "nic.a")), TA_SEV_INFO);
	assert_int_equal(ta_profile_severity(gateway, a), TA_SEV_WARNING);
	assert_int_equal(ta_profile_severity(base, b), TA_SEV_ERROR);
	ta_rules_profile_names(k.rs, &names);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "base");
	assert_null(ta_rules_profile(k.rs, "nope"));

	/* Parameters: the profile's, else its parent's, else their own. */
	ta_put_i64(f, 30, "cpu", "online");
	assert_int_equal(ta_rule_eval(k.rs, a, NULL, f, &out), 0);
	assert_int_equal(out.v[0].verdict, TA_V_PASS);
	ta_outcomes_done(&out);
	assert_int_equal(ta_rule_eval(k.rs, a, gateway, f, &out), 0);
	assert_int_equal(out.v[0].verdict, TA_V_FAIL);
	assert_string_equal(out.v[0].wanted, ">= 60");
	ta_outcomes_done(&out);
	assert_int_equal(ta_rule_eval(k.rs, b, gateway, f, &out), 0);
	assert_int_equal(out.v[0].verdict, TA_V_PASS);
	ta_outcomes_done(&out);
	assert_int_equal(ta_rule_eval(k.rs, b, NULL, f, &out), 0);
	assert_int_equal(out.v[0].verdict, TA_V_FAIL);
	ta_outcomes_done(&out);
	kit_done(&k);
}

static void test_faults_of_profiles(void **state)
{
	kit_bad(RULES "profile p rules net.c end", 7, 17, "no rule 'net.c'; did you mean 'net.a'?");
	kit_bad(RULES "profile p rules nett.* end", 7, 17, "no rule 'nett.*'");
	kit_bad(RULES "profile p inherits q end", 7, 20, "no profile 'q'");
	kit_bad(RULES "profile p rules net.a weight net.b 3 end", 7, 30, "the profile has no rule 'net.b' at this line");
	kit_bad(RULES "profile p rules net.a without nic.a end", 7, 31, "the profile has no rule 'nic.a'");
	kit_bad(RULES "profile p param rtt = 3 end", 7, 17, "no parameter 'rtt'");
	kit_bad(RULES "profile p param rtt_ms = \"x\" end", 7, 26, "rtt_ms is a number, this is not");
	kit_bad(RULES "profile p rules net.a weight net.a 0 end", 7, 36, "a number from 1 to 10");
	kit_bad(RULES "profile p end profile p end", 7, 23, "profile p stands in t.rules already");
	kit_bad(RULES "profile p wieght net.a 2 end", 7, 11, "a profile has no key 'wieght'; did you mean 'weight'?");
	kit_bad("param x : number = \"a\" \"p\"", 1, 20, "x is a number, this is not");
	kit_bad("param x : number = 3", 1, 21, "expected a string");
	kit_bad("param x : int = 3 \"p\"", 1, 11, "'int' is not number, string or bool");
	kit_bad("param x : number = 3 \"p\" param x : number = 3 \"p\"", 1, 32, "parameter x stands in t.rules already");
}

static void test_profiles_and_parameters_of_others_are_replaced(void **state)
{
	struct kit k = {0};
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out = {0};

	kit_add(&k, "a.rules", RULES "param x : number = 3 \"p\" profile p rules net.* end profile q rules nic.a end", 0);
	kit_add(&k, "b.rules", "param rtt_ms : number = 7 \"mine\" profile p title \"mine\" rules net.a end", TA_RULES_OVERRIDE);
	kit_resolve(&k);
	assert_int_equal(k.diags.total, 0);
	assert_string_equal(ta_profile_title(ta_rules_profile(k.rs, "p")), "mine");
	assert_false(ta_profile_has(ta_rules_profile(k.rs, "p"), ta_rules_find(k.rs, "net.b")));
	assert_true(ta_profile_has(ta_rules_profile(k.rs, "q"), ta_rules_find(k.rs, "nic.a")));
	ta_put_i64(f, 5, "cpu", "online");
	assert_int_equal(ta_rule_eval(k.rs, ta_rules_find(k.rs, "net.a"), ta_rules_profile(k.rs, "p"), f, &out), 0);
	assert_string_equal(out.v[0].wanted, ">= 7");
	ta_outcomes_done(&out);
	kit_done(&k);
}

static void test_cycles_are_faults(void **state)
{
	kit_bad("profile p inherits p end", 1, 20, "profile p inherits itself through p");
	kit_bad("profile a inherits b end profile b inherits c end profile c inherits a end", 0, 0, "inherits itself through");
}

/* p0 … pN, each inheriting the one before, from first to last or the other way round. */
static size_t faults_of_row(int n, bool last_first)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct kit k;
	size_t faults;

	for (int i = 0; i <= n; i++) {
		int p = last_first ? n - i : i;

		if (p)
			ta_buf_printf(&b, "profile p%d inherits p%d end\n", p, p - 1);
		else
			ta_buf_adds(&b, "profile p0 end\n");
	}
	k = kit_load(ta_buf_text(&b));
	for (size_t i = 0; i < k.diags.n; i++)
		assert_non_null(strstr(k.diags.v[i].text, "too many profiles in a row"));
	faults = k.diags.total;
	kit_done(&k);
	return faults;
}

static void test_a_long_row_of_profiles(void **state)
{
	/* However they are ordered, sixteen above one is the most (docs/language.md), and the stack stays small. */
	for (int last_first = 0; last_first < 2; last_first++) {
		assert_int_equal(faults_of_row(16, last_first), 0);
		assert_int_equal(faults_of_row(17, last_first), 1);
		assert_in_range(faults_of_row(100, last_first), 1, 100);
		assert_in_range(faults_of_row(3000, last_first), 1, 3000);
	}
}

static void test_waivers(void **state)
{
	struct kit k = kit_good(RULES
		"waive nic.a subject \"eth0\" because \"lab card\" until \"2027-01-31\" end\n"
		"waive net.a because \"known\" end\n"
		"waive cpu.x because \"old\" until \"2020-02-29\" end\n"
		"waive cpu.x because \"new\" until \"2028-02-29\" end\n");
	const struct ta_waiver *w = ta_rules_waiver(k.rs, "nic.a", "eth0");

	assert_string_equal(w->reason, "lab card");
	assert_string_equal(w->until, "2027-01-31");
	assert_int_equal(w->until_time, 1801439999); /* date -u -d '2027-01-31 23:59:59' +%s */
	assert_null(ta_rules_waiver(k.rs, "nic.a", "eth1"));
	assert_ptr_equal(ta_rules_waiver(k.rs, "nic.a", "eth0 (0000:01:00.0)"), w);
	assert_null(ta_rules_waiver(k.rs, "nic.a", "eth0.100"));
	assert_null(ta_rules_waiver(k.rs, "nic.a", "eth"));
	w = ta_rules_waiver(k.rs, "net.a", "host");
	assert_null(w->until);
	assert_true(w->until_time == INT64_MAX);
	/* Of several the one that holds longest. */
	assert_string_equal(ta_rules_waiver(k.rs, "cpu.x", "host")->reason, "new");
	assert_int_equal(ta_rules_waiver(k.rs, "cpu.x", "host")->until_time, 1835481599);
	kit_done(&k);
}

static void test_faults_of_waivers(void **state)
{
	static const char *const bad[] = {"2027-02-29", "2027-13-01", "2027-00-10", "2027-1-31", "1969-12-31", "soon",
		"2027-01-32", "2027-01-00", "2027/01/31", "20270131"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++) {
		char text[256];

		snprintf(text, sizeof(text), "rule a.b title \"t\" want true end\nwaive a.b because \"x\" until \"%s\" end", bad[i]);
		kit_bad(text, 2, 29, "no such day");
	}
	kit_bad(RULES "waive net.d because \"x\" end", 7, 7, "no rule 'net.d'; did you mean 'net.a'?");
	kit_bad(RULES "waive net.a end", 7, 7, "a waiver needs a reason");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_weights_and_parents),
		cmocka_unit_test(test_faults_of_profiles),
		cmocka_unit_test(test_profiles_and_parameters_of_others_are_replaced),
		cmocka_unit_test(test_cycles_are_faults),
		cmocka_unit_test(test_a_long_row_of_profiles),
		cmocka_unit_test(test_waivers),
		cmocka_unit_test(test_faults_of_waivers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
