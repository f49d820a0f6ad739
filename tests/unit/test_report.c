#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "report/report.h"
#include "report/text.h"

static const struct ta_field fields[] = {
	{"nics.*.queues", TA_T_INT, "", "queues", 0, {{0}}},
	{"nics.*.drops", TA_T_INT, "", "dropped packets", 0, {{0}}},
	{"backlog", TA_T_INT, "", "a setting", 0, {{0}}},
	{"overflows", TA_T_INT, "", "what its being short costs", 0, {{0}}},
};
static const struct ta_table tables[] = {{"all", fields, TA_ARRAY_SIZE(fields)}};

static const char *const text = "rule nic.queues title \"One queue per core\" why \"One CPU "
				"handles the packets of one queue.\" ref \"r\"\n"
				"  severity warning weight 8 risk link-flap each nic in nics\n"
				"  want nic.queues >= 8 evidence nic.drops > 0 end\n"
				"rule tcp.backlog title \"A long queue\" why \"Short queues "
				"drop.\" ref \"man 2 listen\" \"against: a guide, which sets 128\"\n"
				"  severity error weight 2 risk none\n"
				"  want backlog >= 4096 evidence overflows > 0 end\n"
				"profile all title \"a\" rules nic.*, tcp.* end\n";

struct world {
	struct ta_schema *schema;
	struct ta_rules *rules;
	struct ta_facts *facts;
	struct ta_audit audit;
};

static int make(void **state)
{
	static struct world w;
	struct ta_diags diags = {0};

	memset(&w, 0, sizeof(w));
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

	ta_audit_done(&w->audit);
	ta_facts_free(w->facts);
	ta_rules_free(w->rules);
	ta_schema_free(w->schema);
	return 0;
}

static void add_nics(struct world *w, unsigned n, int64_t queues, int64_t drops)
{
	for (unsigned i = 0; i < n; i++) {
		char name[16];

		snprintf(name, sizeof(name), "eth%u", i);
		ta_put_i64(w->facts, queues, "nics", name, "queues");
		ta_put_i64(w->facts, drops, "nics", name, "drops");
	}
}

static void judge(struct world *w)
{
	const struct ta_audit_options o = {.profile = ta_rules_profile(w->rules, "all")};

	assert_int_equal(ta_audit_run(w->rules, &o, w->facts, &w->audit), 0);
}

/* A command for every failing interface, as a fixer would give it. */
static void add_commands(struct world *w, const char *fmt)
{
	for (size_t i = 0; i < w->audit.n_findings; i++) {
		struct ta_finding *f = &w->audit.findings[i];
		struct ta_buf b = TA_BUF_INIT;

		ta_buf_printf(&b, "%s %s", fmt, f->out.subject);
		f->fix_command = ta_buf_steal(&b);
		f->fix_disruption = "link-flap";
	}
}

static const struct ta_format *format(const char *name)
{
	for (size_t i = 0; i < ta_n_formats; i++)
		if (strcmp(ta_formats[i]->name, name) == 0)
			return ta_formats[i];
	fail_msg("no format %s", name);
	return NULL;
}

static const char *print(const struct world *w, const char *name, struct ta_report_options o)
{
	static struct ta_buf b;

	o.how = " --profile all";
	o.program = "tuneaudit";
	o.tool_version = "0";
	ta_buf_reset(&b);
	format(name)->check(&w->audit, w->facts, &o, &b);
	assert_int_equal(b.error, 0);
	return ta_buf_text(&b);
}

static size_t count_lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static size_t count(const char *s, const char *what)
{
	size_t n = 0;

	while ((s = strstr(s, what))) {
		n++;
		s += strlen(what);
	}
	return n;
}

static void has(const char *out, const char *what)
{
	if (!strstr(out, what))
		fail_msg("'%s' is not in:\n%s", what, out);
}

static void lacks(const char *out, const char *what)
{
	if (strstr(out, what))
		fail_msg("'%s' is in:\n%s", what, out);
}

static void many_subjects_are_one_finding(void **state)
{
	struct world *w = *state;
	const char *out;

	add_nics(w, 64, 1, 0);
	ta_put_i64(w->facts, 4096, "backlog");
	judge(w);
	add_commands(w, "ethtool -L");
	out = print(w, "text", (struct ta_report_options){.columns = 80});
	assert_true(count_lines(out) < 40);
	has(out, "eth0, eth1, eth2, eth3, eth4, eth5, eth6, eth7 and 56 more: ");
	assert_int_equal(count(out, "ethtool -L eth"), 4);
	has(out, "# and 60 more: tuneaudit check --only nic.queues --profile all -v\n");
	has(out, "link-flap: the link goes down for a moment");

	out = print(w, "text", (struct ta_report_options){.columns = 80, .verbosity = 1});
	assert_int_equal(count(out, "ethtool -L eth"), 64);
	has(out, "eth63");
	lacks(out, "more:");
}

