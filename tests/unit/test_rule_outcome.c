/*
 * From a rule to its verdicts: subjects, conditions, fixes and their guard.
 */
#include "tests/unit/rule_kit.h"

static struct kit k;

static struct ta_outcomes judge(const char *lines, const struct ta_facts *f)
{
	struct ta_outcomes out = {0};
	char text[1024];

	snprintf(text, sizeof(text), "rule a.b\n title \"t\"\n%s\nend\n", lines);
	k = kit_good(text);
	assert_int_equal(ta_rule_eval(k.rs, ta_rules_first(k.rs), NULL, f, &out), 0);
	return out;
}

static void done(struct ta_outcomes *out)
{
	ta_outcomes_done(out);
	kit_done(&k);
}

static void expect(const struct ta_outcomes *out, size_t i, const char *subject, enum ta_verdict verdict,
	const char *reason)
{
	assert_true(i < out->n);
	assert_string_equal(out->v[i].subject, subject);
	assert_int_equal(out->v[i].verdict, verdict);
	assert_string_equal(out->v[i].reason, reason);
}

static struct ta_facts *two_nics(void)
{
	struct ta_facts *f = ta_facts_new();

	ta_put_bool(f, true, "nics", "eth1", "up");
	ta_put_i64(f, 9000, "nics", "eth1", "mtu");
	ta_put_bool(f, true, "nics", "eth0", "up");
	ta_put_i64(f, 1500, "nics", "eth0", "mtu");
	return f;
}

static void test_one_outcome_per_member_in_its_order(void **state)
{
	ta_cleanup_facts struct ta_facts *f = two_nics();
	struct ta_outcomes out = judge("each n in nics\nwant n.mtu == 9000", f);

	assert_int_equal(out.n, 2);
	expect(&out, 0, "eth1", TA_V_PASS, "");
	expect(&out, 1, "eth0", TA_V_FAIL, "");
	done(&out);
}

/* Thousands of members that a rule does not apply to are a number; the others are told one by one. */
static void test_many_that_it_does_not_apply_to(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;
	char name[16];

	for (int i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "veth%d", i);
		ta_put_bool(f, i == 999 || i == 3, "nics", name, "up");
		ta_put_i64(f, i, "nics", name, "mtu");
	}
	out = judge("each n in nics\nwhen n.up\nwant n.mtu == 999", f);
	assert_int_equal(out.n, 64 + 2 + 1);
	expect(&out, 0, "veth0", TA_V_NA, "not-applicable");
	expect(&out, 3, "veth3", TA_V_FAIL, "");
	expect(&out, 64, "veth64", TA_V_NA, "not-applicable");
	expect(&out, 65, "veth999", TA_V_PASS, "");
	expect(&out, 66, "nics (934 others)", TA_V_NA, "not-applicable");
	done(&out);
}

static void test_each_over_nothing_is_na(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_put_object(f, "nics");
	out = judge("each n in nics\nwant n.mtu == 9000", f);
	assert_int_equal(out.n, 1);
	expect(&out, 0, "host", TA_V_NA, "empty");
	assert_string_equal(out.v[0].detail, "nics has no members");
	done(&out);
}

static void test_each_over_what_is_absent_is_unknown(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_facts_put_absent(f, TA_KEYS("nics"), TA_DENIED, "no netlink");
	out = judge("each n in nics\nwant n.mtu == 9000", f);
	assert_int_equal(out.n, 1);
	expect(&out, 0, "host", TA_V_UNKNOWN, "denied");
	assert_string_equal(out.v[0].detail, "nics: no netlink");
	done(&out);
}

