/*
 * The writing half of the door: live in namespaces, refused elsewhere, failing where it is told to.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <cmocka.h>

#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>

#include "host/internal.h"
#include "tests/unit/namespace.h"
#include "tests/unit/tree.h"

static struct ta_host *host;
static bool inside;

#define SOMAXCONN_FILE "/proc/sys/net/core/somaxconn"

static int setup(void **state)
{
	inside = namespace_enter();
	return ta_host_live(&host, NULL);
}

static int teardown(void **state)
{
	host = ta_host_free(host);
	return 0;
}

static void needs_namespace(void)
{
	if (!inside)
		skip();
}

static void expect_file(const char *path, const char *text)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_host_own(host, path, 1000, &b), 0);
	assert_string_equal(ta_buf_text(&b), text);
}

static void test_set(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	needs_namespace();
	assert_int_equal(ta_host_set(host, SOMAXCONN_FILE, "1234"), 0);
	assert_int_equal(ta_host_read(host, SOMAXCONN_FILE, 100, &b), 0);
	assert_string_equal(ta_buf_text(&b), "1234\n");
	/* an element that the kernel refuses: those before it have moved */
	assert_int_equal(ta_host_set(host, "/proc/sys/net/ipv4/tcp_rmem", "5000 140000 0"), -EINVAL);
	assert_int_equal(ta_host_read(host, "/proc/sys/net/ipv4/tcp_rmem", 100, &b), 0);
	assert_int_equal(strncmp(ta_buf_text(&b), "5000\t140000\t", 12), 0);
	assert_int_equal(ta_host_set(host, "/proc/sys/net/core/nosuch", "1"), -ENOENT);
	assert_int_equal(ta_host_set(host, "/proc/sys/net/core", "1"), -EISDIR);
}

static void test_what_may_be_asked_for(void **state)
{
	assert_int_equal(ta_host_set(host, "/proc/sysrq-trigger", "b"), -EPERM);
	assert_int_equal(ta_host_set(host, "/etc/passwd", "x"), -EPERM);
	assert_int_equal(ta_host_set(host, "/proc/sys/../sysrq-trigger", "b"), -EINVAL);
	assert_int_equal(ta_host_put(host, "/usr/x", "x", 0644, false), -EPERM);
	assert_int_equal(ta_host_put(host, "/etc/../usr/x", "x", 0644, false), -EINVAL);
	assert_int_equal(ta_host_unlink(host, "/bin/sh", false), -EPERM);
	assert_int_equal(ta_host_load_module(host, "-r", NULL), -EINVAL);
	assert_int_equal(ta_host_load_module(host, "", NULL), -EINVAL);
	assert_int_equal(ta_host_load_module(host, "../x", NULL), -EINVAL);
	assert_int_equal(ta_host_unload_module(host, "x y", NULL), -EINVAL);
}

