/*
 * A reply is a head, then a body whose end its head tells: none, a length, chunks, or the end of the connection
 * (RFC 9112, section 6.3). Most replies of a load run arrive in one piece and are read from it without a copy.
 */
#include "load/http.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/macros.h"

struct head {
	bool has_length, chunked, close, keep_alive, http10;
	uint64_t length;
};

const char *ta_http_error_name(enum ta_http_error e)
{
	static const char *const names[] = {
		[TA_HTTP_OK] = "ok",
		[TA_HTTP_BAD_STATUS_LINE] = "bad-status-line",
		[TA_HTTP_BAD_FIELD] = "bad-header",
		[TA_HTTP_BAD_LENGTH] = "bad-length",
		[TA_HTTP_BAD_CHUNK] = "bad-chunk",
		[TA_HTTP_HEAD_TOO_LONG] = "head-too-long",
		[TA_HTTP_CUT] = "cut",
	};

	return names[e];
}

void ta_http_reply_reset(struct ta_http_reply *r)
{
	r->state = TA_HTTP_HEAD;
	r->left = 0;
	ta_buf_reset(&r->partial);
}

void ta_http_reply_done(struct ta_http_reply *r)
{
	ta_buf_done(&r->partial);
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200 OK"; the reason may be missing, and the blank before it with it. */
static int read_status_line(struct ta_http_reply *r, struct head *head, const char *line, size_t len)
{
	if (len < 12 || memcmp(line, "HTTP/1.", 7) != 0 || (line[7] != '0' && line[7] != '1') || line[8] != ' ')
		return -TA_HTTP_BAD_STATUS_LINE;
	if (!is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) || line[9] == '0')
		return -TA_HTTP_BAD_STATUS_LINE;
	if (len > 12 && line[12] != ' ')
		return -TA_HTTP_BAD_STATUS_LINE;
	head->http10 = line[7] == '0';
	r->status = (unsigned)(line[9] - '0') * 100 + (unsigned)(line[10] - '0') * 10 + (unsigned)(line[11] - '0');
	return 0;
}

static int read_length(struct head *head, const char *value, size_t len)
{
	uint64_t n = 0;

	if (!len)
		return -TA_HTTP_BAD_LENGTH;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(value[i]) || n > (INT64_MAX - 9) / 10)
			return -TA_HTTP_BAD_LENGTH;
		n = n * 10 + (uint64_t)(value[i] - '0');
	}
	if (head->has_length && head->length != n)
		return -TA_HTTP_BAD_LENGTH;
	head->has_length = true;
	head->length = n;
	return 0;
}

/* Whether a comma-separated list has the word `token`. */
static bool has_token(const char *list, size_t len, const char *token)
{
	size_t n = strlen(token);

	for (size_t i = 0; i < len;) {
		size_t end = i, last;

		while (end < len && list[end] != ',')
			end++;
		last = end;
		while (i < last && (list[i] == ' ' || list[i] == '\t'))
			i++;
		while (last > i && (list[last - 1] == ' ' || list[last - 1] == '\t'))
			last--;
		if (last - i == n && !strncasecmp(list + i, token, n))
			return true;
		i = end + 1;
	}
	return false;
}

static bool name_is(const char *line, size_t len, const char *name)
{
	return len == strlen(name) && !strncasecmp(line, name, len);
}

static int read_field(struct head *head, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len), *value;
	size_t n_name, n_value;

	if (!colon || colon == line || colon[-1] == ' ' || colon[-1] == '\t' || *line == ' ' || *line == '\t')
		return -TA_HTTP_BAD_FIELD;
	n_name = (size_t)(colon - line);
	value = colon + 1;
	n_value = len - n_name - 1;
	while (n_value && (*value == ' ' || *value == '\t')) {
		value++;
		n_value--;
	}
	while (n_value && (value[n_value - 1] == ' ' || value[n_value - 1] == '\t'))
		n_value--;
	if (name_is(line, n_name, "content-length"))
		return read_length(head, value, n_value);
	if (name_is(line, n_name, "transfer-encoding"))
		head->chunked = head->chunked || has_token(value, n_value, "chunked");
	else if (name_is(line, n_name, "connection")) {
		head->close = head->close || has_token(value, n_value, "close");
		head->keep_alive = head->keep_alive || has_token(value, n_value, "keep-alive");
	}
	return 0;
}

