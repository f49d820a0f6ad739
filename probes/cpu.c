/*
 * CPUs: which there are, how they share cores and packages, what they are
 * called, and which are kept out of the scheduler's hands. All counts are of
 * online CPUs. Which source wins is written in probe/topology.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/cpuinfo.h"
#include "probe/kcmdline.h"
#include "probe/lscpu.h"
#include "probe/probe.h"
#include "probe/topology.h"
#include "probe/version.h"

#define CPU_DIR "/sys/devices/system/cpu"

static const struct ta_field fields[] = {
	{"cpu.online", TA_T_INT, "CPUs", "CPUs that run now; CPU 0 need not be one of them", TA_F_SIZED, {}},
	{"cpu.online_list", TA_T_INTS, "", "their numbers", TA_F_CPUS | TA_F_SIZED, {}},
	{"cpu.online_source", TA_T_STRING, "", "the file that told which are online", TA_F_SYSTEM | TA_F_AGAIN, {}},
	{"cpu.present", TA_T_INT, "CPUs", "CPUs that are there, online or not (cpu/present)", TA_F_HARDWARE, {}},
	{"cpu.present_list", TA_T_INTS, "", "their numbers", TA_F_CPUS | TA_F_HARDWARE | TA_F_AGAIN, {}},
	{"cpu.possible", TA_T_INT, "CPUs", "CPUs the kernel has room for (cpu/possible)", TA_F_HARDWARE, {}},
	{"cpu.offline", TA_T_INT, "CPUs", "present but not online; cpu/offline also lists CPUs that never were there", TA_F_AGAIN, {}},
	{"cpu.offline_list", TA_T_INTS, "", "their numbers", TA_F_CPUS | TA_F_AGAIN, {}},
	{"cpu.sockets", TA_T_INT, "", "packages with an online CPU; clusters of one ARM chip count as one", TA_F_SIZED, {}},
	{"cpu.physical_cores", TA_T_INT, "cores", "cores with an online CPU", TA_F_SIZED, {}},
	{"cpu.threads_per_core", TA_T_INT, "threads", "online CPUs of the core that has most", TA_F_SIZED, {}},
	{"cpu.min_threads_per_core", TA_T_INT, "threads", "online CPUs of the core that has fewest", TA_F_SIZED, {}},
	{"cpu.core_of", TA_T_INTS, "", "for each of online_list, the lowest online CPU of its core", TA_F_SIZED, {}},
	{"cpu.package_of", TA_T_INTS, "", "for each of online_list, the number of its package", TA_F_SIZED, {}},
	{"cpu.smt.active", TA_T_BOOL, "", "cores with several threads online exist (cpu/smt/active)", TA_F_AGAIN, {}},
	{"cpu.smt.control", TA_T_STRING, "", "on, off, forceoff, notsupported, notimplemented (cpu/smt/control)", 0, {}},
	{"cpu.smt.kind", TA_T_STRING, "",
		"what threads of a core are: none, smt, or module (AMD family 15h: two integer cores share one FPU)", TA_F_HARDWARE, {}},
	{"cpu.isolated", TA_T_INTS, "", "CPUs that the scheduler leaves alone (cpu/isolated, isolcpus=)", TA_F_CPUS, {}},
	{"cpu.nohz_full", TA_T_INTS, "", "CPUs without a regular tick (cpu/nohz_full, nohz_full=)", TA_F_CPUS, {}},
	{"cpu.model", TA_T_STRING, "", "name of the CPU (/proc/cpuinfo; on ARM from the part number)", TA_F_HARDWARE, {}},
	{"cpu.vendor", TA_T_STRING, "", "vendor_id of x86 (/proc/cpuinfo)", TA_F_HARDWARE, {}},
	{"cpu.family", TA_T_INT, "", "cpu family of x86 (/proc/cpuinfo)", TA_F_HARDWARE, {}},
	{"cpu.aes", TA_T_BOOL, "", "has AES instructions (flags, Features or isa in /proc/cpuinfo)", TA_F_HARDWARE, {}},
	{"cpu.capacity", TA_T_INTS, "", "for each of online_list, its cpu_capacity; 1024 is the fastest here", TA_F_HARDWARE, {}},
	{"cpu.part", TA_T_INTS, "", "for each of online_list, ARM implementer × 4096 + part number", TA_F_HARDWARE, {}},
	{"cpu.kinds.*", TA_T_INTS, "", "CPUs of a core type that x86 perf names: cpu_core, cpu_atom, cpu_lowpower",
		TA_F_CPUS | TA_F_HARDWARE, {}},
};

/* Puts count and list of `set` under cpu.NAME and cpu.NAME_list. */
static void put_set(struct ta_facts *f, const char *name, const struct ta_cpuset *set)
{
	char list[512];

	ta_put_i64(f, ta_cpuset_count(set), "cpu", name);
	ta_put_cpus(f, set, "cpu", ta_fmt(&list, "%s_list", name));
}

