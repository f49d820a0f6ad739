/* RESP replies and requests: each type, in pieces, pipelined, wrong; and trees made at random. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "load/resp.h"

/* What became of some bytes: replies, what the last one was, the state at the end. */
struct outcome {
	unsigned replies, errors, nils;
	const char *word; /* of the last reply */
	int rc, end;
};

static char word[TA_RESP_WORD_MAX];

static struct outcome feed(const char *bytes, size_t len, size_t piece)
{
	struct ta_resp_reply r = {0};
	struct outcome o = {.word = word};

	word[0] = '\0';
	for (size_t at = 0; at < len && o.rc >= 0;) {
		size_t n = TA_MIN(piece, len - at), used = 0;

		o.rc = ta_resp_reply_feed(&r, bytes + at, n, &used);
		assert_true(used && used <= n && (o.rc || used == n));
		if (o.rc == 1) {
			o.replies++;
			o.errors += r.is_error;
			o.nils += r.is_nil;
			memcpy(word, r.word, sizeof(word));
		}
		at += used;
	}
	o.end = o.rc < 0 ? 0 : ta_resp_reply_end(&r);
	return o;
}

static const struct {
	const char *bytes;
	struct outcome want;
} replies[] = {
	{"+OK\r\n", {1, 0, 0, "", 1, 0}},
	{"+PONG\r\n+\r\n", {2, 0, 0, "", 1, 0}},
	{"$3\r\nabc\r\n$0\r\n\r\n$12\r\n0123456789ab\r\n", {3, 0, 0, "", 1, 0}},
	{"$3\r\n\r\n\n\r\n", {1, 0, 0, "", 1, 0}},
	{"$-1\r\n*-1\r\n_\r\n", {3, 0, 3, "", 1, 0}},
	{":0\r\n:-42\r\n:+7\r\n:-9223372036854775808\r\n:9223372036854775807\r\n", {5, 0, 0, "", 1, 0}},
	{"-ERR unknown command\r\n", {1, 1, 0, "ERR", 1, 0}},
	{"-MOVED 3999 127.0.0.1:6381\r\n", {1, 1, 0, "MOVED", 1, 0}},
	{"-LOADING Redis is loading the dataset in memory\r\n", {1, 1, 0, "LOADING", 1, 0}},
	{"-NOAUTH Authentication required.\r\n", {1, 1, 0, "NOAUTH", 1, 0}},
	{"-NOAUTH no\r\n+OK\r\n", {2, 1, 0, "", 1, 0}},
	{"-A_WORD_THAT_IS_LONGER_THAN_SIXTEEN\r\n", {1, 1, 0, "A_WORD_THAT_IS_", 1, 0}},
	{"-lower\r\n", {1, 1, 0, "", 1, 0}},
	{"!21\r\nSYNTAX invalid syntax\r\n", {1, 1, 0, "SYNTAX", 1, 0}},
	{"*0\r\n*2\r\n$1\r\na\r\n$-1\r\n", {2, 0, 0, "", 1, 0}},
	{"*3\r\n*2\r\n:1\r\n-ERR inside\r\n*0\r\n*1\r\n*-1\r\n", {1, 0, 0, "", 1, 0}},
	{"*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", {1, 0, 0, "", 1, 0}},
	/* version 3 */
	{"#t\r\n#f\r\n,1.5\r\n,inf\r\n(349285\r\n=15\r\ntxt:Some string\r\n", {6, 0, 0, "", 1, 0}},
	{"%2\r\n+a\r\n:1\r\n+b\r\n*1\r\n:2\r\n~1\r\n:1\r\n%0\r\n", {3, 0, 0, "", 1, 0}},
	{"|1\r\n+ttl\r\n:60\r\n$1\r\na\r\n", {1, 0, 0, "", 1, 0}},
	{"*2\r\n|1\r\n+k\r\n:1\r\n:1\r\n:2\r\n", {1, 0, 0, "", 1, 0}},
	{"|0\r\n+OK\r\n", {1, 0, 0, "", 1, 0}},
	{">2\r\n+message\r\n+x\r\n+OK\r\n>0\r\n", {1, 0, 0, "", 0, 0}},
	/* cut */
	{"+O", {0, 0, 0, "", 0, -TA_RESP_CUT}},
	{"$5\r\nabc", {0, 0, 0, "", 0, -TA_RESP_CUT}},
	{"*2\r\n:1\r\n", {0, 0, 0, "", 0, -TA_RESP_CUT}},
	{"|1\r\n+k\r\n:1\r\n", {0, 0, 0, "", 0, -TA_RESP_CUT}},
	{"+OK\r\n$1\r\na\r", {1, 0, 0, "", 0, -TA_RESP_CUT}},
	/* wrong */
	{"HTTP/1.1 200 OK\r\n", {0, 0, 0, "", -TA_RESP_BAD_TYPE, 0}},
	{"\r\n", {0, 0, 0, "", -TA_RESP_BAD_TYPE, 0}},
	{"$x\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"$\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"$-2\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"$--1\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"$1-\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"~-1\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"!-1\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{":9223372036854775808\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{":99999999999999999999\r\n", {0, 0, 0, "", -TA_RESP_BAD_NUMBER, 0}},
	{"$3\nabc\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"$3\r\rabc\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"+a\nb\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"+a\rb\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"#x\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"#\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"#tt\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"_x\r\n", {0, 0, 0, "", -TA_RESP_BAD_LINE, 0}},
	{"$3\r\nabcd\r\n", {0, 0, 0, "", -TA_RESP_BAD_END, 0}},
	{"$3\r\nab\r\n+OK\r\n", {0, 0, 0, "", -TA_RESP_BAD_END, 0}},
	{"$3\r\nabc\rx", {0, 0, 0, "", -TA_RESP_BAD_END, 0}},
	{"$536870913\r\n", {0, 0, 0, "", -TA_RESP_TOO_LONG, 0}},
	{"*1048577\r\n", {0, 0, 0, "", -TA_RESP_TOO_LONG, 0}},
	{"*1\r\n>1\r\n", {0, 0, 0, "", -TA_RESP_BAD_TYPE, 0}},
};

static void replies_are_read(void **state)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(replies); i++) {
		size_t len = strlen(replies[i].bytes);

		for (size_t piece = 1; piece <= len; piece++) {
			struct outcome got = feed(replies[i].bytes, len, piece), want = replies[i].want;

			if (got.replies != want.replies || got.errors != want.errors || got.nils != want.nils || got.rc != want.rc ||
				got.end != want.end || strcmp(got.word, want.word))
				fail_msg("%s\nin pieces of %zu: %u replies, %u errors, %u nils, %s, rc %d, end %d", replies[i].bytes,
					piece, got.replies, got.errors, got.nils, got.word, got.rc, got.end);
		}
	}
}

