/*
 * Is this a virtual machine, and of which hypervisor?
 */
#pragma once

#include "host/host.h"
#include "probe/place.h"

/* The firmware strings that are not personal; false if there are none. `ret` is filled in any case. */
bool ta_dmi_read(struct ta_host *h, struct ta_dmi *ret);

/*
 * A name of place.virtualization ("none" where hardware is proved), or NULL where nothing tells. In this order:
 * CPUID (asked on a live x86), /sys/hypervisor, an output of lscpu, firmware strings, the hypervisor bit in /proc/cpuinfo with the
 * clock sources, /proc/sysinfo of s390, the device tree. `dmi` may be NULL.
 */
const char *ta_virt_find(struct ta_host *h, const struct ta_dmi *dmi);
