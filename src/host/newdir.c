/*
 * Writing a directory that nobody sees half done.
 *
 * All work goes through descriptors, so that a rename of a parent meanwhile does no harm.
 * Durable: one syncfs() for the many small files, then the rename, then fsync() of the parent.
 */
#include "host/newdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "host/internal.h"

#define NAMES 100 /* leftovers of interrupted runs that had our process id */
#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

/* Splits "a/b/" into the directory "a" and the name "b". */
static int split(const char *path, char (*ret_dir)[PATH_MAX], char (*ret_name)[256])
{
	size_t len = strlen(path), from;

	while (len > 1 && path[len - 1] == '/')
		len--;
	from = len;
	while (from && path[from - 1] != '/')
		from--;
	if (len - from == 0 || len - from >= sizeof(*ret_name) || from >= sizeof(*ret_dir))
		return len - from == 0 ? -EINVAL : -ENAMETOOLONG;
	memcpy(*ret_name, path + from, len - from);
	(*ret_name)[len - from] = '\0';
	memcpy(*ret_dir, path, from);
	(*ret_dir)[from] = '\0';
	if (!from)
		memcpy(*ret_dir, ".", 2);
	return strcmp(*ret_name, ".") && strcmp(*ret_name, "..") ? 0 : -EINVAL;
}

/* 0: the name is free or an empty directory. */
static int check_place(int parent, const char *name)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int fd = openat(parent, name, OPEN_DIR | O_NOFOLLOW), rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : errno == ELOOP ? -ENOTDIR : -errno;
	rc = ta_fd_list(fd, &names);
	if (rc < 0)
		return rc;
	return names.n ? -ENOTEMPTY : 0;
}

static int make_temporary(struct ta_newdir *d)
{
	for (int i = 0; i < NAMES; i++) {
		snprintf(d->temporary, sizeof(d->temporary), ".%.200s.part-%d-%d", d->name, (int)getpid(), i);
		if (mkdirat(d->parent, d->temporary, 0700) == 0) {
			int rc;

			d->fd = openat(d->parent, d->temporary, OPEN_DIR | O_NOFOLLOW);
			rc = d->fd < 0 ? -errno : 0;
			/* Held as long as we live: a sign for remove_stale(). Not every file system has locks. */
			if (d->fd >= 0)
				(void)flock(d->fd, LOCK_EX | LOCK_NB);
			if (rc < 0)
				unlinkat(d->parent, d->temporary, AT_REMOVEDIR);
			return rc;
		}
		if (errno != EEXIST)
			break;
	}
	return -errno;
}

/* Removes the files in `path`. True: `ret` is a directory in it, "path/name", that is still there. */
static bool remove_files(int parent, const char *path, char (*ret)[PATH_MAX])
{
	int fd = openat(parent, path, OPEN_DIR | O_NOFOLLOW);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	bool found = false;

	if (!dir) {
		ta_close(&fd);
		return false;
	}
	while (!found && (e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd(dir), e->d_name, 0) < 0)
			found = snprintf(*ret, sizeof(*ret), "%s/%s", path, e->d_name) < (int)sizeof(*ret);
	}
	closedir(dir);
	return found;
}

/*
 * Removes `name` and what is in it. Only what we made is there: no links are followed. One descriptor at a time,
 * however deep: that there are no more may be why we are here.
 */
static void remove_tree(int parent, const char *name)
{
	char path[PATH_MAX], below[PATH_MAX];

	snprintf(path, sizeof(path), "%s", name);
	for (;;) {
		if (remove_files(parent, path, &below)) {
			memcpy(path, below, sizeof(path));
			continue;
		}
		if (unlinkat(parent, path, AT_REMOVEDIR) < 0 || strcmp(path, name) == 0)
			return;
		*strrchr(path, '/') = '\0';
	}
}

/* The process id in ".NAME.part-PID-N"; 0: another name. */
static pid_t part_owner(const char *file, const char *name)
{
	char prefix[256], number[16];
	uint64_t pid;
	int len = snprintf(prefix, sizeof(prefix), ".%.200s.part-", name);
	size_t n;

	if (strncmp(file, prefix, (size_t)len) != 0)
		return 0;
	n = strcspn(file + len, "-");
	if (file[len + (int)n] != '-' || n >= sizeof(number))
		return 0;
	memcpy(number, file + len, n);
	number[n] = '\0';
	return ta_parse_u64(number, &pid) < 0 || pid > INT_MAX ? 0 : (pid_t)pid;
}

