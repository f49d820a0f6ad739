/*
 * /proc/cpuinfo, in the layouts of x86, arm, arm64, powerpc, s390, mips,
 * riscv, loongarch, ia64 and sparc. There is no one format: each architecture's
 * show_cpuinfo() prints what it likes (arch/…/kernel/{cpu/proc,setup,proc}.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/cpuset.h"

enum ta_cpu_layout {
	TA_CPU_UNKNOWN,
	TA_CPU_X86,
	TA_CPU_ARM, /* arm and arm64 */
	TA_CPU_PPC,
	TA_CPU_S390,
	TA_CPU_MIPS,
	TA_CPU_RISCV,
	TA_CPU_LOONGARCH,
	TA_CPU_IA64,
	TA_CPU_SPARC,
};

/* What the stanza of one CPU says; −1 where it says nothing. */
struct ta_cpuinfo_cpu {
	unsigned cpu;
	int64_t package;     /* x86, s390, loongarch: "physical id", "package" */
	int64_t core;        /* "core id", "core" */
	int64_t implementer; /* arm: MIDR implementer */
	int64_t part;        /* arm: MIDR part number */
};

struct ta_cpuinfo {
	enum ta_cpu_layout layout;
	char model[128];  /* "" if the layout names none; runs of blanks folded */
	char vendor[64];  /* x86 vendor_id; "" elsewhere */
	char machine[64]; /* of powerpc: machine or platform line; s390: machine type */
	int64_t family;   /* x86 "cpu family", −1 */
	bool has_flags;   /* there was a flags or Features line */
	bool aes;
	bool hypervisor; /* x86: the CPUID bit that hypervisors set */
	const char *arch; /* as uname -m has it, where the text proves it; NULL */
	struct ta_cpuset processors;
	struct ta_cpuinfo_cpu *cpus; /* n_cpus, in the order of the file */
	size_t n_cpus;

	/* Parser state. */
	bool first_only;
	int rank;
	size_t cap;
	size_t current; /* the CPU that the lines are about */
	bool arm32;
	bool arm64;
	bool x86_32;
	int64_t arm_implementer, arm_part; /* old arm: once for all CPUs, at the end */
};

#define TA_CPUINFO_INIT {.family = -1, .arm_implementer = -1, .arm_part = -1}
#define ta_cleanup_cpuinfo ta_cleanup(ta_cpuinfo_done)

/* The bytes of the file; need not end with NUL. 0 or -ENOMEM: what makes no sense is passed over. */
int ta_cpuinfo_parse(struct ta_cpuinfo *ci, const char *text, size_t len);

/*
 * The same line by line: 0, -ENOMEM, or -ECANCELED once `first_only` is set, the layout repeats
 * everything for each CPU and the first stanza is complete. Call finish() at the end.
 */
int ta_cpuinfo_line(struct ta_cpuinfo *ci, const char *line, size_t len);
void ta_cpuinfo_finish(struct ta_cpuinfo *ci);

struct ta_host;

/*
 * Reads it from a host. `first_only`: stops behind the first CPU on x86, where a machine of
 * 512 CPUs prints 1.5 MB. 0 or -errno of the door.
 */
int ta_cpuinfo_read(struct ta_host *h, bool first_only, struct ta_cpuinfo *ci);

/* "Cortex-A76" of an arm MIDR; NULL where the table has no name. */
const char *ta_arm_part_name(int64_t implementer, int64_t part);

void ta_cpuinfo_done(struct ta_cpuinfo *ci);
