/* What the next boot writes beside sysctls: who, where, and what it leaves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_persist, ta_probe_nic, ta_probe_ethtool, ta_probe_kconfig, ta_probe_nic_queues;
extern const struct ta_derivation ta_derive_persist;

static struct tree t;

#define THP "/sys/kernel/mm/transparent_hugepage/enabled"
#define SCHED "/sys/block/sda/queue/scheduler"
#define AHEAD "/sys/block/sda/queue/read_ahead_kb"
#define RPS "/sys/class/net/eth0/queues/rx-0/rps_cpus"
#define APST "/sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"
#define NIC "sys/devices/pci0000:00/0000:00:03.0/net/eth0/"
#define DISK "sys/devices/pci0000:00/0000:00:1f.2/ata1/block/sda/"
#define CTRL "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/"

static int setup(void **state)
{
	if (tree_make(&t) < 0)
		return -1;
	tree_file(&t, "proc/1/comm", "systemd\n");
	tree_file(&t, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	tree_link(&t, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:03.0/net/eth0");
	tree_link(&t, NIC "device", "../..");
	tree_link(&t, NIC "subsystem", "../../../../../class/net");
	tree_link(&t, "sys/devices/pci0000:00/0000:00:03.0/driver", "../../../bus/pci/drivers/igb");
	tree_link(&t, "sys/devices/pci0000:00/0000:00:03.0/subsystem", "../../../bus/pci");
	tree_file(&t, NIC "address", "52:54:00:aa:00:01\n");
	tree_file(&t, NIC "addr_assign_type", "0\n");
	tree_file(&t, NIC "name_assign_type", "1\n");
	tree_file(&t, NIC "type", "1\n");
	tree_file(&t, NIC "mtu", "1500\n");
	tree_file(&t, NIC "tx_queue_len", "1000\n");
	tree_file(&t, NIC "queues/rx-0/rps_cpus", "00000000,0000000f\n");
	tree_link(&t, "sys/block/sda", "../devices/pci0000:00/0000:00:1f.2/ata1/block/sda");
	tree_file(&t, DISK "queue/scheduler", "[none] mq-deadline kyber bfq\n");
	tree_file(&t, DISK "queue/read_ahead_kb", "128\n");
	tree_file(&t, DISK "queue/rotational", "0\n");
	tree_link(&t, "sys/class/nvme/nvme0", "../../devices/pci0000:00/0000:01:00.0/nvme/nvme0");
	tree_file(&t, CTRL "power/pm_qos_latency_tolerance_us", "100000\n");
	tree_file(&t, "sys/module/nvme_core/parameters/default_ps_max_latency_us", "100000\n");
	tree_file(&t, "etc/udev/rules.d/README", "ATTR{queue/scheduler}=\"bfq\"\n");
	return 0;
}

static int teardown(void **state)
{
	tree_remove(&t);
	return 0;
}

static struct ta_facts *look(void)
{
	static const struct ta_probe *const probes[] = {&ta_probe_persist, &ta_probe_nic, &ta_probe_ethtool, &ta_probe_kconfig, &ta_probe_nic_queues, NULL};
	static const struct ta_derivation *const derivations[] = {&ta_derive_persist, NULL};

	return probe_tree(&t, probes, derivations);
}

/* "FILE:LINE next-boot differs", "?" for what is not known, "nobody" where nothing sets it. */
static void assert_next(const char *target, const char *want)
{
	ta_cleanup_facts struct ta_facts *f = look();
	const char *file = ta_facts_get_str(f, TA_KEYS("persist", target, "file"));
	const char *next = ta_facts_get_str(f, TA_KEYS("persist", target, "next_boot"));
	bool differs = false, known = ta_facts_get_bool(f, TA_KEYS("persist", target, "differs"), &differs);
	char got[600], place[300] = "nobody";
	int64_t line = 0;

	ta_facts_get_i64(f, TA_KEYS("persist", target, "line"), &line);
	if (file)
		snprintf(place, sizeof(place), "%s:%d", file, (int)line);
	snprintf(got, sizeof(got), "%s %s %s", place, next ? next : "?", !known ? "?" : differs ? "differs" : "same");
	assert_string_equal(got, want);
}

static void udev(const char *text)
{
	tree_file(&t, "etc/udev/rules.d/90-a.rules", text);
}

#define RULE(n) "/etc/udev/rules.d/90-a.rules:" n

