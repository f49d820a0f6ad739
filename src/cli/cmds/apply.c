/*
 * tuneaudit apply: makes the changes of a plan, or puts everything back.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/arming.h"
#include "cli/caller.h"
#include "cli/changing.h"
#include "cli/config.h"
#include "cli/confirming.h"
#include "cli/kept.h"
#include "cli/pause.h"
#include "cli/planning.h"
#include "cli/progress.h"
#include "cli/system.h"
#include "cli/verifying.h"
#include "fix/apply.h"
#include "report/change.h"

#define CONFIRM_DEFAULT_S 60

struct values {
	const char *profile, *plan, *rules, *allow, *state, *target, *token_file, *format;
	bool dry_run, yes, runtime_only, allow_workload, verify_load, no_verify_load, keep_anyway;
	int64_t confirm_within, load_seconds;
	struct ta_strv only, skip;
};

static const struct ta_option options[] = {
	TA_OPTION_PROFILE(struct values, profile),
	TA_OPTION_ONLY(struct values, only),
	TA_OPTION_SKIP(struct values, skip),
	{.name = "plan",
		.arg = "FILE",
		.kind = TA_OPT_STRING,
		.help = "what 'plan --format json' wrote, as it is: refused if this is not the host as it was then",
		.offset = offsetof(struct values, plan)},
	{.name = "rules",
		.arg = "DIR",
		.kind = TA_OPT_STRING,
		.help = "also the *.rules of this directory, where only root may write",
		.offset = offsetof(struct values, rules)},
	{.name = "allow",
		.arg = "none|flow-reset|link-flap",
		.kind = TA_OPT_STRING,
		.help = "what a change may cost at most: nothing (default), connections, the link for a moment",
		.offset = offsetof(struct values, allow)},
	{.name = "allow-workload",
		.kind = TA_OPT_FLAG,
		.help = "also changes that not every program gains by",
		.offset = offsetof(struct values, allow_workload)},
	{.name = "dry-run",
		.kind = TA_OPT_FLAG,
		.help = "shows the plan and what would be skipped; writes nothing",
		.offset = offsetof(struct values, dry_run)},
	{.name = "yes",
		.kind = TA_OPT_FLAG,
		.help = "does not ask; needed where there is no terminal",
		.offset = offsetof(struct values, yes)},
	{.name = "runtime-only",
		.kind = TA_OPT_FLAG,
		.help = "writes no files that would keep it over a restart of the host",
		.offset = offsetof(struct values, runtime_only)},
	{.name = "confirm-within",
		.arg = "SECONDS",
		.kind = TA_OPT_NUMBER,
		.help = "undone by itself unless 'tuneaudit confirm' comes in that time (default: 60 if a link may go down, else 0: it "
			"holds at once)",
		.offset = offsetof(struct values, confirm_within),
		.unset = -1,
		.min = 0,
		.max = TA_CONFIRM_MAX_S},
	TA_OPTION_STATE(struct values, state),
	{.name = "verify-load",
		.kind = TA_OPT_FLAG,
		.help = "a load before and one after, of the profile's workload, less than a minute in all; puts everything back if it is "
			"worse with the changes",
		.offset = offsetof(struct values, verify_load)},
	{.name = "no-verify-load",
		.kind = TA_OPT_FLAG,
		.help = "none, though " TA_CONFIG_FILE " says verify-load = yes",
		.offset = offsetof(struct values, no_verify_load)},
	{.name = "keep-anyway",
		.kind = TA_OPT_FLAG,
		.help = "with --verify-load: keeps the changes also if it is worse with them, and tells that",
		.offset = offsetof(struct values, keep_anyway)},
	{.name = "target",
		.arg = "ADDR",
		.kind = TA_OPT_STRING,
		.help = "with --verify-load: the server to load, as of 'load': http://HOST/, tuneaudit://HOST:PORT (default: one of its own, "
			"on loopback)",
		.offset = offsetof(struct values, target)},
	{.name = "token-file",
		.arg = "FILE",
		.kind = TA_OPT_STRING,
		.help = "with --verify-load: the token of a tuneaudit:// target (default: TUNEAUDIT_TOKEN of the environment)",
		.offset = offsetof(struct values, token_file)},
	{.name = "load-seconds",
		.arg = "SECONDS",
		.kind = TA_OPT_NUMBER,
		.help = "with --verify-load: how long in all, at most (12 to 60, default 60); the shorter, the less it sees",
		.offset = offsetof(struct values, load_seconds),
		.unset = TA_VERIFY_SECONDS,
		.min = TA_VERIFY_SECONDS_MIN,
		.max = TA_VERIFY_SECONDS},
	{.name = "format",
		.arg = "text|json",
		.kind = TA_OPT_STRING,
		.help = "text for people (default), json for programs",
		.offset = offsetof(struct values, format)},
};

struct job {
	struct ta_cli *cli;
	const struct values *v;
	struct ta_report_options o;
	struct ta_plan_view view;
	struct ta_session session;
	struct ta_plan plan;
	struct ta_apply_item *items;
	char **rules; /* of the items */
	size_t n;
	unsigned confirm_within_s; /* 0: it holds at once */
	bool json;
	struct ta_run run;
	struct ta_verifying verify;
	struct ta_buf message; /* what went wrong with the run */
};