static int read_list(struct ta_host *h, const char *file, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, file, TA_READ_CAP, &text);

	return rc ? rc : ta_cpuset_parse_list(ret, ta_buf_text(&text));
}

/* Old kernels have no cpu/present; their cpuN directories are the present CPUs. */
static int present_from_dirs(struct ta_host *h, struct ta_cpuset *ret)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_list(h, CPU_DIR, &names);

	ta_cpuset_done(ret);
	for (size_t i = 0; !rc && i < names.n; i++) {
		ta_cleanup_cpuset struct ta_cpuset one = TA_CPUSET_INIT;

		if (!strncmp(names.v[i], "cpu", 3) && isdigit((unsigned char)names.v[i][3]) &&
			ta_cpuset_parse_list(&one, names.v[i] + 3) == 0 && ta_cpuset_count(&one) == 1)
			rc = ta_cpuset_add(ret, (unsigned)ta_cpuset_next(&one, 0));
	}
	return rc || ta_cpuset_count(ret) ? rc : -ENOENT;
}

static int present_from_lscpu(struct ta_host *h, struct ta_cpuset *ret)
{
	ta_cleanup_cpuset struct ta_cpuset offline = TA_CPUSET_INIT;
	int rc = ta_lscpu_list(h, "On-line CPU(s) list", ret);

	(void)ta_lscpu_list(h, "Off-line CPU(s) list", &offline); /* there only if there are some */
	for (int c = -1; !rc && (c = ta_cpuset_next(&offline, c + 1)) >= 0;)
		rc = ta_cpuset_add(ret, (unsigned)c);
	return rc;
}

static void put_present(struct ta_host *h, struct ta_facts *f, const struct ta_cpuset *online)
{
	ta_cleanup_cpuset struct ta_cpuset present = TA_CPUSET_INIT, possible = TA_CPUSET_INIT,
					    offline = TA_CPUSET_INIT;
	int rc = read_list(h, CPU_DIR "/present", &present);

	if (rc && present_from_dirs(h, &present) && present_from_lscpu(h, &present)) {
		ta_put_errno(f, rc, CPU_DIR "/present", "cpu", "present");
		ta_put_errno(f, rc, CPU_DIR "/present", "cpu", "present_list");
		ta_put_errno(f, rc, CPU_DIR "/present", "cpu", "offline");
		ta_put_errno(f, rc, CPU_DIR "/present", "cpu", "offline_list");
	} else {
		for (int c = -1; (c = ta_cpuset_next(&present, c + 1)) >= 0;)
			if (!ta_cpuset_has(online, (unsigned)c))
				(void)ta_cpuset_add(&offline, (unsigned)c);
		put_set(f, "present", &present);
		put_set(f, "offline", &offline);
	}
	rc = read_list(h, CPU_DIR "/possible", &possible);
	if (rc)
		ta_put_errno(f, rc, CPU_DIR "/possible", "cpu", "possible");
	else
		ta_put_i64(f, ta_cpuset_count(&possible), "cpu", "possible");
}

static void put_vector(struct ta_facts *f, const char *name, const int64_t *v, size_t n)
{
	ta_facts_put_ints(f, TA_KEYS("cpu", name), v, n);
}

static void absent(struct ta_facts *f, const char *name, const char *why)
{
	ta_facts_put_absent(f, TA_KEYS("cpu", name), TA_MISSING, "%s", why);
}

