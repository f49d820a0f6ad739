#include "load/stream/datagram.h"

#include <endian.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "load/load.h"

#define BATCH 64u	    /* datagrams of a call */
#define SEGMENTS_BYTES 65507u /* of one send: the largest UDP payload of IPv4 */

int ta_datagram_segments(int fd, unsigned bytes)
{
	int size = (int)bytes;

	return setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)) < 0 ? -errno : 0;
}

int ta_datagram_join(int fd)
{
	int one = 1;

	return setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)) < 0 ? -errno : 0;
}

/* --- sending ---------------------------------------------------------------------- */

struct batch {
	char *data; /* BATCH datagrams, one behind the other */
	struct iovec iov[BATCH];
	struct mmsghdr msgs[BATCH];
	uint64_t number;
	uint64_t base_ns; /* when the schedule began */
	bool counts;
};

static void fill(const struct ta_datagram_out *o, struct batch *b, unsigned n, uint64_t now)
{
	for (unsigned i = 0; i < n; i++) {
		struct ta_stream_head head = {
			.token = htobe64(o->token),
			.number = htobe64(b->number + i),
			.sent_ns = htobe64(now),
			.counts = htobe32(b->counts),
		};

		memcpy(b->data + (size_t)i * o->bytes, &head, sizeof(head));
	}
}

/* How many went, or -errno. */
static int send_batch(const struct ta_datagram_out *o, struct batch *b, unsigned n)
{
	int sent;

	if (o->segments)
		return send(o->fd, b->data, (size_t)n * o->bytes, MSG_NOSIGNAL) < 0 ? -errno : (int)n;
	sent = sendmmsg(o->fd, b->msgs, n, MSG_NOSIGNAL);
	return sent < 0 ? -errno : sent;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = {(time_t)(ns / TA_NS_PER_S), (long)(ns % TA_NS_PER_S)};

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

/* How many are due; sleeps until one is, but not for long. */
static unsigned due(const struct ta_datagram_out *o, const struct batch *b, unsigned most, uint64_t now)
{
	uint64_t n;

	if (o->rate <= 0)
		return most;
	n = (uint64_t)((double)(now - b->base_ns) * o->rate / 1e9) + 1;
	if (n > b->number)
		return (unsigned)TA_MIN(n - b->number, (uint64_t)most);
	sleep_until(TA_MIN(b->base_ns + (uint64_t)((double)b->number * 1e9 / o->rate), now + 20 * TA_NS_PER_MS));
	return 0;
}

static void send_all(struct ta_datagram_out *o, struct batch *b)
{
	unsigned most = o->segments ? TA_MIN(BATCH, SEGMENTS_BYTES / o->bytes) : BATCH;

	b->base_ns = ta_load_now();
	while (!atomic_load_explicit(&o->ending, memory_order_relaxed)) {
		uint64_t now = ta_load_now();
		unsigned n;
		int sent;

		if (atomic_load_explicit(&o->counts, memory_order_relaxed) && !b->counts) {
			b->counts = true;
			b->number = 0;
			b->base_ns = now;
		}
		n = due(o, b, most, now);
		if (!n)
			continue;
		fill(o, b, n, now);
		sent = send_batch(o, b, n);
		if (sent == -ENOBUFS || sent == -EAGAIN || sent == -EINTR) {
			sleep_until(now + 50000);
			continue;
		}
		if (sent < 0) {
			atomic_store(&o->error, -sent);
			return;
		}
		b->number += (unsigned)sent;
		if (b->counts)
			atomic_store_explicit(&o->sent, b->number, memory_order_relaxed);
	}
}

void ta_datagram_send(struct ta_datagram_out *o)
{
	struct batch *b = calloc(1, sizeof(*b));

	if (b)
		b->data = calloc(BATCH, o->bytes);
	if (!b || !b->data) {
		atomic_store(&o->error, ENOMEM);
		free(b);
		return;
	}
	for (unsigned i = 0; i < BATCH; i++) {
		b->iov[i] = (struct iovec){b->data + (size_t)i * o->bytes, o->bytes};
		b->msgs[i].msg_hdr = (struct msghdr){.msg_iov = &b->iov[i], .msg_iovlen = 1};
	}
	send_all(o, b);
	free(b->data);
	free(b);
}

/* --- receiving -------------------------------------------------------------------- */

struct ta_datagram_in {
	int fd;
	uint64_t token;
	size_t each; /* bytes for a message */
	char *data;
	struct iovec iov[BATCH];
	struct mmsghdr msgs[BATCH];
	char control[BATCH][CMSG_SPACE(sizeof(int))];
	struct ta_arrivals arrivals;
};

struct ta_datagram_in *ta_datagram_in_new(int fd, uint64_t token, bool join)
{
	struct ta_datagram_in *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->fd = fd;
	in->token = token;
	/* Joined ones are at most one packet of IP long. */
	in->each = join ? 65536 : TA_DATAGRAM_MOST + 1;
	in->data = malloc(BATCH * in->each);
	if (!in->data) {
		free(in);
		return NULL;
	}
	for (unsigned i = 0; i < BATCH; i++)
		in->iov[i] = (struct iovec){in->data + i * in->each, in->each};
	return in;
}

void ta_datagram_in_free(struct ta_datagram_in *in)
{
	if (!in)
		return;
	free(in->data);
	free(in);
}

/* The size of what was joined; the whole if nothing was. */
static size_t segment_size(struct msghdr *msg, size_t len)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		int size;

		if (c->cmsg_level != IPPROTO_UDP || c->cmsg_type != UDP_GRO)
			continue;
		memcpy(&size, CMSG_DATA(c), sizeof(size));
		return size > 0 ? (size_t)size : len;
	}
	return len;
}

