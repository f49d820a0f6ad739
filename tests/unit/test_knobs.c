/*
 * Knobs: what may be written at all, in which form values are compared, and what is saved together.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fix/attrs.h"
#include "fix/sinks.h"
#include "fix/step.h"
#include "host/internal.h"
#include "tests/unit/namespace.h"
#include "tests/unit/tree.h"

static bool inside_namespace(void)
{
	static int entered = -1;

	if (entered < 0)
		entered = namespace_enter();
	return entered;
}

static int wished(const char *knob, const char *target, const char *value)
{
	return ta_knob_check(knob, target, value, TA_VALUE_WISHED, NULL);
}

static int found(const char *knob, const char *target, const char *value)
{
	return ta_knob_check(knob, target, value, TA_VALUE_FOUND, NULL);
}

static void test_nothing_else(void **state)
{
	static const char *const keys[] = {"kernel.core_pattern", "kernel.modprobe", "vm.mmap_min_addr", "fs.suid_dumpable",
		"net.ipv4.ip_forward", "", "net", "net/core/somaxconn", "net.core.somaxconn ", "../kernel.modprobe",
		"net.core.somaxconn\n"};
	static const char *const paths[] = {"/proc/sys/kernel/core_pattern", "/sys/block/../block/sda/queue/scheduler",
		"/sys/block//queue/scheduler", "/sys/block/sda/sdb/queue/scheduler", "/sys/block/sda/queue/scheduler/",
		"/sys/block/sda/queue/scheduler\n", "/sys/class/net/a b/queues/rx-0/rps_cpus", "/sys/class/net/../queues/rx-0/rps_cpus",
		"/sys/class/net/sixteen-letters-/queues/rx-0/rps_cpus", "/sys/class/net/eth0/tx_queue_len", "/sys/class/net/eth0/queues/rx-/rps_cpus",
		"/sys/class/net/eth0/queues/rx-1a/rps_cpus", "/proc/irq/x/smp_affinity_list", "/proc/irq//smp_affinity_list",
		"/sys/power/state", "/sys/kernel/mm/transparent_hugepage/use_zero_page", "", "/sys/block/sda/queue/iosched/a/b"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(keys); i++)
		assert_true(wished("sysctl", keys[i], "1") < 0 && found("sysctl", keys[i], "1") < 0);
	for (size_t i = 0; i < TA_ARRAY_SIZE(paths); i++)
		assert_true(wished("attr", paths[i], "1") < 0 && found("attr", paths[i], "1") < 0);
	assert_int_equal(wished("nosuch", "net.core.somaxconn", "1000"), -EPERM);
	assert_int_equal(wished("attr", "net.core.somaxconn", "1000"), -EPERM);
	for (size_t i = 0; i < ta_n_sysctl_sinks; i++)
		assert_false(ta_sysctl_forbidden(ta_sysctl_sinks[i].key));
}

static void test_sysctl_values(void **state)
{
	assert_int_equal(wished("sysctl", "net.core.somaxconn", "4096"), 0);
	assert_int_equal(wished("sysctl", "net.core.somaxconn", NULL), 0);
	assert_int_equal(wished("sysctl", "net.core.somaxconn", "64"), -EINVAL); /* nobody wants so few … */
	assert_int_equal(found("sysctl", "net.core.somaxconn", "64"), 0);	 /* … but someone may have had them */
	static const char *const bad[] = {"", "4096 1", "4096\n", "4096;id", "0x10", "4k", "$(id)", "-", "99999999999999999999"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++) {
		assert_int_equal(wished("sysctl", "net.core.somaxconn", bad[i]), -EINVAL);
		assert_int_equal(found("sysctl", "net.core.somaxconn", bad[i]), -EINVAL);
	}
	assert_int_equal(found("sysctl", "fs.file-max", "18446744073709551615"), 0);
	assert_int_equal(wished("sysctl", "fs.file-max", "18446744073709551615"), -EINVAL);
	assert_int_equal(wished("sysctl", "net.ipv4.tcp_rmem", "4096 131072 6291456"), 0);
	assert_int_equal(wished("sysctl", "net.ipv4.tcp_rmem", "4096 131072"), -EINVAL);
	assert_int_equal(wished("sysctl", "net.ipv4.tcp_rmem", "4096 131072 6291456 1"), -EINVAL);
	assert_int_equal(wished("sysctl", "net.ipv4.tcp_rmem", "4096 131072 5000"), -EINVAL);
	assert_int_equal(found("sysctl", "net.ipv4.tcp_rmem", "4096 131072 5000"), 0);
	assert_int_equal(wished("sysctl", "net.netfilter.nf_conntrack_max", "0"), 0); /* no limit */
	assert_int_equal(wished("sysctl", "net.core.default_qdisc", "fq_codel"), 0);
	assert_int_equal(wished("sysctl", "net.core.default_qdisc", "fq codel"), -EINVAL);
	assert_int_equal(found("sysctl", "net.core.default_qdisc", "/bin/sh"), -EINVAL);
}

