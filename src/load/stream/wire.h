/*
 * How the two ends of a stream run talk. The server greets each connection with one line; the client answers with one:
 *
 *     TUNEAUDIT-STREAM 1
 *     SEND | DISCARD | RECEIVE | BOTH          this connection carries bytes: to the server (which copies or discards them),
 *                                              from it, or both ways, until the client ends it
 *     DATAGRAMS SEND|RECEIVE SIZE RATE SEGMENTS    this one controls datagrams: below
 *
 * For datagrams the server opens a UDP socket beside, and answers
 *
 *     PORT port TOKEN 16 hex digits SEGMENTS 0|1
 *
 * Each datagram begins with struct ta_stream_head, which has the token; others are not looked at. A server that sends does so only to
 * the address that this connection comes from, to the port from which a datagram with the token came, at most as
 * fast as was asked, and only while this connection stands. The client ends with
 *
 *     END sent         and gets:     GOT packets bytes duplicates reordered jitter_ns | SENT packets
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define TA_STREAM_NAME "TUNEAUDIT-STREAM "
#define TA_STREAM_GREETING TA_STREAM_NAME "1\n"
#define TA_STREAM_LINE_MAX 128u

#define TA_DATAGRAM_LEAST 32u
#define TA_DATAGRAM_MOST 8972u /* fits into a jumbo frame */
#define TA_DATAGRAM_RATE_MAX 100000000u /* per second */

enum ta_stream_kind { TA_STREAM_SEND, TA_STREAM_DISCARD, TA_STREAM_RECEIVE, TA_STREAM_BOTH, TA_STREAM_DATAGRAMS };

struct ta_stream_order {
	enum ta_stream_kind kind;
	/* of datagrams */
	bool to_client;
	unsigned bytes;	   /* of each */
	unsigned rate;	   /* per second, 0: as fast as it goes */
	bool segments;	   /* GSO of the sender or GRO of the receiver is wanted at the server */
};

void ta_stream_order_print(const struct ta_stream_order *o, struct ta_buf *b);
/* A line without its LF. 0 or -EINVAL. */
int ta_stream_order_read(const char *line, struct ta_stream_order *ret);

struct ta_stream_offer {
	unsigned port;
	uint64_t token;
	bool segments; /* the kernel there can, and it was asked for */
};

void ta_stream_offer_print(const struct ta_stream_offer *o, struct ta_buf *b);
int ta_stream_offer_read(const char *line, struct ta_stream_offer *ret);

struct ta_stream_report {
	uint64_t packets, bytes, duplicates, reordered, jitter_ns; /* bytes: of the datagrams */
};

void ta_stream_report_print(const struct ta_stream_report *r, struct ta_buf *b);
int ta_stream_report_read(const char *line, struct ta_stream_report *ret);

/* "END n", "SENT n". */
int ta_stream_number_read(const char *line, const char *word, uint64_t *ret);

/* At the start of each datagram, in network byte order. */
struct ta_stream_head {
	uint64_t token;
	uint64_t number; /* from 0 */
	uint64_t sent_ns; /* the sender's clock, when the batch that it was part of was made */
	uint32_t counts; /* 0: warm-up */
	uint32_t zero;
};
