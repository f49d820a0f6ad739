#include "host/state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "host/internal.h"

#define SUFFIX ".jsonl"
#define LOCK "lock"

struct ta_state {
	struct ta_host *host;
	char *dir;
	int fd;
	int lock;
	unsigned run; /* that `file` is, 0: none */
	int file;
	unsigned held_run; /* that `held` is, 0: none */
	int held;
};

struct name {
	char text[32];
};

static struct name name_of(unsigned run)
{
	struct name n;

	snprintf(n.text, sizeof(n.text), "%u" SUFFIX, run);
	return n;
}

static int fail(const struct ta_state *s, const char *name, int rc, struct ta_err *err)
{
	return ta_err_set(err, rc, "%s%s%s: %s", s->dir, *name ? "/" : "", name, ta_errno_text(rc));
}

/* Whoever else may write there decides what a later rollback does as root. */
static int check_owner(const struct ta_state *s, const char *name, const struct stat *st, struct ta_err *err)
{
	const char *slash = *name ? "/" : "";

	if (st->st_uid != geteuid() && st->st_uid != 0)
		return ta_err_set(err, -EKEYREJECTED, "%s%s%s belongs to user %u: what it says is not followed", s->dir, slash,
			name, (unsigned)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return ta_err_set(err, -EKEYREJECTED, "%s%s%s can be written by others: what it says is not followed", s->dir,
			slash, name);
	return 0;
}

/* Its own directory must be safe from a rename too; a sticky one (/tmp) is. */
static int check_parent(const struct ta_state *s, struct ta_err *err)
{
	struct stat st;

	if (fstatat(s->fd, "..", &st, 0) < 0)
		return fail(s, "..", -errno, err);
	if (st.st_mode & S_ISVTX)
		return 0;
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return ta_err_set(err, -EKEYREJECTED, "%s stands in a directory that others can write", s->dir);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return ta_err_set(err, -EKEYREJECTED, "%s stands in a directory of user %u, who may put another one in its place",
			s->dir, (unsigned)st.st_uid);
	return 0;
}

static int open_parent(const char *dir)
{
	char parent[4096];
	const char *slash = strrchr(dir, '/');

	if (snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - dir) : 1, slash ? dir : ".") >= (int)sizeof(parent))
		return -1;
	return open(*parent ? parent : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* On the disk before anything is written into it, or a power cut would take the journal with it. */
static int make_dir(const struct ta_state *s, struct ta_err *err)
{
	ta_cleanup_fd int parent = -1;

	if (mkdir(s->dir, 0700) < 0)
		return errno == EEXIST ? 0 : fail(s, "", -errno, err);
	parent = open_parent(s->dir);
	return parent < 0 || fsync(parent) < 0 ? fail(s, "", -errno, err) : 0;
}

static int open_dir(struct ta_state *s, bool make, struct ta_err *err)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	struct stat st;
	int rc;

	s->fd = open(s->dir, flags);
	if (s->fd < 0 && errno == ENOENT && make) {
		rc = make_dir(s, err);
		if (rc < 0)
			return rc;
		s->fd = open(s->dir, flags);
	}
	if (s->fd < 0 && lstat(s->dir, &st) == 0 && S_ISLNK(st.st_mode))
		return ta_err_set(err, -EKEYREJECTED, "%s is a link: give the directory itself", s->dir);
	if (s->fd < 0 || fstat(s->fd, &st) < 0)
		return fail(s, "", -errno, err);
	rc = check_owner(s, "", &st, err);
	return rc < 0 ? rc : check_parent(s, err);
}

static int open_file(const struct ta_state *s, const char *name, int flags, struct ta_err *err)
{
	struct stat st;
	int fd = openat(s->fd, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600), rc;

	if (fd < 0 && errno == ELOOP) {
		rc = ta_err_set(err, -EKEYREJECTED, "%s/%s is a link: what it leads to is not followed", s->dir, name);
	} else if (fd < 0 || fstat(fd, &st) < 0) {
		rc = fail(s, name, -errno, err);
	} else if (!S_ISREG(st.st_mode) || st.st_nlink != 1) {
		rc = ta_err_set(err, -EKEYREJECTED, "%s/%s is no file of ours", s->dir, name);
	} else {
		rc = check_owner(s, name, &st, err);
	}
	if (rc < 0)
		ta_close(&fd);
	return rc < 0 ? rc : fd;
}

