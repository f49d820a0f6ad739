/*
 * HTTP replies and requests from any bytes. In pieces (the first byte says how long) they must mean what they mean
 * in one piece, and with a memo of the last head what they mean without one.
 */
#include <stdlib.h>
#include <string.h>

#include "load/http.h"
#include "load/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	unsigned replies, statuses;
	int rc, end;
};

static struct outcome feed(const char *bytes, size_t len, size_t piece, struct ta_http_memo *memo)
{
	struct ta_http_reply r = {.memo = memo};
	struct outcome o = {0};

	for (size_t at = 0; at < len && o.rc >= 0;) {
		size_t n = TA_MIN(piece, len - at), used = 0;

		o.rc = ta_http_reply_feed(&r, bytes + at, n, &used);
		if (used > n || (o.rc == 0 && used != n))
			abort();
		if (o.rc == 1) {
			o.replies++;
			o.statuses += r.status;
		}
		at += used;
	}
	o.end = o.rc < 0 ? 0 : ta_http_reply_end(&r);
	ta_http_reply_done(&r);
	return o;
}

static void read_requests(const char *at, size_t len)
{
	while (len) {
		size_t used;
		enum ta_request_kind kind = ta_request_read(at, len, &used);

		if (used > len || !used)
			abort();
		if (kind == TA_REQUEST_MORE || kind > TA_REQUEST_LAST)
			return;
		at += used;
		len -= used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 1;
	struct ta_http_memo memo = {0};
	struct outcome whole, pieces, again;

	if (size < 2 || size > 200000)
		return 0;
	size--;
	whole = feed(bytes, size, size, NULL);
	pieces = feed(bytes, size, 1u + data[0] % 32, NULL);
	feed(bytes, size, size, &memo);
	again = feed(bytes, size, size, &memo);
	if (whole.replies != pieces.replies || whole.statuses != pieces.statuses || whole.end != pieces.end ||
		(whole.rc < 0) != (pieces.rc < 0))
		abort();
	if (whole.replies != again.replies || whole.statuses != again.statuses || whole.end != again.end || whole.rc != again.rc)
		abort();
	read_requests(bytes, size);
	return 0;
}
