/* Whatever fails, and whenever: each declared fact has a value or a reason, and nothing crashes. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_clocksource, ta_probe_cpu, ta_probe_cpufreq, ta_probe_cpuidle, ta_probe_cputime,
	ta_probe_epb, ta_probe_kconfig, ta_probe_kernel, ta_probe_memory, ta_probe_mitigations, ta_probe_numa, ta_probe_place,
	ta_probe_pressure, ta_probe_thp_sizes, ta_probe_throttle, ta_probe_linkfile, ta_probe_logins, ta_probe_nvme,
	ta_probe_tuned, ta_probe_irqbalance, ta_probe_agents;
extern const struct ta_derivation ta_derive_asymmetry, ta_derive_node_cores;

static const struct ta_probe *const probes[] = {
	&ta_probe_clocksource, &ta_probe_cpu, &ta_probe_cpufreq, &ta_probe_cpuidle, &ta_probe_cputime, &ta_probe_epb,
	&ta_probe_kconfig,
	&ta_probe_kernel, &ta_probe_memory, &ta_probe_mitigations, &ta_probe_numa, &ta_probe_place, &ta_probe_pressure,
	&ta_probe_thp_sizes, &ta_probe_throttle, &ta_probe_linkfile, &ta_probe_logins, &ta_probe_nvme, &ta_probe_tuned,
	&ta_probe_irqbalance, &ta_probe_agents,
};

static struct tree t;

static int make(void **state)
{
	return tree_make(&t);
}

static int drop(void **state)
{
	tree_remove(&t);
	return 0;
}

/* The path up to the key of a collection: "cpu.policies" of "cpu.policies.*.governor". */
static void hold_field(const struct ta_facts *f, const struct ta_field *field, const char *when)
{
	ta_cleanup_strv struct ta_strv keys = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *path[16] = {0};
	size_t n = 0;

	ta_strv_split(&keys, field->path, ".");
	for (; n < keys.n && n < 15 && keys.v[n][0] != '*'; n++)
		path[n] = keys.v[n];
	ta_path_format(&text, path);
	if (!ta_facts_at(f, path) && !*ta_facts_absence(f, ta_buf_text(&text)).detail)
		fail_msg("%s has neither value nor reason, %s", ta_buf_text(&text), when);
}

static void hold(struct ta_host *inner, const struct ta_fault *plan, const char *when, unsigned *operations)
{
	struct ta_facts *f = ta_facts_new();
	struct ta_host *h = NULL;

	assert_int_equal(ta_host_fault(inner, plan, &h), 0);
	for (size_t i = 0; i < TA_ARRAY_SIZE(probes); i++)
		probes[i]->collect(h, f);
	ta_derive_asymmetry.compute(f);
	ta_derive_node_cores.compute(f);
	*operations = ta_host_operations(h);
	for (size_t i = 0; i < TA_ARRAY_SIZE(probes); i++)
		for (size_t k = 0; k < probes[i]->n_fields; k++)
			hold_field(f, &probes[i]->fields[k], when);
	for (size_t k = 0; k < ta_derive_asymmetry.n_fields; k++)
		hold_field(f, &ta_derive_asymmetry.fields[k], when);
	assert_int_equal(ta_facts_error(f), 0);
	ta_facts_free(f);
	ta_host_free(h);
}

static struct ta_host *capture(void)
{
	struct ta_host *h = NULL;

	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	return h;
}

