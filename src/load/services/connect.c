/*
 * connect: accepts connections, and ends them at once or when the client does. Nothing is read.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "load/admit.h"
#include "load/connect/accept.h"
#include "load/service.h"

#define EVENTS 64
#define ACCEPTS 64 /* at a time, so that the other threads get some */
#define BACKLOG 65535 /* the kernel makes somaxconn of it */

struct acceptor {
	struct acceptors *all;
	pthread_t thread;
	int listener, epoll;
	struct ta_accept_counts *counts;
};

struct acceptors {
	struct ta_accept accept;
	struct ta_accept_counts own[TA_ACCEPT_THREADS_MAX];
	int wake; /* becomes readable when the threads are to end */
	unsigned n, n_running;
	struct acceptor v[TA_ACCEPT_THREADS_MAX];
};

const char *ta_accept_name(enum ta_accept_how how)
{
	static const char *const names[] = {
		[TA_ACCEPT_EXCLUSIVE] = "EPOLLEXCLUSIVE",
		[TA_ACCEPT_REUSEPORT] = "SO_REUSEPORT",
		[TA_ACCEPT_SINGLE] = "one thread",
	};

	return names[how];
}

unsigned ta_accept_threads(unsigned cpus)
{
	return TA_MIN(TA_MAX(cpus, 2u), TA_ACCEPT_THREADS_MAX);
}

/* --- a thread -------------------------------------------------------------------- */

static void count(_Atomic uint64_t *n, uint64_t more)
{
	/* It alone writes it. */
	atomic_store_explicit(n, atomic_load_explicit(n, memory_order_relaxed) + more, memory_order_relaxed);
}

/* Where the client is to end first its end is waited for. */
static void take(struct acceptor *a, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN | EPOLLRDHUP, .data.fd = fd};

	if (a->all->accept.close != TA_CLOSE_CLIENT || epoll_ctl(a->epoll, EPOLL_CTL_ADD, fd, &ev) < 0)
		close(fd);
}