static void job_done(struct job *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->rules[i]);
	free(j->rules);
	free(j->items);
	ta_verifying_done(&j->verify);
	ta_run_done(&j->run);
	ta_buf_done(&j->message);
	ta_plan_done(&j->plan);
	ta_session_done(&j->session);
}

/* --- what is done ----------------------------------------------------------------------- */

static char *join(const struct ta_strv *words)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (size_t i = 0; i < words->n; i++)
		ta_buf_printf(&b, "%s%s", i ? ", " : "", words->v[i]);
	return ta_buf_steal(&b);
}

/* Those actions that are allowed. */
static int select_items(struct job *j)
{
	j->items = calloc(j->plan.n_actions + 1, sizeof(*j->items));
	j->rules = calloc(j->plan.n_actions + 1, sizeof(*j->rules));
	if (!j->items || !j->rules)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	for (size_t i = 0; i < j->plan.n_actions; i++) {
		const struct ta_action *a = &j->plan.actions[i];

		if (ta_action_refusal(a, j->view.allow, j->view.allow_workload))
			continue;
		j->rules[j->n] = join(&a->rules);
		if (!j->rules[j->n])
			return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
		j->items[j->n] = (struct ta_apply_item){
			&a->step, j->rules[j->n], a->why, ta_disruption_name(a->disruption), a->persist_file, a->persist_text};
		j->n++;
		if (ta_verifying_add(&j->verify, a) != TA_EXIT_OK)
			return TA_EXIT_INTERNAL;
	}
	return TA_EXIT_OK;
}

/* Whoever is cut off cannot undo it, and whoever is not cannot know before. */
static int choose_confirmation(struct job *j)
{
	ta_cleanup_buf struct ta_buf management = TA_BUF_INIT;
	bool flaps = false;

	for (size_t i = 0; i < j->plan.n_actions; i++) {
		const struct ta_action *a = &j->plan.actions[i];

		if (ta_action_refusal(a, j->view.allow, j->view.allow_workload))
			continue;
		flaps = flaps || a->disruption == TA_DISRUPT_LINK_FLAP;
		if (a->management && !management.len)
			ta_step_label(a->step.knob, a->step.target, &management);
	}
	if (j->v->confirm_within == 0 && management.len)
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: --confirm-within 0 would keep at once what may cut this host "
			"off (%s); give it 1 to %d seconds", ta_buf_text(&management), TA_CONFIRM_MAX_S);
	if (j->v->confirm_within >= 0)
		j->confirm_within_s = (unsigned)j->v->confirm_within;
	else
		j->confirm_within_s = flaps ? CONFIRM_DEFAULT_S : 0;
	return TA_EXIT_OK;
}

