/*
 * Completion asks the program, so that it offers what this very program takes, on this host. Nothing here names an option
 * or a command; the scripts in completions/ hold nothing but their shell's way to ask.
 */
#include "cli/complete.h"

#include <string.h>

#include "cli/options.h"

/* A command line up to the cursor, as ta_options_parse() would read it. */
struct line {
	const struct ta_command *command; /* NULL: none yet */
	bool help; /* "help COMMAND" */
	bool only_args; /* behind "--" */
	const struct ta_option *wants; /* the word at the cursor is its value */
	struct ta_strv args, given; /* arguments; names of options */
	struct ta_complete to;
};

static const struct ta_option *by_name(const struct ta_command *c, const char *name, size_t len)
{
	for (size_t i = 0; c && i < c->n_options; i++)
		if (strlen(c->options[i].name) == len && !memcmp(c->options[i].name, name, len))
			return &c->options[i];
	return NULL;
}

static bool takes_value(const struct ta_option *o)
{
	return o && o->kind != TA_OPT_FLAG;
}

static void keep_value(struct line *l, const struct ta_option *o, const char *value)
{
	if (!strcmp(o->name, "rules"))
		l->to.rules = value;
	else if (!strcmp(o->name, "state"))
		l->to.state = value;
}

/* An option in front of the cursor; one that lacks its value wants the next word. */
static void read_option(struct line *l, const char *word)
{
	const struct ta_option *o = NULL;
	size_t len = strcspn(word, "=");

	if (word[1] == '-') {
		o = by_name(l->command, word + 2, len - 2);
		ta_strv_addn(&l->given, word + 2, len - 2);
		if (takes_value(o) && word[len])
			keep_value(l, o, word + len + 1);
		else if (takes_value(o))
			l->wants = o;
		return;
	}
	for (const char *s = word + 1; *s && !takes_value(o); s++) {
		o = NULL;
		for (size_t i = 0; l->command && i < l->command->n_options; i++)
			if (l->command->options[i].letter == *s)
				o = &l->command->options[i];
		if (o)
			ta_strv_add(&l->given, o->name);
		if (takes_value(o) && !s[1])
			l->wants = o;
	}
}

static void read_word(struct line *l, const char *word)
{
	if (l->wants) {
		keep_value(l, l->wants, word);
		l->wants = NULL;
	} else if (!l->only_args && word[0] == '-' && word[1]) {
		l->only_args = l->command && !strcmp(word, "--");
		if (!l->only_args)
			read_option(l, word);
	} else if (l->command || l->help) {
		ta_strv_add(&l->args, word);
	} else {
		l->help = !strcmp(word, "help");
		for (size_t i = 0; i < ta_n_commands; i++)
			if (!strcmp(ta_commands[i]->name, word))
				l->command = ta_commands[i];
		/* No such command: nothing that follows means anything. */
		if (!l->help && !l->command)
			ta_strv_add(&l->args, word);
	}
}

void ta_complete_add(const struct ta_complete *c, const char *value, const char *help)
{
	if (strncmp(value, c->typed, strlen(c->typed)) != 0)
		return;
	if (!c->out->len)
		ta_buf_adds(c->out, "values\n");
	ta_buf_printf(c->out, "%s%s%s%s\n", c->keep, value, help ? "\t" : "", help ? help : "");
}

static void add_options(struct line *l)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	const char *help;
	char letter;

	for (size_t i = 0; l->command && i < l->command->n_options; i++) {
		const struct ta_option *o = &l->command->options[i];
		bool again = o->kind == TA_OPT_LIST || o->kind == TA_OPT_TEXTS;

		if (!again && ta_strv_has(&l->given, o->name))
			continue;
		ta_buf_reset(&name);
		ta_buf_printf(&name, "--%s", o->name);
		ta_complete_add(&l->to, ta_buf_text(&name), o->help);
	}
	for (size_t i = 0; (help = ta_options_global(i, &name, &letter)); i++)
		if (!ta_strv_has(&l->given, ta_buf_text(&name) + 2))
			ta_complete_add(&l->to, ta_buf_text(&name), help);
}

/* What stands before the last comma stays. */
static void begin_list(struct line *l, struct ta_buf *keep)
{
	const char *comma = strrchr(l->to.typed, ',');

	if (!comma)
		return;
	ta_buf_add(keep, l->to.typed, (size_t)(comma + 1 - l->to.typed));
	l->to.keep = ta_buf_text(keep);
	l->to.typed = comma + 1;
}

static void add_value(struct line *l, const struct ta_option *o, const char *typed)
{
	ta_cleanup_buf struct ta_buf keep = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	enum ta_takes takes = ta_takes_of(o->arg, &words);

	l->to.typed = typed;
	if (takes == TA_TAKES_RULES)
		begin_list(l, &keep);
	for (size_t i = 0; i < words.n; i++)
		ta_complete_add(&l->to, words.v[i], NULL);
	ta_complete_kind(&l->to, takes);
}

static void add_arguments(struct line *l)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	bool kinds[TA_TAKES_KINDS];

	ta_takes_next(l->command->args, l->args.v, l->args.n, kinds, &words);
	for (size_t i = 0; i < words.n; i++)
		ta_complete_add(&l->to, words.v[i], NULL);
	for (int k = 0; k < TA_TAKES_KINDS; k++)
		if (kinds[k])
			ta_complete_kind(&l->to, (enum ta_takes)k);
}

static void add_at_cursor(struct line *l, const char *typed)
{
	size_t eq = strcspn(typed, "=");
	const struct ta_option *o = NULL;

	if (l->wants) {
		add_value(l, l->wants, typed);
		return;
	}
	if (!l->only_args && typed[0] == '-' && typed[1] == '-' && typed[eq]) {
		o = by_name(l->command, typed + 2, eq - 2);
		if (takes_value(o))
			add_value(l, o, typed + eq + 1);
		return;
	}
	if (!l->only_args && typed[0] == '-') {
		add_options(l);
		return;
	}
	if (l->command)
		add_arguments(l);
	else if (!l->args.n)
		ta_complete_kind(&l->to, TA_TAKES_COMMAND);
	if (!l->command && !l->help && !l->args.n)
		ta_complete_add(&l->to, "help", "what a command does, and its options");
	/* Nothing else can follow: so an option. */
	if (!l->to.out->len && !*typed && l->command && !l->only_args)
		add_options(l);
}

void ta_complete(char *const *words, size_t n, struct ta_buf *ret)
{
	struct line l = {.args = TA_STRV_INIT, .given = TA_STRV_INIT};

	if (!n)
		return;
	for (size_t i = 0; i + 1 < n; i++)
		read_word(&l, words[i]);
	l.to.out = ret;
	l.to.typed = words[n - 1];
	l.to.keep = "";
	add_at_cursor(&l, words[n - 1]);
	ta_strv_done(&l.args);
	ta_strv_done(&l.given);
}