static void numbers_that_differ_are_alike(void **state)
{
	struct world *w = *state;
	const char *out;

	for (unsigned i = 0; i < 7; i++) {
		char name[16];

		snprintf(name, sizeof(name), "eth%u", i);
		ta_put_i64(w->facts, i + 1, "nics", name, "queues");
	}
	judge(w);
	out = print(w, "text", (struct ta_report_options){.columns = 200});
	assert_int_equal(count(out, ".queues is "), 1);
	has(out, "eth0: ");
	has(out, "likewise eth1, eth2, eth3, eth4, eth5, eth6");
}

static void evidence_is_told_apart(void **state)
{
	struct world *w = *state;
	const char *out;

	add_nics(w, 3, 1, 0);
	ta_put_i64(w->facts, 5, "nics", "eth1", "drops");
	judge(w);
	assert_string_equal(w->audit.findings[0].out.subject, "eth1");
	out = print(w, "text", (struct ta_report_options){.columns = 200});
	has(out, "  Is     eth1: ");
	has(out, ".drops is 5");
	has(out, "  Also   eth0, eth2: ");
	has(out, "not seen: set below the guide, but nothing shows that it hurts here");
}

/* A light rule with proof comes before a heavy one without; what is not seen is said in the same words everywhere. */
static void what_hurts_comes_first(void **state)
{
	struct world *w = *state;
	static const char words[] = "set below the guide, but nothing shows that it hurts here";
	const char *out;

	add_nics(w, 1, 1, 0);
	ta_put_i64(w->facts, 128, "backlog");
	ta_put_i64(w->facts, 7, "overflows");
	judge(w);
	assert_string_equal(w->audit.findings[0].rule->id, "tcp.backlog");
	assert_string_equal(w->audit.findings[1].rule->id, "nic.queues");
	out = print(w, "text", (struct ta_report_options){.columns = 200});
	has(out, "  Hurts  overflows is 7\n");
	has(out, words);
	assert_int_equal(count(out, words), 1);
	assert_true(strstr(out, "error tcp.backlog") < strstr(out, "warning nic.queues"));
	out = print(w, "json", (struct ta_report_options){.columns = 80});
	assert_int_equal(count(out, "\"detail\":\"set below the guide, but nothing shows that it hurts here\""), 1);
	assert_int_equal(count(out, "\"hurts\":true"), 1);
	assert_int_equal(count(out, "\"hurts\":false"), 1);
	assert_true(strstr(out, "tcp.backlog") < strstr(out, "nic.queues"));
}

/* Nothing is known of the counters: then nothing is said of them. */
static void unknown_evidence_says_nothing(void **state)
{
	struct world *w = *state;
	const char *out;

	ta_put_i64(w->facts, 128, "backlog");
	judge(w);
	out = print(w, "text", (struct ta_report_options){.columns = 200});
	has(out, "error tcp.backlog");
	lacks(out, "nothing shows");
	out = print(w, "json", (struct ta_report_options){.columns = 80});
	has(out, "\"hurts\":null");
	lacks(out, "nothing shows");
}

static void sources_that_disagree_stand_in_the_finding(void **state)
{
	struct world *w = *state;
	const char *out;

	add_nics(w, 1, 1, 0);
	ta_put_i64(w->facts, 128, "backlog");
	judge(w);
	out = print(w, "text", (struct ta_report_options){.columns = 200});
	has(out, "  Guides man 2 listen; against: a guide, which sets 128\n");
	assert_int_equal(count(out, "  Guides "), 1);
	out = print(w, "json", (struct ta_report_options){.columns = 80});
	has(out, "\"refs\":[\"man 2 listen\",\"against: a guide, which sets 128\"]");
}

static void commands_stay_in_one_piece(void **state)
{
	struct world *w = *state;
	const char *command =
		"echo a-long-word another-long-word and many more words after it | tee /dev/null #";
	const char *out;

	add_nics(w, 1, 1, 0);
	judge(w);
	add_commands(w, command);
	for (unsigned columns = 20; columns <= 100; columns += 20) {
		out = print(w, "text", (struct ta_report_options){.columns = columns});
		has(out, command);
	}
}

