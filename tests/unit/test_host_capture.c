/*
 * Reading captures: every test runs on openat2() and on our own walk.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "host/internal.h"
#include "tests/unit/seccomp.h"
#include "tests/unit/tree.h"

struct fixture {
	struct tree tree;
	struct ta_host *host;
	bool walk;
};

static bool walk_mode; /* which of the two rounds runs */

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || tree_make(&f->tree) < 0)
		return -1;
	f->walk = walk_mode;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ta_host_free(f->host);
	tree_remove(&f->tree);
	free(f);
	return 0;
}

/* Opens the tree as it is now. */
static struct ta_host *enter(struct fixture *f)
{
	struct ta_err err = {""};

	if (ta_host_capture(f->tree.dir, &f->host, &err) < 0)
		fail_msg("%s", err.text);
	if (f->walk) /* else as this system allows: valgrind, too, has no openat2() */
		ta_host_capture_walk(f->host);
	return f->host;
}

static void assert_text(struct ta_host *h, const char *path, const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_host_read(h, path, TA_READ_CAP, &b), 0);
	assert_string_equal(ta_buf_text(&b), text);
}

static void assert_rc(struct ta_host *h, const char *path, int rc)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_host_read(h, path, TA_READ_CAP, &b), rc);
	assert_int_equal(b.len, 0);
}

static void test_plain(void **state)
{
	struct fixture *f = *state;
	struct ta_host *h;

	tree_file(&f->tree, "proc/uptime", "1.00 2.00\n");
	h = enter(f);
	assert_false(ta_host_is_live(h));
	assert_text(h, "/proc/uptime", "1.00 2.00\n");
	assert_rc(h, "/proc/nosuch", -ENOENT);
	assert_rc(h, "/nosuch/at/all", -ENOENT);
	assert_rc(h, "/proc/uptime/x", -ENOTDIR);
	assert_rc(h, "/proc", -EISDIR);
	assert_rc(h, "/", -EISDIR);
	assert_true(ta_host_exists(h, "/proc/uptime"));
	assert_true(ta_host_exists(h, "/proc"));
	assert_false(ta_host_exists(h, "/proc/nosuch"));
	assert_int_equal(ta_host_operations(h), 9);
}

static void test_paths_that_are_refused(void **state)
{
	struct fixture *f = *state;
	struct ta_host *h;

	tree_file(&f->tree, "proc/uptime", "x");
	h = enter(f);
	assert_rc(h, "proc/uptime", -EINVAL);
	assert_rc(h, "", -EINVAL);
	assert_rc(h, "//proc/uptime", -EINVAL);
	assert_rc(h, "/proc/./uptime", -EINVAL);
	assert_rc(h, "/proc/../proc/uptime", -EINVAL);
	assert_rc(h, "/proc/uptime/", -EINVAL);
	assert_rc(h, "/..", -EINVAL);
	assert_false(ta_host_exists(h, "/proc/."));
}

