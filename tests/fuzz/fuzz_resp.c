/*
 * RESP replies and requests from any bytes. In pieces (the first byte says how long) they must mean what they mean
 * in one piece.
 */
#include <stdlib.h>
#include <string.h>

#include "load/resp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	unsigned replies, errors, nils, words;
	int rc, end;
};

static struct outcome feed(const char *bytes, size_t len, size_t piece)
{
	struct ta_resp_reply r = {0};
	struct outcome o = {0};

	for (size_t at = 0; at < len && o.rc >= 0;) {
		size_t n = TA_MIN(piece, len - at), used = 0;

		o.rc = ta_resp_reply_feed(&r, bytes + at, n, &used);
		if (!used || used > n || (o.rc == 0 && used != n))
			abort();
		if (o.rc == 1) {
			o.replies++;
			o.errors += r.is_error;
			o.nils += r.is_nil;
			o.words += (unsigned)strlen(r.word);
		}
		at += used;
	}
	o.end = o.rc < 0 ? 0 : ta_resp_reply_end(&r);
	return o;
}

static void read_requests(const char *at, size_t len)
{
	while (len) {
		struct ta_resp_request r;
		size_t used;

		if (ta_resp_request_read(at, len, &r, &used) != TA_RESP_REQUEST_WHOLE)
			return;
		if (!used || used > len)
			abort();
		for (unsigned i = 0; i < r.n; i++)
			if (r.args[i].at < at || r.args[i].at + r.args[i].len > at + used)
				abort();
		at += used;
		len -= used;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data + 1;
	struct outcome whole, pieces;

	if (size < 2 || size > 200000)
		return 0;
	size--;
	whole = feed(bytes, size, size);
	pieces = feed(bytes, size, 1u + data[0] % 32);
	if (whole.replies != pieces.replies || whole.errors != pieces.errors || whole.nils != pieces.nils ||
		whole.words != pieces.words || whole.end != pieces.end || (whole.rc < 0) != (pieces.rc < 0))
		abort();
	read_requests(bytes, size);
	return 0;
}
