#include "host/udevtext.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cescape.h"

#define BLANKS " \t\n\r"

/* --- pairs -------------------------------------------------------------------------------- */

void ta_udev_token_done(struct ta_udev_token *t)
{
	ta_buf_done(&t->value);
}

static int read_op(const char **text, enum ta_udev_op *ret)
{
	static const struct {
		const char *text;
		enum ta_udev_op op;
	} ops[] = {{"==", TA_UDEV_MATCH}, {"!=", TA_UDEV_NOMATCH}, {"+=", TA_UDEV_ADD}, {"-=", TA_UDEV_REMOVE},
		{":=", TA_UDEV_FINAL}, {"=", TA_UDEV_ASSIGN}};

	*text += strspn(*text, BLANKS);
	for (size_t i = 0; i < TA_ARRAY_SIZE(ops); i++) {
		size_t n = strlen(ops[i].text);

		if (strncmp(*text, ops[i].text, n) != 0)
			continue;
		*text += n;
		*text += strspn(*text, BLANKS);
		*ret = ops[i].op;
		return 0;
	}
	return -EINVAL;
}

/* udev_rule_parse_value(): "…" where only \" is taken apart, e"…" with escapes of C, i"…" folded. */
static int read_value(const char **text, struct ta_udev_token *ret)
{
	bool escaped = false;
	const char *c = *text;

	ta_buf_reset(&ret->value);
	ret->fold = false;
	for (; *c == 'e' || *c == 'i'; c++) {
		if (*c == 'e' ? escaped : ret->fold)
			return -EINVAL;
		escaped = escaped || *c == 'e';
		ret->fold = ret->fold || *c == 'i';
	}
	if (*c++ != '"')
		return -EINVAL;
	while (*c != '"') {
		if (!*c)
			return -EINVAL;
		if (*c == '\\' && escaped) {
			c++;
			if (ta_cescape_next(&c, &ret->value))
				return -EINVAL;
			continue;
		}
		c += *c == '\\' && c[1] == '"';
		ta_buf_addc(&ret->value, *c++);
	}
	*text = c + 1;
	return ret->value.error;
}

/* The key, and behind it what stands in braces. Longer ones than there is room for are none of interest. */
static int read_key(const char **text, struct ta_udev_token *ret)
{
	const char *from = *text, *c = from, *end;

	while (*c && !strchr(BLANKS "={", *c) && !(strchr("+-!:", *c) && c[1] == '='))
		c++;
	if (!*c)
		return -EINVAL;
	snprintf(ret->key, sizeof(ret->key), "%.*s", (int)TA_MIN((size_t)(c - from), sizeof(ret->key)), from);
	ret->attr[0] = '\0';
	if (*c == '{') {
		end = strchr(c, '}');
		if (!end)
			return -EINVAL;
		snprintf(ret->attr, sizeof(ret->attr), "%.*s", (int)TA_MIN((size_t)(end - c - 1), sizeof(ret->attr)), c + 1);
		c = end + 1;
	}
	*text = c;
	return 0;
}

int ta_udev_token_next(const char **text, struct ta_udev_token *ret)
{
	const char *c = *text + strspn(*text, BLANKS ",");
	int rc;

	if (!*c)
		return 0;
	ret->raw = c;
	rc = read_key(&c, ret);
	if (!rc)
		rc = read_op(&c, &ret->op);
	if (!rc)
		rc = read_value(&c, ret);
	if (rc)
		return rc;
	ret->raw_len = (size_t)(c - ret->raw);
	*text = c;
	return 1;
}

/* --- lines -------------------------------------------------------------------------------- */

struct lines {
	struct ta_buf joined;
	unsigned first; /* 0: nothing was joined yet */
	unsigned n;     /* lines since the last one that was given */
	int (*fn)(const struct ta_udev_line *line, void *ctx);
	void *ctx;
};

static int give(struct lines *l, unsigned number)
{
	struct ta_udev_line line = {.number = l->first ? l->first : number, .n_lines = l->n};
	int rc;

	if (l->joined.error)
		return l->joined.error;
	if (l->joined.len >= TA_UDEV_LINE_MAX)
		ta_buf_reset(&l->joined);
	line.text = ta_buf_text(&l->joined);
	rc = l->fn(&line, l->ctx);
	ta_buf_reset(&l->joined);
	l->first = 0;
	l->n = 0;
	return rc;
}

/* One line of the file. */
static int add(struct lines *l, const char *s, size_t len, unsigned number)
{
	size_t blanks = 0;
	bool more;

	l->n++;
	while (blanks < len && strchr(BLANKS, s[blanks]))
		blanks++;
	s += blanks;
	len -= blanks;
	if (len && *s == '#')
		return l->first ? 0 : give(l, number);
	more = len && s[len - 1] == '\\';
	if (!l->first)
		l->first = number;
	/* Of a line that is too long enough is kept to know it. */
	ta_buf_add(&l->joined, s, TA_MIN(len - more, (size_t)TA_UDEV_LINE_MAX));
	return more ? 0 : give(l, number);
}

int ta_udev_lines(const char *text, size_t len, int (*fn)(const struct ta_udev_line *line, void *ctx), void *ctx)
{
	struct lines l = {.fn = fn, .ctx = ctx};
	const char *end = text + len;
	unsigned number = 0;
	int rc = 0;

	while (!rc && text < end) {
		const char *c = text;

		/* A byte 0 and a carriage return end a line too (read_line_full(), src/basic/fileio.c). */
		while (c < end && *c != '\n' && *c != '\0' && *c != '\r')
			c++;
		rc = add(&l, text, (size_t)(c - text), ++number);
		text = c + 1 + (c + 1 < end && *c == '\r' && c[1] == '\n');
	}
	if (!rc && l.n)
		rc = give(&l, number);
	ta_buf_done(&l.joined);
	return rc;
}