static void test_each_over_an_incomplete_collection(void **state)
{
	ta_cleanup_facts struct ta_facts *f = two_nics();
	struct ta_outcomes out;

	ta_facts_put_incomplete(f, TA_KEYS("nics"), TA_DENIED, "hidden");
	out = judge("each n in nics\nwant n.mtu == 9000", f);
	assert_int_equal(out.n, 3);
	expect(&out, 2, "nics (others)", TA_V_UNKNOWN, "denied");
	assert_string_equal(out.v[2].detail, "nics may miss members: hidden");
	done(&out);
	/* What rules out every member rules out those that nobody has seen; what might not, does not. */
	ta_put_i64(f, 1, "cpu", "online");
	out = judge("each n in nics\nwhen cpu.online > 1 and n.up\nwant n.mtu == 9000", f);
	assert_int_equal(out.n, 3);
	expect(&out, 2, "nics (others)", TA_V_NA, "not-applicable");
	done(&out);
	ta_put_i64(f, 2, "cpu", "online");
	out = judge("each n in nics\nwhen cpu.online > 1 and n.up\nwant n.mtu == 9000", f);
	expect(&out, 2, "nics (others)", TA_V_UNKNOWN, "denied");
	done(&out);
	/* Empty as far as could be seen: only the unknown one. */
	f = ta_facts_free(f);
	f = ta_facts_new();
	ta_put_object(f, "nics");
	ta_facts_put_incomplete(f, TA_KEYS("nics"), TA_DENIED, "hidden");
	out = judge("each n in nics\nwant n.mtu == 9000", f);
	assert_int_equal(out.n, 1);
	expect(&out, 0, "nics (others)", TA_V_UNKNOWN, "denied");
	done(&out);
}

static void test_each_over_lists(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_facts_put_ints(f, TA_KEYS("cpu", "isolated"), (const int64_t[]){2, 5}, 2);
	ta_facts_put_strs(f, TA_KEYS("modules", "loaded"), (char *[]){(char *)"tls"}, 1);
	out = judge("each c in cpu.isolated\nwant c < 4", f);
	assert_int_equal(out.n, 2);
	expect(&out, 0, "2", TA_V_PASS, "");
	expect(&out, 1, "5", TA_V_FAIL, "");
	done(&out);
	out = judge("each m in modules.loaded\nwant m != \"tls\"", f);
	expect(&out, 0, "tls", TA_V_FAIL, "");
	done(&out);
}

static void test_members_of_one_name_are_one_subject(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	static const int64_t limits[] = {65536, 1024, 4096};
	struct ta_outcomes out;

	for (size_t i = 0; i < 3; i++) {
		const char *pid = (const char *[]){"10", "11", "12"}[i];

		ta_put_str(f, "nginx:80", "processes", pid, "subject");
		ta_put_i64(f, limits[i], "processes", pid, "nofile_hard");
	}
	ta_put_i64(f, 65536, "processes", "99", "nofile_hard");
	out = judge("each p in processes\nwant p.nofile_hard >= 65536", f);
	assert_int_equal(out.n, 2);
	expect(&out, 0, "nginx:80", TA_V_FAIL, "");
	assert_string_equal(out.v[0].actual, "1024");
	/* Without a subject of its own a member is called by its key. */
	expect(&out, 1, "99", TA_V_PASS, "");
	done(&out);
}

static void test_when(void **state)
{
	ta_cleanup_facts struct ta_facts *f = two_nics();
	struct ta_outcomes out = judge("each n in nics\nwhen n.mtu > 1500\nwant false", f);

	expect(&out, 0, "eth1", TA_V_FAIL, "");
	expect(&out, 1, "eth0", TA_V_NA, "not-applicable");
	done(&out);
	/* An unknown condition leaves the verdict unknown. */
	out = judge("each n in nics\nwhen n.physical\nwant true", f);
	expect(&out, 0, "eth1", TA_V_UNKNOWN, "missing");
	done(&out);
}

static void test_unsupported(void **state)
{
	ta_cleanup_facts struct ta_facts *f = two_nics();
	struct ta_outcomes out = judge("each n in nics\nunsupported n.mtu < 9000\nwant false", f);

	expect(&out, 0, "eth1", TA_V_FAIL, "");
	expect(&out, 1, "eth0", TA_V_UNSUPPORTED, "unsupported");
	assert_string_equal(out.v[1].detail, "n.mtu is 1500");
	done(&out);
	/* What is absent because the device answered that it cannot is the answer; other absences are unknown. */
	ta_facts_put_absent(f, TA_KEYS("nics", "eth0", "channels"), TA_UNSUPPORTED, "the driver has none");
	out = judge("each n in nics\nunsupported n.channels.combined.max < 2\nwant true", f);
	expect(&out, 0, "eth1", TA_V_UNKNOWN, "missing");
	expect(&out, 1, "eth0", TA_V_UNSUPPORTED, "unsupported");
	assert_non_null(strstr(out.v[1].detail, "the driver has none"));
	done(&out);
	/* Without the key such a fact is an unknown like any other. */
	out = judge("each n in nics\nwant n.channels.combined.max > 1", f);
	expect(&out, 1, "eth0", TA_V_UNKNOWN, "unsupported");
	done(&out);
}

