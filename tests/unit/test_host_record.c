/*
 * Recording this machine: what is read back is what was read, whatever happens
 * nothing half is left, and nothing private is in it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/ethtool.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "host/internal.h"
#include "host/store.h"
#include "tests/unit/tree.h"

static int call_five(void *arg, struct ta_buf *ret)
{
	++*(int *)arg;
	ta_buf_add(ret, "a\0b", 3);
	return 5;
}

static int call_fails(void *arg, struct ta_buf *ret)
{
	++*(int *)arg;
	return -EMEDIUMTYPE;
}

static int try_ok(char *text, size_t size)
{
	snprintf(text, size, "fine: 100%%\n");
	return 0;
}

static int try_not(char *text, size_t size)
{
	return -ENOSYS;
}

static int keep_bytes(const struct nlmsghdr *nlh, void *ctx)
{
	ta_buf_add(ctx, nlh, nlh->nlmsg_len);
	return 0;
}

static int keep_line(const char *line, size_t len, void *ctx)
{
	ta_buf_add(ctx, line, len + 1);
	return 0;
}

/* Asks many things; all answers go into `b`, errors too. The same bytes from a recording and its capture. */
static void interrogate(struct ta_host *h, struct ta_buf *b, int *calls)
{
	static const char *const files[] = {
		"/proc/version", "/proc/self/status", "/proc/stat", "/proc/nosuch", "/sys", "/sys/class/net/lo/speed",
		"/sys/class/net/lo/mtu", "/proc/cmdline", "/proc/self/environ", "/proc/self/cmdline", "/proc/uptime/x",
		"/proc/uptime", "/etc/shadow", "/etc/os-release", "/proc/1/nosuch", "/proc/sys/vm/compact_memory",
	};
	static const char *const dirs[] = {"/sys/class/net", "/sys/class/net/lo", "/proc/version", "/nosuch", "/proc/self/fd"};
	static const char *const links[] = {"/sys/class/net/lo", "/proc/version", "/proc/self", "/nosuch"};
	const struct ta_try tries[] = {{"ok", try_ok}, {"not", try_not}};
	ta_cleanup_buf struct ta_buf one = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_try_result results[2];
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg ifi;
	} dump = {.nlh = {.nlmsg_len = sizeof(dump), .nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_DUMP}}, bad = dump;
	struct ethtool_value value = {.cmd = ETHTOOL_GLINK};
	struct ethtool_drvinfo info = {.cmd = ETHTOOL_GDRVINFO};
	int64_t now = 0;

	for (size_t i = 0; i < TA_ARRAY_SIZE(files); i++) {
		ta_buf_printf(b, "\n%s %d ", files[i], ta_host_read(h, files[i], TA_READ_CAP, &one));
		ta_buf_add(b, one.data, one.len);
		ta_buf_printf(b, "lines %d ", ta_host_lines(h, files[i], keep_line, b));
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(dirs); i++) {
		int rc = ta_host_list(h, dirs[i], &names);

		ta_buf_printf(b, "\n%s %d ", dirs[i], rc);
		for (size_t k = 0; rc == 0 && k < names.n; k++)
			ta_buf_printf(b, "%s ", names.v[k]);
		ta_buf_printf(b, "exists %d", ta_host_exists(h, dirs[i]));
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(links); i++) {
		ta_buf_reset(&one);
		ta_buf_printf(b, "\n%s %d ", links[i], ta_host_readlink(h, links[i], &one));
		ta_buf_add(b, one.data, one.len);
	}
	ta_buf_printf(b, "\ncall %d ", ta_host_call(h, "five", call_five, calls, &one));
	ta_buf_add(b, one.data, one.len);
	ta_buf_printf(b, "\ncall %d %zu", ta_host_call(h, "fails%/\xff", call_fails, calls, &one), one.len);
	ta_buf_printf(b, "\ntries %d ", ta_host_try(h, tries, 2, results));
	ta_buf_printf(b, "%d%s %d%s", results[0].rc, results[0].text, results[1].rc, results[1].text);
	ta_buf_printf(b, "\nlinks %d", ta_host_netlink(h, NETLINK_ROUTE, "../links x", &dump.nlh, keep_bytes, b));
	bad.nlh.nlmsg_flags = 0;
	bad.ifi.ifi_index = 0x7ffffff0;
	ta_buf_printf(b, "\nbad %d", ta_host_netlink(h, NETLINK_ROUTE, "bad", &bad.nlh, keep_bytes, b));
	ta_buf_printf(b, "\nnone %d", ta_host_netlink(h, 31, "none", &bad.nlh, keep_bytes, b));
	ta_buf_printf(b, "\nethtool %d %u", ta_host_ethtool(h, "lo", &value, sizeof(value)), value.data);
	ta_buf_printf(b, "\nethtool %d %s", ta_host_ethtool(h, "lo", &info, sizeof(info)), info.driver);
	ta_buf_printf(b, "\ntime %d ", ta_host_time(h, &now));
	ta_buf_printf(b, "%lld", (long long)now);
}

