/*
 * --help, made from the tables: nothing here names an option or a command.
 */
#include <string.h>

#include "cli/options.h"
#include "report/text.h"

/* Lines of TERM, tab, text, aligned. */
static void add_terms(struct ta_buf *b, const char *lines, unsigned columns)
{
	unsigned at = 0;

	for (const char *s = lines; *s; s += strcspn(s, "\n"), s += *s == '\n')
		at = TA_MAX(at, (unsigned)strcspn(s, "\t") + 4);
	at = TA_MIN(at, 30u);
	while (*lines) {
		ta_cleanup_buf struct ta_buf term = TA_BUF_INIT, text = TA_BUF_INIT;
		size_t tab = strcspn(lines, "\t"), end = strcspn(lines, "\n");

		ta_buf_add(&term, lines, TA_MIN(tab, end));
		if (tab < end)
			ta_buf_add(&text, lines + tab + 1, end - tab - 1);
		ta_text_term(b, ta_buf_text(&term), ta_buf_text(&text), columns, at);
		lines += end + (lines[end] == '\n');
	}
}

/* A command line is never broken, so that it can be copied; what it does stands below it. */
static void add_examples(struct ta_buf *b, const char *lines, unsigned columns)
{
	while (*lines) {
		ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
		size_t tab = strcspn(lines, "\t"), end = strcspn(lines, "\n");

		ta_buf_adds(b, "  ");
		ta_buf_add(b, lines, TA_MIN(tab, end));
		ta_buf_addc(b, '\n');
		if (tab < end) {
			ta_buf_add(&text, lines + tab + 1, end - tab - 1);
			ta_text_pad(b, 6);
			ta_text_wrap(b, ta_buf_text(&text), columns, 6, 6);
			ta_buf_addc(b, '\n');
		}
		lines += end + (lines[end] == '\n');
	}
}

static void add_paragraph(struct ta_buf *b, const char *text, unsigned columns)
{
	ta_text_wrap(b, text, columns, 0, 0);
	ta_buf_addc(b, '\n');
}

/* A line for each option that every command has. */
static void add_globals(struct ta_buf *lines)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	const char *help;
	char letter;

	for (size_t i = 0; (help = ta_options_global(i, &name, &letter)); i++) {
		if (letter)
			ta_buf_printf(lines, "-%c, ", letter);
		ta_buf_printf(lines, "%s\t%s\n", ta_buf_text(&name), help);
	}
}

static void add_options(struct ta_buf *b, const struct ta_command *c, unsigned columns)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT;

	for (size_t i = 0; i < c->n_options; i++) {
		const struct ta_option *o = &c->options[i];

		if (o->letter)
			ta_buf_printf(&lines, "-%c, ", o->letter);
		ta_buf_printf(&lines, "--%s%s%s\t%s\n", o->name, o->arg ? " " : "",
			o->arg ? o->arg : "", o->help);
	}
	add_globals(&lines);
	ta_buf_adds(b, "\nOptions:\n");
	add_terms(b, ta_buf_text(&lines), columns);
}

void ta_help_command(const struct ta_command *c, unsigned columns, struct ta_buf *ret)
{
	ta_buf_printf(ret, "usage: tuneaudit %s%s%s%s%s\n\n", c->name,
		c->n_options ? " [OPTION...]" : "", *c->args ? " " : "", c->args, "");
	add_paragraph(ret, c->about, columns);
	add_options(ret, c, columns);
	ta_buf_adds(ret, "\nExit codes:\n");
	add_terms(ret, c->exits, columns);
	ta_buf_adds(ret, "\nExamples:\n");
	add_examples(ret, c->examples, columns);
}

const char ta_help_about[] =
	"tuneaudit tells what on this host holds its network services back: it reads kernel, NICs, CPUs, limits and sysctls, "
	"judges them by rules with sources, and shows what to type. It changes nothing but what 'apply' is told to, and "
	"takes that back.";

static void add_first_steps(struct ta_buf *b, const char *program, unsigned columns)
{
	ta_cleanup_buf struct ta_buf steps = TA_BUF_INIT;

	ta_buf_printf(&steps,
		"sudo %s check\tjudges this host in a moment; without sudo it works too and says what it could not read\n",
		program);
	add_examples(b, ta_buf_text(&steps), columns);
}

void ta_help_begin(const char *program, unsigned columns, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf steps = TA_BUF_INIT;

	add_paragraph(ret, ta_help_about, columns);
	ta_buf_adds(ret, "\nTo begin:\n");
	add_first_steps(ret, program, columns);
	ta_buf_adds(ret, "\nThen:\n");
	ta_buf_printf(&steps,
		"%s rules list\tthe rules, then the profiles that 'check --profile NAME' judges by\n"
		"%s explain RULE\tone finding: why it matters, how the number came about, sources\n"
		"sudo %s apply --dry-run\twhat would be changed; without --dry-run it asks, and 'rollback' undoes it\n"
		"%s help\tall commands\n",
		program, program, program, program);
	add_examples(ret, ta_buf_text(&steps), columns);
}

void ta_help_program(const char *program, unsigned columns, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT, options = TA_BUF_INIT;

	add_paragraph(ret, ta_help_about, columns);
	ta_buf_adds(ret, "\nusage: tuneaudit COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n");
	for (size_t i = 0; i < ta_n_commands; i++)
		if (!ta_commands[i]->internal)
			ta_buf_printf(&lines, "%s\t%s\n", ta_commands[i]->name, ta_commands[i]->summary);
	add_terms(ret, ta_buf_text(&lines), columns);
	ta_buf_adds(ret, "\nOptions:\n");
	add_globals(&options);
	add_terms(ret, ta_buf_text(&options), columns);
	ta_buf_addc(ret, '\n');
	add_paragraph(ret,
		"Results go to stdout, messages to stderr. COLUMNS sets the width, NO_COLOR turns "
		"colour off.",
		columns);
	ta_buf_adds(ret, "\nTo begin:\n");
	add_first_steps(ret, program, columns);
}
