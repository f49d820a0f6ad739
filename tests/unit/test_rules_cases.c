/*
 * The rules in the binary: they load without a word, each proves itself by its own cases, and says why, where that
 * stands and what it may do.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "fix/fixer.h"
#include "probe/collect.h"
#include "rule/embedded.h"
#include "rule/rule.h"

struct loaded {
	struct ta_schema *schema;
	struct ta_fix_sig *sigs;
	size_t n_sigs;
	struct ta_rules *rules;
};

static void print_diags(const struct ta_diags *d)
{
	for (size_t i = 0; i < d->n; i++)
		print_error("%s\n", d->v[i].text);
}

static int load(void **state)
{
	struct loaded *l = calloc(1, sizeof(*l));
	struct ta_diags diags = {0};
	struct ta_err err;

	assert_int_equal(ta_collect_schema(&l->schema, &err), 0);
	assert_int_equal(ta_fixer_sigs(&l->sigs, &l->n_sigs), 0);
	l->rules = ta_rules_new();
	assert_non_null(l->rules);
	/* From the files: what is embedded has no cases. */
	for (size_t i = 0; i < ta_n_embedded_rules; i++) {
		const char *file = ta_embedded_rules[i].file;
		static char text[TA_RULE_FILE_MAX];
		FILE *f = fopen(file, "r");
		size_t len;

		assert_non_null(f);
		len = fread(text, 1, sizeof(text), f);
		fclose(f);
		ta_rules_add_text(l->rules, file, text, len, TA_RULES_TRUSTED, &diags);
	}
	ta_rules_resolve(l->rules, l->schema, l->sigs, l->n_sigs, &diags);
	print_diags(&diags);
	assert_int_equal(diags.total, 0);
	ta_diags_done(&diags);
	*state = l;
	return 0;
}

static int unload(void **state)
{
	struct loaded *l = *state;

	if (!l)
		return 0;
	ta_rules_free(l->rules);
	ta_schema_free(l->schema);
	free(l->sigs);
	free(l);
	return 0;
}

static struct ta_rules *load_embedded(const struct loaded *l, unsigned flags)
{
	struct ta_rules *rs = ta_rules_new();
	struct ta_diags diags = {0};

	assert_non_null(rs);
	for (size_t i = 0; i < ta_n_embedded_rules; i++)
		assert_int_equal(ta_rules_add_text(rs, ta_embedded_rules[i].file, ta_embedded_rules[i].text,
					 strlen(ta_embedded_rules[i].text), TA_RULES_TRUSTED | TA_RULES_STATIC | flags, &diags), 0);
	assert_int_equal(ta_rules_resolve(rs, l->schema, l->sigs, l->n_sigs, &diags), 0);
	assert_int_equal(diags.total, 0);
	return rs;
}

static void assert_same_rule(const struct ta_rule *a, const struct ta_rule *b)
{
	ta_cleanup_strv struct ta_strv paths_a = TA_STRV_INIT, paths_b = TA_STRV_INIT;

	assert_string_equal(a->id, b->id);
	assert_string_equal(a->area, b->area);
	assert_string_equal(a->title, b->title);
	assert_string_equal(a->why, b->why);
	assert_int_equal(a->n_refs, b->n_refs);
	assert_int_equal(a->weight, b->weight);
	assert_int_equal(a->severity, b->severity);
	assert_int_equal(a->risk, b->risk);
	assert_int_equal(a->line, b->line);
	assert_int_equal(a->trusted, b->trusted);
	assert_int_equal(a->n_directions, b->n_directions);
	assert_int_equal(!a->each + !a->when * 2 + !a->unsupported * 4 + !a->evidence * 8 + !a->fix * 16,
		!b->each + !b->when * 2 + !b->unsupported * 4 + !b->evidence * 8 + !b->fix * 16);
	ta_rule_paths(a, &paths_a);
	ta_rule_paths(b, &paths_b);
	assert_int_equal(paths_a.n, paths_b.n);
	for (size_t i = 0; i < paths_a.n; i++)
		assert_string_equal(paths_a.v[i], paths_b.v[i]);
}

/* A rule that is read late is the one that is read at once; nobody reads those that no profile asked for. */
static void test_rules_sleep_until_a_profile_asks(void **state)
{
	struct loaded *l = *state;
	struct ta_rules *all = load_embedded(l, 0), *lazy = load_embedded(l, TA_RULES_LAZY);
	const struct ta_profile *base = ta_rules_profile(lazy, "base");
	const struct ta_rule *a = ta_rules_first(all), *b;
	struct ta_diags diags = {0};
	size_t asleep = 0, n = 0;

	assert_non_null(base);
	for (b = ta_rules_first(lazy); b; b = b->next)
		assert_true(b->asleep);
	assert_int_equal(ta_rules_wake(lazy, base, &diags), 0);
	for (b = ta_rules_first(lazy); b; b = b->next, n++) {
		assert_int_equal(b->asleep, !ta_profile_has(base, b));
		asleep += b->asleep;
	}
	assert_in_range(asleep, 20, n - 20);
	assert_int_equal(ta_rules_wake(lazy, NULL, &diags), 0);
	assert_int_equal(diags.total, 0);
	for (b = ta_rules_first(lazy); a && b; a = a->next, b = b->next) {
		assert_false(b->asleep);
		assert_same_rule(a, b);
		for (const char *const *name = (const char *const[]){"base", "redis", "small-device", NULL}; *name; name++) {
			const struct ta_profile *pa = ta_rules_profile(all, *name), *pb = ta_rules_profile(lazy, *name);

			assert_int_equal(ta_profile_has(pa, a), ta_profile_has(pb, b));
			assert_int_equal(ta_profile_weight(pa, a), ta_profile_weight(pb, b));
			assert_int_equal(ta_profile_severity(pa, a), ta_profile_severity(pb, b));
		}
	}
	assert_true(!a && !b);
	ta_rules_free(all);
	ta_rules_free(lazy);
}