static int make_plan(struct job *j)
{
	const struct values *v = j->v;
	const struct ta_planning how = {v->profile, v->rules, NULL, &v->only, &v->skip};

	if (v->plan && (v->profile || v->only.n || v->skip.n))
		return ta_cli_fail(TA_EXIT_USAGE, "--plan says what is done: leave out --profile, --only and --skip");
	return v->plan ? ta_planning_load(v->plan, v->rules, &j->session, &j->plan)
		       : ta_planning_make(&how, &j->session, &j->plan);
}

/* --- before it is done ------------------------------------------------------------------- */

static bool is_blocked(const struct ta_plan *p)
{
	for (size_t i = 0; i < p->n_manual; i++)
		if (p->manual[i].blocked)
			return true;
	return false;
}

static int nothing_to_do(struct job *j)
{
	struct ta_buf *out = &j->cli->out;

	if (!j->plan.n_actions) {
		ta_report_plan(&j->plan, &j->view, out);
		if (!is_blocked(&j->plan)) {
			ta_buf_adds(out, "\nNothing was changed.\n");
			return TA_EXIT_OK;
		}
		ta_buf_adds(out, "\nNothing was changed: it cannot be done from here.\n");
		return TA_EXIT_FINDINGS;
	}
	ta_report_skipped(&j->plan, &j->view, out);
	ta_report_not_done(&j->plan, &j->o, out);
	ta_buf_adds(out, "\nNothing was changed: nothing of it is allowed.\n");
	return TA_EXIT_FINDINGS;
}

static int ask(struct job *j)
{
	char question[160], condition[80] = "";

	if (j->v->yes)
		return TA_EXIT_OK;
	if (j->json)
		return ta_cli_fail(TA_EXIT_USAGE, "--format json asks nothing: it needs --yes");
	if (!ta_caller_can_be_asked())
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: there is no terminal to ask on, and no --yes");
	ta_report_plan(&j->plan, &j->view, &j->cli->out);
	ta_system_write(STDOUT_FILENO, ta_buf_text(&j->cli->out), j->cli->out.len);
	ta_buf_reset(&j->cli->out);
	if (j->confirm_within_s)
		snprintf(condition, sizeof(condition), "They undo themselves after %u s unless you confirm them.\n",
			j->confirm_within_s);
	snprintf(question, sizeof(question), "\n%sMake %zu of these %zu changes? [y/N] ", condition, j->n, j->plan.n_actions);
	if (ta_caller_agrees(question))
		return TA_EXIT_OK;
	ta_buf_adds(&j->cli->out, "Nothing was changed.\n");
	return TA_EXIT_FINDINGS;
}

/* --- what came of it ------------------------------------------------------------------------ */

static void tell_pending(struct job *j, const struct ta_run *run)
{
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT;
	struct ta_buf *out = &j->cli->out;

	ta_buf_printf(&words, "All of this is undone in %u s unless it is confirmed, best in a new session, which shows that one "
		"can still be opened:", j->confirm_within_s);
	ta_buf_addc(out, '\n');
	ta_changing_say(&j->o, ta_buf_text(&words), out);
	ta_changing_command(j->cli->program, "confirm", j->v->state, out);
	if (run->n_keeps)
		ta_buf_adds(out, "\nThe files that keep it over a restart of the host are written then.");
	ta_buf_addc(out, '\n');
}

static void tell_done(struct job *j, const struct ta_run *run)
{
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT;
	struct ta_buf *out = &j->cli->out;

	size_t files = 0, later = 0, n;

	for (size_t i = 0; i < run->n; i++) {
		files += ta_persist_is_file(&run->changes[i]);
		later += run->changes[i].state == TA_CHANGE_LATER;
	}
	n = run->n - files - later;
	ta_buf_printf(out, "%zu change%s made and verified", n, n == 1 ? "" : "s");
	if (files)
		ta_buf_printf(out, ", %zu file%s written that keep%s them over a restart", files, files == 1 ? "" : "s",
			files == 1 ? "s" : "");
	ta_buf_adds(out, ".\n");
	ta_report_changes(run, &j->o, out);
	ta_report_skipped(&j->plan, &j->view, out);
	ta_report_not_done(&j->plan, &j->o, out);
	ta_buf_printf(&words, "rollback %u", run->number);
	ta_buf_adds(out, "\nTo undo: ");
	ta_changing_command(j->cli->program, ta_buf_text(&words), j->v->state, out);
	ta_buf_addc(out, '\n');
	if (j->confirm_within_s)
		tell_pending(j, run);
	ta_kept_tell(&j->plan, &j->view, j->v->runtime_only, out);
}

