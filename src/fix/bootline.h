/*
 * Lines of the file that 'tuneaudit boot' follows when the host starts: what no file of the system can hold.
 *
 *     KNOB BUS TARGET = VALUE
 *     rss 0000:01:00.0 eth0 table = equal:4
 *     irq 0000:01:00.0 eth0 rx 3 = 5
 *     attr - /sys/devices/system/cpu/cpufreq/policy0/scaling_governor = performance
 *
 * BUS finds an interface whatever it is called then ("-": it has none, its name is meant). Interrupts are numbered anew by each
 * start: they are named by interface, kind and queue ("-": it has none).
 */
#pragma once

#include "facts/facts.h"
#include "fix/step.h"

struct ta_boot_line {
	const struct ta_knob *knob;
	bool irq;
	char *bus; /* NULL: the target is no interface's, or its interface has none */
	char *target; /* of an interrupt "IFNAME ROLE QUEUE" */
	char *value;
};

#define ta_cleanup_boot_line ta_cleanup(ta_boot_line_done)
void ta_boot_line_done(struct ta_boot_line *l);

/* Appends the line that keeps the step. 0; -ENOENT: none can, as what it names is not known by the facts; -ENOMEM. */
int ta_boot_line_make(const struct ta_step *s, const struct ta_facts *facts, struct ta_buf *ret);

/* Held against the knobs' tables. 0, -EINVAL (malformed), -EPERM (outside them), -ENOMEM, with text. */
int ta_boot_line_parse(const char *line, enum ta_value_use use, struct ta_boot_line *ret, struct ta_err *err);

/* How much of a line says what it sets. */
size_t ta_boot_line_key(const char *line);
