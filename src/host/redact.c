/*
 * What is known of a file's secrets. Everything is an allow-list: a word or key
 * that nobody put here is left out, whatever it means.
 */
#include "host/redact.h"

#include <string.h>

#include "base/num.h"
#include "host/redactini.h"
#include "host/redactudev.h"
#include "base/macros.h"

#define BLANKS " \t\r"

/*
 * Kernel parameters that change how fast the machine is (kernel-parameters.txt).
 * "x.*" stands for every parameter of module x. '-' and '_' are the same to the kernel (parameq()).
 */
static const char *const cmdline_words[] = {
	"acpi_cpufreq.*", "amd_iommu", "amd_prefcore", "amd_pstate", "amd_pstate.*", "apparmor", "audit",
	"audit_backlog_limit", "cgroup_disable", "cgroup_enable", "cgroup_no_v1", "clocksource",
	"clocksource.*", "cpufreq.*", "cpuidle.*", "cpuidle_haltpoll.*", "debug",
	"default_hugepagesz", "elevator", "enforcing", "gather_data_sampling", "hardened_usercopy",
	"haltpoll.*", "highres", "hpet", "hugepages", "hugepagesz", "idle", "init_on_alloc",
	"init_on_free", "intel_idle.*", "intel_iommu", "intel_pstate", "intremap", "iommu",
	"iommu.*", "irqaffinity", "isolcpus", "kpti", "kvm.*", "kvm_amd.*", "kvm_intel.*", "l1tf",
	"lockdown", "lpj", "lsm", "maxcpus", "mce", "mds", "mem", "mitigations", "mmio_stale_data",
	"movablecore", "kernelcore", "net.ifnames", "biosdevname", "nmi_watchdog", "no_timer_check",
	"nohpet", "nohz", "nohz_full", "nokaslr", "nopti", "nosmap", "nosmep", "nosmp", "nosmt", "nosoftlockup",
	"nospec_store_bypass_disable", "nospectre_v1", "nospectre_v2", "nowatchdog", "nox2apic",
	"nr_cpus", "numa", "numa_balancing", "nvme.*", "nvme_core.*", "page_owner", "page_poison",
	"panic", "pci", "pcie_aspm", "pcie_aspm.*", "possible_cpus", "preempt", "processor.*", "pti",
	"quiet", "random.trust_bootloader", "random.trust_cpu", "rcu_nocb_poll", "rcu_nocbs",
	"rcupdate.*", "rcutree.*", "reg_file_data_sampling", "retbleed", "rhash_entries", "ro", "rw",
	"sched_itmt_enabled", "sched_verbose", "scsi_mod.*", "security", "selinux", "skew_tick",
	"slab_nomerge", "slub_debug", "smt", "spec_rstack_overflow", "spec_store_bypass_disable",
	"spectre_bhi", "spectre_v2", "spectre_v2_user", "splash", "srbds", "swapaccount",
	"swiotlb", "systemd.unified_cgroup_hierarchy", "tcp_bbr.*", "tdx", "threadirqs",
	"thash_entries", "transparent_hugepage", "transparent_hugepage_shmem", "tsc", "tsx",
	"tsx_async_abort", "uhash_entries", "vsyscall", "watchdog_thresh", "workqueue.*", "x2apic_phys",
	"xen_nopv", "zswap.*", "default_smp_affinity",
};

/* Sysctls whose value is a name, a program or a key. A '*' at the end stands for the rest. */
static const char *const private_sysctls[] = {
	"kernel.core_pattern", "kernel.domainname", "kernel.hostname", "kernel.hotplug", "kernel.modprobe",
	"kernel.poweroff_cmd", "kernel.seccomp.*", "kernel.usermodehelper.*", "kernel.random.*",
	"net.ipv4.tcp_fastopen_key", "sunrpc.*", "fs.nfs.*", "fs.binfmt_misc.*",
};

/* A pattern could be one of those: elsewhere it is kept only with numbers. */
static const char *const pattern_roots[] = {"net.*", "vm.*", "fs.*"};

static const char *const sysctl_roots[] = {"net.*", "vm.*", "fs.*", "kernel.*", "dev.*", "abi.*", "user.*"};

