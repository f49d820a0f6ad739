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

static void add_options(struct ta_buf *b, const struct ta_command *c, unsigned columns)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT;

	for (size_t i = 0; i < c->n_options; i++) {
		const struct ta_option *o = &c->options[i];

		if (o->kind == TA_OPT_LATER)
			continue;
		if (o->letter)
			ta_buf_printf(&lines, "-%c, ", o->letter);
		ta_buf_printf(&lines, "--%s%s%s\t%s\n", o->name, o->arg ? " " : "",
			o->arg ? o->arg : "", o->help);
	}
	ta_buf_adds(&lines, "-q, --quiet\tonly what matters most\n"
			    "-v, --verbose\tmore of everything\n"
			    "-h, --help\tthis text\n");
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

void ta_help_program(const char *program, unsigned columns, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf lines = TA_BUF_INIT, begin = TA_BUF_INIT;

	add_paragraph(ret,
		"tuneaudit tells what on this host holds its network services back: it reads "
		"kernel, NICs, CPUs, limits "
		"and sysctls, judges them by rules with sources, and shows what to type. It "
		"changes nothing.",
		columns);
	ta_buf_adds(ret, "\nusage: tuneaudit COMMAND [OPTION...] [ARGUMENT...]\n\nCommands:\n");
	for (size_t i = 0; i < ta_n_commands; i++)
		if (!ta_commands[i]->internal)
			ta_buf_printf(&lines, "%s\t%s\n", ta_commands[i]->name, ta_commands[i]->summary);
	add_terms(ret, ta_buf_text(&lines), columns);
	ta_buf_adds(ret, "\nOptions:\n");
	add_terms(ret,
		"-q, --quiet\tonly what matters most\n"
		"-v, --verbose\tmore of everything\n"
		"-h, --help\tthis text; after a command, that command's\n"
		"--version\tthe version\n",
		columns);
	ta_buf_addc(ret, '\n');
	add_paragraph(ret,
		"Results go to stdout, messages to stderr. COLUMNS sets the width, NO_COLOR turns "
		"colour off.",
		columns);
	ta_buf_adds(ret, "\nTo begin:\n");
	ta_buf_printf(&begin,
		"sudo %s check\tjudges this host; without sudo it works too and says what it could "
		"not read\n",
		program);
	add_examples(ret, ta_buf_text(&begin), columns);
}
