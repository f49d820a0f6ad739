/*
 * From findings to a plan: merged, ordered, contradictions shown, nothing written. With the program's own facts and fixers,
 * on a host in memory whose every change fails.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fix/plan.h"
#include "probe/collect.h"
#include "report/change.h"
#include "tests/unit/fakehost.h"

struct world {
	struct fake_host *fake;
	struct ta_host *host; /* the same, with every change failing */
	struct ta_schema *schema;
	struct ta_fix_sig *sigs;
	size_t n_sigs;
	struct ta_rules *rules;
	struct ta_diags diags;
	struct ta_facts *facts;
	struct ta_audit audit;
	struct ta_plan plan;
};

static const char *const settings[][3] = {
	{"net.core.somaxconn", "/proc/sys/net/core/somaxconn", "128"},
	{"net.ipv4.tcp_rmem", "/proc/sys/net/ipv4/tcp_rmem", "4096 131072 6291456"},
	{"vm.dirty_ratio", "/proc/sys/vm/dirty_ratio", "20"},
	{"vm.dirty_bytes", "/proc/sys/vm/dirty_bytes", "0"},
	{"fs.file-max", "/proc/sys/fs/file-max", "10000"},
	{"fs.nr_open", "/proc/sys/fs/nr_open", "10000"},
	{"vm.swappiness", "/proc/sys/vm/swappiness", "60"},
};

static int setup(void **state)
{
	const struct ta_fault all = {.change_at = 1, .rc = -EIO, .all_after = true};
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->fake = fake_new();
	w->facts = ta_facts_new();
	for (size_t i = 0; i < TA_ARRAY_SIZE(settings); i++) {
		fake_add(w->fake, settings[i][1], settings[i][2]);
		if (i != 1)
			ta_put_i64(w->facts, strtol(settings[i][2], NULL, 10), "sysctl", settings[i][0]);
	}
	ta_facts_put_ints(w->facts, TA_KEYS("sysctl", settings[1][0]), (const int64_t[]){4096, 131072, 6291456}, 3);
	assert_int_equal(ta_host_fault(&w->fake->host, &all, &w->host), 0);
	assert_int_equal(ta_collect_schema(&w->schema, NULL), 0);
	assert_int_equal(ta_fixer_sigs(&w->sigs, &w->n_sigs), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	assert_int_equal(ta_host_changes(w->host), 0); /* nothing was even tried */
	ta_plan_done(&w->plan);
	ta_audit_done(&w->audit);
	ta_rules_free(w->rules);
	ta_diags_done(&w->diags);
	ta_facts_free(w->facts);
	free(w->sigs);
	ta_schema_free(w->schema);
	ta_host_free(w->host);
	free(w);
	return 0;
}

#define HEAD "\n title \"t\" why \"w\" ref \"r\"\n"
#define RULE(id, risk, direction, fix) "rule " id HEAD " risk " risk "\n direction " direction "\n want false\n fix " fix "\nend\n"
#define SET(key, value) "sysctl.set(key = \"" key "\", value = " value ")"
#define SET_AT(key, index, value) "sysctl.set(key = \"" key "\", index = " index ", value = " value ")"

static void plan_flags(struct world *w, const char *rules, unsigned flags)
{
	struct ta_audit_options o = {0};

	w->rules = ta_rules_new();
	assert_int_equal(ta_rules_add_text(w->rules, "t.rules", rules, strlen(rules), flags, &w->diags), 0);
	assert_int_equal(ta_rules_add_text(w->rules, "p.rules", "profile t title \"t\" rules a.* end",
				 strlen("profile t title \"t\" rules a.* end"), TA_RULES_TRUSTED, &w->diags),
		0);
	ta_rules_resolve(w->rules, w->schema, w->sigs, w->n_sigs, &w->diags);
	for (size_t i = 0; i < w->diags.n; i++)
		print_error("%s\n", w->diags.v[i].text);
	assert_int_equal(w->diags.total, 0);
	o.profile = ta_rules_profile(w->rules, "t");
	assert_int_equal(ta_audit_run(w->rules, &o, w->facts, &w->audit), 0);
	assert_int_equal(ta_plan_make(w->host, &w->audit, w->facts, NULL, &w->plan), 0);
}

static void plan(struct world *w, const char *rules)
{
	plan_flags(w, rules, TA_RULES_TRUSTED);
}

/* "TARGET: BEFORE -> AFTER" of each action, in their order. */
static void expect(const struct world *w, const char *wanted)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (size_t i = 0; i < w->plan.n_actions; i++) {
		const struct ta_step *s = &w->plan.actions[i].step;

		ta_buf_printf(&b, "%s: %s -> %s\n", s->target, s->before, s->after);
	}
	assert_string_equal(ta_buf_text(&b), wanted);
}

