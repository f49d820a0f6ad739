/*
 * Idle states: how deep a CPU may sleep and how long it takes to wake up.
 * Those of the first online CPU stand for all.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "probe/probe.h"
#include "probe/topology.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define NO_LIMIT_US 2000000000 /* PM_QOS_CPU_LATENCY_DEFAULT_VALUE, include/linux/pm_qos.h */
#define STATE "cpu.idle.states.*."

static const struct ta_field fields[] = {
	{"cpu.idle.driver", TA_T_STRING, "", "intel_idle, acpi_idle, psci_idle, haltpoll, none … (cpuidle/current_driver)",
		TA_F_SYSTEM, {}},
	{"cpu.idle.governor", TA_T_STRING, "", "menu, teo, ladder, haltpoll (cpuidle/current_governor)", 0, {}},
	{STATE "name", TA_T_STRING, "", "POLL, C1, C6 … (stateN/name)", TA_F_SYSTEM, {}},
	{STATE "latency_us", TA_T_INT, "us", "time to wake up from it (stateN/latency)", TA_F_SYSTEM, {}},
	{STATE "disabled", TA_T_BOOL, "", "somebody took it out (stateN/disable)", 0, {}},
	{"cpu.idle.max_latency_us", TA_T_INT, "us", "wake-up from the slowest state that nobody took out", 0, {}},
	{"cpu.idle.latency_limit_us", TA_T_INT, "us",
		"slowest wake-up that programs let CPUs have (/dev/cpu_dma_latency); who they are the kernel does not tell",
		TA_F_UNLIMITED, {}},
	{"cpu.idle.max_cstate", TA_T_INT, "",
		"deepest state that the driver was told to use (module parameter max_cstate); 0 of intel_idle: it stays out", 0, {}},
};

static void put_states(struct ta_host *h, struct ta_facts *f, const char *dir, const struct ta_strv *names)
{
	char path[512];

	for (size_t i = 0; i < names->n; i++) {
		const char *key = names->v[i];

		if (strncmp(key, "state", 5) || !isdigit((unsigned char)key[5]))
			continue;
		ta_read_str(h, f, ta_fmt(&path, "%s/%s/name", dir, key), TA_KEYS("cpu", "idle", "states", key, "name"));
		ta_read_int(h, f, ta_fmt(&path, "%s/%s/latency", dir, key),
			TA_KEYS("cpu", "idle", "states", key, "latency_us"));
		ta_read_bool(h, f, ta_fmt(&path, "%s/%s/disable", dir, key),
			TA_KEYS("cpu", "idle", "states", key, "disabled"));
	}
}

static void put_max_latency(struct ta_facts *f, const struct ta_strv *names)
{
	int64_t most = -1, us;
	bool disabled;

	for (size_t i = 0; i < names->n; i++) {
		const char *key = names->v[i];

		if (strncmp(key, "state", 5) || !isdigit((unsigned char)key[5]))
			continue;
		if (!ta_facts_get_bool(f, TA_KEYS("cpu", "idle", "states", key, "disabled"), &disabled) ||
			!ta_facts_get_i64(f, TA_KEYS("cpu", "idle", "states", key, "latency_us"), &us)) {
			ta_facts_put_absent(f, TA_KEYS("cpu", "idle", "max_latency_us"), TA_MALFORMED, "%s cannot be read whole", key);
			return;
		}
		most = disabled ? most : TA_MAX(most, us);
	}
	if (most < 0)
		ta_facts_put_absent(f, TA_KEYS("cpu", "idle", "max_latency_us"), TA_MISSING, "there is no idle state in use");
	else
		ta_put_i64(f, most, "cpu", "idle", "max_latency_us");
}

/*
 * To open it makes a request of "no limit", which changes nothing (cpu_latency_qos_open(), kernel/power/qos.c); what it
 * gives back is the least of all requests.
 */
static int call_latency_limit(void *arg, struct ta_buf *ret)
{
	int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC), rc = 0;
	int32_t us;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read(fd, &us, sizeof(us));
	if (n != (ssize_t)sizeof(us))
		rc = n < 0 ? -errno : -EBADMSG;
	close(fd);
	if (!rc)
		ta_buf_printf(ret, "%d", us);
	return rc ? rc : ret->error;
}

static void put_latency_limit(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t us;
	int rc = ta_host_call(h, "cpu_dma_latency", call_latency_limit, NULL, &text);

	if (!rc && (ta_parse_i64(ta_buf_text(&text), &us) || us < 0))
		rc = -EBADMSG;
	if (rc)
		ta_put_errno(f, rc, "/dev/cpu_dma_latency", "cpu", "idle", "latency_limit_us");
	else if (us >= NO_LIMIT_US)
		ta_put_unlimited(f, "cpu", "idle", "latency_limit_us");
	else
		ta_put_i64(f, us, "cpu", "idle", "latency_limit_us");
}

/* Of the driver in use; acpi_idle takes that of the processor module. */
static void put_max_cstate(struct ta_host *h, struct ta_facts *f)
{
	const char *driver = ta_facts_get_str(f, TA_KEYS("cpu", "idle", "driver"));
	const char *module = driver && !strcmp(driver, "acpi_idle") ? "processor" : "intel_idle";
	char path[512];

	/* The parameter of a driver that has no say here; with intel_idle out of the way (0) none may be left. */
	if (driver && strcmp(driver, "acpi_idle") != 0 && strcmp(driver, "intel_idle") != 0 && strcmp(driver, "none") != 0) {
		ta_facts_put_absent(f, TA_KEYS("cpu", "idle", "max_cstate"), TA_UNSUPPORTED, "%s has no such limit", driver);
		return;
	}
	ta_read_int(h, f, ta_fmt(&path, "/sys/module/%s/parameters/max_cstate", module), TA_KEYS("cpu", "idle", "max_cstate"));
}

static void collect(struct ta_host *h, struct ta_facts *f)
{
	static const char writable[] = CPU_DIR "/cpuidle/current_governor";
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT;
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	const char *source;
	char dir[512];
	int rc;

	ta_read_str(h, f, CPU_DIR "/cpuidle/current_driver", TA_KEYS("cpu", "idle", "driver"));
	/* _ro is the older name, still there where the governor cannot be changed. */
	ta_read_str(h, f, ta_host_exists(h, writable) ? writable : CPU_DIR "/cpuidle/current_governor_ro",
		TA_KEYS("cpu", "idle", "governor"));
	put_latency_limit(h, f);
	put_max_cstate(h, f);
	rc = ta_cpus_online(h, &online, &source);
	if (!rc)
		rc = ta_host_list(h, ta_fmt(&dir, CPU_DIR "/cpu%d/cpuidle", ta_cpuset_next(&online, 0)), &names);
	if (rc) {
		ta_put_errno(f, rc, CPU_DIR "/cpuN/cpuidle", "cpu", "idle", "states");
		ta_put_errno(f, rc, CPU_DIR "/cpuN/cpuidle", "cpu", "idle", "max_latency_us");
		return;
	}
	ta_put_object(f, "cpu", "idle", "states");
	put_states(h, f, dir, &names);
	put_max_latency(f, &names);
}

const struct ta_probe ta_probe_cpuidle = {
	.name = "cpuidle",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
