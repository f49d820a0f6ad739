/*
 * io_uring: sends are queued and handed to the kernel together, receives stay armed (multishot) and take their memory from
 * a ring of buffers, so that many requests cost one system call. At its limit the thread is woken when two thirds of
 * what is on its way were answered (rounds.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "load/conn.h"
#include "load/rounds.h"
#include "load/uring.h"

enum op { OP_CONNECT, OP_RECEIVE, OP_SEND };

struct uring_engine {
	struct ta_conns conns;
	struct ta_rounds rounds;
	uint64_t used_ns; /* of the thread's CPU time, at the last look */
	struct ta_uring uring;
	uint32_t *lives; /* of each connection: how often it was opened; old completions are told by it */
};

/* Connection, its life and the operation in one word. */
static uint64_t tag_of(const struct uring_engine *e, const struct ta_conn *conn, enum op op)
{
	uint64_t index = (uint64_t)(conn - e->conns.v);

	return index << 34 | (uint64_t)e->lives[index] << 2 | op;
}

static void arm_receive(struct uring_engine *e, struct ta_conn *conn)
{
	int rc = ta_uring_receive(&e->uring, conn->fd, tag_of(e, conn, OP_RECEIVE));

	if (rc < 0)
		ta_conn_ended(&e->conns, conn, -rc);
}

/*
 * MSG_WAITALL: the kernel goes on until the batch is gone, so that success needs no completion and a failure
 * has one (io_uring/net.c: io_send()).
 */
static void send_batch(void *engine, struct ta_conn *conn)
{
	struct uring_engine *e = engine;
	const struct ta_wire *wire = e->conns.worker->plan->wire;
	struct io_uring_sqe *sqe = ta_uring_sqe(&e->uring);

	if (!sqe) {
		ta_conn_ended(&e->conns, conn, EAGAIN);
		return;
	}
	io_uring_prep_send(sqe, conn->fd, wire->bytes + conn->batch->at, conn->batch->len, MSG_NOSIGNAL | MSG_WAITALL);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	io_uring_sqe_set_data64(sqe, tag_of(e, conn, OP_SEND));
	ta_conn_sent(&e->conns, conn, conn->batch->len);
}

static void go_on(struct uring_engine *e, struct ta_conn *conn)
{
	if (conn->state == TA_CONN_IDLE && ta_conn_begin(&e->conns, conn))
		send_batch(e, conn);
}

static void try_open(void *engine, struct ta_conn *conn)
{
	struct uring_engine *e = engine;
	struct io_uring_sqe *sqe;

	e->lives[conn - e->conns.v]++;
	if (ta_conn_open(&e->conns, conn) < 0)
		return;
	sqe = ta_uring_sqe(&e->uring);
	if (!sqe) {
		ta_conn_ended(&e->conns, conn, EAGAIN);
		return;
	}
	io_uring_prep_poll_add(sqe, conn->fd, POLLOUT);
	io_uring_sqe_set_data64(sqe, tag_of(e, conn, OP_CONNECT));
}

