/* CPUs, nodes, clocks and core types of small hosts: one test for each way in which machines mislead. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/value.h"
#include "tests/unit/probes.h"

extern const struct ta_probe ta_probe_cpu, ta_probe_numa, ta_probe_cpufreq, ta_probe_cpuidle, ta_probe_cputime,
	ta_probe_epb, ta_probe_throttle;
extern const struct ta_derivation ta_derive_node_cores, ta_derive_asymmetry;

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

static void collect(void)
{
	ta_facts_free(f);
	f = probe_tree(&t, (const struct ta_probe *const[]){&ta_probe_cpu, &ta_probe_numa, &ta_probe_cpufreq, NULL},
		(const struct ta_derivation *const[]){&ta_derive_node_cores, &ta_derive_asymmetry, NULL});
}

#define CPU "sys/devices/system/cpu/"
#define NODE "sys/devices/system/node/"

static void ta_printf(2, 3) file(const char *text, const char *fmt, ...)
{
	char name[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	tree_file(&t, name, text);
}

static void ta_printf(2, 3) number(int v, const char *fmt, ...)
{
	char name[256], text[32];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	snprintf(text, sizeof(text), "%d\n", v);
	tree_file(&t, name, text);
}

/* CPUs 0 … n−1, `threads` neighbours on each core, `per_package` on each package. */
static void plain(int n, int threads, int per_package)
{
	char list[32];

	snprintf(list, sizeof(list), n > 1 ? "0-%d\n" : "%d\n", n - 1);
	file(list, CPU "online");
	file(list, CPU "present");
	file(list, CPU "possible");
	for (int c = 0; c < n; c++) {
		int first = c - c % threads, package = c / per_package * per_package;

		snprintf(list, sizeof(list), "%d-%d\n", first, first + threads - 1);
		file(list, CPU "cpu%d/topology/thread_siblings_list", c);
		snprintf(list, sizeof(list), "%d-%d\n", package, package + per_package - 1);
		file(list, CPU "cpu%d/topology/core_siblings_list", c);
		number(c / per_package, CPU "cpu%d/topology/physical_package_id", c);
		number(first, CPU "cpu%d/topology/core_id", c);
	}
}

static void plain_machine(void **state)
{
	plain(8, 2, 4);
	file("\n", CPU "isolated");
	file("0-3\n", NODE "node0/cpulist");
	file("4-7\n", NODE "node1/cpulist");
	file("Node 0 MemTotal:  1000 kB\nNode 0 MemFree:  10 kB\n", NODE "node0/meminfo");
	collect();
	FACT(f, "8", "cpu", "online");
	FACT(f, "2", "cpu", "sockets");
	FACT(f, "4", "cpu", "physical_cores");
	FACT(f, "2", "cpu", "threads_per_core");
	FACT(f, "2", "cpu", "min_threads_per_core");
	FACT(f, "[0,0,2,2,4,4,6,6]", "cpu", "core_of");
	FACT(f, "[]", "cpu", "isolated");
	FACT(f, "false", "cpu", "asymmetric");
	FACT(f, "2", "numa_nodes");
	FACT(f, "2", "numa", "1", "physical_cores");
	FACT(f, "1024000", "numa", "0", "memory_bytes");
	FACT(f, "{}", "cpu", "policies");
	HOLE(f, TA_MISSING, "cpu.model");
	HOLE(f, TA_MISSING, "numa.1.memory_bytes");
}

static void cpu0_is_offline(void **state)
{
	plain(4, 1, 4);
	file("1,3\n", CPU "online");
	file("0,2,4-63\n", CPU "offline");
	file("0-63\n", CPU "possible");
	collect();
	FACT(f, "2", "cpu", "online");
	FACT(f, "[1,3]", "cpu", "online_list");
	FACT(f, "[0,2]", "cpu", "offline_list");
	FACT(f, "4", "cpu", "present");
	FACT(f, "64", "cpu", "possible");
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "1", "cpu", "sockets");
	FACT(f, "[1,3]", "numa", "0", "cpus");
}

static void never_present_is_not_offline(void **state)
{
	plain(4, 2, 4);
	file("4-511\n", CPU "offline");
	collect();
	FACT(f, "0", "cpu", "offline");
}