#define DISK "/sys/block/sda/queue/"
#define GOVERNOR "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
#define RPS "/sys/class/net/$(id)/queues/rx-12/rps_cpus"

static void test_attr_values(void **state)
{
	assert_int_equal(wished("attr", DISK "scheduler", "none"), 0);
	assert_int_equal(wished("attr", DISK "scheduler", "cfq"), -EINVAL);
	assert_int_equal(found("attr", DISK "scheduler", "cfq"), 0);
	assert_int_equal(found("attr", DISK "scheduler", "a b"), -EINVAL);
	assert_int_equal(wished("attr", DISK "nr_requests", "2"), -EINVAL);
	assert_int_equal(found("attr", DISK "nr_requests", "2"), 0);
	assert_int_equal(found("attr", DISK "nr_requests", "2\n"), -EINVAL);
	assert_int_equal(found("attr", DISK "nr_requests", "two"), -EINVAL);
	assert_int_equal(found("attr", DISK "iosched/read_expire", "500"), 0);
	assert_int_equal(wished("attr", DISK "iosched/read_expire", "500"), -EPERM);
	assert_int_equal(wished("attr", "/sys/block/cciss!c0d0/queue/read_ahead_kb", "1024"), 0);
	assert_int_equal(wished("attr", GOVERNOR, "performance"), 0);
	assert_int_equal(wished("attr", GOVERNOR, "userspace"), -EINVAL);
	assert_int_equal(found("attr", GOVERNOR, "userspace"), 0);
	assert_int_equal(wished("attr", RPS, "ff,00000003"), 0);
	assert_int_equal(wished("attr", RPS, "0"), 0);
	assert_int_equal(wished("attr", RPS, "0-3"), -EINVAL);
	assert_int_equal(wished("attr", RPS, "ff 3"), -EINVAL);
	assert_int_equal(wished("attr", "/proc/irq/24/smp_affinity_list", "0-3,8"), 0);
	assert_int_equal(wished("attr", "/proc/irq/24/smp_affinity_list", ""), -EINVAL);
	assert_int_equal(wished("attr", "/proc/irq/24/smp_affinity_list", "3-1"), -EINVAL);
	assert_int_equal(wished("attr", "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", "0"), 0);
	assert_int_equal(found("attr", "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", "auto"), 0);
	assert_int_equal(ta_knob_order(&ta_knob_attr, RPS), TA_ORDER_STEERING);
	assert_int_equal(ta_knob_order(&ta_knob_attr, "/proc/irq/1/smp_affinity_list"), TA_ORDER_IRQ);
	assert_int_equal(ta_knob_order(&ta_knob_sysctl, "vm.swappiness"), TA_ORDER_SYSCTL);
}

static void test_long_texts(void **state)
{
	char *text = malloc(TA_KNOB_VALUE_MAX + 2);

	assert_non_null(text);
	memset(text, '1', TA_KNOB_VALUE_MAX + 1);
	text[TA_KNOB_VALUE_MAX + 1] = '\0';
	assert_int_equal(found("sysctl", "net.core.somaxconn", text), -EINVAL);
	assert_int_equal(found("sysctl", text, "1"), -EINVAL);
	assert_int_equal(found("attr", text, "1"), -EINVAL);
	free(text);
}

