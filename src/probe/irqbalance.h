/*
 * The configuration of irqbalance: shell-like assignments of /etc/default/irqbalance (Debian) or
 * /etc/sysconfig/irqbalance (Fedora, SUSE). What counts is read as setup_banned_cpus() (cputree.c) and
 * parse_command_line() (irqbalance.c) of irqbalance 1.9 do.
 */
#pragma once

#include <stdbool.h>

#include "base/cpuset.h"

#define TA_IRQBALANCE_IRQS 64

struct ta_irqbalance {
	bool oneshot; /* places interrupts once and ends */
	bool has_cpus; /* a list of banned CPUs is given: it replaces the isolated ones, it does not add to them */
	int cpus_rc;   /* 0, or why the list is not known */
	struct ta_cpuset cpus;
	char policy[16]; /* --hintpolicy: "exact", "subset", "ignore"; "" = not given */
	bool policy_script;
	int64_t irqs[TA_IRQBALANCE_IRQS]; /* --banirq */
	size_t n_irqs;
};

/* An assignment of the environment or an option of the command, as a unit gives them; may be called more than once. */
int ta_irqbalance_assign(struct ta_irqbalance *ret, const char *assignment);
int ta_irqbalance_options(struct ta_irqbalance *ret, const char *text);

/* OpenWrt's /etc/config/irqbalance, as its init script reads it. *ret_enabled: whether it is started. 0 or -ENOMEM. */
int ta_irqbalance_parse_uci(const char *text, struct ta_irqbalance *ret, bool *ret_enabled);

/* Bytes in; `ret` is empty (zeroed). 0 or -ENOMEM. Free `cpus` with ta_cpuset_done(). */
int ta_irqbalance_parse(const char *text, struct ta_irqbalance *ret);
