/*
 * Caches that cores share. One read for each: its list of CPUs speaks for all
 * of them.
 */
#include <errno.h>

#include "probe/probe.h"
#include "probe/topology.h"
#include "probe/value.h"

#define CPU_DIR "/sys/devices/system/cpu"

static const struct ta_field fields[] = {
	{"cpu.l3_caches", TA_T_INT, "caches", "last-level caches of the online CPUs (cache/index3/shared_cpu_list)", TA_F_HARDWARE, {}},
};

/* The CPUs that share the third-level cache of this one; -ENOENT: it has none. */
static int read_shared(struct ta_host *h, unsigned cpu, struct ta_cpuset *ret)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc = ta_text_read(h, ta_fmt(&file, CPU_DIR "/cpu%u/cache/index3/shared_cpu_list", cpu), &text);

	if (rc < 0)
		return rc;
	return ta_cpuset_parse_list(ret, ta_buf_text(&text)) < 0 || !ta_cpuset_has(ret, cpu) ? -EBADMSG : 0;
}

static int count_caches(struct ta_host *h, int64_t *ret)
{
	ta_cleanup_cpuset struct ta_cpuset online = TA_CPUSET_INIT, seen = TA_CPUSET_INIT;
	const char *source;
	int64_t n = 0;
	int rc = ta_cpus_online(h, &online, &source);

	for (int c = -1; rc == 0 && (c = ta_cpuset_next(&online, c + 1)) >= 0;) {
		ta_cleanup_cpuset struct ta_cpuset shared = TA_CPUSET_INIT;

		if (ta_cpuset_has(&seen, (unsigned)c))
			continue;
		rc = read_shared(h, (unsigned)c, &shared);
		if (rc == 0)
			rc = ta_cpuset_or(&seen, &shared);
		n++;
	}
	*ret = n;
	return rc;
}

static void cache_collect(struct ta_host *h, struct ta_facts *f)
{
	int64_t n;
	int rc = count_caches(h, &n);

	if (rc < 0)
		ta_put_errno(f, rc, "cache/index3/shared_cpu_list", "cpu", "l3_caches");
	else
		ta_put_i64(f, n, "cpu", "l3_caches");
}

const struct ta_probe ta_probe_cache = {
	.name = "cache",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = cache_collect,
};
