/*
 * Interfaces by which this machine is a USB device to another one: a telephone's tethering, a board's g_ether.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"
#include "probe/netdev.h"

/* `d` may be NULL. */
bool ta_is_gadget(const struct ta_netdev *d);

/* nics.NAME.usb_mbps: what was negotiated with the other end. */
void ta_gadget_put_speed(struct ta_host *h, struct ta_facts *f, const struct ta_netdev *d, const char *name);