/* Partly offline siblings: one thread here, two there, and still one kind of core. */
static void without_online_file(void **state)
{
	char online[512];

	plain(4, 2, 4);
	tree_path(&t, CPU "online", &online);
	unlink(online);
	file("0\n", CPU "cpu3/online");
	file("1\n", CPU "cpu2/online");
	file("2\n", CPU "cpu2/topology/thread_siblings_list");
	file("processor : 0\nprocessor : 1\nprocessor : 2\nprocessor : 3\n", "proc/cpuinfo");
	collect();
	FACT(f, "[0,1,2]", "cpu", "online_list");
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "2", "cpu", "threads_per_core");
	FACT(f, "1", "cpu", "min_threads_per_core");
	FACT(f, "false", "cpu", "asymmetric");
}

static void last_sources_of_online(void **state)
{
	file("           CPU0       CPU2       CPU11\n  1:  5 5 5 name\n", "proc/interrupts");
	collect();
	FACT(f, "[0,2,11]", "cpu", "online_list");
	FACT(f, "\"/proc/interrupts\"", "cpu", "online_source");
	HOLE(f, TA_MISSING, "cpu.physical_cores");
	HOLE(f, TA_MISSING, "cpu.asymmetric");
	HOLE(f, TA_MISSING, "numa_nodes");
	f = ta_facts_free(f);
	file("processor : 0\nprocessor : 5\n", "proc/cpuinfo");
	collect();
	FACT(f, "[0,5]", "cpu", "online_list");
	f = ta_facts_free(f);
	file("cpu  1 2 3\ncpu1 1 2 3\ncpu3 1 2 3\nintr 5\ncpu7 hidden\n", "proc/stat");
	collect();
	FACT(f, "[1,3]", "cpu", "online_list");
}

static void nothing_is_known(void **state)
{
	collect();
	HOLE(f, TA_MISSING, "cpu.online");
	HOLE(f, TA_MISSING, "cpu.physical_cores");
	HOLE(f, TA_MISSING, "cpu.policies");
	HOLE(f, TA_MISSING, "numa");
}

static void wide_machine(void **state)
{
	plain(1152, 2, 288);
	collect();
	FACT(f, "1152", "cpu", "online");
	FACT(f, "576", "cpu", "physical_cores");
	FACT(f, "4", "cpu", "sockets");
	FACT(f, "576", "numa", "0", "physical_cores");
}

static void siblings_without_smt(void **state)
{
	plain(2, 2, 2);
	number(-1, CPU "cpu%d/topology/core_id", 0);
	number(-1, CPU "cpu%d/topology/physical_package_id", 0);
	file("0\n", CPU "smt/active");
	file("notimplemented\n", CPU "smt/control");
	collect();
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "1", "cpu", "threads_per_core");
	FACT(f, "false", "cpu", "smt", "active");
	FACT(f, "\"none\"", "cpu", "smt", "kind");
	HOLE(f, TA_MISSING, "cpu.sockets");
}

/* The same kernel without the smt directory: nobody knows. */
static void default_sibling_list(void **state)
{
	plain(2, 2, 2);
	number(-1, CPU "cpu%d/topology/core_id", 0);
	collect();
	HOLE(f, TA_MISSING, "cpu.physical_cores");
	HOLE(f, TA_MISSING, "numa.0.physical_cores");
}

static void packages_not_known(void **state)
{
	plain(8, 4, 8);
	for (int c = 0; c < 8; c++)
		number(-1, CPU "cpu%d/topology/physical_package_id", c);
	collect();
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "4", "cpu", "threads_per_core");
	HOLE(f, TA_MISSING, "cpu.sockets");
	f = ta_facts_free(f);
	for (int c = 0; c < 8; c++)
		number(65535, CPU "cpu%d/topology/physical_package_id", c);
	collect();
	HOLE(f, TA_MISSING, "cpu.sockets");
}

static void one_cpu_is_one_of_each(void **state)
{
	file("0\n", CPU "online");
	collect();
	FACT(f, "1", "cpu", "physical_cores");
	FACT(f, "1", "cpu", "sockets");
	FACT(f, "1", "cpu", "threads_per_core");
	FACT(f, "false", "cpu", "asymmetric");
}

