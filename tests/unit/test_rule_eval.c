/*
 * What expressions are worth. One test per point of the semantics in docs/language.md.
 */
#include "tests/unit/rule_kit.h"

static struct ta_facts *host(void)
{
	struct ta_facts *f = ta_facts_new();

	assert_non_null(f);
	ta_put_i64(f, 4, "cpu", "online");
	ta_put_real(f, 0.5, "pressure", "cpu", "some", "avg10");
	ta_facts_put_ints(f, TA_KEYS("kernel", "version"), (const int64_t[]){5, 19, 7}, 3);
	ta_put_i64(f, 128, "sysctl", "net.core.somaxconn");
	ta_facts_put_ints(f, TA_KEYS("sysctl", "net.ipv4.tcp_rmem"), (const int64_t[]){4096, 131072, 6291456}, 3);
	ta_facts_put_strs(f, TA_KEYS("modules", "loaded"), (char *[]){(char *)"tls", (char *)"nf_conntrack"}, 2);
	ta_put_i64(f, 1024, "limits", "nr_open");
	ta_put_bool(f, true, "nics", "eth0", "up");
	ta_put_i64(f, 1500, "nics", "eth0", "mtu");
	ta_put_i64(f, 1, "nics", "eth0", "numa_node");
	ta_put_bool(f, false, "nics", "eth1", "up");
	ta_put_i64(f, 9000, "nics", "eth1", "mtu");
	ta_put_i64(f, 6, "numa", "0", "physical_cores");
	ta_put_i64(f, 8, "numa", "1", "physical_cores");
	return f;
}

static void test_integers_are_exact(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_put_u64(f, UINT64_MAX, "limits", "file_max");
	kit_expect("limits.file_max == 18446744073709551615", f, TA_V_PASS);
	kit_expect("limits.file_max == 18446744073709551614", f, TA_V_FAIL);
	kit_expect("limits.file_max > 9223372036854775807", f, TA_V_PASS);
	kit_expect("9007199254740993 != 9007199254740992", f, TA_V_PASS);
	ta_put_i64(f, INT64_MIN, "limits", "file_max");
	kit_expect("limits.file_max == -9223372036854775808", f, TA_V_PASS);
	kit_expect("limits.file_max < 18446744073709551615", f, TA_V_PASS);
	kit_expect("limits.file_max + 18446744073709551615 == 9223372036854775807", f, TA_V_PASS);
}

static void test_overflow_is_broken(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_why("18446744073709551615 + cpu.online > 0", f, TA_V_BROKEN, "overflow", "t.rules:4:7: ");
	kit_expect_why("-9223372036854775808 - cpu.online < 0", f, TA_V_BROKEN, "overflow", "64-bit");
	kit_expect_why("4294967296 * 4294967296 * cpu.online > 0", f, TA_V_BROKEN, "overflow", "");
	kit_expect_why("-(9223372036854775808 + cpu.online) < 0", f, TA_V_BROKEN, "overflow", "");
	kit_expect_why("sum([18446744073709551615, cpu.online]) > 0", f, TA_V_BROKEN, "overflow", "");
}

static void test_division_and_remainder_never_signal(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_why("1 / (cpu.online - 4) > 0", f, TA_V_BROKEN, "division-by-zero", "");
	kit_expect_why("1 % (cpu.online - 4) > 0", f, TA_V_BROKEN, "division-by-zero", "remainder");
	kit_expect("-9223372036854775808 % -1 == 0", f, TA_V_PASS);
	kit_expect("-9223372036854775808 / -1 == 9223372036854775808", f, TA_V_PASS);
	kit_expect("-7 % 3 == -1 and 7 % -3 == 1", f, TA_V_PASS);
	kit_bad_want("cpu.online % 0.5 == 0", "% takes integers");
	kit_expect("rtt_ms % 3 == 2", f, TA_V_PASS);
}

