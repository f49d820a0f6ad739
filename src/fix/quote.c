/*
 * Quoting by the grammar of the reader. An interface may be named `$(id)`; a name that a grammar cannot hold
 * is refused, never bent.
 */
#include <errno.h>
#include <string.h>

#include "fix/describe.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
#define SHELL_PLAIN LETTERS "_./:=,@%+-"
#define UNIT_CHARS LETTERS ":-_.\\@"
#define UNIT_NAME_MAX 255

void ta_shell_quote(struct ta_buf *b, const char *word)
{
	if (*word && !word[strspn(word, SHELL_PLAIN)]) {
		ta_buf_adds(b, word);
		return;
	}
	ta_buf_addc(b, '\'');
	for (; *word; word++) {
		if (*word == '\'')
			ta_buf_adds(b, "'\\''");
		else
			ta_buf_addc(b, *word);
	}
	ta_buf_addc(b, '\'');
}

void ta_shell_write(struct ta_buf *b, const char *value, const char *file)
{
	ta_buf_adds(b, "echo ");
	ta_shell_quote(b, value);
	ta_buf_adds(b, " > ");
	ta_shell_quote(b, file);
	ta_buf_addc(b, '\n');
}

int ta_udev_quote(struct ta_buf *b, const char *text, struct ta_err *err)
{
	for (const char *s = text; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f || strchr("\"\\$%*?[|", *s))
			return ta_err_set(err, -EINVAL, "'%s' cannot stand in a udev rule", text);
	ta_buf_printf(b, "\"%s\"", text);
	return 0;
}

bool ta_unit_name_valid(const char *name, const char *suffix)
{
	size_t len = strlen(name), tail = strlen(suffix);

	if (len <= tail || len > UNIT_NAME_MAX || strcmp(name + len - tail, suffix) != 0)
		return false;
	return *name != '@' && !name[strspn(name, UNIT_CHARS)];
}
