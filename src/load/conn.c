#include "load/conn.h"

#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ten segments of the smallest usual size: a connection may have that much on its way at any time (TCP_INIT_CWND, RFC 6928). */
#define FIRST_WINDOW_BYTES (10 * 536)

static bool fits_first_window(const struct ta_wire *wire)
{
	for (unsigned i = 0; i < wire->n_batches; i++)
		if (wire->batches[i].len > FIRST_WINDOW_BYTES)
			return false;
	return wire->greeting.len <= FIRST_WINDOW_BYTES;
}

int ta_conns_init(struct ta_conns *c, struct ta_worker *w)
{
	const struct ta_load_plan *plan = w->plan;
	size_t size = (plan->wire->state_size + 15) & ~(size_t)15;

	*c = (struct ta_conns){.worker = w, .brief = fits_first_window(plan->wire), .now = ta_load_now()};
	c->v = calloc(w->connections, sizeof(*c->v));
	c->states = calloc(w->connections, size);
	if (!c->v || !c->states) {
		free(c->v);
		free(c->states);
		return -ENOMEM;
	}
	for (unsigned i = 0; i < w->connections; i++) {
		c->v[i].fd = -1;
		/* Not all begin with the same one. */
		c->v[i].turn = (unsigned)((w->index + (uint64_t)i * plan->threads) * 2654435761u % plan->wire->n_batches);
		c->v[i].wire = c->states + size * i;
		plan->wire->reset(c->v[i].wire);
	}
	ta_pace_init(&c->pace, plan->rate, plan->threads, w->index, c->now);
	return 0;
}

void ta_conns_done(struct ta_conns *c)
{
	for (unsigned i = 0; i < c->worker->connections; i++) {
		if (c->v[i].fd >= 0)
			close(c->v[i].fd);
		c->worker->plan->wire->done(c->v[i].wire);
	}
	free(c->v);
	free(c->states);
}

/* Warm-up is not counted, and nothing that comes after the end. */
static bool counts_now(const struct ta_conns *c)
{
	return c->now >= c->worker->plan->start_ns && c->now < c->worker->plan->end_ns;
}

static void count(struct ta_conns *c, enum ta_load_error e)
{
	if (counts_now(c))
		c->worker->counts.errors[e]++;
}

static void set_state(struct ta_conns *c, struct ta_conn *conn, enum ta_conn_state state)
{
	conn->state = state;
	conn->since_ns = c->now;
}

static void unlink_idle(struct ta_conns *c, const struct ta_conn *conn)
{
	struct ta_conn **at = &c->idle;

	while (*at && *at != conn)
		at = &(*at)->next_idle;
	if (*at)
		*at = conn->next_idle;
}

/* `wait_ns` until the next attempt. */
static void drop(struct ta_conns *c, struct ta_conn *conn, uint64_t wait_ns)
{
	if (conn->state == TA_CONN_IDLE && ta_pace_is_open(&c->pace))
		unlink_idle(c, conn);
	/* An engine may have it in the kernel's hands still: shut down, those operations end, and with them the socket. */
	if (conn->fd >= 0) {
		shutdown(conn->fd, SHUT_RDWR);
		close(conn->fd);
	}
	conn->fd = -1;
	conn->pending = 0;
	conn->retry_ns = c->now + wait_ns;
	set_state(c, conn, TA_CONN_CLOSED);
	c->worker->plan->wire->reset(conn->wire);
}

/* Waits longer each time, up to a second: a server that is away is not to be flooded. */
static void connect_failed(struct ta_conns *c, struct ta_conn *conn, int error)
{
	unsigned shift = TA_MIN(conn->failures, 7u);

	count(c, ta_load_connect_error(error));
	conn->failures++;
	drop(c, conn, (8 * TA_NS_PER_MS) << shift);
}

/*
 * BBR keeps a model of the path and paces, which costs 2 to 3 % of what a short request costs the client, and has nothing to decide
 * where all that is sent fits the first window. The server's side stays what its host says, and so do algorithms that have a
 * part at the receiver's side, as DCTCP (net/ipv4/tcp_bbr.c has none).
 */
static void do_without_bbr(int fd)
{
	char name[16] = ""; /* TCP_CA_NAME_MAX */
	socklen_t len = sizeof(name) - 1;

	if (!getsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, name, &len) && !strcmp(name, "bbr"))
		setsockopt(fd, IPPROTO_TCP, TCP_CONGESTION, "reno", strlen("reno"));
}

