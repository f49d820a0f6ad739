/*
 * What sets attributes of /sys at boot, as lines of a boot list: the kernel command line, options of modules, tmpfiles.d, TuneD.
 */
#pragma once

#include "host/host.h"
#include "probe/bootlist.h"

/* A file or directory that could not be read and may hold anything: 0 or -errno, and which. The first one. */
struct ta_boot_hole {
	int rc;
	char what[256];
};

void ta_boot_hole_note(struct ta_boot_hole *hole, int rc, const char *what);

/* Each appends to `l`; 0 or -ENOMEM. */
int ta_boot_cmdline(struct ta_host *h, struct ta_boot_list *l);
int ta_boot_modprobe(struct ta_host *h, struct ta_boot_list *l, struct ta_boot_hole *hole);
int ta_boot_tmpfiles(struct ta_host *h, struct ta_boot_list *l, struct ta_boot_hole *hole);

/* `nics` and `disks`: names of those that profiles mean by "all". */
int ta_boot_tuned(struct ta_host *h, const struct ta_strv *nics, const struct ta_strv *disks, struct ta_boot_list *l,
	struct ta_boot_hole *hole);

/*
 * The paths that a pattern means, '*', '?' and [set] by component; one without them as it is, there or not. At most 4096. 0 or
 * -ENOMEM.
 */
int ta_boot_glob(struct ta_host *h, const char *pattern, struct ta_strv *ret);

/* A line for the attribute at `path`, under the name that plans have for it. */
struct ta_boot_line *ta_boot_add_path(struct ta_boot_list *l, enum ta_boot_by by, const char *path, const char *file,
	unsigned line, const char *value);
