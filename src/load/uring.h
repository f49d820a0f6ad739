/*
 * A ring as both ends of a load run use it: one thread's, its completions worked off in that thread, with a ring of
 * buffers that receives take their memory from. Needs Linux 6.1 (IORING_SETUP_DEFER_TASKRUN); then all that is used is there.
 */
#pragma once

#include <liburing.h>
#include <stdint.h>

#include "base/err.h"

#define TA_URING_BUFFER_BYTES (16u << 10)
#define TA_URING_GROUP 0

struct ta_uring {
	struct io_uring ring;
	struct io_uring_buf_ring *buffers;
	char *memory;	   /* of the buffers */
	unsigned returned; /* buffers given back since the ring was told */
};

/* 0 or -errno; on failure there is nothing to free. By the thread that will use it. */
int ta_uring_init(struct ta_uring *u);
void ta_uring_done(struct ta_uring *u);

/* 0, or why a ring cannot be used here. */
int ta_uring_usable(struct ta_err *err);

/* A full queue is handed over first. NULL only where even that does not help. */
struct io_uring_sqe *ta_uring_sqe(struct ta_uring *u);

/* A receive that stays armed. 0 or -EAGAIN. */
int ta_uring_receive(struct ta_uring *u, int fd, uint64_t tag);

/* What a completion of it received, or NULL where it has no buffer; give it back when it is read. */
const char *ta_uring_data(const struct ta_uring *u, const struct io_uring_cqe *cqe);
void ta_uring_return(struct ta_uring *u, const struct io_uring_cqe *cqe);

/* Hands over what is queued and waits at most `ns` for so many completions. 0 or -errno. */
int ta_uring_wait(struct ta_uring *u, unsigned completions, uint64_t ns);

/* `n` completions were worked off. */
void ta_uring_advance(struct ta_uring *u, unsigned n);
