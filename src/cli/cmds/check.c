/*
 * tuneaudit check: reads the host, judges it, prints findings and score.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "cli/baselines.h"
#include "cli/fixtext.h"
#include "cli/ruleset.h"
#include "cli/session.h"
#include "cli/system.h"
#include "fix/fixer.h"
#include "report/report.h"

struct values {
	const char *profile, *format, *capture, *fail_on, *rules, *baseline;
	int64_t min_coverage, sample;
	struct ta_strv only, skip, ignore;
};

static const struct ta_option options[] = {
	TA_OPTION_PROFILE(struct values, profile),
	{.name = "format",
		.arg = "FORMAT",
		.kind = TA_OPT_STRING,
		.help = "text for people (default); json, junit, sarif, prometheus, github, markdown, html, nagios",
		.offset = offsetof(struct values, format)},
	{.name = "capture",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "judge this captured host instead of this one",
		.offset = offsetof(struct values, capture)},
	TA_OPTION_ONLY(struct values, only),
	TA_OPTION_SKIP(struct values, skip),
	{.name = "fail-on",
		.arg = "info|warning|error|none",
		.kind = TA_OPT_STRING,
		.help = "exit 1 if something of this severity or above fails (default warning)",
		.offset = offsetof(struct values, fail_on)},
	{.name = "min-coverage",
		.arg = "N",
		.kind = TA_OPT_NUMBER,
		.help = "exit 3 if less than N percent could be judged (default 50)",
		.offset = offsetof(struct values, min_coverage),
		.unset = 50,
		.max = 100},
	{.name = "rules",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "also the *.rules of this directory; the same id overrides",
		.offset = offsetof(struct values, rules)},
	TA_OPTION_SAMPLE(struct values, sample),
	{.name = "baseline",
		.arg = "FILE",
		.kind = TA_OPT_STRING,
		.help = "also what moved since 'baseline save FILE'; exit 4 if anything did",
		.offset = offsetof(struct values, baseline)},
	TA_OPTION_IGNORE(struct values, ignore),
};

static const struct ta_format *find_format(const char *name)
{
	const char *names[32] = {"text"};
	size_t n = 1;
	int i;

	for (size_t k = 0; k < ta_n_formats && n + 1 < TA_ARRAY_SIZE(names); k++)
		if (strcmp(ta_formats[k]->name, "text") != 0)
			names[n++] = ta_formats[k]->name;
	i = ta_cli_choose("format", name, names);
	for (size_t k = 0; i >= 0 && k < ta_n_formats; k++)
		if (strcmp(ta_formats[k]->name, names[i]) == 0)
			return ta_formats[k];
	return NULL;
}

/* NULL in *ret: never. */
static int find_fail_on(const char *name, const enum ta_severity **ret)
{
	static const char *const names[] = {"warning", "info", "error", "none", NULL};
	static const enum ta_severity severities[] = {TA_SEV_WARNING, TA_SEV_INFO, TA_SEV_ERROR};
	int i = ta_cli_choose("fail-on", name, names);

	if (i < 0)
		return TA_EXIT_USAGE;
	*ret = i < 3 ? &severities[i] : NULL;
	return TA_EXIT_OK;
}

/* What suggested commands must repeat to speak of the same host and rules. */
static void add_how(struct ta_buf *b, const struct values *v)
{
	const struct {
		const char *option, *value;
	} repeat[] = {{"profile", v->profile}, {"capture", v->capture}, {"rules", v->rules}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(repeat); i++) {
		if (!repeat[i].value)
			continue;
		ta_buf_printf(b, " --%s ", repeat[i].option);
		ta_shell_quote(b, repeat[i].value);
	}
}

/* The owners of the facts that the selected rules read and the format shows. */
static int select_rules(
	const struct ta_ruleset *rs, const struct ta_audit_options *o, const struct ta_format *format, struct ta_strv *owners)
{
	size_t n = 0;

	for (const struct ta_rule *r = ta_rules_first(rs->rules); r; r = r->next) {
		if (!ta_audit_selects(o, r))
			continue;
		ta_rule_owners(r, owners);
		n++;
	}
	if (!n)
		return ta_cli_fail(TA_EXIT_USAGE,
			"no rule is selected: profile %s has none of them ('tuneaudit rules list' "
			"shows its rules)",
			ta_profile_name(o->profile));
	for (const char *const *owner = format->owners; owner && *owner; owner++)
		ta_strv_add(owners, *owner);
	ta_strv_sort(owners);
	return TA_EXIT_OK;
}

