/*
 * Secrets are left out when they are read, not when they are written: no probe,
 * message or capture ever holds them, whatever it does with what it read.
 *
 *   /proc/cmdline             the words of an allow-list of tuning parameters, and sysctls as below
 *   /proc/PID/cmdline         the first word
 *   /etc/os-release           ID, VERSION_ID, PRETTY_NAME (also in /usr/lib)
 *   sysctl.conf, sysctl.d     assignments of sysctls that hold no names, programs or keys, up to their comments
 *   limits.conf, limits.d     lines without their comments
 *   modprobe.d                options of an allow-list of modules
 *   systemd system.conf       DefaultLimit…, DefaultTasksMax, CPUAffinity, NUMA…
 *   systemd units             sections, limits and other resources; no commands, no environment
 *   .link files               conditions and settings of interfaces; no password, alias, name
 *   ufw                       whether it is on, the name of its file, sysctls
 *   irqbalance, tuned         its options; the names of active profiles; of profiles what they include and set
 *   cloud-init                of its instance-data.json the type of the instance
 *   modules-load.d            names of modules
 *   tuneaudit/boot.conf       what our own boot unit sets
 *   tmpfiles.d                lines that write settings of an allow-list of places in /sys, /proc/irq and /proc/sys
 *   udev rules                which devices a rule is for, and settings of the same allow-list; see host/redactudev.h
 *   the rest of /etc          refused
 *   /proc/PID/environ, mem …  refused, and so is what lies behind /proc/PID/{root,cwd,fd/N}
 *   /proc/PID/fd/N            where it points: sockets, pipes and the like, but no names of files
 *   tcp_fastopen_key, stable_secret of an interface: refused
 *
 * A line that is left out stays as an empty line, so that "file:line" in a
 * message is the line of the real file. Where it cannot be told what is a line (bytes 0), sysctl files
 * keep a byte 0. Doing it twice changes nothing more.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"

enum ta_redact {
	TA_REDACT_NONE,   /* to be read as it is */
	TA_REDACT_FILTER, /* ta_redact() must see it first */
	TA_REDACT_REFUSE, /* not to be read: -EPERM */
};

/* What to do about the content of `path` (absolute, without "." and ".."). */
enum ta_redact ta_redact_kind(const char *path);

/* Takes out of `content` what must not be known. It never grows. */
void ta_redact(const char *path, struct ta_buf *content);

/* The same for where the link `path` points: of open files of a process only that they are files ("file"). */
void ta_redact_link(const char *path, struct ta_buf *target);

/* True for a sysctl, with dots or slashes, whose value may be known. */
bool ta_redact_keeps_sysctl(const char *key);
