/*
 * The parser knows keys, not layouts: a line is KEY : VALUE, and what a key
 * means is settled by the key itself and the layout that earlier lines gave
 * away. Lines that mean nothing to it are passed over, so that new kernels
 * and strange ports cost a missing value, never an error.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "host/host.h"
#include "probe/cpuinfo.h"

/* Copies the words of `text`, one blank between them; cut if longer than `size`. */
static void copy_folded(char *ret, size_t size, const char *text)
{
	size_t n = 0;
	bool gap = false;

	for (; *text && n + 2 < size; text++) {
		if (isspace((unsigned char)*text)) {
			gap = n > 0;
			continue;
		}
		if (gap)
			ret[n++] = ' ';
		gap = false;
		ret[n++] = *text;
	}
	ret[n] = '\0';
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = text; (p = strstr(p, word)); p += len) {
		bool starts = p == text || isspace((unsigned char)p[-1]);
		bool ends = !p[len] || isspace((unsigned char)p[len]);

		if (starts && ends)
			return true;
	}
	return false;
}

/* A number that may be written 0x… */
static int64_t number_or(const char *text, int64_t otherwise)
{
	int64_t v;
	uint64_t hex;

	if (!strncmp(text, "0x", 2))
		return ta_parse_hex(text + 2, &hex) || hex > INT32_MAX ? otherwise : (int64_t)hex;
	return ta_parse_i64(text, &v) ? otherwise : v;
}

static int add_cpu(struct ta_cpuinfo *ci, int64_t cpu)
{
	struct ta_cpuinfo_cpu *more;

	if (cpu < 0 || cpu >= TA_CPU_LIMIT || ta_cpuset_has(&ci->processors, (unsigned)cpu))
		return 0;
	ci->current = ci->n_cpus;
	if (ci->n_cpus == ci->cap) {
		size_t cap = ci->cap ? 2 * ci->cap : 16;

		more = reallocarray(ci->cpus, cap, sizeof(*more));
		if (!more)
			return -ENOMEM;
		ci->cpus = more;
		ci->cap = cap;
	}
	ci->cpus[ci->n_cpus++] = (struct ta_cpuinfo_cpu){
		.cpu = (unsigned)cpu, .package = -1, .core = -1, .implementer = -1, .part = -1};
	return ta_cpuset_add(&ci->processors, (unsigned)cpu);
}

/* s390 lists its CPUs first and has a stanza for each further down, since 4.12. */
static void see_cpu_number(struct ta_cpuinfo *ci, const char *value)
{
	int64_t cpu = number_or(value, -1);

	for (size_t i = 0; i < ci->n_cpus; i++)
		if (ci->cpus[i].cpu == cpu)
			ci->current = i;
}

/* Several keys may name the model; the one of the highest rank wins, of equals the first. */
static void set_model(struct ta_cpuinfo *ci, int rank, const char *value)
{
	if (rank <= ci->rank || !*value)
		return;
	ci->rank = rank;
	copy_folded(ci->model, sizeof(ci->model), value);
}

static void see_flags(struct ta_cpuinfo *ci, const char *value)
{
	ci->has_flags = true;
	ci->aes = ci->aes || has_word(value, "aes");
	ci->hypervisor = ci->hypervisor || has_word(value, "hypervisor");
	if (has_word(value, "asimd"))
		ci->arm64 = true;
	else if (has_word(value, "half") || has_word(value, "swp"))
		ci->arm32 = true;
	if (has_word(value, "zarch"))
		ci->arch = "s390x";
}

/* "processor 3: version = 00,  identification = 000000,  machine = 2817" */
static int s390_processor(struct ta_cpuinfo *ci, const char *key, const char *value)
{
	const char *machine = strstr(value, "machine =");

	ci->layout = TA_CPU_S390;
	if (machine && !*ci->machine)
		copy_folded(ci->machine, sizeof(ci->machine), machine + strlen("machine ="));
	return add_cpu(ci, number_or(key + strlen("processor "), -1));
}

