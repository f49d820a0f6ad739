/*
 * Manual pages from the tables of the commands, in mdoc(7):
 *
 *   mkman DATE program       tuneaudit(1) up to its exit codes, which docs/exit-codes.md has
 *   mkman DATE NAME          tuneaudit-NAME(1)
 *
 * A builder's tool, not installed.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "cli/options.h"

#define WIDTH 78

static bool ends_sentence(const char *word, size_t len)
{
	return len > 2 && strchr(".?!", word[len - 1]) && word[len - 2] != '.';
}

/* A word in which roff finds nothing of its own. */
static void add_plain(struct ta_buf *b, const char *word, size_t len, bool begins_line)
{
	if (begins_line && (*word == '.' || *word == '\''))
		ta_buf_adds(b, "\\&");
	for (size_t i = 0; i < len; i++) {
		if (word[i] == '\\')
			ta_buf_adds(b, "\\e");
		else
			ta_buf_addc(b, word[i]);
	}
}

/* Text in lines; a sentence begins one, as mdoc wants it. */
static void add_text(struct ta_buf *b, const char *text, size_t len)
{
	size_t at = 0, column = 0;
	bool sentence = false;

	while (at < len) {
		size_t word = 0;

		while (at + word < len && !strchr(" \n", text[at + word]))
			word++;
		if (word && column && (sentence || column + word >= WIDTH)) {
			ta_buf_addc(b, '\n');
			column = 0;
		} else if (word && column) {
			ta_buf_addc(b, ' ');
			column++;
		}
		add_plain(b, text + at, word, column == 0);
		column += word;
		if (word)
			sentence = ends_sentence(text + at, word);
		at += word + 1;
	}
	ta_buf_addc(b, '\n');
}

/* One argument of a macro. */
static void add_word(struct ta_buf *b, const char *text, size_t len)
{
	ta_buf_addc(b, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"')
			ta_buf_addc(b, '"');
		if (text[i] == '\\')
			ta_buf_adds(b, "\\e");
		else if (text[i] == '-')
			ta_buf_adds(b, "\\-");
		else
			ta_buf_addc(b, text[i]);
	}
	ta_buf_addc(b, '"');
}

static void add_option_words(struct ta_buf *b, const struct ta_option *o)
{
	if (o->letter)
		ta_buf_printf(b, "Fl %c , ", o->letter);
	ta_buf_printf(b, "Fl \\-%s", o->name);
	if (!o->arg)
		return;
	ta_buf_adds(b, " Ar ");
	add_word(b, o->arg, strlen(o->arg));
}

/* Paragraphs, with an empty line between them. */
static void add_paragraphs(struct ta_buf *b, const char *text)
{
	for (bool first = true; *text; first = false) {
		const char *end = strstr(text, "\n\n");
		size_t len = end ? (size_t)(end - text) : strlen(text);

		if (!first)
			ta_buf_adds(b, ".Pp\n");
		add_text(b, text, len);
		text += len + (end ? 2 : 0);
	}
}

/* Lines of TERM, tab, text. */
static void add_terms(struct ta_buf *b, const char *lines)
{
	ta_buf_adds(b, ".Bl -tag -width Ds\n");
	while (*lines) {
		size_t end = strcspn(lines, "\n"), tab = TA_MIN(strcspn(lines, "\t"), end);

		ta_buf_adds(b, ".It ");
		add_word(b, lines, tab);
		ta_buf_addc(b, '\n');
		if (tab < end)
			add_text(b, lines + tab + 1, end - tab - 1);
		lines += end + (lines[end] == '\n');
	}
	ta_buf_adds(b, ".El\n");
}

/* Lines of a command, tab, what it does. */
static void add_examples(struct ta_buf *b, const char *lines)
{
	ta_cleanup_buf struct ta_buf what = TA_BUF_INIT;

	ta_buf_adds(b, ".Sh EXAMPLES\n");
	for (bool first = true; *lines; first = false) {
		size_t end = strcspn(lines, "\n"), tab = TA_MIN(strcspn(lines, "\t"), end);

		if (!first)
			ta_buf_adds(b, ".Pp\n");
		if (tab < end) {
			ta_buf_reset(&what);
			ta_buf_add(&what, lines + tab + 1, end - tab - 1);
			what.data[0] = (char)toupper((unsigned char)what.data[0]);
			ta_buf_addc(&what, ':');
			add_text(b, what.data, what.len);
		}
		ta_buf_adds(b, ".Dl ");
		add_word(b, lines, tab);
		ta_buf_addc(b, '\n');
		lines += end + (lines[end] == '\n');
	}
}

static void add_options(struct ta_buf *b, const struct ta_command *c)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	const char *help;
	char letter;

	ta_buf_adds(b, ".Sh OPTIONS\n.Bl -tag -width Ds\n");
	for (size_t i = 0; c && i < c->n_options; i++) {
		ta_buf_adds(b, ".It ");
		add_option_words(b, &c->options[i]);
		ta_buf_addc(b, '\n');
		add_text(b, c->options[i].help, strlen(c->options[i].help));
	}
	for (size_t i = 0; (help = ta_options_global(i, &name, &letter)); i++) {
		ta_buf_adds(b, ".It ");
		if (letter)
			ta_buf_printf(b, "Fl %c , ", letter);
		ta_buf_printf(b, "Fl \\-%s\n", ta_buf_text(&name) + 2);
		add_text(b, help, strlen(help));
	}
	ta_buf_adds(b, ".El\n");
}

