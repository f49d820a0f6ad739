#include "load/fetch.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUFFER_BYTES (256u << 10)
#define TICK_US 100000 /* how often `stop` is looked at */
#define KEEP_MAX (1u << 20)

int ta_fetch_init(struct ta_fetch *f, const struct ta_target *target, uint64_t timeout_ns, const volatile sig_atomic_t *stop)
{
	*f = (struct ta_fetch){.target = target, .timeout_ns = timeout_ns, .stop = stop, .fd = -1};
	f->buffer = malloc(BUFFER_BYTES);
	return f->buffer ? 0 : -ENOMEM;
}

static void hang_up(struct ta_fetch *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

void ta_fetch_done(struct ta_fetch *f)
{
	hang_up(f);
	ta_http_reply_done(&f->reply);
	free(f->buffer);
}

static unsigned fail(struct ta_fetch *f, enum ta_load_error e)
{
	hang_up(f);
	f->counts.errors[e]++;
	return 0;
}

/* 0, errno, or -1: stopped. */
static int await_connection(struct ta_fetch *f, uint64_t end)
{
	struct pollfd p = {.fd = f->fd, .events = POLLOUT};
	int error = 0;
	socklen_t len = sizeof(error);

	while (poll(&p, 1, TICK_US / 1000) <= 0) {
		if (*f->stop)
			return -1;
		if (ta_load_now() > end)
			return ETIMEDOUT;
	}
	return getsockopt(f->fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0 ? errno : error;
}

/* False: counted, or stopped. */
static bool reach(struct ta_fetch *f)
{
	const struct timeval tick = {.tv_usec = TICK_US};
	int one = 1, error = 0;

	f->fd = socket(f->target->addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (f->fd < 0) {
		fail(f, ta_load_connect_error(errno));
		return false;
	}
	setsockopt(f->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(f->fd, SOL_SOCKET, SO_RCVTIMEO, &tick, sizeof(tick));
	setsockopt(f->fd, SOL_SOCKET, SO_SNDTIMEO, &tick, sizeof(tick));
	if (connect(f->fd, (const struct sockaddr *)&f->target->addr, f->target->addr_len) < 0)
		error = errno == EINPROGRESS ? await_connection(f, ta_load_now() + f->timeout_ns) : errno;
	if (error) {
		if (error < 0)
			hang_up(f);
		else
			fail(f, ta_load_connect_error(error));
		return false;
	}
	/* From here on it blocks, a tick at a time. */
	fcntl(f->fd, F_SETFL, 0);
	f->counts.connects++;
	return true;
}

static bool ask(struct ta_fetch *f, const char *path)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	bool six = strchr(f->target->host, ':');

	ta_buf_printf(&b, "GET %s HTTP/1.1\r\nHost: %s%s%s:%s\r\n\r\n", path, six ? "[" : "", f->target->host, six ? "]" : "",
		f->target->port);
	return !b.error && send(f->fd, ta_buf_text(&b), b.len, MSG_NOSIGNAL) == (ssize_t)b.len;
}

static void keep(struct ta_buf *all, const char *data, size_t len)
{
	if (all && all->len < KEEP_MAX)
		ta_buf_add(all, data, TA_MIN(len, KEEP_MAX - all->len));
}

/* What came: >0 bytes, 0 the end, or -1: counted or stopped. */
static ssize_t receive(struct ta_fetch *f, uint64_t *last)
{
	for (;;) {
		ssize_t n = recv(f->fd, f->buffer, BUFFER_BYTES, 0);

		if (n >= 0) {
			*last = n ? ta_load_now() : *last;
			return n;
		}
		if (errno != EAGAIN && errno != EINTR) {
			fail(f, errno == ECONNRESET ? TA_LOAD_RESET : TA_LOAD_CLOSED);
			return -1;
		}
		if (*f->stop) {
			hang_up(f);
			return -1;
		}
		if (ta_load_now() - *last > f->timeout_ns) {
			fail(f, TA_LOAD_TIMEOUT);
			return -1;
		}
	}
}

static unsigned broken(struct ta_fetch *f, int error)
{
	if (!f->counts.bad_reply[0])
		snprintf(f->counts.bad_reply, sizeof(f->counts.bad_reply), "%s", ta_http_error_name((enum ta_http_error)-error));
	return fail(f, -error == TA_HTTP_CUT ? TA_LOAD_CLOSED : TA_LOAD_BAD_REPLY);
}

static unsigned whole(struct ta_fetch *f)
{
	f->counts.replies++;
	if (f->reply.status >= 400)
		f->counts.errors[TA_LOAD_BAD_STATUS]++;
	if (!f->reply.keep_alive)
		hang_up(f);
	return f->reply.status;
}

static unsigned take_reply(struct ta_fetch *f, struct ta_buf *all)
{
	uint64_t last = ta_load_now();

	ta_http_reply_reset(&f->reply);
	for (;;) {
		ssize_t n = receive(f, &last);
		size_t used = 0;
		int rc;

		if (n < 0)
			return 0;
		if (n == 0) {
			rc = ta_http_reply_end(&f->reply);
			hang_up(f);
			return rc == 1 ? whole(f) : rc < 0 ? broken(f, rc) : fail(f, TA_LOAD_CLOSED);
		}
		f->counts.bytes += (uint64_t)n;
		keep(all, f->buffer, (size_t)n);
		rc = ta_http_reply_feed(&f->reply, f->buffer, (size_t)n, &used);
		if (rc < 0)
			return broken(f, rc);
		if (rc == 1 && used < (size_t)n)
			return fail(f, TA_LOAD_UNEXPECTED);
		if (rc == 1)
			return whole(f);
	}
}

unsigned ta_fetch_get(struct ta_fetch *f, const char *path, struct ta_buf *body)
{
	ta_cleanup_buf struct ta_buf all = TA_BUF_INIT;
	unsigned status;
	const char *text;

	if (f->fd < 0 && !reach(f))
		return 0;
	if (!ask(f, path)) {
		/* A server may close a connection that it kept open, at any time: the next one counts. */
		hang_up(f);
		if (!reach(f))
			return 0;
		if (!ask(f, path))
			return fail(f, TA_LOAD_CLOSED);
	}
	status = take_reply(f, body ? &all : NULL);
	text = status && body ? strstr(ta_buf_text(&all), "\r\n\r\n") : NULL;
	if (text)
		ta_buf_adds(body, text + 4);
	return status;
}
