/*
 * /proc/self/mountinfo, one line at a time (proc_pid_mountinfo(5)).
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/strv.h"

struct ta_mount {
	struct ta_buf point, source, fstype;
	bool is_part; /* not the root of the file system: a bind mount, or a subvolume of btrfs */
	struct ta_strv options; /* of the mount, then of the file system: only names that we know */
};

#define ta_cleanup_mount ta_cleanup(ta_mount_done)

/* 0, -EBADMSG (no such line), -ENOMEM. Replaces `ret`. */
int ta_mount_parse(const char *line, struct ta_mount *ret);
void ta_mount_done(struct ta_mount *m);
