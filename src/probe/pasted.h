/*
 * Outputs of commands that others laid beside the files of a captured machine:
 * an unpacked sosreport has them in sos_commands/, scripts in extra/. They
 * stand in where netlink and files say nothing; a live machine, and a capture
 * that tuneaudit itself took, are never asked for them.
 *
 *   sos_commands/networking/ethtool_-g_eth0   extra/ethtool_-g_eth0   extra/ethtool-g/eth0
 *   sos_commands/networking/nstat_-zas        extra/nstat_-zas
 *
 * /proc/sys has its stand-in, `sysctl -a`, behind the door: see host/sysctltext.h.
 */
#pragma once

#include "host/host.h"

struct ta_pasted {
	struct ta_host *h;
	bool sos, extra; /* which of the two there is */
};

/* True if the host may have such outputs. */
bool ta_pasted_open(struct ta_host *h, struct ta_pasted *ret);

/* One output by the name that sosreport gives it ("networking", "ip_-s_-d_link"). 0; -ENOENT: none.
 */
int ta_pasted_read(
	const struct ta_pasted *p, const char *group, const char *name, struct ta_buf *ret);

/* The first of several names, ended by NULL, that is there. */
int ta_pasted_read_any(
	const struct ta_pasted *p, const char *group, const char *const *names, struct ta_buf *ret);

/* The output of `ethtool OPTION NIC`: "-g"; "" for plain `ethtool NIC`. */
int ta_pasted_ethtool(
	const struct ta_pasted *p, const char *option, const char *nic, struct ta_buf *ret);
