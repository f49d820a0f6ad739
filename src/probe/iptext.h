/*
 * Interfaces as `ip link` or `ip address` printed them (iproute2), with -d and -s as far as they
 * were given.
 */
#pragma once

#include "probe/link.h"

/* Bytes in, no host. 0, -EBADMSG (no interface in the text) or -ENOMEM. */
int ta_iptext_parse(const char *text, size_t len, struct ta_links *ret);
