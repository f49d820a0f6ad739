/*
 * Reading this machine.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <cmocka.h>

#include "host/internal.h"
#include "tests/unit/tree.h"

static struct ta_host *host;

static int setup(void **state)
{
	return ta_host_live(&host, NULL);
}

static int teardown(void **state)
{
	host = ta_host_free(host);
	return 0;
}

static void test_files(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT, direct = TA_BUF_INIT;
	int fd = open("/proc/sys/kernel/osrelease", O_RDONLY | O_CLOEXEC);

	assert_int_equal(ta_fd_read(fd, TA_READ_CAP, &direct), 0);
	close(fd);
	assert_true(ta_host_is_live(host));
	assert_int_equal(ta_host_read(host, "/proc/sys/kernel/osrelease", TA_READ_CAP, &b), 0);
	assert_string_equal(ta_buf_text(&b), ta_buf_text(&direct));
	/* Larger than a page, and of size 0 as stat() says. */
	assert_int_equal(ta_host_read(host, "/proc/kallsyms", 100u << 20, &b), 0);
	assert_true(b.len > 65536);
	assert_int_equal(ta_host_read(host, "/proc/kallsyms", 65536, &b), -EFBIG);
	assert_int_equal(b.len, 0);
	assert_int_equal(ta_host_read(host, "/proc", TA_READ_CAP, &b), -EISDIR);
	assert_int_equal(ta_host_read(host, "/dev/null", TA_READ_CAP, &b), -EBADMSG);
	assert_int_equal(ta_host_read(host, "/proc/nosuch", TA_READ_CAP, &b), -ENOENT);
	assert_int_equal(ta_host_read(host, "/proc/self/mem", TA_READ_CAP, &b), -EPERM);
	assert_int_equal(ta_host_read(host, "/proc/version/../version", TA_READ_CAP, &b), -EINVAL);
}

static int count(const char *line, size_t len, void *ctx)
{
	++*(unsigned *)ctx;
	return strlen(line) == len ? 0 : -EIO;
}

static void test_lines(void **state)
{
	unsigned n = 0, words = 0;

	assert_int_equal(ta_host_lines(host, "/proc/kallsyms", count, &n), 0);
	assert_true(n > 1000);
	assert_int_equal(ta_host_lines(host, "/proc/cmdline", count, &words), 0);
	assert_int_equal(words, 1);
}

static void test_names(void **state)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char self[32];

	assert_int_equal(ta_host_list(host, "/proc/self/ns", &names), 0);
	assert_true(ta_strv_has(&names, "net"));
	assert_int_equal(ta_host_list(host, "/proc/nosuch", &names), -ENOENT);
	assert_int_equal(names.n, 0);
	assert_int_equal(ta_host_list(host, "/", &names), 0);
	assert_true(ta_strv_has(&names, "proc"));
	assert_int_equal(ta_host_readlink(host, "/proc/self", &b), 0);
	snprintf(self, sizeof(self), "%d", (int)getpid());
	assert_string_equal(ta_buf_text(&b), self);
	assert_true(ta_host_exists(host, "/"));
	assert_true(ta_host_exists(host, "/proc/self"));
	assert_false(ta_host_exists(host, "/proc/nosuch"));
}

struct links {
	struct ta_buf text;
	unsigned n, stop_at;
};

static int keep_link(const char *target, int rc, void *ctx)
{
	struct links *l = ctx;

	ta_buf_printf(&l->text, "%d %s\n", rc, target);
	return ++l->n == l->stop_at ? -ECANCELED : 0;
}

/* The same by a list and one question for each link. */
static void one_by_one(const char *dir, struct ta_buf *ret)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char path[512];

	assert_int_equal(ta_host_list(host, dir, &names), 0);
	for (size_t i = 0; i < names.n; i++) {
		int rc;

		snprintf(path, sizeof(path), "%s/%s", dir, names.v[i]);
		rc = ta_host_readlink(host, path, &b);
		ta_buf_printf(ret, "%d %s\n", rc, ta_buf_text(&b));
	}
}

static void same_links(const char *dir)
{
	ta_cleanup_buf struct ta_buf expected = TA_BUF_INIT;
	struct links l = {.text = TA_BUF_INIT};
	size_t n = 0;

	one_by_one(dir, &expected);
	assert_int_equal(ta_host_links(host, dir, &n, keep_link, &l), 0);
	assert_int_equal(n, l.n);
	assert_string_equal(ta_buf_text(&l.text), ta_buf_text(&expected));
	ta_buf_done(&l.text);
}

