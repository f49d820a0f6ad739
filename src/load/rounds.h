/*
 * Rounds: how a thread that is at its limit works for many connections at once. Without a rate, a thread that has no idle
 * time left finds a few replies each time it looks, and pays for looking and for the two ends' CPUs fetching each other's
 * memory all the time. In rounds it waits until two thirds of what is on its way were answered, reads those replies one after
 * another, and sends all their next requests: the server has the others to work on meanwhile. (Half of it costs 3 to 5 % more
 * CPU time, more than two thirds spread latencies further without gain.)
 *
 * It changes no mean: with n connections that always have a request on the way the mean latency is n / (replies per second).
 * As soon as the thread has much idle time or replies come out of order, each is read when it comes, and so it is at a rate.
 */
#pragma once

#include "load/conn.h"

#define TA_ROUNDS_PATIENCE_NS (5 * TA_NS_PER_MS) /* how long a round waits at most */

struct ta_rounds {
	struct ta_conn **ring; /* on the way, in the order in which they were sent; room for all connections of the thread */
	unsigned size, first, n;
	bool on;
	/* Since the last look: */
	uint64_t looked_ns, idle_ns, replies;
	unsigned read, missed; /* connections that were tried, and those without a whole batch of replies */
	unsigned calm, backoff; /* looks to come that do not begin rounds again; how many it was the last time */
};

int ta_rounds_init(struct ta_rounds *r, const struct ta_conns *c); /* 0 or -ENOMEM */
void ta_rounds_done(struct ta_rounds *r);

/* Time that the thread waited for something to do. */
static inline void ta_rounds_idle(struct ta_rounds *r, uint64_t ns)
{
	r->idle_ns += ns;
}

/*
 * At each tick of the engine: whether rounds begin (1), end (-1: the ring may still have what nobody reads any more; the
 * engine does that and drops it), or all stays (0).
 */
int ta_rounds_look(struct ta_rounds *r, struct ta_conns *c);

/* An engine that reads by itself: the ring is filled with what is on its way. */
void ta_rounds_collect(struct ta_rounds *r, struct ta_conns *c);
void ta_rounds_drop(struct ta_rounds *r); /* the first, out of the ring */

/* The request of a connection is on its way. Only while rounds are on. */
void ta_rounds_add(struct ta_rounds *r, struct ta_conn *conn);

/* How many connections the next round is for; 0: nothing is on its way. The last of them is the one to wait for. */
unsigned ta_rounds_next(const struct ta_rounds *r);
struct ta_conn *ta_rounds_at(const struct ta_rounds *r, unsigned i);

/* The first `n` were read: those that still wait stay first, the others leave the ring. */
void ta_rounds_advance(struct ta_rounds *r, unsigned n);
