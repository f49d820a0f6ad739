/*
 * Where the program begins and ends: options, the command, one write of what it made, the exit
 * code.
 *
 * A write error loses the result, whatever the verdict was: a message and 70. A reader that has
 * left (`| head`) wanted no more: nothing is said and the exit code stays the command's.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/options.h"
#include "cli/system.h"
#include "fix/fixer.h"

/* Commands that scripts may know from the documents already. */
static const char *const later[] = {
	"lint",
};

static const struct ta_command *find_command(const char *name)
{
	for (size_t i = 0; i < ta_n_commands; i++)
		if (strcmp(ta_commands[i]->name, name) == 0)
			return ta_commands[i];
	return NULL;
}

static int no_such_command(const char *name)
{
	struct ta_nearest near = TA_NEAREST(name);

	for (size_t i = 0; i < TA_ARRAY_SIZE(later); i++)
		if (strcmp(later[i], name) == 0)
			return ta_cli_fail(TA_EXIT_USAGE, "%s is not in this version", name);
	for (size_t i = 0; i < ta_n_commands; i++)
		ta_nearest_try(&near, ta_commands[i]->name);
	if (near.best)
		return ta_cli_fail(
			TA_EXIT_USAGE, "no command '%s'; did you mean '%s'?", name, near.best);
	return ta_cli_fail(TA_EXIT_USAGE, "no command '%s'; 'tuneaudit --help' lists them", name);
}

static int print_version(struct ta_cli *cli)
{
	ta_buf_printf(&cli->out, "tuneaudit %s\n", TA_VERSION);
	return TA_EXIT_OK;
}

static int run_command(struct ta_cli *cli, const struct ta_command *c, char **argv, size_t n,
	struct ta_globals *globals)
{
	ta_cleanup_strv struct ta_strv args = TA_STRV_INIT;
	void *values = calloc(1, TA_MAX(c->values_size, (size_t)1));
	struct ta_err err;
	int rc, code;

	if (!values)
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory");
	rc = ta_options_parse(c, argv, n, globals, values, &args, &err);
	cli->quiet = globals->quiet;
	cli->verbose = globals->verbose;
	if (rc < 0) {
		code = ta_cli_fail(
			TA_EXIT_USAGE, "%s\nTry 'tuneaudit %s --help'.", err.text, c->name);
	} else if (globals->version) {
		code = print_version(cli);
	} else if (globals->help) {
		ta_help_command(c, cli->columns, &cli->out);
		code = TA_EXIT_OK;
	} else {
		code = c->run(cli, values, &args);
	}
	ta_options_done(c, values);
	free(values);
	return code;
}

/* "help COMMAND" is what some type first. */
static int help_about(struct ta_cli *cli, const char *name)
{
	const struct ta_command *c = find_command(name);

	if (!c)
		return no_such_command(name);
	ta_help_command(c, cli->columns, &cli->out);
	return TA_EXIT_OK;
}

static int dispatch(struct ta_cli *cli, char **argv, size_t n)
{
	struct ta_globals globals = {0};
	const struct ta_command *c;
	struct ta_err err;
	size_t at;

	if (ta_options_globals(argv, n, &globals, &at, &err) < 0)
		return ta_cli_fail(TA_EXIT_USAGE, "%s\nTry 'tuneaudit --help'.", err.text);
	if (at == n || (strcmp(argv[at], "help") == 0 && at + 1 == n)) {
		if (globals.version)
			return print_version(cli);
		if (!globals.help && at == n) {
			ta_help_begin(cli->program, cli->columns, &cli->out);
			return TA_EXIT_USAGE;
		}
		ta_help_program(cli->program, cli->columns, &cli->out);
		return TA_EXIT_OK;
	}
	if (strcmp(argv[at], "help") == 0 && at + 2 == n)
		return help_about(cli, argv[at + 1]);
	c = find_command(argv[at]);
	return c ? run_command(cli, c, argv + at + 1, n - at - 1, &globals)
		 : no_such_command(argv[at]);
}

static int flush(struct ta_cli *cli, int code)
{
	int rc;

	if (ta_memory_failed())
		return ta_cli_fail(TA_EXIT_INTERNAL, "out of memory; what was found is not told");
	if (cli->out.error)
		return ta_cli_fail(TA_EXIT_INTERNAL, "the output could not be built: %s",
			strerror(-cli->out.error));
	rc = ta_system_write(STDOUT_FILENO, ta_buf_text(&cli->out), cli->out.len);
	if (rc < 0 && rc != -EPIPE)
		return ta_cli_fail(TA_EXIT_INTERNAL, "writing the result failed: %s%s%s", strerror(-rc),
			cli->unseen ? "; " : "", cli->unseen ? cli->unseen : "");
	return code;
}

/* Found by PATH it has no slash, and is typed by its name whatever the link is called. */
static void set_program(struct ta_buf *b, const char *called)
{
	if (called && strchr(called, '/'))
		ta_shell_quote(b, called);
	else
		ta_buf_adds(b, "tuneaudit");
}

int main(int argc, char **argv)
{
	ta_cleanup_buf struct ta_buf program = TA_BUF_INIT;
	struct ta_cli cli = {0};
	int code;

	ta_system_hold_descriptors();
	ta_system_keep_memory();
	/* Both are write errors to be told; the second would leave half a capture behind. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	set_program(&program, argc > 0 ? argv[0] : NULL);
	cli.program = ta_buf_text(&program);
	cli.columns = ta_system_columns();
	cli.color = ta_system_color();
	code = dispatch(&cli, argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
	code = flush(&cli, code);
	ta_buf_done(&cli.out);
	return code;
}
