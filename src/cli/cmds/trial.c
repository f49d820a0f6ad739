/*
 * tuneaudit trial: what the changes of a plan do to a load on this host, measured; then everything is put back.
 */
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/caller.h"
#include "cli/changing.h"
#include "cli/keeping.h"
#include "cli/peers.h"
#include "cli/planning.h"
#include "cli/thishost.h"
#include "cli/trying.h"
#include "load/peer.h"
#include "load/workload.h"
#include "rule/profile.h"

#define EACH_MS 1000  /* of a round, if each change has its own */
#define WHOLE_MS 3000 /* … if all go on together */
#define WARMUP_MS 300

struct values {
	const char *profile, *rules, *target, *token_file, *keep, *allow, *state, *format, *direction;
	struct ta_strv only, skip, workloads;
	bool each, allow_workload, yes;
	int64_t rounds, seconds, connections, rate;
};

static const struct ta_option options[] = {
	TA_OPTION_PROFILE(struct values, profile),
	TA_OPTION_ONLY(struct values, only),
	TA_OPTION_SKIP(struct values, skip),
	{.name = "each", .kind = TA_OPT_FLAG, .help = "each change alone, against none of them (default: all of them together)",
		.offset = offsetof(struct values, each)},
	{.name = "workload", .arg = "WORKLOAD", .kind = TA_OPT_LIST,
		.help = "what is measured, of 'tuneaudit load'; of several (with commas, or again) each change with the first that can show it "
			"(default: what the profile is for; with --each also others for what that does not show)",
		.offset = offsetof(struct values, workloads)},
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
	{.name = "seconds", .arg = "S", .kind = TA_OPT_SECONDS,
		.help = "that are measured in each round (default 3; with --each 1)",
		.offset = offsetof(struct values, seconds), .min = 100, .max = 300 * 1000},
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
	struct ta_buf token, host;
	struct json_object *fingerprint;
	struct ta_trying t;
	unsigned kept_run;
	struct ta_buf not_kept;
	const volatile sig_atomic_t *stop;
};

