/*
 * What completion offers beyond words of the tables: rules and profiles in force here, runs of this host, areas, workloads.
 * What cannot be read is not offered, and nobody is told: a shell is in the middle of a line.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/complete.h"
#include "cli/changing.h"
#include "cli/ruleset.h"
#include "cli/session.h"
#include "facts/text.h"
#include "fix/journal.h"
#include "load/load.h"
#include "load/workload.h"
#include "probe/probe.h"
#include "report/report.h"

static void add_commands(const struct ta_complete *c)
{
	for (size_t i = 0; i < ta_n_commands; i++)
		if (!ta_commands[i]->internal)
			ta_complete_add(c, ta_commands[i]->name, ta_commands[i]->summary);
}

static void add_formats(const struct ta_complete *c)
{
	for (size_t i = 0; i < ta_n_formats; i++)
		ta_complete_add(c, ta_formats[i]->name, ta_formats[i]->summary);
}

static void add_workloads(const struct ta_complete *c)
{
	for (size_t i = 0; i < ta_n_workloads; i++)
		ta_complete_add(c, ta_workloads[i]->name, ta_workloads[i]->summary);
}

static void add_engines(const struct ta_complete *c)
{
	ta_complete_add(c, "auto", NULL);
	for (size_t i = 0; i < ta_n_engines; i++)
		ta_complete_add(c, ta_engines[i]->name, NULL);
}

/* The lists of --only and --skip also take what a group of rules begins with. */
static void add_group(const struct ta_complete *c, const struct ta_rule *r, struct ta_strv *groups)
{
	ta_cleanup_buf struct ta_buf group = TA_BUF_INIT;

	ta_buf_printf(&group, "%.*s.*", (int)strcspn(r->id, "."), r->id);
	if (ta_strv_has(groups, ta_buf_text(&group)))
		return;
	ta_strv_add(groups, ta_buf_text(&group));
	ta_complete_add(c, ta_buf_text(&group), "all of them");
}

static void add_rules(const struct ta_complete *c, const struct ta_ruleset *rs, bool groups)
{
	ta_cleanup_strv struct ta_strv seen = TA_STRV_INIT;

	for (const struct ta_rule *r = ta_rules_first(rs->rules); r; r = r->next) {
		if (groups)
			add_group(c, r, &seen);
		ta_complete_add(c, r->id, r->title);
	}
}

static void add_profiles(const struct ta_complete *c, const struct ta_ruleset *rs)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	ta_rules_profile_names(rs->rules, &names);
	for (size_t i = 0; i < names.n; i++)
		ta_complete_add(c, names.v[i], ta_profile_title(ta_rules_profile(rs->rules, names.v[i])));
}

static void add_of_ruleset(const struct ta_complete *c, enum ta_takes takes)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_ruleset struct ta_ruleset rs = TA_RULESET_INIT;

	if (ta_session_schema(&s) != TA_EXIT_OK || ta_ruleset_load(&rs, s.schema, c->rules) != TA_EXIT_OK)
		return;
	if (takes == TA_TAKES_PROFILE)
		add_profiles(c, &rs);
	else
		add_rules(c, &rs, takes == TA_TAKES_RULES);
}

static void add_key(const struct ta_field *field, const char *owner, void *ctx)
{
	size_t end;

	if (ta_path_ends(field->path, &end, 1))
		ta_strv_addn(ctx, field->path, end);
}

static void add_areas(const struct ta_complete *c)
{
	ta_cleanup_session struct ta_session s = TA_SESSION_INIT;
	ta_cleanup_strv struct ta_strv areas = TA_STRV_INIT;

	if (ta_session_schema(&s) != TA_EXIT_OK)
		return;
	for (size_t i = 0; i < ta_n_probes; i++)
		ta_strv_add(&areas, ta_probes[i]->name);
	ta_schema_leaves(ta_schema_root(s.schema), add_key, &areas);
	ta_strv_sort(&areas);
	for (size_t i = 0; i < areas.n; i++)
		ta_complete_add(c, areas.v[i], NULL);
}

static void add_run(const struct ta_complete *c, struct ta_state *s, unsigned number)
{
	ta_cleanup_run struct ta_run run = {0};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, help = TA_BUF_INIT;
	struct ta_err err = {0};

	if (ta_run_read(s, number, &run, &err) < 0)
		return;
	ta_buf_printf(&text, "%u", number);
	ta_buf_printf(&help, "%s, profile %s, %zu change%s", run.state ? run.state : "interrupted", run.profile, run.n,
		run.n == 1 ? "" : "s");
	ta_complete_add(c, ta_buf_text(&text), ta_buf_text(&help));
}

/* The newest first. */
static void add_runs(const struct ta_complete *c)
{
	ta_cleanup_session struct ta_session session = TA_SESSION_INIT;
	ta_cleanup_state struct ta_state *s = NULL;
	struct ta_err err = {0};
	unsigned *numbers;
	size_t n;

	if (ta_host_live(&session.host, &err) < 0 ||
		ta_state_open(session.host, c->state ? c->state : TA_STATE_DIR, false, &s, &err) < 0 ||
		ta_state_runs(s, &numbers, &n, &err) < 0)
		return;
	while (n)
		add_run(c, s, numbers[--n]);
	free(numbers);
}

void ta_complete_kind(const struct ta_complete *c, enum ta_takes takes)
{
	switch (takes) {
	case TA_TAKES_FILE:
		if (!c->out->len)
			ta_buf_adds(c->out, "files\n");
		break;
	case TA_TAKES_DIR:
		if (!c->out->len)
			ta_buf_adds(c->out, "directories\n");
		break;
	case TA_TAKES_RULE:
	case TA_TAKES_RULES:
	case TA_TAKES_PROFILE:
		add_of_ruleset(c, takes);
		break;
	case TA_TAKES_AREA:
		add_areas(c);
		break;
	case TA_TAKES_FORMAT:
		add_formats(c);
		break;
	case TA_TAKES_WORKLOAD:
		add_workloads(c);
		break;
	case TA_TAKES_ENGINE:
		add_engines(c);
		break;
	case TA_TAKES_RUN:
		add_runs(c);
		break;
	case TA_TAKES_COMMAND:
		add_commands(c);
		break;
	default:
		break;
	}
}
