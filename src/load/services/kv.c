/*
 * kv: a small Redis, GET and SET in memory. A thread waits in epoll, edge-triggered; the replies to what one receive
 * brought leave in one send. What a client can make it hold is bounded: a request that is not whole by the size of the largest one,
 * replies that the client does not read by stopping to read from it, and both for all clients together.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "load/kv/answer.h"
#include "load/listen.h"
#include "load/load.h"

#define EVENTS 256
#define ACCEPTS 64
#define THREADS_MAX 64u
#define RECEIVE_BYTES (64u << 10)
#define REPLY_BYTES (128u << 10)			     /* are sent before more is answered */
#define REQUEST_MAX (TA_KV_VALUE_MAX + TA_KV_KEY_MAX + 1024) /* bytes of a request that is not whole */
#define HELD_MAX ((size_t)256 << 20)			     /* of all clients together */

struct conn {
	struct conn *next, *prev; /* of the thread, the one that was quiet longest first */
	int fd;
	bool closing; /* once all is sent */
	bool ended;   /* the client ended its side: epoll tells that once, maybe together with its last bytes */
	uint64_t active_ns;
	struct ta_buf in;  /* requests that wait: not whole, or behind replies that are not sent */
	struct ta_buf out; /* that the socket did not take */
	size_t sent;	   /* of `out` */
	size_t held;	   /* what both count for */
};

struct kv {
	struct ta_kv_table *table;
	int listener, wake;
	_Atomic size_t held;
	unsigned n_threads;
	pthread_t threads[THREADS_MAX];
};

struct thread {
	struct kv *kv;
	struct conn list; /* its ends */
	int epoll, reserve; /* `reserve`: a descriptor to give up when there are no others */
	struct ta_buf out;
	uint64_t now;
	char buffer[RECEIVE_BYTES];
};

/* --- connections --------------------------------------------------------------- */

static void unlink_conn(struct conn *c)
{
	c->prev->next = c->next;
	c->next->prev = c->prev;
}

static void link_last(struct thread *t, struct conn *c)
{
	c->active_ns = t->now;
	c->next = &t->list;
	c->prev = t->list.prev;
	c->prev->next = c;
	t->list.prev = c;
}

static void free_conn(struct thread *t, struct conn *c)
{
	atomic_fetch_sub(&t->kv->held, c->held);
	unlink_conn(c);
	close(c->fd);
	ta_buf_done(&c->in);
	ta_buf_done(&c->out);
	free(c);
}

/* False: too much is held, by this client or by all. What is empty gives its memory back. */
static bool hold(struct thread *t, struct conn *c)
{
	size_t now;

	if (!c->in.len)
		ta_buf_done(&c->in);
	if (!c->out.len)
		ta_buf_done(&c->out);
	now = c->in.cap + c->out.cap;
	atomic_fetch_add(&t->kv->held, now - c->held);
	c->held = now;
	return !c->in.error && !c->out.error && c->in.len <= REQUEST_MAX + RECEIVE_BYTES && atomic_load(&t->kv->held) <= HELD_MAX;
}

/* --- bytes ---------------------------------------------------------------------- */

/* What the socket does not take stays with the connection. False: it is broken. */
static bool send_replies(struct thread *t, struct conn *c)
{
	ssize_t n = t->out.len && !c->out.len ? send(c->fd, t->out.data, t->out.len, MSG_NOSIGNAL) : 0;

	if (n < 0 && errno != EAGAIN && errno != EINTR)
		return false;
	n = TA_MAX(n, 0);
	if ((size_t)n < t->out.len)
		ta_buf_add(&c->out, t->out.data + n, t->out.len - (size_t)n);
	ta_buf_reset(&t->out);
	return true;
}

