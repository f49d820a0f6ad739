/*
 * Requests as a server reads them. A whole one has to be in one piece: the server keeps what is not whole, up to its limit.
 */
#include <string.h>

#include "load/resp.h"

/* What is left to read. */
struct rest {
	const char *at, *end;
};

/* "<type><digits>\r\n", 0 … 9 digits. */
static enum ta_resp_request_kind take_count(struct rest *r, char type, size_t *ret)
{
	const char *at = r->at;
	size_t n = 0;

	if (at == r->end)
		return TA_RESP_REQUEST_MORE;
	if (*at++ != type)
		return TA_RESP_REQUEST_BAD;
	for (; at < r->end && *at >= '0' && *at <= '9'; at++) {
		if (at - r->at > 9)
			return TA_RESP_REQUEST_BAD;
		n = n * 10 + (size_t)(*at - '0');
	}
	if (at < r->end && (*at != '\r' || at == r->at + 1))
		return TA_RESP_REQUEST_BAD;
	if (r->end - at < 2)
		return TA_RESP_REQUEST_MORE;
	if (at[1] != '\n')
		return TA_RESP_REQUEST_BAD;
	r->at = at + 2;
	*ret = n;
	return TA_RESP_REQUEST_WHOLE;
}

static enum ta_resp_request_kind take_word(struct rest *r, struct ta_resp_request *ret)
{
	enum ta_resp_request_kind kind;
	size_t n;

	kind = take_count(r, '$', &n);
	if (kind != TA_RESP_REQUEST_WHOLE)
		return kind;
	if ((size_t)(r->end - r->at) < n + 2)
		return TA_RESP_REQUEST_MORE;
	if (r->at[n] != '\r' || r->at[n + 1] != '\n')
		return TA_RESP_REQUEST_BAD;
	ret->args[ret->n].at = r->at;
	ret->args[ret->n++].len = n;
	r->at += n + 2;
	return TA_RESP_REQUEST_WHOLE;
}

static enum ta_resp_request_kind read_array(struct rest *r, struct ta_resp_request *ret)
{
	size_t words;
	enum ta_resp_request_kind kind = take_count(r, '*', &words);

	if (kind == TA_RESP_REQUEST_WHOLE && words > TA_RESP_ARGS_MAX)
		return TA_RESP_REQUEST_TOO_LONG;
	while (kind == TA_RESP_REQUEST_WHOLE && ret->n < words)
		kind = take_word(r, ret);
	return kind;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static enum ta_resp_request_kind read_line(struct rest *r, struct ta_resp_request *ret)
{
	const char *lf = memchr(r->at, '\n', (size_t)(r->end - r->at));

	if (!lf)
		return TA_RESP_REQUEST_MORE;
	while (r->at < lf) {
		const char *word = r->at;

		while (r->at < lf && !is_blank(*r->at))
			r->at++;
		if (r->at > word) {
			if (ret->n == TA_RESP_ARGS_MAX)
				return TA_RESP_REQUEST_TOO_LONG;
			ret->args[ret->n].at = word;
			ret->args[ret->n++].len = (size_t)(r->at - word);
		} else {
			r->at++;
		}
	}
	r->at = lf + 1;
	return TA_RESP_REQUEST_WHOLE;
}

enum ta_resp_request_kind ta_resp_request_read(const char *data, size_t len, struct ta_resp_request *ret, size_t *used)
{
	struct rest r = {data, data + len};
	enum ta_resp_request_kind kind;

	ret->n = 0;
	*used = 0;
	if (!len)
		return TA_RESP_REQUEST_MORE;
	kind = *data == '*' ? read_array(&r, ret) : read_line(&r, ret);
	if (kind == TA_RESP_REQUEST_WHOLE)
		*used = (size_t)(r.at - data);
	return kind;
}
