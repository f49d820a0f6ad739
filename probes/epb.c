/*
 * The energy bias of Intel CPUs without EPP (arch/x86/kernel/cpu/intel_epb.c).
 */
#include "base/num.h"
#include "probe/probe.h"
#include "probe/topology.h"

static const struct ta_field fields[] = {
	{"cpu.epb", TA_T_INT, "", "highest energy_perf_bias of the online CPUs: 0 performance … 15 power saving", 0, {}},
};

static void collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *source;
	char path[512];
	int64_t highest = -1, v;
	int rc = ta_cpus_online(h, &online, &source);

	for (int c = -1; !rc && (c = ta_cpuset_next(&online, c + 1)) >= 0;) {
		source = ta_fmt(&path, "/sys/devices/system/cpu/cpu%d/power/energy_perf_bias", c);
		rc = ta_host_read(h, path, TA_READ_CAP, &text);
		if (!rc)
			rc = ta_parse_i64(ta_buf_text(&text), &v);
		if (!rc)
			highest = TA_MAX(highest, v);
	}
	if (rc)
		ta_put_errno(f, rc, source, "cpu", "epb");
	else
		ta_put_i64(f, highest, "cpu", "epb");
}

const struct ta_probe ta_probe_epb = {
	.name = "epb",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = collect,
};
