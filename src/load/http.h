/*
 * HTTP/1.1 replies, read as they come: strictly, in any pieces, with limits. RFC 9112.
 * Nothing of a reply is kept but what a load run counts.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define TA_HTTP_HEAD_MAX 65536u /* bytes of status line and fields */
#define TA_HTTP_FIELDS_MAX 256u

/* What may be wrong with a reply; the names are those of the report. */
enum ta_http_error {
	TA_HTTP_OK,
	TA_HTTP_BAD_STATUS_LINE, /* not HTTP/1.x NNN */
	TA_HTTP_BAD_FIELD,	 /* no colon, blanks before it, a bare CR, a NUL */
	TA_HTTP_BAD_LENGTH,	 /* Content-Length that is no number, or two that differ */
	TA_HTTP_BAD_CHUNK,
	TA_HTTP_HEAD_TOO_LONG,
	TA_HTTP_CUT, /* the connection ended inside it */
};

enum ta_http_state { TA_HTTP_HEAD, TA_HTTP_BODY, TA_HTTP_UNTIL_CLOSE, TA_HTTP_CHUNK_SIZE, TA_HTTP_CHUNK, TA_HTTP_CHUNK_END,
	TA_HTTP_TRAILER };

#define TA_HTTP_MEMO_MAX 512u

/*
 * The last whole head that was read, and what it said: most replies of a run begin with the same bytes as the one before, and
 * those need not be taken apart again. One may serve many replies of one thread. Zeroed memory is an empty one.
 */
struct ta_http_memo {
	size_t len;
	enum ta_http_state state;
	uint64_t left;
	unsigned status;
	bool keep_alive, complete;
	char head[TA_HTTP_MEMO_MAX];
};

struct ta_http_reply {
	struct ta_http_memo *memo; /* may be NULL */
	enum ta_http_state state;
	uint64_t left; /* bytes of the body or chunk that are still to come */
	unsigned status;
	bool keep_alive;      /* the connection may carry another request */
	struct ta_buf partial; /* a head or line that is not whole yet */
};

/* Ready for the next reply; keeps the memory and the memo. */
void ta_http_reply_reset(struct ta_http_reply *r);
void ta_http_reply_done(struct ta_http_reply *r);

/*
 * Takes bytes of a reply, `*used` of them. 1: the reply is whole (`status`, `keep_alive` are set; what is left of the
 * bytes belongs to the next one), 0: more is needed, or a negative enum ta_http_error. 1xx replies are skipped.
 */
int ta_http_reply_feed(struct ta_http_reply *r, const char *data, size_t len, size_t *used);

/* The connection ended: 1 if that completes a reply (its body lasts until then), 0 if none had begun, -TA_HTTP_CUT. */
int ta_http_reply_end(struct ta_http_reply *r);

const char *ta_http_error_name(enum ta_http_error e); /* "bad-status-line" … */