/* Keys that tell the layout or belong to one layout only. True if the line is done with. */
/* "rv64imafdcv_zicsr_zknd_zkne_…": both halves of scalar AES, or vector AES, by themselves or in a bundle. */
static void see_riscv_isa(struct ta_cpuinfo *ci, const char *value)
{
	static const char *const whole[] = {"zvkned", "zvkn", "zvknc", "zvkng", "zkn", "zk"};
	bool encrypts = false, decrypts = false;

	for (const char *at = strchr(value, '_'); at; at = strchr(at, '_')) {
		size_t n = strcspn(++at, "_ \t");

		encrypts = encrypts || (n == 4 && !strncmp(at, "zkne", n));
		decrypts = decrypts || (n == 4 && !strncmp(at, "zknd", n));
		for (size_t i = 0; i < TA_ARRAY_SIZE(whole); i++)
			ci->aes = ci->aes || (strlen(whole[i]) == n && !strncmp(at, whole[i], n));
		ci->has_flags = true;
	}
	ci->aes = ci->aes || (encrypts && decrypts);
}

static bool see_layout(struct ta_cpuinfo *ci, const char *key, const char *value)
{
	if (!strcmp(key, "vendor_id")) {
		ci->layout = !strncmp(value, "IBM/S390", 8) ? TA_CPU_S390 : TA_CPU_X86;
		copy_folded(ci->vendor, sizeof(ci->vendor), value);
	} else if (!strcmp(key, "cpu family") && ci->layout == TA_CPU_X86) {
		ci->family = number_or(value, -1);
	} else if (!strcmp(key, "fdiv_bug")) {
		ci->x86_32 = true; /* printed by 32-bit x86 kernels only */
	} else if (!strcmp(key, "isa") || !strcmp(key, "hart")) {
		ci->layout = TA_CPU_RISCV;
		see_riscv_isa(ci, value);
		if (!strncmp(value, "rv64", 4))
			ci->arch = "riscv64";
	} else if (!strcmp(key, "ISA") && strstr(value, "loongarch")) {
		ci->layout = TA_CPU_LOONGARCH;
		if (strstr(value, "loongarch64"))
			ci->arch = "loongarch64";
	} else if (!strcmp(key, "arch") && !strcmp(value, "IA-64")) {
		ci->layout = TA_CPU_IA64;
		ci->arch = "ia64";
	} else if (!strcmp(key, "type") && !strncmp(value, "sun4", 4)) {
		ci->layout = TA_CPU_SPARC;
	} else if (!strcmp(key, "system type")) {
		ci->layout = TA_CPU_MIPS; /* loongarch prints it too, and its ISA later */
	} else if (!strcmp(key, "machine") || !strcmp(key, "platform")) {
		if (ci->layout == TA_CPU_UNKNOWN)
			ci->layout = TA_CPU_PPC;
		if (!*ci->machine || !strcmp(key, "machine"))
			copy_folded(ci->machine, sizeof(ci->machine), value);
	} else {
		return false;
	}
	return true;
}

static void see_model(struct ta_cpuinfo *ci, const char *key, const char *value)
{
	char cut[128];
	int64_t dummy;

	if (!strcasecmp(key, "model name")) {
		set_model(ci, 5, value);
	} else if (!strcmp(key, "cpu model")) {
		if (ci->layout == TA_CPU_UNKNOWN)
			ci->layout = TA_CPU_MIPS;
		set_model(ci, 4, value);
	} else if (!strcmp(key, "uarch")) {
		set_model(ci, 3, value);
	} else if (!strcmp(key, "Processor")) {
		set_model(ci, 2, value);
	} else if (!strcmp(key, "cpu") && ta_parse_i64(value, &dummy)) {
		/* powerpc: "POWER7 (architected), altivec supported" */
		if (ci->layout == TA_CPU_UNKNOWN)
			ci->layout = TA_CPU_PPC;
		copy_folded(cut, sizeof(cut), value);
		cut[strcspn(cut, ",")] = '\0';
		set_model(ci, 1, cut);
	}
}

