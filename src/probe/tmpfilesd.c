#include "probe/tmpfilesd.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/cescape.h"

#define BLANKS " \t\r"

/* The next word, quotes and escapes taken apart (extract_first_word()). 1, 0 (none left), -EINVAL. */
static int next_word(const char **text, struct ta_buf *ret)
{
	const char *c = *text + strspn(*text, BLANKS);
	char quote = '\0';

	ta_buf_reset(ret);
	if (!*c)
		return 0;
	for (; *c && (quote || !strchr(BLANKS, *c));) {
		if (*c == '\\') {
			c++;
			if (ta_cescape_next(&c, ret))
				return -EINVAL;
		} else if (quote ? *c == quote : *c == '"' || *c == '\'') {
			quote = quote ? '\0' : *c;
			c++;
		} else {
			ta_buf_addc(ret, *c++);
		}
	}
	if (quote)
		return -EINVAL;
	*text = c + strspn(c, BLANKS);
	return ret->error ? ret->error : 1;
}

/* "%%" is a percent sign; what other specifiers stand for is not looked up. */
static bool expand(struct ta_buf *b)
{
	char *out = b->data;

	for (const char *c = b->data; c && *c; c++) {
		if (*c == '%' && *++c != '%')
			return false;
		*out++ = *c;
	}
	if (out) {
		*out = '\0';
		b->len = (size_t)(out - b->data);
	}
	return true;
}

/* The rest of the line: specifiers first, then escapes, no quotes. False: it is not told here. */
static bool argument(const char *text, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf raw = TA_BUF_INIT;
	const char *c;

	ta_buf_adds(&raw, text);
	if (raw.error || !expand(&raw))
		return false;
	for (c = ta_buf_text(&raw); *c;) {
		if (*c != '\\') {
			ta_buf_addc(ret, *c++);
			continue;
		}
		c++;
		if (ta_cescape_next(&c, ret))
			return false;
	}
	return !ret->error;
}

/* "/a//b/" -> "/a/b" (path_simplify()). */
static void simplify(char *path)
{
	char *out = path + 1;

	for (const char *c = out; *c; c++)
		if (*c != '/' || (out[-1] != '/' && c[1] && c[1] != '/'))
			*out++ = *c;
	*out = '\0';
}

static int one_line(const char *s, unsigned number, int (*fn)(const struct ta_tmpfiles_line *line, void *ctx), void *ctx)
{
	ta_cleanup_buf struct ta_buf type = TA_BUF_INIT, path = TA_BUF_INIT, rest = TA_BUF_INIT, value = TA_BUF_INIT;
	struct ta_tmpfiles_line l = {.number = number};
	const char *modifiers;
	int rc = 1;

	/* The common case, without a look at the rest: another type. */
	if (*s != 'w' && *s != '"' && *s != '\'' && *s != '\\')
		return 0;
	if (next_word(&s, &type) <= 0 || next_word(&s, &path) <= 0)
		return 0;
	modifiers = ta_buf_text(&type);
	if (*modifiers++ != 'w' || modifiers[strspn(modifiers, "!+-=~^$?")])
		return 0;
	for (int i = 0; rc > 0 && i < 4; i++)
		rc = next_word(&s, &rest);
	if (rc <= 0 || !*s || !strcmp(s, "-") || *ta_buf_text(&path) != '/' || !expand(&path))
		return rc == -ENOMEM ? rc : 0;
	simplify(path.data);
	l.path = ta_buf_text(&path);
	l.append = strchr(modifiers, '+');
	/* ~ is base64, ^ the name of a credential */
	l.value = !strpbrk(modifiers, "~^") && argument(s, &value) ? ta_buf_text(&value) : NULL;
	return fn(&l, ctx);
}

int ta_tmpfiles_parse(const char *text, size_t len, int (*fn)(const struct ta_tmpfiles_line *line, void *ctx),
	void *ctx)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	const char *end = text + len;
	unsigned number = 0;
	int rc = 0;

	while (!rc && text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *to = newline ? newline : end;

		number++;
		while (text < to && strchr(BLANKS, *text))
			text++;
		if (text < to && strchr("w\"'\\", *text) && !memchr(text, '\0', (size_t)(to - text))) {
			ta_buf_reset(&line);
			ta_buf_add(&line, text, (size_t)(to - text));
			ta_buf_rtrim(&line);
			rc = line.error ? line.error : one_line(ta_buf_text(&line), number, fn, ctx);
		}
		text = to + 1;
	}
	return rc;
}
