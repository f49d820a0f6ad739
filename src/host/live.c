/*
 * This machine. Files are opened relative to a descriptor of "/"; nothing,
 * no variable and no option, redirects that. A read is open, fstat, read until
 * the end, close, into the caller's buffer.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host/live.h"
#include "host/redact.h"

#define FILE_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

static struct ta_live *live(struct ta_host *h)
{
	return (struct ta_live *)h;
}

int ta_live_nearest(struct ta_live *l, const char *path, const char **ret_rest)
{
	size_t n = strlen(l->listed_path);

	if (l->listed >= 0 && strncmp(path, l->listed_path, n) == 0 && path[n] == '/' && path[n + 1]) {
		*ret_rest = path + n + 1;
		return l->listed;
	}
	*ret_rest = path[1] ? path + 1 : ".";
	return l->root;
}

static int open_at(struct ta_host *h, const char *path, int flags)
{
	const char *rest;
	int dir = ta_live_nearest(live(h), path, &rest), fd;

	do
		fd = openat(dir, rest, flags);
	while (fd < 0 && errno == EINTR);
	return fd < 0 ? -errno : fd;
}

static int open_file(struct ta_host *h, const char *path)
{
	int fd = open_at(h, path, FILE_FLAGS), rc;

	if (fd < 0)
		return fd;
	rc = ta_fd_check_regular(fd);
	if (rc < 0)
		ta_close(&fd);
	return rc < 0 ? rc : fd;
}

/*
 * Sysctls (proc_sys_call_handler in fs/proc/proc_sysctl.c) and attributes of devices (sysfs_kf_seq_show in
 * fs/sysfs/file.c: one record of at most a page) come whole in one read; asking for their end is a third of
 * what reading them costs. Not so below /sys/fs and /sys/kernel, where others have their own files.
 */
static bool is_written_at_once(const char *path)
{
	static const char *const trees[] = {"/proc/sys/", "/sys/block/", "/sys/bus/", "/sys/class/", "/sys/devices/",
		"/sys/module/"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(trees); i++)
		if (strncmp(path, trees[i], strlen(trees[i])) == 0)
			return true;
	return false;
}

static int live_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	enum ta_redact kind = ta_redact_kind(path);
	int fd, rc;

	if (kind == TA_REDACT_REFUSE)
		return -EPERM;
	fd = open_file(h, path);
	if (fd < 0)
		return fd;
	rc = is_written_at_once(path) ? ta_fd_read_at_once(fd, cap, ret) : ta_fd_read(fd, cap, ret);
	close(fd);
	if (rc == 0 && kind == TA_REDACT_FILTER)
		ta_redact(path, ret);
	return rc;
}

static int live_lines(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int fd, rc;

	if (ta_redact_kind(path) != TA_REDACT_NONE) {
		rc = live_read(h, path, TA_READ_CAP, &text);
		return rc < 0 ? rc : ta_text_lines(&text, fn, ctx);
	}
	fd = open_file(h, path);
	if (fd < 0)
		return fd;
	rc = ta_fd_lines(fd, fn, ctx);
	close(fd);
	return rc;
}

static int live_list(struct ta_host *h, const char *path, struct ta_strv *ret)
{
	struct ta_live *l = live(h);
	int fd = open_at(h, path, FILE_FLAGS | O_DIRECTORY), rc;

	if (fd < 0)
		return fd;
	rc = ta_fd_names(fd, ret);
	ta_close(&l->listed);
	if (strlen(path) >= sizeof(l->listed_path)) {
		close(fd);
		return rc;
	}
	memcpy(l->listed_path, path, strlen(path) + 1);
	l->listed = fd;
	return rc;
}

static int live_readlink(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	const char *rest;
	int dir = ta_live_nearest(live(h), path, &rest);
	int rc = ta_link_at(dir, rest, ret);

	if (rc == 0)
		ta_redact_link(path, ret);
	return rc;
}

static int live_exists(struct ta_host *h, const char *path)
{
	const char *rest;
	int dir = ta_live_nearest(live(h), path, &rest);
	struct stat st;

	return fstatat(dir, rest, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;
}

static int live_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret),
	void *arg, struct ta_buf *ret)
{
	int rc = fn(arg, ret);

	return ret->error ?: rc;
}

static int live_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request,
	struct ta_buf *ret)
{
	return ta_nl_ask(&live(h)->netlink, protocol, request, ret);
}

static int live_time(struct ta_host *h, int64_t *ret)
{
	struct timespec now;

	if (clock_gettime(CLOCK_REALTIME, &now) < 0)
		return -errno;
	*ret = now.tv_sec;
	return 0;
}

static int live_uptime_ms(struct ta_host *h, int64_t *ret)
{
	struct timespec now;

	if (clock_gettime(CLOCK_BOOTTIME, &now) < 0)
		return -errno;
	*ret = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	return 0;
}

static void live_done(struct ta_host *h)
{
	ta_close(&live(h)->root);
	ta_close(&live(h)->listed);
	ta_close(&live(h)->ioctl_socket);
	ta_nl_close(&live(h)->netlink);
}

static const struct ta_host_ops live_ops = {
	.change = &ta_live_changes,
	.done = live_done,
	.read = live_read,
	.lines = live_lines,
	.list = live_list,
	.readlink = live_readlink,
	.links = ta_live_links,
	.exists = live_exists,
	.call = live_call,
	.tries = ta_live_tries,
	.netlink = live_netlink,
	.ethtool = ta_live_ethtool,
	.time = live_time,
	.uptime_ms = live_uptime_ms,
};

int ta_host_live(struct ta_host **ret, struct ta_err *err)
{
	struct ta_live *l = ta_host_new(sizeof(*l), &live_ops, true);

	if (!l)
		return ta_err_set(err, -ENOMEM, "out of memory");
	l->ioctl_socket = -1;
	l->listed = -1;
	l->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (l->root < 0) {
		int rc = -errno;

		free(l);
		return ta_err_set(err, rc, "cannot open /: %s", ta_errno_text(rc));
	}
	ta_live_links_init(l);
	*ret = &l->host;
	return 0;
}