static void huge_package_numbers(void **state)
{
	plain(4, 1, 2);
	number(36, CPU "cpu%d/topology/physical_package_id", 0);
	number(36, CPU "cpu%d/topology/physical_package_id", 1);
	number(8442, CPU "cpu%d/topology/physical_package_id", 2);
	number(8442, CPU "cpu%d/topology/physical_package_id", 3);
	collect();
	FACT(f, "2", "cpu", "sockets");
	FACT(f, "[36,36,8442,8442]", "cpu", "package_of");
}

static void masks_and_ids_of_old_kernels(void **state)
{
	/* Only masks. */
	file("0-39\n", CPU "online");
	for (int c = 0; c < 40; c++) {
		file(c < 32 ? "00000000,ffffffff\n" : "000000ff,00000000\n", CPU "cpu%d/topology/thread_siblings", c);
		number(0, CPU "cpu%d/topology/physical_package_id", c);
	}
	collect();
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "32", "cpu", "threads_per_core");
	FACT(f, "8", "cpu", "min_threads_per_core");
	f = ta_facts_free(f);
	tree_remove(&t);
	tree_make(&t);
	/* Only ids; core numbers repeat in each package. */
	file("0-3\n", CPU "online");
	for (int c = 0; c < 4; c++) {
		number(c / 2, CPU "cpu%d/topology/physical_package_id", c);
		number(c % 2, CPU "cpu%d/topology/core_id", c);
	}
	collect();
	FACT(f, "4", "cpu", "physical_cores");
	FACT(f, "2", "cpu", "sockets");
}

static void ids_of_cpuinfo(void **state)
{
	file("0-3\n", CPU "online");
	file("processor : 0\nvendor_id : X\nphysical id : 0\ncore id : 0\n\nprocessor : 1\nphysical id : 0\ncore id : 2\n\n"
	     "processor : 2\nphysical id : 0\ncore id : 0\n\nprocessor : 3\nphysical id : 0\ncore id : 2\n\n",
		"proc/cpuinfo");
	collect();
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "[0,1,0,1]", "cpu", "core_of");
	FACT(f, "1", "cpu", "sockets");
}

/* Before 4.2 there is no cpu/isolated, and copies often lack it. */
static void isolation_of_the_command_line(void **state)
{
	static const struct {
		const char *cmdline, *isolated;
	} all[] = {
		{"isolcpus=2-3,5 quiet\n", "[2,3,5]"}, {"quiet\n", "[]"}, {"isolcpus=1 isolcpus=2\n", "[2]"},
		{"isolcpus=domain,managed_irq,4\n", "[4]"}, {"isolcpus=managed_irq,4\n", "[]"}, {"isolcpus=nohz,4-5\n", "[]"},
	};

	file("0-7\n", CPU "online");
	for (size_t i = 0; i < TA_ARRAY_SIZE(all); i++) {
		file(all[i].cmdline, "proc/cmdline");
		collect();
		FACT(f, all[i].isolated, "cpu", "isolated");
		FACT(f, "[]", "cpu", "nohz_full");
	}
	file("isolcpus=4-1 nohz_full=1-7\n", "proc/cmdline");
	collect();
	HOLE(f, TA_MALFORMED, "cpu.isolated");
	HOLE(f, TA_MISSING, "cpu.nohz_full");
}

static void lscpu_of_a_report(void **state)
{
	file("0-7\n", CPU "online");
	file("Thread(s) per core: 2\nCore(s) per socket: 2\nSocket(s): 2\nModel name: Some CPU\n", "extra/lscpu");
	collect();
	FACT(f, "4", "cpu", "physical_cores");
	FACT(f, "2", "cpu", "threads_per_core");
	FACT(f, "2", "cpu", "sockets");
	FACT(f, "\"Some CPU\"", "cpu", "model");
	FACT(f, "4", "numa", "0", "physical_cores");
	HOLE(f, TA_MISSING, "cpu.core_of");
}

static void bulldozer_modules(void **state)
{
	plain(4, 2, 4);
	file("processor : 0\nvendor_id : AuthenticAMD\ncpu family : 21\nmodel name : A\nflags : fpu\n\n", "proc/cpuinfo");
	collect();
	FACT(f, "2", "cpu", "physical_cores");
	FACT(f, "\"module\"", "cpu", "smt", "kind");
	FACT(f, "false", "cpu", "aes");
}

