#include "host/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/macros.h"

#define PIECE (1u << 20)
#define DROPS 12

/* linux/mman.h since 6.5 */
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif

struct cache_range {
	uint64_t from, len;
};

struct cache_state {
	uint64_t cached, dirty, writeback, evicted, recently_evicted; /* pages */
};

/* linux/magic.h */
static const struct {
	unsigned magic;
	const char *name;
	bool in_memory;
} kinds[] = {
	{0x01021994, "tmpfs", true}, {0x858458f6, "ramfs", true}, {0xef53, "ext4", false}, {0x58465342, "xfs", false},
	{0x9123683e, "btrfs", false}, {0xf2f52010, "f2fs", false}, {0x794c7630, "overlayfs", false},
	{0x2fc12fc1, "zfs", false}, {0x6969, "nfs", false}, {0x01021997, "9p", false}, {0x65735546, "fuse", false},
	{0x4d44, "vfat", false}, {0xca451a4e, "bcachefs", false},
};

static void name_kind(unsigned magic, struct ta_scratch_dir *d)
{
	snprintf(d->kind, sizeof(d->kind), "%#x", magic);
	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++) {
		if (kinds[i].magic != magic)
			continue;
		snprintf(d->kind, sizeof(d->kind), "%s", kinds[i].name);
		d->in_memory = kinds[i].in_memory;
	}
}

static int look_at(struct ta_scratch_dir *d)
{
	struct statfs fs;
	struct statvfs space;
	struct stat st;

	if (fstatfs(d->fd, &fs) < 0 || fstatvfs(d->fd, &space) < 0 || fstat(d->fd, &st) < 0)
		return -errno;
	name_kind((unsigned)fs.f_type, d);
	d->free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	d->major = major(st.st_dev);
	d->minor = minor(st.st_dev);
	return 0;
}

