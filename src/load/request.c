#include "load/request.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"
#include "load/server.h"

/* Bytes up to and with the empty line, 0 if it is not there. */
static size_t request_length(const char *data, size_t len)
{
	const char *at = memmem(data, len, "\r\n\r\n", 4);

	return at ? (size_t)(at + 4 - data) : 0;
}

static bool begins(const char *data, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && !memcmp(data, with, n);
}

/* Letters, then a blank: some method, just not one of ours. */
static bool is_method(const char *data, size_t len)
{
	size_t n = 0;

	while (n < len && n < 20 && data[n] >= 'A' && data[n] <= 'Z')
		n++;
	return n && (n == len || data[n] == ' ');
}

static bool line_is(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && line[n] == ':' && !strncasecmp(line, name, n);
}

static bool value_has(const char *line, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++)
		if (!strncasecmp(line + i, word, n))
			return true;
	return false;
}

/* What the fields say that matters: a body is none of our business, and "Connection: close". */
static enum ta_request_kind read_fields(const char *data, size_t len, enum ta_request_kind kind)
{
	const char *end = data + len, *line = memchr(data, '\n', len);

	while (line && ++line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));
		size_t n = (size_t)((next ? next : end) - line);

		if (line_is(line, n, "content-length") || line_is(line, n, "transfer-encoding"))
			return TA_REQUEST_BAD;
		if (line_is(line, n, "connection") && value_has(line, n, "close") && kind == TA_REQUEST_GET)
			kind = TA_REQUEST_LAST;
		line = next;
	}
	return kind;
}

static bool is_request_line(const char *data, size_t len)
{
	const char *nl = memchr(data, '\r', len);
	size_t n = nl ? (size_t)(nl - data) : 0;

	return n >= strlen("GET / HTTP/1.1") && !memcmp(nl - 9, " HTTP/1.1", 9) && !memchr(data, '\0', len);
}

enum ta_request_kind ta_request_read(const char *data, size_t len, size_t *used)
{
	size_t n = request_length(data, TA_MIN(len, (size_t)TA_SERVER_HEAD_MAX));
	bool get = begins(data, len, "GET /"), head = begins(data, len, "HEAD /");

	*used = len;
	if (!n) {
		if (!is_method(data, len))
			return TA_REQUEST_BAD;
		return len >= TA_SERVER_HEAD_MAX ? TA_REQUEST_TOO_LONG : TA_REQUEST_MORE;
	}
	*used = n;
	if (!get && !head)
		return is_method(data, len) ? TA_REQUEST_METHOD : TA_REQUEST_BAD;
	if (!is_request_line(data, n))
		return TA_REQUEST_BAD;
	return read_fields(data, n, get ? TA_REQUEST_GET : TA_REQUEST_HEAD);
}
