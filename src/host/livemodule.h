/*
 * Loading a module by the one program that knows how: modprobe(8).
 */
#pragma once

#include "host/host.h"

/* Absolute path, empty environment, the name behind "--". 0, -ENOENT (there is no modprobe), -EIO with its words. */
int ta_live_modprobe(struct ta_host *h, const char *name, struct ta_err *err);