static const char *const option_modules[] = {
	"nvme", "nvme_core", "igb", "igc", "ixgbe", "ixgbevf", "i40e", "iavf", "ice", "e1000e", "mlx4_en",
	"mlx4_core", "mlx5_core", "bnx2x", "bnxt_en", "ena", "virtio_net", "vmxnet3", "r8169", "bonding",
	"nf_conntrack", "tcp_bbr", "tcp_cubic", "intel_idle", "processor", "kvm", "kvm_intel", "kvm_amd",
	"zram", "zswap", "cpufreq_*", "acpi_cpufreq", "scsi_mod", "loop",
};

static const char *const manager_keys[] = {
	"DefaultLimit*", "DefaultTasks*", "DefaultTimer*", "DefaultCPU*", "DefaultMemory*", "DefaultIO*",
	"CPUAffinity", "NUMA*", "DefaultIPAccounting",
};

/* Beside the sysctls: what tells which of a profile's sections and options hold. */
static const char *const tuned_keys[] = {
	"include", "type", "enabled", "replace", "reapply_sysctl", "dynamic", "devices",
	/* [cpu], [vm], [disk], [net], [scheduler], [irqbalance], [sysfs] */
	"governor", "energy_perf_bias", "energy_performance_preference", "min_perf_pct", "max_perf_pct", "no_turbo", "boost",
	"force_latency", "pm_qos_resume_latency_us", "latency_low", "latency_high", "transparent_hugepage*", "elevator",
	"readahead", "channels", "ring", "coalesce", "features", "pause", "mtu", "txqueuelen", "wake_on_lan",
	"nf_conntrack_hashsize", "isolated_cores", "default_irq_smp_affinity", "sched_*", "banned_cpus", "/sys/*",
};

static char fold(char c)
{
	return c == '-' ? '_' : c;
}

/* `pattern` is a name, or a beginning and '*'; '-' equals '_'. */
static bool matches(const char *pattern, const char *name, size_t len)
{
	size_t i = 0;

	for (; pattern[i] && pattern[i] != '*'; i++)
		if (i >= len || fold(pattern[i]) != fold(name[i]))
			return false;
	return pattern[i] == '*' || i == len;
}

static bool matches_any(const char *const *patterns, size_t n, const char *name, size_t len)
{
	for (size_t i = 0; i < n; i++)
		if (matches(patterns[i], name, len))
			return true;
	return false;
}

#define LISTED(list, name, len) matches_any((list), TA_ARRAY_SIZE(list), (name), (len))

/* --- the filters: each may only shorten `b` --------------------------------- */

/* The length of one word; double quotes hold blanks together as in next_arg() (lib/cmdline.c). */
static size_t word_length(const char *s)
{
	bool quoted = false;
	size_t n = 0;

	for (; s[n] && (quoted || !strchr(" \t\n", s[n])); n++)
		if (s[n] == '"')
			quoted = !quoted;
	return n;
}

static bool is_public_sysctl(const char *key, size_t n, const char *end);

/* "sysctl.net.core.somaxconn=1024" and "sysctl/…" set what they name (do_sysctl_args(), fs/proc/proc_sysctl.c). */
static bool is_public_word(const char *word, size_t key)
{
	if (strncmp(word, "sysctl", 6) == 0 && (word[6] == '.' || word[6] == '/'))
		return is_public_sysctl(word + 7, key - 7, word + word_length(word));
	return LISTED(cmdline_words, word, key);
}

static void filter_kernel_cmdline(struct ta_buf *b)
{
	size_t out = 0;

	for (char *p = b->data; *p;) {
		size_t n;

		p += strspn(p, " \t\n");
		n = word_length(p);
		/* What follows "--" is for init. */
		if (n == 2 && memcmp(p, "--", 2) == 0)
			break;
		if (n && is_public_word(p, strcspn(p, "= \t\n"))) {
			if (out)
				b->data[out++] = ' ';
			memmove(b->data + out, p, n);
			out += n;
		}
		p += n;
	}
	/* The file ends with a newline, and room for it there is: it was in what we dropped or kept. */
	if (out < b->len)
		b->data[out++] = '\n';
	b->data[out] = '\0';
	b->len = out;
}

/* A process may write its whole title, blanks and all, into argv[0]. */
static void filter_argv(struct ta_buf *b)
{
	size_t n = strcspn(b->data, " \t\n");

	b->data[n] = '\0';
	b->len = n;
}

/* A byte 0, or a line end of other systems, makes lines for its readers that we did not see. */
static bool hides_lines(const char *line, size_t len)
{
	const char *cr = memchr(line, '\r', len);

	return memchr(line, '\0', len) || (cr && cr + 1 < line + len);
}

