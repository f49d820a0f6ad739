/*
 * What the name of an interrupt says about its device and queue. Drivers name
 * their vectors freely; the table follows their sources (request_irq() calls in
 * drivers/net and drivers/nvme).
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum ta_irq_role {
	TA_IRQ_UNKNOWN, /* the name says no more than the device, if that */
	TA_IRQ_RX,
	TA_IRQ_TX,
	TA_IRQ_COMBINED, /* receives and sends */
	TA_IRQ_IO,       /* an NVMe I/O queue */
	TA_IRQ_OTHER,    /* link state, mailbox, admin queue: no data */
};

const char *ta_irq_role_name(enum ta_irq_role role); /* "rx", … ; NULL for unknown */

struct ta_irq_name {
	enum ta_irq_role role;
	int queue;         /* -1: none named */
	bool is_net;       /* the form alone says that it is a network device's */
	char ifname[16];   /* the interface named, or what would be its place in the form; "" */
	char pci[24];      /* the PCI function named, or "" */
	char virtio[16];   /* "virtio0" if named, or "" */
	char nvme[16];     /* "nvme0" if named, or "" */
	char platform[32]; /* "1e100000.ethernet" if named, or "" */
	char driver[16];   /* a network driver that gives its own name to its interrupts, or "" */
};

/* One action ("eth0-rx-0", not a list). Any text; never fails, says what it understood. */
void ta_irq_name_parse(const char *text, size_t len, struct ta_irq_name *ret);

/* True for names that udev and the kernel give to network interfaces: eth0, enp3s0f1, ens5, wlan0,
 * ib0 … */
bool ta_looks_like_ifname(const char *name);
