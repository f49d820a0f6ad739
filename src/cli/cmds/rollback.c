/*
 * tuneaudit rollback: puts back what apply changed, as far as it is still ours.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/caller.h"
#include "cli/changing.h"
#include "cli/confirming.h"
#include "cli/progress.h"
#include "cli/session.h"
#include "fix/rollback.h"

struct values {
	const char *state;
	bool all, force, yes;
};

static const struct ta_option options[] = {
	{.name = "all",
		.kind = TA_OPT_FLAG,
		.help = "every run that is still in force, the newest first",
		.offset = offsetof(struct values, all)},
	{.name = "force",
		.kind = TA_OPT_FLAG,
		.help = "also values that somebody else has set since",
		.offset = offsetof(struct values, force)},
	{.name = "yes",
		.kind = TA_OPT_FLAG,
		.help = "does not ask; needed where there is no terminal",
		.offset = offsetof(struct values, yes)},
	TA_OPTION_STATE(struct values, state),
};

struct job {
	struct ta_cli *cli;
	const struct values *v;
	struct ta_report_options o;
	struct ta_session session;
	struct ta_state *state;
	struct ta_run *runs; /* to put back, the newest first */
	size_t n;
	unsigned only; /* change, 0: all */
};

static void forget_runs(struct job *j)
{
	for (size_t i = 0; i < j->n; i++)
		ta_run_done(&j->runs[i]);
	free(j->runs);
	j->runs = NULL;
	j->n = 0;
}

static void job_done(struct job *j)
{
	forget_runs(j);
	ta_state_close(j->state);
	ta_session_done(&j->session);
}

/* --- which runs ------------------------------------------------------------------------------ */

/* Takes the run if it is meant. All are read before anything is written. */
static int consider(struct job *j, unsigned number, unsigned wanted)
{
	struct ta_run r = {0};
	struct ta_err err = {0};
	int rc = ta_run_read(j->state, number, &r, &err);

	if (rc == -ENODATA)
		return TA_EXIT_OK; /* it was killed before anything happened */
	if (rc < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "nothing was changed: %s", err.text);
	if (wanted ? number == wanted : ta_run_is_open(&r))
		j->runs[j->n++] = r;
	else
		ta_run_done(&r);
	return TA_EXIT_OK;
}

static int no_such_run(unsigned number)
{
	return ta_cli_fail(TA_EXIT_USAGE, "there is no run %u; 'tuneaudit history' shows them", number);
}

