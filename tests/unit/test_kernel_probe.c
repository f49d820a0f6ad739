/* The kernel, its clock and its memory policies, of small hosts. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <zlib.h>

#include "probe/kcmdline.h"
#include "probe/meminfo.h"
#include "probe/version.h"
#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_kernel, ta_probe_kconfig, ta_probe_clocksource, ta_probe_mitigations,
	ta_probe_memory, ta_probe_thp_sizes, ta_probe_pressure, ta_probe_vmstat, ta_probe_power;

static struct tree t;
static struct ta_facts *f;

static int make(void **state)
{
	return tree_make(&t);
}

static int drop(void **state)
{
	f = ta_facts_free(f);
	tree_remove(&t);
	return 0;
}

static void collect(const struct ta_probe *a, const struct ta_probe *b)
{
	f = ta_facts_free(f);
	f = probe_tree(&t, (const struct ta_probe *const[]){a, b, NULL}, (const struct ta_derivation *const[]){NULL});
}

static void versions(void **state)
{
	static const struct {
		const char *release;
		int64_t v[3];
	} good[] = {
		{"6.1.0-13-amd64", {6, 1, 0}}, {"5.14.0-427.59.1.el9_4.x86_64", {5, 14, 0}}, {"6.18-rc1", {6, 18, 0}},
		{"2.6.32-754.el6", {2, 6, 32}}, {"7.0.12+", {7, 0, 12}}, {"5.4", {5, 4, 0}},
	};
	static const char *const bad[] = {"", "6", "6.", "v6.1", ".6.1", "99999999999.1", "six.one"};
	int64_t v[3];

	for (size_t i = 0; i < TA_ARRAY_SIZE(good); i++) {
		assert_int_equal(ta_version_parse(good[i].release, v), 0);
		assert_memory_equal(v, good[i].v, sizeof(v));
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(ta_version_parse(bad[i], v), -EINVAL);
}

static void release_and_arch(void **state)
{
	collect(&ta_probe_kernel, NULL);
	HOLE(f, TA_MISSING, "kernel.release");
	HOLE(f, TA_MISSING, "kernel.arch");
	HOLE(f, TA_MISSING, "kernel.cmdline");
	HOLE(f, TA_MISSING, "kernel.preemption");

	tree_file(&t, "extra/uname_-a", "Linux host 5.4.0-97-generic #110-Ubuntu SMP x86_64 GNU/Linux\n");
	collect(&ta_probe_kernel, NULL);
	FACT(f, "\"5.4.0-97-generic\"", "kernel", "release");

	tree_file(&t, "proc/version", "Linux version 6.1.0-13-amd64 (b@h) (gcc-12) #1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1\n");
	collect(&ta_probe_kernel, NULL);
	FACT(f, "\"6.1.0-13-amd64\"", "kernel", "release");
	FACT(f, "[6,1,0]", "kernel", "version");
	FACT(f, "\"#1 SMP PREEMPT_DYNAMIC Debian 6.1.55-1\"", "kernel", "build");

	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.172-216.329.amzn2023.aarch64\n");
	collect(&ta_probe_kernel, NULL);
	FACT(f, "\"aarch64\"", "kernel", "arch");
	tree_file(&t, "proc/sys/kernel/arch", "riscv64\n");
	tree_file(&t, "proc/sys/kernel/tainted", "4097\n");
	collect(&ta_probe_kernel, NULL);
	FACT(f, "\"riscv64\"", "kernel", "arch");
	FACT(f, "4097", "kernel", "tainted");
}

static void preemption_is(const char *build, const char *want)
{
	tree_file(&t, "proc/sys/kernel/version", build);
	collect(&ta_probe_kernel, NULL);
	FACT(f, want, "kernel", "preemption");
}

static void preemption(void **state)
{
	preemption_is("#1 SMP Debian\n", "\"none-or-voluntary\"");
	preemption_is("#1 SMP PREEMPT Debian\n", "\"full\"");
	preemption_is("#1 SMP PREEMPT_RT Debian\n", "\"rt\"");
	preemption_is("#1 SMP PREEMPT RT Debian\n", "\"rt\"");
	preemption_is("#1 SMP PREEMPT_LAZY Debian\n", "\"lazy\"");
	tree_file(&t, "proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
	collect(&ta_probe_kernel, NULL);
	HOLE(f, TA_MISSING, "kernel.preemption");
	tree_file(&t, "proc/cmdline", "preempt=voluntary quiet\n");
	preemption_is("#1 SMP PREEMPT_DYNAMIC Debian\n", "\"voluntary\"");
	tree_file(&t, "sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
	preemption_is("#1 SMP PREEMPT_DYNAMIC Debian\n", "\"full\"");
}

static int add_word(const char *key, const char *value, void *ctx)
{
	ta_buf_printf(ctx, "%s[%s] ", key, value);
	return 0;
}

static void command_line(void **state)
{
	static const char text[] = "  a b=1 c-d=e=f \"g h\"=\"i j\" =x k= a.b-c -- init arguments\n";
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT;

	assert_int_equal(ta_kcmdline_parse(text, sizeof(text) - 1, add_word, &words), 0);
	assert_string_equal(ta_buf_text(&words), "a[] b[1] c_d[e=f] g h[i j] k[] a.b_c[] ");

	tree_file(&t, "proc/cmdline", "quiet isolcpus=1 mitigations=off isolcpus=2-3\n");
	collect(&ta_probe_kernel, NULL);
	FACT(f, "\"off\"", "kernel", "cmdline", "mitigations");
	FACT(f, "\"2-3\"", "kernel", "cmdline", "isolcpus");
}

/* gzip of a configuration of a few lines. */
static const uint8_t packed[] = {
	31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 83, 230, 82, 86, 112, 44, 45, 201, 207, 77,
	44, 201, 76, 78, 204, 201, 169, 84, 72, 79, 205, 75, 45, 74, 44, 73, 77, 81, 72, 203,
	204, 73, 181, 86, 112, 241, 87, 240, 243, 15, 81, 112, 117, 241, 12, 209, 227, 82, 230, 114,
	246, 247, 115, 243, 116, 143, 247, 136, 178, 53, 54, 48, 0, 106, 134, 242, 189, 29, 131, 29,
	253, 20, 50, 139, 21, 242, 242, 75, 20, 138, 83, 75, 96, 234, 2, 130, 61, 109, 43, 97,
	28, 167, 64, 31, 4, 39, 34, 32, 216, 182, 18, 0, 113, 207, 162, 95, 127, 0, 0, 0,
};

