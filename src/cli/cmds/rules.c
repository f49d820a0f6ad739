/*
 * tuneaudit rules list | check FILES: the rules in force, and a linter for new ones.
 */
#include <stdlib.h>
#include <string.h>

#include "base/nearest.h"
#include "cli/ruleset.h"
#include "cli/session.h"
#include "report/text.h"

struct values {
	const char *profile, *rules;
};

static const struct ta_option options[] = {
	{.name = "profile",
		.arg = "PROFILE",
		.kind = TA_OPT_STRING,
		.help = "list: only the rules of this profile, with its weights",
		.offset = offsetof(struct values, profile)},
	{.name = "rules",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "list: also the *.rules of this directory",
		.offset = offsetof(struct values, rules)},
};

static void list_profiles(struct ta_cli *cli, const struct ta_ruleset *rs)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	size_t width = 0;

	ta_rules_profile_names(rs->rules, &names);
	for (size_t i = 0; i < names.n; i++)
		width = TA_MAX(width, strlen(names.v[i]));
	ta_buf_adds(&cli->out, "\nProfiles:\n");
	for (size_t i = 0; i < names.n; i++)
		ta_text_term(&cli->out, names.v[i],
			ta_profile_title(ta_rules_profile(rs->rules, names.v[i])), cli->columns,
			(unsigned)width + 4);
}

/* `p` NULL: every rule, with its own weight. */
static size_t list_rules(
	struct ta_cli *cli, const struct ta_ruleset *rs, const struct ta_profile *p)
{
	size_t n = 0;

	for (const struct ta_rule *r = ta_rules_first(rs->rules); r; r = r->next) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		if (p && !ta_profile_has(p, r))
			continue;
		n++;
		ta_buf_printf(&cli->out, "%-7s %2u  ",
			ta_severity_name(p ? ta_profile_severity(p, r) : r->severity),
			p ? ta_profile_weight(p, r) : r->weight);
		ta_buf_printf(&line, "%s: %s", r->id, r->title);
		ta_text_wrap(&cli->out, ta_buf_text(&line), cli->columns, 12, 12);
		ta_buf_addc(&cli->out, '\n');
	}
	return n;
}

static int list(struct ta_cli *cli, const struct values *v, const struct ta_strv *args)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_ruleset struct ta_ruleset rs = TA_RULESET_INIT;
	const struct ta_profile *p = NULL;
	int code = ta_session_schema(&s);

	if (args->n > 1)
		return ta_cli_fail(TA_EXIT_USAGE, "'%s' is one argument too many", args->v[1]);
	if (code == TA_EXIT_OK)
		code = ta_ruleset_load(&rs, s.schema, v->rules);
	if (code != TA_EXIT_OK)
		return code;
	if (v->profile) {
		p = ta_ruleset_profile(&rs, v->profile);
		if (!p)
			return TA_EXIT_USAGE;
	}
	list_rules(cli, &rs, p);
	if (!p && !cli->quiet)
		list_profiles(cli, &rs);
	return TA_EXIT_OK;
}

static bool is_from(const struct ta_rule *r, const struct ta_strv *files)
{
	return ta_strv_has(files, r->file);
}

/* Cases of the files' rules from `r` on; faults are added to `diags`. */
static int run_cases(const struct ta_ruleset *rs, const struct ta_rule *r, const struct ta_strv *files,
	size_t *ret_rules, size_t *ret_cases, struct ta_diags *diags)
{
	for (; r; r = r->next) {
		size_t n = 0;

		if (!is_from(r, files))
			continue;
		if (ta_rule_run_cases(rs->rules, r, diags, &n) < 0)
			return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
		*ret_cases += n;
		(*ret_rules)++;
	}
	return TA_EXIT_OK;
}

static void say_result(struct ta_cli *cli, size_t rules, size_t cases, size_t faults)
{
	ta_buf_printf(&cli->out, "%zu rule%s, %zu case%s: ", rules, rules == 1 ? "" : "s", cases,
		cases == 1 ? "" : "s");
	if (faults)
		ta_buf_printf(&cli->out, "%zu fault%s\n", faults, faults == 1 ? "" : "s");
	else
		ta_buf_adds(&cli->out, "no faults\n");
}

