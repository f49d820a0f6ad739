/*
 * What a driver says of itself: ETHTOOL_GDRVINFO, for which there is no netlink
 * message, or the output of `ethtool -i` in a capture.
 */
#pragma once

#include "host/host.h"

struct ta_drvinfo {
	char driver[64], version[64], firmware[64], bus[64]; /* "" where it says nothing */
};

int ta_drvinfo_read(struct ta_host *h, const char *ifname, struct ta_drvinfo *ret);

/* The command's output. */
void ta_drvinfo_parse_text(const char *text, struct ta_drvinfo *ret);
