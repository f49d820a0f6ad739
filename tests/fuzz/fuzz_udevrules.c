/*
 * udev rules: read, held against devices that nothing is known of, and what is left of them for a capture.
 */
#include <stdlib.h>
#include <string.h>

#include "host/redact.h"
#include "probe/bootlist.h"
#include "probe/bootnic.h"
#include "probe/udevrules.h"

static int count(const struct ta_udev_set *set, void *ctx)
{
	ta_cleanup_boot_list struct ta_boot_list l = {0};

	if (!set->attr || (set->run && *set->attr))
		abort();
	if (set->run && set->value)
		ta_boot_ethtool(&l, set->value, "eth0", set->file->path, set->line, set->maybe);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct ta_udev_device devices[] = {
		{"block", "sda", "sda", "/sys/block/sda", "disk"},
		{"net", "eth0", NULL, "/sys/class/net/eth0", NULL},
		{"nvme", "nvme0", "nvme0", "/sys/class/nvme/nvme0", ""},
	};
	static struct ta_host *h;
	ta_cleanup_udev_rules struct ta_udev_rules rules = {0};
	ta_cleanup_buf struct ta_buf kept = TA_BUF_INIT;
	struct ta_err err = {0};

	/* A directory without anything of a host in it. */
	if (!h && ta_host_capture("tests/fuzz/seeds/udevrules", &h, &err) < 0)
		abort();
	if (ta_udev_rules_add(&rules, "/etc/udev/rules.d/90-a.rules", (const char *)data, size) < 0)
		abort();
	for (size_t i = 0; i < TA_ARRAY_SIZE(devices); i++)
		if (ta_udev_apply(&rules, h, &devices[i], count, NULL) < 0)
			abort();
	ta_buf_add(&kept, data, size);
	if (kept.error)
		return 0;
	ta_redact("/etc/udev/rules.d/90-a.rules", &kept);
	if (kept.len > size)
		abort();
	return 0;
}