static void nothing(void **state)
{
	struct ta_facts *f = look();

	FACT(f, "false", "persist", THP, "persisted");
	FACT(f, "\"madvise\"", "persist", THP, "running");
	FACT(f, "false", "persist", THP, "by_hand");
	HOLE(f, TA_MISSING, "persist[\"" THP "\"].next_boot");
	FACT(f, "\"100000\"", "persist", APST, "next_boot");
	FACT(f, "false", "persist", APST, "by_hand");
	assert_null(ta_facts_at(f, TA_KEYS("persist", SCHED)));
	/* Receive steering is off where nothing sets it. */
	FACT(f, "\"f\"", "persist", RPS, "running");
	FACT(f, "\"0\"", "persist", RPS, "next_boot");
	FACT(f, "true", "persist", RPS, "by_hand");
	ta_facts_free(f);
	tree_file(&t, CTRL "power/pm_qos_latency_tolerance_us", "0\n");
	f = look();
	FACT(f, "true", "persist", APST, "by_hand");
	FACT(f, "true", "persist", APST, "differs");
	ta_facts_free(f);
}

static void tmpfiles(void **state)
{
	tree_file(&t, "usr/lib/tmpfiles.d/thp.conf", "# w x\nd /run/x 0755\n\nw! " THP " - - - - never\n");
	assert_next(THP, "/usr/lib/tmpfiles.d/thp.conf:4 never differs");
	/* By name, not by directory; of two lines for one path the first holds. */
	tree_file(&t, "etc/tmpfiles.d/a.conf", "w\t" THP "   - - - - \t madvise  \n");
	assert_next(THP, "/etc/tmpfiles.d/a.conf:1 madvise same");
	/* The same name in /etc stands for the one in /usr/lib, a link to /dev/null for nothing. */
	tree_link(&t, "etc/tmpfiles.d/thp.conf", "/dev/null");
	tree_file(&t, "etc/tmpfiles.d/a.conf", "w " THP " - - - -\nw " THP " - - - - -\nq " THP " - - - - never\nwx " THP " - - - - never\n");
	assert_next(THP, "nobody ? ?");
	/* Paths are patterns; quotes, escapes, and a percent sign that is two. */
	tree_file(&t, "etc/tmpfiles.d/a.conf", "w- /sys/block/sd*/queue/read_ahead_kb - - - - 0512\\n\nw /sys/class/block/sda//queue/scheduler - - - - bfq\n");
	assert_next(AHEAD, "/etc/tmpfiles.d/a.conf:1 512 differs");
	assert_next(SCHED, "/etc/tmpfiles.d/a.conf:2 bfq differs");
	tree_file(&t, "etc/tmpfiles.d/a.conf", "w " SCHED " - - - - noop\nw " AHEAD " - - - - %b\n");
	assert_next(SCHED, "/etc/tmpfiles.d/a.conf:1 ? ?");
	assert_next(AHEAD, "/etc/tmpfiles.d/a.conf:2 ? ?");
	tree_file(&t, "etc/tmpfiles.d/a.conf", "w+ " AHEAD " - - - - 256\nw+ " AHEAD " - - - - 512\n");
	assert_next(AHEAD, "/etc/tmpfiles.d/a.conf:2 512 differs");
}

static void overridden(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "etc/tmpfiles.d/a.conf", "w " AHEAD " - - - - 128\n");
	tree_file(&t, "etc/tmpfiles.d/b.conf", "w " AHEAD " - - - - 4096\nw " AHEAD " - - - - 128\n");
	f = look();
	/* The first and the last say the same. */
	FACT(f, "\"/etc/tmpfiles.d/b.conf\"", "persist", AHEAD, "file");
	FACT(f, "2", "persist", AHEAD, "line");
	FACT(f, "[\"/etc/tmpfiles.d/b.conf:1 sets 4096\"]", "persist", AHEAD, "overridden");
	FACT(f, "[\"/etc/tmpfiles.d/a.conf:1\",\"/etc/tmpfiles.d/b.conf:1\"]", "persist", AHEAD, "others");
	FACT(f, "true", "persist", AHEAD, "comparable");
	ta_facts_free(f);
	/* udev runs at the same time: of two that say different things either may come last. */
	udev("SUBSYSTEM==\"block\", ATTR{queue/read_ahead_kb}=\"256\"\n");
	assert_next(AHEAD, RULE("1") " ? ?");
	udev("SUBSYSTEM==\"block\", ATTR{queue/read_ahead_kb}=\"128\"\n");
	assert_next(AHEAD, RULE("1") " 128 same");
}

static void rule(const char *match, const char *want)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_printf(&text, "%s, ATTR{queue/scheduler}=\"bfq\"\n", match);
	udev(ta_buf_text(&text));
	assert_next(SCHED, want);
}