/* --- fixes -------------------------------------------------------------------------------- */

static const char *argument(const struct ta_outcome *o, const char *name)
{
	for (size_t i = 0; i < o->fix.n_args; i++)
		if (strcmp(o->fix.args[i].name, name) == 0)
			return json_object_to_json_string_ext(o->fix.args[i].value, JSON_C_TO_STRING_PLAIN);
	return "none";
}

static void test_a_fix_comes_with_its_arguments(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
	out = judge("want sysctl[\"net.core.somaxconn\"] >= 4096\ndirection raise\n"
		    "fix sysctl.set(key = \"net.core.somaxconn\", value = max(4096, 2 * 4Ki))", f);
	expect(&out, 0, "host", TA_V_FAIL, "");
	assert_true(out.v[0].has_fix);
	assert_string_equal(out.v[0].fix.fixer, "sysctl.set");
	assert_int_equal(out.v[0].fix.n_args, 2);
	assert_string_equal(argument(&out.v[0], "key"), "\"net.core.somaxconn\"");
	assert_string_equal(argument(&out.v[0], "value"), "8192");
	assert_int_equal(out.v[0].fix.n_directions, 1);
	assert_int_equal(out.v[0].fix.direction[0], TA_DIR_RAISE);
	done(&out);
	ta_put_i64(f, 65535, "sysctl", "net.core.somaxconn");
	out = judge("want sysctl[\"net.core.somaxconn\"] >= 4096\nfix sysctl.set(key = \"a\", value = 1)", f);
	expect(&out, 0, "host", TA_V_PASS, "");
	assert_false(out.v[0].has_fix);
	done(&out);
}

static void test_a_fix_that_cannot_be_worked_out_is_not_offered(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
	out = judge("want sysctl[\"net.core.somaxconn\"] >= 4096\nfix sysctl.set(key = \"a\", value = cpu.online)", f);
	expect(&out, 0, "host", TA_V_FAIL, "");
	assert_false(out.v[0].has_fix);
	assert_string_equal(out.v[0].detail, "the fix cannot be worked out: no value for cpu.online");
	done(&out);
}

/* `direction raise` where the fix would put less than there is: broken, and no fix. */
static void test_raise_never_lowers(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_put_i64(f, 8192, "sysctl", "net.core.somaxconn");
	out = judge("want sysctl[\"net.core.somaxconn\"] >= 9000\ndirection raise\n"
		    "fix sysctl.set(key = \"net.core.somaxconn\", value = 4096)", f);
	expect(&out, 0, "host", TA_V_BROKEN, "direction");
	assert_false(out.v[0].has_fix);
	assert_non_null(strstr(out.v[0].detail, "the fix would lower net.core.somaxconn from 8192 to 4096"));
	done(&out);
	/* The same without a direction is what the rule wants. */
	out = judge("want sysctl[\"net.core.somaxconn\"] >= 9000\n"
		    "fix sysctl.set(key = \"net.core.somaxconn\", value = 4096)", f);
	expect(&out, 0, "host", TA_V_FAIL, "");
	assert_true(out.v[0].has_fix);
	done(&out);
}

static void test_lower_never_raises(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_put_i64(f, 10, "sysctl", "net.core.somaxconn");
	out = judge("want sysctl[\"net.core.somaxconn\"] <= 5\ndirection lower\n"
		    "fix sysctl.set(key = \"net.core.somaxconn\", value = 20)", f);
	expect(&out, 0, "host", TA_V_BROKEN, "direction");
	assert_non_null(strstr(out.v[0].detail, "would raise net.core.somaxconn from 10 to 20"));
	done(&out);
}

