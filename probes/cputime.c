/*
 * Where CPU time went since boot, what the hypervisor took of it, and how
 * often heat slowed a CPU down.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"
#include "probe/topology.h"

#define CPU_DIR "/sys/devices/system/cpu"

static const struct ta_field fields[] = {
	{"cpu.time.user", TA_T_INT, "ticks", "user time of all CPUs, nice included (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.system", TA_T_INT, "ticks", "kernel time without interrupts (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.idle", TA_T_INT, "ticks", "idle time, waiting for disks included (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.irq", TA_T_INT, "ticks", "time in hard interrupts (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.softirq", TA_T_INT, "ticks", "time in soft interrupts (/proc/stat)", TA_F_VOLATILE, {}},
	{"cpu.time.steal", TA_T_INT, "ticks", "time in which the hypervisor ran something else (/proc/stat)",
		TA_F_VOLATILE, {}},
	{"cpu.time.steal_percent", TA_T_REAL, "%", "steal of all time since boot", TA_F_VOLATILE, {}},
	{"cpu.throttle.core_events", TA_T_INT, "events",
		"times a core was slowed down by heat, all CPUs added up (thermal_throttle/core_throttle_count)",
		TA_F_VOLATILE, {}},
	{"cpu.throttle.package_events", TA_T_INT, "events",
		"the same of the hottest package (thermal_throttle/package_throttle_count)", TA_F_VOLATILE, {}},
};

enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, COLUMNS };

static int first_line(const char *line, size_t len, void *ctx)
{
	uint64_t *v = ctx;

	if (strncmp(line, "cpu ", 4))
		return -EBADMSG;
	line += 4;
	for (int i = 0; i < COLUMNS; i++)
		if (ta_next_u64(&line, &v[i]))
			v[i] = 0; /* old kernels have fewer columns */
	return -ECANCELED;
}

static void put_times(struct ta_host *h, struct ta_facts *f)
{
	uint64_t v[COLUMNS] = {0}, all = 0;
	int rc = ta_host_lines(h, "/proc/stat", first_line, v);

	if (rc != -ECANCELED) {
		ta_put_errno(f, rc ? rc : -EBADMSG, "/proc/stat", "cpu", "time");
		return;
	}
	for (int i = 0; i < COLUMNS; i++)
		all += v[i];
	ta_put_u64(f, v[USER] + v[NICE], "cpu", "time", "user");
	ta_put_u64(f, v[SYSTEM], "cpu", "time", "system");
	ta_put_u64(f, v[IDLE] + v[IOWAIT], "cpu", "time", "idle");
	ta_put_u64(f, v[IRQ], "cpu", "time", "irq");
	ta_put_u64(f, v[SOFTIRQ], "cpu", "time", "softirq");
	ta_put_u64(f, v[STEAL], "cpu", "time", "steal");
	/* Tenths are what one can say of a counter of ticks. */
	ta_put_real(f, all ? (double)(uint64_t)((double)v[STEAL] * 1000 / (double)all) / 10 : 0, "cpu", "time",
		"steal_percent");
}

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
	uint64_t total = 0, v;
	int rc = ta_cpus_online(h, &online, &source);

	for (int c = -1; !rc && (c = ta_cpuset_next(&online, c + 1)) >= 0;) {
		rc = read_count(h, c, file, &v);
		if (!rc)
			total = add ? total + v : TA_MAX(total, v);
	}
	if (rc)
		ta_put_errno(f, rc, file, "cpu", "throttle", fact);
	else
		ta_put_u64(f, total, "cpu", "throttle", fact);
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	put_times(h, f);
	put_throttle(h, f, "core_events", "core_throttle_count", true);
	put_throttle(h, f, "package_events", "package_throttle_count", false);
}

const struct ta_probe ta_probe_cputime = {
	.name = "cputime",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
