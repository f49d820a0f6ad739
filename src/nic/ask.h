/*
 * Requests of the generic netlink family "ethtool" about one interface.
 */
#pragma once

#include <stdint.h>

#include "host/host.h"

/* Begins a request's attributes with its header: the interface by name, and flags (0: none; TA_ETH_FLAG_COMPACT_BITSETS, …). */
void ta_nic_put_header(struct ta_buf *b, const char *ifname, uint32_t flags);

/*
 * Asks for one interface and gives its reply to `fn`. A live host is asked for it alone; a capture holds under `key` the dump
 * of all, whose other replies are left out. 0; -ENODEV; -EOPNOTSUPP (the driver does not tell, or the kernel has no such
 * message: ask by ioctl); or what the door or `fn` said.
 */
int ta_nic_ask(struct ta_host *h, const char *key, uint8_t cmd, uint8_t reply, const char *ifname, ta_nl_fn *fn,
	void *ctx);