static void test_unlimited_is_never_lowered_by_its_number(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	/* 0 is unlimited here: 262144 would be less, though the number is greater. */
	ta_put_i64(f, 0, "sysctl", "net.netfilter.nf_conntrack_max");
	out = judge("want sysctl[\"net.netfilter.nf_conntrack_max\"] < 5\ndirection raise\n"
		    "fix sysctl.set(key = \"net.netfilter.nf_conntrack_max\", value = 262144)", f);
	expect(&out, 0, "host", TA_V_BROKEN, "direction");
	done(&out);
}

static void test_an_element_of_a_vector(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.tcp_rmem"), (const int64_t[]){4096, 131072, 33554432}, 3);
	out = judge("want sysctl[\"net.ipv4.tcp_rmem\"][2] >= 64Mi\ndirection raise\n"
		    "fix sysctl.set(key = \"net.ipv4.tcp_rmem\", index = 2, value = 16Mi)", f);
	expect(&out, 0, "host", TA_V_BROKEN, "direction");
	done(&out);
	out = judge("want sysctl[\"net.ipv4.tcp_rmem\"][2] >= 64Mi\ndirection raise\n"
		    "fix sysctl.set(key = \"net.ipv4.tcp_rmem\", index = 2, value = 64Mi)", f);
	expect(&out, 0, "host", TA_V_FAIL, "");
	assert_true(out.v[0].has_fix);
	done(&out);
}

static void test_every_element_in_its_own_direction(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	static const char rule[] = "want sysctl[\"net.ipv4.ip_local_port_range\"][1] >= 65535\n"
		"direction lower, raise\n"
		"fix sysctl.set(key = \"net.ipv4.ip_local_port_range\", value = [1024, 65535])";
	static const char *const key[] = {"sysctl", "net.ipv4.ip_local_port_range", NULL};
	struct ta_outcomes out;

	ta_facts_put_ints(f, key, (const int64_t[]){32768, 60999}, 2);
	out = judge(rule, f);
	assert_string_equal(argument(&out.v[0], "value"), "[1024,65535]");
	done(&out);
	/* Somebody went lower already: that element stays. */
	ta_facts_put_ints(f, key, (const int64_t[]){1000, 60999}, 2);
	out = judge(rule, f);
	expect(&out, 0, "host", TA_V_FAIL, "");
	assert_string_equal(argument(&out.v[0], "value"), "[1000,65535]");
	done(&out);
	/* Nothing would move but the wrong way. */
	ta_facts_put_ints(f, key, (const int64_t[]){1000, 60999}, 2);
	out = judge("want sysctl[\"net.ipv4.ip_local_port_range\"][1] >= 65535\ndirection lower, leave\n"
		    "fix sysctl.set(key = \"net.ipv4.ip_local_port_range\", value = [1024, 65535])", f);
	expect(&out, 0, "host", TA_V_BROKEN, "direction");
	done(&out);
}

static void test_other_knobs_are_guarded_by_what_is_compared(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	ta_put_i64(f, 16, "nics", "eth0", "channels", "combined", "current");
	ta_put_i64(f, 32, "nics", "eth0", "channels", "combined", "max");
	ta_put_i64(f, 9000, "nics", "eth0", "mtu");
	out = judge("each n in nics\ndirection raise\nwant n.channels.combined.current >= n.channels.combined.max\n"
		    "fix nic.channels(ifname = n.key, combined = 8)", f);
	expect(&out, 0, "eth0", TA_V_BROKEN, "direction");
	assert_non_null(strstr(out.v[0].detail, "lower n.channels.combined.current from 16 to 8"));
	done(&out);
	out = judge("each n in nics\ndirection raise\nwant 20 <= n.channels.combined.current\n"
		    "fix nic.channels(ifname = n.key, combined = n.channels.combined.max)", f);
	expect(&out, 0, "eth0", TA_V_FAIL, "");
	assert_string_equal(argument(&out.v[0], "combined"), "32");
	assert_string_equal(argument(&out.v[0], "ifname"), "\"eth0\"");
	done(&out);
	/* No path names the parameter; the fix sets one number only: it is the compared one. */
	out = judge("each n in nics\ndirection raise\nwant n.mtu >= 9100\nfix nic.channels(ifname = n.key, rx = 1500)", f);
	expect(&out, 0, "eth0", TA_V_BROKEN, "direction");
	done(&out);
}