static int find_runs(struct job *j, unsigned wanted)
{
	struct ta_err err = {0};
	unsigned *numbers;
	size_t n;
	int code = TA_EXIT_OK;

	if (ta_state_runs(j->state, &numbers, &n, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	j->runs = calloc(n + 1, sizeof(*j->runs));
	if (!j->runs)
		code = ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	for (size_t i = n; i-- > 0 && code == TA_EXIT_OK;) {
		if (wanted && numbers[i] != wanted)
			continue;
		code = consider(j, numbers[i], wanted);
		if (j->n && !j->v->all)
			break;
	}
	free(numbers);
	return code;
}

/* --- asking and doing --------------------------------------------------------------------------- */

static int ask(const struct job *j)
{
	char question[80];

	if (j->v->yes)
		return TA_EXIT_OK;
	if (!ta_caller_can_be_asked())
		return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: there is no terminal to ask on, and no --yes");
	if (j->n == 1)
		snprintf(question, sizeof(question), "Put back run %u? [y/N] ", j->runs[0].number);
	else
		snprintf(question, sizeof(question), "Put back %zu runs? [y/N] ", j->n);
	if (ta_caller_agrees(question))
		return TA_EXIT_OK;
	return ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed");
}

/*
 * Without the lock: whoever does not answer is to keep nobody from undoing what cut him off. What was agreed to must still be
 * what there is.
 */
static int ask_unlocked(struct job *j, const struct ta_confirming *c, unsigned wanted)
{
	unsigned first = j->runs[0].number;
	size_t n = j->n;
	int code;

	if (j->v->yes)
		return TA_EXIT_OK;
	ta_state_unlock(j->state);
	code = ask(j);
	forget_runs(j);
	j->state = ta_state_close(j->state);
	if (code == TA_EXIT_OK)
		code = ta_confirming_open(c, true, &j->state);
	if (code == TA_EXIT_OK)
		code = find_runs(j, wanted);
	if (code == TA_EXIT_OK && (j->n != n || j->runs[0].number != first))
		code = ta_cli_fail(TA_EXIT_FINDINGS, "nothing was changed: the runs are others by now; 'tuneaudit history' shows them");
	return code;
}

static bool can_be_forced(const struct ta_run *r, unsigned only)
{
	for (size_t i = 0; i < r->n; i++)
		if ((!only || r->changes[i].number == only) && r->changes[i].state == TA_CHANGE_LEFT && !r->changes[i].gone)
			return true;
	return false;
}

static int put_back(struct job *j, struct ta_run *r)
{
	const struct ta_rollback b = {.host = j->session.host, .state = j->state, .force = j->v->force};
	enum ta_rollback_end end;
	struct ta_err err = {0};
	int rc;

	if (!ta_run_is_open(r) && j->only <= r->n) {
		ta_buf_printf(&j->cli->out, "Run %u: %s already; there is nothing to put back.\n", r->number,
			ta_run_state_name(r));
		return TA_EXIT_OK;
	}
	ta_progress_begin(j->cli->quiet, "Putting it back");
	rc = ta_rollback_run(&b, r, j->only, &end, &err);
	ta_progress_end();
	if (rc < 0)
		return ta_cli_fail(rc == -ENOMEM ? TA_EXIT_INTERNAL : TA_EXIT_USAGE, "run %u was not put back: %s",
			r->number, err.text);
	j->cli->unseen = "what was put back is in 'tuneaudit history'";
	ta_buf_printf(&j->cli->out, "Run %u: %s.\n", r->number, ta_run_state_name(r));
	ta_report_changes(r, &j->o, &j->cli->out);
	ta_report_stuck(r, &j->o, &j->cli->out);
	if (*err.text)
		ta_cli_fail(0, "run %u: %s", r->number, err.text);
	if (end == TA_ROLLBACK_STUCK)
		return ta_cli_fail(TA_EXIT_STUCK, "run %u: not everything could be put back", r->number);
	if (end == TA_ROLLBACK_LEFT && !can_be_forced(r, j->only))
		return ta_cli_fail(TA_EXIT_FINDINGS, "run %u: what it changed is gone in part, and cannot be put back", r->number);
	if (end == TA_ROLLBACK_LEFT)
		return ta_cli_fail(TA_EXIT_FINDINGS, "run %u: some values are not ours any more and were left; --force puts them "
			"back all the same", r->number);
	return TA_EXIT_OK;
}

/* The worst of two exit codes: stuck, refused, left, none. */
static int worse(int a, int b)
{
	static const int order[] = {TA_EXIT_INTERNAL, TA_EXIT_STUCK, TA_EXIT_USAGE, TA_EXIT_FINDINGS};

	for (size_t i = 0; i < TA_ARRAY_SIZE(order); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return TA_EXIT_OK;
}

static int rollback(struct job *j, unsigned wanted)
{
	struct ta_confirming c = {.cli = j->cli, .dir = j->v->state};
	struct ta_err err = {0};
	int code;

	if (ta_host_live(&j->session.host, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	c.host = j->session.host;
	if (ta_changing_is_there(j->session.host, j->v->state)) {
		/* Perhaps it is what undoes a run that was not confirmed, or was killed. */
		code = ta_confirming_open(&c, false, &j->state);
		if (code == TA_EXIT_OK)
			code = ta_changing_settle(j->session.host, j->state);
		if (code == TA_EXIT_OK)
			code = find_runs(j, wanted);
		if (code != TA_EXIT_OK)
			return code;
	}
	if (!j->n && wanted)
		return no_such_run(wanted);
	if (!j->n) {
		ta_buf_adds(&j->cli->out, "There is nothing to put back.\n");
		return TA_EXIT_OK;
	}
	code = ask_unlocked(j, &c, wanted);
	if (code != TA_EXIT_OK)
		return code;
	/* It is made to an end: a signal that comes now would leave the host half way. */
	ta_caller_watch_signals();
	for (size_t i = 0; i < j->n; i++)
		code = worse(code, put_back(j, &j->runs[i]));
	return code;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	struct job j = {.cli = cli, .v = values, .session = TA_SESSION_INIT};
	int64_t wanted = args->n ? ta_changing_number("run", args->v[0]) : 0;
	int64_t only = args->n > 1 ? ta_changing_number("change", args->v[1]) : 0;
	int code;

	if (wanted < 0 || only < 0)
		return TA_EXIT_USAGE;
	if (j.v->all && args->n)
		return ta_cli_fail(TA_EXIT_USAGE, "--all, or the number of a run: not both");
	j.only = (unsigned)only;
	j.o = (struct ta_report_options){
		.columns = cli->columns, .color = cli->color, .verbosity = cli->quiet ? -1 : cli->verbose};
	code = rollback(&j, (unsigned)wanted);
	job_done(&j);
	return code;
}

const struct ta_command ta_command_rollback = {
	.name = "rollback",
	.args = "[RUN [CHANGE]]",
	.summary = "puts back what apply changed, exactly, as far as it is still ours",
	.about = "Puts back the newest run that is in force, the run RUN, one CHANGE of it, or --all, the last change "
		 "first. A value is put back only where what is there now is what this program set; where somebody else "
		 "has set it since, it is left and told. What moved along with a change is put back with it. Interfaces "
		 "are found by the address of their device and their MAC, whatever they are called now.\n\n"
		 "After a crash or a kill in the middle of apply or rollback the same command brings the host back to "
		 "where it was. Settings that went with a restart of the host are not written again.",
	.exits = "0\teverything is as it was before; also where there was nothing to put back\n"
		 "1\tsome values are somebody else's now and were left; or not agreed to\n"
		 "2\twrong usage, no such run, or a journal that was edited, is of another host, or cannot be read\n"
		 "5\tnothing was changed, since the journal cannot be opened\n"
		 "6\tsomething could not be put back: what, and how by hand, is told\n"
		 "70\tinternal error, or the output could not be written\n"
		 "75\tanother run is changing this host\n",
	.examples = "sudo tuneaudit rollback\tundoes the newest run, after a question\n"
		    "sudo tuneaudit rollback 3 2 --yes\tonly the second change of run 3\n"
		    "sudo tuneaudit rollback --all --yes\teverything that this program ever changed\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 2,
	.run = run,
};
