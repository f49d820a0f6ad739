#include "load/connect/client.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "load/pace.h"
#include "load/source.h"

#define EVENTS 256
#define TICK_NS (20 * TA_NS_PER_MS) /* how often timeouts are looked at */

struct slot {
	int fd; /* -1: free */
	bool stands;
	uint64_t due;	  /* latency is counted from here */
	uint64_t since;	  /* timeouts from here */
	struct slot *next; /* free one */
};

struct client {
	struct ta_connect_worker *w;
	const struct ta_connect_job *job;
	struct ta_pace pace;
	struct slot *slots, *free;
	unsigned n, source;
	unsigned failed; /* in a row */
	uint64_t not_before; /* after a failure */
	uint64_t now;
	int epoll;
};

static bool counts_now(const struct client *c, const struct slot *s)
{
	return s->due >= c->job->start_ns && c->now < c->job->end_ns;
}

/* An end by RST was set when it was opened; close() does it. */
static void release(struct client *c, struct slot *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
	s->next = c->free;
	c->free = s;
}

static void failed(struct client *c, struct slot *s, enum ta_load_error e)
{
	if (counts_now(c, s))
		c->w->counts.errors[e]++;
	/* Who says no a thousand times a second is not asked more often: 1 ms, doubled up to half a second. */
	c->not_before = c->now + (TA_NS_PER_MS << TA_MIN(c->failed, 9u));
	c->failed++;
	release(c, s);
}

static void ended(struct client *c, struct slot *s)
{
	if (counts_now(c, s))
		ta_hist_add(&c->w->ended, c->now - s->due);
	release(c, s);
}

static void stands(struct client *c, struct slot *s)
{
	c->failed = 0;
	s->stands = true;
	s->since = c->now;
	if (counts_now(c, s)) {
		ta_hist_add(&c->w->made, c->now - s->due);
		c->w->counts.replies++;
		c->w->counts.connects++;
	}
	atomic_store_explicit(&c->w->live, atomic_load_explicit(&c->w->live, memory_order_relaxed) + 1, memory_order_relaxed);
	if (!c->job->ends_there)
		release(c, s);
	else if (c->job->close == TA_CLOSE_CLIENT)
		shutdown(s->fd, SHUT_WR); /* the server sees the end, and ends it, too: then it had accepted it */
}

/* The server's end of one that stood: an orderly one or RST, as was agreed with our own. */
static void take_end(struct client *c, struct slot *s, int error)
{
	if (!error || (error == ECONNRESET && c->job->close == TA_CLOSE_RESET))
		ended(c, s);
	else
		failed(c, s, error == ECONNRESET ? TA_LOAD_RESET : TA_LOAD_CONNECT_FAILED);
}

/*
 * True: there is more to wait for. ECONNRESET of a connection that was just being made says that it stood and
 * is over (tcp_reset in net/ipv4/tcp_input.c; one that nobody takes gives ECONNREFUSED).
 */
static bool look(struct client *c, struct slot *s)
{
	int rc = ta_source_connected(s->fd, (const struct sockaddr *)&c->job->to, c->job->to_len);

	c->now = ta_load_now();
	if (rc == -EINPROGRESS)
		return true;
	if (rc == 0) {
		stands(c, s);
		return s->fd >= 0;
	}
	if (rc == -ECONNRESET && c->job->ends_there && c->job->close == TA_CLOSE_RESET) {
		stands(c, s);
		ended(c, s);
	} else {
		failed(c, s, ta_load_connect_error(-rc));
	}
	return false;
}

static unsigned next_source(struct client *c)
{
	if (!c->job->sources)
		return 0;
	c->source += c->job->threads;
	if (c->source >= c->job->sources)
		c->source = c->w->index % c->job->sources;
	return 1 + c->source;
}

static void begin(struct client *c, uint64_t due)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET};
	struct slot *s = c->free;
	bool reset = c->job->close == TA_CLOSE_RESET;

	c->free = s->next;
	*s = (struct slot){.due = due, .since = c->now};
	s->fd = ta_source_connect((const struct sockaddr *)&c->job->to, c->job->to_len, next_source(c), reset);
	if (s->fd < 0) {
		failed(c, s, ta_load_connect_error(-s->fd));
		return;
	}
	ev.data.ptr = s;
	if (look(c, s) && epoll_ctl(c->epoll, EPOLL_CTL_ADD, s->fd, &ev) < 0)
		failed(c, s, TA_LOAD_NO_MEMORY);
}