static struct ta_host *record(const char *dir, bool anonymize)
{
	struct ta_host *h = NULL;
	struct ta_err err = {""};

	if (ta_host_record(dir, anonymize, &h, &err) < 0)
		fail_msg("%s", err.text);
	return h;
}

static void finish(struct ta_host *h)
{
	struct ta_err err = {""};

	if (ta_host_record_finish(h, "0.1.0", &err) < 0)
		fail_msg("%s", err.text);
}

static unsigned entries(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static int check_mode(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	assert_int_equal(st->st_mode & 07777, S_ISDIR(st->st_mode) ? 0700 : 0600);
	assert_true(S_ISDIR(st->st_mode) || S_ISREG(st->st_mode));
	return 0;
}

static void assert_same(const struct ta_buf *a, const struct ta_buf *b)
{
	size_t n = 0;

	while (n < a->len && n < b->len && a->data[n] == b->data[n])
		n++;
	if (n < a->len || n < b->len)
		fail_msg("differ at byte %zu:\n%.200s\n---\n%.200s", n, a->data + n - TA_MIN(n, 100),
			b->data + n - TA_MIN(n, 100));
}

static void read_back(bool anonymize)
{
	ta_cleanup_buf struct ta_buf recorded = TA_BUF_INIT, again = TA_BUF_INIT, back = TA_BUF_INIT;
	struct ta_host *h;
	struct ta_err err;
	char dir[128];
	struct tree t;
	int calls = 0;

	assert_int_equal(tree_make(&t), 0);
	snprintf(dir, sizeof(dir), "%s/capture/", t.dir);
	h = record(dir, anonymize);
	assert_true(ta_host_is_live(h));
	interrogate(h, &recorded, &calls);
	assert_int_equal(calls, 2);
	interrogate(h, &again, &calls);
	assert_int_equal(calls, 2); /* each question is put once */
	assert_same(&recorded, &again);
	assert_int_equal(entries(t.dir), 1); /* the temporary one */
	assert_int_not_equal(access(dir, F_OK), 0);
	finish(h);
	assert_int_equal(ta_host_record_finish(h, "0.1.0", &err), -EINVAL);
	ta_host_free(h);
	assert_int_equal(entries(t.dir), 1);
	nftw(dir, check_mode, 16, FTW_PHYS);

	for (int walk = 0; walk < 2; walk++) {
		ta_buf_reset(&back);
		assert_int_equal(ta_host_capture(dir, &h, &err), 0);
		if (walk)
			ta_host_capture_walk(h);
		interrogate(h, &back, &calls);
		assert_same(&recorded, &back);
		assert_int_equal(ta_host_read(h, "/proc/never-asked", TA_READ_CAP, &again), -ENODATA);
		ta_host_free(h);
	}
	assert_int_equal(calls, 2);
	tree_remove(&t);
}

static void test_read_back(void **state)
{
	read_back(false);
}

static void test_read_back_anonymized(void **state)
{
	read_back(true);
}

/* Fails if a file below holds the planted word. */
static int check_secret(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int fd;

	if (!S_ISREG(st->st_mode))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(ta_fd_read(fd, 100u << 20, &b), 0);
	close(fd);
	if (b.len && memmem(b.data, b.len, "hunter2", 7))
		fail_msg("%s holds the secret", path);
	return 0;
}

/* A process with secrets in its arguments and environment, asked about in every way. */
static void test_planted_secrets(void **state)
{
	static const char *const files[] = {"cmdline", "environ", "status", "stat", "comm", "root/proc/self/environ", "fd/0"};
	char *const argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"read x; : hunter2", (char *)"--password=hunter2", NULL};
	char *const env[] = {(char *)"TOKEN=hunter2", NULL};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char dir[128], path[128];
	struct ta_host *h;
	struct tree t;
	int in[2];
	pid_t pid;

	assert_int_equal(tree_make(&t), 0);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(in[0], 0);
		execve(argv[0], argv, env);
		_exit(1);
	}
	/* Its end of execve() shows in its environment. */
	snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	do {
		int fd = open(path, O_RDONLY | O_CLOEXEC);

		assert_int_equal(ta_fd_read(fd, TA_READ_CAP, &b), 0);
		close(fd);
	} while (!memmem(ta_buf_text(&b), b.len, "TOKEN=hunter2", 13));
	snprintf(dir, sizeof(dir), "%s/capture", t.dir);
	h = record(dir, false);
	for (size_t i = 0; i < TA_ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, files[i]);
		ta_host_read(h, path, TA_READ_CAP, &b);
		assert_null(memmem(ta_buf_text(&b), b.len, "hunter2", 7));
		ta_buf_reset(&b);
		ta_host_lines(h, path, keep_line, &b);
		assert_null(memmem(ta_buf_text(&b), b.len, "hunter2", 7));
		ta_host_list(h, path, &names);
	}
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	assert_int_equal(ta_host_read(h, path, TA_READ_CAP, &b), 0);
	assert_string_equal(ta_buf_text(&b), "/bin/sh");
	finish(h);
	ta_host_free(h);
	close(in[0]);
	close(in[1]);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	nftw(dir, check_secret, 16, FTW_PHYS);
	tree_remove(&t);
}

