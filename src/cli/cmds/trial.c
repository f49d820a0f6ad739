/*
 * tuneaudit trial: what the changes of a plan do to a load on this host, measured; then everything is put back.
 */
#include <errno.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/caller.h"
#include "cli/changing.h"
#include "cli/keeping.h"
#include "cli/pause.h"
#include "cli/peers.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/system.h"
#include "cli/thishost.h"
#include "load/kv/kv.h"
#include "load/peer.h"
#include "load/workload.h"
#include "report/change.h"
#include "report/trial.h"
#include "rule/profile.h"
#include "trial/loadround.h"

#define EACH_S 1  /* of a round, if each change has its own */
#define WHOLE_S 3 /* … if all go on together */
#define WARMUP_MS 300
#define WATCHED_S 60 /* more than the longest that the journal stands still while rounds are measured */

struct values {
	const char *profile, *rules, *workload, *target, *token_file, *keep, *allow, *state, *format, *direction;
	struct ta_strv only, skip;
	bool each, allow_workload, yes;
	int64_t rounds, seconds, connections, rate;
};

static const struct ta_option options[] = {
	TA_OPTION_PROFILE(struct values, profile),
	TA_OPTION_ONLY(struct values, only),
	TA_OPTION_SKIP(struct values, skip),
	{.name = "each", .kind = TA_OPT_FLAG, .help = "each change alone, against none of them (default: all of them together)",
		.offset = offsetof(struct values, each)},
	{.name = "workload", .arg = "WORKLOAD", .kind = TA_OPT_STRING,
		.help = "what is measured: one of 'tuneaudit load' (default: what the profile is for)",
		.offset = offsetof(struct values, workload)},
	{.name = "target", .arg = "ADDR", .kind = TA_OPT_STRING,
		.help = "where the load goes, as for 'tuneaudit load' (default: the built-in server on loopback, which shows nothing of "
			"NICs, queues, interrupts and the network)",
		.offset = offsetof(struct values, target)},
	{.name = "token-file", .arg = "FILE", .kind = TA_OPT_STRING,
		.help = "the token of a peer as target (default: TUNEAUDIT_TOKEN of the environment)",
		.offset = offsetof(struct values, token_file)},
	{.name = "rounds", .arg = "N", .kind = TA_OPT_NUMBER,
		.help = "pairs of rounds, one with and one without, for each thing that is tried (default 16)",
		.offset = offsetof(struct values, rounds), .unset = TA_TRIAL_PAIRS, .min = TA_TRIAL_ROUNDS_MIN, .max = TA_TRIAL_ROUNDS_MAX},
	{.name = "seconds", .arg = "S", .kind = TA_OPT_NUMBER,
		.help = "that are measured in each round (default 3; with --each 1)",
		.offset = offsetof(struct values, seconds), .min = 1, .max = 300},
	{.name = "connections", .letter = 'c', .arg = "N", .kind = TA_OPT_NUMBER, .help = "as for 'tuneaudit load'",
		.offset = offsetof(struct values, connections), .min = 1, .max = TA_LOAD_CONNECTIONS_MAX},
	{.name = "rate", .arg = "PER_S", .kind = TA_OPT_NUMBER,
		.help = "requests per second, due whether the server is ready or not: latencies then show what waits (default: as fast as it goes)",
		.offset = offsetof(struct values, rate), .min = 1, .max = 100000000},
	{.name = "direction", .arg = "up|down|both", .kind = TA_OPT_STRING,
		.help = "stream: which way bytes go, up to the target or down from it (default up, both if that is a peer)",
		.offset = offsetof(struct values, direction)},
	{.name = "keep", .arg = "none|improved", .kind = TA_OPT_STRING,
		.help = "what is left in the end: nothing (default), or what was proven better, as 'tuneaudit apply' would",
		.offset = offsetof(struct values, keep)},
	{.name = "rules", .arg = "DIR", .kind = TA_OPT_STRING, .help = "also the *.rules of this directory, where only root may write",
		.offset = offsetof(struct values, rules)},
	{.name = "allow", .arg = "none|flow-reset|link-flap", .kind = TA_OPT_STRING,
		.help = "what a change may cost at most, each time that it goes on or off (default none)",
		.offset = offsetof(struct values, allow)},
	{.name = "allow-workload", .kind = TA_OPT_FLAG, .help = "also changes that not every program gains by",
		.offset = offsetof(struct values, allow_workload)},
	{.name = "yes", .kind = TA_OPT_FLAG, .help = "does not ask; needed where there is no terminal",
		.offset = offsetof(struct values, yes)},
	TA_OPTION_STATE(struct values, state),
	{.name = "format", .arg = "text|json", .kind = TA_OPT_STRING, .help = "text for people and tickets (default), json for programs",
		.offset = offsetof(struct values, format)},
};

