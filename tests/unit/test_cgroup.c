/* Control groups: where they are mounted, and the least limit on the way up. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/cgroup.h"
#include "tests/unit/tree.h"

static void mounts(void **state)
{
	struct ta_cgroups c = {0};

	ta_cgroups_mount_line("31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755", &c);
	assert_false(c.v2.there || c.cpu.there);
	ta_cgroups_mount_line("32 31 0:29 /docker/ab /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:1 - "
			      "cgroup cgroup rw,cpu,cpuacct", &c);
	assert_true(c.cpu.there && !c.memory.there);
	assert_string_equal(c.cpu.root, "/docker/ab");
	assert_string_equal(c.cpu.point, "/sys/fs/cgroup/cpu,cpuacct");
	ta_cgroups_mount_line("33 31 0:30 / /mnt/a\\040b\\134c rw - cgroup2 cgroup2 rw,nsdelegate", &c);
	assert_string_equal(c.v2.point, "/mnt/a b\\c");
	ta_cgroups_mount_line("34 31 0:31 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset", &c);
	assert_string_equal(c.cpu.point, "/sys/fs/cgroup/cpu,cpuacct");
	/* Cut off anywhere. */
	ta_cgroups_mount_line("", &c);
	ta_cgroups_mount_line("34 31", &c);
	ta_cgroups_mount_line("34 31 0:31 / /x rw - cgroup", &c);
	ta_cgroups_mount_line("34 31 0:31 / /x rw - cgroup cgroup", &c);
	ta_cgroups_mount_line(" - cgroup cgroup rw,memory", &c);
	assert_false(c.memory.there);
}

