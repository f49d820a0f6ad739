/*
 * One value to be written: which knob, which target, from what to what.
 */
#pragma once

#include "fix/knob.h"

struct ta_step {
	const struct ta_knob *knob;
	/*
	 * In the knob's own words: "net.core.somaxconn", "/sys/block/sda/queue/scheduler", "eth0". Names of interfaces are those
	 * of the moment; `device` finds them again.
	 */
	char *target;
	char *before; /* read through the door; NULL: not read yet. A fixer may set what its wish was worked out from. */
	char *after;
	/* Bus address and MAC of the NIC that `target` names, "0000:01:00.0 52:54:00:12:34:56"; NULL where there is none. */
	char *device;
};

struct ta_steps {
	struct ta_step *v;
	size_t n, size;
	int error; /* sticky: 0 or -ENOMEM */
};

#define TA_STEPS_INIT {0}
#define ta_cleanup_steps ta_cleanup(ta_steps_done)
void ta_steps_done(struct ta_steps *s);

/* Copies the texts; `after` may be NULL (a coupled value that is only saved). The new step, or NULL with s->error set. */
struct ta_step *ta_steps_add(struct ta_steps *s, const struct ta_knob *knob, const char *target, const char *after);

/* Appends what a person reads of it: the target, and for an interface also which of its settings, "eth0 rings rx". */
void ta_step_label(const struct ta_knob *knob, const char *target, struct ta_buf *b);