static void what_does_not_end_is_refused(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct outcome o;

	ta_buf_addc(&b, '+');
	for (unsigned i = 0; i < TA_RESP_LINE_MAX; i++)
		ta_buf_addc(&b, 'a');
	ta_buf_adds(&b, "\r\n");
	assert_int_equal(feed(b.data, b.len, b.len).replies, 1);
	b.data[b.len - 2] = 'a';
	o = feed(b.data, b.len, 100);
	assert_int_equal(o.rc, -TA_RESP_TOO_LONG);
	ta_buf_reset(&b);
	for (unsigned i = 0; i < TA_RESP_DEPTH_MAX; i++)
		ta_buf_adds(&b, "*1\r\n");
	assert_int_equal(feed(b.data, b.len, b.len).end, -TA_RESP_CUT);
	ta_buf_adds(&b, "*1\r\n");
	assert_int_equal(feed(b.data, b.len, b.len).rc, -TA_RESP_TOO_DEEP);
}

/* --- at random -------------------------------------------------------------- */

static uint64_t seed;

static unsigned any(unsigned below)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(seed >> 33) % below;
}

static void add_value(struct ta_buf *b, unsigned depth)
{
	unsigned kind = any(depth < 6 ? 12 : 7), n = any(20);

	switch (kind) {
	case 0:
		ta_buf_adds(b, any(2) ? "+OK\r\n" : "+\r\n");
		break;
	case 1:
		ta_buf_adds(b, "-MOVED 1\r\n");
		break;
	case 2:
		ta_buf_printf(b, ":%d\r\n", (int)any(1000) - 500);
		break;
	case 3:
		ta_buf_adds(b, "$-1\r\n");
		break;
	case 4:
	case 5:
		ta_buf_printf(b, "%c%u\r\n", kind == 4 ? '$' : '=', n);
		while (n--)
			ta_buf_addc(b, "\r\n$*ab\0"[any(7)]);
		ta_buf_adds(b, "\r\n");
		break;
	case 6:
		ta_buf_adds(b, any(2) ? "#t\r\n" : ",-1e5\r\n");
		break;
	case 7:
		ta_buf_adds(b, "|1\r\n");
		add_value(b, depth + 1);
		add_value(b, depth + 1);
		add_value(b, depth);
		break;
	default:
		n = any(4);
		ta_buf_printf(b, "%c%u\r\n", "*~%*"[kind - 8], n);
		for (unsigned i = 0; i < (kind == 10 ? 2 * n : n); i++)
			add_value(b, depth + 1);
	}
}

