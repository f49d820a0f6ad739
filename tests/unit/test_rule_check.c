/*
 * What the checker refuses before a host is read, and what it says a rule needs.
 */
#include "tests/unit/rule_kit.h"

static void test_every_path_must_be_declared(void **state)
{
	kit_bad_want("cpu.onlin > 0", "no such fact 'onlin'; did you mean 'online'?");
	kit_bad_want("cpuu.online > 0", "no such fact, parameter or variable 'cpuu'; did you mean 'cpu'?");
	kit_bad_want("rtt_m > 0", "no such fact, parameter or variable 'rtt_m'");
	kit_bad_want("not any(n in nics : n.chanels.combined.max > 1)", "no such fact 'chanels'; did you mean 'channels'?");
	kit_bad_want("sysctl[\"net.core.somaxcon\"] > 1", "no such fact 'net.core.somaxcon'; did you mean 'net.core.somaxconn'?");
	kit_bad_want("sysctl[kernel.release] > 1", "only a written key can choose among them");
	kit_bad_want("cpu.online.x > 0", "an integer has no members, also no 'x'");
	kit_bad_want("all(n in cpu : true)", "a group of facts is no collection and no list");
	kit_bad_want("cpu.key == \"x\"", "no such fact 'key'");
}

static void test_different_types_never_compare(void **state)
{
	kit_bad_want("cpu.online == \"4\"", "comparison of two different types: an integer and a string");
	kit_bad_want("kernel.release == 5", "comparison of two different types: a string and an integer");
	kit_bad_want("kernel.version >= 5", "two different types: a list of integers and an integer");
	kit_bad_want("kernel.version == [\"5\"]", "two different types");
	kit_bad_want("cpu.online == true", "two different types");
	kit_bad_want("nics == nics", "two different types");
	kit_bad_want("kernel.release < \"6\"", "a string has no order");
	kit_bad_want("true < false", "has no order");
	kit_bad_want("1 in modules.loaded", "an integer among values of another type");
	kit_bad_want("\"a\" in cpu.online", "`in` needs a list or a collection");
	kit_bad_want("1 + \"a\" == 2", "this must be a number, it is a string");
	kit_bad_want("cpu.online", "this must be true or false, it is an integer");
	kit_bad_want("not cpu.online", "this must be true or false");
	kit_bad_want("(if true then 1 else \"a\") == 1", "this is a string, the other value is an integer");
	kit_bad_want("[1, \"a\"] == [1]", "this is a string, the other value is an integer");
	kit_bad_want("min(kernel.release, 1) == 1", "this must be a number");
	kit_bad_want("max(modules.loaded) == 1", "max() takes numbers, not a string");
	kit_bad_want("sum(n.driver for n in nics) == 1", "sum() takes numbers, not a string");
	kit_bad_want("-kernel.release == 1", "this must be a number");
	kit_bad_want("auto > 1", "auto is not greater or less");
	kit_bad_want("-9223372036854775809 < 0", "less than -9223372036854775808");
}

static void test_strings_compare_with_string_facts(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	ta_put_str(f, "6.1", "kernel", "release");
	kit_expect("kernel.release == \"6.1\" and \"6.1\" == kernel.release and kernel.release in [\"6.1\"]", f, TA_V_PASS);
}

static void test_arguments_of_functions(void **state)
{
	kit_bad_want("count(cpu.online, 1) == 1", "count() takes one list or collection");
	kit_bad_want("count() == 1", "count() takes one list or collection");
	kit_bad_want("floor(1, 2) == 1", "floor() takes one number");
	kit_bad_want("floor(n.mtu for n in nics) == 1", "floor() takes one number");
	kit_bad_want("min() == 1", "min() takes one list or collection");
	kit_bad_want("distinct(nics) == 1", "groups of facts cannot be compared");
}

static void test_variables_never_hide_anything(void **state)
{
	kit_bad_want("all(n in nics : any(n in numa : n.physical_cores > 0))", "has the name of another variable");
	kit_bad_want("all(cpu in nics : true)", "has the name of facts");
	kit_bad_want("all(min in nics : true)", "has the name of a function");
	kit_bad("param x : number = 1 \"p\" rule a.b title \"t\" want all(x in nics : true) end", 0, 0,
		"has the name of a parameter");
	kit_bad("rule a.b title \"t\" each cpu in nics want cpu.mtu > 0 end", 0, 0, "has the name of facts");
	kit_bad("rule a.b title \"t\" each n in nics want cpu.online > 0 end", 0, 0, "the variable 'n' is never used");
	kit_bad("param cpu : number = 1 \"p\"", 1, 7, "'cpu' is the name of facts");
}

static void test_loops_inside_loops_are_bounded(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

#define EIGHT "all(a in nics : all(b in nics : all(c in nics : all(d in nics : all(e in nics : all(g in nics : " \
	      "all(h in nics : all(i in nics : "
	kit_expect(EIGHT "i.up))))))))", f, TA_V_UNKNOWN);
	kit_bad_want(EIGHT "all(j in nics : j.up)))))))))", "more than 8 variables inside each other");
#undef EIGHT
}

