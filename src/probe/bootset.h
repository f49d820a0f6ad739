/*
 * What sets sysctls at the next boot, read from this host: the kernel command line, the files that its init system
 * applies, TuneD.
 *
 * systemd-sysctl reads sysctl.d(5) and never /etc/sysctl.conf: Debian up to 12, Fedora and others make it one of
 * its files by a link, Debian 13 does not. `sysctl --system`, as run by sysvinit, OpenRC and runit, reads it last,
 * and so does procd's script on OpenWrt.
 */
#pragma once

#include "host/host.h"
#include "probe/conffiles.h"
#include "probe/setters.h"

enum ta_boot_loader {
	TA_BOOT_SYSTEMD,
	TA_BOOT_PROCPS, /* sysctl --system, or what reads the same */
	TA_BOOT_PROCD,
	TA_BOOT_NOBODY, /* a container whose program is process 1, or it is switched off */
};

const char *ta_boot_loader_name(enum ta_boot_loader l); /* "systemd-sysctl", "procps", "procd", "none" */

/* 0 and what applies sysctl files here, or why that is not known. */
int ta_boot_loader_find(struct ta_host *h, enum ta_boot_loader *ret);

struct ta_boot_settings {
	struct ta_setters s;
	struct ta_strv files;  /* in the order of application */
	struct ta_strv broken; /* "FILE: why" of files that their reader cannot read either */
	size_t left;           /* bytes that may still be read */
};

/* True if the host, or copied tree, has any such files to say something about. */
bool ta_boot_settings_any(struct ta_host *h);

/* `ret` is empty (zeroed); `names` are the sysctls to watch, borrowed. 0 or -ENOMEM. */
int ta_boot_settings_read(struct ta_host *h, enum ta_boot_loader loader, const struct ta_strv *names,
	struct ta_boot_settings *ret);
void ta_boot_settings_done(struct ta_boot_settings *b);

/* Modules that are loaded before (modules-load.d(5), /etc/modules), '_' for '-', sorted. 0 or -ENOMEM. */
int ta_boot_modules(struct ta_host *h, struct ta_strv *ret);
