/*
 * Clock policies: which governor and limits each group of CPUs runs under.
 *
 * Kernels since 4.3 have one directory per policy, older ones a cpufreq
 * directory under the CPUs that own one; a CPU without such a directory is
 * not "without governor", it shares the policy of another (affected_cpus).
 * min_khz and max_khz are what the hardware can do (cpuinfo_min_freq,
 * cpuinfo_max_freq); the limits that someone set are scaling_min_khz and
 * scaling_max_khz.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"
#include "probe/value.h"
#include "probe/topology.h"
#include "probe/version.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define POLICY "cpu.policies.*."

static const struct ta_field fields[] = {
	{POLICY "governor", TA_T_STRING, "", "governor in force (scaling_governor)", 0, {}},
	{POLICY "governors", TA_T_STRINGS, "", "governors to choose from (scaling_available_governors)", TA_F_SYSTEM, {}},
	{POLICY "driver", TA_T_STRING, "", "cpufreq driver (scaling_driver)", TA_F_SYSTEM, {}},
	{POLICY "min_khz", TA_T_INT, "kHz", "lowest clock of the hardware (cpuinfo_min_freq)", TA_F_HARDWARE, {}},
	{POLICY "max_khz", TA_T_INT, "kHz", "highest clock of the hardware (cpuinfo_max_freq)", TA_F_HARDWARE, {}},
	{POLICY "scaling_min_khz", TA_T_INT, "kHz", "lower limit that is set (scaling_min_freq)", 0, {}},
	{POLICY "scaling_max_khz", TA_T_INT, "kHz", "upper limit that is set (scaling_max_freq)", 0, {}},
	{POLICY "cur_khz", TA_T_INT, "kHz", "clock at this moment (scaling_cur_freq)", TA_F_VOLATILE, {}},
	{POLICY "base_khz", TA_T_INT, "kHz", "clock without turbo (base_frequency of intel_pstate)", TA_F_HARDWARE, {}},
	{POLICY "cpus", TA_T_INTS, "", "online CPUs of the policy (affected_cpus)", TA_F_CPUS | TA_F_SIZED, {}},
	{POLICY "epp", TA_T_STRING, "", "energy performance preference (energy_performance_preference)", 0, {}},
	{"cpu.boost", TA_T_BOOL, "", "turbo is allowed (cpufreq/boost, intel_pstate/no_turbo)", 0, {}},
	{"cpu.pstate.status", TA_T_STRING, "", "active, passive, guided or off (intel_pstate/status, amd_pstate/status)",
		0, {}},
	{"cpu.pstate.max_perf_percent", TA_T_INT, "%", "cap of intel_pstate (max_perf_pct)", 0, {}},
	{"cpu.pstate.min_perf_percent", TA_T_INT, "%", "floor of intel_pstate (min_perf_pct)", 0, {}},
	{"cpu.platform_profile", TA_T_STRING, "", "firmware's power profile (/sys/firmware/acpi/platform_profile)", 0,
		{}},
};

/* "0 1 2 3", blanks between numbers, as cpufreq writes it (cpufreq_show_cpus()). */
static int read_cpus(struct ta_host *h, const char *file, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_text_read(h, file, &text);

	for (size_t i = 0; !rc && i < text.len; i++)
		if (text.data[i] == ' ')
			text.data[i] = ',';
	return rc ? rc : ta_cpuset_parse_list(ret, ta_buf_text(&text));
}

/*
 * Before 5.19 scaling_cur_freq of x86 sleeps 10 ms for each busy CPU (arch_freq_get_on_cpu() in
 * arch/x86/kernel/cpu/aperfmperf.c): seconds on a large machine.
 */
static bool cur_is_slow(struct ta_host *h, const char *driver)
{
	static const char *const x86[] = {
		"intel_pstate", "intel_cpufreq", "acpi-cpufreq", "amd-pstate", "amd-pstate-epp", "pcc-cpufreq"};
	int64_t v[3];

	for (size_t i = 0; i < TA_ARRAY_SIZE(x86); i++)
		if (!strcmp(driver, x86[i]))
			return ta_kernel_version(h, v) == 0 && (v[0] < 5 || (v[0] == 5 && v[1] < 19));
	return false;
}

struct policies {
	struct ta_host *h;
	struct ta_facts *f;
	/* The kernel has one driver, and one list of governors, for all policies. */
	struct ta_buf driver;
	struct ta_strv governors;
	int driver_rc, governors_rc;
	bool cur_is_slow;
	bool epp_missing, base_missing; /* the first policy has none: the others are not asked */
};

