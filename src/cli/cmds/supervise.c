/*
 * tuneaudit supervise: what undoes a run that nobody confirms. apply starts it; nobody else has to.
 *
 * It looks at the journal a few times a second and does nothing else until the run is over, its time is over, or the apply
 * that makes it has died or hangs. All that it needs is in the journal, so that it can be killed and started again. It keeps
 * what it has read and the directory that it has opened: a journal that cannot be read or written by then, or a file system
 * that has become read-only, is no reason to leave a host cut off.
 */
#include <errno.h>
#include <string.h>
#include <syslog.h>

#include "base/num.h"
#include "cli/caller.h"
#include "cli/changing.h"
#include "cli/pause.h"
#include "cli/session.h"
#include "fix/confirm.h"
#include "host/supervisor.h"

#define TURN_MS 200
#define LOCK_TURN_MS 50
#define STALL_S 30 /* what an apply may take for one step, beyond the time for confirming */
#define HOLD_S 15  /* … and what anybody may have the lock for without coming further when the time is over */
#define KILLED_MS 2000
#define TRIES 3
#define RETRY_MS 1000

struct values {
	const char *state, *maker;
	int64_t stall;
};

static const struct ta_option options[] = {
	TA_OPTION_STATE(struct values, state),
	{.name = "maker",
		.arg = "PID:START",
		.kind = TA_OPT_STRING,
		.help = "the apply that makes the run, and its start time (the 22nd word of /proc/PID/stat)",
		.offset = offsetof(struct values, maker)},
	{.name = "stall",
		.arg = "SECONDS",
		.kind = TA_OPT_NUMBER,
		.help = "an apply that does not come further for so long is killed (default: 30 more than there are to confirm), "
			"and so is whoever has the lock when the time is over (default: 15)",
		.offset = offsetof(struct values, stall),
		.min = 1,
		.max = 2 * TA_CONFIRM_MAX_S},
};

struct watch {
	struct ta_host *host;
	struct ta_state *state;
	struct ta_run run; /* as it could be read last */
	struct ta_process maker; /* pid 0: nobody */
	const volatile sig_atomic_t *stop;
	int64_t stall_ms, hold_ms;
	int64_t moved_ms; /* when the journal last grew */
};

static int64_t now_ms(const struct watch *w)
{
	int64_t ms = 0;

	ta_host_uptime_ms(w->host, &ms);
	return ms;
}

/* What cannot be read any more is as it was. */
static void look(struct watch *w)
{
	struct ta_run r = {0};

	if (ta_run_read(w->state, w->run.number, &r, NULL) < 0)
		return;
	if (r.whole != w->run.whole)
		w->moved_ms = now_ms(w);
	ta_run_done(&w->run);
	w->run = r;
}

static bool maker_lives(const struct watch *w)
{
	return w->maker.pid && ta_process_lives(w->host, &w->maker);
}

static enum ta_confirm_next next(const struct watch *w)
{
	enum ta_confirm_next n = ta_confirm_next(&w->run, now_ms(w), maker_lives(w));

	/* Whoever ends us wants no change that nobody watches over. */
	return n == TA_CONFIRM_WAIT && *w->stop && w->run.state ? TA_CONFIRM_UNDO : n;
}

/* It has the lock, and would have it for ever. */
static void end_stalled(struct watch *w)
{
	if (!w->run.state && now_ms(w) - w->moved_ms > w->stall_ms && maker_lives(w)) {
		syslog(LOG_ERR, "the apply of run %u hangs: it is killed, and its changes are undone", w->run.number);
		ta_process_kill(w->host, &w->maker);
	}
}

/* A rollback or confirm that was stopped, or hangs. They may be killed at any point. */
static void end_holder(const struct watch *w)
{
	struct ta_process p;
	int64_t pid;

	if (ta_state_holder(w->state, &pid) == 0 && ta_process_is_ours(w->host, pid) && ta_process_read(w->host, pid, &p) == 0)
		ta_process_kill(w->host, &p);
}

/* Longer than this nobody is waited for who does not come further: a host that is cut off is worse. */
static bool is_patience_over(struct watch *w, int64_t since_ms)
{
	int64_t waited = now_ms(w) - TA_MAX(w->moved_ms, since_ms);

	if (waited > w->hold_ms)
		end_holder(w);
	return waited > w->hold_ms + KILLED_MS;
}

/* The lock, or, where there is none to be had, none. False: the run is not to be undone any more. */
static bool take_lock(struct watch *w)
{
	int64_t since = now_ms(w);

	while (ta_state_lock(w->state, NULL) == -EWOULDBLOCK && !is_patience_over(w, since)) {
		ta_pause_ms(LOCK_TURN_MS);
		look(w);
		if (next(w) == TA_CONFIRM_OVER)
			return false;
	}
	look(w);
	return next(w) == TA_CONFIRM_UNDO;
}

