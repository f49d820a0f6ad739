/*
 * Texts to rules: what is read, and every fault with its place.
 */
#include "tests/unit/rule_kit.h"

#define WANT " title \"t\"\n want true\n"

static void test_a_whole_stanza(void **state)
{
	struct kit k = kit_good("# a comment\n"
		"rule nic.channels.combined\n"
		"	title     \"One queue per core\"   # and another\n"
		"	why       \"one\"\n"
		"		\"two \\\"three\\\" \\\\\"\n"
		"	ref       \"a\" \"b\"\n"
		"	ref       \"c\"\n"
		"	defaults  \"d\"\n"
		"	advice    \"e\"\n"
		"	severity  error\n"
		"	weight    8\n"
		"	risk      link-flap\n"
		"	direction raise\n"
		"	each      nic in nics\n"
		"	when      nic.physical and nic.up\n"
		"	unsupported nic.channels.combined.max <= 1\n"
		"	want      nic.channels.combined.current >= nic.channels.combined.max\n"
		"	evidence  counters.softnet.dropped > 0\n"
		"	fix       nic.channels(ifname = nic.key, combined = nic.channels.combined.max)\n"
		"	shown     wire, namespace by stream, http\n"
		"	case pass \"x\" { nics = {} }\n"
		"end\n");
	const struct ta_rule *r = ta_rules_first(k.rs);

	assert_string_equal(r->id, "nic.channels.combined");
	assert_string_equal(r->area, "nic");
	assert_string_equal(r->title, "One queue per core");
	assert_string_equal(r->why, "one two \"three\" \\");
	assert_int_equal(r->n_refs, 3);
	assert_string_equal(r->refs[2], "c");
	assert_string_equal(r->defaults, "d");
	assert_string_equal(r->advice, "e");
	assert_int_equal(r->severity, TA_SEV_ERROR);
	assert_int_equal(r->weight, 8);
	assert_int_equal(r->risk, TA_RISK_LINK_FLAP);
	assert_int_equal(r->n_directions, 1);
	assert_int_equal(r->direction[0], TA_DIR_RAISE);
	assert_true(r->shown.said);
	assert_int_equal(r->shown.paths, TA_SHOWN_BIT(TA_SHOWN_WIRE) | TA_SHOWN_BIT(TA_SHOWN_NAMESPACE));
	assert_int_equal(r->shown.workloads, TA_SHOWN_BIT(TA_SHOWN_STREAM) | TA_SHOWN_BIT(TA_SHOWN_HTTP));
	assert_string_equal(r->file, "t.rules");
	assert_int_equal(r->line, 2);
	assert_true(r->trusted);
	assert_null(r->next);
	kit_done(&k);
}

static void test_defaults_of_a_stanza(void **state)
{
	struct kit k = kit_good("rule cpu.x\n" WANT " area power\nend");
	const struct ta_rule *r = ta_rules_first(k.rs);

	assert_int_equal(r->severity, TA_SEV_WARNING);
	assert_int_equal(r->weight, 5);
	assert_int_equal(r->risk, TA_RISK_NONE);
	assert_string_equal(r->area, "power");
	assert_null(r->advice);
	assert_false(r->shown.said);
	kit_done(&k);
}

static void test_rules_come_in_the_order_of_ids(void **state)
{
	struct kit k = kit_good("rule b.a\n" WANT "end rule a.c\n" WANT "end rule a.b\n" WANT "end");
	const struct ta_rule *r = ta_rules_first(k.rs);

	assert_string_equal(r->id, "a.b");
	assert_string_equal(r->next->id, "a.c");
	assert_string_equal(r->next->next->id, "b.a");
	assert_ptr_equal(ta_rules_find(k.rs, "a.c"), r->next);
	assert_null(ta_rules_find(k.rs, "a"));
	assert_string_equal(ta_rules_nearest(k.rs, "a.cc"), "a.c");
	kit_done(&k);
}

static void test_number_suffixes(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	kit_expect("1k == 1000 and 2M == 2000000 and 3G == 3000000000", f, TA_V_PASS);
	kit_expect("1Ki == 1024 and 16Mi == 16777216 and 1Gi == 1073741824", f, TA_V_PASS);
	kit_expect("1.5Gi == 1610612736 and 0.5 < 1 and 2.25 * 4 == 9", f, TA_V_PASS);
	kit_bad_want("5Xi > 3", "no such unit");
	kit_bad_want("5e6 > 3", "no such unit");
	kit_bad_want("18446744073709551616 > 3", "greater than 18446744073709551615");
	kit_bad_want("17179869184Gi > 3", "greater than 18446744073709551615");
}

