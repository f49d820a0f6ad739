/*
 * tuneaudit complete: what the shells' completions ask.
 */
#include <string.h>

#include "cli/complete.h"
#include "report/text.h"

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT;

	ta_complete(args->v, args->n, &lines);
	if (lines.error)
		return TA_EXIT_INTERNAL;
	/* Lines and tabs are ours; all else that a rule file says is made safe. */
	for (const char *s = ta_buf_text(&lines); *s;) {
		ta_cleanup_buf struct ta_buf part = TA_BUF_INIT;
		size_t end = strcspn(s, "\t\n");

		ta_buf_add(&part, s, end);
		ta_text_safe(&cli->out, ta_buf_text(&part));
		ta_buf_addc(&cli->out, s[end]);
		s += end + 1;
	}
	return TA_EXIT_OK;
}

const struct ta_command ta_command_complete = {
	.name = "complete",
	.args = "[WORD...]",
	.internal = true,
	.summary = "what may stand at the cursor; the shells' completions run this",
	.about = "Takes the words of a command line from behind the program's name on, the last one as far as the cursor is, behind "
		 "two dashes. Prints what it may be: a line 'values', and each on a line of its own, with a tab and what it "
		 "means where that is known; or a line 'files' or 'directories', which the shell knows better. Nothing, if there is "
		 "nothing to offer. Rules and profiles are those in force, runs those of this host.",
	.exits = "0\twhat there is was printed\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples = "tuneaudit complete -- check --pro\tprints --profile\n",
	.max_args = -1,
	.run = run,
};