/* What follows the head. 1: nothing does. */
static int begin_body(struct ta_http_reply *r, const struct head *head)
{
	r->keep_alive = head->http10 ? head->keep_alive && !head->close : !head->close;
	if (r->status < 200) {
		ta_http_reply_reset(r);
		return 0;
	}
	if (r->status == 204 || r->status == 304)
		return 1;
	if (head->chunked) {
		r->state = TA_HTTP_CHUNK_SIZE;
		return 0;
	}
	if (head->has_length) {
		r->left = head->length;
		r->state = TA_HTTP_BODY;
		return r->left ? 0 : 1;
	}
	r->keep_alive = false;
	r->state = TA_HTTP_UNTIL_CLOSE;
	return 0;
}

/* A whole head, with the empty line at its end. Lines may end with a bare LF (RFC 9112, section 2.2). */
static int read_head(struct ta_http_reply *r, const char *data, size_t len)
{
	struct head head = {0};
	unsigned lines = 0;

	if (memchr(data, '\0', len))
		return -TA_HTTP_BAD_FIELD;
	for (size_t at = 0; at < len; lines++) {
		const char *line = data + at, *nl = memchr(line, '\n', len - at);
		size_t n = (size_t)(nl - line);
		int rc;

		at += n + 1;
		if (n && line[n - 1] == '\r')
			n--;
		if (!n)
			break;
		if (memchr(line, '\r', n))
			return lines ? -TA_HTTP_BAD_FIELD : -TA_HTTP_BAD_STATUS_LINE;
		if (lines > TA_HTTP_FIELDS_MAX)
			return -TA_HTTP_HEAD_TOO_LONG;
		rc = lines ? read_field(&head, line, n) : read_status_line(r, &head, line, n);
		if (rc < 0)
			return rc;
	}
	return lines ? begin_body(r, &head) : -TA_HTTP_BAD_STATUS_LINE;
}

/* Bytes up to and with the empty line that ends a head, 0 if it is not there. */
static size_t head_length(const char *data, size_t len)
{
	const char *at = data, *end = data + len, *nl;

	while ((nl = memchr(at, '\n', (size_t)(end - at)))) {
		if (nl + 1 < end && nl[1] == '\n')
			return (size_t)(nl + 2 - data);
		if (nl + 2 < end && nl[1] == '\r' && nl[2] == '\n')
			return (size_t)(nl + 3 - data);
		at = nl + 1;
	}
	return 0;
}

/* What cannot be the start of a reply is refused before its end is awaited. */
static int check_start(const char *data, size_t len)
{
	return memcmp(data, "HTTP/1.", TA_MIN(len, (size_t)7)) ? -TA_HTTP_BAD_STATUS_LINE : 0;
}

/* A head of `len` bytes was read from `data`; `complete`: it is all of the reply. */
static void remember(struct ta_http_reply *r, const char *data, size_t len, bool complete)
{
	if (!r->memo || len > TA_HTTP_MEMO_MAX || (r->state == TA_HTTP_HEAD && !complete))
		return;
	*r->memo = (struct ta_http_memo){.len = len, .state = r->state, .left = r->left, .status = r->status,
		.keep_alive = r->keep_alive, .complete = complete};
	memcpy(r->memo->head, data, len);
}

/* The same bytes up to and with the empty line say the same. Their length, or 0. */
static size_t recall(struct ta_http_reply *r, const char *data, size_t len, int *ret)
{
	const struct ta_http_memo *m = r->memo;

	if (!m || !m->len || len < m->len || r->state != TA_HTTP_HEAD || r->partial.len || memcmp(data, m->head, m->len) != 0)
		return 0;
	r->state = m->state;
	r->left = m->left;
	r->status = m->status;
	r->keep_alive = m->keep_alive;
	*ret = m->complete;
	return m->len;
}