static void job_done(struct job *j)
{
	ta_trying_done(&j->t);
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
static const struct ta_workload *find_workload(const char *name)
{
	return strcmp(name, "hold") != 0 ? ta_workload_find(name) : NULL;
}

/* Before anything else: what is no address is no reason to make a directory, nor to lock others out. */
static int check_target(const struct job *j, const struct ta_workload *w)
{
	struct ta_target target;
	struct ta_err err = {0};

	if (!j->v->target || ta_peer_is(j->v->target))
		return TA_EXIT_OK;
	if (ta_target_parse(j->v->target, w->scheme, w->default_port, &target, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	return TA_EXIT_OK;
}

/* `extra`: nobody has named it, and -c was not meant for it if it moves streams. */
static int add_part(struct job *j, const struct ta_workload *w, bool extra)
{
	const struct values *v = j->v;
	static const struct ta_strv none = TA_STRV_INIT;
	struct ta_trying_part *p = &j->t.parts[j->t.n_parts];
	int64_t ms = v->seconds ? v->seconds : v->each ? EACH_MS : WHOLE_MS;
	int direction = ta_cli_direction(v->direction, v->target);

	for (size_t i = 0; i < j->t.n_parts; i++)
		if (j->t.parts[i].workload == w)
			return TA_EXIT_OK;
	*p = (struct ta_trying_part){.workload = w, .connections = w->default_connections ? w->default_connections : 50};
	if (v->connections && !(extra && w->no_latencies))
		p->connections = (unsigned)v->connections;
	if (w->max_connections && p->connections > w->max_connections)
		return ta_cli_fail(TA_EXIT_USAGE, "%s takes at most %u connections", w->name, w->max_connections);
	p->load = (struct ta_load_options){
		.workload = w,
		.target = v->target,
		.headers = &none,
		.stream = {.direction = (enum ta_stream_direction)direction, .datagram_bytes = 1448},
		.kv = {10, 10000, 3, getenv("REDISCLI_AUTH")},
		.sweep = &p->connections,
		.n_sweep = 1,
		.pipeline = 1,
		.repeats = 1,
		.rate = (double)v->rate,
		.warmup_ns = WARMUP_MS * TA_NS_PER_MS,
		.duration_ns = (uint64_t)ms * TA_NS_PER_MS,
		.timeout_ns = 10 * TA_NS_PER_S,
		.file_bytes = 64u << 20,
		.one_way = true,
		.token = j->token.len ? ta_buf_text(&j->token) : NULL,
		.stop = j->stop,
	};
	j->t.n_parts++;
	return direction < 0 ? TA_EXIT_USAGE : check_target(j, w);
}

/* With nothing named: that of the profile, and where each change is tried alone also those that show what it cannot. */
static int choose_workloads(struct job *j)
{
	static const char *const others[] = {"connect", "stream", "http", "kv"};
	const struct ta_profile *p = ta_ruleset_profile(&j->rules, j->v->profile);
	int code = p ? TA_EXIT_OK : TA_EXIT_USAGE;

	for (size_t i = 0; i < j->v->workloads.n && code == TA_EXIT_OK; i++) {
		const struct ta_workload *w = find_workload(j->v->workloads.v[i]);

		code = w ? add_part(j, w, false) : ta_cli_fail(TA_EXIT_USAGE, "a trial has no workload '%s'; there are: http, kv, file, stream, "
			"connect", j->v->workloads.v[i]);
	}
	if (j->v->workloads.n || code != TA_EXIT_OK)
		return code;
	code = add_part(j, find_workload(ta_profile_workload(p)) ?: find_workload("http"), false);
	/* Others take no address of its kind, and streams no rate. */
	for (size_t i = 0; i < TA_ARRAY_SIZE(others) && code == TA_EXIT_OK && j->v->each && (!j->v->target || ta_peer_is(j->v->target)); i++)
		if (!j->v->rate || strcmp(others[i], "stream") != 0)
			code = add_part(j, find_workload(others[i]), true);
	return code;
}

static int make_plan(struct job *j)
{
	const struct ta_planning how = {j->v->profile, j->v->rules, NULL, &j->v->only, &j->v->skip};
	int code = ta_planning_make(&how, &j->session, &j->plan);

	j->rules.only_trusted = true;
	if (code == TA_EXIT_OK)
		code = ta_ruleset_load_for(&j->rules, j->session.schema, j->v->rules, j->v->profile);
	if (code == TA_EXIT_OK)
		code = ta_cli_this_host(&j->host, &j->fingerprint);
	j->t = (struct ta_trying){.arming = {j->cli, j->session.host, j->v->state}, .plan = &j->plan, .rules = j->rules.rules,
		.stop = j->stop, .each = j->v->each, .pairs = (unsigned)j->v->rounds, .on_loopback = !j->v->target};
	return code;
}

/* --- before it begins ---------------------------------------------------------------------------- */

static int ask(struct job *j)
{
	size_t n = ta_trying_count_all(&j->t), units = j->v->each ? n : 1;
	double minutes = 2.0 * (double)units * (double)j->v->rounds * ta_trying_round_s(&j->t.parts[0]) / 60;
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
	int code = ta_changing_open(j->session.host, j->v->state, &j->t.state);

	if (code == TA_EXIT_OK)
		code = ta_changing_check_pending(j->session.host, j->t.state, j->cli->program, j->v->state);
	if (code == TA_EXIT_OK)
		code = ta_changing_check_interrupted(j->t.state, j->cli->program, j->v->state);
	return code;
}

/* --- what is kept ---------------------------------------------------------------------------------------- */

static bool is_improved(const struct ta_trial_row *row)
{
	return row->unit && row->unit->verdict == TA_TRIAL_IMPROVED;
}

static void take_improved(struct job *j, const struct ta_trying_part *p, struct ta_keeping *k)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct ta_action *a = j->t.rows[p->row_of[i]].action;

		if (!is_improved(&j->t.rows[p->row_of[i]]))
			continue;
		k->flaps = k->flaps || a->disruption == TA_DISRUPT_LINK_FLAP;
		k->items[k->n] = p->items[i];
		k->items[k->n].keep_file = a->persist_file;
		k->items[k->n++].keep_text = a->persist_text;
	}
}

static int keep_improved(struct job *j)
{
	struct ta_keeping k = {.arming = j->t.arming, .state = j->t.state, .profile = j->plan.profile, .stop = j->stop,
		.items = calloc(j->plan.n_actions + 1, sizeof(*k.items))};
	int code;

	if (!k.items)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < j->t.n_parts; i++)
		take_improved(j, &j->t.parts[i], &k);
	code = ta_keeping_make(&k, &j->kept_run, &j->not_kept);
	for (size_t i = 0; i < j->plan.n_actions && j->kept_run; i++)
		j->t.rows[i].kept = is_improved(&j->t.rows[i]);
	free(k.items);
	return code;
}

