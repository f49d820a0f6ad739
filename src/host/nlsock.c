/*
 * Carries netlink questions on libnl sockets and brings back raw answers.
 *
 * An answer is received whole before anybody looks at it, so that one that was
 * interrupted can be asked for again without the caller seeing its torn half.
 */
#include <errno.h>
#include <linux/netlink.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

#include "host/netlink.h"

#define TIMEOUT_S 2
#define TRIES 3
#define CHUNK (32u << 10)         /* the largest datagram a dump makes (af_netlink.c: netlink_dump()) */
#define CHUNK_LIMIT (16u << 20)
#define RECEIVE_BUFFER (1u << 20) /* the kernel lowers it to rmem_max */

/* libnl's error numbers are its own; what the system call said is still in errno. */
static int system_error(void)
{
	return errno > 0 ? -errno : -EIO;
}

static void set_options(int fd)
{
	static const int names[] = {NETLINK_EXT_ACK, NETLINK_GET_STRICT_CHK};
	const struct timeval timeout = {.tv_sec = TIMEOUT_S};
	const int on = 1;

	/* Kernels before 4.12 and 4.20 do not know the two; nothing depends on them. */
	for (size_t i = 0; i < TA_ARRAY_SIZE(names); i++)
		setsockopt(fd, SOL_NETLINK, names[i], &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
}

static int open_socket(struct ta_nl_sockets *s, int protocol)
{
	struct nl_sock *sk = nl_socket_alloc();

	if (!sk)
		return -ENOMEM;
	errno = 0;
	if (nl_connect(sk, protocol) < 0) {
		int rc = system_error();

		nl_socket_free(sk);
		return rc;
	}
	set_options(nl_socket_get_fd(sk));
	nl_socket_set_buffer_size(sk, RECEIVE_BUFFER, 0);
	s->sock[protocol] = sk;
	return 0;
}

static void close_socket(struct ta_nl_sockets *s, int protocol)
{
	nl_socket_free(s->sock[protocol]);
	s->sock[protocol] = NULL;
}

void ta_nl_close(struct ta_nl_sockets *s)
{
	for (int i = 0; i < TA_NL_PROTOCOLS; i++)
		close_socket(s, i);
}

/* One datagram of the kernel to the end of `ret`, padded to NLMSG_ALIGNTO. -EMSGSIZE: it was larger than s->chunk. */
static int receive(struct ta_nl_sockets *s, int protocol, struct ta_buf *ret)
{
	struct sockaddr_nl from = {0};
	struct iovec iov = {.iov_len = s->chunk};
	struct msghdr msg = {.msg_name = &from, .msg_namelen = sizeof(from), .msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (ret->len > TA_NL_CAP)
		return -EFBIG;
	if (ta_buf_reserve(ret, s->chunk + NLMSG_ALIGNTO) < 0)
		return ret->error;
	do {
		iov.iov_base = ret->data + ret->len;
		msg.msg_namelen = sizeof(from);
		n = recvmsg(nl_socket_get_fd(s->sock[protocol]), &msg, MSG_TRUNC);
	} while ((n < 0 && errno == EINTR) || (n >= 0 && from.nl_pid != 0));
	if (n < 0)
		return errno == EAGAIN ? -ETIMEDOUT : -errno;
	if ((size_t)n > s->chunk) {
		if ((size_t)n > CHUNK_LIMIT)
			return -EFBIG;
		s->chunk = NLMSG_ALIGN((size_t)n);
		return -EMSGSIZE;
	}
	ret->len += (size_t)n;
	while (ret->len % NLMSG_ALIGNTO)
		ret->data[ret->len++] = '\0';
	ret->data[ret->len] = '\0';
	return n == 0 ? -EIO : 0;
}

static int ask_once(struct ta_nl_sockets *s, int protocol, struct nlmsghdr *request, struct ta_buf *ret,
	struct ta_nl_progress *progress)
{
	int rc = s->sock[protocol] ? 0 : open_socket(s, protocol);

	if (rc < 0)
		return rc;
	*progress = (struct ta_nl_progress){0};
	ta_buf_reset(ret);
	request->nlmsg_seq = ++s->seq;
	request->nlmsg_pid = nl_socket_get_local_port(s->sock[protocol]);
	errno = 0;
	rc = nl_sendto(s->sock[protocol], request, request->nlmsg_len);
	rc = rc < 0 ? system_error() : 0;
	while (rc == 0 && !progress->done) {
		size_t before = ret->len;

		rc = receive(s, protocol, ret);
		if (rc == 0)
			ret->len = before + ta_nl_scan(ret->data + before, ret->len - before, s->seq, progress);
	}
	/* Whatever is still on its way must not be taken for the next answer. */
	if (rc < 0)
		close_socket(s, protocol);
	return rc;
}

int ta_nl_ask(struct ta_nl_sockets *s, int protocol, struct nlmsghdr *request, struct ta_buf *ret)
{
	struct ta_nl_progress progress = {0};
	int rc = 0;

	if (protocol < 0 || protocol >= TA_NL_PROTOCOLS || request->nlmsg_len < sizeof(*request))
		return -EINVAL;
	if (!s->chunk)
		s->chunk = CHUNK;
	/* With an ACK asked for, every question has an end, also one without an answer. */
	request->nlmsg_flags |= NLM_F_REQUEST;
	if ((request->nlmsg_flags & NLM_F_DUMP) != NLM_F_DUMP)
		request->nlmsg_flags |= NLM_F_ACK;
	for (int i = 0; i < TRIES; i++) {
		rc = ask_once(s, protocol, request, ret, &progress);
		if (rc == -EMSGSIZE || rc == -ENOBUFS || (rc == 0 && progress.interrupted))
			continue;
		break;
	}
	return rc;
}

int ta_nl_tell(struct ta_nl_sockets *s, int protocol, struct nlmsghdr *request, struct ta_buf *ret)
{
	struct ta_nl_progress progress = {0};

	if (protocol < 0 || protocol >= TA_NL_PROTOCOLS || request->nlmsg_len < sizeof(*request))
		return -EINVAL;
	if (!s->chunk)
		s->chunk = CHUNK;
	request->nlmsg_flags |= NLM_F_REQUEST | NLM_F_ACK;
	return ask_once(s, protocol, request, ret, &progress);
}