static void tell_load(struct job *j)
{
	struct ta_verify_report r;

	if (ta_verifying_tell(&j->verify, j->session.schema, &r))
		ta_report_verify(&r, &j->o, &j->cli->out);
}

static int tell(struct job *j, enum ta_apply_end end, const struct ta_run *run, const struct ta_err *err, int signal)
{
	struct ta_buf *out = &j->cli->out;

	ta_buf_adds(&j->message, end == TA_APPLY_DONE ? "" : err->text);
	switch (end) {
	case TA_APPLY_DONE:
		j->cli->unseen = "the changes are made ('tuneaudit history' tells them)";
		tell_done(j, run);
		tell_load(j);
		return TA_EXIT_OK;
	case TA_APPLY_STALE:
		return ta_cli_fail(TA_EXIT_USAGE, "nothing was changed: %s; make a new plan", err->text);
	case TA_APPLY_NOTHING:
		return ta_cli_fail(TA_EXIT_RESTORED, "nothing was changed: %s", err->text);
	default:
		break;
	}
	ta_report_changes(run, &j->o, out);
	tell_load(j);
	if (end == TA_APPLY_STUCK) {
		ta_report_stuck(run, &j->o, out);
		return ta_cli_fail(TA_EXIT_STUCK, "%s; not everything could be put back", err->text);
	}
	return ta_cli_fail(signal ? TA_EXIT_SIGNAL + signal : TA_EXIT_RESTORED, "%s; everything was put back", err->text);
}

/* Second by second, so that a signal ends it. */
static void wait_for_others(unsigned seconds, void *ctx)
{
	const struct job *j = ctx;
	const volatile sig_atomic_t *stop = ta_caller_watch_signals();

	if (!j->cli->quiet)
		ta_cli_say("Waiting for what irqbalance makes of it.\n");
	for (unsigned i = 0; i < seconds && !*stop; i++)
		ta_pause(1, false);
}

/* Whoever sits at the terminal sees it run out. */
static int wait_for_confirmation(struct job *j, const struct ta_run *run, const volatile sig_atomic_t *stop)
{
	const struct ta_confirming c = {.cli = j->cli, .host = j->session.host, .dir = j->v->state, .o = j->o};

	if (run->state && !strcmp(run->state, "pending") && !j->json && !j->cli->quiet && ta_caller_can_be_asked() && isatty(STDERR_FILENO)) {
		ta_system_write(STDOUT_FILENO, ta_buf_text(&j->cli->out), j->cli->out.len);
		ta_buf_reset(&j->cli->out);
		return ta_confirming_wait(&c, run->number, stop);
	}
	return TA_EXIT_OK;
}

static int judge(void *ctx, struct ta_err *err)
{
	struct job *j = ctx;
	int rc;

	ta_progress_end();
	rc = ta_verifying_after(&j->verify, err);
	ta_progress_begin(j->cli->quiet, rc < 0 ? "Putting everything back" : "Writing what keeps the changes");
	return rc;
}