/* /sys/class/net of a real machine: links with "..", through a linked directory too. */
static void test_relative_links(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_host *h;

	tree_file(&f->tree, "sys/devices/pci0000:00/0000:00:02.0/net/eth0/mtu", "1500\n");
	tree_file(&f->tree, "sys/devices/pci0000:00/0000:00:02.0/numa_node", "-1\n");
	tree_link(&f->tree, "sys/devices/pci0000:00/0000:00:02.0/net/eth0/device", "../../../0000:00:02.0");
	tree_link(&f->tree, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:02.0/net/eth0");
	h = enter(f);
	assert_text(h, "/sys/class/net/eth0/mtu", "1500\n");
	assert_text(h, "/sys/class/net/eth0/device/numa_node", "-1\n");
	assert_text(h, "/sys/class/net/eth0/device/net/eth0/device/net/eth0/mtu", "1500\n");
	assert_int_equal(ta_host_list(h, "/sys/class/net/eth0/device", &names), 0);
	assert_int_equal(names.n, 2);
	assert_string_equal(names.v[0], "net");
	assert_string_equal(names.v[1], "numa_node");
	assert_int_equal(ta_host_readlink(h, "/sys/class/net/eth0", &b), 0);
	assert_string_equal(ta_buf_text(&b), "../../devices/pci0000:00/0000:00:02.0/net/eth0");
	assert_int_equal(ta_host_readlink(h, "/sys/class/net", &b), -EINVAL);
	assert_int_equal(ta_host_readlink(h, "/sys/class/net/eth0/mtu", &b), -EINVAL);
	assert_int_equal(ta_host_readlink(h, "/sys/class/net/eth1", &b), -ENOENT);
}

/* Each of these would read the live machine if links were followed plainly. */
static void test_links_out(void **state)
{
	struct fixture *f = *state;
	char outside[256];
	struct ta_host *h;

	tree_file(&f->tree, "proc/version", "inside\n");
	tree_link(&f->tree, "proc/absolute", "/proc/version");
	tree_link(&f->tree, "proc/up", "../../../../../../../../../../../../proc/version");
	tree_link(&f->tree, "proc/uptime", "/proc/uptime"); /* itself, seen from inside */
	tree_link(&f->tree, "proc/stat", "../../../../../../../../proc/stat");
	tree_link(&f->tree, "proc/magic", "/proc/self/root/etc/hostname");
	tree_link(&f->tree, "proc/magic2", "/proc/self/cwd/../../../../../etc/passwd");
	tree_link(&f->tree, "proc/magic3", "/proc/self/fd/0");
	tree_link(&f->tree, "sys", "/sys");
	tree_link(&f->tree, "root", "/");
	tree_link(&f->tree, "etc", "../../../../../etc");
	snprintf(outside, sizeof(outside), "%s.outside", f->tree.dir);
	assert_int_equal(symlink("/proc/self/root", outside), 0);
	tree_link(&f->tree, "outside", outside);
	h = enter(f);
	assert_text(h, "/proc/absolute", "inside\n");
	assert_text(h, "/proc/up", "inside\n");
	assert_text(h, "/root/proc/version", "inside\n");
	assert_text(h, "/root/root/root/proc/absolute", "inside\n");
	assert_rc(h, "/proc/uptime", -ELOOP);
	assert_rc(h, "/proc/stat", -ELOOP);
	assert_rc(h, "/proc/magic", -ENOENT);
	assert_rc(h, "/proc/magic2", -ENOENT);
	assert_rc(h, "/proc/magic3", -ENOENT);
	assert_rc(h, "/sys/kernel/mm/transparent_hugepage/enabled", -ELOOP);
	assert_rc(h, "/etc/os-release", -ELOOP);
	assert_rc(h, "/outside/proc/stat", -ENOENT);
	unlink(outside);
}

/* A capture with a real procfs in it has magic links; /proc is at hand as one. */
static void test_magic_links(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_root root;
	int fd;

	assert_int_equal(ta_root_enter(AT_FDCWD, "/proc/self", &root), 0);
	root.walk |= f->walk;
	fd = ta_root_open(&root, "/root/etc/passwd", O_RDONLY | O_CLOEXEC);
	assert_true(fd == -ELOOP || fd == -ENOENT);
	fd = ta_root_open(&root, "/exe", O_RDONLY | O_CLOEXEC);
	assert_true(fd == -ELOOP || fd == -ENOENT);
	fd = ta_root_open(&root, "/cwd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd == -ELOOP || fd == -ENOENT);
	fd = ta_root_open(&root, "/exe", O_PATH | O_NOFOLLOW | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ta_fd_readlink(fd, &b), 0);
	assert_true(b.len > 0);
	close(fd);
	ta_root_leave(&root);
}

static void test_chains_and_loops(void **state)
{
	struct fixture *f = *state;
	char name[32], target[32];
	struct ta_host *h;

	tree_file(&f->tree, "proc/end", "end\n");
	tree_link(&f->tree, "proc/l1", "end");
	for (int i = 2; i <= 41; i++) {
		snprintf(name, sizeof(name), "proc/l%d", i);
		snprintf(target, sizeof(target), "l%d", i - 1);
		tree_link(&f->tree, name, target);
	}
	tree_link(&f->tree, "proc/a", "b");
	tree_link(&f->tree, "proc/b", "../proc/a");
	tree_link(&f->tree, "proc/grows", "grows/x");
	tree_link(&f->tree, "proc/slash", "end/");
	tree_link(&f->tree, "proc/dir", "../proc/");
	tree_link(&f->tree, "proc/dangling", "nosuch");
	h = enter(f);
	assert_text(h, "/proc/l40", "end\n");
	assert_rc(h, "/proc/l41", -ELOOP);
	assert_rc(h, "/proc/a", -ELOOP);
	assert_rc(h, "/proc/grows", -ELOOP);
	assert_rc(h, "/proc/slash", -ENOTDIR);
	assert_text(h, "/proc/dir/end", "end\n");
	assert_rc(h, "/proc/dangling", -ENOENT);
	assert_true(ta_host_exists(h, "/proc/dangling"));
	assert_true(ta_host_exists(h, "/proc/a"));
}

static void test_other_kinds_of_file(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	char path[200];
	struct ta_host *h;
	int fd;

	tree_file(&f->tree, "proc/stat", "x");
	snprintf(path, sizeof(path), "%s/proc/fifo", f->tree.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	snprintf(sun.sun_path, sizeof(sun.sun_path), "%s/proc/sock", f->tree.dir);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&sun, sizeof(sun)), 0);
	close(fd);
	tree_link(&f->tree, "proc/to-fifo", "fifo");
	h = enter(f);
	assert_rc(h, "/proc/fifo", -EBADMSG);
	assert_rc(h, "/proc/to-fifo", -EBADMSG);
	assert_rc(h, "/proc/sock", -EBADMSG);
	assert_int_equal(ta_host_list(h, "/proc/stat", &names), -ENOTDIR);
	assert_int_equal(ta_host_list(h, "/proc/fifo", &names), -ENOTDIR);
	assert_int_equal(ta_host_list(h, "/nosuch", &names), -ENOENT);
	/* A device of ours needs CAP_MKNOD. */
	snprintf(path, sizeof(path), "%s/proc/null", f->tree.dir);
	if (mknod(path, S_IFCHR | 0600, 1 << 8 | 3) == 0)
		assert_rc(h, "/proc/null", -EBADMSG);
}

static void test_cap_and_bytes(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	char *big = malloc(300000);
	struct ta_host *h;

	memset(big, 'a', 300000);
	tree_bytes(&f->tree, "proc/big", big, 300000);
	tree_bytes(&f->tree, "proc/bin", "a\0b\xff", 4);
	tree_bytes(&f->tree, "proc/empty", "", 0);
	h = enter(f);
	assert_int_equal(ta_host_read(h, "/proc/big", 299999, &b), -EFBIG);
	assert_int_equal(ta_host_read(h, "/proc/big", 300000, &b), 0);
	assert_int_equal(b.len, 300000);
	assert_memory_equal(b.data, big, 300000);
	assert_int_equal(ta_host_read(h, "/proc/bin", TA_READ_CAP, &b), 0);
	assert_int_equal(b.len, 4);
	assert_memory_equal(b.data, "a\0b\xff", 5);
	assert_int_equal(ta_host_read(h, "/proc/empty", 0, &b), 0);
	assert_int_equal(b.len, 0);
	free(big);
}

struct lines {
	unsigned n, stop_at;
	size_t longest;
	char first[32], last[32];
};

static int count_line(const char *line, size_t len, void *ctx)
{
	struct lines *l = ctx;

	assert_int_equal(strlen(line), len);
	if (!l->n++)
		snprintf(l->first, sizeof(l->first), "%.31s", line);
	snprintf(l->last, sizeof(l->last), "%.31s", line);
	l->longest = TA_MAX(l->longest, len);
	return l->n == l->stop_at ? -ECANCELED : 0;
}

static void test_lines(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct lines l = {0}, stop = {.stop_at = 2}, none = {0};
	struct ta_host *h;

	ta_buf_adds(&text, "first\n\n");
	for (int i = 0; i < 50000; i++)
		ta_buf_printf(&text, "line %d\n", i);
	for (int i = 0; i < 100000; i++)
		ta_buf_adds(&text, "0123456789");
	ta_buf_adds(&text, "\nlast, without newline");
	tree_bytes(&f->tree, "proc/interrupts", text.data, text.len);
	tree_bytes(&f->tree, "proc/nul", "a\nb\0c\n", 6);
	tree_bytes(&f->tree, "proc/empty", "", 0);
	ta_buf_reset(&text);
	for (unsigned i = 0; i <= 1u << 20; i++)
		ta_buf_addc(&text, 'x');
	tree_bytes(&f->tree, "proc/long", text.data, text.len);
	h = enter(f);
	assert_int_equal(ta_host_lines(h, "/proc/interrupts", count_line, &l), 0);
	assert_int_equal(l.n, 50004);
	assert_string_equal(l.first, "first");
	assert_string_equal(l.last, "last, without newline");
	assert_int_equal(l.longest, 1000000);
	assert_int_equal(ta_host_lines(h, "/proc/interrupts", count_line, &stop), -ECANCELED);
	assert_int_equal(stop.n, 2);
	assert_int_equal(ta_host_lines(h, "/proc/nul", count_line, &none), -EBADMSG);
	assert_int_equal(none.n, 1);
	assert_int_equal(ta_host_lines(h, "/proc/long", count_line, &none), -EFBIG);
	assert_int_equal(none.n, 1);
	assert_int_equal(ta_host_lines(h, "/proc/empty", count_line, &none), 0);
	assert_int_equal(none.n, 1);
	assert_int_equal(ta_host_lines(h, "/proc/nosuch", count_line, &none), -ENOENT);
	assert_int_equal(ta_host_lines(h, "/proc", count_line, &none), -EISDIR);
}

static void test_list_is_sorted(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	struct ta_host *h;

	tree_file(&f->tree, "sys/q/rx-10", "");
	tree_file(&f->tree, "sys/q/rx-2", "");
	tree_file(&f->tree, "sys/q/.hidden", "");
	h = enter(f);
	assert_int_equal(ta_host_list(h, "/sys/q", &names), 0);
	assert_int_equal(names.n, 3);
	assert_string_equal(names.v[0], ".hidden");
	assert_string_equal(names.v[1], "rx-2");
	assert_string_equal(names.v[2], "rx-10");
	assert_int_equal(ta_host_list(h, "/", &names), 0);
	assert_int_equal(names.n, 1);
}

static void test_calls(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_host *h;
	int64_t now = 7;

	tree_file(&f->tree, "sys/x/speed", "must not be read\n");
	tree_file(&f->tree, "sys/x/mtu", "1500\n");
	tree_file(&f->tree, "calls.json",
		"{\"schema\":\"tuneaudit.calls/1\",\"complete\":true,"
		"\"errors\":{\"read\":{\"/sys/x/speed\":\"EINVAL\",\"/sys/%FF\":\"EACCES\"},"
		"\"lists\":{},\"list\":{\"/sys/closed\":\"EACCES\"},\"link\":{\"/sys/x\":\"EINVAL\"}},"
		"\"lists\":{\"/sys/x\":[\"tx-10\",\"tx-9\",\"a%25%0A\"]},"
		"\"links\":{\"/sys/l\":\"../q\"},"
		"\"exists\":{\"/sys/yes\":true,\"/sys/no\":false},"
		"\"calls\":{\"a\":{\"rc\":3,\"data\":\"0001fF\"},\"b\":{\"rc\":\"ENOSYS\"}}}");
	tree_file(&f->tree, "capture.json",
		"{\"schema\":\"tuneaudit.capture/1\",\"kernel\":\"6.1\",\"taken\":\"2026-02-28T23:59:59Z\"}");
	h = enter(f);
	assert_rc(h, "/sys/x/speed", -EINVAL);
	assert_rc(h, "/sys/\xff", -EACCES);
	assert_rc(h, "/sys/x/never-asked", -ENODATA);
	assert_text(h, "/sys/x/mtu", "1500\n");
	assert_int_equal(ta_host_list(h, "/sys/closed", &names), -EACCES);
	assert_int_equal(ta_host_list(h, "/sys", &names), -ENODATA);
	assert_int_equal(ta_host_list(h, "/sys/x", &names), 0);
	assert_int_equal(names.n, 3);
	assert_string_equal(names.v[0], "a%\n");
	assert_string_equal(names.v[1], "tx-9");
	assert_int_equal(ta_host_readlink(h, "/sys/l", &b), 0);
	assert_string_equal(ta_buf_text(&b), "../q");
	assert_int_equal(ta_host_readlink(h, "/sys/x", &b), -EINVAL);
	assert_true(ta_host_exists(h, "/sys/yes"));
	assert_false(ta_host_exists(h, "/sys/no"));
	assert_int_equal(ta_host_call(h, "a", NULL, NULL, &b), 3);
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "\0\1\xff", 3);
	assert_int_equal(ta_host_call(h, "b", NULL, NULL, &b), -ENOSYS);
	assert_int_equal(b.len, 0);
	assert_int_equal(ta_host_call(h, "c", NULL, NULL, &b), -ENODATA);
	assert_int_equal(ta_host_time(h, &now), 0);
	assert_int_equal(now, 1772323199);
}

