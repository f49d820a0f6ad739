#include "load/stream/client.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "load/stream/session.h"

#define PROGRESS_NS (500 * TA_NS_PER_MS)
#define LOOK_NS (100 * TA_NS_PER_MS)

static int finish_connect(int fd, uint64_t timeout_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	int error = 0, n = poll(&p, 1, (int)(timeout_ns / TA_NS_PER_MS));
	socklen_t len = sizeof(error);

	if (n == 0)
		return -ETIMEDOUT;
	if (n < 0 || getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
		return -errno;
	return -error;
}

int ta_stream_dial(const struct ta_target *to, uint64_t timeout_ns, int *ret_fd)
{
	int fd = socket(to->addr.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0), one = 1, rc = 0;
	struct timeval patience = {.tv_sec = (time_t)(timeout_ns / TA_NS_PER_S)};

	if (fd < 0)
		return -errno;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	if (connect(fd, (const struct sockaddr *)&to->addr, to->addr_len) < 0)
		rc = errno == EINPROGRESS ? finish_connect(fd, timeout_ns) : -errno;
	if (rc == 0 && fcntl(fd, F_SETFL, 0) < 0)
		rc = -errno;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}

int ta_stream_greeted(int fd, uint64_t timeout_ns)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char text[sizeof(TA_STREAM_GREETING)] = "";
	size_t n = 0;

	while (n < sizeof(text) - 1) {
		ssize_t got;

		if (poll(&p, 1, (int)(TA_MIN(timeout_ns, TA_NS_PER_S) / TA_NS_PER_MS)) <= 0)
			return 0;
		got = recv(fd, text + n, sizeof(text) - 1 - n, 0);
		if (got <= 0)
			return got < 0 ? -errno : -ECONNRESET;
		n += (size_t)got;
		if (memcmp(text, TA_STREAM_GREETING, n) != 0)
			return memcmp(text, TA_STREAM_NAME, TA_MIN(n, strlen(TA_STREAM_NAME))) ? 0 : -EPROTONOSUPPORT;
	}
	return 1;
}

int ta_stream_order(const struct ta_target *to, uint64_t timeout_ns, const struct ta_stream_order *o, int *ret_fd)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	int fd, rc = ta_stream_dial(to, timeout_ns, &fd);

	if (rc < 0)
		return rc;
	rc = ta_stream_greeted(fd, timeout_ns);
	ta_stream_order_print(o, &line);
	if (rc == 1)
		rc = ta_stream_write(fd, ta_buf_text(&line));
	else if (rc == 0)
		rc = -EPROTO;
	if (rc < 0) {
		close(fd);
		return rc;
	}
	*ret_fd = fd;
	return 0;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static void tell(const struct ta_stream_wait *w, uint64_t now, double per_second)
{
	struct ta_load_progress p = {
		.connections = w->streams,
		.repeat = w->repeat,
		.warming_up = now < w->start_ns,
		.elapsed_s = (double)(now - w->begin_ns) / 1e9,
		.total_s = (double)(w->end_ns - w->begin_ns) / 1e9,
		.per_second = per_second,
		.unit = w->unit,
	};

	w->stage->o->progress(&p, w->stage->o->progress_ctx);
}

void ta_stream_wait(const struct ta_stream_wait *w, uint64_t until_ns)
{
	uint64_t last = ta_load_now(), now = last;
	double seen = w->amount(w->ctx);

	while (now < until_ns && !ta_stage_stopped(w->stage)) {
		sleep_until(TA_MIN(until_ns, now + LOOK_NS));
		now = ta_load_now();
		if (!w->stage->o->progress || now < last + PROGRESS_NS)
			continue;
		tell(w, now, (w->amount(w->ctx) - seen) * 1e9 / (double)(now - last));
		seen = w->amount(w->ctx);
		last = now;
	}
}

uint64_t ta_stream_cpu_of(pthread_t thread)
{
	struct timespec t = {0};
	clockid_t clock;

	if (pthread_getcpuclockid(thread, &clock) == 0)
		clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * TA_NS_PER_S + (uint64_t)t.tv_nsec;
}

double ta_stream_mean(const double *v, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v[i];
	return n ? sum / n : 0;
}

double ta_stream_stddev(const double *v, unsigned n)
{
	double mean = ta_stream_mean(v, n), squares = 0;

	for (unsigned i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return n > 1 ? sqrt(squares / (n - 1)) : 0;
}