/* From here on the ring waits for the socket; one that does not block would be told EAGAIN instead. */
static void finish_connect(struct uring_engine *e, struct ta_conn *conn)
{
	socklen_t len = sizeof(int);
	int error = 0;

	if (getsockopt(conn->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		error = errno;
	if (!error && fcntl(conn->fd, F_SETFL, 0) < 0)
		error = errno;
	ta_conn_opened(&e->conns, conn, error);
	if (conn->state == TA_CONN_IDLE)
		arm_receive(e, conn);
}

static void received(struct uring_engine *e, struct ta_conn *conn, const struct io_uring_cqe *cqe, bool stale)
{
	const char *data = ta_uring_data(&e->uring, cqe);

	if (!stale) {
		if (cqe->res > 0 && data)
			ta_conn_received(&e->conns, conn, data, (size_t)cqe->res);
		else if (cqe->res != -ENOBUFS)
			ta_conn_ended(&e->conns, conn, -cqe->res);
	}
	ta_uring_return(&e->uring, cqe);
	if (!stale && conn->fd >= 0 && !(cqe->flags & IORING_CQE_F_MORE))
		arm_receive(e, conn);
}

static void handle(struct uring_engine *e, const struct io_uring_cqe *cqe)
{
	struct ta_conn *conn = &e->conns.v[cqe->user_data >> 34];
	bool stale = conn->fd < 0 || (uint32_t)(cqe->user_data >> 2) != e->lives[conn - e->conns.v];

	switch (cqe->user_data & 3) {
	case OP_CONNECT:
		if (!stale && conn->state == TA_CONN_CONNECTING)
			finish_connect(e, conn);
		break;
	case OP_RECEIVE:
		received(e, conn, cqe, stale);
		break;
	default:
		if (!stale && cqe->res < 0)
			ta_conn_ended(&e->conns, conn, -cqe->res);
	}
	if (conn->state == TA_CONN_CLOSED && conn->retry_ns <= e->conns.now)
		try_open(e, conn);
	go_on(e, conn);
}

static void handle_all(struct uring_engine *e)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&e->uring.ring, head, cqe)
	{
		handle(e, cqe);
		n++;
	}
	ta_uring_advance(&e->uring, n);
}

static const struct ta_conn_ops ops = {.open = try_open, .send = send_batch};

/* Sends are done inside the call that waits: the thread was idle when it used no CPU. */
static void look(struct uring_engine *e)
{
	uint64_t used = ta_load_thread_cpu(), busy = used - e->used_ns, time = e->conns.now - e->rounds.looked_ns;

	ta_rounds_idle(&e->rounds, time > busy ? time - busy : 0);
	e->used_ns = used;
	ta_rounds_look(&e->rounds, &e->conns);
}

static int wait_for_some(struct uring_engine *e, uint64_t tick)
{
	uint64_t wake = ta_conns_wake(&e->conns, tick), now = ta_load_now(), ns = wake > now ? wake - now : 0;

	if (e->rounds.on)
		return ta_uring_wait(&e->uring, e->rounds.size * 2 / 3, TA_MIN(ns, TA_ROUNDS_PATIENCE_NS));
	return ta_uring_wait(&e->uring, 1, ns);
}

static int loop(struct uring_engine *e)
{
	const struct ta_load_plan *plan = e->conns.worker->plan;
	uint64_t tick = 0;

	while (e->conns.now < plan->end_ns && !*plan->stop) {
		int rc;

		if (e->conns.now >= tick) {
			ta_conns_expire(&e->conns);
			ta_conns_open_due(&e->conns, &ops, e);
			look(e);
			tick = e->conns.now + TA_CONN_TICK_NS;
		}
		rc = wait_for_some(e, tick);
		if (rc < 0)
			return rc;
		e->conns.now = ta_load_now();
		handle_all(e);
		ta_conns_begin_due(&e->conns, &ops, e);
	}
	return 0;
}

static int run_with(struct uring_engine *e, struct ta_worker *w)
{
	int rc = ta_conns_init(&e->conns, w);

	if (rc < 0)
		return rc;
	e->lives = calloc(w->connections, sizeof(*e->lives));
	e->used_ns = ta_load_thread_cpu();
	rc = e->lives ? ta_rounds_init(&e->rounds, &e->conns) : -ENOMEM;
	if (rc == 0)
		rc = loop(e);
	ta_rounds_done(&e->rounds);
	ta_conns_finish(&e->conns);
	ta_conns_done(&e->conns);
	free(e->lives);
	return rc;
}

static int run(struct ta_worker *w)
{
	struct uring_engine e = {.lives = NULL};
	int rc = ta_uring_init(&e.uring);

	if (rc < 0)
		return rc;
	rc = run_with(&e, w);
	ta_uring_done(&e.uring);
	return rc;
}

const struct ta_engine ta_engine_io_uring = {.name = "io_uring", .usable = ta_uring_usable, .run = run};