static void texts(void **state)
{
	uint64_t v = 0;

	assert_int_equal(ta_cgroup_cpu_max("max 100000\n", &v), -ENOENT);
	assert_int_equal(ta_cgroup_cpu_max("150000 100000\n", &v), 0);
	assert_int_equal(v, 150);
	assert_int_equal(ta_cgroup_cpu_max("1000 1000000\n", &v), 0);
	assert_int_equal(v, 1); /* 0.1 percent is not nothing */
	assert_int_equal(ta_cgroup_cpu_max("1000 0\n", &v), -EBADMSG);
	assert_int_equal(ta_cgroup_cpu_max("1000\n", &v), -EBADMSG);
	assert_int_equal(ta_cgroup_cpu_max("18446744073709551615 1\n", &v), -EBADMSG);
	assert_int_equal(ta_cgroup_cpu_max("", &v), -EBADMSG);
	assert_int_equal(ta_cgroup_stat("a_b 1\nb 18446744073709551615\n", "b", &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(ta_cgroup_stat("a_b 1\nb x\n", "b", &v), -EBADMSG);
	assert_int_equal(ta_cgroup_stat("a_b 1", "a", &v), -ENOENT);
}

static int64_t number(struct ta_facts *f, const char *name)
{
	int64_t v = -1;

	ta_facts_get_i64(f, TA_KEYS("cgroups", "x", name), &v);
	return v;
}

static const char *text_of(struct ta_facts *f, const char *name)
{
	return ta_facts_get_str(f, TA_KEYS("cgroups", "x", name)) ?: "";
}

static struct ta_facts *put(struct tree *t, const char *text)
{
	struct ta_facts *f = ta_facts_new();
	struct ta_cgroups c;
	struct ta_host *h = NULL;

	assert_int_equal(ta_host_capture(t->dir, &h, NULL), 0);
	ta_cgroups_find(h, &c);
	ta_cgroup_put(h, &c, text, f, "x");
	ta_host_free(h);
	assert_int_equal(ta_facts_error(f), 0);
	return f;
}

#define V2 "sys/fs/cgroup/"

static void version_2(void **state)
{
	struct ta_facts *f;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, V2 "cgroup.controllers", "cpu memory pids\n");
	tree_file(&t, V2 "web.slice/cpu.max", "50000 100000\n");
	tree_file(&t, V2 "web.slice/cpu.stat",
		"usage_usec 5\nnr_periods 10\nnr_throttled 4\nthrottled_usec 900\n");
	tree_file(&t, V2 "web.slice/memory.max", "max\n");
	tree_file(&t, V2 "web.slice/a.service/cpu.max", "max 100000\n");
	tree_file(&t, V2 "web.slice/a.service/cpu.stat", "usage_usec 5\n");
	tree_file(&t, V2 "web.slice/a.service/memory.max", "1048576\n");
	tree_file(&t, V2 "web.slice/a.service/memory.current", "4096\n");
	tree_file(&t, V2 "web.slice/a.service/pids.max", "no number\n");
	tree_file(&t, V2 "b.service/pids.max", "max\n");

	/* The parent's CPU limit binds, and there the throttling is counted. */
	f = put(&t, "0::/web.slice/a.service\n");
	assert_int_equal(number(f, "cpu_limit_percent"), 50);
	assert_int_equal(number(f, "cpu_throttled_periods"), 4);
	assert_int_equal(number(f, "cpu_throttled_us"), 900);
	assert_int_equal(number(f, "memory_max_bytes"), 1048576);
	assert_int_equal(number(f, "memory_current_bytes"), 4096);
	assert_int_equal(ta_facts_absence(f, "cgroups.x.pids_max").reason, TA_MALFORMED);
	f = ta_facts_free(f);

	f = put(&t, "0::/b.service\n");
	assert_string_equal(text_of(f, "cpu_limit_percent"), "unlimited");
	assert_string_equal(text_of(f, "memory_max_bytes"), "unlimited");
	assert_string_equal(text_of(f, "pids_max"), "unlimited");
	f = ta_facts_free(f);

	/* Not to be seen from here, not there, and no group at all. */
	f = put(&t, "0::/../b.service\n");
	assert_int_equal(ta_facts_absence(f, "cgroups.x.cpu_limit_percent").reason, TA_DENIED);
	assert_string_equal(text_of(f, "pids_max"), "");
	f = ta_facts_free(f);
	f = put(&t, "0::/gone.service\n");
	assert_int_equal(ta_facts_absence(f, "cgroups.x.memory_max_bytes").reason, TA_MISSING);
	assert_string_equal(text_of(f, "memory_max_bytes"), "");
	f = ta_facts_free(f);
	f = put(&t, "");
	assert_string_equal(text_of(f, "memory_max_bytes"), "");
	f = ta_facts_free(f);
	tree_remove(&t);
}

/* A container of version 1: its group is named as on the host, and is the root of what it sees. */
static void version_1(void **state)
{
	struct ta_facts *f;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/self/mountinfo",
		"1 0 0:1 /docker/ab /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
		"2 0 0:2 /docker/ab /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	tree_file(&t, V2 "cpu/cpu.cfs_quota_us", "200000\n");
	tree_file(&t, V2 "cpu/cpu.cfs_period_us", "100000\n");
	tree_file(&t, V2 "cpu/cpu.stat", "nr_periods 1\nnr_throttled 1\nthrottled_time 5000000\n");
	tree_file(&t, V2 "cpu/sub/cpu.cfs_quota_us", "-1\n");
	tree_file(&t, V2 "memory/memory.limit_in_bytes", "9223372036854771712\n");
	tree_file(&t, V2 "memory/memory.usage_in_bytes", "77\n");

	f = put(&t, "4:memory:/docker/ab\n3:cpu,cpuacct:/docker/ab/sub\n0::/\n");
	assert_int_equal(number(f, "cpu_limit_percent"), 200);
	assert_int_equal(number(f, "cpu_throttled_us"), 5000);
	assert_string_equal(text_of(f, "memory_max_bytes"), "unlimited");
	assert_int_equal(number(f, "memory_current_bytes"), 77);
	assert_int_equal(ta_facts_absence(f, "cgroups.x.pids_max").reason, TA_MISSING);
	f = ta_facts_free(f);
	f = put(&t, "4:memory:/docker/abc\n3:cpu,cpuacct:/other\n");
	assert_int_equal(ta_facts_absence(f, "cgroups.x.cpu_limit_percent").reason, TA_DENIED);
	assert_int_equal(ta_facts_absence(f, "cgroups.x.memory_max_bytes").reason, TA_DENIED);
	f = ta_facts_free(f);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mounts),
		cmocka_unit_test(texts),
		cmocka_unit_test(version_2),
		cmocka_unit_test(version_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
