/*
 * A file is replaced as a whole: readers and the next start see the old one or the new one, never a part.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/system.h"

static int write_fd(int fd, const void *data, size_t len)
{
	int rc = ta_system_write(fd, data, len);

	/* What cannot be synced (a pipe) has no disk to be on. */
	if (rc == 0 && fsync(fd) < 0 && errno != EINVAL && errno != EROFS && errno != ENOTSUP)
		rc = -errno;
	return rc;
}

static int write_directly(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = write_fd(fd, data, len);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

/* `old` NULL: there is none; else its owner and mode are kept as far as we may. */
static int write_beside(const char *beside, const struct stat *old, const void *data, size_t len)
{
	int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666), rc;

	if (fd < 0)
		return -errno;
	rc = write_fd(fd, data, len);
	if (rc == 0 && old && fchown(fd, old->st_uid, old->st_gid) < 0 && errno != EPERM)
		rc = -errno;
	if (rc == 0 && old && fchmod(fd, old->st_mode & 07777) < 0)
		rc = -errno;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

static void sync_parent(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int replace(const char *path, const struct stat *old, const void *data, size_t len)
{
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT, beside = TA_BUF_INIT;
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	int rc;

	ta_buf_add(&dir, path, (size_t)(name - path));
	ta_buf_printf(&beside, "%s.%.200s.part-%ld", ta_buf_text(&dir), name, (long)getpid());
	ta_buf_adds(&dir, ".");
	if (dir.error || beside.error)
		return -ENOMEM;
	rc = write_beside(beside.data, old, data, len);
	if (rc == 0 && rename(beside.data, path) < 0)
		rc = -errno;
	if (rc == 0)
		sync_parent(dir.data);
	else if (rc != -EEXIST)
		unlink(beside.data);
	return rc;
}

/* Behind a link it is the file that is replaced, not the link. */
static int replace_any(const char *path, const void *data, size_t len)
{
	char *real;
	struct stat st;
	int rc;

	if (stat(path, &st) < 0)
		return errno == ENOENT ? replace(path, NULL, data, len) : -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return write_directly(path, data, len);
	real = realpath(path, NULL);
	if (!real)
		return -errno;
	rc = replace(real, &st, data, len);
	free(real);
	return rc;
}

int ta_system_replace_file(const char *path, const void *data, size_t len, struct ta_err *err)
{
	sigset_t all, before;
	int rc;

	/* A signal in the middle would leave the hidden file behind; it is a blink. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	rc = replace_any(path, data, len);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc < 0 ? ta_err_set(err, rc, "%s: %s", path, strerror(-rc)) : 0;
}
