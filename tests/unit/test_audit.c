#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "audit/audit.h"

static const struct ta_field fields[] = {
	{"queue", TA_T_INT, "", "a setting", 0, {{0}}},
	{"files", TA_T_INT, "", "another", 0, {{0}}},
	{"host.time", TA_T_INT, "s", "now", 0, {{0}}},
	{"nics.*.mtu", TA_T_INT, "bytes", "of each", 0, {{0}}},
};
static const struct ta_table tables[] = {{"all", fields, TA_ARRAY_SIZE(fields)}};

/* Every rule has its three cases elsewhere; here they would only be noise, so the linter is not
 * asked. */
#define RULE(id, severity, weight, want)                                                           \
	"rule " id " title \"t\" why \"w\" ref \"r\" severity " severity " weight " weight         \
	" risk none " want " end\n"

static const char *const text = RULE("tcp.queue", "warning", "6", "want queue >= 4096") RULE(
	"tcp.files", "error", "4", "want files >= 100") RULE("nic.mtu", "info", "2",
	"each nic in nics want nic.mtu >= 1500") RULE("nic.other", "info", "2",
	"want queue >= 0") RULE("zero.rest", "warning", "1",
	"want 10 % queue >= 0") "profile all title \"a\" rules tcp.*, nic.* end\n"
				"profile some title \"s\" rules tcp.queue weight tcp.queue 9 "
				"severity tcp.queue error end\n"
				"profile broken title \"b\" rules zero.rest end\n"
				"waive nic.mtu subject \"eth1\" because \"old switch\" end\n"
				"waive tcp.files because \"small host\" until \"2030-01-31\" end\n";

struct world {
	struct ta_schema *schema;
	struct ta_rules *rules;
	struct ta_facts *facts;
};

static int make(void **state)
{
	static struct world w;
	struct ta_diags diags = {0};

	assert_int_equal(ta_schema_new(tables, 1, &w.schema, NULL), 0);
	w.rules = ta_rules_new();
	ta_rules_add_text(w.rules, "test", text, strlen(text), TA_RULES_TRUSTED, &diags);
	if (!diags.total)
		ta_rules_resolve(w.rules, w.schema, NULL, 0, &diags);
	if (diags.total)
		fail_msg("%s", diags.v[0].text);
	w.facts = ta_facts_new();
	*state = &w;
	return 0;
}

static int drop(void **state)
{
	struct world *w = *state;

	ta_facts_free(w->facts);
	ta_rules_free(w->rules);
	ta_schema_free(w->schema);
	return 0;
}

static struct ta_audit audit(const struct world *w, const char *profile)
{
	const struct ta_audit_options o = {.profile = ta_rules_profile(w->rules, profile)};
	struct ta_audit a;

	assert_non_null(o.profile);
	assert_int_equal(ta_audit_run(w->rules, &o, w->facts, &a), 0);
	return a;
}

static const struct ta_finding *find(
	const struct ta_audit *a, const char *rule, const char *subject)
{
	for (size_t i = 0; i < a->n_findings; i++)
		if (strcmp(a->findings[i].rule->id, rule) == 0 &&
			strcmp(a->findings[i].out.subject, subject) == 0)
			return &a->findings[i];
	fail_msg("no finding %s %s", rule, subject);
	return NULL;
}

static void patterns(void **state)
{
	assert_true(ta_audit_matches("nic.mtu", "nic.mtu"));
	assert_true(ta_audit_matches("nic.*", "nic.mtu"));
	assert_true(ta_audit_matches("nic.channels.*", "nic.channels.combined"));
	assert_false(ta_audit_matches("nic.*", "nicer.mtu"));
	assert_false(ta_audit_matches("nic", "nic.mtu"));
	assert_false(ta_audit_matches("nic.m*", "nic.mtu"));
	assert_false(ta_audit_matches("", "nic.mtu"));
	assert_false(ta_audit_matches("*", "nic.mtu"));
}

static void selects_within_the_profile(void **state)
{
	const struct world *w = *state;
	struct ta_strv only = TA_STRV_INIT, skip = TA_STRV_INIT;
	struct ta_audit_options o = {
		.profile = ta_rules_profile(w->rules, "all"), .only = &only, .skip = &skip};
	const struct ta_rule *queue = ta_rules_find(w->rules, "tcp.queue");
	const struct ta_rule *zero = ta_rules_find(w->rules, "zero.rest");

	assert_true(ta_audit_selects(&o, queue));
	assert_false(ta_audit_selects(&o, zero));
	ta_strv_add(&only, "nic.*");
	ta_strv_add(&only, "zero.*");
	assert_false(ta_audit_selects(&o, queue));
	assert_false(ta_audit_selects(&o, zero));
	ta_strv_add(&only, "tcp.queue");
	assert_true(ta_audit_selects(&o, queue));
	ta_strv_add(&skip, "tcp.*");
	assert_false(ta_audit_selects(&o, queue));
	ta_strv_done(&only);
	ta_strv_done(&skip);
}

