/*
 * Rows of /proc/interrupts brought together with the devices of this host:
 * the interrupts of network interfaces and NVMe controllers.
 */
#pragma once

#include "probe/interrupts.h"
#include "probe/irqdev.h"
#include "probe/link.h"
#include "probe/napi.h"

struct ta_irqvec {
	unsigned irq;
	char *name;             /* all actions */
	char *device;           /* see irqs.*.device; NULL if it cannot be told */
	struct ta_strv devices; /* all of a shared line */
	char pci[24];           /* its function, or "" */
	bool by_address;        /* `device` is only a bus address or driver name yet */
	enum ta_irq_role role;
	int queue; /* -1: none */
	struct ta_irq_counts counts;
};

struct ta_irqvecs {
	struct ta_irqvec *v; /* in the table's order */
	size_t n, cap;
};

#define TA_IRQVECS_INIT                                                                            \
	{                                                                                          \
		0                                                                                  \
	}

/* Keeps the row if it is such an interrupt. 0, -ENOMEM, or -EFBIG above 100,000 of them. */
int ta_irqvecs_add(struct ta_irqvecs *vecs, const struct ta_irqdevs *devs,
	const struct ta_irq_row *row, const struct ta_irq_columns *columns);

/* When all rows are in: what one row says of another. 0 or -ENOMEM. */
int ta_irqvecs_finish(struct ta_irqvecs *vecs, const struct ta_irqdevs *devs);

/*
 * What names left open: of rows without device or role, the queues that the kernel itself tells. 0
 * or -ENOMEM.
 */
bool ta_irqvecs_unsettled(const struct ta_irqvecs *vecs);
int ta_irqvecs_use_napis(
	struct ta_irqvecs *vecs, const struct ta_napis *napis, const struct ta_links *links);

/* "eth0 rx-0", "nvme0 io-1", "eth0 other", "eth0 i40e-0000:01:00.0:misc". */
void ta_irqvec_subject(const struct ta_irqvec *v, struct ta_buf *ret);

void ta_irqvecs_done(struct ta_irqvecs *vecs);