static void add_head(struct ta_buf *b, const char *date, const char *name, const char *summary)
{
	ta_cleanup_buf struct ta_buf upper = TA_BUF_INIT;

	for (const char *s = name; *s; s++)
		ta_buf_addc(&upper, (char)toupper((unsigned char)*s));
	ta_buf_printf(b, ".\\\" Made from the tables of the commands: make docs\n.Dd %s\n.Dt %s 1\n.Os\n.Sh NAME\n.Nm %s\n.Nd ", date,
		ta_buf_text(&upper), name);
	add_text(b, summary, strlen(summary));
}

/* Alternatives have lines of their own. */
static void add_synopsis(struct ta_buf *b, const struct ta_command *c)
{
	const char *usage = c->args;

	ta_buf_adds(b, ".Sh SYNOPSIS\n");
	do {
		const char *bar = strstr(usage, " | ");
		size_t len = bar ? (size_t)(bar - usage) : strlen(usage);

		ta_buf_printf(b, ".Nm tuneaudit Cm %s%s", c->name, c->n_options ? " Oo Ar OPTION ... Oc" : "");
		if (len) {
			ta_buf_adds(b, " Ar ");
			add_word(b, usage, len);
		}
		ta_buf_addc(b, '\n');
		usage += len + (bar ? 3 : 0);
	} while (*usage);
}

static void add_environment(struct ta_buf *b)
{
	ta_buf_adds(b, ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n"
		       ".It Ev COLUMNS\nThe width of the output.\nElse it is that of the terminal, 100 at most, or 80.\n"
		       ".It Ev NO_COLOR\nIf set and not empty, nothing is coloured.\n"
		       ".It Ev TERM\nIf it is\n.Cm dumb ,\nnothing is coloured, and no line tells how far a command is.\n.El\n");
}

static void add_command_page(struct ta_buf *b, const char *date, const struct ta_command *c)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;

	ta_buf_printf(&name, "tuneaudit-%s", c->name);
	add_head(b, date, ta_buf_text(&name), c->summary);
	add_synopsis(b, c);
	ta_buf_adds(b, ".Sh DESCRIPTION\n");
	add_paragraphs(b, c->about);
	add_options(b, c);
	add_environment(b);
	ta_buf_adds(b, ".Sh EXIT STATUS\n");
	add_terms(b, c->exits);
	add_examples(b, c->examples);
	ta_buf_adds(b, ".Sh SEE ALSO\n.Xr tuneaudit 1 ,\n.Xr tuneaudit.rules 5\n");
}

static void add_program_page(struct ta_buf *b, const char *date)
{
	add_head(b, date, "tuneaudit", "what on this host holds its network services back");
	ta_buf_adds(b, ".Sh SYNOPSIS\n.Nm tuneaudit Ar COMMAND Oo Ar OPTION ... Oc Oo Ar ARGUMENT ... Oc\n.Sh DESCRIPTION\n");
	add_text(b, ta_help_about, strlen(ta_help_about));
	ta_buf_adds(b, ".Pp\nTo begin:\n.Dl sudo tuneaudit check\n.Pp\n"
		       "Results go to the standard output, messages to the standard error output.\n"
		       "On a terminal a command that takes more than a second tells how far it is.\n"
		       ".Ss Commands\n.Bl -tag -width Ds\n");
	for (size_t i = 0; i < ta_n_commands; i++) {
		if (ta_commands[i]->internal)
			continue;
		ta_buf_printf(b, ".It Xr tuneaudit-%s 1\n", ta_commands[i]->name);
		add_text(b, ta_commands[i]->summary, strlen(ta_commands[i]->summary));
	}
	ta_buf_adds(b, ".El\n");
	add_options(b, NULL);
	add_environment(b);
	ta_buf_adds(b, ".Sh FILES\n.Bl -tag -width Ds\n"
		       ".It Pa /etc/tuneaudit/rules.d\nRules of this host\n.Pq Pa *.rules ,\nwhich add to those of the program or "
		       "replace them.\n"
		       ".It Pa /var/lib/tuneaudit\nWhat was changed, and how it is taken back.\n"
		       ".It Pa /etc/tuneaudit/boot.conf\nWhat\n.Xr tuneaudit-boot 1\nsets when the host starts.\n.El\n");
}

int main(int argc, char **argv)
{
	ta_cleanup_buf struct ta_buf page = TA_BUF_INIT;

	if (argc != 3)
		return 2;
	if (!strcmp(argv[2], "program"))
		add_program_page(&page, argv[1]);
	for (size_t i = 0; i < ta_n_commands; i++)
		if (!strcmp(ta_commands[i]->name, argv[2]))
			add_command_page(&page, argv[1], ta_commands[i]);
	if (page.error || !page.len)
		return 1;
	fwrite(page.data, 1, page.len, stdout);
	return fflush(stdout) ? 1 : 0;
}