static void see_cpu_ids(struct ta_cpuinfo *ci, const char *key, const char *value)
{
	struct ta_cpuinfo_cpu *last = ci->n_cpus ? &ci->cpus[ci->current] : NULL;

	if (!strcmp(key, "cpu number") && ci->layout == TA_CPU_S390) {
		see_cpu_number(ci, value);
	} else if (!strcmp(key, "CPU implementer") || !strcmp(key, "CPU part")) {
		int64_t v = number_or(value, -1);
		bool is_part = !strcmp(key, "CPU part");

		ci->layout = TA_CPU_ARM;
		*(is_part ? &ci->arm_part : &ci->arm_implementer) = v;
		if (last)
			*(is_part ? &last->part : &last->implementer) = v;
	} else if (last && (!strcmp(key, "physical id") || !strcmp(key, "package"))) {
		last->package = number_or(value, -1);
	} else if (last && (!strcmp(key, "core id") || !strcmp(key, "core"))) {
		last->core = number_or(value, -1);
	}
}

int ta_cpuinfo_line(struct ta_cpuinfo *ci, const char *line, size_t len)
{
	char key[32];
	const char *colon = memchr(line, ':', len), *value;
	size_t n;

	if (!colon)
		return ci->first_only && ci->layout == TA_CPU_X86 && ci->n_cpus ? -ECANCELED : 0;
	n = (size_t)(colon - line);
	while (n > 0 && isspace((unsigned char)line[n - 1]))
		n--;
	if (n == 0 || n >= sizeof(key))
		return 0;
	memcpy(key, line, n);
	key[n] = '\0';
	value = colon + 1;
	while (isspace((unsigned char)*value))
		value++;

	if (!strcmp(key, "processor") && isdigit((unsigned char)*value))
		return add_cpu(ci, number_or(value, -1));
	/* sparc, under "State:": "CPU12: online" */
	if (!strncmp(key, "CPU", 3) && !strncmp(value, "online", 6))
		return add_cpu(ci, number_or(key + 3, -1));
	if (!strncmp(key, "processor ", 10))
		return s390_processor(ci, key, value);
	if (!strcmp(key, "flags") || !strcasecmp(key, "features"))
		see_flags(ci, value);
	else if (!see_layout(ci, key, value)) {
		see_model(ci, key, value);
		see_cpu_ids(ci, key, value);
	}
	return 0;
}

/* "ARMv7 Processor rev 4 (v7l)": what uname -m says is in the brackets. */
static const char *arm32_arch(const struct ta_cpuinfo *ci)
{
	static const char *const known[] = {"armv5tejl", "armv6l", "armv7l", "armv7b", "armv8l"};
	const char *open = strrchr(ci->model, '(');
	size_t n;

	if (!open)
		return NULL;
	n = strcspn(open + 1, ")");
	for (size_t i = 0; i < TA_ARRAY_SIZE(known); i++)
		if (strlen(known[i]) == n + 3 && !strncmp(known[i] + 3, open + 1, n))
			return known[i];
	return NULL;
}

void ta_cpuinfo_finish(struct ta_cpuinfo *ci)
{
	bool arm = ci->layout == TA_CPU_ARM;

	/* Kernels for one CPU of old arm print no processor line; other ports may have many and not say so. */
	if (!ci->n_cpus && arm)
		(void)add_cpu(ci, 0);
	if (ci->layout == TA_CPU_S390 && !*ci->model && *ci->machine) {
		memcpy(ci->model, "IBM ", 4);
		copy_folded(ci->model + 4, sizeof(ci->model) - 4, ci->machine);
	}
	/* Old 32-bit arm says who made the cores once, below the list of them. */
	for (size_t i = 0; arm && i < ci->n_cpus; i++) {
		if (ci->cpus[i].part < 0)
			ci->cpus[i].part = ci->arm_part;
		if (ci->cpus[i].implementer < 0)
			ci->cpus[i].implementer = ci->arm_implementer;
	}
	if (ci->layout == TA_CPU_X86)
		ci->arch = ci->x86_32 ? "i686" : "x86_64";
	else if (arm && ci->arm64)
		ci->arch = "aarch64";
	else if (arm && ci->arm32)
		ci->arch = arm32_arch(ci);
}

