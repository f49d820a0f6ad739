/*
 * Sends that the kernel may make without copying, and what it says of them afterwards: MSG_ZEROCOPY by the socket's error queue
 * (Documentation/networking/msg_zerocopy.rst), io_uring by a second completion (IORING_SEND_ZC_REPORT_USAGE, 6.2).
 * Loopback copies always: the receiver's pages must not be the file's (skb_orphan_frags_rx).
 */
#include <errno.h>
#include <liburing.h>
#include <linux/errqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/macros.h"
#include "load/files.h"
#include "load/load.h"

#define PIECE (1u << 20)
#define RING_ENTRIES 64
#define RING_PENDING 32 /* completions of earlier sends that may be missing */
#define GIVE_UP_S 30

/* linux/io_uring.h; liburing's own copy of it is older in Debian 12. */
#ifndef IORING_SEND_ZC_REPORT_USAGE
#define IORING_SEND_ZC_REPORT_USAGE (1u << 3)
#endif
#ifndef IORING_NOTIF_USAGE_ZC_COPIED
#define IORING_NOTIF_USAGE_ZC_COPIED (1u << 31)
#endif

struct ta_file_ring {
	struct io_uring ring;
	unsigned pending;    /* notifications that are still to come */
	bool cannot_report; /* before 6.2 */
};

static struct ta_file_counts *counts_of(struct ta_file_sender *s, enum ta_file_way way)
{
	return &s->files->counts[way];
}

void ta_file_sender_done(struct ta_file_sender *s)
{
	ta_file_settle(s, 100);
	if (s->ring) {
		io_uring_queue_exit(&s->ring->ring);
		free(s->ring);
	}
	for (unsigned i = 0; i < 2; i++)
		if (s->pipe[i] >= 0)
			close(s->pipe[i]);
	free(s->buffer);
}

static int make_ring(struct ta_file_sender *s, struct ta_err *err)
{
	struct io_uring_probe *probe;
	bool has;
	int rc;

	s->ring = calloc(1, sizeof(*s->ring));
	if (!s->ring)
		return ta_err_set(err, -ENOMEM, "out of memory");
	rc = io_uring_queue_init(RING_ENTRIES, &s->ring->ring, 0);
	if (rc < 0) {
		free(s->ring);
		s->ring = NULL;
		return ta_err_set(err, rc, rc == -EPERM ? "io_uring is not permitted here (kernel.io_uring_disabled or a seccomp filter)" :
			"io_uring: %s", ta_errno_text(rc));
	}
	probe = io_uring_get_probe_ring(&s->ring->ring);
	has = probe && io_uring_opcode_supported(probe, IORING_OP_SEND_ZC);
	io_uring_free_probe(probe);
	if (has)
		return 0;
	io_uring_queue_exit(&s->ring->ring);
	free(s->ring);
	s->ring = NULL;
	return ta_err_set(err, -EOPNOTSUPP, "this kernel's io_uring has no SEND_ZC (6.0)");
}

int ta_file_zc_ready(struct ta_file_sender *s, enum ta_file_way way, struct ta_err *err)
{
	int one = 1;

	if (way == TA_FILE_SEND_ZC)
		return s->ring ? 0 : make_ring(s, err);
	if (s->has_zerocopy)
		return 0;
	if (setsockopt(s->sock, SOL_SOCKET, SO_ZEROCOPY, &one, sizeof(one)) < 0)
		return ta_err_set(err, -errno, "SO_ZEROCOPY (4.14): %s", ta_errno_text(-errno));
	s->has_zerocopy = true;
	return 0;
}

/* --- MSG_ZEROCOPY ---------------------------------------------------------------- */

static void take_report(struct ta_file_sender *s, const struct sock_extended_err *e)
{
	struct ta_file_counts *c = counts_of(s, TA_FILE_ZEROCOPY);
	uint32_t n = e->ee_data - e->ee_info + 1;

	if (e->ee_origin != SO_EE_ORIGIN_ZEROCOPY || e->ee_errno)
		return;
	s->zc_done += n;
	if (e->ee_code & SO_EE_CODE_ZEROCOPY_COPIED)
		c->copied += n;
	else
		c->direct += n;
}

/* What the error queue holds. */
static void reap(struct ta_file_sender *s)
{
	for (;;) {
		char control[128];
		struct msghdr m = {.msg_control = control, .msg_controllen = sizeof(control)};

		if (recvmsg(s->sock, &m, MSG_ERRQUEUE | MSG_DONTWAIT) < 0)
			return;
		for (struct cmsghdr *c = CMSG_FIRSTHDR(&m); c; c = CMSG_NXTHDR(&m, c))
			if ((c->cmsg_level == SOL_IP && c->cmsg_type == IP_RECVERR) ||
				(c->cmsg_level == SOL_IPV6 && c->cmsg_type == IPV6_RECVERR))
				take_report(s, (const struct sock_extended_err *)(const void *)CMSG_DATA(c));
	}
}