/* 1 if it has the token. */
static int take(struct ta_datagram_in *in, const char *data, size_t len, uint64_t now)
{
	struct ta_stream_head head;

	if (len < sizeof(head))
		return 0;
	memcpy(&head, data, sizeof(head));
	if (be64toh(head.token) != in->token)
		return 0;
	if (head.counts)
		ta_arrivals_add(&in->arrivals, be64toh(head.number), be64toh(head.sent_ns), now, len);
	return 1;
}

static int take_message(struct ta_datagram_in *in, unsigned i)
{
	const char *data = in->data + i * in->each;
	size_t len = in->msgs[i].msg_len, size = segment_size(&in->msgs[i].msg_hdr, len);
	uint64_t now = ta_load_now();
	int n = 0;

	for (size_t at = 0; at < len; at += size)
		n += take(in, data + at, TA_MIN(size, len - at), now);
	return n;
}

int ta_datagram_receive(struct ta_datagram_in *in, unsigned wait_ms)
{
	int n, good = 0;

	for (unsigned i = 0; i < BATCH; i++)
		in->msgs[i].msg_hdr = (struct msghdr){.msg_iov = &in->iov[i], .msg_iovlen = 1, .msg_control = in->control[i],
			.msg_controllen = sizeof(in->control[i])};
	n = recvmmsg(in->fd, in->msgs, BATCH, MSG_DONTWAIT, NULL);
	if (n < 0 && errno == EAGAIN) {
		struct pollfd p = {.fd = in->fd, .events = POLLIN};

		if (poll(&p, 1, (int)wait_ms) <= 0)
			return 0;
		n = recvmmsg(in->fd, in->msgs, BATCH, MSG_DONTWAIT, NULL);
	}
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	for (int i = 0; i < n; i++)
		good += take_message(in, (unsigned)i);
	return good;
}

void ta_datagram_report(const struct ta_datagram_in *in, struct ta_stream_report *ret)
{
	ta_arrivals_report(&in->arrivals, ret);
}