static void test_fixes(void **state)
{
#define RULE "rule a.b\n title \"t\"\n want cpu.online > 0\n fix "
	kit_bad(RULE "sysctl.sett(key = \"a\", value = 1)\nend", 4, 6, "no fixer 'sysctl.sett'; did you mean 'sysctl.set'?");
	kit_bad(RULE "sysctl.set(key = \"a\")\nend", 4, 6, "sysctl.set needs the parameter 'value'");
	kit_bad(RULE "sysctl.set(key = \"a\", value = 1, indx = 2)\nend", 4, 39, "did you mean 'index'?");
	kit_bad(RULE "sysctl.set(key = 5, value = 1)\nend", 4, 23, "key takes a string, this is an integer");
	kit_bad(RULE "sysctl.set(key = \"a\", value = 1, index = 1 / 2)\nend", 4, 47, "round with floor() or ceil()");
	kit_bad(RULE "sysctl.set(key = \"a\", value = 1, value = 2)\nend", 4, 39, "'value' stands twice");
	kit_bad(RULE "sysctl.set(key = \"a\", value = nics)\nend", 0, 0, "value takes");
	kit_bad(RULE "sysctl.set(key = \"a\", value = 1)\n direction raise, lower\nend", 0, 0,
		"2 directions need a list");
	kit_bad(RULE "sysctl.set(key = \"a\", value = [1, 2, 3])\n direction raise, lower\nend", 0, 0,
		"2 directions for a list of 3");
#undef RULE
}

static void test_a_rule_with_faults_is_broken(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct kit k = kit_load("rule a.b title \"t\" want cpu.onlin > 0 end");
	struct ta_outcomes out = {0};

	assert_int_equal(ta_rule_eval(k.rs, ta_rules_find(k.rs, "a.b"), NULL, f, &out), 0);
	assert_int_equal(out.n, 1);
	assert_int_equal(out.v[0].verdict, TA_V_BROKEN);
	ta_outcomes_done(&out);
	kit_done(&k);
}

static void expect_strv(struct ta_strv *v, const char *joined)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_strv_sort(v);
	for (size_t i = 0; i < v->n; i++)
		ta_buf_printf(&b, "%s%s", i ? " " : "", v->v[i]);
	assert_string_equal(ta_buf_text(&b), joined);
	ta_strv_done(v);
}

static void test_what_a_rule_needs(void **state)
{
	struct kit k = kit_good(
		"rule a.each title \"t\" each n in nics when cpu.online > 1 want n.channels.combined.max > 0\n"
		" evidence counters.softnet.dropped > 0 fix sysctl.set(key = \"a\", value = sysctl[\"net.core.somaxconn\"]) end\n"
		"rule a.key title \"t\" each n in nics want n.key != \"x\" end\n"
		"rule a.loop title \"t\" want distinct(q.effective[0] for q in irqs if q.device == \"x\") == 1 end\n"
		"rule a.index title \"t\" each n in nics want numa[n.numa_node].physical_cores > 1 end\n"
		"rule a.star title \"t\" want max(nics[*].channels.combined.max) > 1 end\n"
		"rule a.nested title \"t\" each n in nics want all(r in n.rps : 0 in r) and count(nics[\"eth0\"].features) > 1\n"
		" and all(p in cpu.policies : count(nics[p.governor].rps) > 1) end\n"
		"rule a.subject title \"t\" each p in processes want p.comm != \"x\" end\n"
		"rule a.count title \"t\" want count(nics) > 1 and \"x\" in processes end\n");
	struct ta_strv v = TA_STRV_INIT;

	ta_rule_owners(ta_rules_find(k.rs, "a.each"), &v);
	expect_strv(&v, "ethtool nic other sysctl");
	ta_rule_paths(ta_rules_find(k.rs, "a.each"), &v);
	expect_strv(&v, "counters.softnet.dropped cpu.online nics nics.*.channels.combined.max sysctl[\"net.core.somaxconn\"]");
	ta_rule_owners(ta_rules_find(k.rs, "a.key"), &v);
	expect_strv(&v, "nic");
	ta_rule_paths(ta_rules_find(k.rs, "a.loop"), &v);
	expect_strv(&v, "irqs irqs.*.device irqs.*.effective");
	ta_rule_paths(ta_rules_find(k.rs, "a.index"), &v);
	expect_strv(&v, "nics nics.*.numa_node numa.*.physical_cores");
	ta_rule_owners(ta_rules_find(k.rs, "a.star"), &v);
	expect_strv(&v, "ethtool nic");
	ta_rule_paths(ta_rules_find(k.rs, "a.count"), &v);
	expect_strv(&v, "nics processes");
	ta_rule_paths(ta_rules_find(k.rs, "a.nested"), &v);
	expect_strv(&v, "cpu.policies cpu.policies.*.governor nics nics.*.rps nics.*.rps.* nics.eth0.features");
	ta_rule_owners(ta_rules_find(k.rs, "a.nested"), &v);
	expect_strv(&v, "ethtool nic other");
	ta_rule_owners(ta_rules_find(k.rs, "a.subject"), &v);
	expect_strv(&v, "other");
	kit_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_path_must_be_declared),
		cmocka_unit_test(test_different_types_never_compare),
		cmocka_unit_test(test_strings_compare_with_string_facts),
		cmocka_unit_test(test_arguments_of_functions),
		cmocka_unit_test(test_variables_never_hide_anything),
		cmocka_unit_test(test_loops_inside_loops_are_bounded),
		cmocka_unit_test(test_fixes),
		cmocka_unit_test(test_a_rule_with_faults_is_broken),
		cmocka_unit_test(test_what_a_rule_needs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
