/*
 * The floor: the plainest C program that asks this machine what `tuneaudit check` asked it, and does nothing
 * with the answers. What check takes longer is its own thinking.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "floor.h"

#define SOCKETS_MAX 64

static char buffer[65536];
static char scratch[4096];
static int sockets[SOCKETS_MAX];
static unsigned n_sockets;

static int listed = -1;

static int dir_of(const struct floor_op *op)
{
	return op->a ? listed : AT_FDCWD;
}

static void read_file(const struct floor_op *op)
{
	int fd = openat(dir_of(op), op->text, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	struct stat st;

	if (fd < 0)
		return;
	if (op->look)
		fstat(fd, &st);
	for (long i = 0; i < op->c && read(fd, buffer, op->b < (long)sizeof(buffer) ? op->b : sizeof(buffer)) > 0; i++)
		;
	close(fd);
}

static void open_directory(const struct floor_op *op)
{
	int fd = openat(dir_of(op), op->text, (op->kind == FLOOR_DIR ? O_PATH : O_RDONLY) | O_CLOEXEC | O_DIRECTORY);
	struct stat st;

	if (fd < 0)
		return;
	if (op->kind == FLOOR_DIR)
		fstat(fd, &st);
	else
		while (syscall(SYS_getdents64, fd, buffer, sizeof(buffer)) > 0)
			;
	close(listed);
	listed = fd;
}

/* True when `len` bytes of answer hold the end of it. */
static int answered(ssize_t len)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buffer;

	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len))
		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR || !(h->nlmsg_flags & NLM_F_MULTI))
			return 1;
	return 0;
}

static void ask(int fd, const void *request, size_t len)
{
	struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	ssize_t n;

	if (sendto(fd, request, len, 0, (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return;
	do
		n = recv(fd, buffer, sizeof(buffer), 0);
	while (n > 0 && !answered(n));
}

static void open_socket(const struct floor_op *op)
{
	if (n_sockets < SOCKETS_MAX)
		sockets[n_sockets++] = socket(op->a, op->b, op->c);
}

static void call(const struct floor_op *op)
{
	long v[6];

	for (unsigned i = 0; i < 6; i++) {
		v[i] = op->args[i];
		if (v[i] == FLOOR_SCRATCH)
			v[i] = (long)scratch;
		else if (v[i] >= FLOOR_SOCKET_0 && v[i] < FLOOR_SOCKET_0 + SOCKETS_MAX)
			v[i] = sockets[v[i] - FLOOR_SOCKET_0];
	}
	syscall(op->a, v[0], v[1], v[2], v[3], v[4], v[5]);
}

static size_t repeat(const struct floor_op *ops, size_t n);

/* The child's part, by a child. Returns how many operations that was. */
static size_t by_child(const struct floor_op *op)
{
	pid_t pid = fork();

	if (pid == 0) {
		n_sockets = 0;
		repeat(op + 1, op->a);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
	return op->a;
}

static size_t repeat(const struct floor_op *ops, size_t n)
{
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		const struct floor_op *op = &ops[i];

		switch (op->kind) {
		case FLOOR_READ: read_file(op); break;
		case FLOOR_LIST:
		case FLOOR_DIR: open_directory(op); break;
		case FLOOR_LINK:
			if (readlinkat(dir_of(op), op->text, buffer, sizeof(buffer)) < 0)
				continue;
			break;
		case FLOOR_STAT: fstatat(dir_of(op), op->text, &st, 0); break;
		case FLOOR_SOCKET: open_socket(op); break;
		case FLOOR_SEND: ask(sockets[op->a], op->text, op->len); break;
		case FLOOR_SOCKET_CLOSE: close(sockets[op->a]); break;
		case FLOOR_CALL: call(op); break;
		case FLOOR_CHILD: i += by_child(op); break;
		}
	}
	return n;
}

int main(void)
{
	repeat(floor_ops, n_floor_ops);
	return 0;
}
