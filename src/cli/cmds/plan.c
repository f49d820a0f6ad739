/*
 * tuneaudit plan: what apply would do.
 */
#include "cli/planning.h"
#include "report/change.h"

struct values {
	const char *profile, *format, *capture, *rules, *allow;
	bool allow_workload;
	struct ta_strv only, skip;
};

static const struct ta_option options[] = {
	TA_OPTION_PROFILE(struct values, profile),
	{.name = "format",
		.arg = "text|json",
		.kind = TA_OPT_STRING,
		.help = "text for people (default); json for programs and for apply --plan",
		.offset = offsetof(struct values, format)},
	TA_OPTION_ONLY(struct values, only),
	TA_OPTION_SKIP(struct values, skip),
	{.name = "rules",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "also the *.rules of this directory; the same id overrides",
		.offset = offsetof(struct values, rules)},
	{.name = "capture",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "plan for this captured host instead of this one",
		.offset = offsetof(struct values, capture)},
	{.name = "allow",
		.arg = "none|flow-reset|link-flap",
		.kind = TA_OPT_STRING,
		.help = "as for apply: says of each change whether it would be made (default none)",
		.offset = offsetof(struct values, allow)},
	{.name = "allow-workload",
		.kind = TA_OPT_FLAG,
		.help = "as for apply",
		.offset = offsetof(struct values, allow_workload)},
};

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	static const char *const formats[] = {"text", "json", NULL};
	const struct values *v = values;
	const struct ta_planning how = {v->profile, v->rules, v->capture, &v->only, &v->skip};
	const struct ta_report_options o = {
		.columns = cli->columns, .color = cli->color, .verbosity = cli->quiet ? -1 : cli->verbose};
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_plan struct ta_plan plan = {0};
	int format = ta_cli_choose("format", v->format, formats), allow = ta_planning_allow(v->allow);
	const struct ta_plan_view view = {&o, (enum ta_allow)allow, v->allow_workload};
	int code;

	if (format < 0 || allow < 0)
		return TA_EXIT_USAGE;
	code = ta_planning_make(&how, &s, &plan);
	if (code != TA_EXIT_OK)
		return code;
	if (format == 1)
		ta_report_plan_json(&plan, TA_VERSION, &cli->out);
	else
		ta_report_plan(&plan, &view, &cli->out);
	return TA_EXIT_OK;
}

const struct ta_command ta_command_plan = {
	.name = "plan",
	.args = "",
	.summary = "shows what apply would change; changes nothing",
	.about = "Reads and judges the host as check does and shows, in the order in which they would be made, the "
		 "changes that put its findings right: what is there now, what would be, what it may cost, what a "
		 "person would type, what file would keep it, and who else sets the same. Rules that contradict each "
		 "other are shown with their places, and what is not for this program to do.\n\n"
		 "Rule files that others than root may write are left out, as apply leaves them out.",
	.exits = "0\tthe plan is shown\n"
		 "2\twrong usage, a capture that cannot be read, or a broken rule\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples = "sudo tuneaudit plan --profile gateway\tall changes that a gateway wants\n"
		    "sudo tuneaudit plan --format json > /root/plan.json\tto be looked at, and applied as it is "
		    "by 'tuneaudit apply --plan /root/plan.json'\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 0,
	.run = run,
};
