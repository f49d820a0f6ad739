/*
 * Which way packets leave.
 */
#pragma once

#include "host/host.h"

/*
 * Appends the name of the interface that the kernel would send to `address` by ("192.0.2.1", "2001:db8::1"). 0, -EINVAL (no
 * address), -ENODATA, or what the kernel said (-ENETUNREACH).
 */
int ta_nic_route_to(struct ta_host *h, const char *address, struct ta_buf *ret);