/*
 * Empties every line that `keep` does not want; it may shorten a line by returning less than its length. A line with a
 * byte 0 is emptied too; with `mark_hidden` of a line that may hide others one byte 0 is left, to say so.
 */
static void filter_lines(struct ta_buf *b, size_t (*keep)(const char *line, size_t len), bool mark_hidden)
{
	size_t out = 0;
	char *p = b->data, *end = p + b->len;

	while (p < end) {
		char *newline = memchr(p, '\n', (size_t)(end - p));
		size_t len = newline ? (size_t)(newline - p) : (size_t)(end - p);

		if (mark_hidden && hides_lines(p, len)) {
			b->data[out++] = '\0';
		} else {
			size_t n = memchr(p, '\0', len) ? 0 : keep(p, len);

			memmove(b->data + out, p, n);
			out += n;
		}
		if (newline)
			b->data[out++] = '\n';
		p += len + (newline ? 1 : 0);
	}
	b->data[out] = '\0';
	b->len = out;
}

static size_t skip_blanks(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && strchr(BLANKS, line[i]))
		i++;
	return i;
}

/* The key before '=' with the blanks around it taken off; its length, 0 if there is none. */
static size_t key_of(const char *line, size_t len, const char **ret)
{
	size_t from = skip_blanks(line, len);
	const char *eq = memchr(line, '=', len);
	size_t to = eq ? (size_t)(eq - line) : 0;

	while (to > from && strchr(BLANKS, line[to - 1]))
		to--;
	*ret = line + from;
	return to > from ? to - from : 0;
}

static size_t keep_os_release(const char *line, size_t len)
{
	static const char *const keys[] = {"ID", "VERSION_ID", "PRETTY_NAME"};
	const char *key;
	size_t n = key_of(line, len, &key);

	return n && LISTED(keys, key, n) ? len : 0;
}

static bool has_letter(const char *from, const char *end)
{
	for (; from < end && *from != '#'; from++)
		if ((*from | 32) >= 'a' && (*from | 32) <= 'z')
			return true;
	return false;
}

/*
 * "-net/ipv4/conf/eth0.100/rp_filter = 1": a '-' ignores errors, '/' and '.' swap (sysctl.d(5)). True if the key of
 * `n` bytes is one to be known. Its value ends at `end`.
 */
static bool is_public_sysctl(const char *key, size_t n, const char *end)
{
	char name[128];
	bool slashes, pattern = false;

	if (n && *key == '/') {
		key++;
		n--;
	}
	if (!n || n >= sizeof(name) || *key == '#' || *key == ';')
		return false;
	slashes = strcspn(key, "/.") < n && key[strcspn(key, "/.")] == '/';
	for (size_t i = 0; i < n; i++) {
		name[i] = slashes && key[i] == '/' ? '.' : key[i];
		pattern = pattern || strchr("*?[", key[i]);
	}
	name[n] = '\0';
	if (pattern)
		return LISTED(pattern_roots, name, n) || !has_letter(key + n, end);
	return LISTED(sysctl_roots, name, n) && !LISTED(private_sysctls, name, n) && !strstr(name, "secret");
}

/*
 * The length of a line up to what a sysctl's value has no use for: comments, paths, quotes. That byte stays, so that a
 * value which the kernel refuses for it does not look like a good one.
 */
static size_t value_end(const char *line, size_t len)
{
	const char *eq = memchr(line, '=', len);
	size_t i = eq ? (size_t)(eq - line) + 1 : len;

	while (i < len && (strchr(BLANKS "_,.:+-", line[i]) || ta_is_digit(line[i]) ||
				  ((line[i] | 32) >= 'a' && (line[i] | 32) <= 'z')))
		i++;
	return i < len ? i + 1 : len;
}

static size_t keep_sysctl(const char *line, size_t len)
{
	const char *key;
	size_t n = key_of(line, len, &key);

	/* "-net.ipv4.conf.*.x" alone takes the key out of earlier patterns. */
	if (!n && key < line + len && *key == '-')
		n = (size_t)(line + len - key);
	if (n && *key == '-') {
		n -= 1 + skip_blanks(key + 1, n - 1);
		key += 1 + skip_blanks(key + 1, (size_t)(line + len - key - 1));
	}
	return is_public_sysctl(key, n, line + len) ? value_end(line, len) : 0;
}

bool ta_redact_keeps_sysctl(const char *key)
{
	size_t n = strlen(key);

	return is_public_sysctl(key, n, key + n);
}

