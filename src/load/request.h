/*
 * HTTP/1.1 requests as the built-in server reads them: GET and HEAD without a body, in any pieces, pipelined.
 */
#pragma once

#include <stddef.h>

enum ta_request_kind {
	TA_REQUEST_MORE, /* not whole yet */
	TA_REQUEST_GET,
	TA_REQUEST_HEAD,
	TA_REQUEST_LAST,     /* a GET after which the client wants the connection closed */
	TA_REQUEST_BAD,	     /* 400 */
	TA_REQUEST_METHOD,   /* 405 */
	TA_REQUEST_TOO_LONG, /* 431 */
};

/* The request at the start of `data`; `*used` is its length unless it is TA_REQUEST_MORE. */
enum ta_request_kind ta_request_read(const char *data, size_t len, size_t *used);
