/*
 * Files of our own, for what has to be measured with a file: made in a directory, without a name there, so that nothing is left
 * behind however the run ends (open(2), O_TMPFILE; where a file system has none, a name that is gone at once).
 * Only pages of these files are ever dropped from the page cache.
 */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct ta_scratch_dir {
	int fd;
	char path[256];	     /* as given or chosen; may be cut */
	bool in_memory;	     /* tmpfs, ramfs: there is no disk, and nothing to drop */
	char kind[24];	     /* of file system: "ext4"; "0x…" where we have no word */
	uint64_t free_bytes; /* for this user (statvfs: f_bavail) */
	unsigned major, minor; /* of its device; major 0: the file system does not say */
};

#define TA_SCRATCH_DIR_INIT {.fd = -1}

/*
 * `path` NULL: the first of /var/tmp, /tmp and the working directory that is on a disk and can be written. 0, -errno, -ENODEV (all are
 * in memory), with the text.
 */
int ta_scratch_dir_open(const char *path, struct ta_scratch_dir *ret, struct ta_err *err);
void ta_scratch_dir_close(struct ta_scratch_dir *d);

/*
 * A file of `bytes` bytes that do not compress, on the disk (fdatasync). At most half of what is free is taken. `stop` set: -EINTR. The
 * caller closes *ret_fd, and with that it is gone.
 */
int ta_scratch_make(const struct ta_scratch_dir *d, uint64_t bytes, const volatile sig_atomic_t *stop, int *ret_fd,
	struct ta_err *err);

/*
 * Drops the file's pages and looks whether they are gone: *ret_left bytes of it are cached still (cachestat(2) since 6.5,
 * mincore(2) before). 0 or -errno.
 */
int ta_scratch_drop(int fd, uint64_t bytes, uint64_t *ret_left);
int ta_scratch_cached(int fd, uint64_t bytes, uint64_t *ret);

/* The same file past the page cache (O_DIRECT), for reading. A descriptor or -errno: -EINVAL where the file system cannot. */
int ta_scratch_direct(int fd);

/* Reads at `at`; what pread(2) says, -errno. */
long ta_scratch_read(int fd, void *ret, size_t len, uint64_t at);

/* The file's pages in memory, read-only, `bytes` of them; NULL: not to be had. */
void *ta_scratch_map(int fd, uint64_t bytes);
void ta_scratch_unmap(void *map, uint64_t bytes);