/* Lines of our own boot unit: kinds, addresses, paths and values. */
static size_t keep_boot(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!strchr(" _-./:,=+[]()", line[i]) && !ta_is_digit(line[i]) && !((line[i] | 32) >= 'a' && (line[i] | 32) <= 'z'))
			return 0;
	return len;
}

static void filter_sysctls(struct ta_buf *b)
{
	filter_lines(b, keep_sysctl, true);
}

static size_t keep_without_comment(const char *line, size_t len)
{
	const char *hash = memchr(line, '#', len);

	return hash ? (size_t)(hash - line) : len;
}

/* Headers of sections, what says how they belong together, and sysctls. */
static size_t keep_tuned(const char *line, size_t len)
{
	const char *key;
	size_t n = key_of(line, len, &key);

	if (len && line[0] == '[') {
		const char *end = memchr(line, ']', len);

		return end ? (size_t)(end - line) + 1 : 0;
	}
	/* Lines that begin with a blank belong to the option before. */
	if (!n || key != line)
		return 0;
	if (!LISTED(tuned_keys, key, n) && !is_public_sysctl(key, n, line + len))
		return 0;
	return keep_without_comment(line, len);
}

static size_t keep_module_options(const char *line, size_t len)
{
	static const char word[] = "options";
	size_t i = skip_blanks(line, len), end;

	if (len - i < sizeof(word) || memcmp(line + i, word, sizeof(word) - 1) != 0)
		return 0;
	i += sizeof(word) - 1;
	end = i + skip_blanks(line + i, len - i);
	if (end == i)
		return 0;
	i = end;
	while (end < len && !strchr(BLANKS, line[end]))
		end++;
	return LISTED(option_modules, line + i, end - i) ? len : 0;
}

static size_t keep_manager(const char *line, size_t len)
{
	const char *key;
	size_t n = key_of(line, len, &key);

	return n && LISTED(manager_keys, key, n) ? len : 0;
}

static size_t keep_irqbalance(const char *line, size_t len)
{
	static const char *const keys[] = {"IRQBALANCE_*", "ENABLED", "ONESHOT", "OPTIONS"};
	const char *key;
	size_t n = key_of(line, len, &key);

	return n && LISTED(keys, key, n) ? len : 0;
}

/* One key per line, as cloud-init writes it: the type of the instance, and no name, address or user data. */
static size_t keep_instance_type(const char *line, size_t len)
{
	static const char *const keys[] = {"\"vmSize\":", "\"instance-type\":", "\"instance_type\":", "\"machine-type\":"};
	size_t i = skip_blanks(line, len);

	for (size_t k = 0; k < TA_ARRAY_SIZE(keys); k++) {
		size_t n = strlen(keys[k]), quotes = 0, end = i + n;

		if (len - i < n || memcmp(line + i, keys[k], n) != 0)
			continue;
		/* Only the string behind it: a file of one line holds everything in that. */
		for (; end < len && quotes < 2; end++)
			quotes += line[end] == '"';
		return quotes == 2 && end - i < 128 ? end : 0;
	}
	return 0;
}

static size_t keep_ufw(const char *line, size_t len)
{
	static const char *const keys[] = {"ENABLED", "IPT_SYSCTL"};
	const char *key;
	size_t n = key_of(line, len, &key);

	return n && LISTED(keys, key, n) ? len : 0;
}

/* OpenWrt: "config irqbalance 'irqbalance'", "option banirq '36'", "list banirq '36'". */
static size_t keep_uci_irqbalance(const char *line, size_t len)
{
	size_t i = skip_blanks(line, len);
	const char *rest = line + i;

	len -= i;
	if (len > 7 && (!memcmp(rest, "config ", 7) || !memcmp(rest, "option ", 7)))
		return i + len;
	return len > 5 && !memcmp(rest, "list ", 5) ? i + len : 0;
}

/* Names of profiles, and nothing that is none. */
static size_t keep_names(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = line[i];

		if (!(ta_is_digit(c) || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("-_. ", c)))
			return 0;
	}
	return len;
}

/* --- which file is which ------------------------------------------------------ */

struct known_file {
	const char *path; /* ends with '/': every file in it */
	void (*whole)(struct ta_buf *b);
	size_t (*keep)(const char *line, size_t len);
};

