/*
 * tuneaudit history: what was changed, by whom, why, and what became of it.
 */
#include <errno.h>
#include <stdlib.h>

#include "cli/changing.h"
#include "cli/session.h"
#include "fix/confirm.h"

struct values {
	const char *format, *state;
};

static const struct ta_option options[] = {
	{.name = "format",
		.arg = "text|json",
		.kind = TA_OPT_STRING,
		.help = "text for people (default), json for programs",
		.offset = offsetof(struct values, format)},
	TA_OPTION_STATE(struct values, state),
};

/* What runs are held against. */
struct moment {
	struct ta_where where;
	int64_t uptime_ms;
};

/* Those that can be read; of the others it is said why not. */
static int read_runs(struct ta_state *s, unsigned only, const struct moment *now, struct ta_run **ret, size_t *ret_n)
{
	struct ta_err err = {0};
	unsigned *numbers;
	struct ta_run *runs;
	size_t n, kept = 0;
	int code = TA_EXIT_OK;

	if (ta_state_runs(s, &numbers, &n, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	runs = calloc(n + 1, sizeof(*runs));
	for (size_t i = 0; runs && i < n; i++) {
		int rc;

		if (only && numbers[i] != only)
			continue;
		rc = ta_run_read(s, numbers[i], &runs[kept], &err);
		if (rc == 0) {
			rc = ta_confirm_refresh(&runs[kept], &now->where, now->uptime_ms);
			if (!runs[kept].state && ta_state_is_held(s) && !ta_set_text(&runs[kept].state, "running"))
				rc = -ENOMEM;
			kept++;
		}
		if (rc == -ENOMEM)
			code = ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
		else if (rc < 0 && rc != -ENODATA)
			code = ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	}
	free(numbers);
	if (!runs)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	*ret = runs;
	*ret_n = kept;
	return code;
}

static int show(struct ta_cli *cli, struct ta_state *s, unsigned only, const struct moment *now, bool json)
{
	const struct ta_report_options o = {.columns = cli->columns, .color = cli->color};
	struct ta_run *runs = NULL;
	size_t n = 0;
	int code = s ? read_runs(s, only, now, &runs, &n) : TA_EXIT_OK;

	if (only && !n && code == TA_EXIT_OK)
		code = ta_cli_fail(TA_EXIT_USAGE, "there is no run %u", only);
	else if (json)
		ta_report_history_json(runs, n, &cli->out);
	else if (only && n)
		ta_report_run(&runs[0], now->where.boot, &o, &cli->out);
	else if (!only)
		ta_report_history(runs, n, now->where.boot, &o, &cli->out);
	for (size_t i = 0; i < n; i++)
		ta_run_done(&runs[i]);
	free(runs);
	return code;
}

static int run(struct ta_cli *cli, void *values, const struct ta_strv *args)
{
	static const char *const formats[] = {"text", "json", NULL};
	const struct values *v = values;
	ta_cleanup_session struct ta_session session = TA_SESSION_INIT;
	ta_cleanup_state struct ta_state *s = NULL;
	struct moment now = {0};
	int64_t only = args->n ? ta_changing_number("run", args->v[0]) : 0;
	int format = ta_cli_choose("format", v->format, formats), rc, code;
	struct ta_err err = {0};

	if (only < 0 || format < 0)
		return TA_EXIT_USAGE;
	if (ta_host_live(&session.host, &err) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "%s", err.text);
	rc = ta_state_open(session.host, v->state ? v->state : TA_STATE_DIR, false, &s, &err);
	if (rc < 0 && rc != -ENOENT)
		return ta_cli_fail(TA_EXIT_USAGE, "%s", err.text);
	if (ta_where_read(session.host, &now.where) < 0)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	ta_host_uptime_ms(session.host, &now.uptime_ms);
	code = show(cli, s, (unsigned)only, &now, format == 1);
	ta_where_done(&now.where);
	return code;
}

const struct ta_command ta_command_history = {
	.name = "history",
	.args = "[RUN]",
	.summary = "what was changed, by whom, when and why, and what became of it",
	.about = "Lists the runs of apply, the newest first; with RUN, its changes: what was there before, what was "
		 "wanted, what the kernel made of it, what moved along, the rule that wanted it, and whether it was put "
		 "back. Reads what apply keeps; of the host only whether it was restarted since.",
	.exits = "0\tshown; also where nothing was ever changed\n"
		 "2\twrong usage, no such run, or a journal that cannot be read or was edited\n"
		 "70\tinternal error, or the output could not be written\n",
	.examples = "sudo tuneaudit history\tall runs\n"
		    "sudo tuneaudit history 3 --format json\tone run, for programs\n",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.max_args = 1,
	.run = run,
};