static void arm_cluster_is_no_socket(void **state)
{
	static const char stanza[] = "processor : %d\nFeatures : asimd aes\nCPU implementer : 0x41\nCPU part : %s\n\n";
	char text[1024] = "";

	plain(4, 1, 2);
	for (int c = 0; c < 4; c++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), stanza, c, c < 2 ? "0xd05" : "0xd0b");
	file(text, "proc/cpuinfo");
	/* Different cores in different packages: never two sockets, whatever the firmware. */
	file("Vendor\n", "sys/class/dmi/id/sys_vendor");
	collect();
	FACT(f, "1", "cpu", "sockets");
	FACT(f, "[0,0,0,0]", "cpu", "package_of");
	FACT(f, "true", "cpu", "asymmetric");
	FACT(f, "\"Cortex-A55 + Cortex-A76\"", "cpu", "model");
	HOLE(f, TA_MISSING, "cpu.fast_cpus");
	f = ta_facts_free(f);

	/* A server: firmware tables, the same cores in both. */
	text[0] = '\0';
	for (int c = 0; c < 4; c++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), stanza, c, "0xd0c");
	file(text, "proc/cpuinfo");
	collect();
	FACT(f, "2", "cpu", "sockets");
	FACT(f, "\"Neoverse-N1\"", "cpu", "model");
	HOLE(f, TA_MISSING, "cpu.asymmetric"); /* one part may come in clusters of two clocks */
	f = ta_facts_free(f);
	for (int c = 0; c < 4; c++)
		file("1024\n", CPU "cpu%d/cpu_capacity", c);
	collect();
	FACT(f, "false", "cpu", "asymmetric");
	FACT(f, "[0,1,2,3]", "cpu", "fast_cpus");
	f = ta_facts_free(f);

	/* A board: no firmware tables, one node or none. */
	tree_remove(&t);
	tree_make(&t);
	plain(4, 1, 2);
	file(text, "proc/cpuinfo");
	collect();
	FACT(f, "1", "cpu", "sockets");
}

static void policy(int first, const char *cpus, int khz)
{
	file(cpus, CPU "cpufreq/policy%d/affected_cpus", first);
	file("ondemand\n", CPU "cpufreq/policy%d/scaling_governor", first);
	number(khz, CPU "cpufreq/policy%d/cpuinfo_max_freq", first);
}

static void big_little_by_clock(void **state)
{
	plain(8, 1, 8);
	policy(0, "0 1 2 3\n", 1800000);
	policy(4, "4 5\n", 2400000);
	policy(6, "6 7\n", 2352000);
	collect();
	FACT(f, "true", "cpu", "asymmetric");
	FACT(f, "[4,5,6,7]", "cpu", "fast_cpus");
	FACT(f, "4", "cpu", "types", "type1", "cores");
	FACT(f, "[4,5]", "cpu", "policies", "policy4", "cpus");
	FACT(f, "\"ondemand\"", "cpu", "policies", "policy6", "governor");
	HOLE(f, TA_MISSING, "cpu.policies.policy0.driver");
}

static void capacity_ranks(void **state)
{
	plain(4, 1, 4);
	for (int c = 0; c < 4; c++)
		number(c < 3 ? 1024 : 446, CPU "cpu%d/cpu_capacity", c);
	collect();
	FACT(f, "[1024,1024,1024,446]", "cpu", "capacity");
	FACT(f, "true", "cpu", "asymmetric");
	FACT(f, "[0,1,2]", "cpu", "fast_cpus");
}

/* Two performance cores with two threads, two efficient ones; the favoured core clocks 4 % higher. */
static void hybrid_x86(void **state)
{
	plain(6, 2, 6);
	file("4\n", CPU "cpu4/topology/thread_siblings_list");
	file("5\n", CPU "cpu5/topology/thread_siblings_list");
	file("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nflags : aes\n\n", "proc/cpuinfo");
	for (int c = 0; c < 6; c++)
		policy(c, "", c < 2 ? 5200000 : c < 4 ? 5000000 : 3900000);
	collect();
	FACT(f, "4", "cpu", "physical_cores");
	FACT(f, "true", "cpu", "asymmetric");
	FACT(f, "[0,1,2,3]", "cpu", "types", "type0", "cpus");
	FACT(f, "5200000", "cpu", "types", "type0", "max_khz");
	FACT(f, "[4,5]", "cpu", "types", "type1", "cpus");
	FACT(f, "[0,1,2,3]", "cpu", "fast_cpus");
	assert_null(ta_facts_at(f, TA_KEYS("cpu", "types", "type2")));
}