struct job {
	struct ta_cli *cli;
	const struct values *v;
	enum ta_allow allow;
	bool keep, json;
	struct ta_session session;
	struct ta_plan plan;
	struct ta_ruleset rules;
	const struct ta_workload *workload;
	struct ta_buf token, host;
	struct json_object *fingerprint;
	unsigned connections;
	struct ta_load_options load;
	struct ta_state *state;
	struct ta_trial_calm calm;
	bool is_calm;
	struct ta_trial_row *rows;
	struct ta_strv reasons; /* texts of the rows */
	struct ta_apply_item *items;
	size_t *row_of; /* of each item */
	struct ta_strv names; /* rules of the items */
	size_t n;
	struct ta_trial trial;
	bool tried;
	unsigned kept_run;
	struct ta_buf not_kept;
	const volatile sig_atomic_t *stop;
};

static void job_done(struct job *j)
{
	ta_state_close(j->state);
	ta_trial_done(&j->trial);
	ta_trial_calm_done(&j->calm);
	free(j->rows);
	free(j->items);
	free(j->row_of);
	ta_strv_done(&j->reasons);
	ta_strv_done(&j->names);
	ta_buf_done(&j->token);
	ta_buf_done(&j->host);
	json_object_put(j->fingerprint);
	ta_buf_done(&j->not_kept);
	ta_plan_done(&j->plan);
	ta_ruleset_done(&j->rules);
	ta_session_done(&j->session);
}

/* --- what is asked for ---------------------------------------------------------------------- */

/* hold makes a network namespace of its own, where no change of this one is. */
static int choose_workload(struct job *j)
{
	ta_cleanup_buf struct ta_buf list = TA_BUF_INIT;
	const struct ta_profile *p = ta_ruleset_profile(&j->rules, j->v->profile);
	const char *name = j->v->workload ? j->v->workload : p ? ta_profile_workload(p) : NULL;

	if (!name)
		return TA_EXIT_USAGE;
	for (size_t i = 0; i < ta_n_workloads; i++) {
		if (!strcmp(ta_workloads[i]->name, "hold"))
			continue;
		if (!strcmp(ta_workloads[i]->name, name))
			j->workload = ta_workloads[i];
		ta_buf_printf(&list, " %s", ta_workloads[i]->name);
	}
	return j->workload ? TA_EXIT_OK
			   : ta_cli_fail(TA_EXIT_USAGE, "a trial has no workload '%s'; there are:%s", name, ta_buf_text(&list));
}

