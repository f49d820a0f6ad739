/*
 * Lines of tmpfiles.d: one is kept whole, up to its comment, or not at all.
 */
#include "host/redactudev.h"

#include <string.h>

#include "base/num.h"
#include "host/redact.h"
#include "host/tuningpath.h"

#define BLANKS " \t\r"

static size_t blanks(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && strchr(BLANKS, s[n]))
		n++;
	return n;
}

static size_t word(const char *s, size_t len)
{
	size_t n = 0;

	while (n < len && !strchr(BLANKS, s[n]))
		n++;
	return n;
}

static bool is_wanted(const char *path, size_t len)
{
	static const char sys[] = "/proc/sys/";
	char key[128];

	if (ta_is_tuning_path(path, len))
		return true;
	if (len < sizeof(sys) || len >= sizeof(key) || strncmp(path, sys, sizeof(sys) - 1) != 0)
		return false;
	memcpy(key, path, len);
	key[len] = '\0';
	return ta_redact_keeps_sysctl(key + sizeof(sys) - 1);
}

/* How much of the line is kept: up to what a value has no use for, of which the first byte stays. */
static size_t keep(const char *line, size_t len)
{
	size_t i = blanks(line, len), n;

	if (i == len || line[i] != 'w' || memchr(line, '\0', len))
		return 0;
	i += word(line + i, len - i);
	i += blanks(line + i, len - i);
	n = word(line + i, len - i);
	if (!is_wanted(line + i, n))
		return 0;
	for (i += n; i < len; i++)
		if (!strchr(BLANKS "_,.:+-%~\\\"'", line[i]) && !ta_is_digit(line[i]) &&
			!((line[i] | 32) >= 'a' && (line[i] | 32) <= 'z'))
			return i + 1;
	return len;
}

void ta_redact_tmpfiles(struct ta_buf *b)
{
	char *in = b->data, *end = in + b->len, *out = in;

	while (in < end) {
		char *newline = memchr(in, '\n', (size_t)(end - in));
		size_t len = (size_t)((newline ? newline : end) - in), n = keep(in, len);

		memmove(out, in, n);
		out += n;
		if (newline)
			*out++ = '\n';
		in += len + (newline ? 1 : 0);
	}
	*out = '\0';
	b->len = (size_t)(out - b->data);
}
