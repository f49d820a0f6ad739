/*
 * Idle states: how deep a CPU may sleep and how long it takes to wake up.
 * Those of the first online CPU stand for all.
 */
#include <ctype.h>
#include <string.h>

#include "probe/probe.h"
#include "probe/topology.h"

#define CPU_DIR "/sys/devices/system/cpu"
#define STATE "cpu.idle.states.*."

static const struct ta_field fields[] = {
	{"cpu.idle.driver", TA_T_STRING, "", "intel_idle, acpi_idle, psci_idle, haltpoll, none … (cpuidle/current_driver)",
		0, {}},
	{"cpu.idle.governor", TA_T_STRING, "", "menu, teo, ladder, haltpoll (cpuidle/current_governor)", 0, {}},
	{STATE "name", TA_T_STRING, "", "POLL, C1, C6 … (stateN/name)", 0, {}},
	{STATE "latency_us", TA_T_INT, "us", "time to wake up from it (stateN/latency)", 0, {}},
	{STATE "disabled", TA_T_BOOL, "", "somebody took it out (stateN/disable)", 0, {}},
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
	rc = ta_cpus_online(h, &online, &source);
	if (!rc)
		rc = ta_host_list(h, ta_fmt(&dir, CPU_DIR "/cpu%d/cpuidle", ta_cpuset_next(&online, 0)), &names);
	if (rc) {
		ta_put_errno(f, rc, CPU_DIR "/cpuN/cpuidle", "cpu", "idle", "states");
		return;
	}
	ta_put_object(f, "cpu", "idle", "states");
	put_states(h, f, dir, &names);
}

const struct ta_probe ta_probe_cpuidle = {
	.name = "cpuidle",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
