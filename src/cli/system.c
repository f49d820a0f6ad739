#include "cli/system.h"

#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "report/text.h"

#define COLUMNS_DEFAULT 80
#define COLUMNS_PROSE 100 /* wider lines are hard to read; who wants them sets COLUMNS */
#define COLUMNS_MAX 1000

void ta_system_keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
	mallopt(M_MMAP_THRESHOLD, 64 << 20);
	mallopt(M_TOP_PAD, 1 << 20);
#endif
}

void ta_system_hold_descriptors(void)
{
	/* Lowest first: open() takes the lowest free number. */
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY);
}

unsigned ta_system_columns(void)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	int64_t v;

	if (text && ta_parse_i64(text, &v) == 0 && v > 0)
		return (unsigned)TA_MIN(TA_MAX(v, (int64_t)TA_COLUMNS_MIN), (int64_t)COLUMNS_MAX);
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return TA_MIN(TA_MAX((unsigned)size.ws_col, (unsigned)TA_COLUMNS_MIN),
			(unsigned)COLUMNS_PROSE);
	return COLUMNS_DEFAULT;
}

bool ta_system_color(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return !(no && *no) && term && *term && strcmp(term, "dumb") != 0 && isatty(STDOUT_FILENO);
}

bool ta_system_unicode(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
	const char *locale = NULL;

	for (size_t i = 0; i < TA_ARRAY_SIZE(names) && !(locale && *locale); i++)
		locale = getenv(names[i]);
	return locale && (strcasestr(locale, "UTF-8") || strcasestr(locale, "utf8")) && isatty(STDOUT_FILENO);
}

int ta_system_write(int fd, const void *data, size_t len)
{
	const char *s = data;

	while (len) {
		ssize_t n = write(fd, s, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		s += n;
		len -= (size_t)n;
	}
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static bool only_root_writes(const struct stat *st)
{
	return st->st_uid == 0 && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static bool is_trusted(const char *path, const struct stat *file)
{
	ta_cleanup_buf struct ta_buf dir = TA_BUF_INIT;
	const char *slash = strrchr(path, '/');
	struct stat st;

	/* Behind a link stands a directory that nobody looked at. */
	if (!only_root_writes(file) || lstat(path, &st) < 0 || S_ISLNK(st.st_mode))
		return false;
	if (slash)
		ta_buf_add(&dir, path, (size_t)TA_MAX(slash - path, (ptrdiff_t)1));
	else
		ta_buf_addc(&dir, '.');
	return !dir.error && stat(dir.data, &st) == 0 && only_root_writes(&st);
}

int ta_system_read_file(
	const char *path, size_t cap, struct ta_buf *ret, bool *ret_trusted, struct ta_err *err)
{
	ta_cleanup(close_fd) int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return ta_err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return ta_err_set(err, -EBADMSG, "%s: not a regular file", path);
	ta_buf_reset(ret);
	for (;;) {
		ssize_t n;

		if (ta_buf_reserve(ret, 16384) < 0)
			return ta_err_set(err, ret->error, "%s: out of memory", path);
		n = read(fd, ret->data + ret->len, 16384);
		if (n < 0)
			return ta_err_set(err, -errno, "%s: %s", path, strerror(errno));
		if (n == 0)
			break;
		ret->len += (size_t)n;
		ret->data[ret->len] = '\0';
		if (ret->len > cap)
			return ta_err_set(err, -EFBIG, "%s: larger than %zu KB", path, cap >> 10);
	}
	*ret_trusted = is_trusted(path, &st);
	return 0;
}

static void close_dir(DIR **d)
{
	if (*d)
		closedir(*d);
}

int ta_system_list(const char *dir, const char *suffix, struct ta_strv *ret, struct ta_err *err)
{
	ta_cleanup(close_dir) DIR *d = opendir(dir);
	struct dirent *e;

	if (!d)
		return ta_err_set(err, -errno, "%s: %s", dir, strerror(errno));
	while (errno = 0, (e = readdir(d))) {
		size_t len = strlen(e->d_name), end = strlen(suffix);

		if (e->d_name[0] != '.' && len > end && strcmp(e->d_name + len - end, suffix) == 0)
			ta_strv_add(ret, e->d_name);
	}
	if (errno || ret->error)
		return ta_err_set(err, errno ? -errno : ret->error, "%s: %s", dir,
			strerror(errno ? errno : ENOMEM));
	ta_strv_sort(ret);
	return 0;
}