static void expect_read(struct ta_host *h, const struct ta_knob *knob, const char *target, const char *value)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};
	int rc = knob->read(h, target, &b, &err);

	assert_string_equal(err.text, "");
	assert_int_equal(rc, 0);
	assert_string_equal(ta_buf_text(&b), value);
}

#define THP "/sys/kernel/mm/transparent_hugepage/enabled"

static void test_canonical_values(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n");
	tree_file(&t, &THP[1], "always [madvise] never\n");
	tree_file(&t, &DISK "scheduler"[1], "none\n");
	tree_file(&t, &DISK "nr_requests"[1], "256\n");
	tree_file(&t, &DISK "read_ahead_kb"[1], "12 8\n");
	tree_file(&t, &RPS[1], "00000000,0000000f\n");
	tree_file(&t, "proc/irq/7/smp_affinity_list", "0,1,2\n");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	expect_read(h, &ta_knob_sysctl, "net.ipv4.tcp_rmem", "4096 131072 6291456");
	expect_read(h, &ta_knob_attr, THP, "madvise");
	expect_read(h, &ta_knob_attr, DISK "scheduler", "none");
	expect_read(h, &ta_knob_attr, DISK "nr_requests", "256");
	expect_read(h, &ta_knob_attr, RPS, "f");
	expect_read(h, &ta_knob_attr, "/proc/irq/7/smp_affinity_list", "0-2");
	assert_int_equal(ta_knob_attr.read(h, DISK "read_ahead_kb", &b, &err), -EBADMSG);
	assert_int_equal(ta_knob_attr.read(h, "/proc/irq/8/smp_affinity_list", &b, &err), -ENOENT);
	assert_string_equal(err.text, "cannot read /proc/irq/8/smp_affinity_list: No such file or directory");
	assert_int_equal(ta_knob_attr.write(h, THP, "never", &err), -EROFS);
	assert_string_equal(err.text, "cannot set " THP " to never: Read-only file system");
	ta_host_free(h);
	tree_remove(&t);
}

static void expect_coupled(struct ta_host *h, const struct ta_knob *knob, const char *target, const char *wanted)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	ta_cleanup_steps struct ta_steps steps = TA_STEPS_INIT;

	assert_int_equal(knob->coupled(h, target, &steps, NULL), 0);
	for (size_t i = 0; i < steps.n; i++) {
		assert_null(steps.v[i].after);
		assert_int_equal(ta_knob_check(steps.v[i].knob->name, steps.v[i].target, NULL, TA_VALUE_FOUND, NULL), 0);
		ta_buf_printf(&b, "%s ", steps.v[i].target);
	}
	assert_string_equal(ta_buf_text(&b), wanted);
}

static void test_coupled(void **state)
{
	struct ta_host *h;
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, &DISK "nr_requests"[1], "256\n");
	tree_file(&t, &DISK "iosched/read_expire"[1], "500\n");
	tree_file(&t, &DISK "iosched/fifo_batch"[1], "16\n");
	tree_file(&t, "sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference", "default\n");
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	expect_coupled(h, &ta_knob_sysctl, "vm.dirty_bytes", "vm.dirty_ratio ");
	expect_coupled(h, &ta_knob_sysctl, "vm.dirty_background_ratio", "vm.dirty_background_bytes ");
	expect_coupled(h, &ta_knob_sysctl, "net.core.somaxconn", "");
	expect_coupled(h, &ta_knob_sysctl, "net.core.default_qdisc", "sch_fq sch_fq_codel sch_cake ");
	expect_coupled(h, &ta_knob_sysctl, "net.ipv4.tcp_congestion_control", "tcp_bbr tcp_cubic tcp_htcp ");
	expect_coupled(h, &ta_knob_attr, THP, "vm.min_free_kbytes ");
	expect_coupled(h, &ta_knob_attr, DISK "scheduler",
		DISK "nr_requests " DISK "iosched/fifo_batch " DISK "iosched/read_expire ");
	expect_coupled(h, &ta_knob_attr, DISK "nr_requests", "");
	expect_coupled(h, &ta_knob_attr, GOVERNOR, "/sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference ");
	/* 0 is written by the other one of the pair: nothing asked of a host that cannot be written */
	assert_int_equal(ta_knob_sysctl.write(h, "vm.dirty_bytes", "0", NULL), 0);
	assert_int_equal(ta_knob_sysctl.write(h, "vm.dirty_bytes", "9000", NULL), -EROFS);
	assert_int_equal(ta_host_changes(h), 1);
	ta_host_free(h);
	tree_remove(&t);
}

