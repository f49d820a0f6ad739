/*
 * The live host's struct; its operations are spread over live.c, nlsock.c, ethtool.c and try.c.
 */
#pragma once

#include "host/internal.h"

struct ta_live {
	struct ta_host host;
	int root; /* O_PATH of "/" */
};
