/*
 * The engine that every kernel has: edge-triggered epoll, non-blocking sockets. A connection is registered once, for
 * both directions; in the steady state a request costs one send and one recv, and a share of an epoll_wait.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "load/conn.h"

#define EVENTS 256
#define RECEIVE_BYTES (128u << 10)

struct epoll_engine {
	struct ta_conns conns;
	int fd;
	char *buffer;
};

static void try_open(void *engine, struct ta_conn *conn)
{
	struct epoll_engine *e = engine;
	struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = conn};

	if (ta_conn_open(&e->conns, conn) < 0)
		return;
	if (epoll_ctl(e->fd, EPOLL_CTL_ADD, conn->fd, &ev) < 0)
		ta_conn_ended(&e->conns, conn, errno);
}

static void send_rest(void *engine, struct ta_conn *conn)
{
	struct epoll_engine *e = engine;
	const struct ta_wire *wire = e->conns.worker->plan->wire;

	while (conn->state == TA_CONN_SENDING) {
		ssize_t n = send(conn->fd, wire->bytes + conn->batch->at + conn->sent, conn->batch->len - conn->sent, MSG_NOSIGNAL);

		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				ta_conn_ended(&e->conns, conn, errno);
			return;
		}
		ta_conn_sent(&e->conns, conn, (size_t)n);
	}
}

static void go_on(struct epoll_engine *e, struct ta_conn *conn)
{
	if (conn->state == TA_CONN_IDLE && ta_conn_begin(&e->conns, conn))
		send_rest(e, conn);
}

static void receive(struct epoll_engine *e, struct ta_conn *conn)
{
	ssize_t n;

	do {
		n = recv(conn->fd, e->buffer, RECEIVE_BYTES, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		e->conns.now = ta_load_now();
		if (n <= 0) {
			ta_conn_ended(&e->conns, conn, n < 0 ? errno : 0);
			return;
		}
		ta_conn_received(&e->conns, conn, e->buffer, (size_t)n);
		/* A full buffer: there may be more, and no edge would tell. */
	} while (conn->fd >= 0 && n == RECEIVE_BYTES);
}

static void finish_connect(struct epoll_engine *e, struct ta_conn *conn)
{
	socklen_t len = sizeof(int);
	int error = 0;

	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	ta_conn_opened(&e->conns, conn, error);
}

static void handle(struct epoll_engine *e, struct ta_conn *conn, uint32_t events)
{
	if (conn->fd < 0)
		return; /* closed by an earlier event of this round */
	if (conn->state == TA_CONN_CONNECTING && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
		finish_connect(e, conn);
	if (conn->state == TA_CONN_SENDING && (events & EPOLLOUT))
		send_rest(e, conn);
	if (conn->fd >= 0 && (events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)))
		receive(e, conn);
	if (conn->state == TA_CONN_CLOSED && conn->retry_ns <= e->conns.now)
		try_open(e, conn);
	go_on(e, conn);
}

/*
 * Under load there is always something, and the first call says what. Only an idle thread sleeps, in ppoll(2), whose time has
 * nanoseconds on every kernel and libc.
 */
static int wait_until(struct epoll_engine *e, uint64_t until, struct epoll_event *events)
{
	struct pollfd p = {.fd = e->fd, .events = POLLIN};
	int n = epoll_wait(e->fd, events, EVENTS, 0);
	uint64_t now, ns;
	struct timespec t;

	if (n)
		return n < 0 && errno == EINTR ? 0 : n;
	now = ta_load_now();
	ns = until > now ? until - now : 0;
	t = (struct timespec){(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};
	if (ppoll(&p, 1, &t, NULL) < 0)
		return errno == EINTR ? 0 : -1;
	return epoll_wait(e->fd, events, EVENTS, 0);
}

static const struct ta_conn_ops ops = {.open = try_open, .send = send_rest};

static int loop(struct epoll_engine *e)
{
	const struct ta_load_plan *plan = e->conns.worker->plan;
	struct epoll_event events[EVENTS];
	uint64_t tick = 0;

	while (e->conns.now < plan->end_ns && !*plan->stop) {
		int n;

		if (e->conns.now >= tick) {
			ta_conns_expire(&e->conns);
			ta_conns_open_due(&e->conns, &ops, e);
			tick = e->conns.now + TA_CONN_TICK_NS;
		}
		n = wait_until(e, ta_conns_wake(&e->conns, tick), events);
		if (n < 0)
			return -errno;
		e->conns.now = ta_load_now();
		for (int i = 0; i < n; i++)
			handle(e, events[i].data.ptr, events[i].events);
		ta_conns_begin_due(&e->conns, &ops, e);
	}
	return 0;
}

static int run(struct ta_worker *w)
{
	struct epoll_engine e = {.fd = epoll_create1(EPOLL_CLOEXEC)};
	int rc;

	if (e.fd < 0)
		return -errno;
	e.buffer = malloc(RECEIVE_BYTES);
	rc = e.buffer ? ta_conns_init(&e.conns, w) : -ENOMEM;
	if (rc == 0) {
		rc = loop(&e);
		ta_conns_finish(&e.conns);
		ta_conns_done(&e.conns);
	}
	free(e.buffer);
	close(e.fd);
	return rc;
}

static int usable(struct ta_err *err)
{
	return 0;
}

const struct ta_engine ta_engine_epoll = {.name = "epoll", .usable = usable, .run = run};
