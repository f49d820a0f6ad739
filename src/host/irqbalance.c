/*
 * Words with a running irqbalance, by its socket (irqbalance(1), "IRQBALANCE SOCKET"). It takes one message, answers
 * and hangs up; it listens to root alone, by credentials that have to come with the message.
 *
 * Who asks has to wait for the answer: irqbalance does not expect that somebody hangs up before, and dies of SIGPIPE (1.9.2,
 * irqbalance.c: sock_handle()). It may take its time: after each change of its list it looks at the whole machine anew.
 */
#include "host/irqbalance.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/num.h"

#define DIRECTORY "/run/irqbalance"
#define WAIT_MS 60000
#define REPLY_MAX 65536u

static bool is_irqbalance(struct ta_host *h, const char *pid)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT, comm = TA_BUF_INIT;

	ta_buf_printf(&path, "/proc/%s/comm", pid);
	return ta_host_read(h, ta_buf_text(&path), 64, &comm) == 0 && !strcmp(ta_strip(comm.data), "irqbalance");
}

/* "irqbalance123.sock", and process 123 is one. */
static bool is_alive(struct ta_host *h, const char *name)
{
	ta_cleanup_buf struct ta_buf number = TA_BUF_INIT;
	const char *digits = name + strlen("irqbalance");
	uint64_t pid;

	if (strncmp(name, "irqbalance", strlen("irqbalance")) != 0)
		return false;
	ta_buf_add(&number, digits, strspn(digits, "0123456789"));
	if (strcmp(digits + number.len, ".sock") != 0 || ta_parse_u64(ta_buf_text(&number), &pid) < 0)
		return false;
	return is_irqbalance(h, ta_buf_text(&number));
}

/* Without a socket: is there a process? -ENOENT or -ESRCH. */
static int look_for_process(struct ta_host *h)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_list(h, "/proc", &names);

	for (size_t i = 0; rc == 0 && i < names.n; i++)
		if (!names.v[i][strspn(names.v[i], "0123456789")] && is_irqbalance(h, names.v[i]))
			return -ENOENT;
	return rc < 0 ? rc : -ESRCH;
}

static int find_socket(struct ta_host *h, struct sockaddr_un *ret)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_list(h, DIRECTORY, &names);

	*ret = (struct sockaddr_un){.sun_family = AF_UNIX};
	for (size_t i = 0; rc == 0 && i < names.n; i++) {
		int n = snprintf(ret->sun_path, sizeof(ret->sun_path), "%s/%s", DIRECTORY, names.v[i]);

		if (n < (int)sizeof(ret->sun_path) && is_alive(h, names.v[i]))
			return 0;
	}
	return rc < 0 && rc != -ENOENT ? rc : look_for_process(h);
}

static int send_words(int fd, const char *words)
{
	union {
		char bytes[CMSG_SPACE(sizeof(struct ucred))];
		struct cmsghdr align;
	} control = {{0}};
	struct iovec iov = {(void *)(uintptr_t)words, strlen(words)};
	struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes)};
	const struct ucred me = {getpid(), geteuid(), getegid()};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_CREDENTIALS;
	c->cmsg_len = CMSG_LEN(sizeof(me));
	memcpy(CMSG_DATA(c), &me, sizeof(me));
	return sendmsg(fd, &msg, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* Until it hangs up. */
static int receive_all(int fd, struct ta_buf *ret)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	char piece[4096];

	while (ret->len < REPLY_MAX) {
		int ready = poll(&p, 1, WAIT_MS);
		ssize_t n = ready > 0 ? recv(fd, piece, sizeof(piece), 0) : 0;

		if (ready == 0)
			return -ETIMEDOUT;
		if (ready < 0 || n < 0)
			return -errno;
		if (n == 0)
			return ret->error;
		ta_buf_add(ret, piece, (size_t)n);
	}
	return -EFBIG;
}

int ta_irqbalance_tell(struct ta_host *h, const char *words, struct ta_buf *ret)
{
	ta_cleanup_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un to;
	int rc = fd < 0 ? -errno : find_socket(h, &to);

	ta_buf_reset(ret);
	if (rc < 0)
		return rc;
	if (connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0)
		return -errno;
	rc = send_words(fd, words);
	return rc < 0 ? rc : receive_all(fd, ret);
}
