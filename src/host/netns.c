/*
 * Another network namespace: a child enters it, asks there and writes what it
 * learned into a pipe. The parent never leaves its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/live.h"

#ifndef SO_NETNS_COOKIE
#define SO_NETNS_COOKIE 71 /* asm-generic/socket.h, 5.14 */
#endif
#define NETNS_MS 2000
#define NETNS_CAP (4u << 20)

static int enter(unsigned pid)
{
	ta_cleanup_fd int fd = -1;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/ns/net", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || setns(fd, CLONE_NEWNET) < 0)
		return -errno;
	return 0;
}

static bool write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

/* In the child: the result, then the bytes, then the end of the pipe. */
static void visit_in_child(const struct ta_visit *v, int fd)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;
	struct ta_host *inside = NULL;
	int rc = enter(v->pid);

	if (rc == 0)
		rc = ta_host_live(&inside, NULL);
	if (rc == 0)
		rc = v->fn(inside, v->arg, &answer);
	rc = answer.error ?: rc;
	if (rc < 0)
		ta_buf_reset(&answer);
	_exit(write_all(fd, &rc, sizeof(rc)) && write_all(fd, answer.data, answer.len) ? 0 : 1);
}

/* Everything until the end of the pipe. */
static int read_answer(int fd, struct ta_buf *ret)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		int rc = poll(&p, 1, NETNS_MS);
		ssize_t n;

		if (rc < 0 && errno == EINTR)
			continue;
		if (rc <= 0)
			return rc < 0 ? -errno : -ETIMEDOUT;
		rc = ta_buf_reserve(ret, 4096);
		if (rc < 0)
			return rc;
		n = read(fd, ret->data + ret->len, ret->cap - ret->len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		ret->len += (size_t)n;
		ret->data[ret->len] = '\0';
		if (ret->len > NETNS_CAP)
			return -EFBIG;
	}
}

int ta_live_visit(void *arg, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT;
	pid_t parent = getpid(), pid;
	int fds[2], rc, result;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		ta_child_prepare(parent);
		visit_in_child(arg, fds[1]);
	}
	rc = pid < 0 ? -errno : 0;
	close(fds[1]);
	if (rc == 0)
		rc = read_answer(fds[0], &answer);
	close(fds[0]);
	if (pid > 0) {
		if (rc < 0)
			kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (rc < 0)
		return rc;
	if (answer.len < sizeof(result))
		return -EIO;
	memcpy(&result, answer.data, sizeof(result));
	ta_buf_add(ret, answer.data + sizeof(result), answer.len - sizeof(result));
	return result;
}

int ta_host_netns(struct ta_host *h, const char *key, unsigned pid,
	int (*fn)(struct ta_host *inside, void *arg, struct ta_buf *ret), void *arg, struct ta_buf *ret)
{
	struct ta_visit v = {.pid = pid, .fn = fn, .arg = arg};

	return ta_host_call(h, key, ta_live_visit, &v, ret);
}

/* A number that no other namespace of this boot has or had (5.14); the file's inode number is used again. */
static int call_cookie(void *arg, struct ta_buf *ret)
{
	ta_cleanup_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	uint64_t cookie;
	socklen_t len = sizeof(cookie);

	if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &len) < 0)
		return -errno;
	ta_buf_printf(ret, " %llu", (unsigned long long)cookie);
	return ret->error;
}

int ta_host_netns_id(struct ta_host *h, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf cookie = TA_BUF_INIT;
	int rc = ta_host_readlink(h, "/proc/self/ns/net", ret);

	if (rc == 0 && ta_host_call(h, "netns-cookie", call_cookie, NULL, &cookie) == 0)
		ta_buf_add(ret, cookie.data, cookie.len);
	return rc < 0 ? rc : ret->error;
}