static int take_lock(struct ta_state *s, int flags, struct ta_err *err)
{
	int rc;

	s->lock = open_file(s, LOCK, flags, err);
	if (s->lock < 0)
		return s->lock;
	if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
		return 0;
	rc = -errno;
	ta_close(&s->lock);
	if (rc == -EWOULDBLOCK)
		return ta_err_set(err, rc, "another run of tuneaudit is changing this host (%s/" LOCK " is held)", s->dir);
	return fail(s, LOCK, rc, err);
}

int ta_state_lock(struct ta_state *s, struct ta_err *err)
{
	int rc;

	if (s->lock >= 0)
		return 0;
	rc = take_lock(s, O_RDWR | O_CREAT, err);
	return rc < 0 && rc != -EWOULDBLOCK ? take_lock(s, O_RDONLY, err) : rc;
}

void ta_state_unlock(struct ta_state *s)
{
	ta_close(&s->lock);
}

int ta_state_open(struct ta_host *h, const char *dir, bool write, struct ta_state **ret, struct ta_err *err)
{
	struct ta_state *s = calloc(1, sizeof(*s));
	int rc = write ? ta_change_begin(h) : 0;

	if (!s)
		return ta_err_set(err, -ENOMEM, "out of memory");
	s->host = h;
	s->fd = s->lock = s->file = s->held = -1;
	s->dir = strdup(dir);
	if (!s->dir)
		rc = ta_err_set(err, -ENOMEM, "out of memory");
	else if (rc < 0)
		fail(s, "", rc, err);
	else
		rc = open_dir(s, write, err);
	if (rc == 0 && write)
		rc = take_lock(s, O_RDWR | O_CREAT, err);
	if (rc < 0)
		ta_state_close(s);
	else
		*ret = s;
	return rc;
}

struct holder {
	ino_t inode;
	int64_t pid;
};

/* "1: FLOCK  ADVISORY  WRITE 1234 fe:00:5678 0 EOF" (fs/locks.c: lock_get_status()). Devices have other numbers on some file systems. */
static int look_at_lock(const char *line, size_t len, void *ctx)
{
	ta_cleanup_strv struct ta_strv w = TA_STRV_INIT;
	struct holder *h = ctx;
	const char *inode;
	int64_t v;

	ta_strv_split(&w, line, " ");
	if (w.error || w.n < 6 || strcmp(w.v[1], "FLOCK") != 0 || strcmp(w.v[3], "WRITE") != 0)
		return w.error;
	inode = strrchr(w.v[5], ':');
	if (inode && ta_parse_i64(inode + 1, &v) == 0 && (ino_t)v == h->inode && ta_parse_i64(w.v[4], &v) == 0 && v > 0)
		h->pid = v;
	return 0;
}

int ta_state_holder(struct ta_state *s, int64_t *ret_pid)
{
	struct holder h = {0};
	struct stat st;
	int rc = fstatat(s->fd, LOCK, &st, AT_SYMLINK_NOFOLLOW) < 0 ? -errno : 0;

	if (rc < 0)
		return rc;
	h.inode = st.st_ino;
	rc = ta_host_lines(s->host, "/proc/locks", look_at_lock, &h);
	if (rc < 0 || !h.pid)
		return rc < 0 ? rc : -ESRCH;
	*ret_pid = h.pid;
	return 0;
}

bool ta_state_is_held(const struct ta_state *s)
{
	ta_cleanup_fd int fd = openat(s->fd, LOCK, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	return s->lock < 0 && fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

struct ta_state *ta_state_close(struct ta_state *s)
{
	if (s) {
		ta_close(&s->file);
		ta_close(&s->held);
		ta_close(&s->lock);
		ta_close(&s->fd);
		free(s->dir);
		free(s);
	}
	return NULL;
}

void ta_state_closep(struct ta_state **s)
{
	*s = ta_state_close(*s);
}

/* "7.jsonl": 7; other names: 0. */
static unsigned run_of(const char *name)
{
	size_t digits = strspn(name, "0123456789");
	char number[16];
	uint64_t v;

	if (!digits || digits >= sizeof(number) || *name == '0' || strcmp(name + digits, SUFFIX) != 0)
		return 0;
	memcpy(number, name, digits);
	number[digits] = '\0';
	return ta_parse_u64(number, &v) == 0 && v <= UINT32_MAX ? (unsigned)v : 0;
}

int ta_state_runs(struct ta_state *s, unsigned **ret, size_t *ret_n, struct ta_err *err)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	size_t n = 0;
	unsigned *v;
	int rc = lseek(s->fd, 0, SEEK_SET) < 0 ? -errno : ta_fd_names(s->fd, &names); /* in natural order */

	if (rc < 0)
		return fail(s, "", rc, err);
	v = calloc(names.n + 1, sizeof(*v));
	if (!v)
		return ta_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < names.n; i++)
		if (run_of(names.v[i]))
			v[n++] = run_of(names.v[i]);
	*ret = v;
	*ret_n = n;
	return 0;
}