static void test_precedence(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	kit_expect("1 + 2 * 3 == 7 and (1 + 2) * 3 == 9", f, TA_V_PASS);
	kit_expect("10 - 4 - 3 == 3 and 100 / 10 / 5 == 2", f, TA_V_PASS);
	kit_expect("true or true and false", f, TA_V_PASS);
	kit_expect("(true or true) and false", f, TA_V_FAIL);
	kit_expect("not false and false", f, TA_V_FAIL);
	kit_expect("not 1 == 2", f, TA_V_PASS);
	kit_expect("-2 * -3 == 6 and 5 - -3 == 8", f, TA_V_PASS);
	kit_expect("(if true then 1 else 2) + 1 == 2", f, TA_V_PASS);
	kit_expect("if false then false else true and true", f, TA_V_PASS);
}

static void test_dashes_in_names(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	ta_put_bool(f, true, "nics", "eth0", "features", "tx-tcp-segmentation");
	kit_expect("nics.eth0.features.tx-tcp-segmentation", f, TA_V_PASS);
	ta_put_i64(f, 4, "cpu", "online");
	kit_expect("cpu.online - 1 == 3", f, TA_V_PASS);
	kit_expect("cpu.online -1 == 3", f, TA_V_PASS);
	kit_bad_want("cpu.online-1 == 3", "a subtraction needs blanks around the '-'");
}

/* --- faults ----------------------------------------------------------------------- */

static void test_a_fault_shows_line_and_caret(void **state)
{
	struct kit k = kit_load("rule a.b\n	title \"t\"\n	want  cpu.onlin > 0\nend\n");

	assert_int_equal(k.diags.n, 1);
	assert_string_equal(k.diags.v[0].text,
		"t.rules:3:12: error: no such fact 'onlin'; did you mean 'online'?\n"
		"    	want  cpu.onlin > 0\n"
		"    	          ^~~~~");
	kit_done(&k);
}

static void test_columns_count_characters(void **state)
{
	kit_bad("rule a.b title \"äöü\" want cpu.onlin > 0 end", 1, 31, "no such fact");
}

static void test_all_faults_of_a_file_in_one_run(void **state)
{
	struct kit k = kit_load("rule a.a\n titel \"t\"\n want true\nend\n"		  /* 2 */
				"rule a.b\n title \"t\"\n want 1 +\n weight 11\nend\n"	  /* 8, 8 */
				"rule a.c\n title \"t\n want true\nend\n"			  /* 11 */
				"rule a.d\n title \"t\"\n want true\n risk flap\nend\n"	  /* 17 */
				"rule a.e\n title \"t\"\n want true\nend\n"
				"parm x : number = 1 \"\"\n"				  /* 23 */
				"rule a.f\n title \"t\"\n want nope(1)\nend\n");		  /* 26 */
	static const unsigned lines[] = {2, 8, 8, 11, 17, 23, 26};

	for (size_t i = 0; i < k.diags.n; i++) {
		if (k.diags.v[i].line != lines[i])
			print_error("%s\n", k.diags.v[i].text);
		assert_int_equal(k.diags.v[i].line, lines[i]);
	}
	assert_int_equal(k.diags.n, TA_ARRAY_SIZE(lines));
	/* What has no fault is there. */
	assert_int_equal(k.rc, -EBADMSG);
	assert_non_null(ta_rules_find(k.rs, "a.e"));
	assert_null(ta_rules_find(k.rs, "a.a"));
	kit_done(&k);
}