/* What could not be read of one core makes it no other core. */
static void one_file_less_is_no_type(void **state)
{
	plain(4, 2, 4);
	file("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nflags : aes\n\n", "proc/cpuinfo");
	for (int c = 0; c < 4; c++)
		policy(c, "", 3900000);
	file("", CPU "cpufreq/policy0/cpuinfo_max_freq");
	collect();
	HOLE(f, TA_MISSING, "cpu.asymmetric");
	f = ta_facts_free(f);
	file("3900000\n", CPU "cpufreq/policy0/cpuinfo_max_freq");
	file("", CPU "cpu0/topology/thread_siblings_list");
	collect();
	FACT(f, "false", "cpu", "asymmetric");
}

static void favoured_cores_are_no_type(void **state)
{
	plain(4, 1, 4);
	file("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nflags : aes\n\n", "proc/cpuinfo");
	for (int c = 0; c < 4; c++)
		policy(c, "", c == 2 ? 4700000 : 4500000);
	collect();
	FACT(f, "false", "cpu", "asymmetric");
	FACT(f, "[0,1,2,3]", "cpu", "fast_cpus");
}

static void base_clock_tells_types(void **state)
{
	plain(3, 1, 3);
	file("processor : 0\nvendor_id : GenuineIntel\ncpu family : 6\nflags : aes\n\n", "proc/cpuinfo");
	for (int c = 0; c < 3; c++) {
		policy(c, "", c == 2 ? 3000000 : 2800000);
		number(c == 2 ? 2000000 : 1400000, CPU "cpufreq/policy%d/base_frequency", c);
	}
	collect();
	FACT(f, "true", "cpu", "asymmetric");
	FACT(f, "[2]", "cpu", "fast_cpus");
}

static void perf_names_types(void **state)
{
	plain(4, 1, 4);
	file("0-1\n", "sys/devices/cpu_core/cpus");
	file("2-3\n", "sys/devices/cpu_atom/cpus");
	collect();
	FACT(f, "[2,3]", "cpu", "kinds", "cpu_atom");
	FACT(f, "true", "cpu", "asymmetric");
}

/* A virtual machine with three CPUs of two threads per core is no hybrid. */
static void odd_number_of_threads(void **state)
{
	plain(4, 2, 4);
	file("0-2\n", CPU "online");
	file("0-2\n", CPU "present");
	file("2\n", CPU "cpu2/topology/thread_siblings_list");
	collect();
	FACT(f, "1", "cpu", "min_threads_per_core");
	FACT(f, "false", "cpu", "asymmetric");
}

static void shared_policy_of_old_kernels(void **state)
{
	plain(2, 1, 2);
	file("0 1\n", CPU "cpu0/cpufreq/affected_cpus");
	file("ondemand\n", CPU "cpu0/cpufreq/scaling_governor");
	file("conservative ondemand\n", CPU "cpu0/cpufreq/scaling_available_governors");
	file("x500\n", CPU "cpu0/cpufreq/scaling_driver");
	file("800000\n", CPU "cpu0/cpufreq/cpuinfo_max_freq");
	file("700000\n", CPU "cpu0/cpufreq/scaling_max_freq");
	collect();
	FACT(f, "[0,1]", "cpu", "policies", "policy0", "cpus");
	FACT(f, "\"x500\"", "cpu", "policies", "policy0", "driver");
	FACT(f, "[\"conservative\",\"ondemand\"]", "cpu", "policies", "policy0", "governors");
	FACT(f, "800000", "cpu", "policies", "policy0", "max_khz");
	FACT(f, "700000", "cpu", "policies", "policy0", "scaling_max_khz");
	assert_null(ta_facts_at(f, TA_KEYS("cpu", "policies", "policy1")));
}