static const struct known_file known_files[] = {
	{"/proc/cmdline", filter_kernel_cmdline, NULL},
	{"/etc/os-release", NULL, keep_os_release},
	{"/usr/lib/os-release", NULL, keep_os_release},
	{"/etc/sysctl.conf", filter_sysctls, NULL},
	{"/etc/sysctl.d/", filter_sysctls, NULL},
	{"/run/sysctl.d/", filter_sysctls, NULL},
	{"/usr/local/lib/sysctl.d/", filter_sysctls, NULL},
	{"/usr/lib/sysctl.d/", filter_sysctls, NULL},
	{"/lib/sysctl.d/", filter_sysctls, NULL},
	{"/etc/security/limits.conf", NULL, keep_without_comment},
	{"/etc/security/limits.d/", NULL, keep_without_comment},
	{"/usr/etc/security/limits.conf", NULL, keep_without_comment},
	{"/usr/etc/security/limits.d/", NULL, keep_without_comment},
	{"/etc/modprobe.d/", NULL, keep_module_options},
	{"/run/modprobe.d/", NULL, keep_module_options},
	{"/usr/lib/modprobe.d/", NULL, keep_module_options},
	{"/lib/modprobe.d/", NULL, keep_module_options},
	{"/etc/default/irqbalance", NULL, keep_irqbalance},
	{"/etc/sysconfig/irqbalance", NULL, keep_irqbalance},
	{"/etc/tuned/active_profile", NULL, keep_names},
	{"/etc/tuned/", NULL, keep_tuned},
	{"/usr/lib/tuned/", NULL, keep_tuned},
	{"/etc/modules", NULL, keep_names},
	{"/etc/tuneaudit/boot.conf", NULL, keep_boot},
	{"/etc/tmpfiles.d/", ta_redact_tmpfiles, NULL},
	{"/run/tmpfiles.d/", ta_redact_tmpfiles, NULL},
	{"/usr/local/lib/tmpfiles.d/", ta_redact_tmpfiles, NULL},
	{"/usr/lib/tmpfiles.d/", ta_redact_tmpfiles, NULL},
	{"/lib/tmpfiles.d/", ta_redact_tmpfiles, NULL},
	{"/etc/udev/rules.d/", ta_redact_udev, NULL},
	{"/run/udev/rules.d/", ta_redact_udev, NULL},
	{"/usr/local/lib/udev/rules.d/", ta_redact_udev, NULL},
	{"/usr/lib/udev/rules.d/", ta_redact_udev, NULL},
	{"/lib/udev/rules.d/", ta_redact_udev, NULL},
	{"/etc/modules-load.d/", NULL, keep_names},
	{"/run/modules-load.d/", NULL, keep_names},
	{"/usr/local/lib/modules-load.d/", NULL, keep_names},
	{"/usr/lib/modules-load.d/", NULL, keep_names},
	{"/lib/modules-load.d/", NULL, keep_names},
	{"/etc/systemd/system/irqbalance.service", ta_redact_irqbalance_unit, NULL},
	{"/etc/systemd/system/irqbalance.service.d/", ta_redact_irqbalance_unit, NULL},
	{"/run/systemd/system/irqbalance.service.d/", ta_redact_irqbalance_unit, NULL},
	{"/usr/lib/systemd/system/irqbalance.service", ta_redact_irqbalance_unit, NULL},
	{"/usr/lib/systemd/system/irqbalance.service.d/", ta_redact_irqbalance_unit, NULL},
	{"/lib/systemd/system/irqbalance.service", ta_redact_irqbalance_unit, NULL},
	{"/etc/systemd/system/", ta_redact_unit, NULL},
	{"/etc/systemd/system.control/", ta_redact_unit, NULL},
	{"/etc/systemd/system.attached/", ta_redact_unit, NULL},
	{"/run/systemd/system/", ta_redact_unit, NULL},
	{"/run/systemd/system.control/", ta_redact_unit, NULL},
	{"/run/systemd/system.attached/", ta_redact_unit, NULL},
	{"/run/systemd/transient/", ta_redact_unit, NULL},
	{"/run/systemd/generator/", ta_redact_unit, NULL},
	{"/run/systemd/generator.early/", ta_redact_unit, NULL},
	{"/run/systemd/generator.late/", ta_redact_unit, NULL},
	{"/run/systemd/system.conf", NULL, keep_manager},
	{"/run/systemd/system.conf.d/", NULL, keep_manager},
	{"/usr/lib/systemd/system.conf", NULL, keep_manager},
	{"/usr/local/lib/systemd/system.conf", NULL, keep_manager},
	{"/usr/local/lib/systemd/system.conf.d/", NULL, keep_manager},
	{"/lib/systemd/system.conf.d/", NULL, keep_manager},
	{"/usr/local/lib/systemd/system/", ta_redact_unit, NULL},
	{"/usr/lib/systemd/system/", ta_redact_unit, NULL},
	{"/lib/systemd/system/", ta_redact_unit, NULL},
	{"/etc/systemd/network/", ta_redact_link_file, NULL},
	{"/run/systemd/network/", ta_redact_link_file, NULL},
	{"/usr/local/lib/systemd/network/", ta_redact_link_file, NULL},
	{"/usr/lib/systemd/network/", ta_redact_link_file, NULL},
	{"/lib/systemd/network/", ta_redact_link_file, NULL},
	{"/run/cloud-init/instance-data.json", NULL, keep_instance_type},
	{"/etc/ufw/ufw.conf", NULL, keep_ufw},
	{"/etc/default/ufw", NULL, keep_ufw},
	{"/etc/ufw/sysctl.conf", filter_sysctls, NULL},
	{"/etc/config/irqbalance", NULL, keep_uci_irqbalance},
	{"/etc/systemd/system.conf", NULL, keep_manager},
	{"/etc/systemd/system.conf.d/", NULL, keep_manager},
	{"/usr/lib/systemd/system.conf.d/", NULL, keep_manager},
};

