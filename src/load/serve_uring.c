/*
 * A thread of the built-in server on a ring: connections arrive by one accept that stays armed, bytes by one receive for
 * each that does, replies leave together. A round of many requests costs one system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "load/load.h"
#include "load/serve_conn.h"
#include "load/uring.h"

/* The lowest bits of a tag; the others are the connection. */
enum op { OP_ACCEPT, OP_WAKE, OP_RECEIVE, OP_SEND };

#define OP_MASK 3u

struct thread {
	struct ta_serve_conns conns;
	struct ta_uring uring;
	int reserve; /* a descriptor to give up when there are no others */
	bool accepting, ending;
};

static uint64_t tag_of(const struct ta_serve_conn *c, enum op op)
{
	return (uint64_t)(uintptr_t)c | op;
}

/* The kernel may have operations of it; with the last of them it goes. */
static void end_conn(struct ta_serve_conn *c)
{
	c->closing = true;
	c->owed = 0;
	if (c->operations)
		shutdown(c->fd, SHUT_RDWR);
	else
		ta_serve_conn_free(c);
}

static void arm_accept(struct thread *t)
{
	struct io_uring_sqe *sqe = ta_uring_sqe(&t->uring);

	if (!sqe)
		return;
	io_uring_prep_multishot_accept(sqe, t->conns.serve->listener, NULL, NULL, SOCK_CLOEXEC);
	io_uring_sqe_set_data64(sqe, OP_ACCEPT);
	t->accepting = true;
}

static void arm_wake(struct thread *t)
{
	struct io_uring_sqe *sqe = ta_uring_sqe(&t->uring);

	if (!sqe)
		return;
	io_uring_prep_poll_add(sqe, t->conns.serve->wake, POLLIN);
	io_uring_sqe_set_data64(sqe, OP_WAKE);
}

/* False: the connection may be gone. */
static bool arm_receive(struct thread *t, struct ta_serve_conn *c)
{
	if (ta_uring_receive(&t->uring, c->fd, tag_of(c, OP_RECEIVE)) < 0) {
		end_conn(c);
		return false;
	}
	c->receiving = true;
	c->operations++;
	return true;
}

static void send_owed(struct thread *t, struct ta_serve_conn *c)
{
	struct io_uring_sqe *sqe;
	const char *data;
	size_t n;

	if (c->sending)
		return;
	if (!c->owed) {
		if (c->closing)
			end_conn(c);
		return;
	}
	sqe = ta_uring_sqe(&t->uring);
	if (!sqe) {
		end_conn(c);
		return;
	}
	data = ta_serve_conn_owed(&t->conns, c, &n);
	io_uring_prep_send(sqe, c->fd, data, n, MSG_NOSIGNAL);
	io_uring_sqe_set_data64(sqe, tag_of(c, OP_SEND));
	c->sending = true;
	c->operations++;
}

static void accepted(struct thread *t, const struct io_uring_cqe *cqe)
{
	struct ta_serve_conn *c;
	int one = 1;

	t->accepting = cqe->flags & IORING_CQE_F_MORE;
	if (cqe->res == -EMFILE || cqe->res == -ENFILE)
		ta_serve_turn_away(t->conns.serve, &t->reserve);
	if (cqe->res < 0)
		return;
	c = ta_serve_conn_new(&t->conns, cqe->res);
	if (!c)
		return;
	setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	arm_receive(t, c);
}

static void received(struct thread *t, struct ta_serve_conn *c, const struct io_uring_cqe *cqe)
{
	const char *data = ta_uring_data(&t->uring, cqe);
	bool more = cqe->flags & IORING_CQE_F_MORE;

	if (!more) {
		c->receiving = false;
		c->operations--;
	}
	if (cqe->res > 0 && data && !c->closing) {
		ta_serve_conn_touch(&t->conns, c);
		ta_serve_conn_feed(&t->conns, c, data, (size_t)cqe->res);
	}
	ta_uring_return(&t->uring, cqe);
	/* A client that ended its side may still read what it asked for. */
	if (cqe->res == 0 && c->owed) {
		c->closing = true;
		send_owed(t, c);
		return;
	}
	if (cqe->res <= 0 && cqe->res != -ENOBUFS) {
		end_conn(c);
		return;
	}
	if (!more && !c->closing && !arm_receive(t, c))
		return;
	send_owed(t, c);
}

static void sent(struct thread *t, struct ta_serve_conn *c, const struct io_uring_cqe *cqe)
{
	c->sending = false;
	c->operations--;
	if (cqe->res < 0) {
		end_conn(c);
		return;
	}
	/* Nothing is owed any more by one that is being ended. */
	ta_serve_conn_sent(&t->conns, c, TA_MIN((size_t)cqe->res, c->owed));
	if (c->owed || c->closing)
		send_owed(t, c);
}

static void handle(struct thread *t, const struct io_uring_cqe *cqe)
{
	struct ta_serve_conn *c = (struct ta_serve_conn *)(uintptr_t)(cqe->user_data & ~(uint64_t)OP_MASK);

	switch (cqe->user_data & OP_MASK) {
	case OP_ACCEPT:
		accepted(t, cqe);
		break;
	case OP_WAKE:
		t->ending = true;
		break;
	case OP_RECEIVE:
		received(t, c, cqe);
		break;
	default:
		sent(t, c, cqe);
	}
}

static void turn(struct thread *t)
{
	struct io_uring_cqe *cqe;
	struct ta_serve_conn *quiet;
	unsigned head, n = 0;

	if (!t->accepting)
		arm_accept(t);
	if (ta_uring_wait(&t->uring, 1, TA_NS_PER_S) < 0) {
		t->ending = true;
		return;
	}
	t->conns.now = ta_load_now();
	io_uring_for_each_cqe(&t->uring.ring, head, cqe)
	{
		handle(t, cqe);
		n++;
	}
	ta_uring_advance(&t->uring, n);
	while ((quiet = ta_serve_conn_quiet(&t->conns))) {
		ta_serve_conn_touch(&t->conns, quiet);
		end_conn(quiet);
	}
}

void *ta_serve_uring_main(void *arg)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t || ta_uring_init(&t->uring) < 0) {
		free(t);
		return ta_serve_epoll_main(arg);
	}
	ta_serve_conns_init(&t->conns, arg);
	t->reserve = fcntl(t->conns.serve->wake, F_DUPFD_CLOEXEC, 0);
	arm_wake(t);
	while (!t->ending)
		turn(t);
	/* The ring takes back what the kernel has; then nothing refers to a connection. */
	ta_uring_done(&t->uring);
	while (t->conns.list.next != &t->conns.list)
		ta_serve_conn_free((struct ta_serve_conn *)t->conns.list.next);
	close(t->reserve);
	free(t);
	return NULL;
}