static int make_changes(struct job *j)
{
	ta_cleanup_state struct ta_state *state = NULL;
	ta_cleanup_buf struct ta_buf who = TA_BUF_INIT;
	const volatile sig_atomic_t *stop = ta_caller_watch_signals();
	struct ta_arming arming = {j->cli, j->session.host, j->v->state};
	struct ta_apply apply = {.host = j->session.host, .profile = j->plan.profile, .tool = TA_VERSION, .stop = stop, .making = ta_progress_step,
		.items = j->items, .n = j->n, .runtime_only = j->v->runtime_only, .pause = wait_for_others, .pause_ctx = j,
		.confirm_within_s = j->confirm_within_s, .arm = ta_arming_start, .arm_ctx = &arming,
		.judge = j->verify.on ? judge : NULL, .judge_ctx = j};
	enum ta_apply_end end;
	struct ta_err err = {0};
	int code = ask(j);

	if (code == TA_EXIT_OK)
		code = ta_changing_open(j->session.host, j->v->state, &state);
	if (code == TA_EXIT_OK)
		code = ta_changing_check_pending(j->session.host, state, j->cli->program, j->v->state);
	if (code == TA_EXIT_OK)
		code = ta_changing_check_interrupted(state, j->cli->program, j->v->state);
	j->verify.o.stop = stop;
	if (code == TA_EXIT_OK && j->verify.on)
		code = ta_verifying_before(&j->verify);
	if (code != TA_EXIT_OK)
		return *stop ? TA_EXIT_SIGNAL + *stop : code;
	ta_caller_who(&who);
	apply.state = state;
	apply.who = ta_buf_text(&who);
	ta_progress_begin(j->cli->quiet, "Making changes");
	ta_apply_run(&apply, &end, &j->run, &err);
	ta_progress_end();
	if (end == TA_APPLY_FAILED)
		ta_verifying_again(&j->verify);
	state = ta_state_close(state);
	code = tell(j, end, &j->run, &err, *stop);
	return code == TA_EXIT_OK ? wait_for_confirmation(j, &j->run, stop) : code;
}

/* Whether a load is measured, and which. */
static int choose_load(struct job *j)
{
	const struct values *v = j->v;
	struct ta_config config = {0};
	int code;

	if (v->verify_load && v->no_verify_load)
		return ta_cli_fail(TA_EXIT_USAGE, "either --verify-load or --no-verify-load");
	code = v->verify_load || v->no_verify_load ? TA_EXIT_OK : ta_config_read(&config);
	if (code != TA_EXIT_OK)
		return code;
	j->verify.on = v->verify_load || config.verify_load;
	if (!j->verify.on && (v->keep_anyway || v->target || v->token_file))
		return ta_cli_fail(TA_EXIT_USAGE, "--%s is for --verify-load", v->keep_anyway ? "keep-anyway" : v->target ? "target" : "token-file");
	j->verify.keep_anyway = v->keep_anyway;
	j->verify.o.seconds = (unsigned)v->load_seconds;
	j->verify.cli = j->cli;
	j->verify.host = j->session.host;
	j->verify.rules = v->rules;
	j->verify.profile = j->plan.profile;
	return j->verify.on ? ta_verifying_begin(&j->verify, j->session.schema, v->target, v->token_file) : TA_EXIT_OK;
}

static void tell_dry_run(struct job *j)
{
	struct ta_buf *out = &j->cli->out;

	ta_report_plan(&j->plan, &j->view, out);
	ta_report_skipped(&j->plan, &j->view, out);
	ta_buf_printf(out, "\nNothing was changed; %zu change%s would be made", j->n, j->n == 1 ? "" : "s");
	if (j->n && j->verify.on)
		ta_buf_printf(out, ", between two loads (%s)", j->verify.o.workload->name);
	if (j->n && j->confirm_within_s)
		ta_buf_printf(out, ", and undone after %u s unless confirmed", j->confirm_within_s);
	ta_buf_adds(out, ".\n");
}

static int apply(struct job *j)
{
	int code = make_plan(j);

	if (code == TA_EXIT_OK)
		code = select_items(j);
	if (code == TA_EXIT_OK)
		code = choose_confirmation(j);
	if (code == TA_EXIT_OK)
		code = choose_load(j);
	if (code != TA_EXIT_OK)
		return code;
	if (j->v->dry_run) {
		tell_dry_run(j);
		return TA_EXIT_OK;
	}
	code = ta_changing_check_waiting(j->session.host, j->cli->program, j->v->state);
	if (code != TA_EXIT_OK)
		return code;
	return j->n ? make_changes(j) : nothing_to_do(j);
}

