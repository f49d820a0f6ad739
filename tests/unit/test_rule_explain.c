/*
 * What the engine says by itself.
 */
#include "tests/unit/rule_kit.h"

static struct ta_facts *host(void)
{
	struct ta_facts *f = ta_facts_new();

	ta_put_i64(f, 4, "nics", "eth0", "channels", "combined", "current");
	ta_put_i64(f, 8, "nics", "eth0", "channels", "combined", "max");
	ta_put_i64(f, 0, "nics", "eth0", "numa_node");
	ta_put_bool(f, true, "nics", "eth0", "up");
	ta_put_i64(f, 1500, "nics", "eth0", "mtu");
	ta_put_i64(f, 16, "numa", "0", "physical_cores");
	ta_put_i64(f, 4, "cpu", "online");
	ta_put_str(f, "nginx", "processes", "812", "comm");
	ta_put_i64(f, 4096, "processes", "812", "nofile_hard");
	ta_put_str(f, "sshd", "processes", "9", "comm");
	ta_put_i64(f, 524288, "processes", "9", "nofile_hard");
	ta_put_i64(f, 1048576, "limits", "nr_open");
	ta_facts_put_strs(f, TA_KEYS("modules", "loaded"), (char *[]){(char *)"tls"}, 1);
	ta_facts_put_ints(f, TA_KEYS("kernel", "version"), (const int64_t[]){5, 10, 0}, 3);
	ta_facts_put_ints(f, TA_KEYS("nics", "eth0", "rps", "rx-0"), (const int64_t[]){0, 1, 2, 3, 8}, 5);
	ta_put_i64(f, 0, "sysctl", "net.netfilter.nf_conntrack_max");
	return f;
}

/* The outcome of the first subject of a rule over `each`. */
static struct ta_outcomes judge(const char *lines, const struct ta_facts *f)
{
	struct ta_outcomes out = {0};
	char text[1024];
	struct kit k;

	snprintf(text, sizeof(text), "rule a.b\n title \"t\"\n%s\nend\n", lines);
	k = kit_good(text);
	assert_int_equal(ta_rule_eval(k.rs, ta_rules_first(k.rs), NULL, f, &out), 0);
	assert_true(out.n >= 1);
	kit_done(&k);
	return out;
}

static void test_the_sentence_of_the_manual(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	struct ta_outcomes out = judge("each nic in nics\n"
		"want nic.channels.combined.current >= min(nic.channels.combined.max, numa[nic.numa_node].physical_cores)", f);

	assert_int_equal(out.v[0].verdict, TA_V_FAIL);
	assert_string_equal(out.v[0].subject, "eth0");
	assert_string_equal(out.v[0].actual, "4");
	assert_string_equal(out.v[0].wanted, ">= 8");
	assert_string_equal(out.v[0].because, "nic.channels.combined.current is 4, wanted >= 8 "
		"(min of nic.channels.combined.max 8, numa[\"0\"].physical_cores 16)");
	ta_outcomes_done(&out);
}

static void test_the_variable_side_is_named(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_because("65536 <= processes[812].nofile_hard", f,
		"processes[\"812\"].nofile_hard is 4096, wanted >= 65536");
	kit_expect_because("65536 <= processes[812].nofile_hard <= limits.nr_open", f,
		"processes[\"812\"].nofile_hard is 4096, wanted >= 65536");
	kit_expect_because("0 <= processes[9].nofile_hard <= 4096", f,
		"processes[\"9\"].nofile_hard is 524288, wanted <= 4096");
	kit_expect_because("8 > cpu.online", f, "cpu.online is 4, wanted < 8");
	kit_expect_because("8 == cpu.online", f, "cpu.online is 4, wanted == 8");
	/* A parameter is the author's side too. */
	kit_expect_because("rtt_ms <= cpu.online", f, "cpu.online is 4, wanted >= 20 (rtt_ms)");
}