/* Another process, with descriptors side by side, with gaps, with many, with none; and ends in the middle. */
static void test_links(void **state)
{
	static const struct {
		int fds, apart;
	} shapes[] = {{0, 1}, {3, 1}, {12, 1}, {5, 7}, {63, 1}, {64, 1}, {65, 1}, {200, 1}, {100, 3}};
	char dir[64];
	size_t n;

	for (size_t i = 0; i < TA_ARRAY_SIZE(shapes); i++) {
		int ready[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		struct links l = {.text = TA_BUF_INIT, .stop_at = 2};
		pid_t pid;
		char c;

		assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
		pid = fork();
		if (pid == 0) {
			int keep = fcntl(ready[1], F_DUPFD, 1000), from = fcntl(null, F_DUPFD, 1001);

			close_range(0, 999, 0);
			for (int k = 0; k < shapes[i].fds; k++)
				dup2(from, k * shapes[i].apart);
			close(from);
			(void)!write(keep, "", 1);
			if (shapes[i].fds != 5)
				close(keep); /* else one more, far away */
			for (;;)
				pause();
		}
		close(ready[1]);
		while (read(ready[0], &c, 1) > 0 && shapes[i].fds != 5)
			; /* until it closed that too */
		close(ready[0]);
		close(null);
		snprintf(dir, sizeof(dir), "/proc/%d/fd", (int)pid);
		same_links(dir);
		if (shapes[i].fds > 2) {
			assert_int_equal(ta_host_links(host, dir, &n, keep_link, &l), -ECANCELED);
			assert_int_equal(l.n, 2);
			assert_string_equal(ta_buf_text(&l.text), "0 file\n0 file\n");
		}
		ta_buf_done(&l.text);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	same_links("/proc/self/ns");
	assert_int_equal(ta_host_links(host, "/proc/nosuch/fd", &n, keep_link, &(struct links){.stop_at = 1}), -ENOENT);
}

/* A process that ends between being listed and being read. */
static void test_gone(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char path[64];
	unsigned n = 0;
	int dir, fd;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	dir = open(path, O_PATH | O_CLOEXEC);
	fd = openat(dir, "limits", O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(ta_fd_read(fd, TA_READ_CAP, &b), -ESRCH);
	assert_int_equal(ta_fd_lines(fd, count, &n), -ESRCH);
	close(fd);
	close(dir);
	snprintf(path, sizeof(path), "/proc/%d/limits", (int)pid);
	assert_int_equal(ta_host_read(host, path, TA_READ_CAP, &b), -ENOENT);
	assert_int_equal(ta_host_lines(host, path, count, &n), -ENOENT);
	assert_int_equal(ta_host_list(host, path, &names), -ENOENT);
	assert_int_equal(n, 0);
}

static int call_errs(void *arg, struct ta_buf *ret)
{
	ta_buf_adds(ret, arg);
	return -ENOKEY;
}

static void test_call_and_time(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int64_t now = 0;

	ta_buf_adds(&b, "old");
	assert_int_equal(ta_host_call(host, "x", call_errs, (void *)"new", &b), -ENOKEY);
	assert_string_equal(ta_buf_text(&b), "new");
	assert_int_equal(ta_host_time(host, &now), 0);
	assert_true(now >= time(NULL) - 5 && now <= time(NULL) + 5);
	assert_int_equal(ta_host_operations(host), 2);
}

static void test_errno_names(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	for (int e = 1; e < 4096; e++) {
		ta_buf_reset(&b);
		ta_errno_format(e, &b);
		assert_int_equal(ta_errno_parse(ta_buf_text(&b)), e);
	}
	ta_buf_reset(&b);
	ta_errno_format(EACCES, &b);
	assert_string_equal(ta_buf_text(&b), "EACCES");
	assert_int_equal(ta_errno_parse("E0"), -EINVAL);
	assert_int_equal(ta_errno_parse("E4096"), -EINVAL);
	assert_int_equal(ta_errno_parse("ENOSUCH"), -EINVAL);
	assert_int_equal(ta_errno_parse(""), -EINVAL);
	assert_int_equal(ta_errno_parse("13"), -EINVAL);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_files),
		TEST(test_lines),
		TEST(test_names),
		TEST(test_links),
		TEST(test_gone),
		TEST(test_call_and_time),
		TEST(test_errno_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
