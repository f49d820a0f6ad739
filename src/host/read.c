/*
 * Reading from descriptors: whole, by lines, names of a directory.
 *
 * Sizes are never believed. Files of proc say 0, files of sysfs 4096, and a
 * capture may hold anything; so all is read until the end or a limit. A short
 * read is no end either: seq_file (fs/seq_file.c) stops at a record.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/internal.h"

#define READ_CHUNK 4000u       /* fits a page with what the allocator adds; most files are smaller */
#define LINES_CHUNK (16u << 10)
#define LINE_LIMIT (1u << 20)
#define LIST_LIMIT 200000u

void ta_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int ta_fd_check_regular(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (S_ISREG(st.st_mode))
		return 0;
	return S_ISDIR(st.st_mode) ? -EISDIR : -EBADMSG;
}

/* One read() that is not interrupted: the count or -errno. */
static ssize_t read_some(int fd, void *buf, size_t size)
{
	ssize_t n;

	do
		n = read(fd, buf, size);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

static int read_all(int fd, size_t cap, bool short_is_end, struct ta_buf *ret)
{
	ta_buf_reset(ret);
	for (;;) {
		size_t room;
		ssize_t n;
		int rc = ta_buf_reserve(ret, READ_CHUNK);

		if (rc < 0)
			return rc;
		room = ret->cap - ret->len - 1;
		n = read_some(fd, ret->data + ret->len, room);
		if (n <= 0) {
			ret->data[ret->len] = '\0';
			if (n < 0)
				ta_buf_reset(ret);
			return (int)n;
		}
		ret->len += (size_t)n;
		if (ret->len > cap) {
			ta_buf_reset(ret);
			return -EFBIG;
		}
		if (short_is_end && (size_t)n < room) {
			ret->data[ret->len] = '\0';
			return 0;
		}
	}
}

int ta_fd_read(int fd, size_t cap, struct ta_buf *ret)
{
	return read_all(fd, cap, false, ret);
}

int ta_fd_read_at_once(int fd, size_t cap, struct ta_buf *ret)
{
	return read_all(fd, cap, true, ret);
}

static int give_line(char *line, size_t len, ta_line_fn *fn, void *ctx)
{
	if (len > LINE_LIMIT)
		return -EFBIG;
	if (memchr(line, '\0', len))
		return -EBADMSG;
	line[len] = '\0';
	return fn(line, len, ctx);
}

/*
 * Gives the whole lines in `b` to `fn` and moves what is left to its front; at
 * the end of the file that is a line too.
 */
static int give_lines(struct ta_buf *b, bool at_end, ta_line_fn *fn, void *ctx)
{
	char *p = b->data, *end = p + b->len;
	int rc = 0;

	while (rc >= 0 && p < end) {
		char *newline = memchr(p, '\n', (size_t)(end - p));

		if (!newline && !at_end)
			break;
		if (!newline)
			newline = end;
		rc = give_line(p, (size_t)(newline - p), fn, ctx);
		p = newline < end ? newline + 1 : end;
	}
	b->len = (size_t)(end - p);
	memmove(b->data, p, b->len);
	return rc < 0 ? rc : 0;
}

int ta_fd_lines(int fd, ta_line_fn *fn, void *ctx)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ssize_t n;
	int rc;

	do {
		if (b.len > LINE_LIMIT)
			return -EFBIG;
		rc = ta_buf_reserve(&b, LINES_CHUNK - 1);
		if (rc < 0)
			return rc;
		n = read_some(fd, b.data + b.len, b.cap - b.len - 1);
		if (n < 0)
			return (int)n;
		b.len += (size_t)n;
		rc = give_lines(&b, n == 0, fn, ctx);
	} while (rc == 0 && n > 0);
	return rc;
}

int ta_text_lines(struct ta_buf *text, ta_line_fn *fn, void *ctx)
{
	return text->len ? give_lines(text, true, fn, ctx) : 0;
}

/* What getdents64(2) writes; readdir(3) costs three more calls per directory, and /proc has many. */
struct entry {
	uint64_t ino;
	int64_t off;
	uint16_t len;
	uint8_t type;
	char name[];
};

/* All entries but . and .. of the open directory. */
static int read_names(int fd, struct ta_strv *names)
{
	_Alignas(struct entry) char room[16u << 10];
	long n;

	while ((n = syscall(SYS_getdents64, fd, room, sizeof(room))) > 0) {
		for (long at = 0; at < n; at += ((struct entry *)(void *)(room + at))->len) {
			const char *name = ((struct entry *)(void *)(room + at))->name;

			if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
				ta_strv_add(names, name);
		}
		if (names->n > LIST_LIMIT)
			return -EFBIG;
	}
	return n < 0 ? -errno : names->error;
}

int ta_fd_names(int fd, struct ta_strv *ret)
{
	struct ta_strv names = TA_STRV_INIT;
	int rc = read_names(fd, &names);

	if (rc < 0) {
		ta_strv_done(&names);
		return rc;
	}
	ta_strv_sort(&names);
	ta_strv_done(ret);
	*ret = names;
	return 0;
}

int ta_fd_list(int fd, struct ta_strv *ret)
{
	int rc = ta_fd_names(fd, ret);

	close(fd);
	return rc;
}

int ta_link_at(int dir, const char *path, struct ta_buf *ret)
{
	char target[PATH_MAX];
	ssize_t n = readlinkat(dir, path, target, sizeof(target));

	if (n < 0)
		return -errno;
	if ((size_t)n == sizeof(target))
		return -ENAMETOOLONG;
	ta_buf_reset(ret);
	ta_buf_add(ret, target, (size_t)n);
	return ret->error;
}

int ta_fd_readlink(int fd, struct ta_buf *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISLNK(st.st_mode))
		return -EINVAL; /* readlinkat() with "" says ENOENT for what is no link */
	return ta_link_at(fd, "", ret);
}
