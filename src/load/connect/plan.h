/*
 * Local ports of new connections: how many source addresses it takes that they do not run out, and whether they suffice.
 */
#pragma once

#include "base/err.h"
#include "load/room.h"

/* Who ends a connection, and so which side has it in TIME_WAIT for a minute. */
enum ta_close {
	TA_CLOSE_RESET,	 /* by RST: nobody */
	TA_CLOSE_SERVER, /* the server ends first: it */
	TA_CLOSE_CLIENT, /* the client ends first: it, and its port is not free meanwhile */
};

#define TA_TIME_WAIT_S 60 /* TCP_TIMEWAIT_LEN, include/net/tcp.h */
#define TA_TIME_WAIT_REUSE_S 1 /* where net.ipv4.tcp_tw_reuse allows it */

struct ta_connect_want {
	unsigned in_flight; /* at a time */
	double rate; /* a second; 0: as fast as it goes */
	double seconds; /* of the whole run */
	enum ta_close close;
	bool many_addresses; /* the target is on loopback: 127/8 has sources enough */
};

struct ta_connect_plan {
	unsigned sources; /* 0: the one that the kernel takes */
	double most_per_second; /* that the ports allow for longer than a TIME_WAIT; 0: they are no limit */
};

/* 0, or -E2BIG with what is wanted and what is there. */
int ta_connect_plan(const struct ta_room *room, const struct ta_connect_want *want, struct ta_connect_plan *ret,
	struct ta_err *err);
