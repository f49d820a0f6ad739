/*
 * The disk under a directory, read from one end to the other: past the page cache, and through it when it has nothing of the
 * file. And what reading the clock costs. The file is as large as this disk writes in the time that there is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "host/scratch.h"
#include "load/floor.h"
#include "load/load.h"

#define FIRST (8ull << 20)
#define MOST (256ull << 20)
#define PIECE (1u << 20)
#define DIRECT_PIECE (4u << 20) /* there is no read-ahead: the disk gets its parts of it at once */

static void find_device(struct ta_host *h, const struct ta_scratch_dir *d, struct ta_floor_disk *ret)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	char path[64];
	const char *name;

	snprintf(ret->dir, sizeof(ret->dir), "%s", d->path);
	snprintf(ret->kind, sizeof(ret->kind), "%s", d->kind);
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u", d->major, d->minor);
	if (!d->major || ta_host_readlink(h, path, &link) < 0)
		return;
	name = strrchr(ta_buf_text(&link), '/');
	if (name)
		snprintf(ret->device, sizeof(ret->device), "%s", name + 1);
}

/* A small file first; how long that took says how large the one to measure may be. */
static int make_file(const struct ta_scratch_dir *d, uint64_t budget_ns, const volatile sig_atomic_t *stop, int *ret_fd,
	uint64_t *ret_bytes, struct ta_err *err)
{
	uint64_t begin = ta_load_now(), took, bytes;
	int rc = ta_scratch_make(d, FIRST, stop, ret_fd, err);

	if (rc < 0)
		return rc;
	took = TA_MAX(ta_load_now() - begin, 1u);
	bytes = (uint64_t)((double)FIRST * (double)budget_ns / (double)took) / PIECE * PIECE;
	bytes = TA_MIN(TA_MIN(bytes, MOST), d->free_bytes / 4 / PIECE * PIECE);
	*ret_bytes = FIRST;
	if (bytes < 2 * FIRST)
		return 0;
	close(*ret_fd);
	*ret_bytes = bytes;
	return ta_scratch_make(d, bytes, stop, ret_fd, err);
}

/* Bytes per second over the file, or as much of it as the time allows. */
static int read_through(int fd, uint64_t bytes, size_t piece_bytes, uint64_t for_ns, const volatile sig_atomic_t *stop, double *ret)
{
	void *piece = aligned_alloc(4096, piece_bytes);
	uint64_t begin = ta_load_now(), now = begin, at = 0;
	int rc = piece ? 0 : -ENOMEM;

	while (rc == 0 && at < bytes && now < begin + for_ns) {
		long n = ta_scratch_read(fd, piece, piece_bytes, at);

		now = ta_load_now();
		rc = n < 0 ? (int)n : n == 0 ? -EIO : *stop ? -EINTR : 0;
		at += n > 0 ? (uint64_t)n : 0;
	}
	free(piece);
	if (rc == 0)
		*ret = (double)at * 1e9 / (double)TA_MAX(now - begin, 1u);
	return rc;
}

static int measure(int fd, uint64_t bytes, uint64_t for_ns, const volatile sig_atomic_t *stop, struct ta_floor_disk *ret)
{
	uint64_t left;
	int rc = ta_scratch_drop(fd, bytes, &left), direct;

	if (rc == 0 && !left)
		rc = read_through(fd, bytes, PIECE, for_ns, stop, &ret->cold);
	if (rc < 0)
		return rc;
	direct = ta_scratch_direct(fd);
	if (direct < 0)
		return 0;
	/* Some file systems take the flag and refuse the read. */
	rc = read_through(direct, bytes, DIRECT_PIECE, for_ns, stop, &ret->direct);
	close(direct);
	return rc == -EINVAL ? 0 : rc;
}

int ta_floor_disk(struct ta_host *h, const char *dir, uint64_t budget_ns, const volatile sig_atomic_t *stop,
	struct ta_floor_disk *ret, struct ta_err *err)
{
	struct ta_scratch_dir d = TA_SCRATCH_DIR_INIT;
	int fd = -1, rc = ta_scratch_dir_open(dir, &d, err);

	if (rc < 0)
		return rc;
	*ret = (struct ta_floor_disk){0};
	find_device(h, &d, ret);
	if (d.in_memory)
		rc = ta_err_set(err, -ENODEV, "%s is in memory (%s): there is no disk to read", d.path, d.kind);
	if (rc == 0)
		rc = make_file(&d, budget_ns / 2, stop, &fd, &ret->bytes, err);
	if (rc == 0) {
		rc = measure(fd, ret->bytes, budget_ns / 4, stop, ret);
		if (rc < 0)
			ta_err_set(err, rc, "reading a file in %s: %s", d.path, ta_errno_text(rc));
		close(fd);
	}
	ta_scratch_dir_close(&d);
	return rc;
}

/* --- the clock ------------------------------------------------------------------ */

#define READS 200
#define BATCHES 25

/* The best of some batches, ns for one. */
static double time_reads(bool by_call)
{
	uint64_t best = UINT64_MAX;

	for (unsigned i = 0; i < BATCHES; i++) {
		uint64_t begin = ta_load_now();
		struct timespec t;

		for (unsigned k = 0; k < READS; k++) {
			if (by_call)
				syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
			else
				clock_gettime(CLOCK_MONOTONIC, &t);
		}
		best = TA_MIN(best, ta_load_now() - begin);
	}
	return (double)best / READS;
}

int ta_floor_clock(struct ta_host *h, struct ta_floor_clock *ret, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	*ret = (struct ta_floor_clock){.read_ns = time_reads(false), .call_ns = time_reads(true)};
	/* Without the vDSO the library makes the same system call, and takes no less for it. */
	ret->vdso = ret->read_ns < ret->call_ns * 0.9;
	if (ta_host_read(h, "/sys/devices/system/clocksource/clocksource0/current_clocksource", TA_READ_CAP, &text) == 0) {
		ta_buf_rtrim(&text);
		snprintf(ret->source, sizeof(ret->source), "%s", ta_buf_text(&text));
	}
	return 0;
}
