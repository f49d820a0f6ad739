#include "load/stream/session.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "load/load.h"
#include "load/stream/bulk.h"
#include "load/stream/datagram.h"

#define BUFFER_BYTES (4 << 20) /* of the UDP socket, as far as the kernel allows */
#define SILENCE_MS 100u	       /* without a datagram: no more come */
#define DRAIN_MS 2000u	       /* but not longer */

int ta_stream_read_line(int fd, char *ret)
{
	uint64_t end = ta_load_now() + TA_STREAM_ORDER_S * TA_NS_PER_S;

	for (unsigned n = 0; n < TA_STREAM_LINE_MAX; n++) {
		ssize_t got = recv(fd, ret + n, 1, 0);

		if (ta_load_now() > end)
			return -ETIMEDOUT;
		if (got <= 0)
			return got < 0 ? -errno : -ECONNRESET;
		if (ret[n] == '\n') {
			ret[n] = '\0';
			return 0;
		}
	}
	return -EPROTO;
}

int ta_stream_write(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n = send(fd, text, len, MSG_NOSIGNAL);

	return n == (ssize_t)len ? 0 : n < 0 ? -errno : -EIO;
}

static void set_patience(int fd, unsigned seconds)
{
	struct timeval t = {.tv_sec = seconds};

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &t, sizeof(t));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &t, sizeof(t));
}

/* --- bytes ------------------------------------------------------------------------- */

static void *send_main(void *arg)
{
	struct ta_bulk *b = arg;

	ta_bulk_send(b);
	shutdown(b->fd, SHUT_RDWR);
	return NULL;
}

static void both_ways(int fd)
{
	struct ta_bulk in = {.fd = fd}, out = {.fd = fd};
	pthread_t thread;

	if (pthread_create(&thread, NULL, send_main, &out))
		return;
	ta_bulk_receive(&in);
	shutdown(fd, SHUT_RDWR);
	pthread_join(thread, NULL);
}

static void carry(int fd, enum ta_stream_kind kind)
{
	struct ta_bulk b = {.fd = fd, .discard = kind == TA_STREAM_DISCARD};

	set_patience(fd, TA_STREAM_QUIET_S);
	if (kind == TA_STREAM_BOTH)
		both_ways(fd);
	else if (kind == TA_STREAM_RECEIVE)
		ta_bulk_send(&b);
	else
		ta_bulk_receive(&b);
}

/* --- datagrams ---------------------------------------------------------------------- */

struct side {
	int control, udp;
	struct ta_stream_order order;
	struct ta_stream_offer offer;
	struct sockaddr_storage client; /* where the control connection comes from */
	uint64_t until_ns;
};