static void test_no_time(void **state)
{
	struct fixture *f = *state;
	int64_t now = 7;

	assert_int_equal(ta_host_time(enter(f), &now), -ENODATA);
	assert_int_equal(now, 7);
}

/* Numbers of another byte order would be read wrong without a word. */
static void test_foreign_bytes(void **state)
{
	struct fixture *f = *state;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
	char text[200];

	snprintf(text, sizeof(text), "{\"byte_order\":\"%s\",\"calls\":{\"a\":{\"rc\":0,\"data\":\"00\"}}}",
		little ? "big" : "little");
	tree_file(&f->tree, "calls.json", text);
	assert_int_equal(ta_host_call(enter(f), "a", NULL, NULL, &b), -EBADMSG);
}

static void assert_refused(struct fixture *f, const char *dir, int rc, const char *text)
{
	struct ta_host *h = NULL;
	struct ta_err err = {""};

	assert_int_equal(ta_host_capture(dir, &h, &err), rc);
	assert_null(h);
	if (!strstr(err.text, text))
		fail_msg("\"%s\" does not say \"%s\"", err.text, text);
}

static void test_no_capture(void **state)
{
	struct fixture *f = *state;
	char path[200];

	snprintf(path, sizeof(path), "%s/nosuch", f->tree.dir);
	assert_refused(f, path, -ENOENT, "No such file");
	tree_file(&f->tree, "file", "");
	snprintf(path, sizeof(path), "%s/file", f->tree.dir);
	assert_refused(f, path, -ENOTDIR, "Not a directory");
	assert_refused(f, "", -ENOENT, "No such file");
}