static int read_held(struct ta_state *s, struct ta_buf *ret, struct ta_err *err)
{
	int rc = lseek(s->held, 0, SEEK_SET) < 0 ? -errno : ta_fd_read(s->held, TA_STATE_FILE_MAX, ret);

	return rc < 0 ? fail(s, name_of(s->held_run).text, rc, err) : 0;
}

int ta_state_read(struct ta_state *s, unsigned run, struct ta_buf *ret, struct ta_err *err)
{
	struct name name = name_of(run);
	ta_cleanup_fd int fd = -1;
	int rc;

	ta_buf_reset(ret);
	if (s->held_run == run)
		return read_held(s, ret, err);
	fd = open_file(s, name.text, O_RDONLY, err);
	rc = TA_MIN(fd, 0);
	if (rc < 0)
		return rc;
	rc = ta_fd_read(fd, TA_STATE_FILE_MAX, ret);
	return rc < 0 ? fail(s, name.text, rc, err) : 0;
}

static int open_run(struct ta_state *s, unsigned run, int flags, struct ta_err *err)
{
	int fd;

	if (s->run == run && !(flags & O_EXCL))
		return 0;
	fd = open_file(s, name_of(run).text, O_RDWR | O_APPEND | flags, err);
	if (fd < 0)
		return fd;
	ta_close(&s->file);
	s->file = fd;
	s->run = run;
	return 0;
}

int ta_state_hold(struct ta_state *s, unsigned run, struct ta_err *err)
{
	ta_close(&s->held);
	s->held = open_file(s, name_of(run).text, O_RDONLY, err);
	s->held_run = s->held < 0 ? 0 : run;
	return TA_MIN(s->held, 0);
}

int ta_state_new(struct ta_state *s, unsigned *ret_run, struct ta_err *err)
{
	unsigned *runs;
	size_t n;
	int rc = ta_change_begin(s->host);

	if (rc < 0)
		return fail(s, "", rc, err);
	rc = ta_state_runs(s, &runs, &n, err);
	if (rc < 0)
		return rc;
	*ret_run = n ? runs[n - 1] + 1 : 1; /* 0: the last number is taken */
	free(runs);
	if (n >= TA_STATE_RUNS_MAX || !*ret_run)
		return ta_err_set(err, -EFBIG, "%s holds %zu runs: move old ones away", s->dir, n);
	rc = open_run(s, *ret_run, O_CREAT | O_EXCL, err);
	if (rc == 0 && (fsync(s->file) < 0 || fsync(s->fd) < 0))
		rc = fail(s, name_of(*ret_run).text, -errno, err);
	return rc;
}

static int write_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t n = write(fd, data, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		data += n;
		len -= (size_t)n;
	}
	return 0;
}

int ta_state_append(struct ta_state *s, unsigned run, const char *line, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	off_t before;
	int rc = ta_change_begin(s->host);

	if (rc < 0)
		return fail(s, name_of(run).text, rc, err);
	rc = open_run(s, run, 0, err);
	if (rc < 0)
		return rc;
	before = lseek(s->file, 0, SEEK_END);
	ta_buf_adds(&text, line);
	ta_buf_addc(&text, '\n');
	rc = before < 0 ? -errno : text.error ?: write_all(s->file, text.data, text.len);
	if (rc == 0 && fsync(s->file) < 0)
		rc = -errno;
	if (rc == 0)
		return 0;
	/* If even that fails: a half line is known for what it is when it is read. */
	if (before >= 0)
		(void)!ftruncate(s->file, before);
	return fail(s, name_of(run).text, rc, err);
}

int ta_state_cut(struct ta_state *s, unsigned run, size_t size, struct ta_err *err)
{
	int rc = ta_change_begin(s->host);

	if (rc < 0)
		return fail(s, name_of(run).text, rc, err);
	rc = open_run(s, run, 0, err);
	if (rc < 0)
		return rc;
	if (ftruncate(s->file, (off_t)size) < 0 || fsync(s->file) < 0)
		return fail(s, name_of(run).text, -errno, err);
	return 0;
}