/* What is wrong with a rule that slept is told when it wakes, and it is not judged. */
static void test_faults_of_sleepers(void **state)
{
	static const char text[] = "rule a.one\n  title \"one\"\n  want cpu.online > 0\nend\n"
				   "rule a.two\n  want cpu.online > 0\nend\n"
				   "rule a.three\n  title \"three\"\n  want cpu.onlin > 0\nend\n"
				   "rule a.four title \"on one line\" want cpu.online > 0 end\n";
	struct loaded *l = *state;
	struct ta_rules *rs = ta_rules_new();
	struct ta_diags diags = {0};

	assert_int_equal(ta_rules_add_text(rs, "x.rules", text, strlen(text), TA_RULES_STATIC | TA_RULES_LAZY, &diags), 0);
	assert_int_equal(ta_rules_resolve(rs, l->schema, l->sigs, l->n_sigs, &diags), 0);
	assert_true(ta_rules_find(rs, "a.one")->asleep);
	assert_false(ta_rules_find(rs, "a.four")->asleep);
	assert_int_equal(diags.total, 0);
	assert_int_equal(ta_rules_wake(rs, NULL, &diags), -EBADMSG);
	assert_int_equal(diags.total, 2);
	assert_int_equal(diags.v[0].line, 5);
	assert_int_equal(diags.v[1].line, 10);
	assert_false(ta_rules_find(rs, "a.one")->faulty);
	assert_true(ta_rules_find(rs, "a.two")->faulty);
	assert_true(ta_rules_find(rs, "a.three")->faulty);
	ta_diags_done(&diags);
	ta_rules_free(rs);
}

static void test_every_case_holds(void **state)
{
	struct loaded *l = *state;
	struct ta_diags diags = {0};
	size_t n = 0, run = 0;

	for (const struct ta_rule *r = ta_rules_first(l->rules); r; r = r->next, n++) {
		size_t cases;

		assert_int_equal(ta_rule_run_cases(l->rules, r, &diags, &cases), 0);
		run += cases;
	}
	print_diags(&diags);
	assert_int_equal(diags.total, 0);
	assert_true(n >= 100);
	assert_true(run >= 3 * n);
	ta_diags_done(&diags);
}

/* A finding has three parts; none of them may be missing. */
static void test_every_rule_says_why(void **state)
{
	struct loaded *l = *state;

	for (const struct ta_rule *r = ta_rules_first(l->rules); r; r = r->next) {
		if (!r->title || strlen(r->title) > 79 || r->title[strlen(r->title) - 1] == '.')
			fail_msg("%s: the title is one line, no sentence", r->id);
		if (!r->why || strlen(r->why) < 60 || strlen(r->why) > 420)
			fail_msg("%s: one to three sentences say why", r->id);
		if (!r->n_refs)
			fail_msg("%s: no source", r->id);
		if (!r->fix && !r->advice)
			fail_msg("%s: neither a fix nor advice", r->id);
		if (!r->fix != !r->shown.said)
			fail_msg("%s: a fix, and where it shows, go together", r->id);
		if (r->shown.said && !r->shown.paths && !r->shown.nowhere)
			fail_msg("%s: nowhere, and why?", r->id);
	}
}

/* An element is raised or lowered, or the rule wants exactly this value: a fix without direction is a decision. */
static void test_sizes_have_a_direction(void **state)
{
	static const char *const sized[] = {"tcp.rmem.max", "tcp.wmem.max", "tcp.rmem.bdp", "tcp.wmem.bdp", "net.somaxconn",
		"conntrack.max", "conntrack.full", "limits.file_max", "limits.nr_open", "limits.nofile.service",
		"tcp.max_tw_buckets", "tcp.max_orphans", "net.udp.receive"};
	struct loaded *l = *state;

	for (size_t i = 0; i < TA_ARRAY_SIZE(sized); i++) {
		const struct ta_rule *r = ta_rules_find(l->rules, sized[i]);

		if (!r)
			fail_msg("%s is gone", sized[i]);
		assert_int_equal(r->n_directions, 1);
		assert_int_equal(r->direction[0], TA_DIR_RAISE);
	}
}