static void test_about(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int64_t taken = 0;
	bool has = false;

	ta_capture_json_format("6.1.0", "x86_64", "0.1.0", 1709164799, &b);
	assert_non_null(strstr(ta_buf_text(&b), "\"taken\":\"2024-02-28T23:59:59Z\""));
	assert_int_equal(ta_capture_json_parse(ta_buf_text(&b), b.len, &has, &taken, NULL), 0);
	assert_true(has);
	assert_int_equal(taken, 1709164799);
	for (int64_t t = 0; t < 253402300800; t += 86400 * 29 + 3601) {
		ta_buf_reset(&b);
		ta_time_format(t, &b);
		assert_int_equal(ta_time_parse(ta_buf_text(&b), &taken), 0);
		assert_int_equal(taken, t);
	}
	assert_int_equal(ta_time_parse("2023-02-29T00:00:00Z", &taken), -EINVAL);
	assert_int_equal(ta_time_parse("2000-02-29T00:00:00Z", &taken), 0);
	assert_int_equal(ta_time_parse("1900-01-01T00:00:00Z", &taken), -EINVAL);
	assert_int_equal(ta_time_parse("2000-01-01T24:00:00Z", &taken), -EINVAL);
	assert_int_equal(ta_time_parse("2000-01-01T00:00:00Zx", &taken), -EINVAL);
}

static void assert_refused(const char *dir, int rc, const char *text)
{
	struct ta_host *h = NULL;
	struct ta_err err = {""};

	assert_int_equal(ta_host_record(dir, false, &h, &err), rc);
	assert_null(h);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
}

