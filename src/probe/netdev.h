/*
 * Which device stands behind each network interface, from sysfs alone: the
 * link /sys/class/net/NAME tells the whole way from the root of the bus.
 */
#pragma once

#include <stdbool.h>

#include "host/host.h"

struct ta_netdev {
	char *name;
	char *device; /* its parent device: a directory below /sys; NULL for virtual ones */
	char *pci;    /* "0000:02:00.0", the PCI function that it is; NULL: none (USB, platform), or
			 not told */
	char *bus_dir;   /* directory of that function, else `device`: numa_node, msi_irqs, irq are
			    there */
	char *virtio;    /* "virtio0"; NULL */
	char *usb;       /* directory of the USB device (not the interface) above; NULL */
	char *driver;    /* from a copied uevent file; NULL: see the link device/driver */
	bool is_virtual; /* below /sys/devices/virtual */
};

struct ta_netdevs {
	struct ta_netdev *v; /* in natural order of names */
	size_t n;
};

#define TA_NETDEVS_INIT                                                                            \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_netdevs ta_cleanup(ta_netdevs_done)

/* 0 or the -errno of listing /sys/class/net. */
int ta_netdevs_read(struct ta_host *h, struct ta_netdevs *ret);
/* The same of another class whose members have a parent device: "nvme". */
int ta_netdevs_read_class(struct ta_host *h, const char *class_dir, struct ta_netdevs *ret);
void ta_netdevs_done(struct ta_netdevs *d);

/* Borrowed; NULL: no such name. */
const struct ta_netdev *ta_netdevs_find(const struct ta_netdevs *d, const char *name);

/*
 * The device at the end of a class link's text, "../../devices/pci0000:00/…/net/eth0": fills
 * everything but name and driver. For any class: `class_dir` is "net" or "nvme". 0, -EINVAL (no
 * such path in it), -ENOMEM.
 */
int ta_netdev_parse_link(const char *text, const char *class_dir, struct ta_netdev *ret);
void ta_netdev_done(struct ta_netdev *d);

/* True for "0000:02:00.0" and longer domains ("10000:00:03.0"). */
bool ta_is_pci_address(const char *text, size_t len);