/* A file that unpacks to more than any configuration has. */
static void fill_bomb(const char *path)
{
	static uint8_t zeros[6 << 20];
	gzFile z = gzopen(path, "wb9");

	memset(zeros, '#', sizeof(zeros));
	if (!z || gzwrite(z, zeros, sizeof(zeros)) != sizeof(zeros) || gzclose(z) != Z_OK)
		abort();
}

static void packed_configuration(void **state)
{
	char path[512];

	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_bytes(&t, "proc/config.gz", packed, sizeof(packed));
	collect(&ta_probe_kconfig, NULL);
	FACT(f, "{\"HZ\":\"300\",\"KASAN\":\"n\",\"PSI\":\"y\",\"BQL\":\"y\",\"XPS\":\"y\"}", "kernel", "config");
	/* Cut short, with a byte turned, followed by something else, of nothing. */
	for (size_t n = 0; n < sizeof(packed); n++) {
		tree_bytes(&t, "proc/config.gz", packed, n);
		collect(&ta_probe_kconfig, NULL);
		HOLE(f, TA_MALFORMED, "kernel.config");
	}
	for (size_t i = 0; i < sizeof(packed); i++) {
		uint8_t copy[sizeof(packed) + 9];

		memcpy(copy, packed, sizeof(packed));
		memset(copy + sizeof(packed), 'x', 9);
		/* Time stamp, flags of the packer and its system (bytes 4 to 9) are nobody's business. */
		copy[i] ^= 0x40;
		tree_bytes(&t, "proc/config.gz", copy, sizeof(copy));
		collect(&ta_probe_kconfig, NULL);
		/* Bits between the last code and the sum are nobody's either: the sum tells. */
		if ((i < 4 || i > 9) && !ta_facts_at(f, TA_KEYS("kernel", "config")))
			HOLE(f, TA_MALFORMED, "kernel.config");
		else
			FACT(f, "\"300\"", "kernel", "config", "HZ");
	}
	tree_path(&t, "proc/config.gz", &path);
	fill_bomb(path);
	collect(&ta_probe_kconfig, NULL);
	HOLE(f, TA_MALFORMED, "kernel.config");
}

static void build_configuration(void **state)
{
	collect(&ta_probe_kconfig, NULL);
	HOLE(f, TA_MISSING, "kernel.config");
	tree_file(&t, "proc/sys/kernel/osrelease", "6.1.0\n");
	tree_file(&t, "proc/config.gz", "x");
	collect(&ta_probe_kconfig, NULL);
	HOLE(f, TA_MALFORMED, "kernel.config");
	tree_file(&t, "boot/config-6.1.0",
		"CONFIG_HZ=250\n# CONFIG_KASAN is not set\nCONFIG_HZ_250=y\n# CONFIG_KASAN_INLINE is not set\nCONFIG_PREEMPT_RT=y\n");
	collect(&ta_probe_kconfig, NULL);
	FACT(f, "{\"HZ\":\"250\",\"KASAN\":\"n\",\"PREEMPT_RT\":\"y\"}", "kernel", "config");
	tree_file(&t, "proc/sys/kernel/osrelease", "../../etc/6.1.0\n");
	collect(&ta_probe_kconfig, NULL);
	HOLE(f, TA_MALFORMED, "kernel.config");
}

