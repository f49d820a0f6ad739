/*
 * What the knobs of interfaces share. A target is the name of an interface, alone for everything that the knob knows
 * ("eth0") or with one field ("eth0 rx-gro"), so that a plan says what it changes and a rule's wish need not know the rest.
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
 * The text for an error of the door: "eth0: its queues cannot be read: …". `what` begins with a word for what was done. Keeps
 * what the kernel said (err->text of ta_host_set_genl()).
 */
int ta_nic_fail(struct ta_err *err, int rc, const char *ifname, const char *what);

/* Words of a command line: "ethtool -L eth0", the name quoted. False where ethtool(8) cannot be given such a name: a line says so. */
bool ta_nic_add_ethtool(struct ta_buf *b, const char *option, const char *ifname);

/* --- knobs that are groups of numbers ---------------------------------------- */

int ta_nic_group_check(const struct ta_nic_group *g, const char *target, const char *value, enum ta_value_use use,
	bool fields, struct ta_err *err);
int ta_nic_group_read(const struct ta_nic_group *g, struct ta_host *h, const char *target, struct ta_buf *ret,
	struct ta_err *err);
int ta_nic_group_write(const struct ta_nic_group *g, struct ta_host *h, const char *target, const char *value,
	struct ta_err *err);
void ta_nic_group_command(const struct ta_nic_group *g, const char *target, const char *value, struct ta_buf *b);

/* --- what moves with them -------------------------------------------------------- */

/*
 * Drivers build their queues anew for new counts and lengths, and set up what points at queues as they would at the start: the
 * RSS table, XPS and RPS maps, the CPUs of interrupts; some forget offloads and coalescing. Appends all of it that
 * this interface has, as it can be read, but for the knob `but`.
 */
int ta_nic_coupled_queues(struct ta_host *h, const char *ifname, const struct ta_knob *but, struct ta_steps *ret);

extern const struct ta_knob ta_knob_channels, ta_knob_rings, ta_knob_coalesce, ta_knob_features, ta_knob_rss,
	ta_knob_qdisc, ta_knob_txqueuelen;
