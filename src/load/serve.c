/*
 * A thread of the built-in server. Connections are in one list, the one that was quiet longest first; a client that does not read its
 * replies is not read from either; a head that does not end is thrown away at its limit. So nothing grows with what a
 * client sends.
 */
#include "load/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "load/load.h"
#include "load/request.h"

#define EVENTS 256
#define RECEIVE_BYTES (64u << 10)
#define ACCEPTS 64		 /* at a time, so that the other threads get some */
#define OWED_MAX (256u << 10)	 /* reply bytes that a client may leave unread before it is not read from */
#define BLOCK_BYTES (32u << 10)

struct link {
	struct link *next, *prev;
};

struct conn {
	struct link link; /* first: by last activity */
	int fd;
	bool closing;	/* once `owed` is sent */
	char *partial;	/* of a request, NULL or TA_SERVER_HEAD_MAX bytes */
	size_t n_partial;
	size_t owed, at; /* reply bytes to send, and where in a reply the next one stands */
	uint64_t active_ns;
};

struct thread {
	const struct ta_serve *serve;
	int epoll, reserve; /* a descriptor to give up when there are no others */
	struct link conns;
	uint64_t now;
	char buffer[TA_SERVER_HEAD_MAX + RECEIVE_BYTES];
};

static void unlink_conn(struct conn *c)
{
	c->link.prev->next = c->link.next;
	c->link.next->prev = c->link.prev;
}

static void link_last(struct thread *t, struct conn *c)
{
	c->link.next = &t->conns;
	c->link.prev = t->conns.prev;
	c->link.prev->next = &c->link;
	t->conns.prev = &c->link;
}

static void end_conn(struct conn *c)
{
	unlink_conn(c);
	close(c->fd);
	free(c->partial);
	free(c);
}

static void touch(struct thread *t, struct conn *c)
{
	c->active_ns = t->now;
	unlink_conn(c);
	link_last(t, c);
}

/* False: the connection is gone. */
static bool send_owed(struct thread *t, struct conn *c)
{
	const struct ta_serve_reply *r = &t->serve->reply;

	while (c->owed) {
		size_t n = TA_MIN(c->owed, r->block_len - c->at);
		ssize_t sent = send(c->fd, r->block + c->at, n, MSG_NOSIGNAL);

		if (sent < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (sent < 0) {
			end_conn(c);
			return false;
		}
		c->owed -= (size_t)sent;
		c->at = (c->at + (size_t)sent) % r->len;
	}
	if (!c->closing)
		return true;
	end_conn(c);
	return false;
}

static void refuse(struct conn *c, enum ta_request_kind kind)
{
	static const char *const texts[] = {
		[TA_REQUEST_BAD] = "400 Bad Request",
		[TA_REQUEST_METHOD] = "405 Method Not Allowed\r\nAllow: GET, HEAD",
		[TA_REQUEST_TOO_LONG] = "431 Request Header Fields Too Large",
	};
	char reply[160];
	int n = snprintf(reply, sizeof(reply), "HTTP/1.1 %s\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", texts[kind]);

	/* Behind replies that are still owed there is no place for it. */
	if (!c->owed)
		(void)!send(c->fd, reply, (size_t)n, MSG_NOSIGNAL);
	c->closing = true;
}

/* One request. False: nothing more is read from this connection. */
static bool answer(struct thread *t, struct conn *c, enum ta_request_kind kind)
{
	const struct ta_serve_reply *r = &t->serve->reply;

	switch (kind) {
	case TA_REQUEST_LAST:
		c->closing = true;
		c->owed += r->len;
		return false;
	case TA_REQUEST_GET:
		c->owed += r->len;
		return true;
	case TA_REQUEST_HEAD:
		/* Behind replies that are still owed there is no place for a shorter one. */
		c->closing = c->owed || send(c->fd, r->block, r->head_len, MSG_NOSIGNAL) != (ssize_t)r->head_len;
		return !c->closing;
	default:
		refuse(c, kind);
		return false;
	}
}

static bool keep_partial(struct conn *c, const char *data, size_t len)
{
	if (!len)
		return true;
	if (!c->partial)
		c->partial = malloc(TA_SERVER_HEAD_MAX);
	if (!c->partial || len > TA_SERVER_HEAD_MAX)
		return false;
	memmove(c->partial, data, len);
	c->n_partial = len;
	return true;
}

/* All requests in `len` bytes at t->buffer. False: the connection is gone. */
static bool answer_all(struct thread *t, struct conn *c, size_t len)
{
	const char *at = t->buffer;

	c->n_partial = 0;
	while (len) {
		size_t used;
		enum ta_request_kind kind = ta_request_read(at, len, &used);

		if (kind == TA_REQUEST_MORE)
			break;
		if (!answer(t, c, kind)) {
			len = 0;
			break;
		}
		at += used;
		len -= used;
	}
	if (!c->closing && !keep_partial(c, at, len))
		c->closing = true;
	return send_owed(t, c);
}

/*
 * Reads until the socket is empty. What a client still has to read stops it; it goes on when that is sent.
 */
static void receive(struct thread *t, struct conn *c)
{
	while (c->owed < OWED_MAX && !c->closing) {
		size_t had = c->n_partial;
		ssize_t n;

		if (had)
			memcpy(t->buffer, c->partial, had);
		n = recv(c->fd, t->buffer + had, RECEIVE_BYTES, 0);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0) {
			end_conn(c);
			return;
		}
		if (!answer_all(t, c, had + (size_t)n) || n < (ssize_t)RECEIVE_BYTES)
			return;
	}
}