/* However the bytes arrive, as many replies come out as went in. One byte less is one reply less. */
static void trees_are_read_whole(void **state)
{
	for (unsigned round = 0; round < 2000; round++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
		unsigned n = 1 + any(5);

		for (unsigned i = 0; i < n; i++)
			add_value(&b, 0);
		for (unsigned k = 0; k < 4; k++) {
			struct outcome o = feed(b.data, b.len, 1 + any(k ? 40 : 1));

			assert_int_equal(o.replies, n);
			assert_int_equal(o.end, 0);
		}
		assert_int_equal(feed(b.data, b.len, b.len).replies, n);
		assert_int_equal(feed(b.data, b.len - 1, b.len).replies, n - 1);
	}
}

/* --- requests --------------------------------------------------------------- */

static const struct {
	const char *bytes;
	enum ta_resp_request_kind kind;
	unsigned n;
	const char *first, *last;
} requests[] = {
	{"*1\r\n$4\r\nPING\r\n", TA_RESP_REQUEST_WHOLE, 1, "PING", "PING"},
	{"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$5\r\na\r\nbc\r\n", TA_RESP_REQUEST_WHOLE, 3, "SET", "a\r\nbc"},
	{"*2\r\n$3\r\nGET\r\n$0\r\n\r\n", TA_RESP_REQUEST_WHOLE, 2, "GET", ""},
	{"*0\r\n", TA_RESP_REQUEST_WHOLE, 0, NULL, NULL},
	{"PING\r\n", TA_RESP_REQUEST_WHOLE, 1, "PING", "PING"},
	{"  set  a\tb \n", TA_RESP_REQUEST_WHOLE, 3, "set", "b"},
	{"\r\n", TA_RESP_REQUEST_WHOLE, 0, NULL, NULL},
	{"*x\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*-1\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*1\r\n+PING\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*1\r\n$4\r\nPINGG\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*1\r\n$4\nPING\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*1\r\n$99999999999\r\n", TA_RESP_REQUEST_BAD, 0, NULL, NULL},
	{"*65\r\n", TA_RESP_REQUEST_TOO_LONG, 0, NULL, NULL},
};

static void requests_are_read(void **state)
{
	for (size_t i = 0; i < TA_ARRAY_SIZE(requests); i++) {
		size_t len = strlen(requests[i].bytes), used;
		struct ta_resp_request r;

		assert_int_equal(ta_resp_request_read(requests[i].bytes, len, &r, &used), requests[i].kind);
		if (requests[i].kind != TA_RESP_REQUEST_WHOLE)
			continue;
		assert_int_equal(used, len);
		assert_int_equal(r.n, requests[i].n);
		if (r.n) {
			assert_int_equal(r.args[0].len, strlen(requests[i].first));
			assert_memory_equal(r.args[0].at, requests[i].first, r.args[0].len);
			assert_int_equal(r.args[r.n - 1].len, strlen(requests[i].last));
			assert_memory_equal(r.args[r.n - 1].at, requests[i].last, r.args[r.n - 1].len);
		}
		for (size_t n = 0; n < len; n++)
			assert_int_equal(ta_resp_request_read(requests[i].bytes, n, &r, &used), TA_RESP_REQUEST_MORE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(replies_are_read),
		cmocka_unit_test(what_does_not_end_is_refused),
		cmocka_unit_test(trees_are_read_whole),
		cmocka_unit_test(requests_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
