/*
 * Which systemd a host has, by the name of the library that its programs share (meson.build: libsystemd-shared-252.so): what its
 * files may say depends on that.
 */
#pragma once

#include "host/host.h"

/* The version; 0: it is not where anybody looks. */
int ta_systemd_version(struct ta_host *h);