static void test_arguments_without_a_number(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out;

	/* The number that means unlimited can be written, the word cannot where an integer is asked for. */
	ta_put_i64(f, 0, "sysctl", "net.netfilter.nf_conntrack_max");
	ta_put_unlimited(f, "limits", "file_max");
	ta_put_i64(f, 4, "cpu", "online");
	out = judge("want cpu.online > 9\nfix sysctl.set(key = \"a\", value = sysctl[\"net.netfilter.nf_conntrack_max\"])", f);
	assert_string_equal(argument(&out.v[0], "value"), "0");
	done(&out);
	out = judge("want cpu.online > 9\nfix nic.channels(ifname = \"e\", rx = limits.file_max)", f);
	expect(&out, 0, "host", TA_V_FAIL, "");
	assert_false(out.v[0].has_fix);
	assert_non_null(strstr(out.v[0].detail, "rx would be unlimited"));
	done(&out);
	out = judge("want cpu.online > 9\nfix sysctl.set(key = \"a\", value = [-5, 18446744073709551615])", f);
	assert_string_equal(argument(&out.v[0], "value"), "[-5,18446744073709551615]");
	done(&out);
}

static void test_arguments_have_their_types(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	struct ta_outcomes out = {0};

	ta_put_i64(f, 4, "cpu", "online");
	k = kit_good("param share : number = 0.5 \"p\" rule a.b title \"t\" want cpu.online > 9\n"
		     "fix nic.channels(ifname = \"eth0\", combined = share) end");
	assert_int_equal(ta_rule_eval(k.rs, ta_rules_first(k.rs), NULL, f, &out), 0);
	expect(&out, 0, "host", TA_V_BROKEN, "type");
	done(&out);
}

static void test_brief_leaves_out_why_a_rule_passes(void **state)
{
	ta_cleanup_facts struct ta_facts *f = two_nics();
	struct ta_outcomes out = judge(" each n in nics\n want n.mtu >= 9000", f), brief = {0};

	assert_int_equal(ta_rule_eval_brief(k.rs, ta_rules_first(k.rs), NULL, f, &brief), 0);
	assert_int_equal(brief.n, out.n);
	for (size_t i = 0; i < out.n; i++) {
		assert_int_equal(brief.v[i].verdict, out.v[i].verdict);
		assert_true(*out.v[i].because);
		assert_string_equal(brief.v[i].because, out.v[i].verdict == TA_V_PASS ? "" : out.v[i].because);
	}
	ta_outcomes_done(&brief);
	done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_outcome_per_member_in_its_order),
		cmocka_unit_test(test_many_that_it_does_not_apply_to),
		cmocka_unit_test(test_each_over_nothing_is_na),
		cmocka_unit_test(test_each_over_what_is_absent_is_unknown),
		cmocka_unit_test(test_each_over_an_incomplete_collection),
		cmocka_unit_test(test_each_over_lists),
		cmocka_unit_test(test_members_of_one_name_are_one_subject),
		cmocka_unit_test(test_when),
		cmocka_unit_test(test_unsupported),
		cmocka_unit_test(test_a_fix_comes_with_its_arguments),
		cmocka_unit_test(test_a_fix_that_cannot_be_worked_out_is_not_offered),
		cmocka_unit_test(test_raise_never_lowers),
		cmocka_unit_test(test_lower_never_raises),
		cmocka_unit_test(test_unlimited_is_never_lowered_by_its_number),
		cmocka_unit_test(test_an_element_of_a_vector),
		cmocka_unit_test(test_every_element_in_its_own_direction),
		cmocka_unit_test(test_other_knobs_are_guarded_by_what_is_compared),
		cmocka_unit_test(test_arguments_without_a_number),
		cmocka_unit_test(test_arguments_have_their_types),
		cmocka_unit_test(test_brief_leaves_out_why_a_rule_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
