#include "load/resp.h"

#include <string.h>

void ta_resp_reply_reset(struct ta_resp_reply *r)
{
	*r = (struct ta_resp_reply){0};
}

static bool ends_line(const char *at)
{
	return at[0] == '\r' && at[1] == '\n';
}

/*
 * What nearly all replies are, in one piece: +OK, and short strings or none. Their length, or 0: the long way. That one is right for
 * these, too; the tests hold both against each other.
 */
static size_t take_short(struct ta_resp_reply *r, const char *at, size_t len)
{
	size_t n;

	if (len < 5)
		return 0;
	if (at[0] == '+')
		return !memcmp(at, "+OK\r\n", 5) ? 5 : 0;
	if (at[0] != '$')
		return 0;
	if (!memcmp(at + 1, "-1\r\n", 4)) {
		r->is_nil = true;
		return 5;
	}
	n = (size_t)(at[1] - '0');
	if (n > 9)
		return 0;
	if (ends_line(at + 2))
		return len >= n + 6 && ends_line(at + 4 + n) ? n + 6 : 0;
	n = n * 10 + (size_t)(at[2] - '0');
	if ((size_t)(at[2] - '0') > 9 || len < n + 7 || !ends_line(at + 3) || !ends_line(at + 5 + n))
		return 0;
	return n + 7;
}

/* A value is whole. 1 if it was the reply. */
static int complete(struct ta_resp_reply *r)
{
	while (r->depth) {
		bool beside;

		if (--r->open[r->depth - 1])
			return 0;
		r->depth--;
		beside = r->beside >> r->depth & 1;
		r->beside &= (uint16_t)~(1u << r->depth);
		if (beside) {
			r->begun = r->depth || !r->pushed;
			r->pushed = false;
			return 0;
		}
	}
	r->begun = false;
	return 1;
}

/* Attributes stand before the value that they describe, pushes between replies: neither counts as one. */
static bool stands_beside(char type)
{
	return type == '|' || type == '>';
}

static int open_aggregate(struct ta_resp_reply *r, int64_t n)
{
	char type = r->type;

	if (n < 0) {
		if (n != -1 || type != '*')
			return -TA_RESP_BAD_NUMBER;
		r->is_nil = !r->depth;
		return complete(r);
	}
	if (n > TA_RESP_ELEMENTS_MAX)
		return -TA_RESP_TOO_LONG;
	if (type == '%' || type == '|')
		n *= 2;
	if (type == '>' && r->depth)
		return -TA_RESP_BAD_TYPE;
	if (!n && !stands_beside(type))
		return complete(r);
	if (r->depth == TA_RESP_DEPTH_MAX)
		return -TA_RESP_TOO_DEEP;
	r->pushed |= type == '>';
	r->beside |= (uint16_t)((unsigned)stands_beside(type) << r->depth);
	/* One that is empty ends at once, by the same way as others. */
	r->open[r->depth++] = n ? (uint32_t)n : 1;
	return n ? 0 : complete(r);
}

static int open_bulk(struct ta_resp_reply *r, int64_t n)
{
	if (n == -1 && r->type == '$') {
		r->is_nil = !r->depth;
		return complete(r);
	}
	if (n < 0)
		return -TA_RESP_BAD_NUMBER;
	if (n > TA_RESP_BULK_MAX)
		return -TA_RESP_TOO_LONG;
	r->left = n;
	r->state = n ? TA_RESP_BULK : TA_RESP_BULK_CR;
	return 0;
}

/* The LF of a line. */
static int line_ended(struct ta_resp_reply *r)
{
	bool wants_number = strchr(":$*!=%~>|", r->type);
	int64_t n = r->negative ? -r->number : r->number;

	r->state = TA_RESP_TYPE;
	if (wants_number && !r->digits)
		return -TA_RESP_BAD_NUMBER;
	switch (r->type) {
	case '$':
	case '!':
	case '=':
		return open_bulk(r, n);
	case '*':
	case '%':
	case '~':
	case '>':
	case '|':
		return open_aggregate(r, n);
	case '_':
		r->is_nil = !r->depth;
		return complete(r);
	default:
		return complete(r);
	}
}

static int begin(struct ta_resp_reply *r, char type)
{
	if (!type || !strchr("+-:$*_#,(!=%~>|", type))
		return -TA_RESP_BAD_TYPE;
	if (!r->begun) {
		r->begun = true;
		r->is_error = r->is_nil = false;
		r->n_word = 0;
		r->word[0] = '\0';
	}
	r->type = type;
	r->number = r->digits = 0;
	r->negative = false;
	r->left = TA_RESP_LINE_MAX;
	r->state = strchr("+-_#,(", type) ? TA_RESP_LINE : TA_RESP_NUMBER;
	if (!r->depth && (type == '-' || type == '!'))
		r->is_error = true;
	return 0;
}

