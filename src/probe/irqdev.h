/*
 * Which network interfaces and NVMe controllers stand behind which interrupt
 * numbers: /sys/class/net, /sys/class/nvme and their functions' msi_irqs.
 */
#pragma once

#include "probe/irqname.h"
#include "probe/netdev.h"

/* One function (or virtio, platform … device) with the names that it goes by. */
struct ta_irqdev {
	const char *pci; /* borrowed from the lists below; NULL */
	const char *dir;
	const char *virtio;   /* NULL */
	struct ta_strv names; /* interfaces (two for some dual-port cards) or one NVMe controller */
	bool is_nvme;
	char *driver; /* see ta_irqdev_driver(); NULL */
	bool driver_asked;
};

struct ta_irqdevs {
	struct ta_netdevs nets, nvmes;
	struct ta_irqdev *v;
	size_t n;
	struct ta_irqdev_key {
		char kind; /* which namespace: 'p'ci, 'v'irtio, 'n'et, n'V'me, platform 'd'evice */
		const char *text;
		size_t dev;
	} * keys; /* in order of kind and text */
	size_t n_keys;
	struct ta_irq_owner {
		unsigned irq;
		size_t dev;
	} * owners; /* in order of irq */
	size_t n_owners, cap_owners;
};

#define TA_IRQDEVS_INIT                                                                            \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_irqdevs ta_cleanup(ta_irqdevs_done)

int ta_irqdevs_read(struct ta_host *h, struct ta_irqdevs *ret); /* 0 or -ENOMEM */
void ta_irqdevs_done(struct ta_irqdevs *d);

/* Functions beyond are known by their interrupts' names only. */
#define TA_IRQDEVS_MAX 4096

/* By number, function, virtio device, platform device or interface; NULL if none. */
const struct ta_irqdev *ta_irqdevs_by_irq(const struct ta_irqdevs *d, unsigned irq);
const struct ta_irqdev *ta_irqdevs_by_pci(const struct ta_irqdevs *d, const char *pci);
const struct ta_irqdev *ta_irqdevs_by_name(
	const struct ta_irqdevs *d, const struct ta_irq_name *name);

/* The driver of a network interface in the lists: asked once per device; "" if it is not told. */
const char *ta_irqdev_driver(struct ta_host *h, const struct ta_irqdevs *d, const char *ifname);