static void put_optional(struct policies *p, const char *dir, const char *key, const char *name, const char *file,
	bool *missing)
{
	char path[512];

	ta_fmt(&path, "%s/%s", dir, file);
	if (*missing) {
		ta_put_errno(p->f, -ENOENT, path, "cpu", "policies", key, name);
		return;
	}
	if (!strcmp(name, "epp"))
		ta_read_str(p->h, p->f, path, TA_KEYS("cpu", "policies", key, name));
	else
		ta_read_int(p->h, p->f, path, TA_KEYS("cpu", "policies", key, name));
	*missing = !ta_facts_at(p->f, TA_KEYS("cpu", "policies", key, name)) && ta_host_is_whole(p->h);
}

static void read_common(struct policies *p, const char *dir)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];

	p->driver_rc = ta_text_read(p->h, ta_fmt(&path, "%s/scaling_driver", dir), &p->driver);
	p->cur_is_slow = !p->driver_rc && cur_is_slow(p->h, ta_buf_text(&p->driver));
	p->governors_rc = ta_text_read(p->h, ta_fmt(&path, "%s/scaling_available_governors", dir), &text);
	ta_strv_split(&p->governors, ta_buf_text(&text), " ");
}

static void put_common(struct policies *p, const char *key)
{
	if (p->driver_rc)
		ta_put_errno(p->f, p->driver_rc, "scaling_driver", "cpu", "policies", key, "driver");
	else
		ta_put_str(p->f, ta_buf_text(&p->driver), "cpu", "policies", key, "driver");
	if (p->governors_rc)
		ta_put_errno(p->f, p->governors_rc, "scaling_available_governors", "cpu", "policies", key,
			"governors");
	else
		ta_facts_put_strs(p->f, TA_KEYS("cpu", "policies", key, "governors"), p->governors.v,
			p->governors.n);
}

static void put_policy(struct policies *p, const char *dir, const char *key, const struct ta_cpuset *cpus)
{
	static const struct {
		const char *name, *file;
	} ints[] = {
		{"min_khz", "cpuinfo_min_freq"}, {"max_khz", "cpuinfo_max_freq"},
		{"scaling_min_khz", "scaling_min_freq"}, {"scaling_max_khz", "scaling_max_freq"},
	};
	char path[512];

	ta_put_cpus(p->f, cpus, "cpu", "policies", key, "cpus");
	if (p->driver_rc == -EAGAIN)
		read_common(p, dir);
	put_common(p, key);
	ta_read_str(p->h, p->f, ta_fmt(&path, "%s/scaling_governor", dir), TA_KEYS("cpu", "policies", key, "governor"));
	for (size_t i = 0; i < TA_ARRAY_SIZE(ints); i++)
		ta_read_int(p->h, p->f, ta_fmt(&path, "%s/%s", dir, ints[i].file),
			TA_KEYS("cpu", "policies", key, ints[i].name));
	if (p->cur_is_slow)
		ta_facts_put_absent(p->f, TA_KEYS("cpu", "policies", key, "cur_khz"), TA_NOT_ASKED,
			"reading it stops for 10 ms per CPU before Linux 5.19");
	else
		ta_read_int(p->h, p->f, ta_fmt(&path, "%s/scaling_cur_freq", dir),
			TA_KEYS("cpu", "policies", key, "cur_khz"));
	put_optional(p, dir, key, "base_khz", "base_frequency", &p->base_missing);
	put_optional(p, dir, key, "epp", "energy_performance_preference", &p->epp_missing);
}

static int policy_number(const char *name)
{
	int64_t v;

	if (strncmp(name, "policy", 6) || !isdigit((unsigned char)name[6]) || ta_parse_i64(name + 6, &v))
		return -1;
	return v < TA_CPU_LIMIT ? (int)v : -1;
}

/* The CPUs of a policy that are online. Empty: it sleeps until one of them comes back. */
static void policy_cpus(struct ta_host *h, const char *dir, unsigned number, const struct ta_cpuset *online,
	struct ta_cpuset *ret)
{
	ta_cleanup_cpuset struct ta_cpuset all = TA_CPUSET_INIT;
	char path[512];

	if (read_cpus(h, ta_fmt(&path, "%s/affected_cpus", dir), &all) &&
		read_cpus(h, ta_fmt(&path, "%s/related_cpus", dir), &all))
		(void)ta_cpuset_add(&all, number);
	ta_cpuset_done(ret);
	for (int c = -1; (c = ta_cpuset_next(&all, c + 1)) >= 0;)
		if (ta_cpuset_has(online, (unsigned)c))
			(void)ta_cpuset_add(ret, (unsigned)c);
}