static void test_order(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "raise", SET("fs.nr_open", "200000")) RULE("a.2", "none", "raise", SET("fs.file-max", "300000"))
			RULE("a.3", "none", "lower", SET("vm.swappiness", "10")));
	expect(w, "fs.file-max: 10000 -> 300000\nfs.nr_open: 10000 -> 200000\nvm.swappiness: 60 -> 10\n");
}

static void test_elements_are_merged(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "raise", SET_AT("net.ipv4.tcp_rmem", "2", "64Mi"))
			RULE("a.2", "workload", "raise", SET_AT("net.ipv4.tcp_rmem", "1", "262144")));
	expect(w, "net.ipv4.tcp_rmem: 4096 131072 6291456 -> 4096 262144 67108864\n");
	assert_int_equal(w->plan.actions[0].rules.n, 2);
	assert_true(w->plan.actions[0].workload);
	assert_string_equal(w->plan.actions[0].command, "sysctl -w 'net.ipv4.tcp_rmem=4096 262144 67108864'");
	assert_string_equal(w->plan.actions[0].persist_text, "net.ipv4.tcp_rmem = 4096 262144 67108864\n");
}

/* The one lifts the maximum above the default that it wants; the other wants still more of it. */
static void test_lifted_elements_are_merged(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "raise", SET_AT("net.ipv4.tcp_rmem", "1", "16Mi"))
			RULE("a.2", "none", "raise", SET_AT("net.ipv4.tcp_rmem", "2", "64Mi")));
	expect(w, "net.ipv4.tcp_rmem: 4096 131072 6291456 -> 4096 16777216 67108864\n");
}

static void test_at_least_and_at_least(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "raise", SET("net.core.somaxconn", "4096"))
			RULE("a.2", "flow-reset", "raise", SET("net.core.somaxconn", "8192")));
	expect(w, "net.core.somaxconn: 128 -> 8192\n");
	assert_int_equal(w->plan.actions[0].disruption, TA_DISRUPT_FLOW_RESET);
	assert_string_equal(w->plan.actions[0].persist_text, "net.core.somaxconn = 8192\n");
	assert_string_equal(ta_action_refusal(&w->plan.actions[0], TA_ALLOW_NONE, true), "needs --allow flow-reset");
	assert_null(ta_action_refusal(&w->plan.actions[0], TA_ALLOW_LINK_FLAP, false));
}

static void test_contradiction(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "exact", SET("vm.swappiness", "10")) RULE("a.2", "none", "exact", SET("vm.swappiness", "30"))
			RULE("a.3", "none", "lower", SET("vm.swappiness", "1")));
	expect(w, "");
	assert_int_equal(w->plan.n_conflicts, 1);
	assert_int_equal(w->plan.conflicts[0].wishes.n, 3);
	assert_string_equal(w->plan.conflicts[0].wishes.v[0], "a.1 (t.rules:1) wants vm.swappiness 10");
	assert_string_equal(w->plan.conflicts[0].wishes.v[1], "a.2 (t.rules:8) wants vm.swappiness 30");
}

/* Each of the pair makes the other one void. */
static void test_rivals(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "exact", SET("vm.dirty_bytes", "500000000"))
			RULE("a.2", "none", "exact", SET("vm.dirty_ratio", "40")));
	expect(w, "");
	assert_int_equal(w->plan.n_conflicts, 1);
	assert_string_equal(w->plan.conflicts[0].wishes.v[1], "a.2 (t.rules:8) wants vm.dirty_ratio 40");
}