static void begin_due(struct client *c)
{
	for (unsigned i = 0; i < c->n && c->free && c->now >= c->not_before; i++) {
		uint64_t due = c->now;

		if (ta_pace_is_open(&c->pace)) {
			due = ta_pace_due(&c->pace);
			if (due > c->now)
				return;
			c->pace.next++;
		}
		begin(c, due);
		c->now = ta_load_now();
	}
}

static void handle(struct client *c, struct slot *s, uint32_t events)
{
	int error = 0;
	socklen_t len = sizeof(error);

	if (s->fd < 0)
		return;
	if (!s->stands && !look(c, s))
		return;
	if (!s->stands || !(events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP)))
		return;
	getsockopt(s->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	take_end(c, s, error);
}

static void expire(struct client *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct slot *s = &c->slots[i];

		if (s->fd >= 0 && c->now - s->since >= c->job->timeout_ns)
			failed(c, s, s->stands ? TA_LOAD_TIMEOUT : TA_LOAD_CONNECT_TIMEOUT);
	}
}

/* ppoll(2) has nanoseconds on every kernel and libc. */
static void wait_until(struct client *c, uint64_t until)
{
	struct pollfd p = {.fd = c->epoll, .events = POLLIN};
	uint64_t ns = until > c->now ? until - c->now : 0;
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};

	ppoll(&p, 1, &t, NULL);
}

static uint64_t wake_at(const struct client *c, uint64_t tick)
{
	uint64_t at = TA_MIN(tick, c->job->end_ns);

	if (!c->free)
		return at;
	if (c->now < c->not_before)
		return TA_MIN(at, c->not_before);
	return ta_pace_is_open(&c->pace) ? TA_MIN(at, ta_pace_due(&c->pace)) : c->now;
}

static void loop(struct client *c)
{
	struct epoll_event events[EVENTS];
	uint64_t tick = 0;

	while (c->now < c->job->end_ns && !*c->job->stop) {
		uint64_t until;
		int n;

		if (c->now >= tick) {
			expire(c);
			tick = c->now + TICK_NS;
		}
		begin_due(c);
		until = wake_at(c, tick);
		if (until > c->now)
			wait_until(c, until);
		n = epoll_wait(c->epoll, events, EVENTS, 0);
		c->now = ta_load_now();
		for (int i = 0; i < n; i++)
			handle(c, events[i].data.ptr, events[i].events);
	}
}

/*
 * What the end of the run cut off is no failure; what had waited before it is. Closed loop: for longer than any took, and a
 * second. Open loop: whatever was due a millisecond before.
 */
static void finish(struct client *c)
{
	uint64_t end = TA_MIN(c->now, c->job->end_ns), longest = TA_MAX(c->w->made.max, TA_NS_PER_S);
	bool open = ta_pace_is_open(&c->pace);

	for (unsigned i = 0; i < c->n; i++) {
		const struct slot *s = &c->slots[i];

		if (s->fd < 0 || s->stands || s->due < c->job->start_ns || s->due >= end)
			continue;
		if (end - s->due > (open ? TA_NS_PER_MS : longest))
			c->w->counts.errors[TA_LOAD_UNANSWERED]++;
	}
	for (; open && ta_pace_due(&c->pace) + TA_NS_PER_MS < end; c->pace.next++)
		if (ta_pace_due(&c->pace) >= c->job->start_ns)
			c->w->counts.errors[TA_LOAD_UNANSWERED]++;
}

static int open_client(struct client *c)
{
	unsigned more = c->job->in_flight % c->job->threads;

	c->n = c->job->in_flight / c->job->threads + (c->w->index < more);
	c->source = c->w->index;
	c->slots = calloc(c->n, sizeof(*c->slots));
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (c->epoll < 0 || !c->slots)
		return c->slots ? -errno : -ENOMEM;
	for (unsigned i = 0; i < c->n; i++) {
		c->slots[i].fd = -1;
		release(c, &c->slots[i]);
	}
	return 0;
}

void ta_connect_work(struct ta_connect_worker *w)
{
	struct client c = {.w = w, .job = w->job, .now = ta_load_now()};

	ta_hist_reset(&w->made);
	ta_hist_reset(&w->ended);
	ta_pace_init(&c.pace, w->job->rate, w->job->threads, w->index, c.now);
	w->rc = open_client(&c);
	if (w->rc == 0) {
		loop(&c);
		finish(&c);
	}
	for (unsigned i = 0; i < c.n && c.slots; i++)
		if (c.slots[i].fd >= 0)
			close(c.slots[i].fd);
	free(c.slots);
	if (c.epoll >= 0)
		close(c.epoll);
}