static void a_profile_weighs(void **state)
{
	struct world *w = *state;
	struct ta_audit a;

	ta_put_i64(w->facts, 128, "queue");
	a = audit(w, "some");
	assert_int_equal(a.n_findings, 1);
	assert_int_equal(a.findings[0].weight, 9);
	assert_int_equal(a.findings[0].severity, TA_SEV_ERROR);
	assert_true(a.has_score && a.score == 0 && a.coverage == 100);
	ta_audit_done(&a);
}

static void waivers_hold_until_their_day(void **state)
{
	struct world *w = *state;
	struct ta_audit a;
	const struct ta_finding *f;

	ta_put_i64(w->facts, 4096, "queue");
	ta_put_i64(w->facts, 10, "files");
	ta_put_i64(w->facts, 900, "nics", "eth0", "mtu");
	ta_put_i64(w->facts, 900, "nics", "eth1", "mtu");
	a = audit(w, "all");
	assert_int_equal(find(&a, "nic.mtu", "eth0")->out.verdict, TA_V_FAIL);
	f = find(&a, "nic.mtu", "eth1");
	assert_int_equal(f->out.verdict, TA_V_WAIVED);
	assert_string_equal(f->waived_because, "old switch");
	assert_null(f->until);
	/* It has an end, and nobody knows what day it is. */
	f = find(&a, "tcp.files", "host");
	assert_int_equal(f->out.verdict, TA_V_FAIL);
	assert_non_null(f->waiver_note);
	ta_audit_done(&a);

	/* The last second of the day, and the next one. */
	ta_put_i64(w->facts, 1896134399, "host", "time");
	a = audit(w, "all");
	f = find(&a, "tcp.files", "host");
	assert_int_equal(f->out.verdict, TA_V_WAIVED);
	assert_string_equal(f->until, "2030-01-31");
	assert_null(f->waiver_note);
	ta_audit_done(&a);
	ta_put_i64(w->facts, 1896134400, "host", "time");
	a = audit(w, "all");
	f = find(&a, "tcp.files", "host");
	assert_int_equal(f->out.verdict, TA_V_FAIL);
	assert_non_null(strstr(f->waiver_note, "ended"));
	ta_audit_done(&a);
}

static void a_pass_needs_no_waiver(void **state)
{
	struct world *w = *state;
	struct ta_audit a;

	ta_put_i64(w->facts, 9000, "nics", "eth1", "mtu");
	a = audit(w, "all");
	assert_int_equal(find(&a, "nic.mtu", "eth1")->out.verdict, TA_V_PASS);
	/* … and what is unknown is not waived either. */
	assert_int_equal(find(&a, "tcp.files", "host")->out.verdict, TA_V_UNKNOWN);
	ta_audit_done(&a);
}

static int exit_of(
	const struct world *w, const char *profile, unsigned min, const enum ta_severity *fail_on)
{
	struct ta_audit a = audit(w, profile);
	int code = ta_audit_exit(&a, min, fail_on);

	ta_audit_done(&a);
	return code;
}

static void exit_codes_in_their_order(void **state)
{
	const enum ta_severity info = TA_SEV_INFO, warning = TA_SEV_WARNING, error = TA_SEV_ERROR;
	struct world *w = *state;

	ta_put_i64(w->facts, 128, "queue");
	assert_int_equal(exit_of(w, "some", 50, &error), 1);
	assert_int_equal(exit_of(w, "some", 50, NULL), 0);
	/* tcp.queue fails, tcp.files and nic.mtu are unknown: 8 of 14 known. */
	assert_int_equal(exit_of(w, "all", 50, &warning), 1);
	assert_int_equal(exit_of(w, "all", 50, &error), 0);
	assert_int_equal(exit_of(w, "all", 57, &info), 1);
	assert_int_equal(exit_of(w, "all", 58, &info), 3);
	assert_int_equal(exit_of(w, "all", 58, NULL), 3);
	ta_put_i64(w->facts, 0, "queue");
	assert_int_equal(exit_of(w, "broken", 100, NULL), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test_setup_teardown(selects_within_the_profile, make, drop),
		cmocka_unit_test_setup_teardown(a_profile_weighs, make, drop),
		cmocka_unit_test_setup_teardown(waivers_hold_until_their_day, make, drop),
		cmocka_unit_test_setup_teardown(a_pass_needs_no_waiver, make, drop),
		cmocka_unit_test_setup_teardown(exit_codes_in_their_order, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
