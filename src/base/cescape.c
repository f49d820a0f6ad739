#include "base/cescape.h"

#include <errno.h>
#include <string.h>

#include "base/num.h"

static int hex(char c)
{
	if (ta_is_digit(c))
		return c - '0';
	return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

int ta_cescape_next(const char **text, struct ta_buf *ret)
{
	static const char from[] = "abfnrtvs\\\"'", to[] = "\a\b\f\n\r\t\v \\\"'";
	const char *c = *text, *at = *c ? strchr(from, *c) : NULL;

	if (at) {
		ta_buf_addc(ret, to[at - from]);
		*text = c + 1;
		return 0;
	}
	if (*c != 'x' || hex(c[1]) < 0 || hex(c[2]) < 0 || hex(c[1]) + hex(c[2]) == 0)
		return -EINVAL;
	ta_buf_addc(ret, (char)(hex(c[1]) * 16 + hex(c[2])));
	*text = c + 3;
	return 0;
}