static void conditions(void **state)
{
	static const char yes[] = RULE("1") " bfq differs", no[] = "nobody ? ?", open[] = RULE("1") " ? ?";

	rule("KERNEL==\"sda\"", yes);
	rule("KERNEL==\"sd?|vd*\"", yes);
	rule("KERNEL==\"vd*\"", no);
	rule("KERNEL!=\"vd*\"", yes);
	rule("KERNEL==i\"SD*\"", yes);
	rule("KERNEL==\"SD*\"", no);
	rule("ACTION==\"add|change\", SUBSYSTEM==\"block\", ENV{DEVTYPE}==\"disk\"", yes);
	rule("ACTION==\"remove\"", no);
	rule("ACTION!=\"remove\"", yes);
	rule("ACTION==\"change\"", open);
	rule("SUBSYSTEM==\"net\"", no);
	rule("ENV{DEVTYPE}==\"partition\"", no);
	rule("ATTR{queue/rotational}==\"0\"", yes);
	rule("ATTR{queue/rotational}==\"1\"", no);
	rule("KERNELS==\"0000:00:1f.2\"", yes);
	rule("KERNELS==\"0000:00:1f.3\"", no);
	rule("SUBSYSTEM==\"block\", ENV{ID_SERIAL}==\"x\"", open);
	rule("KERNEL==\"sda\", PROGRAM==\"/bin/true\"", open);
	rule("KERNEL==\"sda\", IMPORT{program}=\"/bin/x\"", open);
	rule("TEST==\"queue/rotational\"", yes);
	/* One pair that cannot be read makes the line void. */
	rule("KERNEL==\"sda\", KERNEL=\"", no);
	rule("KERNEL==\"sda\", X", no);
	/* A line goes on behind a backslash, comments between them or not. */
	udev("KERNEL==\"sda\", \\\n# x\n  ATTR{queue/scheduler}=\"bfq\"\n");
	assert_next(SCHED, yes);
	udev("#KERNEL==\"sda\" ATTR{queue/scheduler}=\"bfq\"\n");
	assert_next(SCHED, no);
}

static void jumps(void **state)
{
	udev("KERNEL==\"sda\", GOTO=\"end\"\nATTR{queue/scheduler}=\"bfq\"\nLABEL=\"end\"\nATTR{queue/read_ahead_kb}=\"64\"\n");
	assert_next(SCHED, "nobody ? ?");
	assert_next(AHEAD, RULE("4") " 64 differs");
	udev("ENV{X}==\"sda\", GOTO=\"end\"\nATTR{queue/scheduler}=\"bfq\"\nLABEL=\"end\"\nATTR{queue/read_ahead_kb}=\"64\"\n");
	assert_next(SCHED, RULE("2") " ? ?");
	assert_next(AHEAD, RULE("4") " 64 differs");
	udev("KERNEL==\"sda\", GOTO=\"nowhere\"\nATTR{queue/scheduler}=\"bfq\"\n");
	assert_next(SCHED, RULE("2") " bfq differs");
	/* The last one holds, and files go by their names. */
	tree_file(&t, "usr/lib/udev/rules.d/99-z.rules", "KERNEL==\"sda\", ATTR{queue/scheduler}=\"none\"\n");
	assert_next(SCHED, "/usr/lib/udev/rules.d/99-z.rules:1 none same");
	udev("KERNEL==\"sda\", ATTR{queue/scheduler}=\"deadline\"\n");
	tree_link(&t, "etc/udev/rules.d/99-z.rules", "/dev/null");
	assert_next(SCHED, RULE("1") " mq-deadline differs");
}

static void nvme(void **state)
{
	udev("ACTION==\"change\", SUBSYSTEM==\"nvme\", KERNEL==\"nvme0\", ENV{NVME_EVENT}==\"connected\", "
	     "ATTR{power/pm_qos_latency_tolerance_us}=\"0\"\n");
	assert_next(APST, RULE("1") " 0 differs");
	udev("ACTION==\"add\", SUBSYSTEM==\"nvme\", ATTR{power/pm_qos_latency_tolerance_us}=\"0\"\n");
	assert_next(APST, RULE("1") " 0 differs");
	udev("");
	tree_file(&t, "proc/cmdline", "quiet nvme_core.default_ps_max_latency_us=100000 transparent_hugepage=always\n");
	assert_next(APST, "/proc/cmdline:0 100000 same");
	assert_next(THP, "/proc/cmdline:0 always differs");
}