static void test_division_is_real(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("cpu.online / 8 == 0.5", f, TA_V_PASS);
	kit_expect("cpu.online / 2 == 2", f, TA_V_PASS);
	kit_expect("floor(7 / 2) == 3 and ceil(7 / 2) == 4 and floor(-7 / 2) == -4", f, TA_V_PASS);
	kit_expect("pressure.cpu.some.avg10 * 2 == 1", f, TA_V_PASS);
	/* Above 2^53 an integer and a real still compare exactly. */
	kit_expect("9007199254740993 > 9007199254740992 / 1", f, TA_V_PASS);
}

static void test_missing_is_unknown_with_its_reason(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect_why("limits.file_max > 0", f, TA_V_UNKNOWN, "missing", "no value for limits.file_max");
	ta_facts_put_absent(f, TA_KEYS("limits", "file_max"), TA_DENIED, "/proc/sys/fs/file-max: not permitted");
	kit_expect_why("limits.file_max > 0", f, TA_V_UNKNOWN, "denied",
		"limits.file_max: /proc/sys/fs/file-max: not permitted");
	/* The reason of a parent holds for all below it. */
	ta_facts_put_absent(f, TA_KEYS("nics", "eth0", "channels"), TA_UNSUPPORTED, "the driver has none");
	kit_expect_why("nics.eth0.channels.combined.max > 1", f, TA_V_UNKNOWN, "unsupported",
		"nics.eth0.channels.combined.max: the driver has none");
}

static void test_kleene(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("false and limits.file_max > 0", f, TA_V_FAIL);
	kit_expect("limits.file_max > 0 and false", f, TA_V_FAIL);
	kit_expect("true or limits.file_max > 0", f, TA_V_PASS);
	kit_expect("limits.file_max > 0 or true", f, TA_V_PASS);
	kit_expect("limits.file_max > 0 and true", f, TA_V_UNKNOWN);
	kit_expect("limits.file_max > 0 or false", f, TA_V_UNKNOWN);
	kit_expect("not limits.file_max > 0", f, TA_V_UNKNOWN);
	kit_expect("if limits.file_max > 0 then true else true", f, TA_V_UNKNOWN);
}

static void test_unlimited_is_greater_than_every_integer(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_put_unlimited(f, "limits", "file_max");
	kit_expect("limits.file_max > 18446744073709551615", f, TA_V_PASS);
	kit_expect("limits.file_max == unlimited", f, TA_V_PASS);
	kit_expect("limits.file_max < 5", f, TA_V_FAIL);
	kit_expect("min(limits.file_max, 5) == 5 and max(limits.file_max, 5) == unlimited", f, TA_V_PASS);
	kit_expect("limits.file_max / 4 > 18446744073709551615", f, TA_V_PASS);
	kit_expect_why("limits.file_max - limits.file_max > 0", f, TA_V_UNKNOWN, "unlimited", "");
}

static void test_special_values_compare_by_meaning(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_put_i64(f, 0, "sysctl", "net.netfilter.nf_conntrack_max");
	kit_expect("sysctl[\"net.netfilter.nf_conntrack_max\"] >= 262144", f, TA_V_PASS);
	kit_expect("sysctl[\"net.netfilter.nf_conntrack_max\"] == unlimited", f, TA_V_PASS);
	kit_bad_want("sysctl[\"net.netfilter.nf_conntrack_max\"] == 0", "0 means unlimited here; write unlimited");
	ta_put_i64(f, -1, "sysctl", "net.ipv4.tcp_notsent_lowat");
	kit_expect("sysctl[\"net.ipv4.tcp_notsent_lowat\"] > 1000000", f, TA_V_PASS);
	ta_put_i64(f, 0, "sysctl", "net.ipv4.tcp_notsent_lowat");
	kit_expect_why("sysctl[\"net.ipv4.tcp_notsent_lowat\"] > 5", f, TA_V_UNKNOWN, "automatic", "kernel chooses");
	kit_expect("sysctl[\"net.ipv4.tcp_notsent_lowat\"] == auto", f, TA_V_PASS);
	ta_put_i64(f, 7, "sysctl", "net.ipv4.tcp_notsent_lowat");
	kit_expect("sysctl[\"net.ipv4.tcp_notsent_lowat\"] == auto", f, TA_V_FAIL);
	kit_bad_want("cpu.online == auto", "has no value that means auto");
	kit_bad_want("cpu.online == unlimited", "has no value that means unlimited");
}

