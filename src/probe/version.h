/*
 * The kernel's version, for the few places where a source behaves differently
 * from some version on. Features are tried, never looked up by version.
 */
#pragma once

#include <stdint.h>

#include "host/host.h"

/* "6.1.0-13-amd64", "6.18-rc1", "5.14.0-427.59.1.el9_4.x86_64" -> {6, 1, 0} …; 0 or -EINVAL. */
int ta_version_parse(const char *release, int64_t ret[3]);

/*
 * The release as uname -r has it: /proc/sys/kernel/osrelease, else /proc/version, else the `uname -a` that a
 * script left in a capture. 0 or -errno of the first.
 */
int ta_kernel_release(struct ta_host *h, struct ta_buf *ret);

int ta_kernel_version(struct ta_host *h, int64_t ret[3]);