/* --- all of it ----------------------------------------------------------------------------------------------- */

static void report(struct job *j)
{
	struct ta_trial_part parts[TA_TRYING_PARTS];
	struct ta_trial_report r = {
		.profile = j->plan.profile,
		.target = j->v->target,
		.pairs = (unsigned)j->v->rounds,
		.seconds = (double)j->t.parts[0].load.duration_ns / 1e9,
		.each = j->v->each,
		.keep = j->keep,
		.host = ta_buf_text(&j->host),
		.fingerprint = j->fingerprint,
		.tool = TA_VERSION,
		.plan = &j->plan,
		.parts = parts,
		.rows = j->t.rows,
		.n_rows = j->plan.n_actions,
		.kept_run = j->kept_run,
		.not_kept = j->not_kept.len ? ta_buf_text(&j->not_kept) : NULL,
		.program = j->cli->program,
		.state = j->v->state,
		.columns = j->cli->columns,
	};

	/* Those that had nothing to show are not mentioned, unless there is no other. */
	for (size_t i = 0; i < j->t.n_parts; i++) {
		const struct ta_trying_part *p = &j->t.parts[i];

		if (p->is_calm || (j->t.n_parts == 1))
			parts[r.n_parts++] = (struct ta_trial_part){p->workload->name, p->connections, p->is_calm ? &p->calm : NULL,
				p->tried ? &p->trial : NULL};
	}
	if (j->json)
		ta_report_trial_json(&r, &j->cli->out);
	else
		ta_report_trial_text(&r, &j->cli->out);
}

static bool is_begun(const struct job *j)
{
	for (size_t i = 0; i < j->t.n_parts; i++)
		if (j->t.parts[i].is_calm)
			return true;
	return false;
}

static int measure(struct job *j)
{
	int code = TA_EXIT_OK;

	for (size_t i = 0; i < j->t.n_parts && code == TA_EXIT_OK; i++)
		code = ta_trying_run(&j->t, &j->t.parts[i]);
	if (code == TA_EXIT_OK && j->keep)
		code = keep_improved(j);
	if (ta_trying_say_why_not(&j->t) == TA_EXIT_OK && is_begun(j))
		report(j);
	return code;
}

static int trial(struct job *j)
{
	int code = make_plan(j);

	if (code == TA_EXIT_OK)
		code = check_others(j);
	if (code == TA_EXIT_OK)
		code = ta_cli_token(j->v->token_file, &j->token);
	if (code == TA_EXIT_OK)
		code = choose_workloads(j);
	if (code == TA_EXIT_OK)
		code = ta_trying_sort_out(&j->t, j->allow, j->v->allow_workload);
	if (code != TA_EXIT_OK)
		return code;
	if (!ta_trying_count_all(&j->t)) {
		code = ta_trying_say_why_not(&j->t);
		report(j);
		return code;
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
	int allow = ta_planning_allow(j.v->allow), keep = ta_cli_choose("keep", j.v->keep, keeps);
	int format = ta_cli_choose("format", j.v->format, formats), code;

	if (allow < 0 || keep < 0 || format < 0)
		return TA_EXIT_USAGE;
	if (j.v->workloads.n > TA_TRYING_PARTS)
		return ta_cli_fail(TA_EXIT_USAGE, "--workload takes at most %d", TA_TRYING_PARTS);
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
