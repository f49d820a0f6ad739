/*
 * A thread of the built-in server that waits in epoll, edge-triggered. A client that does not read its replies is not
 * read from either.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "load/load.h"
#include "load/serve_conn.h"

#define EVENTS 256
#define ACCEPTS 64	     /* at a time, so that the other threads get some */
#define OWED_MAX (256u << 10) /* reply bytes that a client may leave unread before it is not read from */

struct thread {
	struct ta_serve_conns conns;
	int epoll, reserve; /* `reserve`: a descriptor to give up when there are no others */
	char buffer[TA_SERVE_RECEIVE_BYTES];
};

/* False: the connection is gone. */
static bool send_owed(struct thread *t, struct ta_serve_conn *c)
{
	while (c->owed) {
		size_t n;
		const char *data = ta_serve_conn_owed(&t->conns, c, &n);
		ssize_t sent = send(c->fd, data, n, MSG_NOSIGNAL);

		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (sent < 0) {
			ta_serve_conn_free(c);
			return false;
		}
		ta_serve_conn_sent(&t->conns, c, (size_t)sent);
	}
	if (!c->closing)
		return true;
	ta_serve_conn_free(c);
	return false;
}

/*
 * Until the socket is empty. What the client still has to read stops it; it goes on when that is sent. Where the client ended its
 * side with its last bytes (`all`) nothing tells of that again.
 */
static void receive(struct thread *t, struct ta_serve_conn *c, bool all)
{
	while (c->owed < OWED_MAX && !c->closing) {
		ssize_t n = recv(c->fd, t->buffer, sizeof(t->buffer), 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n == 0 && c->owed) {
			c->closing = true; /* a client that ended its side may still read what it asked for */
			return;
		}
		if (n <= 0) {
			ta_serve_conn_free(c);
			return;
		}
		ta_serve_conn_feed(&t->conns, c, t->buffer, (size_t)n);
		if (!send_owed(t, c) || (!all && n < (ssize_t)sizeof(t->buffer)))
			return;
	}
}

static void handle(struct thread *t, struct ta_serve_conn *c, uint32_t events)
{
	bool was_full = c->owed >= OWED_MAX;

	ta_serve_conn_touch(&t->conns, c);
	if (c->owed && !send_owed(t, c))
		return;
	if (was_full || (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
		receive(t, c, was_full || (events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)));
}

static void add_conn(struct thread *t, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET};
	struct ta_serve_conn *c = ta_serve_conn_new(&t->conns, fd);
	int one = 1;

	if (!c)
		return;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	ev.data.ptr = c;
	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		ta_serve_conn_free(c);
}

static void accept_some(struct thread *t)
{
	for (unsigned i = 0; i < ACCEPTS; i++) {
		int fd = accept4(t->conns.serve->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			add_conn(t, fd);
		else if (errno == EMFILE || errno == ENFILE)
			ta_serve_turn_away(t->conns.serve, &t->reserve);
		else if (errno != ECONNABORTED)
			return;
	}
}

/* The two descriptors that are no connections are told apart by these addresses. */
static char listener_mark, wake_mark;

static int watch(struct thread *t)
{
	struct epoll_event listener = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &listener_mark};
	struct epoll_event wake = {.events = EPOLLIN, .data.ptr = &wake_mark};

	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->conns.serve->wake, &wake) < 0)
		return -errno;
	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->conns.serve->listener, &listener) == 0)
		return 0;
	listener.events = EPOLLIN; /* before 4.5 all threads wake */
	return epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->conns.serve->listener, &listener) < 0 ? -errno : 0;
}

/* False: it is to end. */
static bool turn(struct thread *t)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(t->epoll, events, EVENTS, 1000);
	struct ta_serve_conn *quiet;

	t->conns.now = ta_load_now();
	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == &wake_mark)
			return false;
		if (events[i].data.ptr == &listener_mark)
			accept_some(t);
		else
			handle(t, events[i].data.ptr, events[i].events);
	}
	while ((quiet = ta_serve_conn_quiet(&t->conns)))
		ta_serve_conn_free(quiet);
	return true;
}

void *ta_serve_epoll_main(void *arg)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	ta_serve_conns_init(&t->conns, arg);
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	t->reserve = fcntl(t->conns.serve->wake, F_DUPFD_CLOEXEC, 0);
	if (t->epoll >= 0 && watch(t) == 0)
		while (turn(t))
			;
	while (t->conns.list.next != &t->conns.list)
		ta_serve_conn_free((struct ta_serve_conn *)t->conns.list.next);
	close(t->reserve);
	close(t->epoll);
	free(t);
	return NULL;
}
