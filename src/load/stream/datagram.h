/*
 * Datagrams at a rate, and what becomes of them. Both ends of a run use both.
 */
#pragma once

#include <stdatomic.h>

#include "load/stream/arrivals.h"

struct ta_datagram_out {
	int fd; /* connected, blocks */
	uint64_t token;
	unsigned bytes; /* TA_DATAGRAM_LEAST … _MOST */
	double rate;	/* per second; 0: as fast as it goes */
	bool segments;	/* ta_datagram_segments() succeeded: the kernel cuts one send into many (GSO) */
	_Atomic bool ending; /* set by another thread */
	_Atomic bool counts; /* set by another thread: warm-up is over, and numbers begin anew */
	_Atomic uint64_t sent; /* that count */
	_Atomic int error;   /* errno that ended it, 0 */
};

/* Until it is to end or fails. */
void ta_datagram_send(struct ta_datagram_out *o);

/* UDP_SEGMENT, since Linux 4.18; UDP_GRO, since 5.0 (udp(7)). 0 or -errno: this kernel has none. */
int ta_datagram_segments(int fd, unsigned bytes);
int ta_datagram_join(int fd);

struct ta_datagram_in;

/* `join`: ta_datagram_join() succeeded. NULL: out of memory. */
struct ta_datagram_in *ta_datagram_in_new(int fd, uint64_t token, bool join);
void ta_datagram_in_free(struct ta_datagram_in *in);

/* Waits at most `wait_ms` for some. How many came with the token, or -errno. */
int ta_datagram_receive(struct ta_datagram_in *in, unsigned wait_ms);

void ta_datagram_report(const struct ta_datagram_in *in, struct ta_stream_report *ret); /* of those that count */
