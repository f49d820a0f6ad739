/*
 * Which interface is meant, whatever it is called today. A plan or a journal keeps "0000:01:00.0 52:54:00:12:34:56"
 * beside the name: the address of its device on the bus ("-" for a virtual one) and the MAC that it was made with
 * (the present one where the kernel does not tell; bonds and people change that).
 */
#pragma once

#include "fix/step.h"

/*
 * Appends the identity of the interface `ifname`. 0; -ENODEV (there is none of that name); -ENODATA: it has neither device nor
 * address (a tunnel, the loopback), so that its name is all there is.
 */
int ta_identity_read(struct ta_host *h, const char *ifname, struct ta_buf *ret, struct ta_err *err);

/*
 * Appends the name that the interface of this identity has now. `was` is the name it had: it decides between several that fit.
 * 0; -ENODEV: it is gone, or another one has its place, with what is there now in `err`; -EINVAL: that is no identity.
 */
int ta_identity_find(struct ta_host *h, const char *identity, const char *was, struct ta_buf *ret, struct ta_err *err);

/*
 * The name of the interface in a step's target ("eth0" of the channels knob's "eth0", of the attr knob's
 * "/sys/class/net/eth0/queues/rx-0/rps_cpus"), appended to `ret`. -ENOENT: the target names no interface.
 */
int ta_identity_ifname(const struct ta_knob *knob, const char *target, struct ta_buf *ret);

/* Appends `target` with the name of the interface in it replaced. 0, -ENOENT as above, -EINVAL (no name). */
int ta_identity_rename(const struct ta_knob *knob, const char *target, const char *now, struct ta_buf *ret);

/* --- interrupts, irqident.c ----------------------------------------------------------------- */

/* Whether `target` is the CPUs of an interrupt. */
bool ta_identity_is_irq(const struct ta_knob *knob, const char *target);

/* Its controller and its place there; -errno where the kernel does not tell them. */
int ta_identity_irq(struct ta_host *h, const char *target, struct ta_buf *ret);

/* The target that it has now. 0; -ENODEV (with text): it is gone, or its number is another's. */
int ta_identity_find_irq(struct ta_host *h, const char *identity, const char *target, struct ta_buf *ret, struct ta_err *err);

/* Fills step->device; 0 also where the target names neither interface nor interrupt, or one without identity. -ENODEV, -ENOMEM. */
int ta_identity_step(struct ta_host *h, struct ta_step *step, struct ta_err *err);