static const struct known_file argv_file = {"/proc/PID/cmdline", filter_argv, NULL};

/* Of /proc/PID: contents of memory, keys and other trees. Links there may still be read as links. */
static const char *const private_of_process[] = {
	"environ", "mem", "auxv", "pagemap", "syscall", "stack", "clear_refs", "root/*", "cwd/*", "fd/*",
	"map_files/*", "exe",
};

/* The part of "/proc/PID/…" or "/proc/PID/task/TID/…" that names the file; NULL: another path. */
static const char *in_process(const char *path)
{
	size_t n;

	if (strncmp(path, "/proc/", 6) != 0)
		return NULL;
	path += 6;
	n = strcspn(path, "/");
	if (strspn(path, "0123456789") != n && !matches("self", path, n) && !matches("thread-self", path, n))
		return NULL;
	path += n;
	if (strncmp(path, "/task/", 6) == 0) {
		path += 6;
		path += strcspn(path, "/");
	}
	return *path ? path + 1 : NULL;
}

/* `rest` is what in_process() says. */
static const struct known_file *find_file(const char *path, const char *rest)
{
	if (rest && strcmp(rest, "cmdline") == 0)
		return &argv_file;
	for (size_t i = 0; i < TA_ARRAY_SIZE(known_files); i++) {
		const struct known_file *k = &known_files[i];
		size_t n;

		if (k->path[1] != path[1])
			continue;
		n = strlen(k->path);
		if (k->path[n - 1] == '/' ? strncmp(path, k->path, n) == 0 : strcmp(path, k->path) == 0)
			return k;
	}
	return NULL;
}

enum ta_redact ta_redact_kind(const char *path)
{
	const char *rest = in_process(path), *last = strrchr(path, '/');

	if (find_file(path, rest))
		return TA_REDACT_FILTER;
	if (rest && LISTED(private_of_process, rest, strlen(rest)))
		return TA_REDACT_REFUSE;
	if (strncmp(path, "/etc/", 5) == 0 || strcmp(path, "/proc/kcore") == 0 || strcmp(path, "/proc/keys") == 0)
		return TA_REDACT_REFUSE;
	if (strncmp(path, "/proc/sys/net/", 14) == 0 &&
		(strcmp(last, "/tcp_fastopen_key") == 0 || strcmp(last, "/stable_secret") == 0))
		return TA_REDACT_REFUSE;
	return TA_REDACT_NONE;
}

void ta_redact(const char *path, struct ta_buf *content)
{
	const struct known_file *k = find_file(path, in_process(path));

	if (!k || !content->len)
		return;
	if (k->whole)
		k->whole(content);
	else
		filter_lines(content, k->keep, false);
}

void ta_redact_link(const char *path, struct ta_buf *target)
{
	const char *rest = ta_buf_text(target)[0] == '/' ? in_process(path) : NULL;

	if (!rest || strncmp(rest, "fd/", 3) != 0)
		return;
	ta_buf_reset(target);
	ta_buf_adds(target, "file");
}