static void put_cores(struct ta_host *h, struct ta_facts *f, const struct ta_topology *t)
{
	struct ta_lscpu l;
	unsigned min, max;

	if (t->has_cores) {
		ta_topology_threads(t, &min, &max);
		ta_put_i64(f, ta_topology_cores(t), "cpu", "physical_cores");
		ta_put_i64(f, max, "cpu", "threads_per_core");
		ta_put_i64(f, min, "cpu", "min_threads_per_core");
		put_vector(f, "core_of", t->core, t->n);
		return;
	}
	absent(f, "core_of", t->no_cores);
	if (ta_lscpu_read(h, &l) && ta_lscpu_fits(&l, (unsigned)t->n)) {
		ta_put_i64(f, l.cores, "cpu", "physical_cores");
		ta_put_i64(f, l.max_threads, "cpu", "threads_per_core");
		if (l.threads == t->n || l.max_threads == 2)
			ta_put_i64(f, l.threads == t->n ? l.min_threads : 1, "cpu", "min_threads_per_core");
		else
			absent(f, "min_threads_per_core", t->no_cores);
		return;
	}
	absent(f, "physical_cores", t->no_cores);
	absent(f, "threads_per_core", t->no_cores);
	absent(f, "min_threads_per_core", t->no_cores);
}

/*
 * Kernels before 6.0 give the cluster number of the device tree as the package (drivers/base/arch_topology.c,
 * "Set cluster identifier in each core/thread from /cpu-map"): a phone then has three "sockets". Packages
 * whose cores differ, or several of them on a board without firmware tables and NUMA nodes, are clusters.
 */
static bool are_clusters(struct ta_host *h, const struct ta_cpuinfo *ci, const struct ta_topology *t,
	const int64_t *capacity, const int64_t *part)
{
	ta_cleanup_strv struct ta_strv nodes = TA_STRV_INIT;
	size_t n_nodes = 0;

	if (ci->layout != TA_CPU_ARM && ci->layout != TA_CPU_RISCV)
		return false;
	for (size_t i = 1; i < t->n; i++)
		if (t->package[i] != t->package[0] &&
			((capacity && capacity[i] != capacity[0]) || (part && part[i] != part[0])))
			return true;
	if (ta_host_exists(h, "/sys/class/dmi/id") || ta_host_exists(h, "/sys/firmware/acpi"))
		return false;
	(void)ta_host_list(h, "/sys/devices/system/node", &nodes);
	for (size_t i = 0; i < nodes.n; i++)
		n_nodes += !strncmp(nodes.v[i], "node", 4) && isdigit((unsigned char)nodes.v[i][4]);
	return n_nodes <= 1;
}

static void put_packages(struct ta_host *h, struct ta_facts *f, const struct ta_cpuinfo *ci,
	const struct ta_topology *t, const int64_t *capacity, const int64_t *part)
{
	unsigned n = t->has_packages ? ta_topology_packages(t) : 0;
	struct ta_lscpu l;

	if (n > 1 && are_clusters(h, ci, t, capacity, part)) {
		for (size_t i = 0; i < t->n; i++)
			t->package[i] = 0;
		n = 1;
	}
	if (n) {
		ta_put_i64(f, n, "cpu", "sockets");
		put_vector(f, "package_of", t->package, t->n);
		return;
	}
	absent(f, "package_of", t->no_packages);
	if (ta_lscpu_read(h, &l) && l.sockets && l.cores <= t->n)
		ta_put_i64(f, l.sockets, "cpu", "sockets");
	else
		absent(f, "sockets", t->no_packages);
}

/* One value per online CPU, or NULL and the reason put. */
static int64_t *read_capacity(struct ta_host *h, struct ta_facts *f, const struct ta_topology *t)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t *v = calloc(t->n + 1, sizeof(*v));
	char path[512];

	for (size_t i = 0; v && i < t->n; i++) {
		int rc = ta_host_read(h, ta_fmt(&path, CPU_DIR "/cpu%u/cpu_capacity", t->cpu[i]), TA_READ_CAP, &text);

		if (!rc)
			rc = ta_parse_i64(ta_buf_text(&text), &v[i]);
		if (rc) {
			ta_put_errno(f, rc, path, "cpu", "capacity");
			free(v);
			return NULL;
		}
	}
	if (v)
		put_vector(f, "capacity", v, t->n);
	return v;
}

static int64_t *find_parts(struct ta_facts *f, const struct ta_cpuinfo *ci, const struct ta_topology *t)
{
	int64_t *v = calloc(t->n + 1, sizeof(*v));
	size_t known = 0;

	for (size_t i = 0; v && i < ci->n_cpus; i++) {
		const struct ta_cpuinfo_cpu *c = &ci->cpus[i];
		long k = ta_topology_index(t, c->cpu);

		if (k < 0 || c->part < 0 || c->implementer < 0)
			continue;
		v[k] = c->implementer << 12 | c->part;
		known++;
	}
	if (v && known == t->n) {
		put_vector(f, "part", v, t->n);
		return v;
	}
	absent(f, "part", ci->layout == TA_CPU_ARM ? "/proc/cpuinfo lacks the part number of an online CPU" :
						     "only ARM has part numbers");
	free(v);
	return NULL;
}