static void test_never_lower(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "none", "raise, raise, raise", SET("net.ipv4.tcp_rmem", "[8192, 1024, 7000000]")));
	expect(w, "net.ipv4.tcp_rmem: 4096 131072 6291456 -> 8192 131072 7000000\n");
}

static void test_what_is_only_told(void **state)
{
	struct world *w = *state;

	plan(w, RULE("a.1", "reboot", "exact", SET("vm.swappiness", "10")) RULE("a.2", "none", "exact", SET("kernel.modprobe", "1"))
			RULE("a.3", "none", "exact", SET("net.core.netdev_budget", "600"))
				RULE("a.4", "none", "exact", SET("net.core.somaxconn", "64")));
	expect(w, "");
	assert_int_equal(w->plan.n_manual, 4);
	assert_non_null(strstr(w->plan.manual[0].reason, "restart of the host"));
	assert_non_null(strstr(w->plan.manual[1].reason, "never written by this program"));
	assert_non_null(strstr(w->plan.manual[2].reason, "cannot read"));
	assert_non_null(strstr(w->plan.manual[3].reason, "outside"));
}

/* Facts of a moment ago, and a host that has moved since. */
static void test_moved_meanwhile(void **state)
{
	struct world *w = *state;

	fake_put(fake_find(&w->fake->host, settings[0][1]), "4096");
	fake_put(fake_find(&w->fake->host, settings[6][1]), "10");
	plan(w, RULE("a.1", "none", "raise", SET("net.core.somaxconn", "1024")) RULE("a.2", "none", "lower", SET("vm.swappiness", "10")));
	expect(w, ""); /* never lowered, though the facts say 128; and what is so already is no change */
	assert_int_equal(w->plan.n_manual, 1);
	assert_non_null(strstr(w->plan.manual[0].reason, "moved from 128 to 4096"));
}

static void test_untrusted(void **state)
{
	struct world *w = *state;

	plan_flags(w, RULE("a.1", "none", "raise", SET("net.core.somaxconn", "4096")), 0);
	assert_int_equal(w->plan.n_actions, 1);
	assert_non_null(strstr(ta_action_refusal(&w->plan.actions[0], TA_ALLOW_LINK_FLAP, true), "others than root"));
}

static void test_who_else_sets_it(void **state)
{
	struct world *w = *state;

	ta_put_str(w->facts, "/etc/sysctl.d/99-x.conf", "settings", "net.core.somaxconn", "file");
	ta_put_i64(w->facts, 3, "settings", "net.core.somaxconn", "line");
	ta_put_str(w->facts, "sysctl.d", "settings", "net.core.somaxconn", "set_by");
	ta_put_str(w->facts, "vm.swappiness and others", "agents", "kubelet", "writes");
	ta_put_bool(w->facts, true, "agents", "kubelet", "running");
	plan(w, RULE("a.1", "none", "raise", SET("net.core.somaxconn", "4096")) RULE("a.2", "none", "exact", SET("vm.swappiness", "10")));
	assert_int_equal(w->plan.n_actions, 2);
	assert_string_equal(w->plan.actions[0].owners.v[0], "/etc/sysctl.d/99-x.conf:3");
	assert_string_equal(w->plan.actions[1].owners.v[0], "kubelet");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_order, setup, teardown),
		cmocka_unit_test_setup_teardown(test_elements_are_merged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lifted_elements_are_merged, setup, teardown),
		cmocka_unit_test_setup_teardown(test_at_least_and_at_least, setup, teardown),
		cmocka_unit_test_setup_teardown(test_contradiction, setup, teardown),
		cmocka_unit_test_setup_teardown(test_rivals, setup, teardown),
		cmocka_unit_test_setup_teardown(test_never_lower, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_only_told, setup, teardown),
		cmocka_unit_test_setup_teardown(test_moved_meanwhile, setup, teardown),
		cmocka_unit_test_setup_teardown(test_untrusted, setup, teardown),
		cmocka_unit_test_setup_teardown(test_who_else_sets_it, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