/* Before anything else: what is no address is no reason to make a directory, nor to lock others out. */
static int check_target(const struct job *j)
{
	struct ta_target target;
	struct ta_err err = {0};

	if (!j->v->target || !strncmp(j->v->target, TA_PEER_SCHEME "://", strlen(TA_PEER_SCHEME "://")))
		return TA_EXIT_OK;
	if (ta_target_parse(j->v->target, j->workload->scheme, j->workload->default_port, &target, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	return TA_EXIT_OK;
}

static int prepare_load(struct job *j)
{
	const struct values *v = j->v;
	static const struct ta_strv none = TA_STRV_INIT;
	int64_t seconds = v->seconds ? v->seconds : v->each ? EACH_S : WHOLE_S;
	int direction = ta_cli_direction(v->direction, v->target);

	j->connections = v->connections ? (unsigned)v->connections
		: j->workload->default_connections ? j->workload->default_connections : 50;
	if (j->workload->max_connections && j->connections > j->workload->max_connections)
		return ta_cli_fail(TA_EXIT_USAGE, "%s takes at most %u connections", j->workload->name, j->workload->max_connections);
	j->load = (struct ta_load_options){
		.workload = j->workload,
		.target = v->target,
		.headers = &none,
		.stream = {.direction = (enum ta_stream_direction)direction, .datagram_bytes = 1448},
		.kv = {10, 10000, 3, getenv("REDISCLI_AUTH")},
		.sweep = &j->connections,
		.n_sweep = 1,
		.pipeline = 1,
		.repeats = 1,
		.rate = (double)v->rate,
		.warmup_ns = WARMUP_MS * TA_NS_PER_MS,
		.duration_ns = (uint64_t)seconds * TA_NS_PER_S,
		.timeout_ns = 10 * TA_NS_PER_S,
		.file_bytes = 64u << 20,
		.one_way = true,
		.stop = j->stop,
	};
	return direction < 0 ? TA_EXIT_USAGE : check_target(j);
}

static int make_plan(struct job *j)
{
	const struct ta_planning how = {j->v->profile, j->v->rules, NULL, &j->v->only, &j->v->skip};
	int code = ta_planning_make(&how, &j->session, &j->plan);

	j->rules.only_trusted = true;
	if (code == TA_EXIT_OK)
		code = ta_ruleset_load_for(&j->rules, j->session.schema, j->v->rules, j->v->profile);
	return code == TA_EXIT_OK ? ta_cli_this_host(j->cli->columns, &j->host, &j->fingerprint) : code;
}

/* --- what can be tried ------------------------------------------------------------------------ */

static int refuse(struct job *j, size_t row, const char *why)
{
	for (size_t i = 0; i < j->reasons.n; i++)
		if (!strcmp(j->reasons.v[i], why)) {
			j->rows[row].why_not = j->reasons.v[i];
			return 0;
		}
	ta_strv_add(&j->reasons, why);
	if (j->reasons.error)
		return j->reasons.error;
	j->rows[row].why_not = j->reasons.v[j->reasons.n - 1];
	return 0;
}

/* What is known without a measurement. */
static int sort_out(struct job *j)
{
	int rc = 0;

	j->rows = calloc(j->plan.n_actions + 1, sizeof(*j->rows));
	j->items = calloc(j->plan.n_actions + 1, sizeof(*j->items));
	j->row_of = calloc(j->plan.n_actions + 1, sizeof(*j->row_of));
	if (!j->rows || !j->items || !j->row_of)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < j->plan.n_actions && rc == 0; i++) {
		const struct ta_action *a = &j->plan.actions[i];
		const char *refusal = ta_action_refusal(a, j->allow, j->v->allow_workload);

		j->rows[i].action = a;
		if (ta_knob_order(a->step.knob, a->step.target) == TA_ORDER_FILE)
			rc = refuse(j, i, "it is a file, which works from the next start of what reads it");
		else if (refusal)
			rc = refuse(j, i, refusal);
	}
	return rc < 0 ? ta_cli_fail(TA_EXIT_INTERNAL, "out of memory") : TA_EXIT_OK;
}

static size_t n_left(const struct job *j)
{
	size_t n = 0;

	for (size_t i = 0; i < j->plan.n_actions; i++)
		n += !j->rows[i].why_not;
	return n;
}

static unsigned path_set(const char *path)
{
	for (int p = 0; p < TA_SHOWN_PATHS; p++)
		if (!strcmp(ta_shown_path_name(p), path))
			return TA_SHOWN_BIT(p);
	return 0;
}

/* One of the rules that wish it is enough. */
static bool can_show(const struct job *j, const struct ta_action *a, unsigned paths, struct ta_buf *why)
{
	for (size_t i = 0; i < a->rules.n; i++) {
		const struct ta_rule *r = ta_rules_find(j->rules.rules, a->rules.v[i]);

		if (r && ta_rule_is_shown(r, paths, j->workload->name, i ? NULL : why))
			return true;
	}
	return false;
}

static int take_item(struct job *j, size_t row)
{
	const struct ta_action *a = &j->plan.actions[row];
	ta_cleanup_buf struct ta_buf rules = TA_BUF_INIT;

	for (size_t i = 0; i < a->rules.n; i++)
		ta_buf_printf(&rules, "%s%s", i ? ", " : "", a->rules.v[i]);
	ta_strv_add(&j->names, ta_buf_text(&rules));
	j->row_of[j->n] = row;
	j->items[j->n++] = (struct ta_apply_item){
		&a->step, NULL, a->why, ta_disruption_name(a->disruption), a->persist_file, a->persist_text};
	return rules.error ?: j->names.error;
}

/* Now the path is known that the load really goes. */
static int choose_items(struct job *j)
{
	unsigned paths = path_set(j->calm.path);
	int rc = 0;

	for (size_t i = 0; i < j->plan.n_actions && rc == 0; i++) {
		ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;

		if (j->rows[i].why_not)
			continue;
		if (can_show(j, &j->plan.actions[i], paths, &why))
			rc = take_item(j, i);
		else
			rc = why.error ?: refuse(j, i, ta_buf_text(&why));
	}
	for (size_t i = 0; i < j->n; i++)
		j->items[i].rule = j->names.v[i];
	return rc < 0 ? ta_cli_fail(TA_EXIT_INTERNAL, "out of memory") : TA_EXIT_OK;
}

/* --- before it begins ---------------------------------------------------------------------------- */

static double round_s(const struct job *j)
{
	return (double)(j->load.warmup_ns + j->load.duration_ns) / 1e9 + 0.1;
}

static int ask(struct job *j)
{
	size_t n = n_left(j), units = j->v->each ? n : 1;
	double minutes = 2.0 * (double)units * (double)j->v->rounds * round_s(j) / 60;
	char question[240];

	if (j->v->yes)
		return TA_EXIT_OK;
	if (!ta_caller_can_be_asked())
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: there is no terminal to ask on, and no --yes");
	snprintf(question, sizeof(question), "Up to %zu change%s go on and off %lld times%s, in about %.0f minute%s; then all is put "
		"back. Go on? [y/N] ", n, n == 1 ? "" : "s", (long long)j->v->rounds, j->v->each ? ", one after the other" : "",
		ceil(minutes), minutes > 1 ? "s" : "");
	return ta_caller_agrees(question) ? TA_EXIT_OK : ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed");
}

/* What an interrupted run has left on, or another one has on now, would be taken for what this host is. */
static int check_others(struct job *j)
{
	ta_cleanup_state struct ta_state *s = NULL;

	if (ta_state_open(j->session.host, j->v->state ? j->v->state : TA_STATE_DIR, false, &s, NULL) < 0)
		return TA_EXIT_OK; /* what stands against it is said by who opens it to write */
	if (ta_state_is_held(s))
		return ta_cli_fail(TA_EXIT_LOCKED, "nothing was changed: another run of tuneaudit is changing this host");
	return ta_changing_check_interrupted(s, j->cli->program, j->v->state);
}

/* From here on nobody else changes this host by us. */
static int lock(struct job *j)
{
	int code = ta_changing_open(j->session.host, j->v->state, &j->state);

	if (code == TA_EXIT_OK)
		code = ta_changing_check_pending(j->session.host, j->state, j->cli->program, j->v->state);
	if (code == TA_EXIT_OK)
		code = ta_changing_check_interrupted(j->state, j->cli->program, j->v->state);
	return code;
}

/* --- rounds ------------------------------------------------------------------------------------------ */

static void show(void *ctx, const char *what)
{
	ta_progress_show(what);
}

static struct ta_trial_load how_to_measure(struct job *j, struct ta_trial_loading *ctx)
{
	*ctx = (struct ta_trial_loading){j->session.host, &j->load};
	return (struct ta_trial_load){
		.measure = ta_trial_measure_load,
		.ctx = ctx,
		.stop = j->stop,
		.tell = ta_progress_is_wanted(j->cli->quiet) ? show : NULL,
	};
}

static int get_calm(struct job *j, const struct ta_trial_load *l)
{
	struct ta_err err = {0};
	int rc = ta_trial_calm(j->session.host, l, &j->calm, &err);

	if (rc < 0 && *j->stop)
		return ta_cli_fail(TA_EXIT_SIGNAL + *j->stop, "nothing was changed: %s", err.text);
	if (rc == -EINVAL)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_RESTORED, "nothing was changed: %s", err.text);
	j->is_calm = true;
	return TA_EXIT_OK;
}