int ta_conn_open(struct ta_conns *c, struct ta_conn *conn)
{
	const struct ta_load_plan *plan = c->worker->plan;
	int one = 1;

	conn->fd = socket(plan->to.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (conn->fd >= 0) {
		setsockopt(conn->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (c->brief)
			do_without_bbr(conn->fd);
		set_state(c, conn, TA_CONN_CONNECTING);
		if (!connect(conn->fd, (const struct sockaddr *)&plan->to, plan->to_len) || errno == EINPROGRESS)
			return 0;
	}
	connect_failed(c, conn, errno);
	return -EIO;
}

static void become_idle(struct ta_conns *c, struct ta_conn *conn)
{
	set_state(c, conn, TA_CONN_IDLE);
	if (!ta_pace_is_open(&c->pace) || !conn->greeted)
		return;
	conn->next_idle = c->idle;
	c->idle = conn;
}

void ta_conn_opened(struct ta_conns *c, struct ta_conn *conn, int error)
{
	if (error) {
		connect_failed(c, conn, error);
		return;
	}
	conn->greeted = !c->worker->plan->wire->greeting.len;
	if (conn->greeted)
		conn->failures = 0;
	if (counts_now(c))
		c->worker->counts.connects++;
	become_idle(c, conn);
}

static void give(struct ta_conns *c, struct ta_conn *conn, const struct ta_batch *batch, uint64_t due)
{
	conn->batch = batch;
	conn->due_ns = due;
	conn->pending = batch->replies;
	conn->sent = 0;
	set_state(c, conn, TA_CONN_SENDING);
}

bool ta_conn_begin(struct ta_conns *c, struct ta_conn *conn)
{
	const struct ta_wire *wire = c->worker->plan->wire;
	uint64_t due = c->now;

	if (!conn->greeted) {
		give(c, conn, &wire->greeting, due);
		return true;
	}
	if (ta_pace_is_open(&c->pace)) {
		due = ta_pace_due(&c->pace);
		if (due > c->now || due >= c->worker->plan->end_ns)
			return false;
		c->pace.next++;
		unlink_idle(c, conn);
	}
	give(c, conn, &wire->batches[conn->turn], due);
	if (++conn->turn == wire->n_batches)
		conn->turn = 0;
	return true;
}

void ta_conn_sent(struct ta_conns *c, struct ta_conn *conn, size_t n)
{
	conn->sent += n;
	if (conn->sent == conn->batch->len)
		conn->state = TA_CONN_WAITING;
}

/* A reply that says no is an error, and the first has a name. */
static void count_no(struct ta_conns *c, struct ta_conn *conn)
{
	struct ta_load_counts *counts = &c->worker->counts;
	const struct ta_wire *wire = c->worker->plan->wire;

	count(c, TA_LOAD_BAD_STATUS);
	if (wire->no_name && !counts->bad_status[0] && counts_now(c))
		snprintf(counts->bad_status, sizeof(counts->bad_status), "%s", wire->no_name(conn->wire));
}

/* Latency counts from when the batch was due, for each reply of it. */
static void count_reply(struct ta_conns *c, struct ta_conn *conn, int fed)
{
	struct ta_worker *w = c->worker;

	conn->pending--;
	atomic_store_explicit(&w->live_replies, atomic_load_explicit(&w->live_replies, memory_order_relaxed) + 1,
		memory_order_relaxed);
	if (!counts_now(c))
		return;
	w->counts.replies++;
	w->counts.nothing += fed == TA_FED_NOTHING;
	if (fed == TA_FED_NO)
		count_no(c, conn);
	/* What was due in the warm-up is not part of the measured schedule, but its end is part of the throughput. */
	if (!ta_pace_is_open(&c->pace) || conn->due_ns >= w->plan->start_ns)
		ta_hist_add(&w->hist, c->now - conn->due_ns);
}

static void bad_reply(struct ta_conns *c, struct ta_conn *conn, int rc)
{
	struct ta_load_counts *counts = &c->worker->counts;

	count(c, TA_LOAD_BAD_REPLY);
	if (!counts->bad_reply[0] && counts_now(c))
		snprintf(counts->bad_reply, sizeof(counts->bad_reply), "%s", c->worker->plan->wire->error_name(-rc));
	drop(c, conn, TA_NS_PER_MS);
}

static void unexpected(struct ta_conns *c, struct ta_conn *conn)
{
	count(c, TA_LOAD_UNEXPECTED);
	drop(c, conn, TA_NS_PER_MS);
}

/* A reply to the greeting. One that says no ends the connection: all others on it would, too. */
static bool take_greeting(struct ta_conns *c, struct ta_conn *conn, int fed)
{
	if (fed == TA_FED_NO) {
		count_no(c, conn);
		conn->failures++;
		drop(c, conn, (8 * TA_NS_PER_MS) << TA_MIN(conn->failures - 1, 7u));
		return false;
	}
	if (--conn->pending == 0) {
		conn->greeted = true;
		conn->failures = 0;
	}
	return true;
}

/* The last reply of a batch came. A server that ends the connection after it is no error; another one is made. */
static void batch_answered(struct ta_conns *c, struct ta_conn *conn)
{
	if (c->worker->plan->wire->may_reuse(conn->wire))
		become_idle(c, conn);
	else
		drop(c, conn, 0);
}

/* Replies to the first requests of a long batch may come while the last ones are still being sent. */
static bool awaits_reply(const struct ta_conn *conn)
{
	return conn->pending && (conn->state == TA_CONN_WAITING || conn->state == TA_CONN_SENDING);
}

void ta_conn_received(struct ta_conns *c, struct ta_conn *conn, const char *data, size_t len)
{
	const struct ta_wire *wire = c->worker->plan->wire;

	if (counts_now(c))
		c->worker->counts.bytes += len;
	while (len) {
		size_t used = 0;
		int rc;

		if (!awaits_reply(conn)) {
			unexpected(c, conn);
			return;
		}
		rc = wire->feed(conn->wire, data, len, &used);
		if (rc < 0) {
			bad_reply(c, conn, rc);
			return;
		}
		data += used;
		len -= used;
		if (rc > 0 && !conn->greeted) {
			if (!take_greeting(c, conn, rc))
				return;
			continue;
		}
		if (rc > 0)
			count_reply(c, conn, rc);
		if (rc > 0 && conn->pending && !wire->may_reuse(conn->wire)) {
			ta_conn_ended(c, conn, 0);
			return;
		}
	}
	if (conn->pending)
		return;
	if (conn->state == TA_CONN_SENDING)
		unexpected(c, conn); /* all is answered before all was asked */
	else
		batch_answered(c, conn);
}

static void count_end(struct ta_conns *c, struct ta_conn *conn, int error)
{
	int rc = error ? 0 : c->worker->plan->wire->end(conn->wire);

	if (rc > 0 && conn->pending && conn->greeted)
		count_reply(c, conn, rc);
	if (!conn->pending)
		return;
	count(c, !error ? TA_LOAD_CLOSED : error == ETIMEDOUT ? TA_LOAD_TIMEOUT : TA_LOAD_RESET);
}

void ta_conn_ended(struct ta_conns *c, struct ta_conn *conn, int error)
{
	if (conn->state == TA_CONN_CONNECTING) {
		connect_failed(c, conn, error ? error : ECONNRESET);
		return;
	}
	count_end(c, conn, error);
	drop(c, conn, error ? TA_NS_PER_MS : 0);
}

static void expire(struct ta_conns *c, struct ta_conn *conn)
{
	if (c->now - conn->since_ns < c->worker->plan->timeout_ns)
		return;
	if (conn->state == TA_CONN_CONNECTING) {
		connect_failed(c, conn, ETIMEDOUT);
		return;
	}
	/* It took at least so long: without it the percentiles would be those of the requests that went well. */
	if (counts_now(c))
		ta_hist_add(&c->worker->hist, c->now - conn->due_ns);
	ta_conn_ended(c, conn, ETIMEDOUT);
}

void ta_conns_expire(struct ta_conns *c)
{
	for (unsigned i = 0; i < c->worker->connections; i++) {
		struct ta_conn *conn = &c->v[i];

		if (conn->state == TA_CONN_CONNECTING || conn->state == TA_CONN_SENDING || conn->state == TA_CONN_WAITING)
			expire(c, conn);
	}
}

void ta_conns_open_due(struct ta_conns *c, const struct ta_conn_ops *ops, void *engine)
{
	for (unsigned i = 0; i < c->worker->connections; i++)
		if (c->v[i].state == TA_CONN_CLOSED && c->v[i].retry_ns <= c->now)
			ops->open(engine, &c->v[i]);
}

void ta_conns_begin_due(struct ta_conns *c, const struct ta_conn_ops *ops, void *engine)
{
	while (ta_pace_is_open(&c->pace) && c->idle && ta_pace_due(&c->pace) <= c->now) {
		struct ta_conn *conn = c->idle;

		if (!ta_conn_begin(c, conn))
			return;
		ops->send(engine, conn);
	}
}

uint64_t ta_conns_wake(const struct ta_conns *c, uint64_t tick)
{
	uint64_t wake = TA_MIN(tick, c->worker->plan->end_ns);

	return ta_pace_is_open(&c->pace) && c->idle ? TA_MIN(wake, ta_pace_due(&c->pace)) : wake;
}

static void count_unanswered(struct ta_conns *c, uint64_t due_ns)
{
	struct ta_worker *w = c->worker;

	if (due_ns < w->plan->start_ns)
		due_ns = w->plan->start_ns;
	w->counts.errors[TA_LOAD_UNANSWERED]++;
	ta_hist_add(&w->hist, w->plan->end_ns - due_ns);
}

/*
 * Open loop: everything that was due before the end, whether it could be sent or not. Closed loop: what waits for more than a
 * second and longer than any reply took; the others were merely on their way. Where nothing was answered, none was.
 */
void ta_conns_finish(struct ta_conns *c)
{
	const struct ta_load_plan *plan = c->worker->plan;
	uint64_t longest = c->worker->hist.n ? TA_MAX(c->worker->hist.max, TA_NS_PER_S) : 0;

	for (unsigned i = 0; i < c->worker->connections; i++) {
		const struct ta_conn *conn = &c->v[i];
		bool open = ta_pace_is_open(&c->pace);

		if (!conn->pending || conn->due_ns >= plan->end_ns)
			continue;
		if (open ? conn->due_ns + TA_NS_PER_MS < plan->end_ns : plan->end_ns - conn->due_ns > longest)
			count_unanswered(c, conn->due_ns);
	}
	for (; ta_pace_is_open(&c->pace) && ta_pace_due(&c->pace) + TA_NS_PER_MS < plan->end_ns; c->pace.next++)
		count_unanswered(c, ta_pace_due(&c->pace));
}