static void test_places(void **state)
{
	char path[200];
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "full/file", "x");
	tree_link(&t, "link", "empty");
	snprintf(path, sizeof(path), "%s/full", t.dir);
	assert_refused(path, -ENOTEMPTY, "is not empty");
	snprintf(path, sizeof(path), "%s/full/file", t.dir);
	assert_refused(path, -ENOTDIR, "Not a directory");
	snprintf(path, sizeof(path), "%s/link", t.dir);
	assert_refused(path, -ENOTDIR, "Not a directory");
	snprintf(path, sizeof(path), "%s/no/such", t.dir);
	assert_refused(path, -ENOENT, "cannot open the directory");
	assert_refused("", -EINVAL, "cannot be the name");
	assert_refused("/", -EINVAL, "cannot be the name");
	assert_refused("..", -EINVAL, "cannot be the name");
	assert_refused("/tmp/.", -EINVAL, "cannot be the name");
	/* An empty directory is taken. */
	snprintf(path, sizeof(path), "%s/empty", t.dir);
	assert_int_equal(mkdir(path, 0755), 0);
	h = record(path, false);
	finish(h);
	ta_host_free(h);
	assert_int_equal(entries(path), 2);
	nftw(path, check_mode, 16, FTW_PHYS);
	/* Somebody else was faster. */
	snprintf(path, sizeof(path), "%s/taken", t.dir);
	h = record(path, false);
	tree_file(&t, "taken/file", "x");
	assert_int_equal(ta_host_record_finish(h, "0.1.0", NULL), -ENOTEMPTY);
	ta_host_free(h);
	assert_int_equal(entries(path), 1);
	assert_int_equal(entries(t.dir), 4);
	tree_remove(&t);
}

static void test_given_up(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char path[200];
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	snprintf(path, sizeof(path), "%s/capture", t.dir);
	h = record(path, false);
	assert_int_equal(ta_host_read(h, "/proc/sys/kernel/osrelease", TA_READ_CAP, &b), 0);
	ta_host_free(h);
	assert_int_equal(entries(t.dir), 0);
	tree_remove(&t);
}

/* In a child with its own mounts: a file system of 16 KiB. 77: not possible here. */
static int fill_disk(const char *dir)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {""};
	struct ta_host *h = NULL;
	char path[200];

	if ((unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0) ||
		mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0 || mount("none", dir, "tmpfs", 0, "size=16k") < 0)
		return 77;
	snprintf(path, sizeof(path), "%s/capture", dir);
	if (ta_host_record(path, false, &h, &err) < 0)
		return 2;
	for (int i = 0; i < 64; i++) {
		char file[64];

		snprintf(file, sizeof(file), "/proc/%s", i % 2 ? "version" : "cpuinfo");
		if (i >= 2)
			snprintf(file, sizeof(file), "/sys/class/net/lo/%d", i);
		ta_host_read(h, file, TA_READ_CAP, &b);
		if (i < 2 && !b.len)
			return 3;
	}
	ta_host_read(h, "/proc/kallsyms", 100u << 20, &b); /* megabytes */
	if (!b.len)
		return 4;
	if (ta_host_record_finish(h, "0.1.0", &err) != -ENOSPC || !strstr(err.text, "No space left"))
		return 5;
	ta_host_free(h);
	return entries(dir) == 0 ? 0 : 6;
}