static void test_files(void **state)
{
	struct stat st;

	needs_namespace();
	umask(077);
	assert_int_equal(ta_host_put(host, "/etc/a/x.conf", "one\n", 0644, false), -ENOENT);
	assert_int_equal(ta_host_put(host, "/etc/a/x.conf", "one\n", 0644, true), 0);
	expect_file("/etc/a/x.conf", "one\n");
	assert_int_equal(stat("/etc/a/x.conf", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0644);
	assert_int_equal(stat("/etc/a", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0755);
	assert_int_equal(ta_host_put(host, "/etc/a/x.conf", "", 0644, true), 0);
	expect_file("/etc/a/x.conf", "");
	/* two levels are not ours to make */
	assert_int_equal(ta_host_put(host, "/etc/b/c/x.conf", "one\n", 0644, true), -ENOENT);

	assert_int_equal(ta_host_unlink(host, "/etc/a/x.conf", false), 0);
	assert_int_equal(stat("/etc/a", &st), 0);
	assert_int_equal(ta_host_unlink(host, "/etc/a/x.conf", true), 0);
	assert_int_equal(stat("/etc/a", &st), -1);
	assert_int_equal(ta_host_unlink(host, "/etc/a/x.conf", true), 0);
}

static void test_what_a_killed_write_leaves(void **state)
{
	struct stat st;

	needs_namespace();
	assert_int_equal(mkdir("/etc/k", 0755), 0);
	assert_int_equal(close(open("/etc/k/.x.conf.tuneaudit", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
	assert_int_equal(ta_host_put(host, "/etc/k/x.conf", "whole", 0644, true), 0);
	assert_int_equal(stat("/etc/k/.x.conf.tuneaudit", &st), -1);
	assert_int_equal(close(open("/etc/k/.x.conf.tuneaudit", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)), 0);
	assert_int_equal(ta_host_unlink(host, "/etc/k/x.conf", true), 0);
	assert_int_equal(stat("/etc/k", &st), -1);
	/* someone else's file keeps the directory */
	assert_int_equal(ta_host_put(host, "/etc/k/x.conf", "whole", 0644, true), 0);
	assert_int_equal(ta_host_put(host, "/etc/k/y.conf", "whole", 0644, true), 0);
	assert_int_equal(ta_host_unlink(host, "/etc/k/x.conf", true), 0);
	expect_file("/etc/k/y.conf", "whole");
}

static void test_links_are_not_followed(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct stat st;

	needs_namespace();
	assert_int_equal(mkdir("/etc/real", 0755), 0);
	assert_int_equal(symlink("real", "/etc/link"), 0);
	assert_int_equal(ta_host_put(host, "/etc/link/x.conf", "x", 0644, true), -ELOOP);
	assert_int_equal(ta_host_unlink(host, "/etc/link/x.conf", true), -ELOOP);
	/* a link in the file's own place is replaced, not followed */
	assert_int_equal(symlink("/etc/victim", "/etc/real/x.conf"), 0);
	assert_int_equal(ta_host_own(host, "/etc/real/x.conf", 100, &b), -ELOOP);
	assert_int_equal(ta_host_put(host, "/etc/real/x.conf", "x", 0644, true), 0);
	assert_int_equal(stat("/etc/victim", &st), -1);
	expect_file("/etc/real/x.conf", "x");
	assert_int_equal(symlink("/proc/sys/net/core/somaxconn", "/etc/y"), 0);
	assert_int_equal(ta_host_own(host, "/etc/y", 100, &b), -ELOOP);
}

static struct nlmsghdr *make_veth(char *buf, const char *name, uint16_t flags)
{
	struct nlmsghdr *n = mnl_nlmsg_put_header(buf);
	struct nlattr *info;

	n->nlmsg_type = RTM_NEWLINK;
	n->nlmsg_flags = NLM_F_REQUEST | flags;
	mnl_nlmsg_put_extra_header(n, sizeof(struct ifinfomsg));
	mnl_attr_put_strz(n, IFLA_IFNAME, name);
	info = mnl_attr_nest_start(n, IFLA_LINKINFO);
	mnl_attr_put_strz(n, IFLA_INFO_KIND, "veth");
	mnl_attr_nest_end(n, info);
	return n;
}

static void test_netlink(void **state)
{
	_Alignas(8) char buf[1024] = {0};
	struct ta_err err = {0};

	needs_namespace();
	assert_int_equal(ta_host_set_netlink(host, NETLINK_ROUTE, make_veth(buf, "v0", NLM_F_CREATE | NLM_F_EXCL), &err), 0);
	assert_int_equal(ta_host_set_netlink(host, NETLINK_ROUTE, make_veth(buf, "v0", NLM_F_CREATE | NLM_F_EXCL), &err),
		-EEXIST);
	assert_non_null(strstr(err.text, "File exists"));
	/* with words of the kernel's own */
	memset(&err, 0, sizeof(err));
	assert_int_equal(
		ta_host_set_netlink(host, NETLINK_ROUTE, make_veth(buf, "a/b", NLM_F_CREATE | NLM_F_EXCL), &err), -EINVAL);
	assert_true(strlen(err.text) > 0);
}

static void test_other_kinds(void **state)
{
	struct ta_host *capture;
	struct ta_err err = {0};
	_Alignas(8) char buf[1024] = {0};
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_host_capture("fixtures", &capture, NULL), 0);
	assert_int_equal(ta_host_set(capture, SOMAXCONN_FILE, "1"), -EROFS);
	assert_int_equal(ta_host_set_netns(capture, 1, SOMAXCONN_FILE, "1"), -EROFS);
	assert_int_equal(ta_host_put(capture, "/etc/x", "1", 0644, false), -EROFS);
	assert_int_equal(ta_host_own(capture, "/etc/x", 1, &b), -EROFS);
	assert_int_equal(ta_host_unlink(capture, "/etc/x", false), -EROFS);
	assert_int_equal(ta_host_load_module(capture, "x", &err), -EROFS);
	assert_int_equal(ta_host_unload_module(capture, "x", &err), -EROFS);
	assert_int_equal(ta_host_set_netlink(capture, NETLINK_ROUTE, make_veth(buf, "v9", 0), &err), -EROFS);
	assert_int_equal(ta_host_set_genl(capture, &(struct ta_genl){.family = "ethtool"}, &err), -EROFS);
	assert_int_equal(ta_host_set_ethtool(capture, "lo", buf, sizeof(buf)), -EROFS);
	assert_int_equal(ta_host_changes(capture), 9);
	ta_host_free(capture);
}

static void test_faults(void **state)
{
	const struct ta_fault second = {.change_at = 2, .rc = -ENOSPC};
	const struct ta_fault all = {.change_at = 1, .rc = -EIO, .all_after = true};
	struct ta_host *live, *h;

	needs_namespace();
	assert_int_equal(ta_host_live(&live, NULL), 0);
	assert_int_equal(ta_host_fault(live, &second, &h), 0);
	assert_int_equal(ta_host_set(h, SOMAXCONN_FILE, "2001"), 0);
	assert_int_equal(ta_host_set(h, SOMAXCONN_FILE, "2002"), -ENOSPC);
	assert_int_equal(ta_host_put(h, "/etc/f", "1", 0644, false), 0);
	assert_int_equal(ta_host_unlink(h, "/etc/f", false), 0);
	assert_int_equal(ta_host_set_netns(h, 1, "/etc/x", "1"), -EPERM);
	assert_int_equal(ta_host_changes(h), 5);
	ta_host_free(h);
	assert_int_equal(ta_host_live(&live, NULL), 0);
	assert_int_equal(ta_host_fault(live, &all, &h), 0);
	assert_int_equal(ta_host_set(h, SOMAXCONN_FILE, "2003"), -EIO);
	assert_int_equal(ta_host_put(h, "/etc/f", "1", 0644, false), -EIO);
	ta_host_free(h);
}

/* The child has a namespace of its own; ours must not move. */
static void test_netns(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	int go[2], stay[2];
	char c;
	pid_t pid;

	needs_namespace();
	assert_int_equal(ta_host_set(host, SOMAXCONN_FILE, "777"), 0);
	assert_int_equal(pipe(go), 0);
	assert_int_equal(pipe(stay), 0);
	pid = fork();
	if (pid == 0) {
		close(stay[1]);
		if (unshare(CLONE_NEWNET) < 0 || write(go[1], "x", 1) != 1)
			_exit(1);
		_exit(read(stay[0], &c, 1) == 0 ? 0 : 1);
	}
	close(go[1]);
	assert_int_equal(read(go[0], &c, 1), 1);
	assert_int_equal(ta_host_set_netns(host, (unsigned)pid, SOMAXCONN_FILE, "888"), 0);
	assert_int_equal(ta_host_set_netns(host, (unsigned)pid, "/proc/sys/net/core/nosuch", "888"), -ENOENT);
	assert_int_equal(ta_host_set_netns(host, 0x7fffffff, SOMAXCONN_FILE, "888"), -ENOENT);
	assert_int_equal(ta_host_read(host, SOMAXCONN_FILE, 100, &b), 0);
	assert_string_equal(ta_buf_text(&b), "777\n");
	close(stay[1]);
	close(go[0]);
	close(stay[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_may_be_asked_for),
		cmocka_unit_test(test_set),
		cmocka_unit_test(test_files),
		cmocka_unit_test(test_what_a_killed_write_leaves),
		cmocka_unit_test(test_links_are_not_followed),
		cmocka_unit_test(test_netlink),
		cmocka_unit_test(test_other_kinds),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_netns),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