static void interfaces(void **state)
{
	tree_file(&t, "etc/systemd/network/10-a.link", "[Match]\nDriver=igb\n[Link]\nMTUBytes=9000\nRxBufferSize=4096\nRxChannels=0\n"
		"GenericReceiveOffload=no\nRxCoalesceSec=50us\nUseAdaptiveRxCoalesce=yes\n");
	assert_next("eth0 mtu", "/etc/systemd/network/10-a.link:4 9000 differs");
	assert_next("eth0 rings rx", "/etc/systemd/network/10-a.link:5 4096 ?");
	assert_next("eth0 features rx-gro", "/etc/systemd/network/10-a.link:7 off ?");
	assert_next("eth0 coalesce rx-usecs", "/etc/systemd/network/10-a.link:8 50 ?");
	assert_next("eth0 coalesce adaptive-rx", "/etc/systemd/network/10-a.link:9 on ?");
	assert_next("eth0 channels rx", "nobody ? ?");
	/* Programs run behind the rules, whatever the file's name. */
	tree_file(&t, "etc/udev/rules.d/10-x.rules", "ACTION==\"add\", SUBSYSTEM==\"net\", KERNELS==\"0000:00:03.0\", "
		"RUN+=\"/usr/sbin/ethtool -G $name rx 2048 tx 512\"\n"
		"ACTION==\"add\", SUBSYSTEM==\"net\", DRIVERS==\"igb\", ATTR{queues/rx-0/rps_cpus}=\"0f\", ATTR{mtu}=\"1400\"\n"
		"ACTION==\"add\", SUBSYSTEM==\"net\", KERNELS==\"0000:00:04.0\", RUN+=\"ethtool -K $name gro on\"\n");
	assert_next("eth0 rings rx", "/etc/udev/rules.d/10-x.rules:1 2048 ?");
	assert_next("eth0 rings tx", "/etc/udev/rules.d/10-x.rules:1 512 ?");
	assert_next(RPS, "/etc/udev/rules.d/10-x.rules:2 f same");
	assert_next("eth0 mtu", "/etc/systemd/network/10-a.link:4 9000 differs");
	assert_next("eth0 features rx-gro", "/etc/systemd/network/10-a.link:7 off ?");
	tree_file(&t, "etc/udev/rules.d/90-x.rules", "SUBSYSTEM==\"net\", ENV{ID_NET_NAME}==\"eth0\", ATTR{mtu}=\"1500\"\n"
		"SUBSYSTEM==\"net\", RUN+=\"/bin/sh -c 'echo 3 > /sys/class/net/%k/queues/rx-0/rps_cpus'\"\n");
	assert_next("eth0 mtu", "/etc/udev/rules.d/90-x.rules:1 1500 same");
	assert_next(RPS, "/etc/udev/rules.d/90-x.rules:2 3 differs");
}

/* What came later than the host's systemd is passed over by it. */
static void versions(void **state)
{
	struct ta_facts *f;
	char old[512];

	tree_file(&t, "etc/systemd/network/10-a.link", "[Match]\nDriver=igb\n[Link]\nRxBufferSize=4096\nUseAdaptiveRxCoalesce=yes\n"
		"ReceivePacketSteeringCPUMask=0-3 5\nNTupleFilter=on\n");
	assert_next("eth0 coalesce adaptive-rx", "/etc/systemd/network/10-a.link:5 on ?");
	assert_next(RPS, "/etc/systemd/network/10-a.link:6 2f differs");
	tree_file(&t, "usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-247.so", "");
	assert_next("eth0 rings rx", "/etc/systemd/network/10-a.link:4 4096 ?");
	assert_next("eth0 coalesce adaptive-rx", "nobody ? ?");
	assert_next("eth0 features rx-ntuple-filter", "nobody ? ?");
	f = look();
	FACT(f, "[\"/etc/systemd/network/10-a.link:5\"]", "persist", "eth0 coalesce adaptive-rx", "others");
	ta_facts_free(f);
	tree_path(&t, "usr/lib/x86_64-linux-gnu/systemd/libsystemd-shared-247.so", &old);
	assert_int_equal(unlink(old), 0);
	tree_file(&t, "usr/lib/systemd/libsystemd-shared-256.7-1.fc41.so", "");
	assert_next("eth0 coalesce adaptive-rx", "/etc/systemd/network/10-a.link:5 on ?");
	assert_next(RPS, "/etc/systemd/network/10-a.link:6 2f differs");
	/* Worked out at boot, or more lines that add up. */
	tree_file(&t, "etc/systemd/network/10-a.link", "[Match]\nDriver=igb\n[Link]\nReceivePacketSteeringCPUMask=all\n");
	assert_next(RPS, "/etc/systemd/network/10-a.link:4 ? ?");
	tree_file(&t, "etc/systemd/network/10-a.link", "[Match]\nDriver=igb\n[Link]\nReceivePacketSteeringCPUMask=disable\n");
	assert_next(RPS, "/etc/systemd/network/10-a.link:4 0 differs");
}