static unsigned watched_s(const struct job *j)
{
	return (unsigned)TA_MIN(8 * round_s(j) + WATCHED_S, (double)TA_CONFIRM_MAX_S);
}

static int how_it_ended(struct job *j, int rc, const struct ta_err *err)
{
	const struct ta_trial *t = &j->trial;

	if (rc == -ECANCELED)
		return ta_cli_fail(TA_EXIT_RESTORED, "nothing was changed: %s", err->text);
	if (!t->restored)
		return ta_cli_fail(TA_EXIT_STUCK, "%s; not everything could be put back", t->ended ? t->ended : t->remark);
	if (rc < 0)
		return ta_cli_fail(*j->stop ? TA_EXIT_SIGNAL + *j->stop : TA_EXIT_RESTORED, "%s; everything was put back", err->text);
	return t->remark ? ta_cli_fail(TA_EXIT_RESTORED, "everything was put back, but %s", t->remark) : TA_EXIT_OK;
}

static int try(struct job *j, const struct ta_trial_load *l)
{
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT;
	struct ta_arming arming = {j->cli, j->session.host, j->v->state};
	struct ta_apply apply = {.host = j->session.host, .state = j->state, .profile = j->plan.profile, .tool = TA_VERSION,
		.stop = j->stop, .items = j->items, .n = j->n, .runtime_only = true, .confirm_within_s = watched_s(j),
		.arm = ta_arming_start, .arm_ctx = &arming};
	const struct ta_trial_options o = {&apply, &j->calm, j->v->each, (unsigned)j->v->rounds};
	struct ta_err err = {0};
	int rc;

	ta_caller_who(&who);
	apply.who = ta_buf_text(&who);
	rc = ta_trial_run(&o, l, &j->trial, &err);
	j->tried = rc != -ECANCELED;
	for (size_t u = 0; j->tried && u < j->trial.n_units; u++)
		for (size_t i = 0; i < j->trial.units[u].n; i++)
			j->rows[j->row_of[j->trial.units[u].first + i]].unit = &j->trial.units[u];
	return how_it_ended(j, rc, &err);
}

