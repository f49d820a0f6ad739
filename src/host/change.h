/*
 * The writing half of the door. Only a live host has it: a capture, a recording and any other kind answer -EROFS.
 * A fault host counts these calls apart (struct ta_fault.change_at), so that "writes nothing" can be proven by
 * failing every one of them, and each can be made to fail in turn.
 *
 * Nobody but src/fix/knobs and the journal calls these; what may be written is decided there, from closed tables.
 * All return 0 or -errno.
 */
#pragma once

#include <sys/types.h>

#include "host/host.h"

/*
 * An attribute of the kernel (below /proc/sys, /proc/irq or /sys, else -EPERM): `text` in one write(2) to a file that
 * exists. O_WRONLY|O_NOFOLLOW|O_CLOEXEC, never created, never truncated. A short write is -EIO. The kernel's errno
 * otherwise; a vector may have been taken in part then.
 */
int ta_host_set(struct ta_host *h, const char *path, const char *text);

/* Whether such a write would be let through: opens and closes, writes nothing. 0 or -errno (-EACCES, -EROFS, -ENOENT). */
int ta_host_may_set(struct ta_host *h, const char *path);

/*
 * Requests that change something; like ta_host_netlink(), ta_host_genl() and ta_host_ethtool(), but never recorded and
 * never sent twice. The kernel's own words (extended ACK, NLMSGERR_ATTR_MSG) go into `err`.
 */
int ta_host_set_netlink(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_err *err);
int ta_host_set_genl(struct ta_host *h, const struct ta_genl *request, struct ta_err *err);
int ta_host_set_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len);

/* ta_host_set() inside the network namespace of process `pid`: a child enters it, writes and ends. Errors as ta_host_netns(). */
int ta_host_set_netns(struct ta_host *h, unsigned pid, const char *path, const char *text);

/*
 * A file of ours, whole, below /etc or /run (else -EPERM): written beside it, fsync'd, renamed over it, the directory fsync'd;
 * a reader sees the old text or the new one. Directories are entered without following links (-ELOOP); with `parent` the last
 * of them is made (0755) where it is missing. Killed in the middle it may leave ".NAME.tuneaudit" beside it, which the next
 * put or unlink of the same path takes away.
 */
int ta_host_put(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parent);

/*
 * Whether its directory, or where that is missing the one above, could be written: nothing is. -EROFS, -EACCES, -ELOOP, -ENOENT (even
 * that one is missing). Not a change.
 */
int ta_host_may_put(struct ta_host *h, const char *path);

/*
 * Where this program is, to be started from there as root. -EPERM: others than root (or the caller) may write it, or a directory on the
 * way; -ENOENT: it was removed meanwhile. Not a change.
 */
int ta_host_program(struct ta_host *h, struct ta_buf *ret);

/* The whole text of such a file; ta_host_read() keeps /etc back. Not a change. -ENOENT, -EFBIG, -EBADMSG, -ELOOP. */
int ta_host_own(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret);

/* Removes such a file; one that is not there is no error. With `parent` its directory too, if that is empty then. */
int ta_host_unlink(struct ta_host *h, const char *path, bool parent);

/*
 * Runs modprobe(8) with the one name and an empty environment; 0, -ENOENT (no modprobe), -EIO with its words.
 * Unloading takes away this one module, not what it needed: -EBUSY or -EAGAIN while it is used.
 */
int ta_host_load_module(struct ta_host *h, const char *name, struct ta_err *err);
int ta_host_unload_module(struct ta_host *h, const char *name, struct ta_err *err);

/*
 * What a running irqbalance says of itself: "SLEEP 10 IRQ 24 LOAD … BANNED 00000000,00000000", an IRQ for each that it leaves
 * alone. Not a change. -ENOENT: none runs, or it has no socket; -EACCES (not root), -ETIMEDOUT.
 */
int ta_host_irqbalance(struct ta_host *h, struct ta_buf *ret);

/* Which interrupts it is to leave alone, "24 25 26", instead of those it leaves alone now; "": none. Errors as above. */
int ta_host_set_irqbalance(struct ta_host *h, const char *irqs);