/* A file without a name; -errno. */
static int make_unnamed(const struct ta_scratch_dir *d)
{
	char name[48];
	uint64_t number;
	int fd = openat(d->fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd >= 0 ? fd : -errno;
	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -EIO;
	snprintf(name, sizeof(name), ".tuneaudit-%016" PRIx64, number);
	fd = openat(d->fd, name, O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (unlinkat(d->fd, name, 0) == 0)
		return fd;
	number = (uint64_t)errno;
	close(fd);
	return -(int)number;
}

static int open_dir(const char *path, struct ta_scratch_dir *ret)
{
	int rc, fd;

	*ret = (struct ta_scratch_dir){.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
	if (ret->fd < 0)
		return -errno;
	snprintf(ret->path, sizeof(ret->path), "%s", path);
	rc = look_at(ret);
	if (rc == 0) {
		fd = make_unnamed(ret);
		rc = fd < 0 ? fd : 0;
		if (fd >= 0)
			close(fd);
	}
	if (rc < 0)
		ta_scratch_dir_close(ret);
	return rc;
}

int ta_scratch_dir_open(const char *path, struct ta_scratch_dir *ret, struct ta_err *err)
{
	static const char *const places[] = {"/var/tmp", "/tmp", "."};
	int rc;

	if (path) {
		rc = open_dir(path, ret);
		return rc < 0 ? ta_err_set(err, rc, "no file can be made in %.200s: %s", path, ta_errno_text(rc)) : 0;
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(places); i++) {
		if (open_dir(places[i], ret) < 0)
			continue;
		if (!ret->in_memory)
			return 0;
		ta_scratch_dir_close(ret);
	}
	return ta_err_set(err, -ENODEV, "no directory on a disk can be written: not /var/tmp, /tmp nor the working directory; name one with --dir");
}

void ta_scratch_dir_close(struct ta_scratch_dir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	d->fd = -1;
}

/* Bytes that neither compress nor repeat: a disk that does such things must not look faster than it is. */
static void fill(uint64_t *words, size_t n, uint64_t *seed)
{
	for (size_t i = 0; i < n; i++) {
		*seed ^= *seed << 13;
		*seed ^= *seed >> 7;
		*seed ^= *seed << 17;
		words[i] = *seed;
	}
}

static int write_file(int fd, uint64_t bytes, const volatile sig_atomic_t *stop)
{
	uint64_t *piece = malloc(PIECE), seed = 88172645463325252u + bytes;
	int rc = piece ? 0 : -ENOMEM;

	for (uint64_t at = 0; at < bytes && rc == 0;) {
		size_t len = (size_t)TA_MIN(bytes - at, (uint64_t)PIECE);
		ssize_t n;

		fill(piece, PIECE / sizeof(*piece), &seed);
		n = pwrite(fd, piece, len, (off_t)at);
		if (n < 0 && errno != EINTR)
			rc = -errno;
		if (n > 0)
			at += (uint64_t)n;
		if (rc == 0 && stop && *stop)
			rc = -EINTR;
	}
	free(piece);
	if (rc == 0 && fdatasync(fd) < 0)
		rc = -errno;
	return rc;
}

int ta_scratch_make(const struct ta_scratch_dir *d, uint64_t bytes, const volatile sig_atomic_t *stop, int *ret_fd,
	struct ta_err *err)
{
	int fd, rc;

	if (bytes > d->free_bytes / 2)
		return ta_err_set(err, -ENOSPC, "a file of %" PRIu64 " MiB is more than half of the %" PRIu64 " MiB that are free in %s",
			bytes >> 20, d->free_bytes >> 20, d->path);
	fd = make_unnamed(d);
	if (fd < 0)
		return ta_err_set(err, fd, "no file can be made in %s: %s", d->path, ta_errno_text(fd));
	/* So that a full disk is known before it is full. Where it cannot be asked for, writing will tell. */
	rc = fallocate(fd, 0, 0, (off_t)bytes) < 0 && (errno == ENOSPC || errno == EDQUOT || errno == EFBIG) ? -errno : 0;
	if (rc == 0)
		rc = write_file(fd, bytes, stop);
	if (rc < 0) {
		close(fd);
		return ta_err_set(err, rc, "a file of %" PRIu64 " bytes in %s: %s", bytes, d->path,
			rc == -EINTR ? "stopped" : ta_errno_text(rc));
	}
	*ret_fd = fd;
	return 0;
}

/* mincore(2), in windows, so that a large file takes little memory. */
static int count_by_mincore(int fd, uint64_t bytes, uint64_t *ret)
{
	enum { PAGES = 4096 };
	uint64_t page = (uint64_t)getpagesize(), cached = 0;

	for (uint64_t at = 0; at < bytes; at += page * PAGES) {
		size_t len = (size_t)TA_MIN(page * PAGES, bytes - at), n = (len + page - 1) / page;
		unsigned char in[PAGES];
		void *map = mmap(NULL, len, PROT_READ, MAP_SHARED, fd, (off_t)at);
		int rc;

		if (map == MAP_FAILED)
			return -errno;
		rc = mincore(map, len, in) < 0 ? -errno : 0;
		munmap(map, len);
		if (rc < 0)
			return rc;
		for (size_t i = 0; i < n; i++)
			cached += in[i] & 1;
	}
	*ret = TA_MIN(cached * page, bytes);
	return 0;
}

int ta_scratch_cached(int fd, uint64_t bytes, uint64_t *ret)
{
	struct cache_range all = {.len = bytes};
	struct cache_state state;

	if (syscall(SYS_cachestat, fd, &all, &state, 0) < 0)
		return count_by_mincore(fd, bytes, ret);
	*ret = TA_MIN(state.cached * (uint64_t)getpagesize(), bytes);
	return 0;
}

/*
 * A page that another CPU has just touched is held by that CPU's list for a moment, one that was sent until that is acknowledged:
 * asked again, after 1, 2, 4 … ms, 2 s in all, it goes.
 */
int ta_scratch_drop(int fd, uint64_t bytes, uint64_t *ret_left)
{
	for (unsigned i = 0; i < DROPS; i++) {
		int rc = -posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);

		if (rc == 0)
			rc = ta_scratch_cached(fd, bytes, ret_left);
		if (rc < 0 || !*ret_left)
			return rc;
		fdatasync(fd);
		usleep(TA_MIN(1000u << i, 500000u));
	}
	return 0;
}

int ta_scratch_direct(int fd)
{
	char path[40];
	int direct;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	return direct < 0 ? -errno : direct;
}

long ta_scratch_read(int fd, void *ret, size_t len, uint64_t at)
{
	ssize_t n = pread(fd, ret, len, (off_t)at);

	return n < 0 ? -errno : n;
}

void *ta_scratch_map(int fd, uint64_t bytes)
{
	void *map = mmap(NULL, (size_t)bytes, PROT_READ, MAP_SHARED, fd, 0);

	return map == MAP_FAILED ? NULL : map;
}

void ta_scratch_unmap(void *map, uint64_t bytes)
{
	munmap(map, (size_t)bytes);
}