static void test_malformed_json(void **state)
{
	static const char *const calls[] = {
		"", "[]", "3", "{", "{} x", "{\"complete\":\"no\"}", "{\"complete\":null}", "{\"schema\":\"tuneaudit.calls/2\"}", "{\"errors\":[]}",
		"{\"errors\":{\"read\":{\"/x\":\"NOSUCH\"}}}", "{\"errors\":{\"read\":{\"/x\":5}}}",
		"{\"errors\":{\"read\":null}}", "{\"lists\":{\"/x\":{}}}", "{\"lists\":{\"/x\":[1]}}",
		"{\"lists\":{\"/x\":[\"a/b\"]}}", "{\"lists\":{\"/x\":[\"%00\"]}}", "{\"links\":{\"/x\":\"%4\"}}",
		"{\"links\":{\"/x\":\"a\\u0000b\"}}", "{\"exists\":{\"/x\":1}}", "{\"calls\":{\"x\":{}}}",
		"{\"calls\":{\"x\":{\"rc\":-1}}}", "{\"calls\":{\"x\":{\"rc\":0,\"data\":\"123\"}}}",
		"{\"calls\":{\"x\":{\"rc\":99999999999}}}", "{\"a\":[[[[[[[[[[]]]]]]]]]]}", "{\"a\":\"\xff\"}",
	};
	static const char *const captures[] = {
		"", "{}", "[]", "{\"schema\":\"tuneaudit.capture/2\"}",
		"{\"schema\":\"tuneaudit.capture/1\",\"taken\":5}",
		"{\"schema\":\"tuneaudit.capture/1\",\"taken\":\"2026-02-30T00:00:00Z\"}",
		"{\"schema\":\"tuneaudit.capture/1\",\"taken\":\"2026-02-28T00:00:00+01\"}",
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < TA_ARRAY_SIZE(calls); i++) {
		tree_file(&f->tree, "calls.json", calls[i]);
		assert_refused(f, f->tree.dir, -EBADMSG, "calls.json: ");
	}
	tree_file(&f->tree, "calls.json", "null");
	assert_refused(f, f->tree.dir, -EBADMSG, "not a JSON object");
	tree_bytes(&f->tree, "calls.json", "{}\0{}", 5);
	assert_refused(f, f->tree.dir, -EBADMSG, "calls.json: holds NUL");
	tree_file(&f->tree, "calls.json", "{}\n ");
	for (size_t i = 0; i < TA_ARRAY_SIZE(captures); i++) {
		tree_file(&f->tree, "capture.json", captures[i]);
		assert_refused(f, f->tree.dir, -EBADMSG, "capture.json: ");
	}
}

