/*
 * The engine that every kernel has: edge-triggered epoll, non-blocking sockets. A connection is registered once, for
 * both directions; in the steady state a request costs one send and one recv, and a share of an epoll_wait. A thread that is
 * at its limit works in rounds (rounds.h), without epoll.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "load/conn.h"
#include "load/rounds.h"

#define EVENTS 256
#define RECEIVE_BYTES (128u << 10)
#define ROUND_MAX 1024 /* connections of one round */

struct epoll_engine {
	struct ta_conns conns;
	struct ta_rounds rounds;
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

/*
 * send(2) and recv(2) without libc: there they are points of cancellation, which costs more than all else that a reply
 * costs in this program.
 */
static ssize_t send_now(int fd, const char *data, size_t len)
{
	return syscall(SYS_sendto, fd, data, len, MSG_NOSIGNAL, NULL, 0);
}

static ssize_t receive_now(int fd, char *data, size_t size)
{
	return syscall(SYS_recvfrom, fd, data, size, 0, NULL, NULL);
}

static void send_rest(void *engine, struct ta_conn *conn)
{
	struct epoll_engine *e = engine;
	const struct ta_wire *wire = e->conns.worker->plan->wire;

	while (conn->state == TA_CONN_SENDING) {
		ssize_t n = send_now(conn->fd, wire->bytes + conn->batch->at + conn->sent, conn->batch->len - conn->sent);

		if (n < 0) {
			if (errno != EAGAIN && errno != EINTR)
				ta_conn_ended(&e->conns, conn, errno);
			return;
		}
		ta_conn_sent(&e->conns, conn, (size_t)n);
	}
	if (e->rounds.on && conn->state == TA_CONN_WAITING)
		ta_rounds_add(&e->rounds, conn);
}

static void go_on(struct epoll_engine *e, struct ta_conn *conn)
{
	if (conn->state == TA_CONN_IDLE && ta_conn_begin(&e->conns, conn))
		send_rest(e, conn);
}

/* Once. What it received, 0: nothing more is to be had from it now. */
static size_t receive_once(struct epoll_engine *e, struct ta_conn *conn)
{
	ssize_t n = receive_now(conn->fd, e->buffer, RECEIVE_BYTES);

	if (n > 0) {
		ta_conn_received(&e->conns, conn, e->buffer, (size_t)n);
		return (size_t)n;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		ta_conn_ended(&e->conns, conn, n < 0 ? errno : 0);
	return 0;
}

/*
 * After a full buffer there may be more, and no edge would tell; and where the end of the connection came with the last bytes (`all`)
 * none tells of it again.
 */
static void receive(struct epoll_engine *e, struct ta_conn *conn, bool all)
{
	size_t n;

	do {
		e->conns.now = ta_load_now();
		n = receive_once(e, conn);
	} while (conn->fd >= 0 && (n == RECEIVE_BYTES || (n && all)));
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
		return; /* closed by an earlier event of these */
	if (conn->state == TA_CONN_CONNECTING && (events & (EPOLLOUT | EPOLLERR | EPOLLHUP)))
		finish_connect(e, conn);
	if (conn->state == TA_CONN_SENDING && (events & EPOLLOUT))
		send_rest(e, conn);
	if (conn->fd >= 0 && (events & (EPOLLIN | EPOLLRDHUP | EPOLLERR | EPOLLHUP)))
		receive(e, conn, events & (EPOLLRDHUP | EPOLLERR | EPOLLHUP));
	if (conn->state == TA_CONN_CLOSED && conn->retry_ns <= e->conns.now)
		try_open(e, conn);
	go_on(e, conn);
}

/* Sleeps until one of them is ready, or the time has come. Less than 0: it failed. */
static int sleep_until(struct epoll_engine *e, struct pollfd *fds, unsigned n, uint64_t until)
{
	uint64_t now = ta_load_now(), ns = until > now ? until - now : 0;
	/* ppoll(2): its time has nanoseconds on every kernel and libc. */
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};
	int rc = ppoll(fds, n, &t, NULL);

	e->conns.now = ta_load_now();
	ta_rounds_idle(&e->rounds, e->conns.now - now);
	return rc < 0 && errno != EINTR ? -1 : 0;
}

/* Under load there is always something, and the first call says what. Only an idle thread sleeps. */
static int wait_until(struct epoll_engine *e, uint64_t until, struct epoll_event *events)
{
	struct pollfd any = {.fd = e->fd, .events = POLLIN};
	int n = epoll_wait(e->fd, events, EVENTS, 0);

	if (n)
		return n < 0 && errno == EINTR ? 0 : n;
	if (sleep_until(e, &any, 1, until) < 0)
		return -1;
	return epoll_wait(e->fd, events, EVENTS, 0);
}

static const struct ta_conn_ops ops = {.open = try_open, .send = send_rest};

/* Whatever epoll knows. In rounds it is asked at times, for connections that are not on their way. */
static void handle_all(struct epoll_engine *e, const struct epoll_event *events, int n)
{
	e->conns.now = ta_load_now();
	for (int i = 0; i < n; i++) {
		struct ta_conn *conn = events[i].data.ptr;

		if (!conn->in_ring || conn->state != TA_CONN_WAITING)
			handle(e, conn, events[i].events);
	}
}

/*
 * The next round is due when the last of its connections is answered, or the one that was asked last: then the server does not
 * answer in order. The limit is longer than a tick of the kernel's clock: a shorter one has to be programmed into the
 * CPU's timer and taken back, which a virtual machine pays for with 5 % of what the round costs.
 */
static int wait_for_round(struct epoll_engine *e, unsigned n)
{
	struct pollfd fds[] = {{.fd = e->fd, .events = POLLIN}, {.events = POLLIN}};

	if (!n)
		return sleep_until(e, fds, 1, e->conns.now + TA_ROUNDS_PATIENCE_NS);
	fds[0].fd = ta_rounds_at(&e->rounds, n - 1)->fd;
	fds[1].fd = ta_rounds_at(&e->rounds, e->rounds.n - 1)->fd;
	return sleep_until(e, fds, 2, e->conns.now + TA_ROUNDS_PATIENCE_NS);
}

/* First all replies are read, then all next requests sent. */
static int turn_round(struct epoll_engine *e)
{
	unsigned n = TA_MIN(ta_rounds_next(&e->rounds), (unsigned)ROUND_MAX), at = 0;
	struct ta_conn *done[ROUND_MAX];

	if (wait_for_round(e, n) < 0)
		return -1;
	for (unsigned i = 0; i < n; i++) {
		struct ta_conn *conn = ta_rounds_at(&e->rounds, i);

		if (conn->state == TA_CONN_WAITING)
			receive_once(e, conn);
		if (conn->state == TA_CONN_IDLE)
			done[at++] = conn;
	}
	ta_rounds_advance(&e->rounds, n);
	for (unsigned i = 0; i < at; i++)
		go_on(e, done[i]);
	return 0;
}

/* What nobody read since epoll told of it is read now; from here on epoll tells. */
static void end_rounds(struct epoll_engine *e)
{
	while (e->rounds.n) {
		struct ta_conn *conn = ta_rounds_at(&e->rounds, 0);

		if (conn->state == TA_CONN_WAITING)
			receive(e, conn, true);
		ta_rounds_drop(&e->rounds);
		go_on(e, conn);
	}
}

static void tick(struct epoll_engine *e)
{
	struct epoll_event events[EVENTS];
	int change;

	ta_conns_expire(&e->conns);
	ta_conns_open_due(&e->conns, &ops, e);
	if (e->rounds.on)
		handle_all(e, events, epoll_wait(e->fd, events, EVENTS, 0));
	change = ta_rounds_look(&e->rounds, &e->conns);
	if (change > 0)
		ta_rounds_collect(&e->rounds, &e->conns);
	else if (change < 0)
		end_rounds(e);
}

static int loop(struct epoll_engine *e)
{
	const struct ta_load_plan *plan = e->conns.worker->plan;
	struct epoll_event events[EVENTS];
	uint64_t next = 0;

	while (e->conns.now < plan->end_ns && !*plan->stop) {
		int n = 0;

		if (e->conns.now >= next) {
			tick(e);
			next = e->conns.now + TA_CONN_TICK_NS;
		}
		if (e->rounds.on)
			n = turn_round(e);
		else
			n = wait_until(e, ta_conns_wake(&e->conns, next), events);
		if (n < 0)
			return -errno;
		handle_all(e, events, n);
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
		rc = ta_rounds_init(&e.rounds, &e.conns);
		if (rc == 0)
			rc = loop(&e);
		ta_rounds_done(&e.rounds);
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