/* Answers what is whole, as long as the client takes the replies. The number of bytes that were used, or -1: it is broken. */
static ssize_t answer(struct thread *t, struct conn *c, const char *data, size_t len)
{
	size_t at = 0;

	while (at < len && !c->out.len && !c->closing) {
		struct ta_resp_request r;
		size_t used;
		enum ta_resp_request_kind kind = ta_resp_request_read(data + at, len - at, &r, &used);

		if (kind == TA_RESP_REQUEST_MORE)
			break;
		if (kind == TA_RESP_REQUEST_WHOLE) {
			c->closing = !ta_kv_answer(t->kv->table, &r, &t->out);
			at += used;
		} else {
			ta_buf_adds(&t->out, kind == TA_RESP_REQUEST_BAD ? "-ERR Protocol error\r\n" :
									 "-ERR Protocol error: too many words\r\n");
			c->closing = true;
		}
		if (t->out.len >= REPLY_BYTES && !send_replies(t, c))
			return -1;
	}
	if (t->out.error || !send_replies(t, c))
		return -1;
	return (ssize_t)(c->closing ? len : at);
}

/* The requests that waited, and `len` bytes more. False: the connection is to be closed. */
static bool take(struct thread *t, struct conn *c, const char *data, size_t len)
{
	ssize_t used;

	if (!c->in.len) {
		used = answer(t, c, data, len);
		if (used < 0)
			return false;
		if ((size_t)used < len)
			ta_buf_add(&c->in, data + used, len - (size_t)used);
	} else {
		ta_buf_add(&c->in, data, len);
		used = c->in.error ? -1 : answer(t, c, c->in.data, c->in.len);
		if (used < 0)
			return false;
		c->in.len -= (size_t)used;
		memmove(c->in.data, c->in.data + used, c->in.len);
	}
	if (!c->in.cap && !c->out.cap && !c->held)
		return true;
	return hold(t, c);
}

/* False: broken. Afterwards c->out.len says whether all was taken. */
static bool send_rest(struct thread *t, struct conn *c)
{
	while (c->sent < c->out.len) {
		ssize_t n = send(c->fd, c->out.data + c->sent, c->out.len - c->sent, MSG_NOSIGNAL);

		if (n < 0)
			return errno == EAGAIN || errno == EINTR;
		c->sent += (size_t)n;
	}
	ta_buf_reset(&c->out);
	c->sent = 0;
	return true;
}

/* Until the socket is empty, or the client does not take its replies. False: the connection is to be closed. */
static bool receive(struct thread *t, struct conn *c)
{
	while (!c->out.len && !c->closing) {
		ssize_t n = recv(c->fd, t->buffer, sizeof(t->buffer), 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (n <= 0 || !take(t, c, t->buffer, (size_t)n))
			return false;
		if (n < (ssize_t)sizeof(t->buffer) && !c->ended)
			break;
	}
	return c->out.len || !c->closing;
}

static bool go_on(struct thread *t, struct conn *c)
{
	if (c->out.len) {
		if (!send_rest(t, c))
			return false;
		if (c->out.len)
			return true;
		if (!take(t, c, "", 0))
			return false;
	}
	return receive(t, c);
}

/* --- a thread ------------------------------------------------------------------- */

/* The two descriptors that are no connections are told apart by these addresses. */
static char listener_mark, wake_mark;

static int watch(int epoll, int fd, uint32_t events, void *mark)
{
	struct epoll_event ev = {.events = events, .data.ptr = mark};

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &ev) < 0 ? -errno : 0;
}

static void add_conn(struct thread *t, int fd)
{
	struct conn *c = calloc(1, sizeof(*c));
	int one = 1;

	if (!c) {
		close(fd);
		return;
	}
	c->fd = fd;
	link_last(t, c);
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	if (watch(t->epoll, fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, c) < 0)
		free_conn(t, c);
}

/* No descriptor is left: whoever waits longest is told so, instead of waking the thread for ever. */
static void turn_away(struct thread *t)
{
	int fd;

	close(t->reserve);
	fd = accept4(t->kv->listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd >= 0)
		close(fd);
	t->reserve = fcntl(t->kv->wake, F_DUPFD_CLOEXEC, 0);
}

