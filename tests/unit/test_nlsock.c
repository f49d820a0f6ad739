/*
 * A kernel that answers badly: recvmsg() is this file's, the sockets and what is sent are real. What comes
 * is a list of datagrams, each with a sender and a distance to the number that was asked with.
 */
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <cmocka.h>

#include "host/netlink.h"

struct datagram {
	int error;          /* errno of recvmsg() instead of bytes */
	const char *text;   /* payload of a link message; NULL: the end of the dump */
	int seq;            /* added to the present number */
	uint32_t from;      /* port; the kernel's is 0 */
	uint16_t flags;     /* besides NLM_F_MULTI */
	uint32_t pretended; /* bytes that recvmsg() says it had; 0: as many as there are */
};

static struct ta_nl_sockets sockets;
static const struct datagram *script;
static size_t n_script, at, n_received;

ssize_t recvmsg(int fd, struct msghdr *msg, int flags)
{
	const struct datagram *d = at < n_script ? &script[at++] : NULL;
	struct sockaddr_nl *from = msg->msg_name;
	struct nlmsghdr nlh = {.nlmsg_type = NLMSG_DONE, .nlmsg_flags = NLM_F_MULTI};
	char bytes[256] = {0};

	n_received++;
	if (!d || d->error) {
		errno = d ? d->error : EAGAIN;
		return -1;
	}
	from->nl_family = AF_NETLINK;
	from->nl_pid = d->from;
	nlh.nlmsg_len = sizeof(nlh) + (uint32_t)(d->text ? strlen(d->text) : 4);
	if (d->text)
		nlh.nlmsg_type = RTM_NEWLINK;
	nlh.nlmsg_flags |= d->flags;
	nlh.nlmsg_seq = sockets.seq + (uint32_t)d->seq;
	memcpy(bytes, &nlh, sizeof(nlh));
	if (d->text)
		memcpy(bytes + sizeof(nlh), d->text, strlen(d->text));
	memcpy(msg->msg_iov->iov_base, bytes, nlh.nlmsg_len);
	return d->pretended ? (ssize_t)d->pretended : (ssize_t)nlh.nlmsg_len;
}

static int collect(const struct nlmsghdr *nlh, void *ctx)
{
	ta_buf_add(ctx, mnl_nlmsg_get_payload(nlh), mnl_nlmsg_get_payload_len(nlh));
	ta_buf_addc(ctx, ' ');
	return 0;
}

/* What the door makes of the script: `rc` of asking, `parse_rc` and the payloads of the answer. */
static void assert_answer(const struct datagram *d, size_t n, int rc, int parse_rc, const char *want)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT, text = TA_BUF_INIT;
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg info;
	} request = {.nlh = {.nlmsg_len = sizeof(request), .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_DUMP}};

	script = d;
	n_script = n;
	at = n_received = 0;
	assert_int_equal(ta_nl_ask(&sockets, NETLINK_ROUTE, &request.nlh, &answer), rc);
	if (rc == 0) {
		assert_int_equal(ta_nl_parse(answer.data, answer.len, collect, &text), parse_rc);
		assert_string_equal(ta_buf_text(&text), want);
	}
	ta_nl_close(&sockets);
}

#define ANSWER(rc, parse_rc, want, ...) \
	assert_answer((const struct datagram[]){__VA_ARGS__}, \
		sizeof((const struct datagram[]){__VA_ARGS__}) / sizeof(struct datagram), rc, parse_rc, want)

/* A torn half is thrown away, the second answer is the one. */
static void interrupted(void **state)
{
	ANSWER(0, 0, "b c ", {.text = "a", .flags = NLM_F_DUMP_INTR}, {0}, {.text = "b"}, {.text = "c"}, {0});
	/* Only its end says so. */
	ANSWER(0, 0, "b ", {.text = "a"}, {.flags = NLM_F_DUMP_INTR}, {.text = "b"}, {0});
}

/* Three times, and no more: what is there is given, and said to be torn. */
static void always_interrupted(void **state)
{
	ANSWER(0, -EINTR, "c ", {.text = "a", .flags = NLM_F_DUMP_INTR}, {0}, {.text = "b", .flags = NLM_F_DUMP_INTR},
		{0}, {.text = "c", .flags = NLM_F_DUMP_INTR}, {0}, {.text = "d"}, {0});
	assert_int_equal(n_received, 6);
}

/* Answers to what was asked before, and to what nobody asked, are not ours. */
static void others(void **state)
{
	ANSWER(0, 0, "a ", {.text = "late", .seq = -1}, {.seq = -1}, {.text = "a"}, {.text = "early", .seq = 1}, {0});
	ANSWER(0, 0, "a ", {.text = "forged", .from = 4711}, {.from = 4711}, {.text = "a"}, {0});
	/* An interruption of theirs is no interruption of ours. */
	ANSWER(0, 0, "a ", {.text = "late", .seq = -1, .flags = NLM_F_DUMP_INTR}, {.text = "a"}, {0});
	assert_int_equal(n_received, 3);
}

static void truncated(void **state)
{
	/* Larger than there was room for: asked again with more. */
	sockets.chunk = 0;
	ANSWER(0, 0, "b ", {.text = "a", .pretended = 100000}, {.text = "b"}, {0});
	assert_int_equal(sockets.chunk, 100000);
	/* A size that no dump has. */
	ANSWER(-EFBIG, 0, "", {.text = "a", .pretended = 1u << 30}, {.text = "b"}, {0});
	ANSWER(-EMSGSIZE, 0, "", {.text = "a", .pretended = 200000}, {.text = "b", .pretended = 300000},
		{.text = "c", .pretended = 400000}, {.text = "d"}, {0});
	sockets.chunk = 0;
}

static void errors(void **state)
{
	ANSWER(0, 0, "b ", {.text = "a"}, {.error = ENOBUFS}, {.text = "b"}, {0});
	ANSWER(-ENOBUFS, 0, "", {.error = ENOBUFS}, {.error = ENOBUFS}, {.error = ENOBUFS}, {.text = "d"}, {0});
	ANSWER(0, 0, "a ", {.error = EINTR}, {.text = "a"}, {.error = EINTR}, {0});
	ANSWER(-ETIMEDOUT, 0, "", {.text = "a"}, {.error = EAGAIN}, {.text = "b"}, {0});
	assert_int_equal(n_received, 2);
	ANSWER(-EPERM, 0, "", {.error = EPERM}, {.text = "b"}, {0});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(interrupted),
		cmocka_unit_test(always_interrupted),
		cmocka_unit_test(others),
		cmocka_unit_test(truncated),
		cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