static void test_lists_compare_element_by_element(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("kernel.version >= [5, 19]", f, TA_V_PASS);
	kit_expect("kernel.version >= [5, 20]", f, TA_V_FAIL);
	kit_expect("kernel.version >= [6]", f, TA_V_FAIL);
	kit_expect("kernel.version < [10, 1, 1]", f, TA_V_PASS);
	kit_expect("kernel.version == [5, 19, 7]", f, TA_V_PASS);
	kit_expect("kernel.version != [5, 19]", f, TA_V_PASS);
	kit_expect("modules.loaded == [\"tls\", \"nf_conntrack\"]", f, TA_V_PASS);
}

static void test_chained_comparisons(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("1 <= cpu.online <= 8", f, TA_V_PASS);
	kit_expect("5 <= cpu.online <= 8", f, TA_V_FAIL);
	kit_expect("1 <= cpu.online < 4", f, TA_V_FAIL);
	kit_expect("5 <= cpu.online <= limits.file_max", f, TA_V_FAIL);
	kit_expect("1 <= cpu.online <= limits.file_max", f, TA_V_UNKNOWN);
}

static void test_in(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("\"nf_conntrack\" in modules.loaded", f, TA_V_PASS);
	kit_expect("\"ip_vs\" in modules.loaded", f, TA_V_FAIL);
	kit_expect("cpu.online in [2, 4]", f, TA_V_PASS);
	kit_expect("\"eth0\" in nics", f, TA_V_PASS);
	kit_expect("\"eth7\" in nics", f, TA_V_FAIL);
	kit_expect("1 in numa and not 2 in numa", f, TA_V_PASS);
	kit_expect("9000 in nics[*].mtu", f, TA_V_PASS);
	ta_facts_put_incomplete(f, TA_KEYS("nics"), TA_DENIED, "hidden");
	kit_expect("\"eth0\" in nics", f, TA_V_PASS);
	kit_expect("\"eth7\" in nics", f, TA_V_UNKNOWN);
}

static void test_index_never_counts_from_the_end(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("sysctl[\"net.ipv4.tcp_rmem\"][2] == 6291456", f, TA_V_PASS);
	kit_expect_why("sysctl[\"net.ipv4.tcp_rmem\"][3] > 0", f, TA_V_UNKNOWN, "missing",
		"sysctl[\"net.ipv4.tcp_rmem\"] has 3 elements, none with number 3");
	kit_expect_why("sysctl[\"net.ipv4.tcp_rmem\"][cpu.online - 5] > 0", f, TA_V_UNKNOWN, "missing", "number -1");
	kit_bad_want("sysctl[\"net.ipv4.tcp_rmem\"][-1] > 0", "never counts from the end");
}

static void test_index_of_collections(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("numa[nics.eth0.numa_node].physical_cores == 8", f, TA_V_PASS);
	kit_expect("numa[0].physical_cores == 6 and numa[\"1\"].physical_cores == 8", f, TA_V_PASS);
	kit_expect_why("numa[nics.eth1.numa_node].physical_cores == 8", f, TA_V_UNKNOWN, "missing",
		"nics.eth1.numa_node");
	kit_expect_why("numa[7].physical_cores == 8", f, TA_V_UNKNOWN, "missing", "numa.7.physical_cores");
}

static void test_projection(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("max(nics[*].mtu) == 9000 and min(nics[*].mtu) == 1500 and sum(nics[*].mtu) == 10500", f, TA_V_PASS);
	kit_expect("count(nics[*].mtu) == 2 and distinct(nics[*].mtu) == 2", f, TA_V_PASS);
	kit_expect_why("max(nics[*].numa_node) == 1", f, TA_V_UNKNOWN, "missing", "nics.eth1.numa_node");
	kit_bad_want("nics[*].mtu >= 1500", "this is many values");
	kit_bad_want("cpu.online[*] > 0", "is no collection and no list");
}

