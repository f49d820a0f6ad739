/*
 * What udev sets of disks, NVMe controllers and interfaces at boot, by rules and .link files, as lines of a boot list.
 */
#pragma once

#include "probe/bootattr.h"
#include "probe/nicset.h"

/* `disks`, `nvme`: names; 0 or -ENOMEM. */
int ta_boot_udev(struct ta_host *h, const struct ta_strv *disks, const struct ta_strv *nvme, const struct ta_nicset *nics,
	struct ta_boot_list *l, struct ta_boot_hole *hole);