static void sleeping_policy_is_left_out(void **state)
{
	plain(2, 1, 2);
	policy(0, "0 1\n", 1000000);
	policy(2, "\n", 2000000);
	collect();
	assert_null(ta_facts_at(f, TA_KEYS("cpu", "policies", "policy2")));
	FACT(f, "false", "cpu", "asymmetric");
}

static void slow_clock_is_not_asked(void **state)
{
	plain(1, 1, 1);
	policy(0, "0\n", 1000000);
	file("acpi-cpufreq\n", CPU "cpufreq/policy0/scaling_driver");
	file("900000\n", CPU "cpufreq/policy0/scaling_cur_freq");
	file("5.10.0-8-amd64\n", "proc/sys/kernel/osrelease");
	collect();
	HOLE(f, TA_NOT_ASKED, "cpu.policies.policy0.cur_khz");
	f = ta_facts_free(f);
	file("6.1.0\n", "proc/sys/kernel/osrelease");
	collect();
	FACT(f, "900000", "cpu", "policies", "policy0", "cur_khz");
}

static void turbo_and_limits(void **state)
{
	plain(1, 1, 1);
	file("1\n", CPU "intel_pstate/no_turbo");
	file("active\n", CPU "intel_pstate/status");
	file("80\n", CPU "intel_pstate/max_perf_pct");
	file("balanced\n", "sys/firmware/acpi/platform_profile");
	collect();
	FACT(f, "false", "cpu", "boost");
	FACT(f, "\"active\"", "cpu", "pstate", "status");
	FACT(f, "80", "cpu", "pstate", "max_perf_percent");
	FACT(f, "\"balanced\"", "cpu", "platform_profile");
	f = ta_facts_free(f);
	tree_remove(&t);
	tree_make(&t);
	plain(1, 1, 1);
	file("1\n", CPU "cpufreq/boost");
	file("guided\n", CPU "amd_pstate/status");
	collect();
	FACT(f, "true", "cpu", "boost");
	FACT(f, "\"guided\"", "cpu", "pstate", "status");
}

static void nodes_with_holes_and_without_cpus(void **state)
{
	plain(4, 2, 4);
	file("0,2\n", NODE "node0/cpulist");
	file("1,3\n", NODE "node12/cpulist");
	file("\n", NODE "node3/cpulist");
	file("10 20 20\n", NODE "node12/distance");
	file("0,3,12\n", NODE "online");
	collect();
	FACT(f, "3", "numa_nodes");
	FACT(f, "\"sysfs\"", "numa_source");
	FACT(f, "[1,3]", "numa", "12", "cpus");
	FACT(f, "[]", "numa", "3", "cpus");
	FACT(f, "0", "numa", "3", "physical_cores");
	FACT(f, "2", "numa", "0", "physical_cores");
	FACT(f, "[10,20,20]", "numa", "12", "distance");
}

static void nodes_by_mask(void **state)
{
	plain(4, 1, 4);
	file("0000000c\n", NODE "node1/cpumap");
	file("00000000,00000003\n", NODE "node0/cpumap");
	collect();
	FACT(f, "2", "numa_nodes");
	FACT(f, "[2,3]", "numa", "1", "cpus");
}

static void overlapping_nodes_are_one(void **state)
{
	plain(4, 1, 2);
	file("0-3\n", NODE "node0/cpulist");
	file("0-3\n", NODE "node1/cpulist");
	file("MemTotal: 4000 kB\n", "proc/meminfo");
	collect();
	FACT(f, "1", "numa_nodes");
	FACT(f, "\"overlapping\"", "numa_source");
	FACT(f, "[0,1,2,3]", "numa", "0", "cpus");
	FACT(f, "4", "numa", "0", "physical_cores");
	FACT(f, "4096000", "numa", "0", "memory_bytes");
	assert_null(ta_facts_at(f, TA_KEYS("numa", "1")));
}

static void no_node_directory(void **state)
{
	plain(2, 1, 2);
	file("Node 0, zone      DMA      1\nNode 0, zone   Normal      1\n", "proc/buddyinfo");
	collect();
	FACT(f, "1", "numa_nodes");
	FACT(f, "\"no-directory\"", "numa_source");
	FACT(f, "[0,1]", "numa", "0", "cpus");
	f = ta_facts_free(f);
	/* The directory was not copied. */
	file("Node 0, zone   Normal      1\nNode 1, zone   Normal      1\n", "proc/buddyinfo");
	collect();
	FACT(f, "2", "numa_nodes");
	FACT(f, "\"buddyinfo\"", "numa_source");
	HOLE(f, TA_MISSING, "numa.1.cpus");
	HOLE(f, TA_MISSING, "numa.1.physical_cores");
}

