/*
 * A server of a hold run: it accepts what comes, and sends back what it is sent. What waits for it is known to the kernel alone (epoll),
 * so that a connection costs no memory here.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "load/admit.h"
#include "load/hold/board.h"

#define EVENTS 128
#define ACCEPTS 64

#define LISTENER (1ull << 32) /* in what epoll keeps: the descriptor is one that listens */

struct server {
	struct ta_hold_board *board;
	struct ta_hold_server *self;
	int *listeners;
	unsigned n_listeners;
	bool full; /* the listeners are left alone until a connection ends */
	int epoll, control;
};

/* sin_port and sin6_port stand at the same place. */
static int listen_on(struct server *s, uint16_t *ret_port)
{
	const struct ta_hold_setup *setup = &s->board->setup;
	struct sockaddr_storage addr = setup->listen;
	socklen_t len = setup->listen_len;
	int fd = socket(addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), rc;

	if (fd < 0)
		return -errno;
	s->listeners[s->n_listeners++] = fd;
	rc = ta_admit_only(fd, &setup->only);
	if (rc < 0)
		return rc;
	if (bind(fd, (const struct sockaddr *)&addr, len) < 0 || listen(fd, setup->backlog) < 0 ||
		getsockname(fd, (struct sockaddr *)&addr, &len) < 0)
		return -errno;
	*ret_port = ntohs(((const struct sockaddr_in *)&addr)->sin_port);
	return 0;
}

static int watch(struct server *s, int fd, uint64_t kind, int how)
{
	struct epoll_event ev = {.events = EPOLLIN | (kind ? 0 : EPOLLRDHUP), .data.u64 = (uint64_t)fd | kind};

	return epoll_ctl(s->epoll, how, fd, &ev) < 0 ? -errno : 0;
}

static int listen_on_all(struct server *s, unsigned index)
{
	unsigned n = s->board->setup.plan.ports_each;
	int rc = 0;

	s->listeners = calloc(n, sizeof(*s->listeners));
	if (!s->listeners)
		return -ENOMEM;
	for (unsigned i = 0; i < n && rc == 0; i++) {
		rc = listen_on(s, &s->board->ports[index * n + i]);
		if (rc == 0)
			rc = watch(s, s->listeners[i], LISTENER, EPOLL_CTL_ADD);
	}
	return rc;
}

/* Where no more can be taken, those that wait keep waiting: the clients are told by the board. */
static void full(struct server *s, int error)
{
	atomic_store(&s->self->limit, error);
	atomic_store(&s->board->enough, 1);
	s->full = true;
	for (unsigned i = 0; i < s->n_listeners; i++)
		epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->listeners[i], NULL);
}

static void accept_some(struct server *s, int listener)
{
	for (unsigned i = 0; i < ACCEPTS && !s->full; i++) {
		int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), rc;

		if (fd < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				full(s, errno);
			return;
		}
		rc = watch(s, fd, 0, EPOLL_CTL_ADD);
		if (rc < 0) {
			close(fd);
			full(s, -rc);
			return;
		}
		atomic_fetch_add_explicit(&s->self->accepted, 1, memory_order_relaxed);
	}
}

/* There is room again. */
static void end_one(struct server *s, int fd)
{
	close(fd);
	atomic_fetch_add_explicit(&s->self->ended, 1, memory_order_relaxed);
	for (unsigned i = 0; i < s->n_listeners && s->full; i++)
		watch(s, s->listeners[i], LISTENER, EPOLL_CTL_ADD);
	s->full = false;
}

static void answer(struct server *s, int fd)
{
	char data[256];
	ssize_t n = recv(fd, data, sizeof(data), 0);

	if (n > 0)
		n = send(fd, data, (size_t)n, MSG_NOSIGNAL);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		end_one(s, fd);
}

/* False: the conductor is gone. */
static bool command(struct server *s)
{
	char c;

	if (recv(s->control, &c, 1, 0) != 1)
		return false;
	ta_hold_times(&s->self->user_ns, &s->self->system_ns);
	return send(s->control, &c, 1, MSG_NOSIGNAL) == 1;
}

static bool turn(struct server *s)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(s->epoll, events, EVENTS, -1);

	for (int i = 0; i < n; i++) {
		int fd = (int)(events[i].data.u64 & ~LISTENER);

		if (events[i].data.u64 & LISTENER)
			accept_some(s, fd);
		else if (fd != s->control)
			answer(s, fd);
		else if (!command(s))
			return false;
	}
	return n >= 0 || errno == EINTR;
}

void ta_hold_server_main(struct ta_hold_board *b, unsigned index, int control)
{
	struct server s = {.board = b, .self = &b->servers[index], .control = control, .epoll = epoll_create1(EPOLL_CLOEXEC)};
	char ready = TA_HOLD_READY;
	int rc = s.epoll < 0 ? -errno : listen_on_all(&s, index);

	if (rc == 0)
		rc = watch(&s, control, 0, EPOLL_CTL_ADD);
	s.self->pid = getpid();
	s.self->rc = rc;
	if (send(control, &ready, 1, MSG_NOSIGNAL) != 1 || rc < 0)
		return;
	while (turn(&s))
		;
}