static void handle(struct thread *t, struct conn *c, uint32_t events)
{
	bool was_full = c->owed >= OWED_MAX;

	touch(t, c);
	if (c->owed && !send_owed(t, c))
		return;
	if (was_full || (events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)))
		receive(t, c);
}

static void add_conn(struct thread *t, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET};
	struct conn *c = calloc(1, sizeof(*c));
	int one = 1;

	if (!c) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->fd = fd;
	c->active_ns = t->now;
	link_last(t, c);
	ev.data.ptr = c;
	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		end_conn(c);
}

/* No descriptor is left: whoever waits is told so by a reset, instead of waking this thread for ever. */
static void turn_away(struct thread *t)
{
	int fd;

	close(t->reserve);
	fd = accept4(t->serve->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	t->reserve = fcntl(t->serve->wake, F_DUPFD_CLOEXEC, 0);
}

static void accept_some(struct thread *t)
{
	for (unsigned i = 0; i < ACCEPTS; i++) {
		int fd = accept4(t->serve->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			add_conn(t, fd);
		else if (errno == EMFILE || errno == ENFILE)
			turn_away(t);
		else if (errno != ECONNABORTED)
			return;
	}
}

static void end_quiet(struct thread *t)
{
	while (t->conns.next != &t->conns) {
		struct conn *c = (struct conn *)t->conns.next;

		if (t->now - c->active_ns < TA_SERVER_IDLE_S * TA_NS_PER_S)
			return;
		end_conn(c);
	}
}

/* The two descriptors that are no connections are told apart by these addresses. */
static char listener_mark, wake_mark;

static int watch(struct thread *t)
{
	struct epoll_event listener = {.events = EPOLLIN | EPOLLEXCLUSIVE, .data.ptr = &listener_mark};
	struct epoll_event wake = {.events = EPOLLIN, .data.ptr = &wake_mark};

	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->serve->wake, &wake) < 0)
		return -errno;
	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->serve->listener, &listener) == 0)
		return 0;
	listener.events = EPOLLIN; /* before 4.5 all threads wake */
	return epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->serve->listener, &listener) < 0 ? -errno : 0;
}