/* "Cortex-A510 + Cortex-A715 + …" in the order of CPUs; false if one of them has no name. */
static bool name_parts(const int64_t *part, size_t n, struct ta_buf *ret)
{
	for (size_t i = 0; i < n; i++) {
		const char *name = ta_arm_part_name(part[i] >> 12, part[i] & 0xfff);
		bool seen = false;

		if (!name)
			return false;
		for (size_t k = 0; k < i && !seen; k++)
			seen = part[k] == part[i];
		if (seen)
			continue;
		ta_buf_adds(ret, ret->len ? " + " : "");
		ta_buf_adds(ret, name);
	}
	return n > 0;
}

static void put_model(struct ta_host *h, struct ta_facts *f, const struct ta_cpuinfo *ci, const int64_t *part,
	size_t n)
{
	ta_cleanup_buf struct ta_buf names = TA_BUF_INIT;
	struct ta_lscpu l;

	if (part && name_parts(part, n, &names) && !names.error)
		ta_put_str(f, ta_buf_text(&names), "cpu", "model");
	else if (*ci->model)
		ta_put_str(f, ci->model, "cpu", "model");
	else if (ta_lscpu_read(h, &l) && *l.model)
		ta_put_str(f, l.model, "cpu", "model");
	else
		absent(f, "model", "/proc/cpuinfo names no model");
}

/* What the instruction set lacks proves something only where the kernel knows of it (arch/riscv/kernel/cpufeature.c). */
static bool lists_crypto(struct ta_host *h)
{
	int64_t v[3];

	return ta_kernel_version(h, v) == 0 && (v[0] > 6 || (v[0] == 6 && v[1] >= 8));
}

static void put_identity(struct ta_host *h, struct ta_facts *f, const struct ta_cpuinfo *ci, int rc)
{
	static const char *const names[] = {"vendor", "family", "aes"};

	for (size_t i = 0; rc && i < TA_ARRAY_SIZE(names); i++)
		ta_put_errno(f, rc, "/proc/cpuinfo", "cpu", names[i]);
	if (rc)
		return;
	if (*ci->vendor)
		ta_put_str(f, ci->vendor, "cpu", "vendor");
	else
		absent(f, "vendor", "no vendor_id in /proc/cpuinfo");
	if (ci->family >= 0)
		ta_put_i64(f, ci->family, "cpu", "family");
	else
		absent(f, "family", "no cpu family in /proc/cpuinfo");
	if (ci->has_flags && (ci->layout == TA_CPU_X86 || ci->layout == TA_CPU_ARM))
		ta_put_bool(f, ci->aes, "cpu", "aes");
	else if (ci->layout == TA_CPU_RISCV && (ci->aes || lists_crypto(h)))
		ta_put_bool(f, ci->aes, "cpu", "aes");
	else if (ci->layout == TA_CPU_RISCV)
		absent(f, "aes", "kernels before 6.8 do not list the cryptography of RISC-V");
	else
		absent(f, "aes", "/proc/cpuinfo of this architecture does not list AES instructions");
}

static void put_smt(struct ta_host *h, struct ta_facts *f, const struct ta_cpuinfo *ci, const struct ta_topology *t)
{
	unsigned min, max = 0;

	if (t->smt_active >= 0)
		ta_put_bool(f, t->smt_active, "cpu", "smt", "active");
	else
		ta_put_errno(f, -ENOENT, CPU_DIR "/smt/active", "cpu", "smt", "active");
	ta_read_str(h, f, CPU_DIR "/smt/control", TA_KEYS("cpu", "smt", "control"));
	if (t->has_cores)
		ta_topology_threads(t, &min, &max);
	if (!max)
		ta_facts_put_absent(f, TA_KEYS("cpu", "smt", "kind"), TA_MISSING, "%s", t->no_cores);
	else if (max == 1)
		ta_put_str(f, "none", "cpu", "smt", "kind");
	else /* The kernel lists the two halves of a Bulldozer module as thread siblings. */
		ta_put_str(f, !strcmp(ci->vendor, "AuthenticAMD") && ci->family == 0x15 ? "module" : "smt", "cpu",
			"smt", "kind");
}