/* Text that would be gigabytes of objects. */
static void test_json_bombs(void **state)
{
	static const char *const units[] = {"[],", "{},", "1,", "\"\","};
	struct fixture *f = *state;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	for (size_t i = 0; i < TA_ARRAY_SIZE(units); i++) {
		ta_buf_reset(&text);
		ta_buf_adds(&text, "{\"lists\":{\"/x\":[");
		while (text.len < 15u << 20)
			ta_buf_adds(&text, units[i]);
		ta_buf_adds(&text, "1]}}");
		tree_bytes(&f->tree, "calls.json", text.data, text.len);
		assert_refused(f, f->tree.dir, -EFBIG, "calls.json: holds more than");
	}
	while (text.len <= 16u << 20)
		ta_buf_addc(&text, ' ');
	tree_bytes(&f->tree, "calls.json", text.data, text.len);
	assert_refused(f, f->tree.dir, -EFBIG, "calls.json: cannot be read: File too large");
}

static void test_json_that_is_no_file(void **state)
{
	struct fixture *f = *state;
	char path[200];

	snprintf(path, sizeof(path), "%s/calls.json", f->tree.dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_refused(f, f->tree.dir, -EBADMSG, "calls.json: cannot be read");
	unlink(path);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_refused(f, f->tree.dir, -EISDIR, "calls.json: cannot be read");
	rmdir(path);
	tree_link(&f->tree, "calls.json", "/proc/self/environ");
	enter(f); /* leads nowhere inside: as if there were none */
}

/* Somebody's copy may hold what ours never would. */
static void test_secrets_in_a_copied_tree(void **state)
{
	struct fixture *f = *state;
	struct lines l = {0};
	struct ta_host *h;

	tree_file(&f->tree, "proc/cmdline", "root=/dev/sda1 quiet password=x mitigations=off\n");
	tree_bytes(&f->tree, "proc/7/cmdline", "redis-server\0--requirepass\0hunter2\0", 36);
	tree_file(&f->tree, "proc/7/environ", "TOKEN=x");
	tree_file(&f->tree, "etc/shadow", "root:x");
	h = enter(f);
	assert_text(h, "/proc/cmdline", "quiet mitigations=off\n");
	assert_text(h, "/proc/7/cmdline", "redis-server");
	assert_rc(h, "/proc/7/environ", -EPERM);
	assert_rc(h, "/etc/shadow", -EPERM);
	assert_int_equal(ta_host_lines(h, "/proc/cmdline", count_line, &l), 0);
	assert_string_equal(l.first, "quiet mitigations=off");
	assert_int_equal(ta_host_lines(h, "/proc/7/environ", count_line, &l), -EPERM);
}

/* In a child whose seccomp filter answers openat2() with `error`. 77: no filters here. */
static int read_filtered(const char *dir, int error)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_host *h = NULL;

	if (seccomp_forbid(SYS_openat2, SECCOMP_RET_ERRNO | (uint32_t)error) < 0)
		return 77;
	if (ta_host_capture(dir, &h, NULL) < 0)
		return 1;
	if (ta_host_read(h, "/proc/x", TA_READ_CAP, &b) < 0 || strcmp(ta_buf_text(&b), "inside\n") != 0)
		return 2;
	ta_host_free(h);
	return 0;
}

