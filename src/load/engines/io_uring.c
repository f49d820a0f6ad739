/*
 * io_uring: sends are queued and handed to the kernel together, receives stay armed (multishot) and take their memory from
 * a ring of buffers, so that a round of many requests costs one system call. Needs Linux 6.1 (DEFER_TASKRUN): then
 * all the rest is there, too. include/uapi/linux/io_uring.h
 */
#include <errno.h>
#include <fcntl.h>
#include <liburing.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "load/conn.h"

#define SQ_ENTRIES 1024u
#define CQ_ENTRIES 8192u
#define BUFFERS 512u /* a power of two */
#define BUFFER_BYTES (16u << 10)
#define BUFFER_GROUP 0
#define TICK_NS (20 * TA_NS_PER_MS)

#define RING_FLAGS (IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE)

enum op { OP_CONNECT, OP_RECEIVE, OP_SEND };

struct uring_engine {
	struct ta_conns conns;
	struct io_uring ring;
	struct io_uring_buf_ring *buffers;
	char *memory;	     /* of the buffers */
	uint32_t *lives;     /* of each connection: how often it was opened; old completions are told by it */
	unsigned returned;   /* buffers given back since the ring was told */
};

/* Connection, its life and the operation in one word. */
static uint64_t tag_of(const struct uring_engine *e, const struct ta_conn *conn, enum op op)
{
	uint64_t index = (uint64_t)(conn - e->conns.v);

	return index << 34 | (uint64_t)e->lives[index] << 2 | op;
}

/* Never NULL for long: a full queue is handed over, which empties it. */
static struct io_uring_sqe *next_sqe(struct uring_engine *e)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&e->ring);

	if (sqe)
		return sqe;
	io_uring_submit(&e->ring);
	return io_uring_get_sqe(&e->ring);
}

static void arm_receive(struct uring_engine *e, struct ta_conn *conn)
{
	struct io_uring_sqe *sqe = next_sqe(e);

	if (!sqe) {
		ta_conn_ended(&e->conns, conn, EAGAIN);
		return;
	}
	io_uring_prep_recv_multishot(sqe, conn->fd, NULL, 0, 0);
	sqe->flags |= IOSQE_BUFFER_SELECT;
	sqe->buf_group = BUFFER_GROUP;
	io_uring_sqe_set_data64(sqe, tag_of(e, conn, OP_RECEIVE));
}

/*
 * MSG_WAITALL: the kernel goes on until the batch is gone, so that success needs no completion and a failure
 * has one (io_uring/net.c: io_send()).
 */
static void send_batch(struct uring_engine *e, struct ta_conn *conn)
{
	const struct ta_wire *wire = e->conns.worker->plan->wire;
	struct io_uring_sqe *sqe = next_sqe(e);

	if (!sqe) {
		ta_conn_ended(&e->conns, conn, EAGAIN);
		return;
	}
	io_uring_prep_send(sqe, conn->fd, wire->batch, wire->batch_len, MSG_NOSIGNAL | MSG_WAITALL);
	sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
	io_uring_sqe_set_data64(sqe, tag_of(e, conn, OP_SEND));
	ta_conn_sent(&e->conns, conn, wire->batch_len);
}

static void go_on(struct uring_engine *e, struct ta_conn *conn)
{
	if (conn->state == TA_CONN_IDLE && ta_conn_begin(&e->conns, conn))
		send_batch(e, conn);
}

