/*
 * Block devices and their request queues (Documentation/ABI/stable/sysfs-block).
 * RAM disks and loop devices are left out: what they do is another device's work.
 */
#include <errno.h>
#include <string.h>

#include "base/num.h"
#include "probe/netdev.h"
#include "probe/probe.h"
#include "probe/value.h"

static const struct ta_field fields[] = {
	{"disks.*.physical", TA_T_BOOL, "",
		"a device stands behind it (a virtual machine's too); false for dm, md, zram …", TA_F_HARDWARE | TA_F_COMES,
		{{0}}},
	{"disks.*.scheduler", TA_T_STRING, "", "I/O scheduler in use", 0, {{0}}},
	{"disks.*.rotational", TA_T_BOOL, "", "spinning medium, as the driver believes", TA_F_HARDWARE, {{0}}},
	{"disks.*.nr_requests", TA_T_INT, "requests", "requests that may wait per queue", 0, {{0}}},
	{"disks.*.read_ahead_kb", TA_T_INT, "KiB", "read ahead of a sequential reader", 0, {{0}}},
	{"disks.*.rq_affinity", TA_T_INT, "",
		"where completions run: 0 anywhere, 1 same group of CPUs, 2 same CPU", 0, {{0}}},
	{"disks.*.nomerges", TA_T_INT, "", "0 merges requests, 1 simple merges only, 2 none", 0,
		{{0}}},
	{"disks.*.wbt_lat_usec", TA_T_INT, "us",
		"latency that write-back throttling defends; 0 off", 0, {{0}}},
	{"disks.*.io_timeout", TA_T_INT, "ms", "time until a request counts as lost", 0, {{0}}},
	{"disks.*.write_cache", TA_T_STRING, "", "write back or write through", 0, {{0}}},
};

static bool is_left_out(const char *name)
{
	static const char *const starts[] = {"loop", "ram"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(starts); i++) {
		size_t len = strlen(starts[i]);

		if (strncmp(name, starts[i], len) == 0 && ta_is_digit(name[len]))
			return true;
	}
	return false;
}

/* "noop [deadline] cfq"; "none" without brackets where there is nothing to choose. */
static void put_scheduler(struct ta_host *h, struct ta_facts *f, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char file[512];
	int rc;

	rc = ta_text_read(h, ta_fmt(&file, "/sys/block/%s/queue/scheduler", name), &text);
	if (rc == 0 && strcmp(ta_buf_text(&text), "none") == 0)
		ta_put_str(f, "none", "disks", name, "scheduler");
	else
		ta_read_choice(h, f, file, TA_KEYS("disks", name, "scheduler"));
}

static void put_physical(struct ta_host *h, struct ta_facts *f, const char *name)
{
	ta_cleanup_buf struct ta_buf link = TA_BUF_INIT;
	struct ta_netdev d = {0};
	char file[512];
	int rc;

	rc = ta_host_readlink(h, ta_fmt(&file, "/sys/block/%s", name), &link);
	if (rc == 0)
		rc = ta_netdev_parse_link(ta_buf_text(&link), "block", &d);
	if (rc == 0)
		ta_put_bool(f, !d.is_virtual, "disks", name, "physical");
	else
		ta_facts_put_absent(f, TA_KEYS("disks", name, "physical"), TA_MISSING,
			"%s is no link to a device", file);
	ta_netdev_done(&d);
}

static void put_disk(struct ta_host *h, struct ta_facts *f, const char *name)
{
	static const char *const numbers[] = {"nr_requests", "read_ahead_kb", "rq_affinity",
		"nomerges", "wbt_lat_usec", "io_timeout"};
	char file[512];

	put_physical(h, f, name);
	put_scheduler(h, f, name);
	ta_read_bool(h, f, ta_fmt(&file, "/sys/block/%s/queue/rotational", name),
		TA_KEYS("disks", name, "rotational"));
	for (size_t i = 0; i < TA_ARRAY_SIZE(numbers); i++)
		ta_read_int(h, f, ta_fmt(&file, "/sys/block/%s/queue/%s", name, numbers[i]),
			TA_KEYS("disks", name, numbers[i]));
	ta_read_str(h, f, ta_fmt(&file, "/sys/block/%s/queue/write_cache", name),
		TA_KEYS("disks", name, "write_cache"));
}

static void disk_collect(struct ta_host *h, struct ta_facts *f)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	int rc = ta_host_list(h, "/sys/block", &names);

	if (rc < 0) {
		ta_put_errno(f, rc, "/sys/block", "disks");
		return;
	}
	ta_put_object(f, "disks");
	for (size_t i = 0; i < names.n; i++)
		if (!is_left_out(names.v[i]))
			put_disk(h, f, names.v[i]);
}

const struct ta_probe ta_probe_disk = {
	.name = "disk",
	.fields = fields,
	.n_fields = TA_ARRAY_SIZE(fields),
	.collect = disk_collect,
};