/*
 * What earlier runs to the same place left that were killed: their process is gone, nobody holds the lock (a
 * process id of another PID namespace says nothing), and the directory is the caller's own.
 */
static void remove_stale(const struct ta_newdir *d)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	int here = openat(d->parent, ".", OPEN_DIR); /* the listing closes it */

	if (here < 0 || ta_fd_list(here, &names) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		pid_t pid = part_owner(names.v[i], d->name);
		ta_cleanup_fd int fd = -1;
		struct stat st;

		if (pid <= 0 || kill(pid, 0) == 0 || errno != ESRCH)
			continue;
		fd = openat(d->parent, names.v[i], OPEN_DIR | O_NOFOLLOW);
		if (fd >= 0 && fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700 &&
			flock(fd, LOCK_EX | LOCK_NB) == 0)
			remove_tree(d->parent, names.v[i]);
	}
}

int ta_newdir_make(const char *path, struct ta_newdir *ret, struct ta_err *err)
{
	struct ta_newdir d = TA_NEWDIR_INIT;
	char dir[PATH_MAX];
	int rc = split(path, &dir, &d.name);

	if (rc < 0)
		return ta_err_set(err, rc, "\"%s\" cannot be the name of a new directory", path);
	snprintf(d.given, sizeof(d.given), "%s", path);
	d.parent = open(dir, OPEN_DIR);
	if (d.parent < 0)
		return ta_err_set(err, -errno, "cannot open the directory %s: %s", dir, ta_errno_text(-errno));
	rc = check_place(d.parent, d.name);
	if (rc == -ENOTEMPTY) {
		ta_err_set(err, rc, "%s is not empty; give the name of a new directory", path);
	} else if (rc < 0) {
		ta_err_set(err, rc, "%s: %s", path, ta_errno_text(rc));
	} else {
		remove_stale(&d);
		rc = make_temporary(&d);
		if (rc < 0)
			ta_err_set(err, rc, "cannot make a directory in %s: %s", dir, ta_errno_text(rc));
	}
	if (rc < 0) {
		ta_close(&d.parent);
		return rc;
	}
	*ret = d;
	return 0;
}

static int make_parents(int root, const char *path)
{
	char dir[PATH_MAX];

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		size_t n = (size_t)(slash - path);

		if (n >= sizeof(dir))
			return -ENAMETOOLONG;
		memcpy(dir, path, n);
		dir[n] = '\0';
		if (mkdirat(root, dir, 0700) < 0 && errno != EEXIST)
			return -errno;
	}
	return 0;
}

static int create(int root, const char *path)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(root, path, flags, 0600), rc;

	if (fd < 0 && errno == ENOENT) {
		rc = make_parents(root, path);
		if (rc < 0)
			return rc;
		fd = openat(root, path, flags, 0600);
	}
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int ta_newdir_write(struct ta_newdir *d, const char *path, const void *data, size_t len)
{
	int fd = create(d->fd, path + 1), rc;

	if (fd < 0)
		return fd;
	rc = write_all(fd, data, len);
	if (close(fd) < 0 && rc == 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(d->fd, path + 1, 0);
	return rc;
}

void ta_newdir_drop(struct ta_newdir *d)
{
	bool made = d->fd >= 0;

	ta_close(&d->fd);
	if (made)
		remove_tree(d->parent, d->temporary);
	ta_close(&d->parent);
}

int ta_newdir_finish(struct ta_newdir *d, struct ta_err *err)
{
	int rc = 0;

	if (syncfs(d->fd) < 0 || renameat(d->parent, d->temporary, d->parent, d->name) < 0)
		rc = -errno;
	if (rc < 0) {
		ta_newdir_drop(d);
		return ta_err_set(err, rc, "cannot finish %s: %s", d->given, ta_errno_text(rc));
	}
	if (fsync(d->parent) < 0)
		rc = ta_err_set(err, -errno, "cannot finish %s: %s", d->given, ta_errno_text(-errno));
	ta_close(&d->fd);
	ta_close(&d->parent);
	return rc;
}
