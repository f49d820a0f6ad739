/*
 * Bytes through a TCP connection, as many as it takes, by a thread that does nothing else.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct ta_bulk {
	int fd; /* blocks */
	bool discard; /* received bytes are thrown away in the kernel (MSG_TRUNC, tcp(7)): they are not copied */
	_Atomic uint64_t bytes; /* so far; others may look */
	_Atomic int error; /* how it ended: 0 orderly or not at all, else errno */
};

/* Until the connection ends, fails, or is shut down by another thread. */
void ta_bulk_send(struct ta_bulk *b);
void ta_bulk_receive(struct ta_bulk *b);