static void test_no_openat2(void **state)
{
	static const int errors[] = {ENOSYS, EPERM};
	struct fixture *f = *state;

	tree_file(&f->tree, "proc/version", "inside\n");
	tree_link(&f->tree, "proc/x", "/../proc/version");
	for (size_t i = 0; i < TA_ARRAY_SIZE(errors); i++) {
		int status = 0;
		pid_t pid = fork();

		if (pid == 0)
			_exit(read_filtered(f->tree.dir, errors[i]));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			skip();
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_plain),
		TEST(test_paths_that_are_refused),
		TEST(test_relative_links),
		TEST(test_links_out),
		TEST(test_magic_links),
		TEST(test_chains_and_loops),
		TEST(test_other_kinds_of_file),
		TEST(test_cap_and_bytes),
		TEST(test_lines),
		TEST(test_list_is_sorted),
		TEST(test_calls),
		TEST(test_no_time),
		TEST(test_foreign_bytes),
		TEST(test_no_capture),
		TEST(test_malformed_json),
		TEST(test_json_bombs),
		TEST(test_json_that_is_no_file),
		TEST(test_no_openat2),
		TEST(test_secrets_in_a_copied_tree),
	};
	int failed = cmocka_run_group_tests_name("capture, openat2", tests, NULL, NULL);

	walk_mode = true;
	return failed + cmocka_run_group_tests_name("capture, own walk", tests, NULL, NULL);
}
