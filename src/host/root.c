/*
 * Entering a capture: no name in it, however linked, may lead out of it.
 *
 * A capture is another machine's tree, full of links ("/sys/class/net/eth0 ->
 * ../../devices/…", "/etc/localtime -> /usr/share/…"), made by who knows whom.
 * Plain openat() follows an absolute link or enough ".." into this machine and
 * would tell its values as the other's. openat2(RESOLVE_IN_ROOT) makes the
 * directory the root for the one look-up. Kernels before 5.6 do not have it
 * (ENOSYS) and some seccomp filters refuse it (EPERM); there we walk component
 * by component with O_NOFOLLOW and read the links ourselves. The directories
 * on the way stay open, so that ".." is where we came from, not where somebody
 * moved the directory meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/internal.h"

#define LINK_LIMIT 40 /* MAXSYMLINKS of the kernel (include/linux/namei.h) */
#define DEPTH_LIMIT 64
#define EAGAIN_LIMIT 16

static int call_openat2(int dir, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long fd = -1;

	/* EAGAIN: a rename somewhere on the machine raced with a ".." of ours; see openat2(2). */
	for (int i = 0; i < EAGAIN_LIMIT; i++) {
		fd = syscall(SYS_openat2, dir, path, &how, sizeof(how));
		if (fd >= 0 || (errno != EAGAIN && errno != EINTR))
			break;
	}
	return fd < 0 ? -errno : (int)fd;
}

int ta_root_enter(int at, const char *dir, struct ta_root *ret)
{
	int fd = openat(at, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), probe;

	if (fd < 0)
		return -errno;
	probe = call_openat2(fd, ".", O_PATH | O_CLOEXEC);
	ret->fd = fd;
	ret->walk = probe < 0;
	ta_close(&probe);
	return 0;
}

void ta_root_leave(struct ta_root *r)
{
	ta_close(&r->fd);
}

struct walk {
	int dirs[DEPTH_LIMIT]; /* from the root (borrowed) down to where we are */
	unsigned depth;        /* index of the last */
	unsigned links;
	char path[PATH_MAX]; /* what is left to go, from `next` on */
	size_t next;
};

/* The next name, or NULL at the end. Ends it with a NUL in place. *last: nothing but it is left. */
static const char *next_name(struct walk *w, bool *last)
{
	char *name = w->path + w->next + strspn(w->path + w->next, "/");
	size_t len = strcspn(name, "/");

	if (!len)
		return NULL;
	*last = name[len] == '\0';
	w->next = (size_t)(name - w->path) + len + (*last ? 0 : 1);
	name[len] = '\0';
	return name;
}

static void walk_up(struct walk *w, unsigned to)
{
	while (w->depth > to)
		close(w->dirs[w->depth--]);
}

/* Puts the target of link `fd` before what is left to go; a slash behind the link stays there. */
static int follow(struct walk *w, int fd, bool last)
{
	char path[PATH_MAX];
	ssize_t n = readlinkat(fd, "", path, sizeof(path));
	size_t rest = strlen(w->path + w->next);

	if (n < 0)
		return -errno;
	if (++w->links > LINK_LIMIT)
		return -ELOOP;
	if (n == 0)
		return -ENOENT;
	if ((size_t)n + 1 + rest >= sizeof(path))
		return -ENAMETOOLONG;
	if (path[0] == '/')
		walk_up(w, 0);
	path[n] = last ? '\0' : '/';
	memcpy(path + n + 1, w->path + w->next, rest + 1);
	memcpy(w->path, path, (size_t)n + 1 + rest + 1);
	w->next = 0;
	return 0;
}

/* Goes into `name`. 0: go on; a descriptor + 1: it was the last; -errno. */
static int enter(struct walk *w, const char *name, bool last, int flags)
{
	int fd = openat(w->dirs[w->depth], name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	int rc = 0;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) < 0) {
		rc = -errno;
	} else if (S_ISDIR(st.st_mode)) {
		if (w->depth + 1 == DEPTH_LIMIT) {
			rc = -ENAMETOOLONG;
		} else {
			w->dirs[++w->depth] = fd;
			return 0;
		}
	} else if (S_ISLNK(st.st_mode)) {
		if (last && flags & O_NOFOLLOW)
			return fd + 1;
		rc = follow(w, fd, last);
	} else if (!last) {
		rc = -ENOTDIR;
	} else {
		int file = openat(w->dirs[w->depth], name, flags | O_NOFOLLOW);

		rc = file < 0 ? -errno : file + 1;
	}
	close(fd);
	return rc;
}

static int walk(const struct ta_root *r, const char *path, int flags)
{
	struct walk w = {.dirs = {r->fd}};
	const char *name;
	bool last = false;
	int rc = 0;

	if (strlen(path) >= sizeof(w.path))
		return -ENAMETOOLONG;
	memcpy(w.path, path, strlen(path) + 1);
	while (rc == 0 && (name = next_name(&w, &last))) {
		if (strcmp(name, "..") == 0)
			walk_up(&w, w.depth ? w.depth - 1 : 0);
		else if (strcmp(name, ".") != 0)
			rc = enter(&w, name, last, flags);
	}
	if (rc == 0) {
		int dir = openat(w.dirs[w.depth], ".", flags);

		rc = dir < 0 ? -errno : dir + 1;
	}
	walk_up(&w, 0);
	return rc > 0 ? rc - 1 : rc;
}

int ta_root_open(const struct ta_root *r, const char *path, int flags)
{
	return r->walk ? walk(r, path, flags) : call_openat2(r->fd, path, flags);
}

int ta_root_open_file(const struct ta_root *r, const char *path)
{
	int fd = ta_root_open(r, path, O_PATH | O_CLOEXEC), rc;

	if (fd < 0)
		return fd;
	rc = ta_fd_check_regular(fd);
	close(fd);
	if (rc < 0)
		return rc;
	fd = ta_root_open(r, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fd;
	rc = ta_fd_check_regular(fd);
	if (rc < 0)
		ta_close(&fd);
	return rc < 0 ? rc : fd;
}
