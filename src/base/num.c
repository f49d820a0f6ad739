#include "base/num.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define BLANKS " \t\r\n"

/* Reads digits of `base` at `s`; the length read, 0 if none; *overflow tells of more than 64 bits. */
static size_t read_digits(const char *s, unsigned base, uint64_t *ret, bool *overflow)
{
	uint64_t v = 0;
	size_t n = 0;

	*overflow = false;
	for (;; n++) {
		unsigned d;

		if (ta_is_digit(s[n]))
			d = (unsigned)(s[n] - '0');
		else if (base == 16 && (s[n] | 32) >= 'a' && (s[n] | 32) <= 'f')
			d = (unsigned)((s[n] | 32) - 'a') + 10;
		else
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			*overflow = true;
	}
	*ret = v;
	return n;
}

/* The number at *text and what ends it: a blank or the end. */
static int next_number(const char **text, unsigned base, bool *negative, uint64_t *ret)
{
	const char *s = *text + strspn(*text, BLANKS);
	bool overflow;
	size_t n;

	if (!*s)
		return -ENODATA;
	*negative = *s == '-';
	if (*negative)
		s++;
	n = read_digits(s, base, ret, &overflow);
	if (!n || (s[n] && !strchr(BLANKS, s[n])))
		return -EINVAL;
	*text = s + n;
	return overflow ? -ERANGE : 0;
}

int ta_parse_hundredths(const char *text, uint64_t *ret)
{
	static const char digits[] = "0123456789";
	size_t whole = strspn(text, digits);
	uint64_t v = 0;

	if (!whole || whole > 16 || text[whole] != '.' || strspn(text + whole + 1, digits) != 2 || text[whole + 3])
		return -EINVAL;
	for (; *text; text++)
		if (*text != '.')
			v = v * 10 + (uint64_t)(*text - '0');
	*ret = v;
	return 0;
}

int ta_next_u64(const char **text, uint64_t *ret)
{
	bool negative;
	uint64_t v;
	int rc = next_number(text, 10, &negative, &v);

	if (rc < 0)
		return rc;
	if (negative)
		return -ERANGE;
	*ret = v;
	return 0;
}

int ta_next_i64(const char **text, int64_t *ret)
{
	bool negative;
	uint64_t v;
	int rc = next_number(text, 10, &negative, &v);

	if (rc < 0)
		return rc;
	if (v > (uint64_t)INT64_MAX + (negative ? 1 : 0))
		return -ERANGE;
	*ret = negative ? (int64_t)(0 - v) : (int64_t)v;
	return 0;
}

/* Nothing but blanks may follow a number that stands alone. */
static int whole(const char *rest, int rc)
{
	if (rc == -ENODATA)
		return -EINVAL;
	if (rc < 0)
		return rc;
	return rest[strspn(rest, BLANKS)] ? -EINVAL : 0;
}

int ta_parse_i64(const char *text, int64_t *ret)
{
	int64_t v = 0;
	int rc = ta_next_i64(&text, &v);

	rc = whole(text, rc);
	if (rc == 0)
		*ret = v;
	return rc;
}

int ta_parse_u64(const char *text, uint64_t *ret)
{
	uint64_t v = 0;
	int rc = ta_next_u64(&text, &v);

	rc = whole(text, rc);
	if (rc == 0)
		*ret = v;
	return rc;
}

int ta_parse_hex(const char *text, uint64_t *ret)
{
	bool negative = false;
	uint64_t v = 0;
	int rc = next_number(&text, 16, &negative, &v);

	rc = whole(text, rc);
	if (rc == 0 && negative)
		rc = -EINVAL;
	if (rc == 0)
		*ret = v;
	return rc;
}