static void no_command_is_shown_changed(void **state)
{
	struct world *w = *state;
	const char *out;

	add_nics(w, 1, 1, 0);
	judge(w);
	add_commands(w, "ethtool -L 'eth\xc3\x97\033[1m'");
	out = print(w, "text", (struct ta_report_options){.columns = 80});
	lacks(out, "ethtool");
	lacks(out, "\033");
	has(out, "# holds unusual characters: take it from --format json");
	has(print(w, "json", (struct ta_report_options){.columns = 80}),
		"ethtool -L 'eth\xc3\x97\\u001b[1m' eth0");
}

static void colour_is_paint_only(void **state)
{
	struct world *w = *state;
	ta_cleanup_buf struct ta_buf plain = TA_BUF_INIT, stripped = TA_BUF_INIT;
	const char *out;

	add_nics(w, 2, 1, 1);
	judge(w);
	ta_buf_adds(&plain, print(w, "text", (struct ta_report_options){.columns = 80}));
	out = print(w, "text", (struct ta_report_options){.columns = 80, .color = true});
	has(out, "\033[33mwarning\033[0m");
	while (*out) {
		if (*out == '\033') {
			out += strcspn(out, "m") + 1;
			continue;
		}
		ta_buf_addc(&stripped, *out++);
	}
	assert_string_equal(ta_buf_text(&stripped), ta_buf_text(&plain));
}

static void quiet_is_one_line_each(void **state)
{
	struct world *w = *state;
	const char *out;

	add_nics(w, 2, 1, 1);
	ta_put_i64(w->facts, 1, "backlog");
	judge(w);
	out = print(w, "text", (struct ta_report_options){.columns = 80, .verbosity = -1});
	assert_int_equal(count_lines(out), 4);
	has(out, "Score 0 of 100 (profile all), coverage 100 %; lost: nic 80, tcp 20\n");
	has(out, "\nwarning nic.queues eth0: ");
	has(out, "\nerror tcp.backlog host: ");
}

static void next_steps_fit_the_result(void **state)
{
	struct world *w = *state;
	ta_cleanup_strv struct ta_strv profiles = TA_STRV_INIT;
	const char *out;

	add_nics(w, 1, 8, 0);
	ta_facts_put_absent(w->facts, TA_KEYS("backlog"), TA_DENIED, "permission denied");
	judge(w);
	ta_rules_profile_names(w->rules, &profiles);
	ta_strv_add(&profiles, "gateway");
	out = print(w, "text",
		(struct ta_report_options){
			.columns = 80, .no_root = "sudo tuneaudit check", .profiles = &profiles});
	has(out, "Could not be judged (1)\n  denied (1): ");
	has(out, "  sudo tuneaudit check\n");
	has(out, "Profiles: all, gateway");
	lacks(out, "explain");
	out = print(w, "text", (struct ta_report_options){.columns = 80});
	lacks(out, "sudo");
	lacks(out, "Profiles:");
}

static void one_cause_is_told_once(void **state)
{
	struct world *w = *state;
	const char *out;

	for (unsigned i = 0; i < 9; i++) {
		char name[16];

		snprintf(name, sizeof(name), "eth%u", i);
		ta_put_i64(w->facts, 0, "nics", name, "drops");
		ta_facts_put_absent(
			w->facts, TA_KEYS("nics", name, "queues"), TA_MISSING, "%s has none", name);
	}
	ta_put_i64(w->facts, 4096, "backlog");
	judge(w);
	out = print(w, "text", (struct ta_report_options){.columns = 200});
	has(out, "Could not be judged (9)\n  missing (9): ");
	has(out, "    nic.queues (9 subjects) - ");
	assert_int_equal(count(out, "has none"), 1);
	out = print(w, "text", (struct ta_report_options){.columns = 200, .verbosity = 1});
	assert_int_equal(count(out, "has none"), 9);
	has(out, "nic.queues (eth8) - ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(many_subjects_are_one_finding, make, drop),
		cmocka_unit_test_setup_teardown(numbers_that_differ_are_alike, make, drop),
		cmocka_unit_test_setup_teardown(evidence_is_told_apart, make, drop),
		cmocka_unit_test_setup_teardown(what_hurts_comes_first, make, drop),
		cmocka_unit_test_setup_teardown(unknown_evidence_says_nothing, make, drop),
		cmocka_unit_test_setup_teardown(sources_that_disagree_stand_in_the_finding, make, drop),
		cmocka_unit_test_setup_teardown(commands_stay_in_one_piece, make, drop),
		cmocka_unit_test_setup_teardown(no_command_is_shown_changed, make, drop),
		cmocka_unit_test_setup_teardown(colour_is_paint_only, make, drop),
		cmocka_unit_test_setup_teardown(quiet_is_one_line_each, make, drop),
		cmocka_unit_test_setup_teardown(one_cause_is_told_once, make, drop),
		cmocka_unit_test_setup_teardown(next_steps_fit_the_result, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
