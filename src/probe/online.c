/*
 * Which CPUs are online. CPU 0 may be offline, numbers may have holes, and
 * cpu/offline also lists CPUs that never were there: nothing here counts, it
 * always collects the numbers.
 */
#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/cpuinfo.h"
#include "probe/lscpu.h"
#include "probe/probe.h"
#include "probe/topology.h"

#define CPU_DIR "/sys/devices/system/cpu"

/* "cpu12" and nothing behind it: 12, else −1. */
static int cpu_number(const char *name)
{
	int64_t v;

	if (strncmp(name, "cpu", 3) || !isdigit((unsigned char)name[3]) || ta_parse_i64(name + 3, &v))
		return -1;
	return v < TA_CPU_LIMIT ? (int)v : -1;
}

static int from_list(struct ta_host *h, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ta_host_read(h, CPU_DIR "/online", TA_READ_CAP, &text);

	if (!rc)
		rc = ta_cpuset_parse_list(ret, ta_buf_text(&text));
	return rc || ta_cpuset_count(ret) ? rc : -ENOENT;
}

static int from_dirs(struct ta_host *h, struct ta_cpuset *ret)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char path[512];
	int rc = ta_host_list(h, CPU_DIR, &names);

	for (size_t i = 0; !rc && i < names.n; i++) {
		int cpu = cpu_number(names.v[i]);

		if (cpu < 0)
			continue;
		/* A CPU that cannot be taken offline has no such file. */
		if (ta_host_read(h, ta_fmt(&path, CPU_DIR "/cpu%d/online", cpu), TA_READ_CAP, &text) == 0 &&
			ta_buf_text(&text)[0] == '0')
			continue;
		rc = ta_cpuset_add(ret, (unsigned)cpu);
	}
	return rc || ta_cpuset_count(ret) ? rc : -ENOENT;
}

static int stat_line(const char *line, size_t len, void *ctx)
{
	char name[32];
	size_t n = strcspn(line, " ");
	int cpu;

	/* The cpu lines come first; behind them are megabytes of interrupt counts on large machines. */
	if (strncmp(line, "cpu", 3))
		return -ECANCELED;
	if (n >= sizeof(name))
		return 0;
	memcpy(name, line, n);
	name[n] = '\0';
	cpu = cpu_number(name);
	return cpu < 0 ? 0 : ta_cpuset_add(ctx, (unsigned)cpu);
}

static int interrupts_line(const char *line, size_t len, void *ctx)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	int64_t v;

	ta_strv_split(&words, line, " ");
	for (size_t i = 0; i < words.n; i++)
		if (!strncmp(words.v[i], "CPU", 3) && !ta_parse_i64(words.v[i] + 3, &v) && v >= 0 &&
			v < TA_CPU_LIMIT && ta_cpuset_add(ctx, (unsigned)v))
			return -ENOMEM;
	return words.error ? words.error : -ECANCELED; /* the head line is all we want */
}

static int from_lines(struct ta_host *h, const char *file,
	int (*fn)(const char *line, size_t len, void *ctx), struct ta_cpuset *ret)
{
	int rc = ta_host_lines(h, file, fn, ret);

	if (rc == -ECANCELED)
		rc = 0;
	return rc || ta_cpuset_count(ret) ? rc : -ENOENT;
}

static int from_cpuinfo(struct ta_host *h, struct ta_cpuset *ret)
{
	ta_cleanup_cpuinfo struct ta_cpuinfo ci = TA_CPUINFO_INIT;
	int rc = ta_cpuinfo_read(h, false, &ci);

	for (size_t i = 0; !rc && i < ci.n_cpus; i++)
		rc = ta_cpuset_add(ret, ci.cpus[i].cpu);
	return rc || ci.n_cpus ? rc : -ENOENT;
}

int ta_cpus_online(struct ta_host *h, struct ta_cpuset *ret, const char **source)
{
	int rc;

	*source = CPU_DIR "/online";
	rc = from_list(h, ret);
	if (!rc)
		return 0;
	ta_cpuset_done(ret);
	*source = CPU_DIR "/cpuN";
	if (from_dirs(h, ret) == 0)
		return 0;
	*source = "/proc/stat";
	if (from_lines(h, "/proc/stat", stat_line, ret) == 0)
		return 0;
	*source = "/proc/cpuinfo";
	if (from_cpuinfo(h, ret) == 0)
		return 0;
	/* Before a table that may have been cut on its right. */
	*source = "lscpu";
	if (ta_lscpu_list(h, "On-line CPU(s) list", ret) == 0 && ta_cpuset_count(ret))
		return 0;
	ta_cpuset_done(ret);
	*source = "/proc/interrupts";
	if (from_lines(h, "/proc/interrupts", interrupts_line, ret) == 0)
		return 0;
	*source = CPU_DIR "/online";
	return rc; /* what is wrong with the source that should have it */
}