/* A UDP socket on the address that the client came to; any port. */
static int open_udp(struct side *s)
{
	struct sockaddr_storage addr;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)&addr;
	struct sockaddr_in *four = (struct sockaddr_in *)&addr;
	socklen_t len = sizeof(addr);
	int size = BUFFER_BYTES;

	if (getsockname(s->control, (struct sockaddr *)&addr, &len) < 0)
		return -errno;
	*(addr.ss_family == AF_INET ? &four->sin_port : &six->sin6_port) = 0;
	s->udp = socket(addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (s->udp < 0)
		return -errno;
	setsockopt(s->udp, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	setsockopt(s->udp, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	if (bind(s->udp, (struct sockaddr *)&addr, len) < 0 || getsockname(s->udp, (struct sockaddr *)&addr, &len) < 0)
		return -errno;
	s->offer.port = ntohs(addr.ss_family == AF_INET ? four->sin_port : six->sin6_port);
	return 0;
}

static int make_offer(struct side *s)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	int rc = open_udp(s);

	if (rc < 0)
		return rc;
	if (getrandom(&s->offer.token, sizeof(s->offer.token), 0) != sizeof(s->offer.token))
		return -EIO;
	if (s->order.segments)
		s->offer.segments = (s->order.to_client ? ta_datagram_segments(s->udp, s->order.bytes) : ta_datagram_join(s->udp)) == 0;
	ta_stream_offer_print(&s->offer, &line);
	return ta_stream_write(s->control, ta_buf_text(&line));
}

/* A line is there, or the end of the connection. */
static bool control_speaks(const struct side *s, int wait_ms)
{
	struct pollfd p = {.fd = s->control, .events = POLLIN};

	return poll(&p, 1, wait_ms) != 0;
}

static bool control_ended(const struct side *s)
{
	char c;
	ssize_t n = recv(s->control, &c, 1, MSG_PEEK | MSG_DONTWAIT);

	return n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
}

static void receive_datagrams(struct side *s)
{
	struct ta_datagram_in *in = ta_datagram_in_new(s->udp, s->offer.token, s->offer.segments);
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	char text[TA_STREAM_LINE_MAX];
	struct ta_stream_report report;
	uint64_t looked = 0, end;
	bool ended = false;

	while (in && !ended && ta_load_now() < s->until_ns) {
		int n = ta_datagram_receive(in, 50);

		/* A look at the control connection costs a system call. */
		if (n > 0 && ta_load_now() - looked < 20 * TA_NS_PER_MS)
			continue;
		looked = ta_load_now();
		ended = n < 0 || control_speaks(s, 0);
	}
	if (in && ended && ta_stream_read_line(s->control, text) == 0) {
		end = ta_load_now() + DRAIN_MS * TA_NS_PER_MS;
		while (ta_datagram_receive(in, SILENCE_MS) > 0 && ta_load_now() < end)
			;
		ta_datagram_report(in, &report);
		ta_stream_report_print(&report, &line);
		ta_stream_write(s->control, ta_buf_text(&line));
	}
	ta_datagram_in_free(in);
}

static bool is_client(const struct side *s, const struct sockaddr_storage *from)
{
	const struct sockaddr_in *a = (const void *)&s->client, *b = (const void *)from;
	const struct sockaddr_in6 *c = (const void *)&s->client, *d = (const void *)from;

	if (s->client.ss_family != from->ss_family)
		return false;
	if (from->ss_family == AF_INET)
		return a->sin_addr.s_addr == b->sin_addr.s_addr;
	return !memcmp(&c->sin6_addr, &d->sin6_addr, sizeof(c->sin6_addr)) && c->sin6_scope_id == d->sin6_scope_id;
}

/* The client's datagram with the token, from its address: that it can be reached there is proven, and nobody else gets anything. */
static int await_knock(struct side *s)
{
	uint64_t end = ta_load_now() + TA_STREAM_ORDER_S * TA_NS_PER_S;

	while (ta_load_now() < end && !control_ended(s)) {
		struct pollfd p = {.fd = s->udp, .events = POLLIN};
		struct sockaddr_storage from;
		socklen_t len = sizeof(from);
		struct ta_stream_head head;
		ssize_t n;

		if (poll(&p, 1, 50) <= 0)
			continue;
		n = recvfrom(s->udp, &head, sizeof(head), MSG_DONTWAIT, (struct sockaddr *)&from, &len);
		if (n == sizeof(head) && be64toh(head.token) == s->offer.token && is_client(s, &from))
			return connect(s->udp, (struct sockaddr *)&from, len) < 0 ? -errno : 0;
	}
	return -ETIMEDOUT;
}

static void *datagrams_main(void *arg)
{
	ta_datagram_send(arg);
	return NULL;
}

static void send_datagrams(struct side *s)
{
	struct ta_datagram_out out = {.fd = s->udp, .token = s->offer.token, .bytes = s->order.bytes, .rate = s->order.rate,
		.segments = s->offer.segments};
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	char text[TA_STREAM_LINE_MAX] = "";
	pthread_t thread;

	if (await_knock(s) < 0 || pthread_create(&thread, NULL, datagrams_main, &out))
		return;
	while (ta_load_now() < s->until_ns && !atomic_load(&out.error)) {
		if (!control_speaks(s, 100))
			continue;
		if (ta_stream_read_line(s->control, text) < 0 || strcmp(text, "COUNT") != 0)
			break;
		atomic_store(&out.counts, true);
	}
	atomic_store(&out.ending, true);
	pthread_join(thread, NULL);
	ta_buf_printf(&line, "SENT %llu\n", (unsigned long long)atomic_load(&out.sent));
	ta_stream_write(s->control, ta_buf_text(&line));
}

static void datagrams(int fd, const struct ta_stream_order *order)
{
	struct side s = {.control = fd, .udp = -1, .order = *order, .until_ns = ta_load_now() + TA_STREAM_LONGEST_S * TA_NS_PER_S};
	socklen_t len = sizeof(s.client);

	if (getpeername(fd, (struct sockaddr *)&s.client, &len) == 0 && make_offer(&s) == 0) {
		if (order->to_client)
			send_datagrams(&s);
		else
			receive_datagrams(&s);
	}
	if (s.udp >= 0)
		close(s.udp);
}

void ta_stream_session(int fd, unsigned number)
{
	char line[TA_STREAM_LINE_MAX];
	struct ta_stream_order order;

	set_patience(fd, TA_STREAM_ORDER_S);
	if (ta_stream_write(fd, TA_STREAM_GREETING) < 0 || ta_stream_read_line(fd, line) < 0 || ta_stream_order_read(line, &order) < 0)
		return;
	if (order.kind == TA_STREAM_DATAGRAMS)
		datagrams(fd, &order);
	else
		carry(fd, order.kind);
}
