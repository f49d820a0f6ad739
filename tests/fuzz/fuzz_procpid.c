/* What /proc tells of a process, and mounts and limits of control groups, from any bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/strv.h"
#include "probe/cgroup.h"
#include "probe/procpid.h"
#include "probe/procscan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void of_process(const char *text)
{
	ta_cleanup_buf struct ta_buf value = TA_BUF_INIT;
	struct ta_limit soft = {0}, hard = {0};
	struct ta_unit unit;

	if (ta_limits_find(text, "Max open files", &soft, &hard) == 0 &&
		((soft.unlimited && soft.value) || (hard.unlimited && hard.value)))
		abort();
	if (ta_status_find(text, "CapEff", &value) == 0 && strchr(ta_buf_text(&value), '\n'))
		abort();
	if (ta_cgroup_path(text, "memory", &value) == 0 && strchr(ta_buf_text(&value), '\n'))
		abort();
	ta_cgroup_path(text, "", &value);
	ta_unit_of(text, &unit);
	if (strlen(unit.name) >= sizeof(unit.name) || strchr(unit.name, '/') ||
		(unit.container && !unit.name[0]))
		abort();
}

static void of_group(const char *text)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	struct ta_cgroups c = {0};
	uint64_t v;

	if (ta_cgroup_cpu_max(text, &v) == 0 && v == 0)
		abort();
	ta_cgroup_stat(text, "nr_throttled", &v);
	ta_strv_split(&lines, text, "\n");
	for (size_t i = 0; i < lines.n; i++) {
		ta_cgroups_mount_line(lines.v[i], &c);
		ta_socket_inode(lines.v[i], &v);
	}
	if (c.v2.there && (!c.v2.point[0] || !c.v2.root[0]))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (size > 65536)
		return 0;
	ta_buf_add(&text, data, size);
	of_process(ta_buf_text(&text));
	of_group(ta_buf_text(&text));
	return 0;
}