/* Waits for the error queue alone: 0, -ETIMEDOUT, -EPIPE (the connection is gone, and nothing more will come). */
static int await_report(struct ta_file_sender *s, int ms)
{
	struct pollfd p = {.fd = s->sock};

	if (poll(&p, 1, ms) <= 0)
		return -ETIMEDOUT;
	reap(s);
	return p.revents & POLLERR ? 0 : -EPIPE;
}

int ta_file_send_msg_zerocopy(struct ta_file_sender *s, const char *data, uint64_t bytes)
{
	while (bytes) {
		ssize_t n = send(s->sock, data, (size_t)TA_MIN(bytes, PIECE), MSG_NOSIGNAL | MSG_ZEROCOPY);

		if (n >= 0) {
			s->zc_sent++;
			counts_of(s, TA_FILE_ZEROCOPY)->sends++;
			data += n;
			bytes -= (uint64_t)n;
		} else if (errno == ENOBUFS && s->zc_sent != s->zc_done) {
			/* net.core.optmem_max is used up by sends that have not been reported. */
			if (await_report(s, GIVE_UP_S * 1000) < 0)
				return -ETIMEDOUT;
		} else if (errno != EINTR) {
			return -errno;
		}
	}
	reap(s);
	return 0;
}

/* --- io_uring -------------------------------------------------------------------- */

/* Works one completion off. True: it was that of a send, whose result is in *ret. */
static bool take_completion(struct ta_file_sender *s, struct io_uring_cqe *cqe, int *ret)
{
	struct ta_file_counts *c = counts_of(s, TA_FILE_SEND_ZC);
	bool is_send = !(cqe->flags & IORING_CQE_F_NOTIF);

	if (is_send) {
		*ret = cqe->res;
		s->ring->pending += !!(cqe->flags & IORING_CQE_F_MORE);
	} else {
		s->ring->pending--;
		if (s->ring->cannot_report)
			;
		else if ((unsigned)cqe->res & IORING_NOTIF_USAGE_ZC_COPIED)
			c->copied++;
		else
			c->direct++;
	}
	io_uring_cqe_seen(&s->ring->ring, cqe);
	return is_send;
}

static int wait_completion(struct ta_file_sender *s, unsigned ms, struct io_uring_cqe **ret)
{
	struct __kernel_timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long long)(ms % 1000) * 1000000};
	int rc;

	do
		rc = io_uring_wait_cqe_timeout(&s->ring->ring, ret, &t);
	while (rc == -EINTR);
	return rc;
}

/* One send, to its end: what was sent, or -errno. */
static int send_piece(struct ta_file_sender *s, const char *data, size_t bytes)
{
	struct io_uring_sqe *sqe = io_uring_get_sqe(&s->ring->ring);
	struct io_uring_cqe *cqe;
	int rc, result = 0;

	if (!sqe)
		return -EBUSY;
	io_uring_prep_send_zc(sqe, s->sock, data, bytes, MSG_NOSIGNAL | MSG_WAITALL,
		s->ring->cannot_report ? 0 : IORING_SEND_ZC_REPORT_USAGE);
	rc = io_uring_submit(&s->ring->ring);
	if (rc < 0)
		return rc;
	for (;;) {
		rc = wait_completion(s, GIVE_UP_S * 1000, &cqe);
		if (rc == -ETIME) {
			/* A client that takes nothing: the send ends with the connection. */
			shutdown(s->sock, SHUT_RDWR);
			rc = wait_completion(s, GIVE_UP_S * 1000, &cqe);
		}
		if (rc < 0)
			return rc == -ETIME ? -ETIMEDOUT : rc;
		if (take_completion(s, cqe, &result))
			return result;
	}
}

int ta_file_send_ring(struct ta_file_sender *s, const char *data, uint64_t bytes)
{
	while (bytes) {
		int n = send_piece(s, data, (size_t)TA_MIN(bytes, PIECE));

		if (n == -EINVAL && !s->ring->cannot_report) {
			s->ring->cannot_report = true;
			continue;
		}
		if (n <= 0)
			return n < 0 ? n : -EPIPE;
		counts_of(s, TA_FILE_SEND_ZC)->sends++;
		data += n;
		bytes -= (uint64_t)n;
		while (s->ring->pending > RING_PENDING) {
			struct io_uring_cqe *cqe;
			int ignored;

			if (wait_completion(s, GIVE_UP_S * 1000, &cqe) < 0)
				return -ETIMEDOUT;
			take_completion(s, cqe, &ignored);
		}
	}
	return 0;
}

void ta_file_settle(struct ta_file_sender *s, unsigned ms)
{
	uint64_t end = ta_load_now() + ms * TA_NS_PER_MS;
	struct io_uring_cqe *cqe;
	int ignored;

	while (s->zc_sent != s->zc_done && ta_load_now() < end)
		if (await_report(s, 10) == -EPIPE)
			break;
	while (s->ring && s->ring->pending && ta_load_now() < end)
		if (wait_completion(s, 10, &cqe) == 0)
			take_completion(s, cqe, &ignored);
}
