/*
 * tuneaudit facts: what was read, and why something could not be.
 */
#include <string.h>

#include "base/nearest.h"
#include "cli/session.h"
#include "derive/derive.h"
#include "facts/text.h"
#include "probe/probe.h"
#include "report/facts.h"

struct values {
	const char *format, *capture;
	int64_t sample;
};

static const char *const formats[] = {"text", "json", NULL};

static const struct ta_option options[] = {
	{.name = "format",
		.arg = "text|json",
		.kind = TA_OPT_STRING,
		.help = "json is the document of docs/json.md, with the areas that were asked for",
		.offset = offsetof(struct values, format)},
	{.name = "capture",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "read this captured host instead of this one",
		.offset = offsetof(struct values, capture)},
	TA_OPTION_SAMPLE(struct values, sample),
};

static void add_owner(const struct ta_field *field, const char *owner, void *ctx)
{
	struct ta_strv *owners = ctx;

	if (!ta_strv_has(owners, owner))
		ta_strv_add(owners, owner);
}

static bool is_owner(const char *name)
{
	for (size_t i = 0; i < ta_n_probes; i++)
		if (strcmp(ta_probes[i]->name, name) == 0)
			return true;
	for (size_t i = 0; i < ta_n_derivations; i++)
		if (strcmp(ta_derivations[i]->name, name) == 0)
			return true;
	return false;
}

static void add_key(const struct ta_field *field, const char *owner, void *ctx)
{
	size_t end;

	if (ta_path_ends(field->path, &end, 1))
		ta_strv_addn(ctx, field->path, end);
}

static int unknown_area(const struct ta_schema *schema, const char *name)
{
	ta_cleanup_strv struct ta_strv areas = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;
	struct ta_nearest near = TA_NEAREST(name);

	for (size_t i = 0; i < ta_n_probes; i++)
		ta_strv_add(&areas, ta_probes[i]->name);
	ta_schema_leaves(ta_schema_root(schema), add_key, &areas);
	ta_strv_sort(&areas);
	for (size_t i = 0; i < areas.n; i++) {
		ta_nearest_try(&near, areas.v[i]);
		ta_buf_printf(&list, " %s", areas.v[i]);
	}
	if (near.best)
		return ta_cli_fail(TA_EXIT_USAGE, "no area '%s'; did you mean '%s'? There are:%s",
			name, near.best, ta_buf_text(&list));
	return ta_cli_fail(TA_EXIT_USAGE, "no area '%s'; there are:%s", name, ta_buf_text(&list));
}

/* Areas as typed become what to show (`sel`) and what to run (`owners`). */
static int select_areas(const struct ta_schema *schema, const struct ta_strv *areas,
	struct ta_facts_selection *sel, struct ta_strv *owners)
{
	for (size_t i = 0; i < areas->n; i++) {
		const char *name = areas->v[i];
		const struct ta_schema_node *node = ta_schema_child(ta_schema_root(schema), name);

		if (!node && !is_owner(name))
			return unknown_area(schema, name);
		/* Many probes are called as the area that they fill: the area is meant. */
		if (node) {
			ta_strv_add(&sel->keys, name);
			ta_schema_leaves(node, add_owner, owners);
		} else {
			ta_strv_add(&sel->owners, name);
			ta_strv_add(owners, name);
		}
	}
	return TA_EXIT_OK;
}

static int show(struct ta_cli *cli, const struct values *v, const struct ta_strv *areas,
	struct ta_session *s, struct ta_facts_selection *sel, struct ta_strv *owners)
{
	const struct ta_facts_style style = {
		.columns = cli->columns, .meanings = cli->verbose, .holes = !cli->quiet};
	const struct ta_source_options source = {v->capture, v->sample, cli->quiet};
	int format = ta_cli_choose("format", v->format, formats);
	int code;

	if (format < 0)
		return TA_EXIT_USAGE;
	code = ta_session_schema(s);
	if (code == TA_EXIT_OK)
		code = select_areas(s->schema, areas, sel, owners);
	if (code == TA_EXIT_OK)
		code = ta_session_collect(s, &source, areas->n ? owners : NULL);
	if (code != TA_EXIT_OK)
		return code;
	if (format == 1)
		ta_report_facts_json(s->facts, s->schema, sel, &cli->out);
	else
		ta_report_facts(s->facts, s->schema, sel, &style, &cli->out);
	return TA_EXIT_OK;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_strv struct ta_strv owners = TA_STRV_INIT;
	struct ta_facts_selection sel = {0};
	int code = show(cli, values, args, &s, &sel, &owners);

	ta_strv_done(&sel.keys);
	ta_strv_done(&sel.owners);
	return code;
}

const struct ta_command ta_command_facts = {
	.name = "facts",
	.args = "[AREA...]",
	.summary = "what was read of this host, and why something could not be",
	.about = "Reads the host and prints every fact as 'path = value unit', then what is not "
		 "known and why: "
		 "missing, denied, unsupported, malformed or not-asked. Judges nothing and changes "
		 "nothing.\n\n"
		 "AREA is a first word of paths (nics, cpu, sysctl) or the name of a probe; only "
		 "what it needs is "
		 "read. -v adds the meaning of each fact, -q leaves out what is not known.",
	.exits = "0\tthe facts were printed, with holes or without\n"
		 "2\twrong usage, or the capture cannot be read\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples =
		"tuneaudit facts nics irqs\twhat is known of network interfaces and interrupts\n"
		"tuneaudit facts --format json > facts.json\tthe whole document, for programs\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 0,
	.max_args = -1,
	.run = run,
};
