/*
 * Loopback: what two threads of this machine can say to each other over TCP when nothing else is between them.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "load/floor.h"
#include "load/load.h"

#define PIECE (256u << 10)

struct pair {
	int ours, theirs;
};

static void close_pair(struct pair *p)
{
	close(p->ours);
	close(p->theirs);
}

static int connect_pair(int listener, struct pair *ret)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	const struct timeval limit = {.tv_sec = 2};
	socklen_t len = sizeof(at);
	int one = 1, rc = 0;

	if (bind(listener, (struct sockaddr *)&at, len) < 0 || listen(listener, 1) < 0 ||
		getsockname(listener, (struct sockaddr *)&at, &len) < 0)
		return -errno;
	ret->ours = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (ret->ours < 0)
		return -errno;
	setsockopt(listener, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	ret->theirs = connect(ret->ours, (struct sockaddr *)&at, len) < 0 ? -1 : accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (ret->theirs < 0) {
		rc = -errno;
		close(ret->ours);
		return rc;
	}
	setsockopt(ret->ours, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(ret->theirs, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(ret->ours, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	setsockopt(ret->theirs, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	return 0;
}

static int make_pair(struct pair *ret)
{
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int rc = listener < 0 ? -errno : connect_pair(listener, ret);

	if (listener >= 0)
		close(listener);
	return rc;
}

static void *echo(void *arg)
{
	const struct pair *p = arg;
	char c;

	while (recv(p->theirs, &c, 1, 0) == 1)
		if (send(p->theirs, &c, 1, MSG_NOSIGNAL) != 1)
			break;
	return NULL;
}

static void *pour(void *arg)
{
	const struct pair *p = arg;
	char *piece = calloc(1, PIECE);

	while (piece && send(p->theirs, piece, PIECE, MSG_NOSIGNAL) > 0)
		;
	free(piece);
	return NULL;
}

static int ping(int fd, uint64_t budget_ns, struct ta_hist *h)
{
	uint64_t begin = ta_load_now(), now = begin;
	char c = 0;

	while (ta_floor_goes_on(begin, now, budget_ns, h->n)) {
		uint64_t begun = now;

		if (send(fd, &c, 1, MSG_NOSIGNAL) != 1 || recv(fd, &c, 1, 0) != 1)
			return errno ? -errno : -EIO;
		now = ta_load_now();
		if (begun >= begin + budget_ns / 8)
			ta_hist_add(h, now - begun);
	}
	return 0;
}

static int drain(int fd, uint64_t budget_ns, double *ret_per_second)
{
	uint64_t begin = ta_load_now(), now = begin, n_pieces = 0, bytes = 0, first = 0;
	char *piece = malloc(PIECE);
	int rc = piece ? 0 : -ENOMEM;

	while (rc == 0 && ta_floor_goes_on(begin, now, budget_ns, n_pieces)) {
		ssize_t n = recv(fd, piece, PIECE, 0);

		now = ta_load_now();
		if (n <= 0)
			rc = n < 0 ? -errno : -EIO;
		else if (first)
			bytes += (uint64_t)n;
		else if (now >= begin + budget_ns / 8)
			first = now;
		n_pieces += first != 0;
	}
	free(piece);
	if (rc == 0)
		*ret_per_second = now > first && first ? (double)bytes * 1e9 / (double)(now - first) : 0;
	return rc;
}

/* `fn` is the other end; this one measures: round trips where it echoes, else bytes. */
static int measure(void *(*fn)(void *), uint64_t budget_ns, struct ta_floor_loopback *ret)
{
	struct pair p;
	pthread_t other;
	int rc = make_pair(&p), error;

	if (rc < 0)
		return rc;
	error = pthread_create(&other, NULL, fn, &p);
	if (error) {
		close_pair(&p);
		return -error;
	}
	errno = 0;
	rc = fn == echo ? ping(p.ours, budget_ns, &ret->round_trip) : drain(p.ours, budget_ns, &ret->bytes_per_second);
	shutdown(p.ours, SHUT_RDWR);
	shutdown(p.theirs, SHUT_RDWR);
	pthread_join(other, NULL);
	close_pair(&p);
	return rc;
}

int ta_floor_loopback(uint64_t budget_ns, struct ta_floor_loopback *ret, struct ta_err *err)
{
	int rc;

	ta_hist_reset(&ret->round_trip);
	ret->bytes_per_second = 0;
	rc = measure(echo, budget_ns / 2, ret);
	if (rc == 0)
		rc = measure(pour, budget_ns / 2, ret);
	return rc < 0 ? ta_err_set(err, rc, "TCP over loopback: %s", ta_errno_text(rc)) : 0;
}
