/*
 * Which interrupts the kernel lets nobody move.
 */
#pragma once

#include "base/buf.h"
#include "host/host.h"
#include "probe/irqvec.h"

enum ta_movable {
	TA_MOVABLE_UNKNOWN,
	TA_MOVABLE_NO,
	TA_MOVABLE_YES,
};

struct ta_irqmove {
	struct ta_buf modes; /* for each vector: 'r' if its affinity is read-only, 'w', or '?' */
	bool says_all;       /* this kernel makes it read-only wherever it would refuse */
};

#define TA_IRQMOVE_INIT                                                                            \
	{                                                                                          \
		TA_BUF_INIT, false                                                                 \
	}
#define ta_cleanup_irqmove ta_cleanup(ta_irqmove_done)

/*
 * Since 6.12 smp_affinity is read-only where irq_can_set_affinity_usr() is false (kernel/irq/proc.c
 * register_irq_proc()): managed interrupts, and controllers that cannot route. Older kernels, and
 * copies of files without their modes, say nothing.
 */
void ta_irqmove_read(struct ta_host *h, const struct ta_irqvecs *vecs, struct ta_irqmove *ret);
enum ta_movable ta_irqmove_of(const struct ta_irqmove *m, size_t vector);
void ta_irqmove_done(struct ta_irqmove *m);
