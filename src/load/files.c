#include "load/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/macros.h"

static const struct {
	const char *name, *label;
} ways[] = {
	[TA_FILE_READ_WRITE] = {"read-write", "read + write"},
	[TA_FILE_SENDFILE] = {"sendfile", "sendfile"},
	[TA_FILE_SPLICE] = {"splice", "splice"},
	[TA_FILE_ZEROCOPY] = {"zerocopy", "MSG_ZEROCOPY"},
	[TA_FILE_SEND_ZC] = {"send-zc", "io_uring send-zc"},
};

const char *ta_file_way_name(enum ta_file_way way)
{
	return ways[way].name;
}

const char *ta_file_way_label(enum ta_file_way way)
{
	return ways[way].label;
}

void ta_files_init(struct ta_files *f, const char *dir)
{
	*f = (struct ta_files){.dir = dir, .place = TA_SCRATCH_DIR_INIT, .large.fd = -1};
	pthread_rwlock_init(&f->lock, NULL);
	pthread_mutex_init(&f->map_lock, NULL);
}

/* A page that is mapped is not dropped from the cache. */
static void unmap(struct ta_file *file)
{
	if (file->map)
		ta_scratch_unmap(file->map, file->bytes);
	file->map = NULL;
}

static void forget(struct ta_file *file)
{
	unmap(file);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct ta_file){.fd = -1};
}

static void clear(struct ta_files *f)
{
	forget(&f->large);
	for (unsigned i = 0; i < f->n_small; i++)
		forget(&f->small[i]);
	free(f->small);
	f->small = NULL;
	f->n_small = 0;
	ta_scratch_dir_close(&f->place);
	for (unsigned way = 0; way < TA_FILE_WAYS; way++)
		f->counts[way].sends = f->counts[way].copied = f->counts[way].direct = 0;
}

void ta_files_done(struct ta_files *f)
{
	clear(f);
	pthread_rwlock_destroy(&f->lock);
	pthread_mutex_destroy(&f->map_lock);
}

static int make_all(struct ta_files *f, uint64_t large_bytes, unsigned n_small, uint64_t small_bytes, struct ta_err *err)
{
	int rc = ta_scratch_dir_open(f->dir, &f->place, err);

	if (rc == 0 && large_bytes + n_small * small_bytes > f->place.free_bytes / 2)
		rc = ta_err_set(err, -ENOSPC, "the files would take more than half of the %llu MiB that are free in %s",
			(unsigned long long)(f->place.free_bytes >> 20), f->place.path);
	if (rc == 0)
		rc = ta_scratch_make(&f->place, large_bytes, NULL, &f->large.fd, err);
	if (rc < 0)
		return rc;
	f->large.bytes = large_bytes;
	f->small = calloc(TA_MAX(n_small, 1u), sizeof(*f->small));
	if (!f->small)
		return ta_err_set(err, -ENOMEM, "out of memory");
	for (; f->n_small < n_small && rc == 0; f->n_small++) {
		struct ta_file *file = &f->small[f->n_small];

		*file = (struct ta_file){.fd = -1, .bytes = small_bytes};
		rc = ta_scratch_make(&f->place, small_bytes, NULL, &file->fd, err);
	}
	return rc;
}

int ta_files_make(struct ta_files *f, uint64_t large_bytes, unsigned n_small, uint64_t small_bytes, struct ta_err *err)
{
	int rc;

	if (!large_bytes || large_bytes > TA_FILES_LARGE_MAX || n_small > TA_FILES_MAX || !small_bytes ||
		small_bytes > TA_FILES_SMALL_MAX)
		return ta_err_set(err, -EINVAL, "at most %llu MiB, and %u files of %llu KiB", TA_FILES_LARGE_MAX >> 20, TA_FILES_MAX,
			TA_FILES_SMALL_MAX >> 10);
	pthread_rwlock_wrlock(&f->lock);
	clear(f);
	rc = make_all(f, large_bytes, n_small, small_bytes, err);
	if (rc < 0)
		clear(f);
	pthread_rwlock_unlock(&f->lock);
	return rc;
}

int ta_files_drop(struct ta_files *f, bool small, uint64_t *ret_left)
{
	int rc = 0;

	pthread_rwlock_wrlock(&f->lock);
	*ret_left = 0;
	if (!small) {
		unmap(&f->large);
		rc = f->large.fd < 0 ? -ENOENT : ta_scratch_drop(f->large.fd, f->large.bytes, ret_left);
	}
	for (unsigned i = 0; small && i < f->n_small && rc == 0; i++) {
		uint64_t left;

		unmap(&f->small[i]);
		rc = ta_scratch_drop(f->small[i].fd, f->small[i].bytes, &left);
		*ret_left += rc == 0 ? left : 0;
	}
	pthread_rwlock_unlock(&f->lock);
	return rc;
}
