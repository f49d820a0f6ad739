/*
 * The text of files of ours: what several runs put in and take out, and what is not ours.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fix/ownfile.h"

#define SYSCTL TA_OWN_SYSCTL

/* The file with these lines of the run put in; the caller frees it. */
static char *put(const char *path, const char *present, unsigned run, const char *lines)
{
	struct ta_buf b = TA_BUF_INIT;
	struct ta_err err = {0};

	ta_own_put(path, present, run, lines, &b, &err);
	assert_string_equal(err.text, "");
	return ta_buf_steal(&b);
}

/* Its lines alone, without what stands on top. */
static const char *body(const char *text)
{
	const char *sum = strstr(text, "Sum: ");

	assert_non_null(sum);
	return strchr(sum, '\n') + 1;
}

static int take(const char *path, const char *before, const char *after, const char *present, const char *only, char **ret,
	unsigned *ret_newer)
{
	struct ta_own_taken taken = {0};
	int rc = ta_own_take(path, before, after, present, only, &taken, NULL);

	*ret_newer = taken.newer;
	*ret = ta_buf_steal(&taken.value);
	return rc;
}

static void test_two_runs(void **state)
{
	char *one = put(SYSCTL, "absent", 5, "vm.swappiness = 10\nnet.core.somaxconn = 4096\n"), *two, *back;
	unsigned newer;

	assert_string_equal(body(one), "# run 5\nnet.core.somaxconn = 4096\nvm.swappiness = 10\n");
	assert_non_null(strstr(one, "tuneaudit rollback"));
	two = put(SYSCTL, one, 7, "vm.swappiness = 1\nnet.ipv4.tcp_rmem = 4096 131072 67108864\n");
	assert_string_equal(body(two), "# run 5\nnet.core.somaxconn = 4096\n"
				       "# run 7\nnet.ipv4.tcp_rmem = 4096 131072 67108864\nvm.swappiness = 1\n");
	/* the newer one first: byte for byte what was there */
	assert_int_equal(take(SYSCTL, one, two, two, NULL, &back, &newer), 0);
	assert_int_equal(newer, 0);
	assert_string_equal(back, one);
	free(back);
	assert_int_equal(take(SYSCTL, "absent", one, one, NULL, &back, &newer), 0);
	assert_string_equal(back, "absent");
	free(back);
	/* the older one first: what the newer has set anew stays, and is told */
	assert_int_equal(take(SYSCTL, "absent", one, two, NULL, &back, &newer), 0);
	assert_int_equal(newer, 7);
	assert_string_equal(body(back), "# run 7\nnet.ipv4.tcp_rmem = 4096 131072 67108864\nvm.swappiness = 1\n");
	free(one);
	free(two);
	free(back);
}

static void test_one_change_alone(void **state)
{
	char *one = put(SYSCTL, "absent", 5, "vm.swappiness = 10\nnet.core.somaxconn = 4096\n"), *part, *back;
	unsigned newer;

	assert_int_equal(take(SYSCTL, "absent", one, one, "vm.swappiness = 10\n", &part, &newer), 0);
	assert_string_equal(body(part), "# run 5\nnet.core.somaxconn = 4096\n");
	/* the rest, later, by the whole run */
	assert_int_equal(take(SYSCTL, "absent", one, part, NULL, &back, &newer), 0);
	assert_int_equal(newer, 0);
	assert_string_equal(back, "absent");
	free(one);
	free(part);
	free(back);
}

static void test_a_directory_made_for_it(void **state)
{
	char *one = put(SYSCTL, "nowhere", 5, "vm.swappiness = 10\n"), *two = put(SYSCTL, one, 6, "vm.dirty_ratio = 5\n"), *left, *back;
	unsigned newer;

	/* known by whoever takes the last line out, not only by whoever made it */
	assert_int_equal(take(SYSCTL, "nowhere", one, two, NULL, &left, &newer), 0);
	assert_int_equal(take(SYSCTL, one, two, left, NULL, &back, &newer), 0);
	assert_string_equal(back, "nowhere");
	free(back);
	/* somebody took the file away, and left the directory */
	assert_int_equal(take(SYSCTL, "nowhere", one, "absent", NULL, &back, &newer), 0);
	assert_string_equal(back, "nowhere");
	free(one);
	free(two);
	free(left);
	free(back);
}