static void try_open(struct uring_engine *e, struct ta_conn *conn)
{
	struct io_uring_sqe *sqe;

	e->lives[conn - e->conns.v]++;
	if (ta_conn_open(&e->conns, conn) < 0)
		return;
	sqe = next_sqe(e);
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

static void return_buffer(struct uring_engine *e, unsigned id)
{
	io_uring_buf_ring_add(e->buffers, e->memory + (size_t)id * BUFFER_BYTES, BUFFER_BYTES, (unsigned short)id,
		io_uring_buf_ring_mask(BUFFERS), (int)e->returned++);
}

static void publish_buffers(struct uring_engine *e)
{
	io_uring_buf_ring_advance(e->buffers, (int)e->returned);
	e->returned = 0;
}

static void received(struct uring_engine *e, struct ta_conn *conn, const struct io_uring_cqe *cqe, bool stale)
{
	unsigned id = cqe->flags >> IORING_CQE_BUFFER_SHIFT;

	if (!stale) {
		if (cqe->res > 0)
			ta_conn_received(&e->conns, conn, e->memory + (size_t)id * BUFFER_BYTES, (size_t)cqe->res);
		else if (cqe->res != -ENOBUFS)
			ta_conn_ended(&e->conns, conn, -cqe->res);
	}
	if (cqe->flags & IORING_CQE_F_BUFFER)
		return_buffer(e, id);
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

static void open_due(struct uring_engine *e)
{
	for (unsigned i = 0; i < e->conns.worker->connections; i++) {
		struct ta_conn *conn = &e->conns.v[i];

		if (conn->state == TA_CONN_CLOSED && conn->retry_ns <= e->conns.now)
			try_open(e, conn);
	}
}

static void begin_due(struct uring_engine *e)
{
	while (e->conns.idle && ta_pace_due(&e->conns.pace) <= e->conns.now) {
		struct ta_conn *conn = e->conns.idle;

		if (!ta_conn_begin(&e->conns, conn))
			return;
		send_batch(e, conn);
	}
}

static uint64_t next_wake(const struct uring_engine *e, uint64_t tick)
{
	uint64_t wake = TA_MIN(tick, e->conns.worker->plan->end_ns);

	if (ta_pace_is_open(&e->conns.pace) && e->conns.idle)
		wake = TA_MIN(wake, ta_pace_due(&e->conns.pace));
	return wake;
}

static int wait_until(struct uring_engine *e, uint64_t until)
{
	uint64_t now = ta_load_now(), ns = until > now ? until - now : 0;
	struct __kernel_timespec t = {(int64_t)(ns / TA_NS_PER_S), (long long)(ns % TA_NS_PER_S)};
	struct io_uring_cqe *cqe;
	int rc = io_uring_submit_and_wait_timeout(&e->ring, &cqe, 1, &t, NULL);

	return rc < 0 && rc != -ETIME && rc != -EINTR && rc != -EAGAIN && rc != -EBUSY ? rc : 0;
}

static void handle_all(struct uring_engine *e)
{
	struct io_uring_cqe *cqe;
	unsigned head, n = 0;

	io_uring_for_each_cqe(&e->ring, head, cqe)
	{
		handle(e, cqe);
		n++;
	}
	io_uring_cq_advance(&e->ring, n);
	publish_buffers(e);
}

static int loop(struct uring_engine *e)
{
	const struct ta_load_plan *plan = e->conns.worker->plan;
	uint64_t tick = 0;

	while (e->conns.now < plan->end_ns && !*plan->stop) {
		int rc;

		if (e->conns.now >= tick) {
			ta_conns_expire(&e->conns);
			open_due(e);
			tick = e->conns.now + TICK_NS;
		}
		rc = wait_until(e, next_wake(e, tick));
		if (rc < 0)
			return rc;
		e->conns.now = ta_load_now();
		handle_all(e);
		if (ta_pace_is_open(&e->conns.pace))
			begin_due(e);
	}
	return 0;
}

static int init_buffers(struct uring_engine *e)
{
	struct io_uring_buf_reg reg = {.ring_entries = BUFFERS, .bgid = BUFFER_GROUP};
	size_t bytes = BUFFERS * sizeof(struct io_uring_buf);
	void *ring;
	int rc;

	e->memory = malloc((size_t)BUFFERS * BUFFER_BYTES);
	if (!e->memory || posix_memalign(&ring, 4096, bytes))
		return -ENOMEM;
	e->buffers = ring;
	io_uring_buf_ring_init(e->buffers);
	reg.ring_addr = (uint64_t)(uintptr_t)ring;
	rc = io_uring_register_buf_ring(&e->ring, &reg, 0);
	if (rc < 0)
		return rc;
	for (unsigned i = 0; i < BUFFERS; i++)
		return_buffer(e, i);
	publish_buffers(e);
	return 0;
}

static int init_ring(struct io_uring *ring)
{
	struct io_uring_params params = {.flags = RING_FLAGS, .cq_entries = CQ_ENTRIES};

	return io_uring_queue_init_params(SQ_ENTRIES, ring, &params);
}

static int run_with(struct uring_engine *e, struct ta_worker *w)
{
	int rc = init_buffers(e);

	if (rc == 0)
		rc = ta_conns_init(&e->conns, w);
	if (rc < 0)
		return rc;
	e->lives = calloc(w->connections, sizeof(*e->lives));
	rc = e->lives ? loop(e) : -ENOMEM;
	ta_conns_finish(&e->conns);
	ta_conns_done(&e->conns);
	free(e->lives);
	return rc;
}

static int run(struct ta_worker *w)
{
	struct uring_engine e = {0};
	int rc = init_ring(&e.ring);

	if (rc < 0)
		return rc;
	rc = run_with(&e, w);
	io_uring_queue_exit(&e.ring);
	free(e.buffers);
	free(e.memory);
	return rc;
}

static int usable(struct ta_err *err)
{
	struct io_uring ring;
	int rc = init_ring(&ring);

	if (rc == 0) {
		io_uring_queue_exit(&ring);
		return 0;
	}
	if (rc == -ENOSYS)
		return ta_err_set(err, rc, "this kernel has no io_uring");
	if (rc == -EPERM)
		return ta_err_set(err, rc, "not permitted (kernel.io_uring_disabled, or a seccomp filter)");
	if (rc == -EINVAL)
		return ta_err_set(err, rc, "this kernel is older than 6.1");
	return ta_err_set(err, rc, "%s", ta_errno_text(rc));
}

const struct ta_engine ta_engine_io_uring = {.name = "io_uring", .usable = usable, .run = run};
