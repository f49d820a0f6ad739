/*
 * RESP, the protocol of Redis and its kin: replies as a client reads them, in any pieces, and requests as a server does. Version 2, and
 * the types of version 3. https://redis.io/docs/latest/develop/reference/protocol-spec/
 *
 * Nothing of a reply is kept but its kind, so that memory is the size of the struct whatever a server sends.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macros.h"

#define TA_RESP_LINE_MAX (64u << 10)	     /* bytes of a simple string or error */
#define TA_RESP_BULK_MAX ((int64_t)512 << 20) /* of a bulk string: proto-max-bulk-len, as Redis has it unless told otherwise */
#define TA_RESP_ELEMENTS_MAX (1 << 20)	     /* of an array */
#define TA_RESP_DEPTH_MAX 16
#define TA_RESP_WORD_MAX 16 /* of the first word of an error, with its NUL */

/* What may be wrong with a reply; the names are those of the report. */
enum ta_resp_error {
	TA_RESP_OK,
	TA_RESP_BAD_TYPE,   /* begins with a byte that is no type */
	TA_RESP_BAD_NUMBER, /* a length or integer that is none */
	TA_RESP_BAD_LINE,   /* a line that does not end with CR LF */
	TA_RESP_BAD_END,    /* a bulk string that is longer or shorter than was said */
	TA_RESP_TOO_LONG,   /* over one of the limits above */
	TA_RESP_TOO_DEEP,
	TA_RESP_CUT, /* the connection ended inside it */
};

enum ta_resp_state { TA_RESP_TYPE, TA_RESP_NUMBER, TA_RESP_LINE, TA_RESP_LINE_END, TA_RESP_BULK, TA_RESP_BULK_CR, TA_RESP_BULK_LF };

struct ta_resp_reply {
	uint8_t state; /* enum ta_resp_state */
	char type;     /* of what is being read: '+', '-', ':', '$', '*', and those of version 3 */
	bool begun;    /* a reply, or what stands before one */
	bool pushed;   /* the outermost aggregate is a push */
	bool negative;
	uint8_t digits;	 /* of the number so far */
	uint8_t depth;	 /* open aggregates */
	uint16_t beside; /* bit N: the aggregate at depth N is no element of the one around it (attribute, push) */
	int64_t number;
	int64_t left;			 /* bytes of the line (up to its limit) or of the bulk string */
	uint32_t open[TA_RESP_DEPTH_MAX]; /* elements that are still to come */
	/* Of the reply itself, set when it is whole. */
	bool is_error, is_nil;
	char word[TA_RESP_WORD_MAX]; /* of an error: "ERR", "MOVED", "LOADING"; "" otherwise */
	uint8_t n_word;
};

/* Ready for the next reply: zeroed memory is, too. */
void ta_resp_reply_reset(struct ta_resp_reply *r);

/*
 * Takes bytes of a reply, `*used` of them. 1: the reply is whole (is_error, is_nil, word are set until the next call; what is left of the bytes
 * belongs to the next one), 0: more is needed, or a negative enum ta_resp_error. Pushes are skipped.
 */
int ta_resp_reply_feed(struct ta_resp_reply *r, const char *data, size_t len, size_t *used);

/* The connection ended: 0 if no reply had begun, else -TA_RESP_CUT. */
int ta_resp_reply_end(const struct ta_resp_reply *r);

const char *ta_resp_error_name(enum ta_resp_error e); /* "bad-type" … */

#define TA_RESP_ARGS_MAX 64u

struct ta_resp_request {
	unsigned n; /* words; 0: an empty line, which asks nothing */
	struct {
		const char *at;
		size_t len;
	} args[TA_RESP_ARGS_MAX];
};

enum ta_resp_request_kind {
	TA_RESP_REQUEST_MORE, /* not whole yet */
	TA_RESP_REQUEST_WHOLE,
	TA_RESP_REQUEST_BAD,
	TA_RESP_REQUEST_TOO_LONG, /* more words than TA_RESP_ARGS_MAX */
};

/*
 * The request at the start of `data`: an array of bulk strings, or a line of words. `args` point into `data`. `*used` is its length
 * if it is whole.
 */
enum ta_resp_request_kind ta_resp_request_read(const char *data, size_t len, struct ta_resp_request *ret, size_t *used);
