#include "cli/options.h"

#include <errno.h>
#include <string.h>

#include "base/nearest.h"
#include "base/num.h"

static const struct {
	const char *name;
	char letter;
	const char *help;
	size_t offset;
} globals_table[] = {
	{"quiet", 'q', "only what matters most", offsetof(struct ta_globals, quiet)},
	{"verbose", 'v', "more of everything", offsetof(struct ta_globals, verbose)},
	{"help", 'h', "this text; after a command, that command's", offsetof(struct ta_globals, help)},
	{"version", 0, "the version", offsetof(struct ta_globals, version)},
};

const char *ta_options_global(size_t i, struct ta_buf *ret_name, char *ret_letter)
{
	if (i >= TA_ARRAY_SIZE(globals_table))
		return NULL;
	ta_buf_reset(ret_name);
	ta_buf_printf(ret_name, "--%s", globals_table[i].name);
	*ret_letter = globals_table[i].letter;
	return globals_table[i].help;
}

static void set_flag(void *base, size_t offset)
{
	*(bool *)((char *)base + offset) = true;
}

static bool long_global(const char *name, size_t len, struct ta_globals *g)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(globals_table); i++) {
		if (strlen(globals_table[i].name) == len &&
			memcmp(globals_table[i].name, name, len) == 0) {
			set_flag(g, globals_table[i].offset);
			return true;
		}
	}
	return false;
}

static const struct ta_option *find_option(const struct ta_command *c, const char *name, size_t len)
{
	for (size_t i = 0; c && i < c->n_options; i++)
		if (strlen(c->options[i].name) == len && memcmp(c->options[i].name, name, len) == 0)
			return &c->options[i];
	return NULL;
}

static int unknown_option(
	const struct ta_command *c, const char *name, size_t len, struct ta_err *err)
{
	char word[64];
	struct ta_nearest near = TA_NEAREST(word);

	if (len >= sizeof(word))
		return ta_err_set(err, -EINVAL, "unknown option '--%.40s...'", name);
	memcpy(word, name, len);
	word[len] = '\0';
	for (size_t i = 0; c && i < c->n_options; i++)
		ta_nearest_try(&near, c->options[i].name);
	for (size_t i = 0; i < TA_ARRAY_SIZE(globals_table); i++)
		ta_nearest_try(&near, globals_table[i].name);
	if (near.best)
		return ta_err_set(err, -EINVAL, "unknown option '--%s'; did you mean '--%s'?", word,
			near.best);
	return ta_err_set(err, -EINVAL, "unknown option '--%s'", word);
}

static int set_number(const struct ta_option *o, const char *text, void *slot, struct ta_err *err)
{
	int64_t v;
	int rc = *text && !strpbrk(text, " \t\r\n") ? ta_parse_i64(text, &v) : -EINVAL;

	if (rc < 0 || v < o->min || v > o->max)
		return ta_err_set(err, -EINVAL, "--%s takes a whole number from %lld to %lld, not '%s'",
			o->name, (long long)o->min, (long long)o->max, text);
	*(int64_t *)slot = v;
	return 0;
}

/* "5", "0.25" */
static int parse_seconds(const char *text, int64_t *ret_ms)
{
	size_t whole = strspn(text, "0123456789"), part = text[whole] == '.' ? strspn(text + whole + 1, "0123456789") : 0;
	int64_t ms = 0;

	if (!whole || whole > 9 || part > 3 || (text[whole] && !part) || (part && text[whole + 1 + part]))
		return -EINVAL;
	for (size_t i = 0; i < whole; i++)
		ms = ms * 10 + (text[i] - '0');
	for (size_t i = 0; i < 3; i++)
		ms = ms * 10 + (i < part ? text[whole + 1 + i] - '0' : 0);
	*ret_ms = ms;
	return 0;
}

static int set_seconds(const struct ta_option *o, const char *text, void *slot, struct ta_err *err)
{
	int64_t ms;

	if (parse_seconds(text, &ms) < 0 || ms < o->min || ms > o->max)
		return ta_err_set(err, -EINVAL, "--%s takes seconds from %g to %g, not '%s'", o->name, (double)o->min / 1e3,
			(double)o->max / 1e3, text);
	*(int64_t *)slot = ms;
	return 0;
}

static int set_value(const struct ta_option *o, const char *text, void *values, struct ta_err *err)
{
	void *slot = (char *)values + o->offset;
	struct ta_strv *list = slot;

	switch (o->kind) {
	case TA_OPT_NUMBER:
		return set_number(o, text, slot, err);
	case TA_OPT_SECONDS:
		return set_seconds(o, text, slot, err);
	case TA_OPT_TEXTS:
		ta_strv_add(list, text);
		return list->error;
	case TA_OPT_LIST:
		ta_strv_split(list, text, ", ");
		if (list->error)
			return list->error;
		if (!list->n)
			return ta_err_set(err, -EINVAL, "--%s needs %s", o->name, o->arg);
		return 0;
	default:
		if (!*text)
			return ta_err_set(
				err, -EINVAL, "--%s needs %s, not the empty text", o->name, o->arg);
		*(const char **)slot = text;
		return 0;
	}
}