static void fill(void)
{
	static const char *const files[][2] = {
		{"sys/devices/system/cpu/online", "0-1\n"}, {"sys/devices/system/cpu/present", "0-1\n"},
		{"sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0-1\n"},
		{"sys/devices/system/cpu/cpu0/topology/physical_package_id", "0\n"},
		{"sys/devices/system/cpu/cpu1/topology/physical_package_id", "0\n"},
		{"sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n"},
		{"sys/devices/system/cpu/cpu0/cpuidle/state0/name", "POLL\n"},
		{"sys/devices/system/node/node0/cpulist", "0-1\n"}, {"sys/devices/system/node/node0/meminfo", "x\n"},
		{"sys/class/dmi/id/sys_vendor", "QEMU\n"}, {"proc/cpuinfo", "processor : 0\nvendor_id : X\nflags : aes\n"},
		{"proc/meminfo", "MemTotal: 1 kB\n"}, {"proc/swaps", "Filename\n/x file 1 1 -2\n"},
		{"proc/stat", "cpu  1 2 3 4\n"}, {"proc/cmdline", "quiet\n"}, {"proc/sys/kernel/osrelease", "6.1.0\n"},
		{"proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC\n"}, {"boot/config-6.1.0", "CONFIG_HZ=100\n"},
		{"proc/pressure/cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"},
		{"proc/self/status", "Uid: 0 0 0 0\nCapEff: 1\n"}, {"proc/1/comm", "init\n"},
		{"proc/self/mountinfo", "1 1 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"},
		{"sys/devices/system/cpu/vulnerabilities/mds", "Not affected\n"},
		{"sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
		{"sys/class/nvme/nvme0/model", "SSD\n"}, {"sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us", "100\n"},
		{"sys/devices/pci0000:00/0000:00:03.0/net/eth0/address", "52:54:00:00:00:01\n"},
		{"etc/systemd/network/a.link", "[Match]\nMACAddress=52:54:00:00:00:01\n[Link]\nMTUBytes=9000\n"},
		{"etc/security/limits.conf", "* - nofile 5\n"}, {"etc/tuned/active_profile", "mine\n"},
		{"etc/tuned/mine/tuned.conf", "[cpu]\ngovernor=performance\n"}, {"usr/sbin/irqbalance", ""},
		{"usr/lib/systemd/system/irqbalance.service", "[Service]\nExecStart=/usr/sbin/irqbalance -i 5\n"},
		{"etc/default/irqbalance", "IRQBALANCE_BANNED_CPULIST=1\n"}, {"usr/sbin/ufw", ""},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(files); i++)
		tree_file(&t, files[i][0], files[i][1]);
	tree_link(&t, "sys/class/net/eth0", "../../devices/pci0000:00/0000:00:03.0/net/eth0");
}

static void nothing_there(void **state)
{
	unsigned n;

	hold(capture(), &(struct ta_fault){0}, "on an empty host", &n);
	assert_true(n > 0);
}

static void every_operation_fails_once(void **state)
{
	static const int errors[] = {-EACCES, -EIO, -ENOENT, -EBADMSG};
	unsigned n, last;
	char when[64];

	fill();
	hold(capture(), &(struct ta_fault){0}, "on a small host", &last);
	for (size_t e = 0; e < TA_ARRAY_SIZE(errors); e++)
		for (unsigned at = 1; at <= last; at++) {
			bool all_after = at % 2;

			snprintf(when, sizeof(when), "with operation %u%s ending in %d", at,
				all_after ? " and all after it" : "", errors[e]);
			hold(capture(), &(struct ta_fault){.at = at, .rc = errors[e], .all_after = all_after}, when, &n);
		}
}

/* Each file replaced by another one's content, or by noise. */
static void wrong_content(void **state)
{
	static const char *const contents[] = {
		"", "\n", "0-99999999999999\n", "-1\n", "999999999999999999999999\n", "a b c d e f\n", ":::::\n: \n",
		"[always] [never]\n", "0,1,2,3-\n", "Node 0 MemTotal: kB\n", "some avg10=\nfull\n", "=\n==\n\"\n",
	};
	unsigned n;

	for (size_t i = 0; i < TA_ARRAY_SIZE(contents); i++) {
		static const char *const names[] = {
			"online", "present", "possible", "isolated", "nohz_full", "smt/active", "smt/control",
			"cpu0/topology/thread_siblings_list", "cpu0/topology/physical_package_id", "cpu0/cpu_capacity",
			"cpufreq/policy0/affected_cpus", "cpufreq/policy0/cpuinfo_max_freq", "cpufreq/boost",
			"cpu0/cpuidle/state0/latency", "vulnerabilities/x", "cpu0/thermal_throttle/core_throttle_count",
		};
		static const char *const others[] = {
			"sys/devices/system/node/node0/cpulist", "sys/devices/system/node/node1/cpumap",
			"sys/devices/system/node/node0/meminfo", "sys/devices/system/node/node0/distance", "proc/meminfo",
			"proc/swaps", "proc/cpuinfo", "proc/stat", "proc/cmdline", "proc/sys/kernel/osrelease",
			"proc/sys/kernel/version", "proc/pressure/io", "proc/self/status", "proc/1/comm", "proc/1/cgroup",
			"proc/self/mountinfo", "proc/sys/vm/swappiness", "sys/kernel/mm/lru_gen/enabled", "extra/lscpu",
			"sys/kernel/mm/transparent_hugepage/enabled", "sys/hypervisor/type", "proc/buddyinfo",
		};
		char name[128];

		tree_remove(&t);
		assert_int_equal(tree_make(&t), 0);
		for (size_t k = 0; k < TA_ARRAY_SIZE(names); k++) {
			snprintf(name, sizeof(name), "sys/devices/system/cpu/%s", names[k]);
			tree_file(&t, name, contents[i]);
		}
		for (size_t k = 0; k < TA_ARRAY_SIZE(others); k++)
			tree_file(&t, others[k], contents[i]);
		hold(capture(), &(struct ta_fault){0}, "with wrong content", &n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(nothing_there, make, drop),
		cmocka_unit_test_setup_teardown(every_operation_fails_once, make, drop),
		cmocka_unit_test_setup_teardown(wrong_content, make, drop),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