static int take_digit(struct ta_resp_reply *r, char c)
{
	if (c == '\r') {
		r->state = TA_RESP_LINE_END;
		return 0;
	}
	if (c == '\n')
		return -TA_RESP_BAD_LINE;
	if ((c == '-' || c == '+') && !r->digits && !r->negative && r->left == TA_RESP_LINE_MAX) {
		r->negative = c == '-';
		r->left--;
		return 0;
	}
	if (c < '0' || c > '9' || r->digits == 19)
		return -TA_RESP_BAD_NUMBER;
	/* The most negative integer of 64 bits has no positive counterpart; it is told from larger ones by the sign alone. */
	if (__builtin_mul_overflow(r->number, 10, &r->number) || __builtin_add_overflow(r->number, c - '0', &r->number)) {
		if (!r->negative || (uint64_t)r->number != (uint64_t)INT64_MAX + 1)
			return -TA_RESP_BAD_NUMBER;
		r->number = INT64_MAX;
	}
	r->digits++;
	return 0;
}

/* The first word of an error is its name: capital letters, by convention. */
static void take_word(struct ta_resp_reply *r, const char *at, size_t n)
{
	for (size_t i = 0; i < n && r->n_word < TA_RESP_WORD_MAX - 1; i++) {
		bool fits = (at[i] >= 'A' && at[i] <= 'Z') || at[i] == '_' || (at[i] >= '0' && at[i] <= '9');

		if (!fits) {
			r->n_word = TA_RESP_WORD_MAX; /* no more of it */
			return;
		}
		r->word[r->n_word++] = at[i];
		r->word[r->n_word] = '\0';
	}
}

/* A line that is not a number, up to its CR. */
static int take_line(struct ta_resp_reply *r, const char *at, size_t len, size_t *ret)
{
	const char *cr = memchr(at, '\r', len);
	size_t n = cr ? (size_t)(cr - at) : len;

	*ret = n + (cr != NULL);
	if ((int64_t)n > r->left)
		return -TA_RESP_TOO_LONG;
	if (memchr(at, '\n', n))
		return -TA_RESP_BAD_LINE;
	if ((r->type == '_' && n) || (r->type == '#' && n && (n > 1 || r->left != TA_RESP_LINE_MAX || (*at != 't' && *at != 'f'))))
		return -TA_RESP_BAD_LINE;
	if (r->type == '-' && !r->depth)
		take_word(r, at, n);
	r->left -= (int64_t)n;
	if (cr && r->type == '#' && r->left == TA_RESP_LINE_MAX)
		return -TA_RESP_BAD_LINE;
	if (cr)
		r->state = TA_RESP_LINE_END;
	return 0;
}

static int take_bulk(struct ta_resp_reply *r, const char *at, size_t len, size_t *ret)
{
	*ret = (uint64_t)r->left < len ? (size_t)r->left : len;
	if (r->type == '!' && !r->depth)
		take_word(r, at, *ret);
	r->left -= (int64_t)*ret;
	if (!r->left)
		r->state = TA_RESP_BULK_CR;
	return 0;
}

/* Some bytes (at least one), by the state. */
static int take(struct ta_resp_reply *r, const char *at, size_t len, size_t *ret)
{
	*ret = 1;
	switch (r->state) {
	case TA_RESP_TYPE:
		return begin(r, *at);
	case TA_RESP_NUMBER:
		return take_digit(r, *at);
	case TA_RESP_LINE:
		return take_line(r, at, len, ret);
	case TA_RESP_LINE_END:
		return *at == '\n' ? line_ended(r) : -TA_RESP_BAD_LINE;
	case TA_RESP_BULK:
		return take_bulk(r, at, len, ret);
	case TA_RESP_BULK_CR:
		r->state = TA_RESP_BULK_LF;
		return *at == '\r' ? 0 : -TA_RESP_BAD_END;
	default:
		r->state = TA_RESP_TYPE;
		return *at == '\n' ? complete(r) : -TA_RESP_BAD_END;
	}
}

int ta_resp_reply_feed(struct ta_resp_reply *r, const char *data, size_t len, size_t *used)
{
	if (!r->begun) {
		r->is_error = r->is_nil = false;
		r->word[0] = '\0';
		*used = take_short(r, data, len);
		if (*used)
			return 1;
	}
	for (*used = 0; *used < len;) {
		size_t n;
		int rc = take(r, data + *used, len - *used, &n);

		*used += n;
		if (rc)
			return rc;
	}
	return 0;
}

int ta_resp_reply_end(const struct ta_resp_reply *r)
{
	return r->begun ? -TA_RESP_CUT : 0;
}

const char *ta_resp_error_name(enum ta_resp_error e)
{
	static const char *const names[] = {
		[TA_RESP_OK] = "ok",
		[TA_RESP_BAD_TYPE] = "bad-type",
		[TA_RESP_BAD_NUMBER] = "bad-number",
		[TA_RESP_BAD_LINE] = "bad-line",
		[TA_RESP_BAD_END] = "bad-end",
		[TA_RESP_TOO_LONG] = "too-long",
		[TA_RESP_TOO_DEEP] = "too-deep",
		[TA_RESP_CUT] = "cut",
	};

	return names[e];
}