static void test_folds(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("count(nics) == 2 and count(modules.loaded) == 2 and count(sysctl[\"net.ipv4.tcp_rmem\"]) == 3", f, TA_V_PASS);
	kit_expect("count(n in nics : n.up) == 1", f, TA_V_PASS);
	kit_expect("max(n.mtu for n in nics) == 9000", f, TA_V_PASS);
	kit_expect("max(n.mtu for n in nics if n.up) == 1500", f, TA_V_PASS);
	kit_expect("sum(n.mtu for n in nics if not n.up) == 9000", f, TA_V_PASS);
	kit_expect("distinct(n.up for n in nics) == 2", f, TA_V_PASS);
	kit_expect("count(n.mtu for n in nics if n.mtu > 1500) == 1", f, TA_V_PASS);
	kit_expect("all(n in nics : n.mtu >= 1500) and any(n in nics : n.mtu > 8000)", f, TA_V_PASS);
	kit_expect("all(n in nics : n.key in [\"eth0\", \"eth1\"])", f, TA_V_PASS);
	kit_expect("all(m in modules.loaded : m != \"x\")", f, TA_V_PASS);
}

static void test_nothing_has_no_minimum(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_put_object(f, "listeners");
	kit_expect_why("max(l.backlog_min for l in listeners) > 0", f, TA_V_UNKNOWN, "empty", "max of nothing");
	kit_expect_why("min(l.backlog_min for l in listeners) > 0", f, TA_V_UNKNOWN, "empty", "min of nothing");
	kit_expect("sum(l.backlog_min for l in listeners) == 0 and count(listeners) == 0", f, TA_V_PASS);
	kit_expect("all(l in listeners : false)", f, TA_V_PASS);
	kit_expect("any(l in listeners : true)", f, TA_V_FAIL);
}

static void test_incomplete_collections(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_put_str(f, "nginx", "processes", "10", "comm");
	ta_put_i64(f, 1024, "processes", "10", "nofile_hard");
	ta_facts_put_incomplete(f, TA_KEYS("processes"), TA_DENIED, "hidepid");
	kit_expect("any(p in processes : p.comm == \"nginx\")", f, TA_V_PASS);
	kit_expect_why("any(p in processes : p.comm == \"redis-server\")", f, TA_V_UNKNOWN, "denied",
		"processes may miss members: hidepid");
	kit_expect("all(p in processes : p.comm == \"x\")", f, TA_V_FAIL);
	kit_expect("all(p in processes : p.comm == \"nginx\")", f, TA_V_UNKNOWN);
	kit_expect("count(processes) >= 1", f, TA_V_UNKNOWN);
	kit_expect("count(p in processes : true) >= 1", f, TA_V_UNKNOWN);
	kit_expect("min(p.nofile_hard for p in processes) > 0", f, TA_V_UNKNOWN);
	kit_expect("max(p.nofile_hard for p in processes) > 0", f, TA_V_UNKNOWN);
	kit_expect("sum(p.nofile_hard for p in processes) > 0", f, TA_V_UNKNOWN);
	kit_expect("distinct(processes[*].comm) > 0", f, TA_V_UNKNOWN);
	/* A member that is not there may be one that was not seen. */
	kit_expect_why("processes[\"99\"].comm == \"x\"", f, TA_V_UNKNOWN, "denied", "processes.99.comm: hidepid");
}

static void test_absent_collections(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_facts_put_absent(f, TA_KEYS("irqs"), TA_DENIED, "no access");
	kit_expect_why("all(q in irqs : false)", f, TA_V_UNKNOWN, "denied", "irqs: no access");
	kit_expect_why("count(irqs) == 0", f, TA_V_UNKNOWN, "denied", "irqs: no access");
	kit_expect_why("count(irqs[*].device) == 0", f, TA_V_UNKNOWN, "denied", "irqs: no access");
}

