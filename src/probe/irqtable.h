/*
 * /proc/interrupts read whole: those of its rows that are interrupts of network interfaces and NVMe controllers.
 */
#pragma once

#include "probe/irqvec.h"

struct ta_irqtable {
	struct ta_irqdevs devs;
	struct ta_irq_columns columns;
	struct ta_irqvecs vecs;
	bool header_seen, row_seen;
	bool debugfs; /* for the caller: the kernel tells more of each interrupt there */
};

#define ta_cleanup_irqtable ta_cleanup(ta_irqtable_done)

/* Into an empty one. 0, or why there is no table: -EBADMSG, -ENOENT …; ta_irqtable_done() in any case. */
int ta_irqtable_read(struct ta_host *h, struct ta_irqtable *t);
void ta_irqtable_done(struct ta_irqtable *t);
