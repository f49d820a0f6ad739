/* /proc/cpuinfo in its layouts, and lscpu's output. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/cpuinfo.h"
#include "probe/lscpu.h"

static struct ta_cpuinfo ci;

static void parse(const char *text)
{
	ta_cpuinfo_done(&ci);
	assert_int_equal(ta_cpuinfo_parse(&ci, text, strlen(text)), 0);
}

static int drop(void **state)
{
	ta_cpuinfo_done(&ci);
	return 0;
}

static void x86_layout(void **state)
{
	parse("processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
	      "model name\t:        Intel(R) Xeon(R) CPU       @ 2.00GHz\nphysical id\t: 1\ncore id\t\t: 5\n"
	      "flags\t\t: fpu sse2 aes hypervisor\n\n"
	      "processor\t: 17\nvendor_id\t: GenuineIntel\nphysical id\t: 0\ncore id\t\t: 4\n\n");
	assert_int_equal(ci.layout, TA_CPU_X86);
	assert_string_equal(ci.model, "Intel(R) Xeon(R) CPU @ 2.00GHz");
	assert_string_equal(ci.vendor, "GenuineIntel");
	assert_string_equal(ci.arch, "x86_64");
	assert_int_equal(ci.family, 6);
	assert_true(ci.aes && ci.hypervisor && ci.has_flags);
	assert_int_equal(ci.n_cpus, 2);
	assert_int_equal(ci.cpus[1].cpu, 17);
	assert_int_equal(ci.cpus[0].package, 1);
	assert_int_equal(ci.cpus[1].core, 4);
}

static void x86_words_are_whole(void **state)
{
	parse("processor : 0\nvendor_id : GenuineIntel\nfdiv_bug : no\nflags : aesx xaes vaes hypervisors\n");
	assert_true(ci.has_flags);
	assert_false(ci.aes);
	assert_false(ci.hypervisor);
	assert_string_equal(ci.arch, "i686");
}

static void x86_first_only(void **state)
{
	ta_cpuinfo_done(&ci);
	ci.first_only = true;
	assert_int_equal(ta_cpuinfo_line(&ci, "processor : 0", 13), 0);
	assert_int_equal(ta_cpuinfo_line(&ci, "vendor_id : AuthenticAMD", 24), 0);
	assert_int_equal(ta_cpuinfo_line(&ci, "", 0), -ECANCELED);
}

static void arm32_old_layout(void **state)
{
	parse("Processor\t: ARMv7 Processor rev 4 (v7l)\nprocessor\t: 0\nBogoMIPS\t: 1694.10\n\nprocessor\t: 1\n\n"
	      "Features\t: swp half thumb neon vfpv4\nCPU implementer\t: 0x41\nCPU architecture: 7\nCPU part\t: 0xc0f\n\n"
	      "Hardware\t: A BOARD\n");
	assert_int_equal(ci.layout, TA_CPU_ARM);
	assert_int_equal(ci.n_cpus, 2);
	assert_string_equal(ci.model, "ARMv7 Processor rev 4 (v7l)");
	assert_string_equal(ci.arch, "armv7l");
	assert_int_equal(ci.cpus[0].part, 0xc0f);
	assert_int_equal(ci.cpus[1].part, 0xc0f);
	assert_string_equal(ta_arm_part_name(ci.cpus[1].implementer, ci.cpus[1].part), "Cortex-A15");
	assert_false(ci.aes);
}

static void arm32_one_cpu_without_processor_line(void **state)
{
	parse("Processor\t: ARMv6-compatible processor rev 7 (v6l)\nFeatures\t: swp half\nCPU implementer\t: 0x41\n"
	      "CPU part\t: 0xb76\n");
	assert_int_equal(ci.n_cpus, 1);
	assert_int_equal(ci.cpus[0].part, 0xb76);
	assert_string_equal(ci.arch, "armv6l");
}

static void arm64_part_of_each(void **state)
{
	parse("processor\t: 0\nhart\t: 1\nisa\t: rv64imafdcv_zicsr_zknd_zkne_zknh\n");
	assert_true(ci.aes && ci.has_flags);
	parse("processor\t: 0\nhart\t: 1\nisa\t: rv64imafdcv_zvkned\n");
	assert_true(ci.aes);
	parse("processor\t: 0\nhart\t: 1\nisa\t: rv64imafdcv_zicsr_zkne_zknh_zkns_xzknd\n");
	assert_false(ci.aes);
	parse("processor\t: 0\nhart\t: 1\nisa\t: rv64imafdc\n");
	assert_false(ci.aes || ci.has_flags);
	/* arch/arm64/include/asm/cputype.h: the first of a pair of Apple's is the small one. */
	assert_string_equal(ta_arm_part_name(0x61, 0x22), "Icestorm");
	assert_string_equal(ta_arm_part_name(0x61, 0x23), "Firestorm");
	assert_string_equal(ta_arm_part_name(0x61, 0x33), "Avalanche");
	assert_string_equal(ta_arm_part_name(0x4e, 0x004), "Carmel");
	parse("processor\t: 0\nFeatures\t: fp asimd aes\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd05\n\n"
	      "processor\t: 1\nFeatures\t: fp asimd aes\nCPU implementer\t: 0x41\nCPU architecture: 8\nCPU part\t: 0xd0b\n\n");
	assert_string_equal(ci.arch, "aarch64");
	assert_string_equal(ci.model, "");
	assert_true(ci.aes);
	assert_string_equal(ta_arm_part_name(ci.cpus[0].implementer, ci.cpus[0].part), "Cortex-A55");
	assert_string_equal(ta_arm_part_name(ci.cpus[1].implementer, ci.cpus[1].part), "Cortex-A76");
	assert_null(ta_arm_part_name(0x41, 0xfff));
	assert_null(ta_arm_part_name(-1, 0xd05));
}