static int check_files(struct ta_cli *cli, const struct ta_strv *files, struct ta_session *s,
	struct ta_ruleset *rs, struct ta_diags *diags)
{
	size_t n_rules = 0, n_cases = 0;
	int code = ta_session_schema(s);

	if (code == TA_EXIT_OK)
		code = ta_ruleset_embedded(rs, diags);
	for (size_t i = 0; i < files->n && code == TA_EXIT_OK; i++)
		code = ta_ruleset_add_file(rs, files->v[i], diags);
	if (code == TA_EXIT_OK)
		code = ta_ruleset_resolve(rs, s->schema, diags);
	if (code == TA_EXIT_OK)
		code = run_cases(rs, ta_rules_first(rs->rules), files, &n_rules, &n_cases, diags);
	/* What another of the files replaces is in order, or it is not, by itself. */
	if (code == TA_EXIT_OK)
		code = run_cases(rs, ta_rules_first_replaced(rs->rules), files, &n_rules, &n_cases, diags);
	if (code != TA_EXIT_OK)
		return code;
	ta_ruleset_format(diags, &cli->out);
	if (!cli->quiet)
		say_result(cli, n_rules, n_cases, diags->total);
	return diags->total ? TA_EXIT_FINDINGS : TA_EXIT_OK;
}

static int lint(struct ta_cli *cli, const struct ta_strv *args)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_ruleset struct ta_ruleset rs = TA_RULESET_INIT;
	ta_cleanup_strv struct ta_strv files = TA_STRV_INIT;
	struct ta_diags diags = {0};
	int code;

	for (size_t i = 1; i < args->n; i++)
		if (!ta_strv_has(&files, args->v[i]))
			ta_strv_add(&files, args->v[i]);
	if (!files.n)
		return ta_cli_fail(TA_EXIT_USAGE, "rules check needs FILES");
	code = check_files(cli, &files, &s, &rs, &diags);
	ta_diags_done(&diags);
	return code;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	static const char *const verbs[] = {"list", "check"};
	struct ta_nearest near = TA_NEAREST(args->v[0]);
	const struct values *v = values;

	if (strcmp(args->v[0], "list") == 0)
		return list(cli, v, args);
	if (strcmp(args->v[0], "check") == 0 && !v->profile && !v->rules)
		return lint(cli, args);
	if (strcmp(args->v[0], "check") == 0)
		return ta_cli_fail(
			TA_EXIT_USAGE, "rules check takes files only, no --profile and no --rules");
	for (size_t i = 0; i < TA_ARRAY_SIZE(verbs); i++)
		ta_nearest_try(&near, verbs[i]);
	if (near.best)
		return ta_cli_fail(
			TA_EXIT_USAGE, "rules %s: did you mean '%s'?", args->v[0], near.best);
	return ta_cli_fail(TA_EXIT_USAGE, "rules %s: there are list and check", args->v[0]);
}

const struct ta_command ta_command_rules = {
	.name = "rules",
	.args = "list | check FILE...",
	.summary = "the rules and profiles; a linter for rule files",
	.about = "list prints every rule with severity, weight and title, then the profiles.\n\n"
		 "check reads rule files as 'check --rules' would, prints every fault with file, "
		 "line and column, and "
		 "runs the cases that stand in the rules. A rule without a case for pass, fail and "
		 "unknown is a fault.",
	.exits = "0\tthe rules were listed; the files are in order\n"
		 "1\tcheck found faults\n"
		 "2\twrong usage, a file that cannot be read, or (list) a broken rule\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples = "tuneaudit rules list --profile gateway\twhat a gateway is judged by\n"
		    "tuneaudit rules check my.rules\tbefore it goes to " TA_RULES_DIR "\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = -1,
	.run = run,
};
