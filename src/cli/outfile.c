#include "cli/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/system.h"

static void free_text(char **text)
{
	free(*text);
}

static void split(const char *path, struct ta_buf *dir, struct ta_buf *name)
{
	const char *slash = strrchr(path, '/');

	if (slash)
		ta_buf_add(dir, path, (size_t)TA_MAX(slash - path, (ptrdiff_t)1));
	else
		ta_buf_addc(dir, '.');
	ta_buf_adds(name, slash ? slash + 1 : path);
}

static int write_whole(int fd, const struct ta_buf *text, const struct stat *old)
{
	int rc = ta_system_write(fd, ta_buf_text(text), text->len);

	if (rc == 0 && old && fchmod(fd, old->st_mode & 0777) < 0)
		rc = -errno;
	/* A disk that is full may say so only now. */
	if (rc == 0 && fsync(fd) < 0)
		rc = -errno;
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

static int write_beside(const char *path, const struct ta_buf *text, const struct stat *old)
{
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT, name = TA_BUF_INIT, beside = TA_BUF_INIT;
	int at, fd, rc;

	split(path, &dir, &name);
	ta_buf_printf(&beside, ".%.200s.%ld", ta_buf_text(&name), (long)getpid());
	if (dir.error || name.error || beside.error)
		return -ENOMEM;
	at = open(dir.data, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (at < 0)
		return -errno;
	fd = openat(at, beside.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
	rc = fd < 0 ? -errno : write_whole(fd, text, old);
	if (rc == 0 && renameat(at, beside.data, at, name.data) < 0)
		rc = -errno;
	if (rc < 0 && fd >= 0)
		unlinkat(at, beside.data, 0);
	/* Some file systems cannot; the file is there all the same. */
	if (rc == 0)
		(void)!fsync(at);
	close(at);
	return rc;
}

static int write_through(const char *path, const struct ta_buf *text)
{
	int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC), rc;

	if (fd < 0)
		return -errno;
	rc = ta_system_write(fd, ta_buf_text(text), text->len);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	return rc;
}

int ta_outfile_write(const char *path, const struct ta_buf *text, struct ta_err *err)
{
	ta_cleanup(free_text) char *behind = NULL;
	struct stat st;
	bool there = stat(path, &st) == 0;
	int rc;

	if (there && !S_ISREG(st.st_mode)) {
		rc = S_ISDIR(st.st_mode) ? -EISDIR : write_through(path, text);
	} else {
		behind = there ? realpath(path, NULL) : NULL;
		rc = there && !behind ? -errno : write_beside(behind ? behind : path, text, there ? &st : NULL);
	}
	return rc < 0 ? ta_err_set(err, rc, "%s: %s; it was not written", path, ta_errno_text(rc)) : 0;
}
