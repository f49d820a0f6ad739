#include "probe/gunzip.h"

#include <errno.h>
#include <stdint.h>
#include <zlib.h>

#define CHUNK (64u << 10)
#define GZIP_ONLY (15 + 16) /* window bits of zlib.h: a gzip header and nothing else */

static int inflate_some(z_stream *z, size_t cap, struct ta_buf *ret)
{
	int rc = ta_buf_reserve(ret, CHUNK), state;

	if (rc < 0)
		return rc;
	z->next_out = (Bytef *)ret->data + ret->len;
	z->avail_out = CHUNK;
	state = inflate(z, Z_NO_FLUSH);
	ret->len += CHUNK - z->avail_out;
	ret->data[ret->len] = '\0';
	if (ret->len > cap)
		return -EFBIG;
	if (state == Z_STREAM_END)
		return 1;
	if (state == Z_MEM_ERROR)
		return -ENOMEM;
	/* Without an end and nothing left to go on with it was cut short. */
	return state == Z_OK && (z->avail_in || !z->avail_out) ? 0 : -EBADMSG;
}

int ta_gunzip(const void *data, size_t len, size_t cap, struct ta_buf *ret)
{
	z_stream z = {.next_in = (Bytef *)data, .avail_in = (uInt)len};
	int rc = 0;

	if (len > UINT32_MAX / 2)
		return -EFBIG;
	ta_buf_reset(ret);
	if (inflateInit2(&z, GZIP_ONLY) != Z_OK)
		return -ENOMEM;
	while (rc == 0)
		rc = inflate_some(&z, cap, ret);
	inflateEnd(&z);
	if (rc < 0)
		ta_buf_reset(ret);
	return rc < 0 ? rc : 0;
}
