/*
 * What sets interfaces at boot: ethtool(8) run by udev rules, and systemd's .link files, as lines of a boot list.
 */
#pragma once

#include "probe/bootlist.h"
#include "probe/linkconf.h"

/*
 * "/usr/sbin/ethtool -L eth0 combined 8": a line for each setting. False: it is no such command for this interface. One
 * that is not understood adds a line without value for every kind that it may set.
 */
bool ta_boot_ethtool(struct ta_boot_list *l, const char *run, const char *ifname, const char *file, unsigned line, bool maybe);

struct ta_link_target {
	const char *ifname;
	bool maybe;  /* it cannot be told whether the file is for it */
	int version; /* of systemd, which passes over what came later; 0: not known */
	const struct ta_strv *queues; /* names of its queues: "rx-0" … */
};

/* The lines of the .link file that an interface gets. */
void ta_boot_link(struct ta_boot_list *l, const struct ta_link_conf *c, const struct ta_link_target *t);