/* --- what is kept ---------------------------------------------------------------------------------------- */

static bool is_improved(const struct job *j, size_t item)
{
	const struct ta_trial_row *row = &j->rows[j->row_of[item]];

	return row->unit && row->unit->verdict == TA_TRIAL_IMPROVED;
}

static int keep_improved(struct job *j)
{
	struct ta_keeping k = {.arming = {j->cli, j->session.host, j->v->state}, .state = j->state, .profile = j->plan.profile,
		.stop = j->stop, .items = calloc(j->n + 1, sizeof(*k.items))};
	int code;

	if (!k.items)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < j->n; i++) {
		if (!is_improved(j, i))
			continue;
		k.flaps = k.flaps || j->rows[j->row_of[i]].action->disruption == TA_DISRUPT_LINK_FLAP;
		k.items[k.n++] = j->items[i];
	}
	code = ta_keeping_make(&k, &j->kept_run, &j->not_kept);
	for (size_t i = 0; i < j->n && j->kept_run; i++)
		j->rows[j->row_of[i]].kept = is_improved(j, i);
	free(k.items);
	return code;
}

/* --- all of it ----------------------------------------------------------------------------------------------- */

static void report(struct job *j)
{
	const struct ta_trial_report r = {
		.profile = j->plan.profile,
		.workload = j->workload->name,
		.target = j->v->target,
		.connections = j->connections,
		.pairs = (unsigned)j->v->rounds,
		.seconds = (double)j->load.duration_ns / 1e9,
		.each = j->v->each,
		.keep = j->keep,
		.host = ta_buf_text(&j->host),
		.fingerprint = j->fingerprint,
		.plan = &j->plan,
		.calm = j->is_calm ? &j->calm : NULL,
		.trial = j->tried ? &j->trial : NULL,
		.rows = j->rows,
		.n_rows = j->plan.n_actions,
		.kept_run = j->kept_run,
		.not_kept = j->not_kept.len ? ta_buf_text(&j->not_kept) : NULL,
		.program = j->cli->program,
		.state = j->v->state,
		.columns = j->cli->columns,
	};

	if (j->json)
		ta_report_trial_json(&r, &j->cli->out);
	else
		ta_report_trial_text(&r, &j->cli->out);
}

