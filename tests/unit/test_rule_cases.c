/*
 * The cases of rules: read late, held against what the rule says.
 */
#include "tests/unit/rule_kit.h"

#define RULE                                                                                       \
	"param low : number = 1500 unit bytes \"p\"\n"                                              \
	"rule a.b\n title \"t\"\n each n in nics\n when n.up\n want n.mtu >= low and limits.file_max > 5 and "     \
	"kernel.release != \"x\" and count(processes) >= 0 and [1] != n.rps[\"rx-0\"]\n"           \
	" case pass \"p\" { nics.eth0.up = true nics.eth0.mtu = 9000 limits.file_max = unlimited kernel.release = \"6\" " \
	"processes = {} nics.eth0.rps[\"rx-0\"] = [0, 1] }\n"                                           \
	" case fail \"f\" { nics.eth0.up = true nics.eth0.mtu = 9000 param low = 9001 }\n"             \
	" case unknown \"u\" { nics.eth0.up = true }\n"

static size_t run(const char *text, struct kit *k)
{
	size_t n = 0;

	*k = kit_good(text);
	assert_int_equal(ta_rule_run_cases(k->rs, ta_rules_first(k->rs), &k->diags, &n), 0);
	return n;
}

static void test_cases_that_hold(void **state)
{
	struct kit k;

	assert_int_equal(run(RULE " case na \"n\" { nics = { } }\n"
		" case unknown \"i\" { nics = {} incomplete nics denied \"hidden\" }\n"
		" case unknown \"a\" { absent nics denied }\nend", &k), 6);
	for (size_t i = 0; i < k.diags.n; i++)
		print_error("%s\n", k.diags.v[i].text);
	assert_int_equal(k.diags.n, 0);
	kit_done(&k);
}

static void test_the_worst_of_several_subjects_counts(void **state)
{
	struct kit k;

	assert_int_equal(run(RULE " case fail \"two\" { nics.eth0.up = true nics.eth0.mtu = 100\n"
		" nics.eth1.up = true nics.eth2.up = false }\nend", &k), 4);
	assert_int_equal(k.diags.n, 0);
	kit_done(&k);
}

static void test_a_case_that_does_not_hold(void **state)
{
	struct kit k;

	run(RULE " case pass \"wrong\" { nics.eth0.up = true nics.eth0.mtu = 10 }\nend", &k);
	assert_int_equal(k.diags.n, 1);
	assert_int_equal(k.diags.v[0].line, 10);
	assert_non_null(strstr(k.diags.v[0].text, "case \"wrong\" should be pass, it is fail: n.mtu is 10, wanted >= 1500 (low)"));
	kit_done(&k);
}

static void test_three_cases_are_asked_for(void **state)
{
	struct kit k;

	assert_int_equal(run("rule a.b title \"t\" want cpu.online > 1 end", &k), 0);
	assert_int_equal(k.diags.n, 3);
	assert_non_null(strstr(k.diags.v[0].text, "rule a.b has no case pass"));
	assert_non_null(strstr(k.diags.v[1].text, "rule a.b has no case fail"));
	assert_non_null(strstr(k.diags.v[2].text, "rule a.b has no case unknown"));
	kit_done(&k);
}

static void bad_case(const char *body, unsigned column, const char *message)
{
	char text[2048];
	struct kit k;

	snprintf(text, sizeof(text), "%s case fail \"x\" {%s}\nend", RULE, body);
	run(text, &k);
	if (k.diags.n != 1 || !strstr(k.diags.v[0].text, message))
		for (size_t i = 0; i < k.diags.n; i++)
			print_error("%s\n", k.diags.v[i].text);
	assert_int_equal(k.diags.n, 1);
	assert_int_equal(k.diags.v[0].line, 10);
	assert_int_equal(k.diags.v[0].column, 16 + column);
	assert_non_null(strstr(k.diags.v[0].text, message));
	kit_done(&k);
}

static void test_faults_in_cases(void **state)
{
	bad_case("nics.eth0.mtuu = 3", 11, "no such fact 'mtuu'; did you mean 'mtu'?");
	bad_case("nics.eth0.mtu = \"x\"", 17, "nics.*.mtu is an integer");
	bad_case("nics.eth0.up = 1", 16, "nics.*.up is true or false");
	bad_case("kernel.version = 5", 18, "kernel.version is a list of integers");
	bad_case("kernel.version = [5, \"x\"]", 22, "kernel.version is a list of integers");
	bad_case("nics.eth0 = 5", 1, "a group of facts has no value of its own");
	bad_case("nics.eth0.mtu = {}", 1, "nics.*.mtu is no collection");
	bad_case("absent nics denid", 13, "no reason 'denid'; did you mean 'denied'?");
	bad_case("incomplete kernel denied", 12, "only collections can be incomplete");
	bad_case("param hi = 5", 7, "no parameter 'hi'");
	bad_case("param low = \"x\"", 13, "low is a number");
	bad_case("nics.eth0.mtu 5", 15, "expected '='");
	bad_case("limits.nr_open = unlimited", 18, "limits.nr_open is an integer");
	bad_case("nics[1.5].mtu = 3", 6, "a key: a string or a number");
}

static void test_cases_cost_nothing_at_load(void **state)
{
	/* Nothing in the braces is looked at before the cases run. */
	struct kit k = kit_good("rule a.b title \"t\" want true case fail \"x\" { \"}\" # }\n nonsense ( { } }\nend");
	size_t n;

	assert_int_equal(ta_rule_run_cases(k.rs, ta_rules_first(k.rs), &k.diags, &n), 0);
	kit_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases_that_hold),
		cmocka_unit_test(test_the_worst_of_several_subjects_counts),
		cmocka_unit_test(test_a_case_that_does_not_hold),
		cmocka_unit_test(test_three_cases_are_asked_for),
		cmocka_unit_test(test_faults_in_cases),
		cmocka_unit_test(test_cases_cost_nothing_at_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