/* False: it is to end. */
static bool turn(struct thread *t)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(t->epoll, events, EVENTS, 1000);

	t->now = ta_load_now();
	for (int i = 0; i < n; i++) {
		if (events[i].data.ptr == &wake_mark)
			return false;
		if (events[i].data.ptr == &listener_mark)
			accept_some(t);
		else
			handle(t, events[i].data.ptr, events[i].events);
	}
	end_quiet(t);
	return true;
}

static void *thread_main(void *arg)
{
	struct thread *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->serve = arg;
	t->conns.next = t->conns.prev = &t->conns;
	t->now = ta_load_now();
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	t->reserve = fcntl(t->serve->wake, F_DUPFD_CLOEXEC, 0);
	if (t->epoll >= 0 && watch(t) == 0)
		while (turn(t))
			;
	while (t->conns.next != &t->conns)
		end_conn((struct conn *)t->conns.next);
	close(t->reserve);
	close(t->epoll);
	free(t);
	return NULL;
}

static int make_reply(unsigned body_bytes, struct ta_serve_reply *ret)
{
	ta_cleanup_buf struct ta_buf one = TA_BUF_INIT, block = TA_BUF_INIT;
	size_t times;

	ta_buf_printf(&one, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %u\r\n\r\n", body_bytes);
	ret->head_len = one.len;
	for (unsigned i = 0; i < body_bytes; i++)
		ta_buf_addc(&one, "tuneaudit "[i % 10]);
	times = one.len < BLOCK_BYTES ? BLOCK_BYTES / one.len : 1;
	for (size_t i = 0; i < times; i++)
		ta_buf_add(&block, one.data, one.len);
	ret->len = one.len;
	ret->block_len = block.len;
	ret->block = ta_buf_steal(&block);
	return one.error || !ret->block ? -ENOMEM : 0;
}

static int listen_on(const struct ta_server_options *o, struct ta_serve *s, struct ta_err *err)
{
	int one = 1;

	s->listener = socket(o->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->listener < 0)
		return ta_err_set(err, -errno, "no socket for the server: %s", ta_errno_text(-errno));
	setsockopt(s->listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(s->listener, (const struct sockaddr *)&o->addr, o->addr_len) < 0 || listen(s->listener, 65535) < 0)
		return ta_err_set(err, -errno, "the server cannot listen there: %s", ta_errno_text(-errno));
	s->addr_len = sizeof(s->addr);
	if (getsockname(s->listener, (struct sockaddr *)&s->addr, &s->addr_len) < 0)
		return ta_err_set(err, -errno, "the server's address is not known: %s", ta_errno_text(-errno));
	return 0;
}

int ta_serve_start(const struct ta_server_options *o, struct ta_serve *ret, struct ta_err *err)
{
	int rc;

	*ret = (struct ta_serve){.listener = -1, .wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	rc = ret->wake < 0 ? ta_err_set(err, -errno, "eventfd: %s", ta_errno_text(-errno)) : listen_on(o, ret, err);
	if (rc >= 0)
		rc = make_reply(o->body_bytes, &ret->reply);
	while (rc >= 0 && ret->n_threads < TA_MIN(o->threads, (unsigned)TA_SERVE_THREADS_MAX)) {
		int error = pthread_create(&ret->threads[ret->n_threads], NULL, thread_main, ret);

		if (error)
			rc = ta_err_set(err, -error, "no thread for the server: %s", ta_errno_text(-error));
		else
			ret->n_threads++;
	}
	if (rc < 0)
		ta_serve_stop(ret);
	return rc;
}

void ta_serve_stop(struct ta_serve *s)
{
	uint64_t one = 1;

	if (s->n_threads)
		(void)!write(s->wake, &one, sizeof(one));
	for (unsigned i = 0; i < s->n_threads; i++)
		pthread_join(s->threads[i], NULL);
	s->n_threads = 0;
	if (s->listener >= 0)
		close(s->listener);
	if (s->wake >= 0)
		close(s->wake);
	free(s->reply.block);
	s->reply.block = NULL;
	s->listener = s->wake = -1;
}