/* What moved since the baseline `was`; *ret_exit is the command's exit code with that. */
static int find_drift(const struct values *v, const struct ta_session *s, const struct ta_ruleset *rs, const struct ta_audit *a,
	const struct ta_baseline *was, struct ta_drift *ret)
{
	static struct ta_baseline is;
	const struct ta_drift_options o = {s->schema, rs->rules, a->profile, s->facts, a, &v->ignore};
	int code = ta_baseline_of(s, rs, a, &is);

	if (code == TA_EXIT_OK && ta_drift_find(was, &is, &o, ret) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	return code;
}

/* What could not be judged comes before drift, and drift before findings. */
static int exit_code(const struct ta_audit *a, const struct values *v, const enum ta_severity *fail_on, const struct ta_drift *drift)
{
	int code = ta_audit_exit(a, (unsigned)v->min_coverage, fail_on);

	return drift && drift->n && (code == TA_EXIT_OK || code == TA_EXIT_FINDINGS) ? TA_EXIT_DRIFT : code;
}

/* The exit code, with a word where it is not about findings. */
static int conclude(const struct ta_audit *a, unsigned min_coverage, int code)
{
	if (code == TA_EXIT_USAGE)
		return ta_cli_fail(
			code, "a rule cannot be evaluated on these facts: see 'Broken rules'");
	if (code == TA_EXIT_COVERAGE)
		return ta_cli_fail(code,
			"%u %% of what applies could be judged, less than %u (--min-coverage)",
			a->coverage, min_coverage);
	return code;
}

static int judge(struct ta_cli *cli, const struct values *v, struct ta_session *s,
	const struct ta_ruleset *rs, const struct ta_audit_options *o, const struct ta_baseline *was,
	const struct ta_format *format, const enum ta_severity *fail_on, struct ta_audit *ret)
{
	static struct ta_drift drift;
	ta_cleanup_buf struct ta_buf how = TA_BUF_INIT, sudo = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv profiles = TA_STRV_INIT;
	struct ta_report_options report = {
		.columns = cli->columns,
		.color = cli->color,
		.unicode = ta_system_unicode(),
		.verbosity = cli->quiet ? -1 : cli->verbose,
		.tool_version = TA_VERSION,
		.program = cli->program,
	};
	int rc = ta_audit_run(rs->rules, o, s->facts, ret);

	if (rc == 0)
		rc = ta_fixtext_fill(ret, s->facts);
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", strerror(-rc));
	if (was) {
		rc = find_drift(v, s, rs, ret, was, &drift);
		if (rc != TA_EXIT_OK)
			return rc;
		report.drift = &drift;
	}
	report.exit_code = exit_code(ret, v, fail_on, report.drift);
	add_how(&how, v);
	report.how = ta_buf_text(&how);
	if (ta_host_is_live(s->host) && geteuid() != 0) {
		ta_buf_printf(&sudo, "sudo %s check%s", cli->program, report.how);
		report.no_root = ta_buf_text(&sudo);
	}
	if (!v->profile) {
		ta_rules_profile_names(rs->rules, &profiles);
		report.profiles = &profiles;
	}
	format->check(ret, s->facts, &report, &cli->out);
	return conclude(ret, (unsigned)v->min_coverage, report.exit_code);
}

static int check(struct ta_cli *cli, const struct values *v, struct ta_session *s,
	struct ta_ruleset *rs, struct ta_audit *audit)
{
	const struct ta_source_options source = {v->capture, v->sample, cli->quiet};
	struct ta_audit_options o = {.only = &v->only, .skip = &v->skip};
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	const struct ta_format *format = find_format(v->format);
	const enum ta_severity *fail_on;
	static struct ta_baseline was;
	int code;

	if (!format || find_fail_on(v->fail_on, &fail_on) != TA_EXIT_OK)
		return TA_EXIT_USAGE;
	if (v->ignore.n && !v->baseline)
		return ta_cli_fail(TA_EXIT_USAGE, "--ignore is about drift: it needs --baseline FILE");
	if (v->baseline) {
		code = ta_baseline_load(v->baseline, &was);
		if (code != TA_EXIT_OK)
			return code;
	}
	o.brief = !format->explains_passes && !cli->verbose;
	code = ta_session_schema(s);
	if (code == TA_EXIT_OK)
		code = ta_ruleset_load_for(rs, s->schema, v->rules, v->profile);
	if (code != TA_EXIT_OK)
		return code;
	o.profile = ta_ruleset_profile(rs, v->profile);
	if (!o.profile || ta_ruleset_check_patterns(rs, "only", &v->only) != TA_EXIT_OK ||
		ta_ruleset_check_patterns(rs, "skip", &v->skip) != TA_EXIT_OK)
		return TA_EXIT_USAGE;
	code = select_rules(rs, &o, format, &owners);
	if (code == TA_EXIT_OK)
		code = ta_baseline_check_ignore(s->schema, &v->ignore);
	if (code == TA_EXIT_OK)
		code = ta_session_collect(s, &source, v->baseline ? NULL : &owners);
	return code == TA_EXIT_OK ? judge(cli, v, s, rs, &o, v->baseline ? &was : NULL, format, fail_on, audit) : code;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	/* Not freed: the process ends here, and giving back ten thousand pieces is a fortieth of its time. */
	static struct ta_session s;
	static struct ta_ruleset rs;
	static struct ta_audit audit;

	return check(cli, values, &s, &rs, &audit);
}

const struct ta_command ta_command_check = {
	.name = "check",
	.args = "",
	.summary = "judges this host: score, findings, what to type",
	.about = "Reads the host, judges it by the rules of a profile and prints what holds it "
		 "back: what is so, why "
		 "it matters, what to type. Then what could not be judged, and why. Changes "
		 "nothing.\n\n"
		 "Rules come with the program; *.rules files in " TA_RULES_DIR
		 " and in --rules DIR add to them or "
		 "override the same id. Only what the selected rules need is read.\n\n"
		 "-q prints the score and one line per finding, -v also what passes and what does "
		 "not apply.",
	.exits = "0\tnothing at or above --fail-on\n"
		 "1\tfindings\n"
		 "2\twrong usage, a capture that cannot be read, or a broken rule\n"
		 "3\tless than --min-coverage could be judged\n"
		 "4\tsomething moved since --baseline\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples = "sudo tuneaudit check\tjudges this host by the profile base\n"
		    "sudo tuneaudit check --profile gateway --only 'nic.*,irq.*'\tnetwork "
		    "interfaces of a gateway\n"
		    "sudo tuneaudit check --sample 10\talso what the counters of a loaded host do now\n"
		    "tuneaudit check --format json --fail-on error > check.json\tfor a pipeline "
		    "that stops at errors only\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 0,
	.run = run,
};
