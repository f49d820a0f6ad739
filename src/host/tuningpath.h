/*
 * Which files of the kernel change how fast a machine is: of what others write to at boot only these are looked at, and kept.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* `path` of `len` bytes; it may hold patterns. Of /proc/sys none: redact.c has a list of its own for names of sysctls. */
bool ta_is_tuning_path(const char *path, size_t len);

/* The same of an attribute below a device: "queue/scheduler", "power/pm_qos_latency_tolerance_us". */
bool ta_is_tuning_attr(const char *attr);