/* True if there is at least one policy directory. */
static bool each_policy_dir(struct policies *p, const struct ta_cpuset *online)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char dir[512];
	size_t n = 0, own = 0;

	(void)ta_host_list(p->h, CPU_DIR "/cpufreq", &names);
	for (size_t i = 0; i < names.n; i++) {
		int number = policy_number(names.v[i]);

		n += number >= 0;
		own += number >= 0 && ta_cpuset_has(online, (unsigned)number);
	}
	for (size_t i = 0; i < names.n; i++) {
		ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;
		int number = policy_number(names.v[i]);

		if (number < 0)
			continue;
		ta_fmt(&dir, CPU_DIR "/cpufreq/%s", names.v[i]);
		/* As many policies as online CPUs, each with the name of one: each has its own. */
		if (own == n && n == ta_cpuset_count(online))
			(void)ta_cpuset_add(&cpus, (unsigned)number);
		else
			policy_cpus(p->h, dir, (unsigned)number, online, &cpus);
		if (ta_cpuset_count(&cpus))
			put_policy(p, dir, names.v[i], &cpus);
	}
	return n > 0;
}

static void each_cpu_dir(struct policies *p, const struct ta_cpuset *online)
{
	ta_cleanup_cpuset struct ta_cpuset done = TA_CPUSET_INIT;
	char dir[512], key[512];

	for (int c = -1; (c = ta_cpuset_next(online, c + 1)) >= 0;) {
		ta_cleanup_cpuset struct ta_cpuset cpus = TA_CPUSET_INIT;

		ta_fmt(&dir, CPU_DIR "/cpu%d/cpufreq", c);
		if (ta_cpuset_has(&done, (unsigned)c) || !ta_host_exists(p->h, dir))
			continue;
		policy_cpus(p->h, dir, (unsigned)c, online, &cpus);
		(void)ta_cpuset_add(&cpus, (unsigned)c);
		for (int m = -1; (m = ta_cpuset_next(&cpus, m + 1)) >= 0;)
			(void)ta_cpuset_add(&done, (unsigned)m);
		put_policy(p, dir, ta_fmt(&key, "policy%d", c), &cpus);
	}
}

static void put_policies(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT;
	struct policies p = {.h = h, .f = f, .driver = TA_BUF_INIT, .governors = TA_STRV_INIT, .driver_rc = -EAGAIN};
	const char *source;
	int rc = ta_cpus_online(h, &online, &source);

	/* Without the directories of the CPUs themselves nothing says that there are no policies. */
	if (rc || !ta_host_exists(h, CPU_DIR)) {
		ta_put_errno(f, rc ? rc : -ENOENT, rc ? source : CPU_DIR, "cpu", "policies");
		return;
	}
	ta_put_object(f, "cpu", "policies");
	if (!each_policy_dir(&p, &online))
		each_cpu_dir(&p, &online);
	ta_buf_done(&p.driver);
	ta_strv_done(&p.governors);
}

static void put_boost(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (ta_text_read(h, CPU_DIR "/intel_pstate/no_turbo", &text) == 0 && text.len == 1)
		ta_put_bool(f, text.data[0] == '0', "cpu", "boost");
	else
		ta_read_bool(h, f, CPU_DIR "/cpufreq/boost", TA_KEYS("cpu", "boost"));
}

/* The file comes with a driver of the firmware (drivers/acpi/platform_profile.c): without one there are no profiles. */
static void put_platform_profile(struct ta_host *h, struct ta_facts *f)
{
	static const char file[] = "/sys/firmware/acpi/platform_profile";
	const char *const *path = TA_KEYS("cpu", "platform_profile");

	ta_read_str(h, f, file, path);
	if (!ta_facts_at(f, path) && !ta_host_exists(h, file) && ta_host_exists(h, "/sys/firmware"))
		ta_facts_put_absent(f, path, TA_UNSUPPORTED, "this firmware has no power profiles");
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	bool amd = !ta_host_exists(h, CPU_DIR "/intel_pstate") && ta_host_exists(h, CPU_DIR "/amd_pstate");

	put_policies(h, f);
	put_boost(h, f);
	ta_read_str(h, f, amd ? CPU_DIR "/amd_pstate/status" : CPU_DIR "/intel_pstate/status",
		TA_KEYS("cpu", "pstate", "status"));
	ta_read_int(h, f, CPU_DIR "/intel_pstate/max_perf_pct", TA_KEYS("cpu", "pstate", "max_perf_percent"));
	ta_read_int(h, f, CPU_DIR "/intel_pstate/min_perf_pct", TA_KEYS("cpu", "pstate", "min_perf_percent"));
	put_platform_profile(h, f);
}

const struct ta_probe ta_probe_cpufreq = {
	.name = "cpufreq",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
