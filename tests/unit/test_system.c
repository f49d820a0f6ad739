#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "cli/system.h"

/* A directory of the test's own, 0755, and paths in it. */
static char dir[64];

static const char *in_dir(const char *name)
{
	static char path[4][128];
	static unsigned next;
	char *p = path[next++ % 4];

	snprintf(p, sizeof(path[0]), "%s/%s", dir, name);
	return p;
}

static int make(void **state)
{
	snprintf(dir, sizeof(dir), "/tmp/test_system.XXXXXX");
	assert_non_null(mkdtemp(dir));
	return chmod(dir, 0755);
}

static int drop(void **state)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	ta_system_list(dir, "", &names, NULL);
	for (size_t i = 0; i < names.n; i++)
		unlink(in_dir(names.v[i]));
	return rmdir(dir);
}

static void put(const char *name, size_t len, mode_t mode)
{
	int fd = open(in_dir(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	assert_true(fd >= 0);
	while (len--)
		assert_int_equal(write(fd, "x", 1), 1);
	assert_int_equal(fchmod(fd, mode), 0);
	close(fd);
}

static bool trusted(const char *name)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	bool ret = false;

	assert_int_equal(ta_system_read_file(in_dir(name), 100, &b, &ret, NULL), 0);
	return ret;
}

static void trust_needs_root_alone(void **state)
{
	bool root = geteuid() == 0;

	put("a", 3, 0644);
	assert_int_equal(trusted("a"), root);
	put("b", 3, 0664);
	assert_false(trusted("b"));
	put("c", 3, 0646);
	assert_false(trusted("c"));
	assert_int_equal(symlink(in_dir("a"), in_dir("d")), 0);
	assert_false(trusted("d"));
	assert_int_equal(chmod(dir, 0777), 0);
	assert_false(trusted("a"));
	assert_int_equal(chmod(dir, 0755), 0);
	if (root) {
		assert_int_equal(chown(in_dir("a"), 65534, 65534), 0);
		assert_false(trusted("a"));
	}
}

static void reads_up_to_the_cap(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err;
	bool t;

	put("full", 100, 0644);
	assert_int_equal(ta_system_read_file(in_dir("full"), 100, &b, &t, &err), 0);
	assert_int_equal(b.len, 100);
	put("more", 101, 0644);
	assert_int_equal(ta_system_read_file(in_dir("more"), 100, &b, &t, &err), -EFBIG);
	assert_non_null(strstr(err.text, "more"));
	put("none", 0, 0644);
	assert_int_equal(ta_system_read_file(in_dir("none"), 100, &b, &t, &err), 0);
	assert_int_equal(b.len, 0);
}

static void refuses_what_is_no_file(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err;
	bool t;

	assert_int_equal(mkfifo(in_dir("fifo"), 0644), 0);
	assert_int_equal(ta_system_read_file(in_dir("fifo"), 100, &b, &t, &err), -EBADMSG);
	assert_int_equal(ta_system_read_file("/dev/zero", 100, &b, &t, &err), -EBADMSG);
	assert_int_equal(ta_system_read_file(dir, 100, &b, &t, &err), -EBADMSG);
	assert_int_equal(ta_system_read_file(in_dir("absent"), 100, &b, &t, &err), -ENOENT);
}

static void lists_by_suffix(void **state)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;

	put("10.rules", 1, 0644);
	put("9.rules", 1, 0644);
	put("9.rules~", 1, 0644);
	put(".hidden.rules", 1, 0644);
	put(".rules", 1, 0644);
	assert_int_equal(ta_system_list(dir, ".rules", &names, NULL), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "9.rules");
	assert_int_equal(ta_system_list(in_dir("absent"), ".rules", &names, NULL), -ENOENT);
	unlink(in_dir(".hidden.rules"));
	unlink(in_dir(".rules"));
}

static void columns_from_the_environment(void **state)
{
	static const struct {
		const char *text;
		unsigned want;
	} cases[] = {
		{"40", 40},
		{"20", 20},
		{"7", 20},
		{"1000", 1000},
		{"5000", 1000},
		{"120", 120},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		setenv("COLUMNS", cases[i].text, 1);
		assert_int_equal(ta_system_columns(), cases[i].want);
	}
}

static void writes_all_or_says_why(void **state)
{
	int fds[2], full = open("/dev/full", O_WRONLY | O_CLOEXEC);

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(ta_system_write(fds[1], "abc", 3), 0);
	assert_int_equal(ta_system_write(fds[1], "", 0), 0);
	close(fds[1]);
	assert_int_equal(ta_system_write(fds[1], "abc", 3), -EBADF);
	close(fds[0]);
	if (full >= 0) {
		assert_int_equal(ta_system_write(full, "abc", 3), -ENOSPC);
		close(full);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(trust_needs_root_alone, make, drop),
		cmocka_unit_test_setup_teardown(reads_up_to_the_cap, make, drop),
		cmocka_unit_test_setup_teardown(refuses_what_is_no_file, make, drop),
		cmocka_unit_test_setup_teardown(lists_by_suffix, make, drop),
		cmocka_unit_test(columns_from_the_environment),
		cmocka_unit_test(writes_all_or_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
