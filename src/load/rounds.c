#include "load/rounds.h"

#include <errno.h>
#include <stdlib.h>

#define CONNECTIONS_MIN 16   /* fewer are not worth it */
#define IDLE_BEGIN 0.15	     /* of the thread's time, less: it is at its limit */
#define IDLE_END 0.5	     /* more: the server is slower than the thread */
#define MISSED_END 0.25	     /* of the replies that a round expected, more: they do not come in order */
#define CALM_MIN 16	     /* looks until the next attempt after replies that did not come in order, twice as many each time */
#define CALM_MAX 512

int ta_rounds_init(struct ta_rounds *r, const struct ta_conns *c)
{
	*r = (struct ta_rounds){.size = c->worker->connections, .looked_ns = c->now};
	r->ring = malloc(r->size * sizeof(struct ta_conn *));
	return r->ring ? 0 : -ENOMEM;
}

void ta_rounds_done(struct ta_rounds *r)
{
	free(r->ring);
}

static unsigned place(const struct ta_rounds *r, unsigned i)
{
	unsigned at = r->first + i;

	return at >= r->size ? at - r->size : at;
}

struct ta_conn *ta_rounds_at(const struct ta_rounds *r, unsigned i)
{
	return r->ring[place(r, i)];
}

void ta_rounds_add(struct ta_rounds *r, struct ta_conn *conn)
{
	if (conn->in_ring)
		return;
	conn->in_ring = true;
	r->ring[place(r, r->n++)] = conn;
}

unsigned ta_rounds_next(const struct ta_rounds *r)
{
	return r->n < 2 ? r->n : r->n * 2 / 3;
}

void ta_rounds_advance(struct ta_rounds *r, unsigned n)
{
	unsigned left = n;

	/* From the last to the first, so that those that stay end up before what follows them, in their order. */
	for (unsigned i = n; i-- > 0;) {
		struct ta_conn *conn = ta_rounds_at(r, i);

		if (conn->state == TA_CONN_WAITING) {
			r->ring[place(r, --left)] = conn;
			continue;
		}
		conn->in_ring = false;
	}
	r->read += n;
	r->missed += n - left;
	r->first = place(r, left);
	r->n -= left;
}

void ta_rounds_drop(struct ta_rounds *r)
{
	ta_rounds_at(r, 0)->in_ring = false;
	r->first = place(r, 1);
	r->n--;
}

static int by_age(const void *a, const void *b)
{
	const struct ta_conn *one = *(struct ta_conn *const *)a, *other = *(struct ta_conn *const *)b;

	return (one->due_ns > other->due_ns) - (one->due_ns < other->due_ns);
}

void ta_rounds_collect(struct ta_rounds *r, struct ta_conns *c)
{
	r->first = r->n = 0;
	for (unsigned i = 0; i < c->worker->connections; i++)
		if (c->v[i].state == TA_CONN_WAITING)
			ta_rounds_add(r, &c->v[i]);
	qsort(r->ring, r->n, sizeof(*r->ring), by_age);
}

static uint64_t replies_of(const struct ta_conns *c)
{
	return atomic_load_explicit(&c->worker->live_replies, memory_order_relaxed);
}

static unsigned count_waiting(const struct ta_conns *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->worker->connections; i++)
		n += c->v[i].state == TA_CONN_WAITING;
	return n;
}

static bool out_of_order(const struct ta_rounds *r)
{
	return r->missed > MISSED_END * r->read;
}

static bool should_end(const struct ta_rounds *r, const struct ta_conns *c, double idle)
{
	return idle > IDLE_END || out_of_order(r) || count_waiting(c) < r->size / 2;
}

static bool should_begin(const struct ta_rounds *r, const struct ta_conns *c, double idle)
{
	return idle < IDLE_BEGIN && r->size >= CONNECTIONS_MIN && count_waiting(c) >= r->size / 4 * 3;
}

static int decide(struct ta_rounds *r, const struct ta_conns *c, double idle)
{
	if (r->on && should_end(r, c, idle)) {
		if (out_of_order(r)) {
			r->backoff = r->backoff ? TA_MIN(2 * r->backoff, (unsigned)CALM_MAX) : CALM_MIN;
			r->calm = r->backoff;
		}
		r->on = false;
		return -1;
	}
	if (r->calm) {
		r->calm--;
		return 0;
	}
	if (r->on || !should_begin(r, c, idle))
		return 0;
	r->on = true;
	return 1;
}

int ta_rounds_look(struct ta_rounds *r, struct ta_conns *c)
{
	uint64_t time = c->now - r->looked_ns, replies = replies_of(c) - r->replies;
	int change;

	if (ta_pace_is_open(&c->pace) || !time)
		return 0;
	change = decide(r, c, replies ? (double)r->idle_ns / (double)time : 1);
	r->looked_ns = c->now;
	r->replies += replies;
	r->idle_ns = r->read = r->missed = 0;
	return change;
}