static void test_full_disk(void **state)
{
	struct tree t;
	int status = 0;
	pid_t pid;

	assert_int_equal(tree_make(&t), 0);
	pid = fork();
	if (pid == 0)
		_exit(fill_disk(t.dir));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	tree_remove(&t);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- faults -------------------------------------------------------------------- */

static void test_fault(void **state)
{
	struct ta_fault plan = {.at = 2, .rc = -EIO}, bad = {.at = 1, .rc = 1};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_try tries[] = {{"ok", try_ok}};
	struct ta_try_result result;
	struct ta_host *live = NULL, *h = NULL;
	int64_t now;

	assert_int_equal(ta_host_live(&live, NULL), 0);
	assert_int_equal(ta_host_fault(live, &bad, &h), -EINVAL);
	assert_int_equal(ta_host_fault(live, &plan, &h), 0);
	assert_true(ta_host_is_live(h));
	assert_int_equal(ta_host_read(h, "/proc/version", TA_READ_CAP, &b), 0);
	assert_int_equal(ta_host_read(h, "/proc/version", TA_READ_CAP, &b), -EIO);
	assert_int_equal(ta_host_read(h, "/proc/version", TA_READ_CAP, &b), 0);
	assert_int_equal(ta_host_operations(h), 3);
	assert_int_equal(ta_host_operations(live), 2);
	ta_host_free(h);

	plan = (struct ta_fault){.at = 1, .rc = -EACCES, .all_after = true};
	assert_int_equal(ta_host_live(&live, NULL), 0);
	assert_int_equal(ta_host_fault(live, &plan, &h), 0);
	assert_int_equal(ta_host_read(h, "/proc/version", TA_READ_CAP, &b), -EACCES);
	assert_int_equal(ta_host_lines(h, "/proc/version", keep_line, &b), -EACCES);
	assert_int_equal(ta_host_list(h, "/proc", &names), -EACCES);
	assert_int_equal(ta_host_readlink(h, "/proc/self", &b), -EACCES);
	assert_false(ta_host_exists(h, "/proc"));
	assert_int_equal(ta_host_call(h, "x", call_five, NULL, &b), -EACCES);
	assert_int_equal(ta_host_try(h, tries, 1, &result), -EACCES);
	assert_int_equal(result.rc, -EACCES);
	assert_int_equal(ta_host_netlink(h, NETLINK_ROUTE, "x", NULL, keep_bytes, &b), -EACCES);
	assert_int_equal(ta_host_genl(h, "x", &(struct ta_genl){.family = "ethtool"}, keep_bytes, &b), -EACCES);
	assert_int_equal(ta_host_ethtool(h, "lo", &result, sizeof(result)), -EACCES);
	assert_int_equal(ta_host_time(h, &now), -EACCES);
	assert_int_equal(ta_host_operations(live), 0);
	ta_host_free(h);
}

/* Each operation fails once, and then it and all later ones: nothing breaks, and what was asked is answered. */
static void test_fault_everywhere(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_host *h = NULL, *capture = NULL;
	char dir[128];
	struct tree t;
	int calls = 0;
	unsigned n;

	assert_int_equal(tree_make(&t), 0);
	snprintf(dir, sizeof(dir), "%s/capture", t.dir);
	h = record(dir, false);
	interrogate(h, &b, &calls);
	n = ta_host_operations(h);
	assert_true(n > 40);
	finish(h);
	ta_host_free(h);
	for (unsigned at = 1; at <= n; at++) {
		for (int all = 0; all < 2; all++) {
			const struct ta_fault plan = {.at = at, .rc = -EIO, .all_after = all};

			assert_int_equal(ta_host_capture(dir, &capture, NULL), 0);
			assert_int_equal(ta_host_fault(capture, &plan, &h), 0);
			ta_buf_reset(&b);
			interrogate(h, &b, &calls);
			assert_int_equal(ta_host_operations(h), n);
			assert_int_equal(ta_host_operations(capture), all ? at - 1 : n - 1);
			ta_host_free(h);
		}
	}
	tree_remove(&t);
}

/* Without a failure it is the same host: a recording through it is read back. */
static void test_fault_around_a_recording(void **state)
{
	ta_cleanup_buf struct ta_buf recorded = TA_BUF_INIT, back = TA_BUF_INIT;
	const struct ta_fault none = {0};
	struct ta_host *h = NULL, *capture = NULL;
	struct ta_err err;
	char dir[128];
	struct tree t;
	int calls = 0;

	assert_int_equal(tree_make(&t), 0);
	snprintf(dir, sizeof(dir), "%s/capture", t.dir);
	assert_int_equal(ta_host_fault(record(dir, false), &none, &h), 0);
	interrogate(h, &recorded, &calls);
	finish(h);
	ta_host_free(h);
	assert_int_equal(ta_host_capture(dir, &capture, NULL), 0);
	assert_int_equal(ta_host_fault(capture, &none, &h), 0);
	assert_false(ta_host_is_live(h));
	interrogate(h, &back, &calls);
	assert_same(&recorded, &back);
	assert_int_equal(ta_host_record_finish(h, "0.1.0", &err), -EINVAL);
	ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read_back),
		cmocka_unit_test(test_read_back_anonymized),
		cmocka_unit_test(test_planted_secrets),
		cmocka_unit_test(test_about),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_given_up),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_fault),
		cmocka_unit_test(test_fault_everywhere),
		cmocka_unit_test(test_fault_around_a_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
