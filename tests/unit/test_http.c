/* HTTP replies and requests: whole, in pieces, pipelined, wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "load/http.h"
#include "load/request.h"
#include "load/server.h"

/* What became of some bytes: replies, then the state at the end. */
struct outcome {
	unsigned replies, status;
	bool keep_alive;
	int rc;	 /* of the last feed */
	int end; /* of the end of the connection */
};

/* One for all: none of the replies here may mean something else because of the one before it. */
static struct ta_http_memo memo;

static struct outcome feed(const char *bytes, size_t len, size_t piece)
{
	struct ta_http_reply r = {.memo = &memo};
	struct outcome o = {0};

	for (size_t at = 0; at < len && o.rc >= 0;) {
		size_t n = TA_MIN(piece, len - at), used = 0;

		o.rc = ta_http_reply_feed(&r, bytes + at, n, &used);
		assert_true(used <= n && (o.rc || used == n));
		if (o.rc == 1) {
			o.replies++;
			o.status = r.status;
			o.keep_alive = r.keep_alive;
		}
		at += used;
	}
	o.end = o.rc < 0 ? 0 : ta_http_reply_end(&r);
	ta_http_reply_done(&r);
	return o;
}

static const struct {
	const char *bytes;
	struct outcome want;
} replies[] = {
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok", {1, 200, true, 1, 0}},
	{"HTTP/1.1 200\r\nContent-Length:2\r\n\r\nok", {1, 200, true, 1, 0}},
	{"HTTP/1.1 200 OK\nContent-Length: 2\n\nok", {1, 200, true, 1, 0}},
	{"HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 304 Not\r\n\r\n", {2, 304, true, 1, 0}},
	{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", {1, 200, false, 1, 0}},
	{"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", {1, 200, false, 1, 0}},
	{"HTTP/1.0 200 OK\r\nConnection: a, Keep-Alive\r\nContent-Length: 0\r\n\r\n", {1, 200, true, 1, 0}},
	{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 Busy\r\ncontent-length: 1\r\n\r\n!", {1, 503, true, 1, 0}},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nA: b\r\n\r\n",
		{1, 200, true, 1, 0}},
	{"HTTP/1.1 200 OK\r\n\r\nuntil the end", {0, 0, false, 0, 1}},
	{"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort", {0, 0, false, 0, -TA_HTTP_CUT}},
	{"HTTP/1.1 200 OK\r\nContent-Le", {0, 0, false, 0, -TA_HTTP_CUT}},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok", {1, 200, true, 1, 0}},
	{"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nok", {0, 0, false, -TA_HTTP_BAD_LENGTH, 0}},
	{"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_LENGTH, 0}},
	{"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_LENGTH, 0}},
	{"HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_LENGTH, 0}},
	{"HTTP/2 200 OK\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_STATUS_LINE, 0}},
	{"HTTP/1.1 2000 OK\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_STATUS_LINE, 0}},
	{"HTTP/1.1 20 OK\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_STATUS_LINE, 0}},
	{"SSH-2.0-OpenSSH_9.2\r\n", {0, 0, false, -TA_HTTP_BAD_STATUS_LINE, 0}},
	{"\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_STATUS_LINE, 0}},
	{"HTTP/1.1 200 OK\r\nno colon\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_FIELD, 0}},
	{"HTTP/1.1 200 OK\r\n: empty\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_FIELD, 0}},
	{"HTTP/1.1 200 OK\r\nA : b\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_FIELD, 0}},
	{"HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_FIELD, 0}},
	{"HTTP/1.1 200 OK\r\nA: b\rc\r\n\r\n", {0, 0, false, -TA_HTTP_BAD_FIELD, 0}},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", {0, 0, false, -TA_HTTP_BAD_CHUNK, 0}},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n", {0, 0, false, -TA_HTTP_BAD_CHUNK, 0}},
	{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n", {0, 0, false, -TA_HTTP_BAD_CHUNK, 0}},
};

static bool equal(const struct outcome *a, const struct outcome *b)
{
	return a->replies == b->replies && a->status == b->status && a->keep_alive == b->keep_alive && a->rc == b->rc &&
	       a->end == b->end;
}

static void test_replies(void **state)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(replies); i++) {
		const char *bytes = replies[i].bytes;

		for (size_t piece = 1; piece <= strlen(bytes); piece++) {
			struct outcome is = feed(bytes, strlen(bytes), piece);

			if (!equal(&is, &replies[i].want))
				fail_msg("%s\nin pieces of %zu: %u replies, status %u, %d, rc %d, end %d", bytes, piece, is.replies,
					is.status, is.keep_alive, is.rc, is.end);
		}
	}
}

/* What a memo says is what the same bytes said; a byte that differs is read. */
static void test_memo(void **state)
{
	static const char *const all[] = {
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nno",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok!",
		"HTTP/1.1 500 OK\r\nContent-Length: 3\r\n\r\nok!",
		"HTTP/1.0 500 OK\r\nContent-Length: 3\r\n\r\nok!",
		"HTTP/1.1 204 OK\r\nContent-Length: 3\r\n\r\n",
		"HTTP/1.1 200 OK\r\n\r\n",
		"HTTP/1.1 100 Go on\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++)
		for (size_t k = 0; k < TA_ARRAY_SIZE(all); k++) {
			struct outcome fresh, again;

			memo.len = 0;
			fresh = feed(all[k], strlen(all[k]), strlen(all[k]));
			assert_true(memo.len && memo.len <= strlen(all[k]));
			feed(all[i], strlen(all[i]), strlen(all[i]));
			again = feed(all[k], strlen(all[k]), strlen(all[k]));
			if (!equal(&fresh, &again))
				fail_msg("%s\nafter\n%s", all[k], all[i]);
		}
	/* It is used: with another meaning put into it, that is what comes out. */
	feed(all[0], strlen(all[0]), strlen(all[0]));
	memo.status = 299;
	assert_int_equal(feed(all[0], strlen(all[0]), strlen(all[0])).status, 299);
	memo.len = 0;
}

static void test_nul(void **state)
{
	static const char bytes[] = "HTTP/1.1 200 OK\r\nA: \0\r\n\r\n";

	assert_int_equal(feed(bytes, sizeof(bytes) - 1, 100).rc, -TA_HTTP_BAD_FIELD);
	assert_int_equal(feed(bytes, sizeof(bytes) - 1, 1).rc, -TA_HTTP_BAD_FIELD);
}

/* A head that never ends is given up, whatever its pieces. */
static void test_long_heads(void **state)
{
	size_t len = 3 * TA_HTTP_HEAD_MAX;
	char *bytes = malloc(len);

	memset(bytes, 'a', len);
	memcpy(bytes, "HTTP/1.1 200 OK\r\nX: ", 20);
	assert_int_equal(feed(bytes, len, len).rc, -TA_HTTP_HEAD_TOO_LONG);
	assert_int_equal(feed(bytes, len, 1000).rc, -TA_HTTP_HEAD_TOO_LONG);
	assert_int_equal(feed(bytes, len, 1).rc, -TA_HTTP_HEAD_TOO_LONG);
	for (size_t i = 17; i + 4 <= len; i += 4)
		memcpy(bytes + i, "A:\r\n", 4);
	assert_int_equal(feed(bytes, len, 1000).rc, -TA_HTTP_HEAD_TOO_LONG);
	memcpy(bytes + 17 + 4 * (TA_HTTP_FIELDS_MAX + 10), "\r\n\r\n", 4);
	assert_int_equal(feed(bytes, len, len).rc, -TA_HTTP_HEAD_TOO_LONG);
	free(bytes);
}

static enum ta_request_kind request(const char *text, size_t *used)
{
	return ta_request_read(text, strlen(text), used);
}

static void test_requests(void **state)
{
	static const struct {
		const char *text;
		enum ta_request_kind want;
	} all[] = {
		{"GET / HTTP/1.1\r\n\r\n", TA_REQUEST_GET},
		{"GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n", TA_REQUEST_GET},
		{"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", TA_REQUEST_HEAD},
		{"GET / HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n", TA_REQUEST_LAST},
		{"GET / HTTP/1.1\r\nHost: x\r\n", TA_REQUEST_MORE},
		{"G", TA_REQUEST_MORE},
		{"POST / HTTP/1.1\r\n\r\n", TA_REQUEST_METHOD},
		{"GET / HTTP/1.1\r\nContent-Length: 5\r\n\r\n", TA_REQUEST_BAD},
		{"GET / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", TA_REQUEST_BAD},
		{"GET / HTTP/1.0\r\n\r\n", TA_REQUEST_BAD},
		{"GET x HTTP/1.1\r\n\r\n", TA_REQUEST_METHOD},
		{"*1\r\n$4\r\nPING\r\n", TA_REQUEST_BAD},
		{"\x16\x03\x01", TA_REQUEST_BAD},
		{"GETTING/ HTTP/1.1\r\n\r\n", TA_REQUEST_BAD},
	};
	char *text;
	size_t used;

	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++)
		if (request(all[i].text, &used) != all[i].want)
			fail_msg("%s: %d", all[i].text, request(all[i].text, &used));
	assert_int_equal(request("GET / HTTP/1.1\r\n\r\nGET /", &used), TA_REQUEST_GET);
	assert_int_equal(used, 18);
	text = malloc(TA_SERVER_HEAD_MAX + 1);
	memset(text, 'A', TA_SERVER_HEAD_MAX);
	text[TA_SERVER_HEAD_MAX] = '\0';
	memcpy(text, "GET /", 5);
	assert_int_equal(request(text, &used), TA_REQUEST_TOO_LONG);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_replies),
		cmocka_unit_test(test_memo),
		cmocka_unit_test(test_nul),
		cmocka_unit_test(test_long_heads),
		cmocka_unit_test(test_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
