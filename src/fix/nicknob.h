/*
 * What the knobs of interfaces share. A target is the name of an interface, alone for everything that the knob knows
 * ("eth0") or with one field ("eth0 rx-gro"): a plan says what it changes then, and a rule's wish need not know the rest.
 */
#pragma once

#include <net/if.h>

#include "fix/describe.h"
#include "nic/params.h"

struct ta_nic_target {
	char ifname[IFNAMSIZ];
	const char *field; /* in the target's text; NULL: all */
};

/* 0, or -EINVAL with the text: no name of an interface, or `fields` is false and there is one. */
int ta_nic_target_parse(const char *target, bool fields, struct ta_nic_target *ret, struct ta_err *err);

/*
 * The text for an error of the door: "eth0: its offloads cannot be read: …", the middle being `what`. Keeps what the kernel
 * said (err->text of ta_host_set_genl()).
 */
int ta_nic_fail(struct ta_err *err, int rc, const char *ifname, const char *what);

/* As ta_knob.may: 0, -EPERM without CAP_NET_ADMIN. With it a namespace that is another user's may still refuse. */
int ta_nic_may(struct ta_host *h, const char *target);

/* Appends "ethtool -L eth0", the name quoted. False where ethtool(8) cannot be given such a name: a line says so. */
bool ta_nic_add_ethtool(struct ta_buf *b, const char *option, const char *ifname);

/* --- knobs that are groups of numbers ---------------------------------------- */

int ta_nic_group_check(const struct ta_nic_group *g, const char *target, const char *value, enum ta_value_use use,
	struct ta_err *err);
int ta_nic_group_read(const struct ta_nic_group *g, struct ta_host *h, const char *target, struct ta_buf *ret,
	struct ta_err *err);
int ta_nic_group_write(const struct ta_nic_group *g, struct ta_host *h, const char *target, const char *value,
	struct ta_err *err);
/* Lays what the value asks for over `ret`. 0 or -EINVAL. */
int ta_nic_group_overlay(const struct ta_nic_group *g, const struct ta_nic_target *t, const char *value,
	struct ta_nic_values *ret);
void ta_nic_group_command(const struct ta_nic_group *g, const char *target, const char *value, struct ta_buf *b);

/* --- steps of fixers ------------------------------------------------------------ */

/* Adds a step; `field` NULL: the interface alone. Errors as ta_steps_add(). */
void ta_nic_add(struct ta_steps *s, const struct ta_knob *knob, const char *ifname, const char *field, const char *after);
void ta_nic_add_number(struct ta_steps *s, const struct ta_knob *knob, const char *ifname, const char *field, int64_t after);

/* Holds the steps from `first` on against their knobs' tables, as wishes. */
int ta_nic_check_steps(const struct ta_steps *s, size_t first, struct ta_err *err);

/*
 * The text of a fixer from its steps: each knob's command, and where one line of ethtool(8) or tc(8) does it, a udev rule that runs
 * it when the interface appears.
 */
int ta_nic_describe(int (*steps)(const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_steps *ret,
			    struct ta_err *err),
	const struct ta_fix_call *call, const struct ta_facts *facts, struct ta_fix_text *ret, struct ta_err *err);

/* --- what moves with them -------------------------------------------------------- */

/*
 * Drivers build their queues anew for new counts and lengths, and set up what points at queues as they would at the
 * start: the RSS table, XPS and RPS maps, the CPUs of interrupts; some forget offloads and coalescing. Appends what
 * this interface has of it, but for the knob `but`.
 */
int ta_nic_coupled_queues(struct ta_host *h, const char *ifname, const struct ta_knob *but, struct ta_steps *ret);

extern const struct ta_knob ta_knob_channels, ta_knob_rings, ta_knob_coalesce, ta_knob_features, ta_knob_rss,
	ta_knob_qdisc, ta_knob_txqueuelen;
