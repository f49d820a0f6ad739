/*
 * Commands align, indent and wrap for people; what counts is the text between
 * the blanks. Nothing here is refused: the callers take the lines they know.
 */
#include "probe/kvline.h"

#include <string.h>

/* Bytes of the blank that `from` begins with; 0: none. Mail and web pages bring U+00A0. */
static size_t blank(const char *from, const char *end)
{
	if (end - from >= 2 && from[0] == '\xc2' && from[1] == '\xa0')
		return 2;
	return from < end &&
	       (*from == ' ' || *from == '\t' || *from == '\r' || *from == '\f' || *from == '\v');
}

static void trim(const char **from, const char **end)
{
	for (size_t n; (n = blank(*from, *end)) > 0;)
		*from += n;
	while (*end > *from) {
		if (blank(*end - 1, *end))
			--*end;
		else if (*end - *from >= 2 && blank(*end - 2, *end) == 2)
			*end -= 2;
		else
			break;
	}
}

static void take(const char *from, const char *end, char *ret, size_t size)
{
	size_t len = 0;

	trim(&from, &end);
	while (from < end && len < size - 1) {
		size_t n = blank(from, end);

		ret[len++] = n == 2 ? ' ' : *from;
		from += n ? n : 1;
	}
	ret[len] = '\0';
}

int ta_kvline_next(const char **text, const char *end, struct ta_kvline *ret)
{
	while (*text < end) {
		const char *line = *text, *stop = memchr(line, '\n', (size_t)(end - line)), *from,
			   *colon;

		stop = stop ? stop : end;
		*text = stop < end ? stop + 1 : end;
		from = line;
		trim(&from, &stop);
		if (from == stop)
			continue;
		ret->raw = from;
		ret->raw_len = (size_t)(stop - from);
		ret->indent = (size_t)(from - line);
		colon = memchr(from, ':', ret->raw_len);
		take(from, colon ? colon : stop, ret->key, sizeof(ret->key));
		take(colon ? colon + 1 : stop, stop, ret->value, sizeof(ret->value));
		return 1;
	}
	return 0;
}
