/*
 * tuneaudit confirm: keeps what would undo itself.
 */
#include "cli/changing.h"
#include "cli/confirming.h"
#include "cli/session.h"

struct values {
	const char *state;
};

static const struct ta_option options[] = {
	TA_OPTION_STATE(struct values, state),
};

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	const struct values *v = values;
	ta_cleanup_session struct ta_session session = TA_SESSION_INIT;
	struct ta_confirming c = {.cli = cli, .dir = v->state,
		.o = {.columns = cli->columns, .color = cli->color, .verbosity = cli->quiet ? -1 : cli->verbose}};
	struct ta_err err = {0};

	if (ta_host_live(&session.host, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	c.host = session.host;
	return ta_confirming_keep(&c, 0);
}

const struct ta_command ta_command_confirm = {
	.name = "confirm",
	.args = "",
	.summary = "keeps what apply changed on condition, and would undo by itself",
	.about = "A run of apply that may cut this host off, or was made with --confirm-within, undoes itself when its time "
		 "is over. This keeps it: from then on it holds as any other run does, and what was put off till then, files "
		 "that a restart of the host would read, is written. Best typed in a new session: that it can be "
		 "opened is what is to be confirmed.\n\n"
		 "Interrupted behind its first step it has kept the run all the same; a second one writes the files that "
		 "are missing.",
	.exits = "0\tkept\n"
		 "1\tnothing waits to be confirmed; also where the run has undone itself already, which is told\n"
		 "2\twrong usage, or a journal that was edited, is of another host, or cannot be read\n"
		 "5\tkept, but a file could not be written; or not kept, since the journal cannot be written\n"
		 "70\tinternal error, or the output could not be written\n"
		 "75\tthe run is still being made, or another one is changing this host\n",
	.examples = "sudo tuneaudit apply --allow link-flap --yes\tsays until when it waits\n"
		    "sudo tuneaudit confirm\tkeeps it\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 0,
	.run = run,
};
