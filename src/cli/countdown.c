/*
 * The line on the terminal of an apply that waits to be confirmed. Whether it is kept or undone is decided by the journal;
 * this looks at it, and lets whoever sits there say it sooner. If this dies, nothing changes.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "cli/changing.h"
#include "cli/confirming.h"
#include "cli/pause.h"
#include "cli/progress.h"
#include "cli/system.h"
#include "fix/confirm.h"

#define TURN_MS 200
#define FILES_MS 10000

struct countdown {
	const struct ta_confirming *c;
	struct ta_state *state; /* to be read */
	struct ta_run run;	/* as it was read last */
	int64_t shown_s;
	bool deaf; /* nobody can type */
	unsigned files_ms; /* so long the files of a run that is kept were waited for */
};

static int read_again(struct countdown *d)
{
	struct ta_run r = {0};
	struct ta_err err = {0};
	int rc = ta_run_read(d->state, d->run.number, &r, &err);

	if (rc < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	ta_run_done(&d->run);
	d->run = r;
	return TA_EXIT_OK;
}

/* Rewrites its own line, where a terminal can; the blanks cover what a longer number left. */
static void show(struct countdown *d, int64_t left_s)
{
	char line[120];
	int n;

	if (left_s == d->shown_s || (d->shown_s >= 0 && !ta_progress_is_wanted(false)))
		return;
	d->shown_s = left_s;
	n = snprintf(line, sizeof(line), "\rUndone in %lld s unless confirmed%s ", (long long)left_s,
		d->deaf ? "" : "; y and Enter here does it too:");
	ta_system_write(STDERR_FILENO, line, (size_t)n);
}

static void end_line(void)
{
	ta_system_write(STDERR_FILENO, "\n", 1);
}

/* One line, if there is one: true for a yes. Any other answer changes nothing. */
static bool agrees(struct countdown *d)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	char answer[80];
	ssize_t n;

	if (d->deaf || poll(&p, 1, TURN_MS) != 1) {
		if (d->deaf)
			ta_pause_ms(TURN_MS);
		return false;
	}
	n = read(STDIN_FILENO, answer, sizeof(answer));
	d->deaf = n <= 0 && errno != EINTR;
	d->shown_s = -1;
	return n > 0 && ((n == 2 && !strncmp(answer, "y\n", 2)) || (n == 4 && !strncmp(answer, "yes\n", 4)));
}

/* SIGHUP: the terminal is gone, and whoever comes back in time may still confirm. Other signals mean: undo it now. */
static int stopped(const struct ta_confirming *c, unsigned run, int signal)
{
	char why[80];
	int code;

	if (signal == SIGHUP)
		return TA_EXIT_SIGNAL + signal;
	snprintf(why, sizeof(why), "ended by signal %d before it was confirmed", signal);
	code = ta_confirming_undo(c, run, why);
	return code == TA_EXIT_RESTORED ? TA_EXIT_SIGNAL + signal : code;
}

/* -1: go on. Else the exit code. */
static int turn(struct countdown *d, const volatile sig_atomic_t *stop)
{
	int64_t now = 0;
	int code = read_again(d);

	if (code != TA_EXIT_OK)
		return code;
	if (ta_host_uptime_ms(d->c->host, &now) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "the kernel's clock cannot be read");
	/* Whoever confirms it is still writing its files, or has died of that. */
	if (d->run.confirmed && !d->run.state && d->files_ms < FILES_MS) {
		d->files_ms += TURN_MS;
		ta_pause_ms(TURN_MS);
		return -1;
	}
	if (ta_confirm_next(&d->run, now, true) == TA_CONFIRM_OVER) {
		end_line();
		return ta_confirming_tell_end(d->c, &d->run);
	}
	show(d, TA_MAX(ta_confirm_left_s(&d->run, now), (int64_t)0));
	if (agrees(d))
		return ta_confirming_keep(d->c, d->run.number);
	if (!*stop)
		return -1;
	end_line();
	return stopped(d->c, d->run.number, *stop);
}

int ta_confirming_wait(const struct ta_confirming *c, unsigned run, const volatile sig_atomic_t *stop)
{
	ta_cleanup_state struct ta_state *state = NULL;
	struct countdown d = {.c = c, .run = {.number = run}, .shown_s = -1};
	struct ta_err err = {0};
	int code = -1;

	if (ta_state_open(c->host, c->dir ? c->dir : TA_STATE_DIR, false, &state, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	d.state = state;
	tcflush(STDIN_FILENO, TCIFLUSH); /* what was typed before anything was seen is no answer */
	while (code < 0)
		code = turn(&d, stop);
	ta_run_done(&d.run);
	return code;
}
