/*
 * Setting at the start of the host what the boot file says (bootline.h). Nothing of it is journaled: the runs that wrote the lines
 * are, and `rollback` takes the lines out.
 */
#pragma once

#include "fix/bootline.h"

enum ta_boot_state {
	TA_BOOT_WAITS, /* what it is about is not there (yet), or is busy */
	TA_BOOT_SET,
	TA_BOOT_WAS, /* it was so already */
	TA_BOOT_FAILED,
};

struct ta_boot_item {
	struct ta_boot_line line;
	char *text; /* the line */
	enum ta_boot_state state;
	char *why; /* of those that wait or failed */
};

struct ta_boot {
	struct ta_boot_item *v; /* in the order of setting */
	size_t n;
};

#define ta_cleanup_boot ta_cleanup(ta_boot_done)
void ta_boot_done(struct ta_boot *b);

/* The boot file. None: 0 items. -EBADMSG: it is not ours, or was edited; or another error, with text. */
int ta_boot_read(struct ta_host *h, struct ta_boot *ret, struct ta_err *err);

/*
 * Tries what is not in force yet. `facts`: of the owners "nic" and "irq", as they are now. How many still wait; -ENOMEM.
 * A running irqbalance is told to leave the interrupts alone.
 */
int ta_boot_try(struct ta_host *h, const struct ta_facts *facts, struct ta_boot *b);