static void test_where_the_wanted_value_comes_from(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_because("cpu.online >= limits.nr_open", f, "cpu.online is 4, wanted >= 1048576 (limits.nr_open)");
	kit_expect_because("cpu.online >= limits.nr_open / 4", f,
		"cpu.online is 4, wanted >= 262144 (limits.nr_open / 4; limits.nr_open 1048576)");
	kit_expect_because("cpu.online == (if any(p in processes : p.comm == \"nginx\") then 8 else 16)", f,
		"cpu.online is 4, wanted == 8 (as any(p in processes : p.comm == \"nginx\"))");
	kit_expect_because("cpu.online * 2 >= 16", f, "cpu.online * 2 is 8 (cpu.online 4), wanted >= 16");
	kit_expect_because("max(p.nofile_hard for p in processes if p.comm != \"sshd\") > 65536", f,
		"max(p.nofile_hard for p in processes if p.comm != \"sshd\") is 4096, wanted > 65536");
	kit_expect_because("kernel.version >= [5, 19]", f, "kernel.version is [5, 10, 0], wanted >= [5, 19]");
	kit_expect_because("cpu.online < max(2, 1 + 2)", f, "cpu.online is 4, wanted < 3 (max of 2, 3)");
}

static void test_compound_wants_name_who_decides(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_because("cpu.online >= 2 and nics.eth0.mtu >= 9000 and cpu.online > 9", f,
		"nics.eth0.mtu is 1500, wanted >= 9000");
	kit_expect_because("cpu.online >= 8 or nics.eth0.mtu >= 9000", f,
		"cpu.online is 4, wanted >= 8; or nics.eth0.mtu is 1500, wanted >= 9000");
	kit_expect_because("cpu.online >= 8 or nics.eth0.mtu >= 1500", f, "nics.eth0.mtu is 1500, wanted >= 1500");
	kit_expect_because("not (cpu.online >= 2 and nics.eth0.up)", f,
		"cpu.online is 4, wanted < 2; or nics.eth0.up is true, wanted false");
	kit_expect_because("not cpu.online == 4", f, "cpu.online is 4, wanted != 4");
	kit_expect_because("not nics.eth0.up", f, "nics.eth0.up is true, wanted false");
	kit_expect_because("all(p in processes : p.nofile_hard >= 65536)", f,
		"p.nofile_hard is 4096, wanted >= 65536 (p is processes.812)");
	kit_expect_because("any(p in processes : p.comm == \"redis\")", f,
		"none of the 2 in processes has p.comm == \"redis\"");
	ta_put_object(f, "listeners");
	kit_expect_because("any(l in listeners : l.backlog_min > 5)", f, "listeners has no members");
	kit_expect_because("not any(p in processes : p.nofile_hard < 65536)", f,
		"p.nofile_hard is 4096, wanted >= 65536 (p is processes.812)");
	kit_expect_because("if nics.eth0.up then cpu.online > 4 else true", f,
		"cpu.online is 4, wanted > 4 (as nics.eth0.up is true)");
	kit_expect_because("\"nf_conntrack\" in modules.loaded", f,
		"modules.loaded does not hold \"nf_conntrack\", wanted with it");
	kit_expect_because("not \"tls\" in modules.loaded", f, "modules.loaded holds \"tls\", wanted without it");
	kit_expect_because("cpu.online in [8, 16]", f, "cpu.online is 4, wanted in [8, 16]");
	kit_expect_because("not cpu.online in [4, 16]", f, "cpu.online is 4, wanted not in [4, 16]");
}

static void test_actual_and_wanted_are_of_the_comparison(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	struct ta_outcomes out = kit_want("not nics.eth0.up or nics.eth0.mtu >= 9000", f);

	/* The condition before it says when it holds, not what is wanted. */
	assert_string_equal(out.v[0].actual, "1500");
	assert_string_equal(out.v[0].wanted, ">= 9000");
	ta_outcomes_done(&out);
	out = kit_want("nics.eth0.mtu >= 1500", f);
	assert_int_equal(out.v[0].verdict, TA_V_PASS);
	assert_string_equal(out.v[0].actual, "1500");
	assert_string_equal(out.v[0].because, "nics.eth0.mtu is 1500, wanted >= 1500");
	ta_outcomes_done(&out);
}