/* This program's own unit comes last, finds interfaces by their address, and is nothing where nothing starts it. */
static void own_unit(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "etc/tuneaudit/boot.conf", "# made by tuneaudit\nrings 0000:00:03.0 old0 rx = 4096\n"
		"attr 0000:00:03.0 old0 /x = 1\nattr 0000:00:03.0 /sys/class/net/old0/queues/rx-0/rps_cpus = f\n"
		"irq 0000:00:03.0 eth0 rx 3 = 5\nattr - /sys/block/sda/queue/read_ahead_kb = 64\nrings 0000:00:09.0 eth9 rx = 1\nx\nx y = z\n");
	f = look();
	FACT(f, "false", "persist", AHEAD, "persisted");
	FACT(f, "[\"/etc/tuneaudit/boot.conf:6\"]", "persist", AHEAD, "others");
	ta_facts_free(f);
	tree_file(&t, "etc/systemd/system/multi-user.target.d/50-tuneaudit.conf", "[Unit]\nWants=tuneaudit-boot.service\n");
	udev("SUBSYSTEM==\"block\", ATTR{queue/read_ahead_kb}=\"256\"\n");
	assert_next(AHEAD, "/etc/tuneaudit/boot.conf:6 64 differs");
	assert_next("eth0 rings rx", "/etc/tuneaudit/boot.conf:2 4096 ?");
	assert_next(RPS, "/etc/tuneaudit/boot.conf:4 f same");
	f = look();
	FACT(f, "\"unit\"", "persist", AHEAD, "set_by");
	FACT(f, "[\"/etc/udev/rules.d/90-a.rules:1 sets 256\"]", "persist", AHEAD, "overridden");
	FACT(f, "\"irq\"", "persist", "eth0 irq rx 3", "kind");
	FACT(f, "\"rx 3\"", "persist", "eth0 irq rx 3", "setting");
	FACT(f, "\"5\"", "persist", "eth0 irq rx 3", "next_boot");
	assert_null(ta_facts_at(f, TA_KEYS("persist", "eth9 rings rx")));
	ta_facts_free(f);
	/* Where neither systemd nor udev is, it is all there is. */
	tree_file(&t, "proc/1/comm", "procd\n");
	assert_next(AHEAD, "/etc/tuneaudit/boot.conf:6 64 differs");
}

static void bad_files(void **state)
{
	struct ta_facts *f;
	struct ta_absence why;

	tree_file(&t, "etc/tmpfiles.d/dir.conf/x", "");
	tree_link(&t, "etc/tmpfiles.d/loop.conf", "loop.conf");
	tree_link(&t, "etc/udev/rules.d/loop.rules", "loop.rules");
	tree_file(&t, "etc/udev/rules.d/dir.rules/x", "");
	f = look();
	assert_false(ta_facts_incomplete(f, "persist", &why));
	ta_facts_free(f);
	tree_file(&t, "etc/tmpfiles.d/a.conf", "w " AHEAD " - - - - 64\n");
	tree_file(&t, "calls.json", "{\"errors\":{\"read\":{\"/etc/tmpfiles.d/a.conf\":\"EACCES\"}}}");
	f = look();
	assert_true(ta_facts_incomplete(f, "persist", &why));
	assert_int_equal(why.reason, TA_DENIED);
	assert_non_null(strstr(why.detail, "/etc/tmpfiles.d/a.conf"));
	/* What is not known whole says nothing of who set it by hand. */
	assert_null(ta_facts_at(f, TA_KEYS("persist", RPS)));
	ta_facts_free(f);
}

static void places(void **state)
{
	struct ta_facts *f;

	tree_file(&t, "proc/1/comm", "sh\n");
	tree_file(&t, NIC "queues/rx-0/rps_cpus", "0\n");
	f = look();
	FACT(f, "{}", "persist");
	ta_facts_free(f);
	teardown(NULL);
	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/1/comm", "systemd\n");
	f = look();
	HOLE(f, TA_MISSING, "persist");
	ta_facts_free(f);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {TEST(nothing), TEST(tmpfiles), TEST(overridden), TEST(conditions), TEST(jumps), TEST(nvme),
		TEST(interfaces), TEST(versions), TEST(own_unit), TEST(bad_files), TEST(places)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
