/*
 * How often heat slowed a CPU down (x86, arch/x86/kernel/cpu/mce/therm_throt.c).
 */
#include "base/num.h"
#include "probe/probe.h"
#include "probe/topology.h"

#define CPU_DIR "/sys/devices/system/cpu"

static const struct ta_field fields[] = {
	{"cpu.throttle.core_events", TA_T_INT, "events",
		"times a core was slowed down by heat, all CPUs added up (thermal_throttle/core_throttle_count)",
		TA_F_VOLATILE, {}},
	{"cpu.throttle.package_events", TA_T_INT, "events",
		"the same of the hottest package (thermal_throttle/package_throttle_count)", TA_F_VOLATILE, {}},
};

static int read_count(struct ta_host *h, int cpu, const char *name, uint64_t *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc = ta_host_read(h, ta_fmt(&path, CPU_DIR "/cpu%d/thermal_throttle/%s", cpu, name), TA_READ_CAP, &text);

	return rc ? rc : ta_parse_u64(ta_buf_text(&text), ret);
}

static void put_throttle(struct ta_host *h, struct ta_facts *f, const char *fact, const char *file, bool add)
{
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT;
	const char *source;
	char path[512];
	uint64_t total = 0, v;
	int rc = ta_cpus_online(h, &online, &source);

	for (int c = -1; !rc && (c = ta_cpuset_next(&online, c + 1)) >= 0;) {
		rc = read_count(h, c, file, &v);
		if (!rc)
			total = add ? total + v : TA_MAX(total, v);
	}
	if (rc)
		ta_put_errno(f, rc, ta_fmt(&path, CPU_DIR "/cpuN/thermal_throttle/%s", file), "cpu", "throttle", fact);
	else
		ta_put_u64(f, total, "cpu", "throttle", fact);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	put_throttle(h, f, "core_events", "core_throttle_count", true);
	put_throttle(h, f, "package_events", "package_throttle_count", false);
}

const struct ta_probe ta_probe_throttle = {
	.name = "throttle",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