static void test_a_document_of_other_types_is_malformed(void **state)
{
	static const char text[] = "{\"schema\":\"tuneaudit.facts/1\",\"facts\":{\"cpu\":{\"online\":\"four\",\"x\":1},"
		"\"nics\":[],\"modules\":{\"loaded\":[1,null]},\"kernel\":{\"version\":[5,\"x\"]},\"pressure\":{\"cpu\":{\"some\":{\"avg10\":[]}}}},\"absent\":{},\"incomplete\":{}}";
	ta_cleanup_facts struct ta_facts *f = NULL;

	assert_int_equal(ta_facts_parse(text, strlen(text), &f, NULL), 0);
	kit_expect_why("cpu.online > 0", f, TA_V_UNKNOWN, "malformed", "cpu.online has another type");
	kit_expect_why("pressure.cpu.some.avg10 > 0", f, TA_V_UNKNOWN, "malformed", "pressure.cpu.some.avg10");
	kit_expect_why("count(nics) > 0", f, TA_V_UNKNOWN, "malformed", "nics");
	kit_expect_why("\"x\" in modules.loaded", f, TA_V_UNKNOWN, "malformed", "");
	kit_expect_why("kernel.version > [5, 1]", f, TA_V_UNKNOWN, "malformed", "");
}

static void test_arithmetic_on_what_is_no_number(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_put_unlimited(f, "limits", "file_max");
	ta_put_i64(f, 0, "sysctl", "net.ipv4.tcp_notsent_lowat");
	kit_expect("limits.file_max + 1 == unlimited and limits.file_max - 5 == unlimited", f, TA_V_PASS);
	kit_expect("limits.file_max * 2 == unlimited and limits.file_max * 0.5 == unlimited", f, TA_V_PASS);
	kit_expect_why("limits.file_max * -1 == 0", f, TA_V_UNKNOWN, "unlimited", "unlimited * is no number");
	kit_expect_why("5 / limits.file_max == 0", f, TA_V_UNKNOWN, "unlimited", "unlimited / is no number");
	kit_expect_why("-limits.file_max == 0", f, TA_V_UNKNOWN, "unlimited", "minus unlimited");
	kit_expect_why("limits.file_max % 2 == 0", f, TA_V_UNKNOWN, "unlimited", "");
	kit_expect("sum([1, limits.file_max]) == unlimited", f, TA_V_PASS);
	kit_expect_why("1 + sysctl[\"net.ipv4.tcp_notsent_lowat\"] > 0", f, TA_V_UNKNOWN, "automatic", "");
	kit_expect_why("min(1, sysctl[\"net.ipv4.tcp_notsent_lowat\"]) > 0", f, TA_V_UNKNOWN, "automatic", "");
	kit_expect_why("sum(sysctl[\"net.ipv4.tcp_notsent_lowat\"] for n in nics if n.mtu > 0) > 0", f, TA_V_UNKNOWN,
		"automatic", "");
	kit_expect_why("numa[limits.file_max].physical_cores > 0", f, TA_V_UNKNOWN, "missing", "");
}

static void test_real_numbers(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	kit_expect("0.5 + 0.25 == 0.75 and 0.5 - 0.25 == 0.25 and -0.5 < 0 and 1 + 0.5 == 1.5", f, TA_V_PASS);
	kit_expect("0.1 == 1 / 10 and 3.14 == 314 / 100 and 0.3 == 3 / 10 and 0.75 == 3 / 4", f, TA_V_PASS);
	kit_expect("sum([0.5, 1]) == 1.5 and min(0.5, 1) == 0.5 and max(0.5, 1) == 1", f, TA_V_PASS);
	kit_expect("distinct([0.5, 0.5, 2 / 2, 1]) == 2", f, TA_V_PASS);
	kit_expect("18446744073709551615 < 1000000000 * 1000000000000.5 and -1 > -1000000000 * 1000000000000.5", f, TA_V_PASS);
	kit_expect("4 < 4.5 and 5 > 4.5 and -4 > -4.5 and 4.5 > 4", f, TA_V_PASS);
	kit_expect_why("floor(18446744073709551615 * 1.5) > 0", f, TA_V_BROKEN, "overflow", "");
	kit_bad_want("0.5 % cpu.online > 0", "% takes integers");
}