/* A report that has the output of lscpu and little of /sys. */
static void what_lscpu_printed(void **state)
{
	static const char text[] = "CPU(s): 6\nOn-line CPU(s) list: 0-3,6\nOff-line CPU(s) list: 7\nThread(s) per core: 2\n"
				   "Core(s) per socket: 3\nSocket(s): 1\nNUMA node(s): 2\nNUMA node0 CPU(s): 0-3\n"
				   "NUMA node4 CPU(s): 6\n";
	struct ta_host *h;
	struct ta_err err;

	file(text, "extra/lscpu");
	collect();
	FACT(f, "5", "cpu", "online");
	FACT(f, "[0,1,2,3,6]", "cpu", "online_list");
	FACT(f, "1", "cpu", "offline");
	FACT(f, "3", "cpu", "physical_cores");
	FACT(f, "2", "cpu", "threads_per_core");
	FACT(f, "1", "cpu", "min_threads_per_core");
	FACT(f, "1", "cpu", "sockets");
	FACT(f, "2", "numa_nodes");
	FACT(f, "\"lscpu\"", "numa_source");
	FACT(f, "[6]", "numa", "4", "cpus");
	f = ta_facts_free(f);
	/* Without a node directory two nodes are not one: a card's node is not 0. */
	file("0-3,6\n", CPU "online");
	collect();
	FACT(f, "2", "numa_nodes");
	assert_int_equal(ta_host_capture(t.dir, &h, &err), 0);
	assert_int_equal(ta_numa_count(h).v, 2);
	ta_host_free(h);
}

static void null_in_nohz_full(void **state)
{
	plain(2, 1, 2);
	file("  (null)\n", CPU "nohz_full");
	file("1\n", CPU "isolated");
	collect();
	FACT(f, "[]", "cpu", "nohz_full");
	FACT(f, "[1]", "cpu", "isolated");
}

static void idle_time_and_heat(void **state)
{
	plain(2, 1, 2);
	file("1\n", CPU "online");
	file("intel_idle\n", CPU "cpuidle/current_driver");
	file("menu\n", CPU "cpuidle/current_governor_ro");
	file("C6\n", CPU "cpu1/cpuidle/state3/name");
	file("133\n", CPU "cpu1/cpuidle/state3/latency");
	file("1\n", CPU "cpu1/cpuidle/state3/disable");
	file("C1E\n", CPU "cpu1/cpuidle/state2/name");
	file("10\n", CPU "cpu1/cpuidle/state2/latency");
	file("0\n", CPU "cpu1/cpuidle/state2/disable");
	file("2\n", "sys/module/intel_idle/parameters/max_cstate");
	file("{\"calls\":{\"cpu_dma_latency\":{\"rc\":0,\"data\":\"3130\"}}}", "calls.json");
	file("7\n", CPU "cpu1/thermal_throttle/core_throttle_count");
	file("cpu  100 20 30 800 10 0 5 35 0 0\ncpu1 1 1 1 1\n", "proc/stat");
	f = probe_tree(&t,
		(const struct ta_probe *const[]){&ta_probe_cpuidle, &ta_probe_cputime, &ta_probe_throttle, NULL},
		(const struct ta_derivation *const[]){NULL});
	FACT(f, "\"intel_idle\"", "cpu", "idle", "driver");
	FACT(f, "\"menu\"", "cpu", "idle", "governor");
	FACT(f, "{\"name\":\"C6\",\"latency_us\":133,\"disabled\":true}", "cpu", "idle", "states", "state3");
	FACT(f, "10", "cpu", "idle", "max_latency_us");
	FACT(f, "10", "cpu", "idle", "latency_limit_us");
	FACT(f, "2", "cpu", "idle", "max_cstate");
	FACT(f, "120", "cpu", "time", "user");
	FACT(f, "810", "cpu", "time", "idle");
	FACT(f, "35", "cpu", "time", "steal");
	FACT(f, "3.5", "cpu", "time", "steal_percent");
	FACT(f, "7", "cpu", "throttle", "core_events");
	HOLE(f, TA_MISSING, "cpu.throttle.package_events");
	f = ta_facts_free(f);
	file("{\"calls\":{\"cpu_dma_latency\":{\"rc\":\"EACCES\"}}}", "calls.json");
	file("haltpoll\n", CPU "cpuidle/current_driver");
	f = probe_tree(&t, (const struct ta_probe *const[]){&ta_probe_cpuidle, NULL}, (const struct ta_derivation *const[]){NULL});
	HOLE(f, TA_DENIED, "cpu.idle.latency_limit_us");
	HOLE(f, TA_UNSUPPORTED, "cpu.idle.max_cstate");
	f = ta_facts_free(f);
	/* 2000000000: nobody asks for anything. */
	file("{\"calls\":{\"cpu_dma_latency\":{\"rc\":0,\"data\":\"32303030303030303030\"}}}", "calls.json");
	file("1\n", CPU "cpu1/cpuidle/state2/disable");
	f = probe_tree(&t, (const struct ta_probe *const[]){&ta_probe_cpuidle, NULL}, (const struct ta_derivation *const[]){NULL});
	FACT(f, "\"unlimited\"", "cpu", "idle", "latency_limit_us");
	HOLE(f, TA_MISSING, "cpu.idle.max_latency_us");
	f = ta_facts_free(f);
	file("intr 5\n", "proc/stat");
	file("6\n", CPU "cpu1/power/energy_perf_bias");
	f = probe_tree(&t, (const struct ta_probe *const[]){&ta_probe_cputime, &ta_probe_epb, NULL},
		(const struct ta_derivation *const[]){NULL});
	HOLE(f, TA_MALFORMED, "cpu.time.steal");
	FACT(f, "6", "cpu", "epb");
}