static void expect_not_ours(const char *value, const char *why)
{
	ta_cleanup_own struct ta_own own = {0};
	struct ta_err err = {0};

	assert_int_equal(ta_own_parse(SYSCTL, value, &own, &err), -EBADMSG);
	if (!strstr(err.text, why))
		assert_string_equal(err.text, why);
}

static void test_not_ours(void **state)
{
	char *one = put(SYSCTL, "absent", 5, "vm.swappiness = 10\n"), *digit;
	unsigned newer;
	char *back;

	expect_not_ours("vm.swappiness = 10\n", "not from this program");
	expect_not_ours("", "not from this program");
	expect_not_ours("foreign 0123", "not from this program");
	digit = strstr(one, "= 10") + 2;
	*digit = '2';
	expect_not_ours(one, "was edited");
	assert_int_equal(take(SYSCTL, "absent", one, one, NULL, &back, &newer), -EBADMSG);
	free(back);
	*digit = '1';
	*strstr(one, "# run") = '\n';
	expect_not_ours(one, "was edited");
	free(one);
}

static void expect_lines(int rc, const char *path, const char *lines)
{
	struct ta_err err = {0};

	assert_int_equal(ta_own_check_lines(path, lines, TA_VALUE_WISHED, &err), rc);
	assert_int_equal(!*err.text, rc == 0);
}

#define NVME "ACTION==\"change\", SUBSYSTEM==\"nvme\", ENV{NVME_EVENT}==\"connected\", KERNEL==\"nvme0\", "
#define BLOCK "ACTION==\"add|change\", SUBSYSTEM==\"block\", KERNEL==\"sda\", "

static void test_the_tables(void **state)
{
	expect_lines(0, TA_OWN_SYSCTL, "vm.swappiness = 10\n");
	expect_lines(-EINVAL, TA_OWN_SYSCTL, "vm.swappiness = 1000\n");
	expect_lines(-EPERM, TA_OWN_SYSCTL, "kernel.core_pattern = |/tmp/x\n");
	expect_lines(-EINVAL, TA_OWN_SYSCTL, "vm.swappiness=10\n");
	expect_lines(-EPERM, TA_OWN_SYSCTL, "# vm.swappiness = 10\n");
	expect_lines(-EINVAL, TA_OWN_SYSCTL, "vm.swappiness = 10\nvm.swappiness = -5\n");
	expect_lines(0, TA_OWN_TMPFILES, "w /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n");
	expect_lines(-EINVAL, TA_OWN_TMPFILES, "w /sys/kernel/mm/transparent_hugepage/enabled - - - - maybe\n");
	expect_lines(-EPERM, TA_OWN_TMPFILES, "w /etc/shadow - - - - x\n");
	expect_lines(-EINVAL, TA_OWN_TMPFILES, "f /sys/kernel/mm/transparent_hugepage/enabled - - - - madvise\n");
	expect_lines(0, TA_OWN_MODULES, "tcp_bbr\nnf_conntrack\n");
	expect_lines(-EPERM, TA_OWN_MODULES, "evil\n");
	expect_lines(0, TA_OWN_UDEV, BLOCK "ATTR{queue/scheduler}=\"none\"\n" NVME "ATTR{power/pm_qos_latency_tolerance_us}=\"0\"\n");
	expect_lines(-EINVAL, TA_OWN_UDEV, BLOCK "ATTR{queue/scheduler}=\"none\", RUN+=\"/bin/sh\"\n");
	expect_lines(-EINVAL, TA_OWN_UDEV, "RUN+=\"/bin/sh\"\n");
	expect_lines(-EPERM, TA_OWN_UDEV, BLOCK "ATTR{../../x}=\"none\"\n");
	expect_lines(-EPERM, "/etc/passwd", "x\n");
}

