/*
 * The descriptors of a process, by far the most of what a look at a host costs. Since 6.2 the size of /proc/PID/fd is
 * how many there are (proc_fd_getattr() in fs/proc/fd.c): threads of the kernel, with none, need no list, and
 * processes with few have them at 0, 1, 2 …, where they are found without one. Numbers that are left open lead back to
 * the list.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "host/live.h"
#include "host/redact.h"

#define DIR_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | O_DIRECTORY)

/* Above so many the list is the cheaper way. */
#define WITHOUT_LIST 64 /* numbers of at most two digits */

void ta_live_links_init(struct ta_live *l)
{
	struct stat st;

	/* We have some open: 0 is what kernels say that do not count. */
	l->counts_fds = fstatat(l->root, "proc/self/fd", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size > 0;
}

struct reading {
	char path[PATH_MAX]; /* of a link in full: what is left out of its target goes by that */
	size_t dir_len;      /* of it, up to the name */
	ta_link_fn *fn;
	void *ctx;
	struct ta_buf target;
};

/* Gives one link on; `rc` is what reading it said. 0, or what `fn` returned if it is negative. */
static int give(struct reading *r, const char *name, int rc)
{
	size_t len = strlen(name);

	if (rc < 0) {
		ta_buf_reset(&r->target);
	} else if (len < sizeof(r->path) - r->dir_len) {
		memcpy(r->path + r->dir_len, name, len + 1);
		ta_redact_link(r->path, &r->target);
	}
	rc = r->fn(ta_buf_text(&r->target), rc, r->ctx);
	return rc < 0 ? rc : 0;
}

/*
 * The `n` descriptors as far as they have the numbers 0, 1, 2 …; *ret_next is the first that is open. 0, or what `fn`
 * returned if it is negative.
 */
static int read_first(struct reading *r, int dir, const char *rest, unsigned n, unsigned *ret_next)
{
	size_t len = strlen(rest);
	char file[160], *name = file + len + 1, *end;
	int rc = 0;

	memcpy(file, rest, len);
	file[len] = '/';
	for (*ret_next = 0; *ret_next < n && rc == 0; ++*ret_next) {
		int read;

		end = name;
		if (*ret_next > 9)
			*end++ = (char)('0' + *ret_next / 10);
		*end++ = (char)('0' + *ret_next % 10);
		*end = '\0';
		read = ta_link_at(dir, file, &r->target);
		if (read == -ENOENT)
			return 0;
		rc = give(r, name, read);
	}
	return rc;
}

/* Those with the numbers `from` and above, by the list. */
static int read_listed(struct reading *r, int dir, const char *rest, unsigned from, size_t *ret_n)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_fd int fd = openat(dir, rest, DIR_FLAGS);
	int rc = fd < 0 ? -errno : ta_fd_names(fd, &names);

	if (rc < 0)
		return rc;
	*ret_n = names.n;
	for (size_t i = 0; i < names.n && rc == 0; i++) {
		uint64_t number;

		if (ta_parse_u64(names.v[i], &number) == 0 && number < from)
			continue;
		rc = give(r, names.v[i], ta_link_at(fd, names.v[i], &r->target));
	}
	return rc;
}

static bool is_fds(const char *path)
{
	size_t n = strlen(path);

	return n > 9 && n < 128 && memcmp(path, "/proc/", 6) == 0 && strcmp(path + n - 3, "/fd") == 0;
}

int ta_live_links(struct ta_host *h, const char *path, size_t *ret_n, ta_link_fn *fn, void *ctx)
{
	struct ta_live *l = (struct ta_live *)h;
	struct reading r;
	unsigned next = 0;
	const char *rest;
	struct stat st;
	int dir = ta_live_nearest(l, path, &rest), rc = 0;

	r.fn = fn;
	r.ctx = ctx;
	r.target = (struct ta_buf)TA_BUF_INIT;
	r.dir_len = strlen(path) + 1;
	memcpy(r.path, path, r.dir_len - 1);
	r.path[r.dir_len - 1] = '/';
	if (!l->counts_fds || !is_fds(path)) {
		rc = read_listed(&r, dir, rest, 0, ret_n);
	} else if (fstatat(dir, rest, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		rc = -errno;
	} else {
		*ret_n = (size_t)st.st_size;
		if (*ret_n <= WITHOUT_LIST)
			rc = read_first(&r, dir, rest, (unsigned)*ret_n, &next);
		if (rc == 0 && next < *ret_n)
			rc = read_listed(&r, dir, rest, next, ret_n);
	}
	ta_buf_done(&r.target);
	return rc;
}