static void test_messages(void **state)
{
	kit_bad("rule a.b\n titel \"t\"\nend", 2, 2, "a rule has no key 'titel'; did you mean 'title'?");
	kit_bad("rul a.b\nend", 1, 1, "no stanza 'rul'; did you mean 'rule'?");
	kit_bad("rule a.b\n" WANT " severity warnin\nend", 4, 11, "did you mean 'warning'?");
	kit_bad("rule a.b\n" WANT " weight 11\nend", 4, 9, "a number from 1 to 10");
	kit_bad("rule a.b\n" WANT " direction up\nend", 4, 12, "raise, lower, exact or leave");
	kit_bad("rule a.b\n" WANT " title \"again\"\nend", 4, 2, "'title' stands twice");
	kit_bad("rule a.b\n title \"t\"\nend", 1, 6, "rule a.b has no 'want'");
	kit_bad("rule a.b\n want true\nend", 1, 6, "rule a.b has no 'title'");
	kit_bad("rule a.b\n" WANT "rule a.c\n" WANT "end", 4, 1, "the rule before this has no `end`");
	kit_bad("rule a.b\n" WANT, 4, 1, "the rule before this has no `end`");
	kit_bad("rule a.b\n" WANT "end\nrule a.b\n" WANT "end", 5, 6, "rule a.b stands at t.rules:1 already");
	kit_bad_want("\"abc", "the string does not end on its line");
	kit_bad_want("\"a\\n\" == \"b\"", "may follow a backslash");
	kit_bad_want("1 > 1G.9Gi", "a number has no members");
	kit_bad_want("1 ? 2", "this character has no place here");
	kit_bad_want("!true", "write `not` or `!=`");
	kit_bad_want("nics.*.mtu > 3", "all members are written [*]");
	kit_bad_want("1 == not true", "`not` needs parentheses");
	kit_bad_want("cpu.online > ", "expected a value, got 'end'");
	kit_bad("rule a.b\n title \"t\"\n want cpu.online >\n weight 3\nend", 4, 2, "expected a value, got 'weight'");
	kit_bad_want("all(nics : true)", "expected `in`");
	kit_bad_want("al(n in nics : true)", "no function 'al'; did you mean 'all'?");
	kit_bad_want("system(\"x\") == 1", "no function 'system'");
	kit_bad("rule a.b\n" WANT " case pass \"x\" {\nend\nrule a.c\n" WANT "end", 4, 16, "this '{' is not closed");
	kit_bad("rule a.b\n" WANT " case good \"x\" {}\nend", 4, 7, "'good' is not pass, fail");
}

static void test_only_clean_text_is_read(void **state)
{
	kit_bad("rule a.b\n title \"\x1b[31m\"\n want true\nend", 0, 0, "no printable UTF-8");
	kit_bad("rule a.b\n title \"\xff\"\n want true\nend", 0, 0, "no printable UTF-8");
	kit_bad("rule a.b\n title \"\xe2\x80\xae\"\n want true\nend", 0, 0, "no printable UTF-8");
}

static void test_long_lines_are_cut_in_messages(void **state)
{
	char text[4096];
	struct kit k;

	snprintf(text, sizeof(text), "rule a.b title \"%0*d\" want cpu.onlin > 0 end # %0*d", 1500, 0, 1500, 0);
	k = kit_load(text);
	assert_int_equal(k.diags.n, 1);
	assert_true(strlen(k.diags.v[0].text) < 400);
	assert_non_null(strstr(k.diags.v[0].text, "cpu.onlin"));
	kit_done(&k);
}

static void test_overriding(void **state)
{
	struct kit k = {0};

	kit_add(&k, "a.rules", "param x : number = 1 \"p\" rule a.b\n" WANT "end rule a.c\n" WANT "end", TA_RULES_TRUSTED);
	kit_add(&k, "b.rules", "param x : number = 2 \"p\" rule a.b\n title \"mine\" want false weight 2 end", TA_RULES_OVERRIDE);
	assert_int_equal(k.diags.n, 0);
	kit_resolve(&k);
	assert_int_equal(k.rc, 0);
	assert_string_equal(ta_rules_find(k.rs, "a.b")->title, "mine");
	assert_false(ta_rules_find(k.rs, "a.b")->trusted);
	assert_string_equal(ta_rules_first(k.rs)->title, "mine");
	assert_string_equal(ta_rules_first(k.rs)->next->id, "a.c");
	assert_null(ta_rules_first(k.rs)->next->next);
	kit_done(&k);
}

static void test_without_override_a_known_id_is_a_fault(void **state)
{
	struct kit k = {0};

	kit_add(&k, "a.rules", "rule a.b\n" WANT "end", 0);
	kit_add(&k, "b.rules", "rule a.b\n" WANT "end", 0);
	assert_int_equal(k.diags.n, 1);
	assert_string_equal(k.diags.v[0].file, "b.rules");
	kit_done(&k);
	/* Twice in one file is a slip even then. */
	k = (struct kit){0};
	kit_add(&k, "b.rules", "rule a.b\n" WANT "end rule a.b\n" WANT "end", TA_RULES_OVERRIDE);
	assert_int_equal(k.diags.n, 1);
	kit_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_whole_stanza),
		cmocka_unit_test(test_defaults_of_a_stanza),
		cmocka_unit_test(test_rules_come_in_the_order_of_ids),
		cmocka_unit_test(test_number_suffixes),
		cmocka_unit_test(test_precedence),
		cmocka_unit_test(test_dashes_in_names),
		cmocka_unit_test(test_a_fault_shows_line_and_caret),
		cmocka_unit_test(test_columns_count_characters),
		cmocka_unit_test(test_all_faults_of_a_file_in_one_run),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_only_clean_text_is_read),
		cmocka_unit_test(test_long_lines_are_cut_in_messages),
		cmocka_unit_test(test_overriding),
		cmocka_unit_test(test_without_override_a_known_id_is_a_fault),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