static void test_values_for_people(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_because("nics.eth0.rps[\"rx-0\"] == [0]", f, "nics.eth0.rps[\"rx-0\"] is 0-3,8, wanted == [0]");
	kit_expect_because("sysctl[\"net.netfilter.nf_conntrack_max\"] < 5", f,
		"sysctl[\"net.netfilter.nf_conntrack_max\"] is 0 (unlimited), wanted < 5");
	ta_facts_put_ints(f, TA_KEYS("cpu", "isolated"), NULL, 0);
	kit_expect_because("cpu.isolated != []", f, "cpu.isolated is none, wanted != []");
	ta_put_str(f, "a \"quoted\" \\ name", "kernel", "release");
	kit_expect_because("kernel.release == \"x\"", f, "kernel.release is \"a \\\"quoted\\\" \\\\ name\", wanted == \"x\"");
	kit_expect_because("cpu.online / 3 > 2", f, "cpu.online / 3 is 1.33333 (cpu.online 4), wanted > 2");
	kit_expect_because("limits.nr_open / 3 < 2", f, "limits.nr_open / 3 is 349525.3 (limits.nr_open 1048576), wanted < 2");
}

static void test_na_says_what_does_not_hold(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	struct ta_outcomes out = judge("each nic in nics\nwhen nic.up and nic.mtu > 1500\nwant nic.mtu == 9000", f);

	assert_int_equal(out.v[0].verdict, TA_V_NA);
	assert_string_equal(out.v[0].reason, "not-applicable");
	assert_string_equal(out.v[0].detail, "nic.mtu is 1500, wanted > 1500");
	assert_string_equal(out.v[0].because, "");
	ta_outcomes_done(&out);
}

static void test_evidence_of_several_is_what_shows_it(void **state)
{
	static const char rule[] = "want cpu.online > 4\n"
		"evidence counters.softnet.dropped > 0 or counters.softnet.time_squeeze > 5";
	ta_cleanup_facts struct ta_facts *f = host();
	struct ta_outcomes out;

	ta_put_i64(f, 0, "counters", "softnet", "dropped");
	ta_put_i64(f, 9, "counters", "softnet", "time_squeeze");
	out = judge(rule, f);
	assert_int_equal(out.v[0].n_evidence, 1);
	assert_string_equal(out.v[0].evidence[0], "counters.softnet.time_squeeze is 9");
	ta_outcomes_done(&out);

	/* Where none does, all are told. */
	ta_put_i64(f, 5, "counters", "softnet", "time_squeeze");
	out = judge(rule, f);
	assert_true(out.v[0].evidence_known && !out.v[0].evidence_hurts);
	assert_int_equal(out.v[0].n_evidence, 2);
	ta_outcomes_done(&out);
}

static void test_evidence_that_was_read_twice(void **state)
{
	static const struct {
		double rate;
		const char *text;
	} says[] = {
		{12, "counters.softnet.dropped is 12, rises now: 12/s"},
		{0.017, "counters.softnet.dropped is 12, rises now: 0.017/s"},
		{1234567, "counters.softnet.dropped is 12, rises now: 1234567/s"},
		{0, "counters.softnet.dropped is 12, does not rise now"},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(says); i++) {
		ta_cleanup_facts struct ta_facts *f = host();
		struct ta_outcomes out;

		ta_put_i64(f, 12, "counters", "softnet", "dropped");
		ta_put_real(f, says[i].rate, "rates", "softnet", "dropped");
		out = judge("want cpu.online > 4\nevidence counters.softnet.dropped > 0", f);
		assert_int_equal(out.v[0].n_evidence, 1);
		assert_string_equal(out.v[0].evidence[0], says[i].text);
		ta_outcomes_done(&out);
	}
}

