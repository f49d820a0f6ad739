/*
 * tuneaudit capture DIR: what was read of this host, as a directory that --capture reads back.
 *
 * There is a whole capture or none. Signals that ask for an end wait until what was written so far
 * can be taken away again; reading a host takes a fraction of a second.
 */
#include <signal.h>

#include "cli/command.h"
#include "cli/progress.h"
#include "fix/fixer.h"
#include "host/host.h"
#include "probe/collect.h"

struct values {
	bool anonymize;
};

static const struct ta_option options[] = {
	{.name = "anonymize",
		.kind = TA_OPT_FLAG,
		.help = "replace names and addresses, the same one always by the same other",
		.offset = offsetof(struct values, anonymize)},
};

static void close_host(struct ta_host **h)
{
	*h = ta_host_free(*h);
}

/* Every signal that ends a program and says nothing of a fault in it (signal(7)). */
static void end_signals(sigset_t *ret)
{
	static const int ends[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
		SIGXCPU, SIGPOLL, SIGPWR, SIGSTKFLT};

	sigemptyset(ret);
	for (size_t i = 0; i < TA_ARRAY_SIZE(ends); i++)
		sigaddset(ret, ends[i]);
	for (int n = SIGRTMIN; n <= SIGRTMAX; n++)
		sigaddset(ret, n);
}

static bool is_asked_to_end(const sigset_t *wanted)
{
	sigset_t pending;

	if (sigpending(&pending) < 0)
		return false;
	for (int n = 1; n < NSIG; n++)
		if (sigismember(wanted, n) == 1 && sigismember(&pending, n) == 1)
			return true;
	return false;
}

static int record(const char *dir, bool anonymize, const sigset_t *signals)
{
	ta_cleanup(close_host) struct ta_host *h = NULL;
	ta_cleanup_facts struct ta_facts *facts = NULL;
	struct ta_err err;

	if (ta_host_record(dir, anonymize, &h, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (ta_collect(h, NULL, NULL, &facts, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s; no capture was written", err.text);
	if (is_asked_to_end(signals))
		return ta_cli_fail(TA_EXIT_INTERNAL, "interrupted; no capture was written");
	if (ta_memory_failed())
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory; no capture was written");
	if (ta_host_record_finish(h, TA_VERSION, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s; no capture was written", err.text);
	return TA_EXIT_OK;
}

static void say_what_next(struct ta_cli *cli, const char *dir, bool anonymize)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;

	if (cli->quiet)
		return;
	ta_shell_quote(&word, dir);
	ta_buf_printf(&cli->out, "Captured. It is read back with\n  %s check --capture %s\n",
		cli->program, ta_buf_text(&word));
	if (!anonymize)
		ta_buf_adds(&cli->out, "It names this host and its addresses; before you give it "
				       "away, look at it, or\n"
				       "take one with --anonymize.\n");
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	const struct values *v = values;
	sigset_t signals, before;
	int code;

	end_signals(&signals);
	sigprocmask(SIG_BLOCK, &signals, &before);
	ta_progress_begin(cli->quiet, "Reading this host");
	code = record(args->v[0], v->anonymize, &signals);
	ta_progress_end();
	if (code == TA_EXIT_OK)
		say_what_next(cli, args->v[0], v->anonymize);
	/* A signal that came meanwhile ends the program here, as it would have. */
	sigprocmask(SIG_SETMASK, &before, NULL);
	return code;
}

const struct ta_command ta_command_capture = {
	.name = "capture",
	.args = "DIR",
	.summary = "writes what was read into a directory, to be judged elsewhere",
	.about =
		"Reads this host as 'facts' does and keeps the answers in DIR, which must be new "
		"or empty: --capture "
		"DIR of other commands reads them back to the same facts. Changes nothing else.\n\n"
		"Secrets are left out when reading: of command lines only the first word, of the "
		"kernel's command "
		"line and of files in /etc only known keys. Files are readable by you alone. An "
		"interrupted capture "
		"leaves nothing behind; one that was killed (SIGKILL, out of memory) leaves a hidden "
		".DIR.part-..., which the next capture to DIR takes away.",
	.exits = "0\tthe capture is in DIR\n"
		 "2\twrong usage, or DIR cannot be made or is not empty\n"
		 "70\tinternal error, or the capture could not be written\n",
	.examples = "sudo tuneaudit capture web3\tthe whole host; without sudo what you may read "
		    "of it\n"
		    "tuneaudit capture --anonymize report\tto give away\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 1,
	.max_args = 1,
	.run = run,
};