static void test_projections_of_projections(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	ta_facts_put_ints(f, TA_KEYS("nics", "eth0", "rps", "rx-0"), (const int64_t[]){0, 1}, 2);
	ta_facts_put_ints(f, TA_KEYS("nics", "eth0", "rps", "rx-1"), (const int64_t[]){0, 1}, 2);
	kit_expect_why("count(nics[*].rps[*]) == 2", f, TA_V_UNKNOWN, "missing", "nics.eth1.rps");
	ta_facts_put_ints(f, TA_KEYS("nics", "eth1", "rps", "rx-0"), (const int64_t[]){2}, 1);
	kit_expect("count(nics[*].rps[*]) == 3 and distinct(nics[*].rps[*]) == 2", f, TA_V_PASS);
	kit_expect("max(nics[*].rps[*][0]) == 2 and sum(nics[*].rps[*][*]) == 4", f, TA_V_PASS);
	kit_expect("[0, 1] in nics[*].rps[*] and not [1, 0] in nics[*].rps[*]", f, TA_V_PASS);
	kit_expect("distinct(nics[*].key) == 2 and \"eth1\" in nics[*].key", f, TA_V_PASS);
	kit_expect("all(n in nics[*] : n.mtu > 5) and count(q for q in nics[*].rps[*]) == 3", f, TA_V_PASS);
	ta_facts_put_incomplete(f, TA_KEYS("nics", "eth0", "rps"), TA_DENIED, "hidden");
	kit_expect_why("count(nics[*].rps[*]) == 3", f, TA_V_UNKNOWN, "denied", "nics.eth0.rps may miss members");
	kit_expect("[0, 1] in nics[*].rps[*]", f, TA_V_PASS);
}

static void test_steps_are_bounded(void **state)
{
	ta_cleanup_facts struct ta_facts *f = host();

	for (int i = 0; i < 1700; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", i);
		ta_put_str(f, "x", "processes", pid, "comm");
	}
	kit_expect_why("all(a in processes : all(b in processes : all(c in processes : a.comm == c.comm)))", f,
		TA_V_BROKEN, "steps", "2000000");
}

static void test_memory_is_bounded(void **state)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();

	for (int i = 0; i < 60000; i++) {
		char pid[16];

		snprintf(pid, sizeof(pid), "%d", i);
		ta_put_str(f, "x", "processes", pid, "comm");
	}
	kit_expect_why("count(processes[*].comm) > 0", f, TA_V_BROKEN, "memory", "");
	/* Going over them needs none. */
	kit_expect("all(p in processes : p.comm == \"x\")", f, TA_V_PASS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_integers_are_exact),
		cmocka_unit_test(test_overflow_is_broken),
		cmocka_unit_test(test_division_and_remainder_never_signal),
		cmocka_unit_test(test_division_is_real),
		cmocka_unit_test(test_missing_is_unknown_with_its_reason),
		cmocka_unit_test(test_kleene),
		cmocka_unit_test(test_unlimited_is_greater_than_every_integer),
		cmocka_unit_test(test_special_values_compare_by_meaning),
		cmocka_unit_test(test_lists_compare_element_by_element),
		cmocka_unit_test(test_chained_comparisons),
		cmocka_unit_test(test_in),
		cmocka_unit_test(test_index_never_counts_from_the_end),
		cmocka_unit_test(test_index_of_collections),
		cmocka_unit_test(test_projection),
		cmocka_unit_test(test_folds),
		cmocka_unit_test(test_nothing_has_no_minimum),
		cmocka_unit_test(test_incomplete_collections),
		cmocka_unit_test(test_absent_collections),
		cmocka_unit_test(test_a_document_of_other_types_is_malformed),
		cmocka_unit_test(test_arithmetic_on_what_is_no_number),
		cmocka_unit_test(test_real_numbers),
		cmocka_unit_test(test_projections_of_projections),
		cmocka_unit_test(test_steps_are_bounded),
		cmocka_unit_test(test_memory_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
