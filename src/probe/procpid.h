/*
 * Readers of /proc/PID/{limits,status,cgroup}: bytes in, values out, no host.
 */
#pragma once

#include "base/unit.h"
#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

struct ta_limit {
	bool unlimited;
	uint64_t value; /* 0 if unlimited */
};

/* A row of /proc/PID/limits (fs/proc/base.c), "Max open files". 0, -ENOENT (no such row) or -EBADMSG. */
int ta_limits_find(const char *text, const char *row, struct ta_limit *ret_soft,
	struct ta_limit *ret_hard);

/* The text behind "KEY:" in /proc/PID/status, blanks around dropped. 0 or -ENOENT. Replaces what `ret` held. */
int ta_status_find(const char *text, const char *key, struct ta_buf *ret);

/*
 * The path behind the line of /proc/PID/cgroup for a controller of version 1 ("cpu", "name=systemd"),
 * or for version 2 (""). 0 or -ENOENT. Replaces what `ret` held.
 */
int ta_cgroup_path(const char *text, const char *controller, struct ta_buf *ret);

