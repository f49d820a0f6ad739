/*
 * Netlink answers as bytes. Live replies, recorded files and fuzz input all go
 * through ta_nl_parse(); nothing else in the door looks at them.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "host/host.h"

/* Larger answers are refused (-EFBIG): no machine has so many interfaces or listeners. */
#define TA_NL_CAP (64u << 20)

/*
 * Gives each reply message in `bytes` (aligned to 4) to `fn`, until the end of the answer: DONE,
 * ACK or an error; or the end of the bytes if the last message was not one of several (NLM_F_MULTI).
 *
 * 0, the error that the kernel sent, what a negative `fn` returned, -EINTR (all were given, but the dump was
 * interrupted), -ENOBUFS (overrun), -EBADMSG (malformed, or the end of the answer is missing).
 */
int ta_nl_parse(const void *bytes, size_t len, ta_nl_fn *fn, void *ctx);

/* What is in the first `len` bytes of an answer, to know whether to receive more. */
struct ta_nl_progress {
	bool done;        /* the answer is whole, or hopeless */
	bool interrupted; /* NLM_F_DUMP_INTR was seen */
};

/* Messages of another sequence number than `seq` (an answer that came too late) are cut out of `bytes`; the new length. */
size_t ta_nl_scan(void *bytes, size_t len, uint32_t seq, struct ta_nl_progress *progress);

/* The sockets of a live host: opened at the first question, one for each protocol. */
#define TA_NL_PROTOCOLS 32 /* MAX_LINKS, include/uapi/linux/netlink.h */

struct nl_sock;

struct ta_nl_sockets {
	struct nl_sock *sock[TA_NL_PROTOCOLS];
	uint32_t seq;
	size_t chunk; /* bytes asked for at a time; grows when a datagram was larger */
};

/* Sends `request`, waits for the whole answer (2 s without a word: -ETIMEDOUT) and puts it into `ret`. */
int ta_nl_ask(struct ta_nl_sockets *s, int protocol, struct nlmsghdr *request, struct ta_buf *ret);

/* The same for a request that changes something: sent once, whatever comes back, and always with an ACK asked for. */
int ta_nl_tell(struct ta_nl_sockets *s, int protocol, struct nlmsghdr *request, struct ta_buf *ret);

/* What the kernel says in an error (extended ACK) of such an answer, without control characters; "" where it says nothing. */
void ta_nl_words(const void *bytes, size_t len, struct ta_buf *ret);

void ta_nl_close(struct ta_nl_sockets *s);