/* One --word; *i moves past its value if that is the next word. */
static int long_option(const struct ta_command *c, char *const *argv, size_t n, size_t *i,
	struct ta_globals *g, void *values, struct ta_err *err)
{
	const char *name = argv[*i] + 2;
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct ta_option *o = find_option(c, name, len);

	if (!o && long_global(name, len, g))
		return value ? ta_err_set(err, -EINVAL, "--%.*s takes no value", (int)len, name)
			     : 0;
	if (!o)
		return unknown_option(c, name, len, err);
	if (o->kind == TA_OPT_FLAG) {
		if (value)
			return ta_err_set(err, -EINVAL, "--%s takes no value", o->name);
		set_flag(values, o->offset);
		return 0;
	}
	if (!value) {
		/* Most likely a forgotten value, not one that begins with two dashes. */
		if (*i + 1 >= n || strncmp(argv[*i + 1], "--", 2) == 0)
			return ta_err_set(err, -EINVAL, "--%s needs %s", o->name, o->arg);
		value = argv[++*i];
	}
	return set_value(o, value, values, err);
}

static const struct ta_option *find_letter(const struct ta_command *c, char letter)
{
	for (size_t i = 0; c && i < c->n_options; i++)
		if (c->options[i].letter == letter)
			return &c->options[i];
	return NULL;
}

static bool letter_global(char letter, struct ta_globals *g)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(globals_table); i++) {
		if (globals_table[i].letter == letter) {
			set_flag(g, globals_table[i].offset);
			return true;
		}
	}
	return false;
}

/* A cluster of letters, the last of which may take a value: -q, -qv, -c 10, -c10. */
static int short_options(const struct ta_command *c, char *const *argv, size_t n, size_t *i, struct ta_globals *g,
	void *values, struct ta_err *err)
{
	const char *word = argv[*i];

	for (const char *s = word + 1; *s; s++) {
		const struct ta_option *o = find_letter(c, *s);

		if (o && o->kind != TA_OPT_FLAG) {
			if (s[1])
				return set_value(o, s + 1, values, err);
			if (*i + 1 >= n)
				return ta_err_set(err, -EINVAL, "-%c needs %s", *s, o->arg);
			return set_value(o, argv[++*i], values, err);
		}
		if (o)
			set_flag(values, o->offset);
		else if (!letter_global(*s, g))
			return ta_err_set(err, -EINVAL, "unknown option '%s' (long names have two dashes)", word);
	}
	return 0;
}

static int check_count(const struct ta_command *c, const struct ta_strv *args, struct ta_err *err)
{
	if (c->max_args >= 0 && args->n > (size_t)c->max_args)
		return ta_err_set(
			err, -EINVAL, "'%s' is one argument too many", args->v[c->max_args]);
	if (args->n < (size_t)c->min_args)
		return ta_err_set(err, -EINVAL, "%s needs %s", c->name, c->args);
	return 0;
}

int ta_options_parse(const struct ta_command *c, char *const *argv, size_t n,
	struct ta_globals *globals, void *values, struct ta_strv *args, struct ta_err *err)
{
	bool only_args = false;
	int rc = 0;

	memset(values, 0, c->values_size);
	for (size_t i = 0; i < c->n_options; i++)
		if (c->options[i].kind == TA_OPT_NUMBER || c->options[i].kind == TA_OPT_SECONDS)
			*(int64_t *)((char *)values + c->options[i].offset) = c->options[i].unset;
	for (size_t i = 0; i < n && rc == 0; i++) {
		const char *word = argv[i];

		if (only_args || word[0] != '-' || !word[1])
			ta_strv_add(args, word);
		else if (strcmp(word, "--") == 0)
			only_args = true;
		else if (word[1] == '-')
			rc = long_option(c, argv, n, &i, globals, values, err);
		else
			rc = short_options(c, argv, n, &i, globals, values, err);
	}
	if (rc < 0)
		return rc;
	if (args->error)
		return ta_err_set(err, args->error, "out of memory");
	/* Who asks for help need not know the arguments yet. */
	return globals->help || globals->version ? 0 : check_count(c, args, err);
}

void ta_options_done(const struct ta_command *c, void *values)
{
	for (size_t i = 0; i < c->n_options; i++)
		if (c->options[i].kind == TA_OPT_LIST || c->options[i].kind == TA_OPT_TEXTS)
			ta_strv_done((struct ta_strv *)((char *)values + c->options[i].offset));
}

int ta_options_globals(char *const *argv, size_t n, struct ta_globals *globals, size_t *ret_next,
	struct ta_err *err)
{
	size_t i;

	for (i = 0; i < n && argv[i][0] == '-' && argv[i][1]; i++) {
		int rc;

		if (argv[i][1] == '-')
			rc = long_option(NULL, argv, n, &i, globals, NULL, err);
		else
			rc = short_options(NULL, argv, n, &i, globals, NULL, err);
		if (rc < 0)
			return rc;
	}
	*ret_next = i;
	return 0;
}
