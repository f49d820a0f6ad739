/* Files of our own: of the size that was asked for, without a name, dropped from the cache and read past it; limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/scratch.h"

#define BYTES (3u << 20)

static struct ta_scratch_dir place = TA_SCRATCH_DIR_INIT;

/* A directory on a disk, or none: then there is nothing to try here. */
static void need_disk(void)
{
	if (place.fd < 0)
		skip();
}

static void test_is_written_and_nameless(void **state)
{
	struct ta_err err;
	struct stat st;
	uint64_t zeros = 0;
	char *bytes;
	int fd;

	need_disk();
	assert_int_equal(ta_scratch_make(&place, BYTES + 7, NULL, &fd, &err), 0);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_size, BYTES + 7);
	assert_int_equal(st.st_nlink, 0);
	bytes = ta_scratch_map(fd, BYTES + 7);
	assert_non_null(bytes);
	for (size_t i = 0; i < BYTES; i++)
		zeros += !bytes[i];
	assert_true(zeros > BYTES / 512 && zeros < BYTES / 128); /* one in 256 of any bytes */
	assert_memory_not_equal(bytes, bytes + (1 << 20), 4096);
	ta_scratch_unmap(bytes, BYTES + 7);
	close(fd);
}

static void test_drop(void **state)
{
	uint64_t cached, left;
	struct ta_err err;
	char *buffer = malloc(BYTES);
	int fd;

	need_disk();
	assert_int_equal(ta_scratch_make(&place, BYTES, NULL, &fd, &err), 0);
	assert_int_equal(ta_scratch_read(fd, buffer, BYTES, 0), BYTES);
	assert_int_equal(ta_scratch_cached(fd, BYTES, &cached), 0);
	assert_int_equal(cached, BYTES);
	assert_int_equal(ta_scratch_drop(fd, BYTES, &left), 0);
	assert_int_equal(left, 0);
	assert_int_equal(ta_scratch_read(fd, buffer, 4096, BYTES - 4096), 4096);
	assert_int_equal(ta_scratch_cached(fd, BYTES, &cached), 0);
	assert_true(cached >= 4096 && cached <= BYTES);
	close(fd);
	free(buffer);
}

static void test_direct_leaves_the_cache_alone(void **state)
{
	uint64_t left, cached;
	struct ta_err err;
	void *buffer = aligned_alloc(4096, 65536), *again = malloc(65536);
	int fd, direct;

	need_disk();
	assert_int_equal(ta_scratch_make(&place, BYTES, NULL, &fd, &err), 0);
	assert_int_equal(ta_scratch_drop(fd, BYTES, &left), 0);
	direct = ta_scratch_direct(fd);
	if (direct == -EINVAL)
		skip();
	assert_true(direct >= 0);
	assert_int_equal(ta_scratch_read(direct, buffer, 65536, 1 << 20), 65536);
	assert_int_equal(ta_scratch_cached(fd, BYTES, &cached), 0);
	assert_int_equal(cached, 0);
	assert_int_equal(ta_scratch_read(fd, again, 65536, 1 << 20), 65536);
	assert_memory_equal(buffer, again, 65536);
	close(direct);
	close(fd);
	free(buffer);
	free(again);
}

static void test_limits(void **state)
{
	volatile sig_atomic_t stop = 1;
	struct ta_scratch_dir none, full = place;
	struct ta_err err;
	int fd = -7;

	assert_int_equal(ta_scratch_dir_open("/nonexistent", &none, &err), -ENOENT);
	assert_int_equal(none.fd, -1);
	assert_int_equal(ta_scratch_dir_open("/proc/self/exe", &none, &err), -ENOTDIR);
	assert_true(ta_scratch_dir_open("/proc", &none, &err) < 0);
	need_disk();
	full.free_bytes = 2 * BYTES - 1;
	assert_int_equal(ta_scratch_make(&full, BYTES, NULL, &fd, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "more than half"));
	assert_int_equal(ta_scratch_make(&place, BYTES, &stop, &fd, &err), -EINTR);
	assert_int_equal(fd, -7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_written_and_nameless),
		cmocka_unit_test(test_drop),
		cmocka_unit_test(test_direct_leaves_the_cache_alone),
		cmocka_unit_test(test_limits),
	};

	ta_scratch_dir_open(NULL, &place, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