/* A scheduler begins with its own depth, so it is set before that, whoever wanted it. */
static void test_order_of_udev_rules(void **state)
{
	char *one = put(TA_OWN_UDEV, "absent", 5, BLOCK "ATTR{queue/nr_requests}=\"64\"\n");
	char *two = put(TA_OWN_UDEV, one, 6, BLOCK "ATTR{queue/scheduler}=\"none\"\n");

	assert_string_equal(body(two), "# run 6\n" BLOCK "ATTR{queue/scheduler}=\"none\"\n"
				       "# run 5\n" BLOCK "ATTR{queue/nr_requests}=\"64\"\n");
	free(one);
	free(two);
}

static void test_lines_for_the_start(void **state)
{
	expect_lines(0, TA_OWN_BOOT, "irq 0000:01:00.0 eth0 rx 3 = 5\n");
	expect_lines(0, TA_OWN_BOOT, "irq 0000:01:00.0 $(id) combined - = 0-3\n");
	expect_lines(0, TA_OWN_BOOT, "attr 0000:01:00.0 /sys/class/net/eth0/queues/rx-0/rps_cpus = f\n");
	expect_lines(0, TA_OWN_BOOT, "attr - /sys/devices/system/cpu/cpufreq/policy0/scaling_governor = performance\n");
	expect_lines(0, TA_OWN_BOOT, "channels 0000:01:00.0 eth0 combined = 4\nrss - eth0 table = equal:4\n");
	/* names that look like the sign */
	expect_lines(0, TA_OWN_BOOT, "rings - = rx = 512\n");
	expect_lines(0, TA_OWN_BOOT, "qdisc - = = mq/fq\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "irq 0000:01:00.0 eth0 tea 3 = 5\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "irq 0000:01:00.0 eth0/../x rx 3 = 5\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "irq 0000:01:00.0 eth0 rx 3 = 5 \n");
	expect_lines(-EPERM, TA_OWN_BOOT, "attr - /proc/irq/24/smp_affinity_list = 5\n"); /* whose is it then? */
	expect_lines(-EPERM, TA_OWN_BOOT, "attr - /etc/shadow = x\n");
	expect_lines(-EPERM, TA_OWN_BOOT, "nofile - nginx.service = 65536\n");
	expect_lines(-EPERM, TA_OWN_BOOT, "sysctl - kernel.core_pattern = x\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "exec - /bin/sh = x\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "channels\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "channels 0000:01:00.0\n");
	expect_lines(-EINVAL, TA_OWN_BOOT, "channels 0000:01:00.0 eth0\n");
	expect_lines(0, TA_OWN_UNIT, "/usr/bin/tuneaudit boot\n");
	expect_lines(-EINVAL, TA_OWN_UNIT, "/bin/sh boot\n");
	expect_lines(-EINVAL, TA_OWN_UNIT, "/tmp/%h/tuneaudit boot\n");
	expect_lines(-EINVAL, TA_OWN_UNIT, "/usr/bin/tuneaudit rollback\n");
	expect_lines(-EINVAL, TA_OWN_WANTS, "evil.service\n");
}

/* It is there as long as one of the runs wants it. */
static void test_a_unit_of_several_runs(void **state)
{
	char *one = put(TA_OWN_UNIT, "absent", 5, "/usr/bin/tuneaudit boot\n"), *left, *back;
	char *two = put(TA_OWN_UNIT, one, 6, "/opt/bin/tuneaudit boot\n");
	unsigned newer;

	assert_non_null(strstr(one, "\nExecStart=/usr/bin/tuneaudit boot\n"));
	assert_non_null(strstr(two, "# run 5\n# run 6\n[Unit]\n"));
	assert_non_null(strstr(two, "\nExecStart=/opt/bin/tuneaudit boot\n"));
	assert_int_equal(take(TA_OWN_UNIT, "absent", one, two, NULL, &left, &newer), 0);
	assert_int_equal(newer, 0);
	assert_string_equal(strncmp(body(left), "# run 6\n[Unit]\n", 15) ? body(left) : "", "");
	assert_int_equal(take(TA_OWN_UNIT, one, two, left, NULL, &back, &newer), 0);
	assert_string_equal(back, "absent");
	free(left);
	free(back);
	assert_int_equal(take(TA_OWN_UNIT, one, two, two, NULL, &back, &newer), 0);
	assert_int_equal(take(TA_OWN_UNIT, "absent", one, back, NULL, &left, &newer), 0);
	assert_string_equal(left, "absent");
	free(left);
	free(back);
	free(two);
	back = put(TA_OWN_RC, "absent", 5, "/usr/bin/tuneaudit boot\n");
	assert_int_equal(strncmp(back, "#!/bin/sh\n", 10), 0);
	assert_non_null(strstr(back, "[ \"$1\" = boot ] && exec /usr/bin/tuneaudit boot\n"));
	assert_int_equal(take(TA_OWN_RC, "absent", back, back, NULL, &left, &newer), 0);
	assert_string_equal(left, "absent");
	free(one);
	free(left);
	free(back);
}

#define LINK "/etc/systemd/network/00-tuneaudit-0000:01:00.0.link"
#define BASE "[Match]\nPath=pci-0000:01:00.0\n[Link]\n# as 99-default.link sets it:\nNamePolicy=keep path\n"

/* Whoever goes first, what is left still says which interface is meant, and how it is named. */
static void test_a_link_file(void **state)
{
	char *one = put(LINK, "absent", 5, BASE "RxBufferSize=4096\n"), *two, *more, *left, *back;
	unsigned newer;
	struct ta_buf b = TA_BUF_INIT;

	assert_string_equal(body(one), BASE "# run 5\nRxBufferSize=4096\n");
	two = put(LINK, one, 6, "CombinedChannels=4\n");
	more = put(LINK, two, 6, "GenericReceiveOffload=yes\n");
	assert_string_equal(body(more), BASE "# run 5\nRxBufferSize=4096\n# run 6\nCombinedChannels=4\nGenericReceiveOffload=yes\n");
	assert_int_equal(take(LINK, "absent", one, more, NULL, &left, &newer), 0);
	assert_string_equal(body(left), BASE "# run 6\nCombinedChannels=4\nGenericReceiveOffload=yes\n");
	assert_int_equal(take(LINK, one, more, left, NULL, &back, &newer), 0);
	assert_string_equal(back, "absent");
	free(back);
	free(left);
	assert_int_equal(take(LINK, one, more, more, "CombinedChannels=4\n", &left, &newer), 0);
	assert_string_equal(body(left), BASE "# run 5\nRxBufferSize=4096\n# run 6\nGenericReceiveOffload=yes\n");
	/* the file went away since it was planned: without its base the line is nothing */
	assert_int_equal(ta_own_put(LINK, "absent", 7, "CombinedChannels=4\n", &b, NULL), -EBADMSG);
	expect_lines(-EINVAL, LINK, BASE "Name=evil\n");
	expect_lines(-EINVAL, LINK, "[Match]\nPath=x\\\nCombinedChannels=4\n");
	expect_lines(-EINVAL, LINK, "[SR-IOV]\nCombinedChannels=4\n");
	expect_lines(-EINVAL, LINK, BASE "CombinedChannels=04x\n");
	expect_lines(-EPERM, "/etc/systemd/network/00-tuneaudit-a/../../x.link", "CombinedChannels=4\n");
	expect_lines(-EPERM, "/etc/systemd/network/00-tuneaudit-.link", "CombinedChannels=4\n");
	ta_buf_done(&b);
	free(one);
	free(two);
	free(more);
	free(left);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_two_runs),
		cmocka_unit_test(test_one_change_alone),
		cmocka_unit_test(test_a_directory_made_for_it),
		cmocka_unit_test(test_not_ours),
		cmocka_unit_test(test_the_tables),
		cmocka_unit_test(test_order_of_udev_rules),
		cmocka_unit_test(test_lines_for_the_start),
		cmocka_unit_test(test_a_unit_of_several_runs),
		cmocka_unit_test(test_a_link_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