static void say_end(const struct ta_run *r, enum ta_rollback_end end)
{
	static const char *const words[] = {
		[TA_ROLLBACK_DONE] = "everything was put back",
		[TA_ROLLBACK_LEFT] = "what is somebody else's by now was left",
		[TA_ROLLBACK_STUCK] = "not everything could be put back",
	};

	syslog(end == TA_ROLLBACK_STUCK ? LOG_ERR : LOG_WARNING, "run %u: %s; %s ('tuneaudit history %u')", r->number,
		r->note ? r->note : "undone", words[end], r->number);
}

static int undo(struct watch *w)
{
	const char *why = *w->stop && now_ms(w) < w->run.due_ms ? "its supervisor was told to end before it was confirmed" : NULL;
	enum ta_rollback_end end = TA_ROLLBACK_STUCK;
	struct ta_err err = {0};

	for (int i = 0; i < TRIES && end == TA_ROLLBACK_STUCK; i++) {
		if (i)
			ta_pause_ms(RETRY_MS); /* what was in the way may go */
		if (ta_confirm_undo(w->host, w->state, &w->run, why, &end, &err) < 0) {
			syslog(LOG_ERR, "run %u is not undone: %s", w->run.number, err.text);
			return TA_EXIT_STUCK;
		}
	}
	say_end(&w->run, end);
	return end == TA_ROLLBACK_STUCK ? TA_EXIT_STUCK : TA_EXIT_OK;
}

static int watch(struct watch *w)
{
	w->moved_ms = now_ms(w);
	for (;;) {
		enum ta_confirm_next n;

		look(w);
		n = next(w);
		if (n == TA_CONFIRM_OVER)
			return TA_EXIT_OK;
		if (n == TA_CONFIRM_UNDO && take_lock(w))
			return undo(w);
		ta_state_unlock(w->state);
		end_stalled(w);
		ta_pause_ms(TURN_MS);
	}
}

static int parse_maker(const char *text, struct ta_process *ret)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

	if (!text)
		return 0;
	ta_strv_split(&words, text, ":");
	if (words.n != 2 || ta_parse_i64(words.v[0], &ret->pid) < 0 || ta_parse_i64(words.v[1], &ret->start) < 0 ||
		ret->pid < 2 || ret->pid > INT32_MAX)
		return ta_cli_fail(-1, "--maker takes the number of a process and its start time, not '%s'", text);
	return 0;
}

static int begin(struct watch *w, const struct values *v)
{
	struct ta_err err = {0};

	if (ta_state_open(w->host, v->state ? v->state : TA_STATE_DIR, false, &w->state, &err) < 0 ||
		ta_state_hold(w->state, w->run.number, &err) < 0 || ta_run_read(w->state, w->run.number, &w->run, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (!w->run.confirm_within_s)
		return ta_cli_fail(TA_EXIT_USAGE, "run %u has not to be confirmed", w->run.number);
	w->stall_ms = (v->stall ? v->stall : (int64_t)w->run.confirm_within_s + STALL_S) * 1000;
	w->hold_ms = (v->stall ? v->stall : HOLD_S) * 1000;
	w->stop = ta_caller_watch_signals();
	if (ta_supervisor_ready(&err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	return watch(w);
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	ta_cleanup_session struct ta_session session = TA_SESSION_INIT;
	const struct values *v = values;
	int64_t number = ta_changing_number("run", args->v[0]);
	struct watch w = {0};
	struct ta_err err = {0};
	int code;

	if (number < 0 || parse_maker(v->maker, &w.maker) < 0)
		return TA_EXIT_USAGE;
	if (ta_host_live(&session.host, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	openlog("tuneaudit", LOG_PID, LOG_DAEMON);
	w.host = session.host;
	w.run.number = (unsigned)number;
	code = begin(&w, v);
	ta_run_done(&w.run);
	ta_state_close(w.state);
	return code;
}

const struct ta_command ta_command_supervise = {
	.name = "supervise",
	.args = "RUN",
	.internal = true,
	.summary = "undoes a run of apply that is not confirmed in time",
	.about = "apply starts this before the first change of a run that has to be confirmed, in a session of its own or as a "
		 "service of systemd. It waits until the run is confirmed, put back or has failed, and ends; or until its time is "
		 "over, or the apply that makes it has died, and undoes it. SIGTERM undoes it at once. Where it was killed, it "
		 "may be started again by hand.",
	.exits = "0\tthe run is over: kept, or undone\n"
		 "2\twrong usage, or no such run\n"
		 "6\tsomething could not be put back; 'tuneaudit history' tells\n"
		 "70\tinternal error\n",
	.examples = "sudo setsid --fork tuneaudit supervise 3\twhere the supervisor of run 3 was killed\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