/* Where well-known guides contradict each other or the kernel, both are named. */
static void test_contradictions_are_named(void **state)
{
	static const struct {
		const char *rule, *who;
	} known[] = {
		{"net.somaxconn", "A-Tune"},
		{"net.softnet.dropped", "fasterdata"},
		{"net.udp.receive", "Oracle"},
		{"net.rmem_default", "mlnx_tune"},
		{"net.busy_poll", "TuneD network-latency"},
		{"net.neighbours", "OpenShift"},
		{"net.default_qdisc", "fasterdata"},
		{"tcp.rmem.max", "saptune"},
		{"tcp.rmem.default", "87380"},
		{"tcp.wmem.max", "A-Tune"},
		{"tcp.timestamps", "dev-sec"},
		{"tcp.tw_reuse", "saptune"},
		{"tcp.local_ports", "Oracle"},
		{"tcp.congestion_control", "bpftune"},
		{"conntrack.max", "OpenShift"},
		{"memory.swappiness", "rpk"},
		{"memory.numa_balancing", "PerfSpect"},
		{"memory.thp.enabled", "saptune"},
		{"limits.file_max", "1020000"},
		{"limits.nr_open", "fdctl"},
		{"limits.nofile.service", "limits.conf"},
		{"cpu.governor", "TuneD"},
		{"cpu.boost", "pyperf"},
		{"irq.nic.one_cpu", "HAProxy"},
		{"irq.irqbalance.state", "Amazon ENA"},
		{"kernel.io_uring", "kernel-hardening-checker"},
		{"kernel.epollexclusive", "5.4"},
		{"nic.rings.tiny", "-G IFNAME rx 8"},
		{"nic.link.pcie", "one lane"},
		{"nvme.apst", "0x0c"},
	};
	struct loaded *l = *state;

	for (size_t i = 0; i < TA_ARRAY_SIZE(known); i++) {
		const struct ta_rule *r = ta_rules_find(l->rules, known[i].rule);
		size_t guides = 0, against = 0, named = 0;

		if (!r)
			fail_msg("%s is gone", known[i].rule);
		for (size_t j = 0; j < r->n_refs; j++) {
			bool is = strncmp(r->refs[j], "against", strlen("against")) == 0;

			guides += !is;
			against += is;
			named += is && strstr(r->refs[j], known[i].who);
		}
		if (!guides || !against || !named)
			fail_msg("%s: not both sides are named (%s)", r->id, known[i].who);
	}
}

/* A rule whose goal is a counter is its own proof: failing, it stands before what only might hurt. */
static void test_counters_are_evidence(void **state)
{
	static const char *const counted[] = {"net.listen.overflow", "net.listen.queue", "net.softnet.dropped",
		"net.softnet.squeezed", "net.udp.receive", "net.neighbours", "tcp.tw_overflow", "tcp.mem.pressure",
		"nic.link.errors", "nic.drops.ring", "nic.ena.allowance", "cpu.quota", "cpu.steal", "cpu.thermal.throttle",
		"pressure.memory", "pressure.io", "conntrack.full"};
	struct loaded *l = *state;

	for (size_t i = 0; i < TA_ARRAY_SIZE(counted); i++) {
		const struct ta_rule *r = ta_rules_find(l->rules, counted[i]);

		if (!r || !r->evidence)
			fail_msg("%s: no evidence", counted[i]);
	}
}

static void test_profiles(void **state)
{
	static const char *const names[] = {"base", "gateway", "redis", "file-server", "benchmark", "small-device"};
	struct loaded *l = *state;

	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++) {
		const struct ta_profile *p = ta_rules_profile(l->rules, names[i]);
		size_t n = 0;

		if (!p)
			fail_msg("no profile %s", names[i]);
		for (const struct ta_rule *r = ta_rules_first(l->rules); r; r = r->next)
			n += ta_profile_has(p, r);
		print_message("%s: %zu rules\n", names[i], n);
		assert_true(n >= 30);
		assert_true(strlen(ta_profile_title(p)) > 5);
	}
}

/* No rule that nobody runs. */
static void test_every_rule_is_in_a_profile(void **state)
{
	struct loaded *l = *state;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	ta_rules_profile_names(l->rules, &names);
	for (const struct ta_rule *r = ta_rules_first(l->rules); r; r = r->next) {
		bool used = false;

		for (size_t i = 0; i < names.n; i++)
			used = used || ta_profile_has(ta_rules_profile(l->rules, names.v[i]), r);
		if (!used)
			fail_msg("%s is in no profile", r->id);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rules_sleep_until_a_profile_asks),
		cmocka_unit_test(test_faults_of_sleepers),
		cmocka_unit_test(test_every_case_holds),
		cmocka_unit_test(test_every_rule_says_why),
		cmocka_unit_test(test_sizes_have_a_direction),
		cmocka_unit_test(test_contradictions_are_named),
		cmocka_unit_test(test_counters_are_evidence),
		cmocka_unit_test(test_profiles),
		cmocka_unit_test(test_every_rule_is_in_a_profile),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