static void test_evidence(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	struct ta_outcomes out;

	ta_put_i64(f, 12, "counters", "softnet", "dropped");
	out = judge("want cpu.online > 4\nevidence counters.softnet.dropped > 0 or counters.softnet.time_squeeze > 5", f);
	assert_int_equal(out.v[0].n_evidence, 1);
	assert_string_equal(out.v[0].evidence[0], "counters.softnet.dropped is 12");
	assert_true(out.v[0].evidence_known);
	assert_true(out.v[0].evidence_hurts);
	ta_outcomes_done(&out);

	out = judge("want cpu.online > 4\nevidence counters.softnet.dropped > 100 or counters.softnet.time_squeeze > 5", f);
	assert_false(out.v[0].evidence_known);
	assert_false(out.v[0].evidence_hurts);
	ta_outcomes_done(&out);

	out = judge("want cpu.online > 4\nevidence counters.softnet.dropped > 100", f);
	assert_true(out.v[0].evidence_known);
	assert_false(out.v[0].evidence_hurts);
	ta_outcomes_done(&out);

	out = judge("want cpu.online > 4\nevidence 1 / (counters.softnet.dropped - 12) > 0", f);
	assert_int_equal(out.v[0].verdict, TA_V_BROKEN);
	ta_outcomes_done(&out);
}

static void test_explain_for_people(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct kit k = kit_good("param queues : number = 64 unit queues \"beyond which more bring nothing\"\n"
		"param other : number = 1 \"not used here\"\n"
		"rule nic.channels.combined\n"
		" title \"One queue per physical core near the NIC\"\n"
		" why \"Packets of one queue are handled by one CPU. With fewer queues than cores some cores idle\"\n"
		"     \"while others drop.\"\n"
		" ref \"Documentation/networking/scaling.rst\"\n"
		" weight 8 risk link-flap direction raise\n"
		" each nic in nics\n when nic.up\n"
		" want nic.channels.combined.current >= min(nic.channels.combined.max, numa[nic.numa_node].physical_cores)\n"
		" evidence counters.softnet.dropped > 0\n"
		" fix nic.channels(ifname = nic.key, combined = min(nic.channels.combined.max, queues))\n"
		"end\n");

	assert_int_equal(ta_rule_explain(k.rs, ta_rules_first(k.rs), NULL, f, &b), 0);
	assert_string_equal(ta_buf_text(&b),
		"Each\tnic in nics\n"
		"When\tnic.up\n"
		"Want\tnic.channels.combined.current >= min(nic.channels.combined.max, numa[nic.numa_node].physical_cores)\n"
		"Evidence\tcounters.softnet.dropped > 0\n"
		"Fix\tnic.channels(ifname = nic.key, combined = min(nic.channels.combined.max, queues)), never lowers\n"
		"Param\tqueues = 64 queues, beyond which more bring nothing\n"
		"\n"
		"eth0: fail\n"
		"  nic.channels.combined.current is 4, wanted >= 8 (min of nic.channels.combined.max 8, "
		"numa[\"0\"].physical_cores 16)\n"
		"    nic.up is true\n"
		"    nic.channels.combined.current is 4\n"
		"    nic.channels.combined.max is 8\n"
		"    numa[\"0\"].physical_cores is 16\n"
		"    counters.softnet.dropped is unknown (missing)\n"
		"    nic.key is \"eth0\"\n"
		"    queues is 64\n"
		"  fix: nic.channels(ifname = \"eth0\", combined = 8)\n");
	kit_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_sentence_of_the_manual),
		cmocka_unit_test(test_the_variable_side_is_named),
		cmocka_unit_test(test_where_the_wanted_value_comes_from),
		cmocka_unit_test(test_compound_wants_name_who_decides),
		cmocka_unit_test(test_actual_and_wanted_are_of_the_comparison),
		cmocka_unit_test(test_values_for_people),
		cmocka_unit_test(test_na_says_what_does_not_hold),
		cmocka_unit_test(test_evidence),
		cmocka_unit_test(test_evidence_of_several_is_what_shows_it),
		cmocka_unit_test(test_evidence_that_was_read_twice),
		cmocka_unit_test(test_explain_for_people),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
