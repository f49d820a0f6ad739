/*
 * When batches are due. With a rate the schedule is fixed before the run and does not wait for the server: a batch that could
 * not be sent in time counts from when it was due (no coordinated omission). Without, a batch is due when its
 * connection is free.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct ta_pace {
	double interval_ns; /* of this thread; 0: closed loop */
	uint64_t base_ns;
	uint64_t next; /* number of the batch that is due next */
};

/* Thread `index` of `threads` takes every threads-th batch of the schedule that begins at `base_ns`. */
void ta_pace_init(struct ta_pace *p, double rate, unsigned threads, unsigned index, uint64_t base_ns);

static inline bool ta_pace_is_open(const struct ta_pace *p)
{
	return p->interval_ns > 0;
}

static inline uint64_t ta_pace_due(const struct ta_pace *p)
{
	return p->base_ns + (uint64_t)(p->interval_ns * (double)p->next);
}