static int feed_head(struct ta_http_reply *r, const char *data, size_t len, size_t *used)
{
	struct ta_buf *b = &r->partial;
	size_t had = b->len, from = had > 3 ? had - 3 : 0, n;
	int rc;

	if (!had) {
		rc = check_start(data, len);
		n = rc < 0 ? 0 : head_length(data, len);
		if (rc < 0)
			return rc;
		if (n) {
			*used = n;
			rc = n > TA_HTTP_HEAD_MAX ? -TA_HTTP_HEAD_TOO_LONG : read_head(r, data, n);
			if (rc >= 0)
				remember(r, data, n, rc);
			return rc;
		}
	}
	ta_buf_add(b, data, TA_MIN(len, (size_t)TA_HTTP_HEAD_MAX + 1 - had));
	if (b->error)
		return -TA_HTTP_HEAD_TOO_LONG;
	rc = check_start(b->data, b->len);
	if (rc < 0)
		return rc;
	/* The empty line may begin three bytes before what is new. */
	n = head_length(b->data + from, b->len - from);
	n = n ? n + from : 0;
	if (!n) {
		*used = len;
		return b->len > TA_HTTP_HEAD_MAX ? -TA_HTTP_HEAD_TOO_LONG : 0;
	}
	*used = n - had;
	rc = read_head(r, b->data, n);
	ta_buf_reset(b);
	return rc;
}

static int hex(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "1a;name=value" */
static int read_chunk_size(struct ta_http_reply *r, const char *line, size_t len)
{
	uint64_t n = 0;
	size_t i = 0;

	for (; i < len && hex(line[i]) >= 0; i++) {
		if (i >= 15)
			return -TA_HTTP_BAD_CHUNK;
		n = n * 16 + (uint64_t)hex(line[i]);
	}
	if (!i || (i < len && line[i] != ';' && line[i] != ' ' && line[i] != '\t'))
		return -TA_HTTP_BAD_CHUNK;
	r->left = n;
	r->state = n ? TA_HTTP_CHUNK : TA_HTTP_TRAILER;
	return 0;
}

static int read_line(struct ta_http_reply *r, const char *line, size_t len)
{
	if (len && line[len - 1] == '\r')
		len--;
	if (r->state == TA_HTTP_CHUNK_SIZE)
		return read_chunk_size(r, line, len);
	if (r->state == TA_HTTP_TRAILER)
		return len == 0;
	if (len)
		return -TA_HTTP_BAD_CHUNK;
	r->state = TA_HTTP_CHUNK_SIZE;
	return 0;
}

/* Chunk sizes, the ends of chunks, trailers. */
static int feed_line(struct ta_http_reply *r, const char *data, size_t len, size_t *used)
{
	const char *nl = memchr(data, '\n', len);
	size_t n = nl ? (size_t)(nl - data) : len;
	struct ta_buf *b = &r->partial;
	int rc;

	if (n > TA_HTTP_HEAD_MAX - b->len)
		return -TA_HTTP_BAD_CHUNK;
	*used = nl ? n + 1 : n;
	if (nl && !b->len)
		return read_line(r, data, n);
	ta_buf_add(b, data, n);
	if (b->error)
		return -TA_HTTP_BAD_CHUNK;
	if (!nl)
		return 0;
	rc = read_line(r, ta_buf_text(b), b->len);
	ta_buf_reset(b);
	return rc;
}

static int feed_body(struct ta_http_reply *r, size_t len, size_t *used)
{
	size_t n = r->left < len ? (size_t)r->left : len;

	*used = n;
	r->left -= n;
	if (r->left)
		return 0;
	if (r->state == TA_HTTP_BODY)
		return 1;
	r->state = TA_HTTP_CHUNK_END;
	return 0;
}

static int feed_once(struct ta_http_reply *r, const char *data, size_t len, size_t *used)
{
	switch (r->state) {
	case TA_HTTP_HEAD:
		return feed_head(r, data, len, used);
	case TA_HTTP_BODY:
	case TA_HTTP_CHUNK:
		return feed_body(r, len, used);
	case TA_HTTP_UNTIL_CLOSE:
		*used = len;
		return 0;
	default:
		return feed_line(r, data, len, used);
	}
}

int ta_http_reply_feed(struct ta_http_reply *r, const char *data, size_t len, size_t *used)
{
	int rc = 0;
	size_t at = recall(r, data, len, &rc);

	while (at < len && rc == 0) {
		size_t n = 0;

		rc = feed_once(r, data + at, len - at, &n);
		at += n;
	}
	*used = at;
	if (rc == 1)
		ta_http_reply_reset(r);
	return rc;
}

int ta_http_reply_end(struct ta_http_reply *r)
{
	if (r->state == TA_HTTP_UNTIL_CLOSE) {
		ta_http_reply_reset(r);
		return 1;
	}
	return r->state == TA_HTTP_HEAD && !r->partial.len ? 0 : -TA_HTTP_CUT;
}