static void nonsense(void **state)
{
	file("0-1\n", CPU "online");
	file("banana\n", CPU "present");
	file("5-1\n", CPU "isolated");
	file("0-99999999\n", CPU "cpu0/topology/thread_siblings_list");
	file("3000000000000000000000\n", CPU "cpu0/topology/physical_package_id");
	file("x\n", CPU "cpu0/cpu_capacity");
	file("banana\n", NODE "node0/cpulist");
	tree_bytes(&t, "proc/cpuinfo", "\0\377\n::::\n\0", 9);
	collect();
	FACT(f, "2", "cpu", "online");
	HOLE(f, TA_MALFORMED, "cpu.isolated");
	HOLE(f, TA_MISSING, "cpu.physical_cores");
	HOLE(f, TA_MISSING, "cpu.sockets");
	HOLE(f, TA_UNSUPPORTED, "numa.0.cpus");
	HOLE(f, TA_MISSING, "numa.0.physical_cores");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, drop)
	const struct CMUnitTest tests[] = {
		TEST(plain_machine), TEST(cpu0_is_offline), TEST(never_present_is_not_offline), TEST(without_online_file),
		TEST(last_sources_of_online), TEST(nothing_is_known), TEST(wide_machine), TEST(siblings_without_smt),
		TEST(default_sibling_list), TEST(packages_not_known), TEST(one_cpu_is_one_of_each),
		TEST(huge_package_numbers), TEST(masks_and_ids_of_old_kernels), TEST(ids_of_cpuinfo),
		TEST(lscpu_of_a_report), TEST(isolation_of_the_command_line), TEST(bulldozer_modules), TEST(arm_cluster_is_no_socket),
		TEST(big_little_by_clock), TEST(capacity_ranks), TEST(hybrid_x86), TEST(one_file_less_is_no_type),
		TEST(favoured_cores_are_no_type),
		TEST(base_clock_tells_types), TEST(perf_names_types), TEST(odd_number_of_threads),
		TEST(shared_policy_of_old_kernels), TEST(sleeping_policy_is_left_out), TEST(slow_clock_is_not_asked),
		TEST(turbo_and_limits), TEST(nodes_with_holes_and_without_cpus), TEST(nodes_by_mask),
		TEST(overlapping_nodes_are_one), TEST(no_node_directory), TEST(what_lscpu_printed),
		TEST(null_in_nohz_full),
		TEST(idle_time_and_heat), TEST(nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