static void accept_some(struct thread *t)
{
	for (unsigned i = 0; i < ACCEPTS; i++) {
		int fd = accept4(t->kv->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd >= 0)
			add_conn(t, fd);
		else if (errno == EMFILE || errno == ENFILE)
			turn_away(t);
		else if (errno != ECONNABORTED)
			return;
	}
}

/* False: it is to end. */
static bool turn(struct thread *t)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(t->epoll, events, EVENTS, 1000);

	t->now = ta_load_now();
	for (int i = 0; i < n; i++) {
		struct conn *c = events[i].data.ptr;

		if (events[i].data.ptr == &wake_mark)
			return false;
		if (events[i].data.ptr == &listener_mark) {
			accept_some(t);
			continue;
		}
		unlink_conn(c);
		link_last(t, c);
		c->ended = c->ended || (events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR));
		if (!go_on(t, c))
			free_conn(t, c);
	}
	while (t->list.next != &t->list && t->now - t->list.next->active_ns > TA_SERVER_IDLE_S * TA_NS_PER_S)
		free_conn(t, t->list.next);
	return n >= 0 || errno == EINTR;
}

static void *thread_main(void *arg)
{
	struct thread *t = calloc(1, sizeof(*t));
	struct kv *kv = arg;

	if (!t)
		return NULL;
	t->kv = kv;
	t->list.next = t->list.prev = &t->list;
	t->now = ta_load_now();
	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	t->reserve = fcntl(kv->wake, F_DUPFD_CLOEXEC, 0);
	if (watch(t->epoll, kv->wake, EPOLLIN, &wake_mark) == 0 &&
		(watch(t->epoll, kv->listener, EPOLLIN | EPOLLEXCLUSIVE, &listener_mark) == 0 ||
			watch(t->epoll, kv->listener, EPOLLIN, &listener_mark) == 0)) /* before 4.5 all threads wake */
		while (turn(t))
			;
	while (t->list.next != &t->list)
		free_conn(t, t->list.next);
	ta_buf_done(&t->out);
	close(t->epoll);
	close(t->reserve);
	free(t);
	return NULL;
}

/* --- the service ---------------------------------------------------------------- */

static void end(struct kv *kv)
{
	uint64_t one = 1;

	if (kv->n_threads)
		(void)!write(kv->wake, &one, sizeof(one));
	for (unsigned i = 0; i < kv->n_threads; i++)
		pthread_join(kv->threads[i], NULL);
	if (kv->listener >= 0)
		close(kv->listener);
	if (kv->wake >= 0)
		close(kv->wake);
	ta_kv_table_free(kv->table);
	free(kv);
}

static int begin(struct kv *kv, const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	kv->table = ta_kv_table_new();
	if (!kv->table)
		return ta_err_set(err, -ENOMEM, "out of memory");
	kv->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (kv->wake < 0)
		return ta_err_set(err, -errno, "eventfd: %s", ta_errno_text(-errno));
	kv->listener = ta_load_listen(o, ret, err);
	if (kv->listener < 0)
		return kv->listener;
	while (kv->n_threads < TA_MIN(o->threads, THREADS_MAX)) {
		int error = pthread_create(&kv->threads[kv->n_threads], NULL, thread_main, kv);

		if (error)
			return ta_err_set(err, -error, "no thread for the server: %s", ta_errno_text(-error));
		kv->n_threads++;
	}
	return 0;
}

static int start(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	struct kv *kv = calloc(1, sizeof(*kv));
	int rc;

	if (!kv)
		return ta_err_set(err, -ENOMEM, "out of memory");
	kv->listener = kv->wake = -1;
	rc = begin(kv, o, ret, err);
	if (rc < 0) {
		end(kv);
		return rc;
	}
	ret->state = kv;
	return 0;
}

static void stop(struct ta_served *served)
{
	end(served->state);
}

const struct ta_service ta_service_kv = {
	.name = "kv",
	.start = start,
	.stop = stop,
};
