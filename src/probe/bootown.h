/*
 * What this program's own boot unit sets: /etc/tuneaudit/boot.conf, as lines of a boot list. "KNOB BUS TARGET = VALUE" each; an
 * interface is found by BUS ("-": by its name), an interrupt named by interface, kind and queue: "irq BUS IFNAME ROLE QUEUE = CPUS".
 */
#pragma once

#include "probe/bootattr.h"
#include "probe/nicset.h"

/* 0 or -ENOMEM. */
int ta_boot_own(struct ta_host *h, const struct ta_nicset *nics, struct ta_boot_list *l, struct ta_boot_hole *hole);

/* One line, without newline; `ifname` is what the interface of that BUS is called now, NULL: there is none. */
void ta_boot_own_line(const char *text, unsigned number, const char *(*ifname)(const char *bus, void *ctx), void *ctx,
	struct ta_boot_list *l);
