/*
 * A connection of the built-in stream server, from its greeting to its end, in a thread of its own: wire.h is what is said.
 */
#pragma once

#define TA_STREAM_ORDER_S 5	 /* a client that has not said what it wants by then is let go */
#define TA_STREAM_QUIET_S 60	 /* so is one whose bytes stand still */
#define TA_STREAM_LONGEST_S 7200 /* and one that sends or wants datagrams for so long */

/* Until the connection ends; the caller closes `fd`, and may shut it down to end this sooner. */
void ta_stream_session(int fd, unsigned number);

/*
 * A line of at most TA_STREAM_LINE_MAX bytes, without its LF, within TA_STREAM_ORDER_S if the socket has that patience. 0, -EPROTO (too
 * long), -ECONNRESET (ended), -ETIMEDOUT, or what recv(2) failed with.
 */
int ta_stream_read_line(int fd, char *ret);
int ta_stream_write(int fd, const char *text); /* 0 or -errno */