static void accept_some(struct acceptor *a)
{
	uint64_t n = 0;

	while (n < ACCEPTS) {
		int fd = accept4(a->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

		if (fd < 0 && errno == ECONNABORTED)
			continue;
		if (fd < 0 && errno != EAGAIN)
			poll(NULL, 0, 1); /* no descriptor: the socket stays readable, and would wake it for ever */
		if (fd < 0)
			break;
		take(a, fd);
		n++;
	}
	count(&a->counts->wakeups, 1);
	count(&a->counts->accepted, n);
	if (!n)
		count(&a->counts->in_vain, 1);
}

/* False: it is to end. */
static bool turn(struct acceptor *a)
{
	struct epoll_event events[EVENTS];
	int n = epoll_wait(a->epoll, events, EVENTS, -1);

	for (int i = 0; i < n; i++) {
		if (events[i].data.fd == a->all->wake)
			return false;
		if (events[i].data.fd == a->listener)
			accept_some(a);
		else
			close(events[i].data.fd);
	}
	return n >= 0 || errno == EINTR;
}

static void *acceptor_main(void *arg)
{
	while (turn(arg))
		;
	return NULL;
}

/* --- all of them -------------------------------------------------------------------- */

/* What is accepted inherits SO_LINGER (sk_clone_lock in net/core/sock.c): to close it is to reset it. */
static int listen_at(const struct ta_server_options *o, const struct ta_accept *accept, const struct ta_served *at, int *ret)
{
	const struct linger reset = {.l_onoff = 1, .l_linger = 0};
	int fd = socket(at->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, rc;

	*ret = fd;
	if (fd < 0)
		return -errno;
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (accept->close == TA_CLOSE_RESET)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	if (accept->how == TA_ACCEPT_REUSEPORT && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) < 0)
		return -errno;
	rc = ta_admit_only(fd, &o->only);
	if (rc < 0)
		return rc;
	if (bind(fd, (const struct sockaddr *)&at->addr, at->addr_len) < 0)
		return -errno;
	return listen(fd, o->backlog ? (int)o->backlog : BACKLOG) < 0 ? -errno : 0;
}

/* The first listens where it was told to, those after it where that turned out to be. */
static int open_listener(const struct ta_server_options *o, struct acceptors *all, struct acceptor *a, struct ta_served *at)
{
	int rc;

	if (a != all->v && all->accept.how != TA_ACCEPT_REUSEPORT) {
		a->listener = all->v[0].listener;
		return 0;
	}
	rc = listen_at(o, &all->accept, at, &a->listener);
	if (rc < 0)
		return rc;
	at->addr_len = sizeof(at->addr);
	return getsockname(a->listener, (struct sockaddr *)&at->addr, &at->addr_len) < 0 ? -errno : 0;
}

static int watch(struct acceptor *a)
{
	uint32_t exclusive = a->all->accept.how == TA_ACCEPT_EXCLUSIVE ? EPOLLEXCLUSIVE : 0;
	struct epoll_event listener = {.events = EPOLLIN | exclusive, .data.fd = a->listener};
	struct epoll_event wake = {.events = EPOLLIN, .data.fd = a->all->wake};

	a->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (a->epoll < 0 || epoll_ctl(a->epoll, EPOLL_CTL_ADD, a->all->wake, &wake) < 0 ||
		epoll_ctl(a->epoll, EPOLL_CTL_ADD, a->listener, &listener) < 0)
		return -errno;
	return 0;
}

static int open_all(const struct ta_server_options *o, struct acceptors *all, struct ta_served *ret)
{
	int rc = all->wake < 0 ? -errno : 0;

	for (unsigned i = 0; i < all->n && rc == 0; i++) {
		struct acceptor *a = &all->v[i];

		a->all = all;
		a->counts = all->accept.counts ? &all->accept.counts[i] : &all->own[i];
		rc = open_listener(o, all, a, ret);
		if (rc == 0)
			rc = watch(a);
	}
	/* All listen before the first accepts: SO_REUSEPORT spreads over those that are there. */
	for (; all->n_running < all->n && rc == 0; all->n_running++)
		rc = -pthread_create(&all->v[all->n_running].thread, NULL, acceptor_main, &all->v[all->n_running]);
	return rc;
}

static void stop(struct ta_served *served)
{
	struct acceptors *all = served->state;
	uint64_t one = 1;

	if (all->wake >= 0)
		(void)!write(all->wake, &one, sizeof(one));
	for (unsigned i = 0; i < all->n_running; i++)
		pthread_join(all->v[i].thread, NULL);
	for (unsigned i = 0; i < all->n; i++) {
		if (all->v[i].epoll >= 0)
			close(all->v[i].epoll);
		if (all->v[i].listener >= 0 && (i == 0 || all->v[i].listener != all->v[0].listener))
			close(all->v[i].listener);
	}
	if (all->wake >= 0)
		close(all->wake);
	free(all);
}

static int start(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	struct acceptors *all = aligned_alloc(64, sizeof(*all));
	int rc;

	if (!all)
		return ta_err_set(err, -ENOMEM, "out of memory");
	*all = (struct acceptors){.wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	/* To end each at once is what holds nothing, whoever comes. */
	all->accept = o->accept ? *o->accept : (struct ta_accept){.how = TA_ACCEPT_EXCLUSIVE, .close = TA_CLOSE_SERVER};
	all->n = all->accept.how == TA_ACCEPT_SINGLE ? 1 : TA_MIN(TA_MAX(o->threads, 1u), TA_ACCEPT_THREADS_MAX);
	for (unsigned i = 0; i < all->n; i++)
		all->v[i].epoll = all->v[i].listener = -1;
	*ret = (struct ta_served){.addr = o->addr, .addr_len = o->addr_len, .state = all};
	rc = open_all(o, all, ret);
	if (rc == 0)
		return 0;
	stop(ret);
	return ta_err_set(err, rc, "connections cannot be accepted there: %s", ta_errno_text(rc));
}

const struct ta_service ta_service_connect = {
	.name = "connect",
	.start = start,
	.stop = stop,
};
