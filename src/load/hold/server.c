/*
 * A server of a hold run: it accepts what comes, and sends back what it is sent. What waits for it is known to the kernel alone (epoll),
 * so that a connection costs no memory here.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "load/hold/board.h"

#define EVENTS 128
#define ACCEPTS 64

struct server {
	struct ta_hold_board *board;
	struct ta_hold_server *self;
	int listener, epoll, control;
};

static int listen_on(struct server *s, int backlog)
{
	struct sockaddr_in *addr = &s->self->addr;
	socklen_t len = sizeof(*addr);

	*addr = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	s->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0 || bind(s->listener, (const struct sockaddr *)addr, len) < 0 || listen(s->listener, backlog) < 0 ||
		getsockname(s->listener, (struct sockaddr *)addr, &len) < 0)
		return -errno;
	return 0;
}

static int watch(struct server *s, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};

	return epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

/* Where no more can be taken, those that wait keep waiting: the clients are told by the board. */
static void full(struct server *s, int error)
{
	atomic_store(&s->self->limit, error);
	atomic_store(&s->board->enough, 1);
	epoll_ctl(s->epoll, EPOLL_CTL_DEL, s->listener, NULL);
}

static void accept_some(struct server *s)
{
	for (unsigned i = 0; i < ACCEPTS; i++) {
		int fd = accept4(s->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC), rc;

		if (fd < 0) {
			if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
				full(s, errno);
			return;
		}
		rc = watch(s, fd);
		if (rc < 0) {
			close(fd);
			full(s, -rc);
			return;
		}
		atomic_fetch_add_explicit(&s->self->accepted, 1, memory_order_relaxed);
	}
}

static void answer(struct server *s, int fd)
{
	char data[256];
	ssize_t n = recv(fd, data, sizeof(data), 0);

	if (n > 0)
		n = send(fd, data, (size_t)n, MSG_NOSIGNAL);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		close(fd);
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
		int fd = events[i].data.fd;

		if (fd == s->listener)
			accept_some(s);
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
	int rc = s.epoll < 0 ? -errno : listen_on(&s, b->setup.backlog);

	if (rc == 0)
		rc = watch(&s, s.listener);
	if (rc == 0)
		rc = watch(&s, control);
	s.self->rc = rc;
	if (send(control, &ready, 1, MSG_NOSIGNAL) != 1 || rc < 0)
		return;
	while (turn(&s))
		;
}