/* Instead of the text, whatever that says. */
static void print_json(struct job *j, int code)
{
	struct ta_verify_report r;
	bool measured = ta_verifying_tell(&j->verify, j->session.schema, &r);

	ta_buf_reset(&j->cli->out);
	ta_report_apply_json(j->run.number ? &j->run : NULL, measured ? &r : NULL, j->message.len ? ta_buf_text(&j->message) : NULL, code,
		&j->cli->out);
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	static const char *const formats[] = {"text", "json", NULL};
	struct job j = {.cli = cli, .v = values, .session = TA_SESSION_INIT};
	int allow = ta_planning_allow(j.v->allow), format = ta_cli_choose("format", j.v->format, formats), code;

	if (allow < 0 || format < 0)
		return TA_EXIT_USAGE;
	j.json = format == 1;
	if (j.json && j.v->dry_run)
		return ta_cli_fail(TA_EXIT_USAGE, "of what would be done 'plan --format json' is the document");
	j.o = (struct ta_report_options){
		.columns = cli->columns, .color = cli->color, .verbosity = cli->quiet ? -1 : cli->verbose};
	j.view = (struct ta_plan_view){&j.o, (enum ta_allow)allow, j.v->allow_workload};
	code = apply(&j);
	if (j.json && code != TA_EXIT_USAGE && code != TA_EXIT_INTERNAL)
		print_json(&j, code);
	job_done(&j);
	return code;
}

const struct ta_command ta_command_apply = {
	.name = "apply",
	.args = "",
	.summary = "makes the changes of the plan, each undoable; or puts everything back",
	.about = "Makes the plan's changes in their order. Before each one, what is there is written to a journal and on "
		 "the disk; after it, the value is read back. If one fails, or a signal comes, everything that was done "
		 "is put back in reverse. 'tuneaudit rollback' undoes it later, also after a crash.\n\n"
		 "Changes that cost more than --allow says are skipped and told. Changes that take effect with a restart "
		 "of the host are never made. A change to the interface that this host, or the caller's session, is "
		 "reached by counts as link-flap at least.\n\n"
		 "Asks on the terminal before it changes anything, unless --yes.\n\n"
		 "A run that may take a link down undoes itself after 60 s, or what --confirm-within says, unless 'tuneaudit "
		 "confirm' comes before: also when this program, its terminal and its session are gone, or the host was "
		 "restarted. What undoes it is there before the first change. Nothing that a restart would read is written "
		 "before it is confirmed. On a terminal the seconds are counted: y and Enter confirms there, Ctrl-C undoes "
		 "it now; without one the program ends, with 0, and the run waits.\n\n"
		 "With --verify-load a load of the profile's workload runs before and after the changes, less than a minute in all. Over "
		 "loopback, unless --target names a server: that shows nothing of NICs, interrupts or distance. If it is worse with the "
		 "changes everything is put back, before anything is kept. " TA_CONFIG_FILE " may make that the default: "
		 "verify-load = yes.",
	.exits = "0\teverything allowed is in force; what was skipped is listed\n"
		 "1\tnothing was changed: not allowed, not agreed to, cannot be written from here, or a run that was "
		 "interrupted is to be undone first; or no load could be measured before\n"
		 "2\twrong usage, a broken rule, a plan that is stale, edited or of another host; nothing was changed\n"
		 "5\tit failed, was worse under load, or was not confirmed while it was waited for, and everything that was done is put back\n"
		 "6\tit failed, and something could not be put back: what, and how by hand, is told\n"
		 "70\tinternal error, or the output could not be written\n"
		 "75\tanother run is changing this host, or waits to be confirmed\n"
		 "128+n\tended by signal n; everything that was done is put back; by SIGHUP while it waits to be confirmed: it waits on\n",
	.examples = "sudo tuneaudit apply --dry-run\twhat would be done and what skipped\n"
		    "sudo tuneaudit apply --profile gateway --verify-load\tasks, then changes; puts all back if a load is worse for it\n"
		    "sudo tuneaudit apply --allow link-flap --yes --confirm-within 300 && ssh HOST sudo tuneaudit confirm\tkept if "
		    "the host can still be reached\n"
		    "sudo tuneaudit apply --plan /root/plan.json --yes\ta plan that was looked at before\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 0,
	.run = run,
};