static void clock_and_mitigations(void **state)
{
	tree_file(&t, "sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n");
	tree_file(&t, "sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet acpi_pm \n");
	tree_file(&t, "sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	collect(&ta_probe_clocksource, &ta_probe_mitigations);
	FACT(f, "\"tsc\"", "kernel", "clocksource", "current");
	FACT(f, "[\"tsc\",\"hpet\",\"acpi_pm\"]", "kernel", "clocksource", "available");
	FACT(f, "\"Mitigation: PTI\"", "kernel", "vulnerabilities", "meltdown");
	HOLE(f, TA_NOT_ASKED, "kernel.clocksource.read_ns");
}

/* Measured on the machine that runs the test: some time, and not long. */
static void clock_is_measured(void **state)
{
	struct ta_host *h = NULL;
	int64_t ns = 0;

	assert_int_equal(ta_host_live(&h, NULL), 0);
	f = ta_facts_new();
	ta_probe_clocksource.collect(h, f);
	ta_host_free(h);
	assert_true(ta_facts_get_i64(f, TA_KEYS("kernel", "clocksource", "read_ns"), &ns));
	assert_in_range(ns, 1, 1000000);
}

static void meminfo(void **state)
{
	static const char text[] = "MemTotal:       16316412 kB\nMemTotal:  1 kB\nHugePages_Total:       7\n"
				   "Hugepagesize:       2048 kB\nMemFree: kB\nDirty: -5 kB\nCached:99999999999999999999 kB\n"
				   "Node 3 MemFree:  12 kB\nNode 3 SwapFree: 18446744073709551615 kB\nno colon\n";
	struct ta_meminfo m;

	ta_meminfo_parse(text, sizeof(text) - 1, &m);
	assert_true(m.has[TA_MEM_TOTAL]);
	assert_int_equal(m.value[TA_MEM_TOTAL], INT64_C(16316412) * 1024);
	assert_int_equal(m.value[TA_MEM_HUGE_TOTAL], 7);
	assert_int_equal(m.value[TA_MEM_HUGE_SIZE], 2048 * 1024);
	assert_int_equal(m.value[TA_MEM_FREE], 12 * 1024);
	assert_false(m.has[TA_MEM_DIRTY]);
	assert_false(m.has[TA_MEM_CACHED]);
	assert_false(m.has[TA_MEM_SWAP_FREE]);
	assert_false(m.has[TA_MEM_AVAILABLE]);
}

static void memory(void **state)
{
	tree_file(&t, "proc/meminfo", "MemTotal: 28616 kB\nMemFree: 2000 kB\nSwapTotal: 0 kB\n");
	tree_file(&t, "proc/swaps",
		"Filename\tType\tSize\tUsed\tPriority\n/dev/zram0 partition 8388604\t76\t100\nbroken line\n");
	tree_file(&t, "sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	tree_file(&t, "sys/kernel/mm/transparent_hugepage/defrag", "always defer [defer+madvise] madvise never\n");
	tree_file(&t, "sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "1\n");
	tree_file(&t, "sys/kernel/mm/transparent_hugepage/hugepages-64kB/enabled", "always inherit madvise [never]\n");
	tree_file(&t, "sys/kernel/mm/transparent_hugepage/hugepages-8kB/shmem_enabled", "[never]\n");
	tree_file(&t, "sys/kernel/mm/lru_gen/enabled", "0x0007\n");
	tree_file(&t, "proc/sys/vm/swappiness", "60\n");
	tree_file(&t, "proc/sys/vm/dirty_ratio", "20\n");
	tree_file(&t, "proc/sys/vm/zone_reclaim_mode", "x\n");
	collect(&ta_probe_memory, &ta_probe_thp_sizes);
	FACT(f, "29302784", "memory", "total_bytes");
	HOLE(f, TA_MISSING, "memory.available_bytes");
	assert_non_null(strstr(ta_facts_absence(f, "memory.available_bytes").detail, "3.14"));
	FACT(f, "0", "memory", "swap", "total_bytes");
	FACT(f, "{\"/dev/zram0\":{\"type\":\"partition\",\"size_bytes\":8589930496,\"used_bytes\":77824,\"priority\":100}}",
		"memory", "swap", "devices");
	FACT(f, "\"madvise\"", "memory", "thp", "enabled");
	FACT(f, "\"defer+madvise\"", "memory", "thp", "defrag");
	FACT(f, "true", "memory", "thp", "khugepaged_defrag");
	FACT(f, "{\"64\":\"never\"}", "memory", "thp", "sizes");
	FACT(f, "7", "memory", "lru_gen");
	FACT(f, "60", "memory", "swappiness");
	FACT(f, "20", "memory", "dirty", "ratio");
	HOLE(f, TA_MALFORMED, "memory.zone_reclaim_mode");
	HOLE(f, TA_MISSING, "memory.thp.shmem");
}

static void pressure(void **state)
{
	tree_file(&t, "proc/pressure/memory",
		"some avg10=1.50 avg60=0.02 avg300=100.00 total=123\nfull avg10=0.00 avg60=x avg300=0.0 total=-1\n");
	tree_file(&t, "proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
	collect(&ta_probe_pressure, NULL);
	FACT(f, "1.5", "pressure", "memory", "some", "avg10");
	FACT(f, "0.02", "pressure", "memory", "some", "avg60");
	FACT(f, "100.0", "pressure", "memory", "some", "avg300");
	FACT(f, "123", "pressure", "memory", "some", "total_us");
	FACT(f, "0.0", "pressure", "memory", "full", "avg10");
	HOLE(f, TA_MISSING, "pressure.memory.full.avg60");
	HOLE(f, TA_MISSING, "pressure.memory.full.total_us");
	HOLE(f, TA_MISSING, "pressure.cpu.full.avg10");
	HOLE(f, TA_MISSING, "pressure.io.some.avg10");
}

static void vm_counters(void **state)
{
	tree_file(&t, "proc/vmstat",
		"nr_free_pages 12\nallocstall_dma 1\nallocstall_normal 40\nallocstall_movable 2\npgmajfault 18446744073709551615\n"
		"pswpin 7\npswpin_extra 9\noom_kill 0");
	collect(&ta_probe_vmstat, NULL);
	FACT(f, "43", "counters", "vm", "allocstall");
	FACT(f, "18446744073709551615", "counters", "vm", "pgmajfault");
	FACT(f, "7", "counters", "vm", "pswpin");
	FACT(f, "0", "counters", "vm", "oom_kill");
	HOLE(f, TA_MISSING, "counters.vm.pswpout");

	/* One counter before 4.10; one that is no number says nothing of the others. */
	tree_file(&t, "proc/vmstat", "allocstall 12\n");
	collect(&ta_probe_vmstat, NULL);
	FACT(f, "12", "counters", "vm", "allocstall");
	tree_file(&t, "proc/vmstat", "allocstall_dma 18446744073709551615\nallocstall_normal 1\npswpin 3\n");
	collect(&ta_probe_vmstat, NULL);
	HOLE(f, TA_MALFORMED, "counters.vm.allocstall");
	tree_file(&t, "proc/vmstat", "pswpin many\n");
	collect(&ta_probe_vmstat, NULL);
	HOLE(f, TA_MALFORMED, "counters.vm.pswpin");
}

static void power(void **state)
{
	collect(&ta_probe_power, NULL);
	HOLE(f, TA_MISSING, "power.aspm");
	HOLE(f, TA_MISSING, "power.on_battery");

	tree_file(&t, "sys/class/net/x", "");
	tree_file(&t, "sys/module/pcie_aspm/parameters/policy", "default performance [powersave] powersupersave\n");
	collect(&ta_probe_power, NULL);
	FACT(f, "\"powersave\"", "power", "aspm");
	FACT(f, "false", "power", "on_battery");

	/* What a mouse does is not what the machine does. */
	tree_file(&t, "sys/class/power_supply/AC/type", "Mains\n");
	tree_file(&t, "sys/class/power_supply/mouse/type", "Battery\n");
	tree_file(&t, "sys/class/power_supply/mouse/scope", "Device\n");
	tree_file(&t, "sys/class/power_supply/mouse/status", "Discharging\n");
	tree_file(&t, "sys/class/power_supply/BAT0/type", "Battery\n");
	tree_file(&t, "sys/class/power_supply/BAT0/status", "Not charging\n");
	collect(&ta_probe_power, NULL);
	FACT(f, "false", "power", "on_battery");
	tree_file(&t, "sys/class/power_supply/BAT0/status", "Discharging\n");
	collect(&ta_probe_power, NULL);
	FACT(f, "true", "power", "on_battery");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
	const struct CMUnitTest tests[] = {
		TEST(versions), TEST(release_and_arch), TEST(preemption), TEST(command_line), TEST(build_configuration), TEST(packed_configuration),
		TEST(clock_and_mitigations), TEST(clock_is_measured), TEST(meminfo), TEST(memory), TEST(pressure),
		TEST(vm_counters), TEST(power),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