/* The PMUs of hybrid x86 (arch/x86/events/intel/core.c, intel_hybrid_pmu_type_map). */
static void put_kinds(struct ta_host *h, struct ta_facts *f)
{
	static const char *const kinds[] = {"cpu_core", "cpu_atom", "cpu_lowpower"};
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	char path[512];

	ta_put_object(f, "cpu", "kinds");
	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++)
		if (read_list(h, ta_fmt(&path, "/sys/devices/%s/cpus", kinds[i]), &set) == 0)
			ta_put_cpus(f, &set, "cpu", "kinds", kinds[i]);
}

static void put_topology(struct ta_host *h, struct ta_facts *f, const struct ta_cpuinfo *ci, struct ta_topology *t)
{
	int64_t *capacity, *part;

	if (ta_topology_read(h, t))
		return;
	capacity = read_capacity(h, f, t);
	part = find_parts(f, ci, t);
	put_cores(h, f, t);
	put_packages(h, f, ci, t, capacity, part);
	put_smt(h, f, ci, t);
	put_model(h, f, ci, part, t->n);
	free(capacity);
	free(part);
}

/* --- isolation ------------------------------------------------------------- */

struct isolation {
	const char *word; /* of the kernel command line */
	char value[256];  /* of the last of them; "" */
	bool given;
};

static int see_word(const char *key, const char *value, void *ctx)
{
	struct isolation *i = ctx;

	if (strcmp(key, i->word))
		return 0;
	i->given = true;
	snprintf(i->value, sizeof(i->value), "%s", value);
	return 0;
}

/* "managed_irq,domain,2-5": flags, then the list. Without "domain" among flags nothing leaves the scheduler. */
static int parse_isolcpus(const char *text, struct ta_cpuset *ret)
{
	bool flags = false, domain = false;

	for (size_t n; isalpha((unsigned char)*text); text += n + (text[n] == ',')) {
		n = strcspn(text, ",");
		flags = true;
		domain |= n == strlen("domain") && !strncmp(text, "domain", n);
	}
	return flags && !domain ? 0 : ta_cpuset_parse_list(ret, text);
}

/*
 * Kernels before 4.2 have no cpu/isolated, and many copies lack it: the command line says the same
 * (housekeeping_isolcpus_setup(), kernel/sched/isolation.c). Where it does not name the option, no CPU is.
 */
static void put_isolation(struct ta_host *h, struct ta_facts *f, const char *fact, const char *word)
{
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct isolation i = {.word = word};
	char file[512];

	ta_fmt(&file, CPU_DIR "/%s", fact);
	if (ta_host_exists(h, file) || ta_host_read(h, "/proc/cmdline", TA_READ_CAP, &text)) {
		ta_read_cpulist(h, f, file, TA_KEYS("cpu", fact));
		return;
	}
	(void)ta_kcmdline_parse(ta_buf_text(&text), text.len, see_word, &i);
	/* Not every kernel can run without a tick; that this one does only the file says. */
	if (i.given && !strcmp(fact, "nohz_full"))
		absent(f, fact, CPU_DIR "/nohz_full: not there");
	else if (strlen(i.value) > 200 || (i.given && parse_isolcpus(i.value, &set)))
		ta_facts_put_absent(f, TA_KEYS("cpu", fact), TA_MALFORMED, "%s= on the kernel command line", word);
	else
		ta_put_cpus(f, &set, "cpu", fact);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_topology struct ta_topology t = TA_TOPOLOGY_INIT;
	ta_cleanup_cpuinfo struct ta_cpuinfo ci = TA_CPUINFO_INIT;
	const char *source;
	int rc = ta_cpus_online(h, &t.online, &source);

	if (rc) {
		ta_put_errno(f, rc, source, "cpu");
		return;
	}
	put_set(f, "online", &t.online);
	ta_put_str(f, source, "cpu", "online_source");
	put_present(h, f, &t.online);
	put_isolation(h, f, "isolated", "isolcpus");
	put_isolation(h, f, "nohz_full", "nohz_full");
	put_kinds(h, f);
	rc = ta_cpuinfo_read(h, true, &ci);
	put_identity(h, f, &ci, rc);
	put_topology(h, f, &ci, &t);
}

const struct ta_probe ta_probe_cpu = {
	.name = "cpu",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