static void other_layouts(void **state)
{
	parse("processor\t: 3\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 3000MHz\n\n"
	      "timebase\t: 512000000\nplatform\t: PowerNV\nmodel\t\t: X\nmachine\t\t: PowerNV X\n");
	assert_int_equal(ci.layout, TA_CPU_PPC);
	assert_string_equal(ci.model, "POWER9");
	assert_string_equal(ci.machine, "PowerNV X");
	assert_int_equal(ci.cpus[0].cpu, 3);
	assert_false(ci.has_flags);

	parse("vendor_id       : IBM/S390\n# processors    : 2\nfeatures\t: esan3 zarch stfle msa\n"
	      "processor 1: version = FF,  identification = 000000,  machine = 3906\n"
	      "processor 4: version = FF,  identification = 000000,  machine = 3906\n");
	assert_int_equal(ci.layout, TA_CPU_S390);
	assert_string_equal(ci.model, "IBM 3906");
	assert_string_equal(ci.arch, "s390x");
	assert_int_equal(ci.n_cpus, 2);
	assert_int_equal(ci.cpus[1].cpu, 4);
	assert_int_equal(ci.cpus[1].core, -1);

	/* Newer kernels go on with a stanza for each. */
	parse("vendor_id       : IBM/S390\nprocessor 0: version = FF, machine = 8561\nprocessor 1: version = FF, machine = 8561\n\n"
	      "cpu number      : 0\nphysical id     : 2\ncore id         : 7\n\ncpu number      : 1\nphysical id     : 3\n");
	assert_int_equal(ci.cpus[0].package, 2);
	assert_int_equal(ci.cpus[0].core, 7);
	assert_int_equal(ci.cpus[1].package, 3);

	parse("cpu\t\t: UltraSparc T2 (Niagara2)\ntype\t\t: sun4v\nncpus probed\t: 64\nState:\nCPU0:\t\tonline\nCPU9:\t\tonline\n");
	assert_int_equal(ci.layout, TA_CPU_SPARC);
	assert_string_equal(ci.model, "UltraSparc T2 (Niagara2)");
	assert_int_equal(ci.n_cpus, 2);
	assert_int_equal(ci.cpus[1].cpu, 9);

	/* How many there are is not said in a way that we know: better none than one. */
	parse("cpu\t\t\t: Alpha\ncpu model\t\t: EV67\ncpus detected\t\t: 4\n");
	assert_int_equal(ci.n_cpus, 0);

	parse("system type\t\t: Some SoC\nmachine\t\t\t: A router\nprocessor\t\t: 0\ncpu model\t\t: MIPS 24Kc V7.4\n");
	assert_int_equal(ci.layout, TA_CPU_MIPS);
	assert_string_equal(ci.model, "MIPS 24Kc V7.4");

	parse("processor\t: 0\nhart\t\t: 1\nisa\t\t: rv64imafdc\nmmu\t\t: sv39\nuarch\t\t: sifive,u74-mc\n");
	assert_int_equal(ci.layout, TA_CPU_RISCV);
	assert_string_equal(ci.model, "sifive,u74-mc");
	assert_string_equal(ci.arch, "riscv64");

	parse("system type\t\t: generic-machine\n\nprocessor\t\t: 0\npackage\t\t\t: 0\ncore\t\t\t: 2\n"
	      "Model Name\t\t: Loongson-3A5000\nISA\t\t\t: loongarch32 loongarch64\nFeatures\t: cpucfg crypto\n");
	assert_int_equal(ci.layout, TA_CPU_LOONGARCH);
	assert_string_equal(ci.model, "Loongson-3A5000");
	assert_string_equal(ci.arch, "loongarch64");
	assert_int_equal(ci.cpus[0].core, 2);

	parse("processor  : 0\nvendor     : GenuineIntel\narch       : IA-64\nfamily     : 32\ncpu number : 0\n");
	assert_int_equal(ci.layout, TA_CPU_IA64);
	assert_string_equal(ci.arch, "ia64");
	assert_string_equal(ci.model, "");
}

