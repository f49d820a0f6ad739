/*
 * Which systemd a host has: what its files may say depends on that. Its programs would have to be run to tell; the library that they
 * share is named after it (meson.build: libsystemd-shared-252.so).
 */
#pragma once

#include "host/host.h"

/* The version; -ENOENT: it is not where anybody looks, or another -errno of a directory that could not be listed. */
int ta_systemd_version(struct ta_host *h);
