/*
 * The writing half of the door. Only a live host has it: a capture, a recording and any other kind answer -EROFS.
 * A fault host counts these calls apart (struct ta_fault.changes), so that "writes nothing" can be proven by
 * failing every one of them, and each can be made to fail in turn.
 *
 * Nobody but src/fix/knobs and the journal calls these; what may be written is decided there, from closed tables.
 */
#pragma once

#include <sys/types.h>

#include "host/host.h"

/*
 * An attribute of the kernel (/proc/sys, /sys, /proc/irq): `text` in one write(2) to a file that exists.
 * O_WRONLY|O_NOFOLLOW|O_CLOEXEC, never created, never truncated. A short write is -EIO. The kernel's errno otherwise.
 */
int ta_host_set(struct ta_host *h, const char *path, const char *text);

/*
 * Requests that change something; like ta_host_netlink(), ta_host_genl() and ta_host_ethtool(), but never recorded,
 * and the kernel's own words (extended ACK, NLMSGERR_ATTR_MSG) go into `err`.
 */
int ta_host_set_netlink(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_err *err);
int ta_host_set_genl(struct ta_host *h, const struct ta_genl *request, struct ta_err *err);
int ta_host_set_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len);

/* ta_host_set() inside the network namespace of process `pid`: a child enters it, writes and ends. Errors as ta_host_netns(). */
int ta_host_set_netns(struct ta_host *h, unsigned pid, const char *path, const char *text);

/*
 * A file of ours, whole: written beside it, fsync'd, renamed over it, the directory fsync'd; a reader sees the old text
 * or the new one. Parent directories are entered without following links (-ELOOP); missing ones below an existing
 * one are made 0755 only where `parents`. -EEXIST is not an error: the caller has compared before.
 */
int ta_host_put(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parents);

/* Removes a file of ours and, where `parents`, directories that are empty then and were made by ta_host_put(). */
int ta_host_unlink(struct ta_host *h, const char *path);

/* Runs modprobe(8) with the one name, nothing from the environment; 0, -ENOENT (no modprobe), -EPERM, -EIO with its words. */
int ta_host_load_module(struct ta_host *h, const char *name, struct ta_err *err);