static void test_commands(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_knob_sysctl.command("net.ipv4.tcp_rmem", "1 2 3", &b);
	ta_knob_attr.command(RPS, "f", &b);
	assert_string_equal(ta_buf_text(&b), "sysctl -w 'net.ipv4.tcp_rmem=1 2 3'\n"
		"echo f > '/sys/class/net/$(id)/queues/rx-12/rps_cpus'\n");
}

/* A child in a namespace of its own, called by the name that it gives itself. */
static void test_another_namespace(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};
	struct ta_host *h;
	int ready[2], stay[2];
	pid_t pid;
	char c;

	assert_int_equal(wished("netsysctl", "web net.core.somaxconn", "9000"), 0);
	assert_int_equal(wished("netsysctl", "web net.core.rmem_max", "9000000"), -EPERM); /* of the whole host */
	assert_int_equal(wished("netsysctl", "net.core.somaxconn", "9000"), -EPERM);
	assert_int_equal(wished("netsysctl", " net.core.somaxconn", "9000"), -EPERM);
	assert_int_equal(wished("netsysctl", "web kernel.modprobe", "9000"), -EPERM);
	assert_int_equal(found("netsysctl", "web net.core.somaxconn", "$(id)"), -EINVAL);
	if (!inside_namespace())
		skip();
	assert_int_equal(ta_host_live(&h, NULL), 0);
	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(stay), 0);
	pid = fork();
	if (pid == 0) {
		int fd = open("/proc/self/comm", O_WRONLY | O_CLOEXEC);

		close(stay[1]);
		if (unshare(CLONE_NEWNET) < 0 || write(fd, "ta test web", 11) != 11 || write(ready[1], "x", 1) != 1)
			_exit(1);
		_exit(read(stay[0], &c, 1) == 0 ? 0 : 1);
	}
	assert_int_equal(read(ready[0], &c, 1), 1);
	if (ta_knob_netsysctl.read(h, "ta_test_web net.core.somaxconn", &b, &err) == -ENODEV)
		print_message("this test runs in a unit or container, whose name comes first\n");
	else
		assert_int_equal(ta_knob_netsysctl.write(h, "ta_test_web net.core.somaxconn", "7777", &err), 0);
	if (b.len) {
		expect_read(h, &ta_knob_netsysctl, "ta_test_web net.core.somaxconn", "7777");
		assert_int_equal(ta_knob_sysctl.read(h, "net.core.somaxconn", &b, &err), 0);
		assert_string_not_equal(ta_buf_text(&b), "7777");
	}
	assert_int_equal(ta_knob_netsysctl.read(h, "no_such net.core.somaxconn", &b, &err), -ENODEV);
	close(stay[1]);
	ta_host_free(h);
}

static void test_write(void **state)
{
	struct ta_host *h;

	if (!inside_namespace())
		skip();
	assert_int_equal(ta_host_live(&h, NULL), 0);
	assert_int_equal(ta_knob_sysctl.write(h, "net.ipv4.tcp_rmem", "4096 140000 7000000", NULL), 0);
	expect_read(h, &ta_knob_sysctl, "net.ipv4.tcp_rmem", "4096 140000 7000000");
	ta_host_free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_else),
		cmocka_unit_test(test_sysctl_values),
		cmocka_unit_test(test_attr_values),
		cmocka_unit_test(test_long_texts),
		cmocka_unit_test(test_canonical_values),
		cmocka_unit_test(test_coupled),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_write),
		cmocka_unit_test(test_another_namespace),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