static int measure(struct job *j)
{
	struct ta_trial_loading ctx;
	struct ta_trial_load l = how_to_measure(j, &ctx);
	int code = get_calm(j, &l);

	if (code == TA_EXIT_OK)
		code = choose_items(j);
	if (code == TA_EXIT_OK && j->n)
		code = try(j, &l);
	if (l.tell)
		show(NULL, "");
	if (code == TA_EXIT_OK && j->tried && j->keep)
		code = keep_improved(j);
	if (j->is_calm)
		report(j);
	return code;
}

static int trial(struct job *j)
{
	int code = make_plan(j);

	if (code == TA_EXIT_OK)
		code = check_others(j);
	if (code == TA_EXIT_OK)
		code = choose_workload(j);
	if (code == TA_EXIT_OK)
		code = prepare_load(j);
	if (code == TA_EXIT_OK)
		code = ta_cli_token(j->v->token_file, &j->token);
	if (code == TA_EXIT_OK)
		code = sort_out(j);
	if (code != TA_EXIT_OK)
		return code;
	j->load.token = j->token.len ? ta_buf_text(&j->token) : NULL;
	if (!n_left(j)) {
		report(j);
		return TA_EXIT_OK;
	}
	code = ta_changing_check_waiting(j->session.host, j->cli->program, j->v->state);
	if (code == TA_EXIT_OK)
		code = ask(j);
	if (code == TA_EXIT_OK)
		code = lock(j);
	if (code != TA_EXIT_OK)
		return *j->stop ? TA_EXIT_SIGNAL + *j->stop : code;
	return measure(j);
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	static const char *const keeps[] = {"none", "improved", NULL}, *const formats[] = {"text", "json", NULL};
	struct job j = {.cli = cli, .v = values, .session = TA_SESSION_INIT};
	int allow = ta_planning_allow(j.v->allow), keep = ta_cli_choose("keep", j.v->keep, keeps, NULL);
	int format = ta_cli_choose("format", j.v->format, formats, NULL), code;

	if (allow < 0 || keep < 0 || format < 0)
		return TA_EXIT_USAGE;
	j.allow = (enum ta_allow)allow;
	j.keep = keep;
	j.json = format;
	j.stop = ta_caller_watch_signals();
	code = trial(&j);
	job_done(&j);
	return code;
}

const struct ta_command ta_command_trial = {
	.name = "trial",
	.args = "",
	.summary = "measures what the changes of the plan do on this host, and puts everything back",
	.about = "Rounds of load without the changes and with them alternate, in pairs whose order is balanced, so that neither a slow "
		 "neighbour nor a host that drifts looks like an effect. Told are throughput, p50, p99 and CPU per request, each with an "
		 "interval that holds the true effect in 95 of 100 cases, and how small an effect would have been seen.\n\n"
		 "Before a change goes on, what is there is in the journal and on the disk; in the end, on Ctrl-C or where something "
		 "fails, everything is put back and read again. If this program is killed its supervisor puts it back, else 'tuneaudit "
		 "rollback'. Nothing is written that a restart of the host would keep, unless --keep improved.\n\n"
		 "A change that the chosen workload and path cannot show is not tried, and nothing is said of it: loopback shows "
		 "nothing of NICs, queues and interrupts. --target names another machine, see 'tuneaudit load serve'.\n\n"
		 "Rounds in which other programs, the hypervisor or heat got in between are named and measured anew.",
	.exits = "0\tmeasured to the end, and everything is put back (or kept, as asked for)\n"
		 "1\tnothing was changed: not agreed to, or a run that was interrupted is to be undone first\n"
		 "2\twrong usage or a broken rule; nothing was changed\n"
		 "5\tit failed, as when the target died, and everything is put back; or it could not begin\n"
		 "6\tsomething could not be put back, or is somebody else's now: what, and how by hand, is told\n"
		 "70\tinternal error, or the output could not be written\n"
		 "75\tanother run is changing this host, or waits to be confirmed\n"
		 "128+n\tended by signal n; everything is put back\n",
	.examples = "sudo tuneaudit trial --profile gateway\tall changes together, on loopback\n"
		    "sudo tuneaudit trial --profile gateway --each\tone by one, as a table\n"
		    "sudo tuneaudit trial --profile gateway --target tuneaudit://192.0.2.7:7411\tover the wire, against another "
		    "machine\n"
		    "sudo tuneaudit trial --only net.somaxconn --workload connect --keep improved\tone change, kept if it helps\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 0,
	.run = run,
};