int ta_cpuinfo_parse(struct ta_cpuinfo *ci, const char *text, size_t len)
{
	char line[8192];
	const char *end = text + len;

	for (const char *p = text; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t n = (size_t)((nl ? nl : end) - p);
		size_t keep = TA_MIN(n, sizeof(line) - 1);
		int rc;

		memcpy(line, p, keep);
		line[keep] = '\0';
		rc = ta_cpuinfo_line(ci, line, strlen(line));
		if (rc == -ECANCELED)
			break;
		if (rc)
			return rc;
		p += n + 1;
	}
	ta_cpuinfo_finish(ci);
	return 0;
}

static int on_line(const char *line, size_t len, void *ctx)
{
	return ta_cpuinfo_line(ctx, line, len);
}

int ta_cpuinfo_read(struct ta_host *h, bool first_only, struct ta_cpuinfo *ci)
{
	int rc;

	ci->first_only = first_only;
	rc = ta_host_lines(h, "/proc/cpuinfo", on_line, ci);
	if (rc && rc != -ECANCELED)
		return rc;
	ta_cpuinfo_finish(ci);
	return 0;
}

const char *ta_arm_part_name(int64_t implementer, int64_t part)
{
	/* Main ID Register, implementer << 12 | part: arch/arm64/include/asm/cputype.h and vendors' manuals. */
	static const struct {
		uint32_t id;
		const char *name;
	} parts[] = {
		{0x41b76, "ARM1176"}, {0x41c05, "Cortex-A5"}, {0x41c07, "Cortex-A7"}, {0x41c08, "Cortex-A8"},
		{0x41c09, "Cortex-A9"}, {0x41c0d, "Cortex-A17"}, {0x41c0e, "Cortex-A17"},
		{0x41c0f, "Cortex-A15"}, {0x41d01, "Cortex-A32"}, {0x41d03, "Cortex-A53"},
		{0x41d04, "Cortex-A35"}, {0x41d05, "Cortex-A55"}, {0x41d07, "Cortex-A57"},
		{0x41d08, "Cortex-A72"}, {0x41d09, "Cortex-A73"}, {0x41d0a, "Cortex-A75"},
		{0x41d0b, "Cortex-A76"}, {0x41d0c, "Neoverse-N1"}, {0x41d0d, "Cortex-A77"},
		{0x41d0e, "Cortex-A76AE"}, {0x41d40, "Neoverse-V1"}, {0x41d41, "Cortex-A78"},
		{0x41d42, "Cortex-A78AE"}, {0x41d44, "Cortex-X1"}, {0x41d46, "Cortex-A510"},
		{0x41d47, "Cortex-A710"}, {0x41d48, "Cortex-X2"}, {0x41d49, "Neoverse-N2"},
		{0x41d4a, "Neoverse-E1"}, {0x41d4b, "Cortex-A78C"}, {0x41d4c, "Cortex-X1C"},
		{0x41d4d, "Cortex-A715"}, {0x41d4e, "Cortex-X3"}, {0x41d4f, "Neoverse-V2"},
		{0x41d80, "Cortex-A520"}, {0x41d81, "Cortex-A720"}, {0x41d82, "Cortex-X4"},
		{0x41d84, "Neoverse-V3"}, {0x41d85, "Cortex-X925"}, {0x41d87, "Cortex-A725"},
		{0x41d8e, "Neoverse-N3"}, {0x42516, "ThunderX2"}, {0x430a1, "ThunderX"},
		{0x430af, "ThunderX2"}, {0x430b8, "ThunderX3"}, {0x46001, "A64FX"}, {0x48d01, "Kunpeng-920"},
		{0x48d02, "Kunpeng-920B"}, {0x48d40, "Cortex-A76"}, {0x50000, "X-Gene"}, {0x51800, "Kryo-2xx-Gold"},
		{0x51801, "Kryo-2xx-Silver"}, {0x51802, "Kryo-3xx-Gold"}, {0x51803, "Kryo-3xx-Silver"},
		{0x51804, "Kryo-4xx-Gold"}, {0x51805, "Kryo-4xx-Silver"}, {0x51c00, "Falkor"},
		{0x51001, "Oryon"}, {0x61020, "Icestorm"}, {0x61021, "Firestorm"},
		{0x61022, "Icestorm"}, {0x61023, "Firestorm"}, {0x61024, "Icestorm"}, {0x61025, "Firestorm"},
		{0x61028, "Icestorm"}, {0x61029, "Firestorm"}, {0x61032, "Blizzard"}, {0x61033, "Avalanche"},
		{0x61034, "Blizzard"}, {0x61035, "Avalanche"}, {0x61038, "Blizzard"}, {0x61039, "Avalanche"},
		{0x41b36, "ARM1136"}, {0x41b02, "ARM11 MPCore"}, {0x41926, "ARM926"}, {0x41d02, "Cortex-A34"},
		{0x41d06, "Cortex-A65"}, {0x41d43, "Cortex-A65AE"}, {0x41d83, "Neoverse-V3AE"}, {0x41d88, "Cortex-A520AE"},
		{0x41d89, "Cortex-A720AE"}, {0x41d8a, "C1-Nano"}, {0x41d8b, "C1-Pro"}, {0x41d8c, "C1-Ultra"},
		{0x41d90, "C1-Premium"}, {0x42100, "Brahma-B53"}, {0x430a2, "ThunderX-81xx"}, {0x430a3, "ThunderX-83xx"},
		{0x430b1, "OcteonTX2-98xx"}, {0x430b2, "OcteonTX2-96xx"}, {0x46003, "Monaka"}, {0x48d41, "Cortex-A77"},
		{0x4e003, "Denver-2"}, {0x4e004, "Carmel"}, {0x4e010, "Olympus"}, {0x5100f, "Scorpion"}, {0x5102d, "Scorpion"},
		{0x5104d, "Krait"}, {0x5106f, "Krait"}, {0x51200, "Kryo"}, {0x51201, "Kryo"}, {0x51205, "Kryo"},
		{0x51211, "Kryo"}, {0x53001, "Exynos-M1"}, {0x53002, "Exynos-M3"}, {0x53003, "Exynos-M4"},
		{0x53004, "Exynos-M5"}, {0x6dd49, "Azure-Cobalt-100"}, {0x70660, "FTC660"}, {0x70661, "FTC661"},
		{0x70662, "FTC662"}, {0x70663, "FTC663"}, {0x70664, "FTC664"}, {0x70862, "FTC862"}, {0xc0ac3, "Ampere-1"},
		{0xc0ac4, "Ampere-1a"},
	};

	if (implementer < 0 || implementer > 0xff || part < 0 || part > 0xfff)
		return NULL;
	for (size_t i = 0; i < TA_ARRAY_SIZE(parts); i++)
		if (parts[i].id == ((uint32_t)implementer << 12 | (uint32_t)part))
			return parts[i].name;
	return NULL;
}

void ta_cpuinfo_done(struct ta_cpuinfo *ci)
{
	ta_cpuset_done(&ci->processors);
	free(ci->cpus);
	*ci = (struct ta_cpuinfo)TA_CPUINFO_INIT;
}
