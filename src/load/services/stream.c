/*
 * stream: takes bytes, sends bytes, both, or datagrams, as a client asks for (stream/wire.h). Each connection has a thread that blocks,
 * which is the fastest way to move much through few; the number of connections is bounded.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "load/listen.h"
#include "load/stream/session.h"

#define SESSIONS_MAX 1024u

struct session {
	struct session *next;
	pthread_t thread;
	int fd;
	unsigned number;
	_Atomic bool ended;
};

struct stream {
	int listener, wake;
	pthread_t acceptor;
	bool accepts; /* the acceptor runs */
	struct session *sessions;
	unsigned n, number;
};

static void *session_main(void *arg)
{
	struct session *s = arg;

	ta_stream_session(s->fd, s->number);
	/* The client sees the end now; the descriptor is closed by who joins this thread, so that nobody else gets its number before. */
	shutdown(s->fd, SHUT_RDWR);
	atomic_store(&s->ended, true);
	return NULL;
}

/* Those that have ended, or all. */
static void reap(struct stream *st, bool all)
{
	for (struct session **at = &st->sessions; *at;) {
		struct session *s = *at;

		if (!all && !atomic_load(&s->ended)) {
			at = &s->next;
			continue;
		}
		shutdown(s->fd, SHUT_RDWR);
		pthread_join(s->thread, NULL);
		close(s->fd);
		*at = s->next;
		free(s);
		st->n--;
	}
}

static void add_session(struct stream *st, int fd)
{
	struct session *s = st->n < SESSIONS_MAX ? calloc(1, sizeof(*s)) : NULL;
	int one = 1;

	if (!s) {
		close(fd);
		return;
	}
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	s->fd = fd;
	s->number = st->number++;
	if (pthread_create(&s->thread, NULL, session_main, s)) {
		close(fd);
		free(s);
		return;
	}
	s->next = st->sessions;
	st->sessions = s;
	st->n++;
}

static void *acceptor_main(void *arg)
{
	struct stream *st = arg;

	for (;;) {
		struct pollfd p[] = {{.fd = st->wake, .events = POLLIN}, {.fd = st->listener, .events = POLLIN}};
		int fd;

		poll(p, 2, 1000);
		reap(st, false);
		if (p[0].revents)
			return NULL;
		if (!p[1].revents)
			continue;
		fd = accept4(st->listener, NULL, NULL, SOCK_CLOEXEC);
		if (fd >= 0)
			add_session(st, fd);
		else if (errno == EMFILE || errno == ENFILE || errno == ENOMEM)
			poll(NULL, 0, 100); /* until one ends */
	}
}

static void end(struct stream *st)
{
	uint64_t one = 1;

	if (st->accepts) {
		(void)!write(st->wake, &one, sizeof(one));
		pthread_join(st->acceptor, NULL);
	}
	reap(st, true);
	if (st->listener >= 0)
		close(st->listener);
	if (st->wake >= 0)
		close(st->wake);
	free(st);
}

static int begin(struct stream *st, const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	int error;

	st->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (st->wake < 0)
		return ta_err_set(err, -errno, "eventfd: %s", ta_errno_text(-errno));
	st->listener = ta_load_listen(o, ret, err);
	if (st->listener < 0)
		return st->listener;
	error = pthread_create(&st->acceptor, NULL, acceptor_main, st);
	if (error)
		return ta_err_set(err, -error, "no thread for the server: %s", ta_errno_text(-error));
	st->accepts = true;
	return 0;
}

static int start(const struct ta_server_options *o, struct ta_served *ret, struct ta_err *err)
{
	struct stream *st = calloc(1, sizeof(*st));
	int rc;

	if (!st)
		return ta_err_set(err, -ENOMEM, "out of memory");
	st->listener = st->wake = -1;
	rc = begin(st, o, ret, err);
	if (rc < 0) {
		end(st);
		return rc;
	}
	ret->state = st;
	return 0;
}

static void stop(struct ta_served *served)
{
	end(served->state);
}

const struct ta_service ta_service_stream = {
	.name = "stream",
	.start = start,
	.stop = stop,
};
