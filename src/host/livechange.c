/*
 * Changes to this machine, one system call each where that can be.
 *
 * An attribute is opened, not created, and written in one piece: the kernel takes such a write as a whole. Files
 * of ours change by a rename, so that whoever reads them at that moment, and a machine that loses its
 * power then, sees the old text or the new one.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "host/irqbalance.h"
#include "host/livemodule.h"
#include "host/live.h"

static int root_of(struct ta_host *h)
{
	return ((struct ta_live *)h)->root;
}

static int write_once(int fd, const char *text)
{
	size_t len = strlen(text);
	ssize_t n;

	do
		n = write(fd, text, len);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* A descriptor to write the attribute by, or -errno. */
static int open_attribute(struct ta_host *h, const char *path)
{
	int fd, rc;

	do
		fd = openat(root_of(h), path + 1, O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return -errno;
	rc = ta_fd_check_regular(fd);
	if (rc < 0)
		ta_close(&fd);
	return rc < 0 ? rc : fd;
}

static int change_may_set(struct ta_host *h, const char *path)
{
	ta_cleanup_fd int fd = open_attribute(h, path);

	return TA_MIN(fd, 0);
}

static int change_set(struct ta_host *h, const char *path, const char *text)
{
	ta_cleanup_fd int fd = open_attribute(h, path);

	return fd < 0 ? fd : write_once(fd, text);
}

static int change_netlink(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_buf *ret)
{
	return ta_nl_tell(&((struct ta_live *)h)->netlink, protocol, request, ret);
}

/* --- in another network namespace --------------------------------------- */

struct inside {
	const char *path, *text;
};

static int set_inside(struct ta_host *h, void *arg, struct ta_buf *ret)
{
	const struct inside *s = arg;

	return change_set(h, s->path, s->text);
}

static int change_set_netns(struct ta_host *h, unsigned pid, const char *path, const char *text)
{
	struct inside s = {.path = path, .text = text};
	struct ta_visit v = {.pid = pid, .fn = set_inside, .arg = &s};
	ta_cleanup_buf struct ta_buf nothing = TA_BUF_INIT;

	return ta_live_visit(&v, &nothing);
}

/* --- files ----------------------------------------------------------------- */

struct place {
	int above;	   /* the directory that `dir` stands in */
	int fd;		   /* of `dir`; -1: there is none */
	char dir[NAME_MAX + 1];
	char name[NAME_MAX + 1];
	char beside[NAME_MAX + 1]; /* its name until it is whole */
};

static void place_done(struct place *p)
{
	ta_close(&p->above);
	ta_close(&p->fd);
}

#define cleanup_place ta_cleanup(place_done)
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

/* One component off the front of *path, or -ENAMETOOLONG; *path stands behind its slash then. */
static int next_component(const char **path, char (*ret)[NAME_MAX + 1])
{
	size_t n = strcspn(*path, "/");

	if (n >= sizeof(*ret))
		return -ENAMETOOLONG;
	memcpy(*ret, *path, n);
	(*ret)[n] = '\0';
	*path += n + ((*path)[n] == '/');
	return 0;
}

static int open_dir(int at, const char *name)
{
	int fd = openat(at, name, OPEN_DIR);

	/* ENOTDIR is what O_DIRECTORY makes of a link */
	return fd >= 0 ? fd : errno == ENOTDIR ? -ELOOP : -errno;
}

/* Walks to the directory of `path`. -ENOENT only where one above it is missing. */
static int find_place(int root, const char *path, struct place *ret)
{
	int fd = dup(root), rc = fd < 0 ? -errno : 0;

	path++;
	while (rc == 0) {
		rc = next_component(&path, &ret->dir);
		if (rc == 0 && !strchr(path, '/')) {
			ret->above = fd;
			ret->fd = open_dir(fd, ret->dir);
			rc = ret->fd == -ENOENT ? 0 : TA_MIN(ret->fd, 0);
			ret->fd = TA_MAX(ret->fd, -1);
			break;
		}
		if (rc == 0) {
			int below = open_dir(fd, ret->dir);

			ta_close(&fd);
			fd = below;
			rc = TA_MIN(below, 0);
		}
	}
	if (rc == 0)
		rc = next_component(&path, &ret->name);
	if (rc == 0 && snprintf(ret->beside, sizeof(ret->beside), ".%s.tuneaudit", ret->name) >= (int)sizeof(ret->beside))
		rc = -ENAMETOOLONG;
	if (rc < 0 && ret->above < 0)
		ta_close(&fd);
	return rc;
}

static int change_own(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	cleanup_place struct place p = {.above = -1, .fd = -1};
	ta_cleanup_fd int fd = -1;
	int rc = find_place(root_of(h), path, &p);

	if (rc == 0 && p.fd < 0)
		return -ENOENT;
	if (rc == 0)
		fd = openat(p.fd, p.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (rc < 0 || fd < 0)
		return rc < 0 ? rc : -errno;
	rc = ta_fd_check_regular(fd);
	return rc < 0 ? rc : ta_fd_read(fd, cap, ret);
}

static int change_may_put(struct ta_host *h, const char *path)
{
	cleanup_place struct place p = {.above = -1, .fd = -1};
	int rc = find_place(root_of(h), path, &p);

	if (rc == 0 && faccessat(p.fd < 0 ? p.above : p.fd, ".", W_OK, AT_EACCESS) < 0)
		rc = -errno;
	return rc;
}

static int write_beside(const struct place *p, const char *text, mode_t mode)
{
	ta_cleanup_fd int fd = -1;
	size_t len = strlen(text);

	unlinkat(p->fd, p->beside, 0); /* of one that was killed here */
	fd = openat(p->fd, p->beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
	if (fd < 0 || fchmod(fd, mode) < 0) /* whatever the umask */
		return -errno;
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) < 0 ? -errno : 0;
}

static int change_put(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parent)
{
	cleanup_place struct place p = {.above = -1, .fd = -1};
	bool made = false;
	int rc = find_place(root_of(h), path, &p);

	if (rc < 0)
		return rc;
	if (p.fd < 0) {
		if (!parent)
			return -ENOENT;
		if (mkdirat(p.above, p.dir, 0755) < 0)
			return -errno;
		made = true;
		p.fd = open_dir(p.above, p.dir);
		rc = TA_MIN(p.fd, 0);
		if (rc == 0 && (fchmod(p.fd, 0755) < 0 || fsync(p.above) < 0))
			rc = -errno;
	}
	if (rc == 0)
		rc = write_beside(&p, text, mode);
	if (rc == 0 && renameat(p.fd, p.beside, p.fd, p.name) < 0)
		rc = -errno;
	if (rc == 0)
		return fsync(p.fd) < 0 ? -errno : 0;
	unlinkat(p.fd, p.beside, 0);
	if (made)
		unlinkat(p.above, p.dir, AT_REMOVEDIR);
	return rc;
}

static int change_unlink(struct ta_host *h, const char *path, bool parent)
{
	cleanup_place struct place p = {.above = -1, .fd = -1};
	int rc = find_place(root_of(h), path, &p);

	if (rc == -ENOENT || (rc == 0 && p.fd < 0))
		return 0;
	if (rc < 0)
		return rc;
	unlinkat(p.fd, p.beside, 0);
	if (unlinkat(p.fd, p.name, 0) < 0 && errno != ENOENT)
		return -errno;
	/* What cannot be synced is gone all the same: go on, and tell. */
	if (fsync(p.fd) < 0)
		rc = -errno;
	if (!parent)
		return rc;
	/* Not empty: someone else uses it. */
	if (unlinkat(p.above, p.dir, AT_REMOVEDIR) < 0)
		return errno == ENOTEMPTY || errno == EEXIST ? rc : -errno;
	return fsync(p.above) < 0 ? -errno : rc;
}

/* --- modules --------------------------------------------------------------- */

static int change_unload(struct ta_host *h, const char *name, struct ta_err *err)
{
	/* O_NONBLOCK: do not wait until nobody uses it any more (delete_module(2)) */
	if (syscall(SYS_delete_module, name, O_NONBLOCK) == 0)
		return 0;
	return ta_err_set(err, -errno, "%s", ta_errno_text(-errno));
}

const struct ta_change_ops ta_live_changes = {
	.may_set = change_may_set,
	.set = change_set,
	.netlink = change_netlink,
	.ethtool = ta_live_ethtool,
	.set_netns = change_set_netns,
	.own = change_own,
	.may_put = change_may_put,
	.put = change_put,
	.unlink = change_unlink,
	.irqbalance = ta_irqbalance_tell,
	.load_module = ta_live_modprobe,
	.unload_module = change_unload,
};
