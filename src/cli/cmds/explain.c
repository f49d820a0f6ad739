/*
 * tuneaudit explain RULE: the reason, the facts of this host, the target worked out, sources.
 */
#include <string.h>

#include "cli/fixtext.h"
#include "cli/ruleset.h"
#include "cli/session.h"
#include "report/explain.h"

struct values {
	const char *profile, *capture, *rules;
};

static const struct ta_option options[] = {
	{.name = "profile",
		.arg = "PROFILE",
		.kind = TA_OPT_STRING,
		.help = "with the weights and parameters of this profile (default base, or the "
			"first that has the rule)",
		.offset = offsetof(struct values, profile)},
	{.name = "capture",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "on this captured host instead of this one",
		.offset = offsetof(struct values, capture)},
	{.name = "rules",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "also the *.rules of this directory; the same id overrides",
		.offset = offsetof(struct values, rules)},
};

static void find_members(const struct ta_ruleset *rs, const struct ta_rule *r, struct ta_strv *ret)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	ta_rules_profile_names(rs->rules, &names);
	for (size_t i = 0; i < names.n; i++)
		if (ta_profile_has(ta_rules_profile(rs->rules, names.v[i]), r))
			ta_strv_add(ret, names.v[i]);
}

/* The profile asked for, else base, else the first that has the rule. NULL after a message. */
static const struct ta_profile *choose_profile(const struct ta_ruleset *rs, const struct ta_rule *r,
	const char *name, const struct ta_strv *members)
{
	const struct ta_profile *p = ta_ruleset_profile(rs, name);

	if (!p || ta_profile_has(p, r))
		return p;
	if (!name && members->n)
		return ta_rules_profile(rs->rules, members->v[0]);
	ta_cli_fail(0, "profile %s does not have %s", ta_profile_name(p), r->id);
	return NULL;
}

static void add_owner(const struct ta_field *field, const char *owner, void *ctx)
{
	(void)field;
	if (!ta_strv_has(ctx, owner))
		ta_strv_add(ctx, owner);
}

/* The names of the sysctls that the rule reads; who sets them is a fact that it does not read. */
static void find_sysctls(const struct ta_schema *schema, const struct ta_rule *r, struct ta_strv *ret,
	struct ta_strv *owners)
{
	static const char prefix[] = "sysctl[\"";
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;
	const struct ta_schema_node *settings = ta_schema_find_text(schema, "settings");

	ta_rule_paths(r, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		const char *name = paths.v[i] + sizeof(prefix) - 1;

		if (strncmp(paths.v[i], prefix, sizeof(prefix) - 1) == 0)
			ta_strv_addn(ret, name, strcspn(name, "\""));
	}
	if (ret->n && settings)
		ta_schema_leaves(settings, add_owner, owners);
}

static int explain(struct ta_cli *cli, const struct ta_ruleset *rs, const struct ta_rule *r,
	const struct ta_facts *facts, const struct ta_strv *members, const struct ta_strv *sysctls,
	const struct ta_audit *audit)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const struct ta_report_options o = {.columns = cli->columns,
		.color = cli->color,
		.verbosity = 1,
		.tool_version = TA_VERSION,
		.program = cli->program,
		.how = ""};
	struct ta_explanation e = {
		.rule = r, .audit = audit, .members = members, .host = facts, .sysctls = sysctls};

	if (ta_rule_explain(rs->rules, r, audit->profile, facts, &text) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	e.facts = ta_buf_text(&text);
	ta_report_explain(&e, &o, &cli->out);
	return TA_EXIT_OK;
}

static int on_host(struct ta_cli *cli, const struct values *v, const char *id, struct ta_session *s,
	struct ta_ruleset *rs)
{
	ta_cleanup_strv struct ta_strv members = TA_STRV_INIT, owners = TA_STRV_INIT,
				       only = TA_STRV_INIT, sysctls = TA_STRV_INIT;
	struct ta_audit_options o = {.only = &only};
	const struct ta_source_options source = {.capture = v->capture};
	struct ta_audit audit;
	const struct ta_rule *r = ta_ruleset_find(rs, id);
	int code;

	if (!r)
		return TA_EXIT_USAGE;
	find_members(rs, r, &members);
	o.profile = choose_profile(rs, r, v->profile, &members);
	if (!o.profile)
		return TA_EXIT_USAGE;
	ta_strv_add(&only, r->id);
	ta_rule_owners(r, &owners);
	find_sysctls(s->schema, r, &sysctls, &owners);
	code = ta_session_collect(s, &source, &owners);
	if (code != TA_EXIT_OK)
		return code;
	if (ta_audit_run(rs->rules, &o, s->facts, &audit) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	if (ta_fixtext_fill(&audit, s->facts) < 0)
		code = ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	else
		code = explain(cli, rs, r, s->facts, &members, &sysctls, &audit);
	ta_audit_done(&audit);
	return code;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_ruleset struct ta_ruleset rs = TA_RULESET_INIT;
	const struct values *v = values;
	int code = ta_session_schema(&s);

	if (code == TA_EXIT_OK)
		code = ta_ruleset_load(&rs, s.schema, v->rules);
	return code == TA_EXIT_OK ? on_host(cli, v, args->v[0], &s, &rs) : code;
}

const struct ta_command ta_command_explain = {
	.name = "explain",
	.args = "RULE",
	.summary = "one rule on this host: why, its facts, the target, sources",
	.about = "Shows a rule as it judges this host: why it matters, each fact with its value, "
		 "the target worked "
		 "out, what to type, how the kernel's default changed, and the sources. Changes "
		 "nothing.",
	.exits = "0\tthe rule was explained, whatever its verdict\n"
		 "2\twrong usage, no such rule, a capture that cannot be read, or a broken rule\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples =
		"tuneaudit explain nic.channels.combined\twhy so many queues, and how many here\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