static void nonsense_is_passed_over(void **state)
{
	static const char zeros[] = "\0\0\0processor : 0\0\n: : :\nprocessor : 99999999999\nprocessor : -3\nCPU part : 0xzz\n";

	ta_cpuinfo_done(&ci);
	assert_int_equal(ta_cpuinfo_parse(&ci, zeros, sizeof(zeros) - 1), 0);
	assert_int_equal(ta_cpuset_count(&ci.processors), ci.n_cpus);
	for (size_t i = 0; i < ci.n_cpus; i++)
		assert_true(ci.cpus[i].cpu < TA_CPU_LIMIT);
	parse("");
	assert_int_equal(ci.n_cpus, 0);
}

static void lscpu_output(void **state)
{
	static const char text[] =
		"Architecture:            x86_64\n  CPU op-mode(s):        32-bit, 64-bit\nCPU(s):                  16\n"
		"  On-line CPU(s) list:   0-15\n  Model name:            A CPU \n    Thread(s) per core:  2\n"
		"    Core(s) per socket:  4\n    Socket(s):           2\nVirtualization features:\n  Hypervisor vendor:     KVM\nNUMA:\n  NUMA node(s):          1\n";
	struct ta_lscpu l;

	ta_lscpu_parse(text, sizeof(text) - 1, &l);
	assert_string_equal(l.arch, "x86_64");
	assert_string_equal(l.model, "A CPU");
	assert_int_equal(l.cpus, 16);
	assert_int_equal(l.cores, 8);
	assert_int_equal(l.threads, 16);
	assert_int_equal(l.min_threads, 2);
	assert_int_equal(l.max_threads, 2);
	assert_int_equal(l.sockets, 2);
	assert_int_equal(l.nodes, 1);
	assert_string_equal(l.hypervisor, "KVM");
	assert_true(ta_lscpu_fits(&l, 16));
	assert_true(ta_lscpu_fits(&l, 15)); /* one of them offline */
	assert_false(ta_lscpu_fits(&l, 17));
	assert_false(ta_lscpu_fits(&l, 7));
	ta_lscpu_parse("Socket(s): many\n", 17, &l);
	assert_int_equal(l.sockets, 0);
	assert_false(ta_lscpu_fits(&l, 0));
}

/* One block of counts for each type of cores; clusters where there are no sockets. */
static void lscpu_types(void **state)
{
	static const char two[] = "CPU(s): 14\n  Model name: Fast\n    Thread(s) per core: 2\n    Core(s) per socket: 4\n"
				  "    Socket(s): 1\n  Model name: Slow\n    Thread(s) per core: 1\n    Core(s) per socket: 6\n"
				  "    Socket(s): 1\n";
	static const char clusters[] = "CPU(s): 8\nModel name: A\nThread(s) per core: 1\nCore(s) per cluster: 4\n"
				       "Socket(s): -\nCluster(s): 2\n";
	struct ta_lscpu l;

	ta_lscpu_parse(two, sizeof(two) - 1, &l);
	assert_string_equal(l.model, "Fast");
	assert_int_equal(l.cores, 10);
	assert_int_equal(l.threads, 14);
	assert_int_equal(l.min_threads, 1);
	assert_int_equal(l.max_threads, 2);
	assert_int_equal(l.sockets, 1);
	ta_lscpu_parse(clusters, sizeof(clusters) - 1, &l);
	assert_int_equal(l.cores, 8);
	assert_int_equal(l.sockets, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(x86_layout),
		cmocka_unit_test(x86_words_are_whole),
		cmocka_unit_test(x86_first_only),
		cmocka_unit_test(arm32_old_layout),
		cmocka_unit_test(arm32_one_cpu_without_processor_line),
		cmocka_unit_test(arm64_part_of_each),
		cmocka_unit_test(other_layouts),
		cmocka_unit_test(nonsense_is_passed_over),
		cmocka_unit_test(lscpu_output),
		cmocka_unit_test(lscpu_types),
	};

	return cmocka_run_group_tests(tests, NULL, drop);
}
