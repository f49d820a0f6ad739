/*
 * What the kernel does about each CPU vulnerability it knows, in its words.
 */
#include "probe/probe.h"

#define DIR "/sys/devices/system/cpu/vulnerabilities"

static const struct ta_field fields[] = {
	{"kernel.vulnerabilities.*", TA_T_STRING, "",
		"\"Not affected\", \"Mitigation: …\" or \"Vulnerable…\" (cpu/vulnerabilities/NAME)", TA_F_SYSTEM, {}},
};

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	char path[512];
	int rc = ta_host_list(h, DIR, &names);

	if (rc) {
		ta_put_errno(f, rc, DIR, "kernel", "vulnerabilities");
		return;
	}
	ta_put_object(f, "kernel", "vulnerabilities");
	for (size_t i = 0; i < names.n; i++)
		ta_read_str(h, f, ta_fmt(&path, DIR "/%s", names.v[i]), TA_KEYS("kernel", "vulnerabilities", names.v[i]));
}

const struct ta_probe ta_probe_mitigations = {
	.name = "mitigations",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
