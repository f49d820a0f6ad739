/*
 * A run whose changes go on and off, so that a host can be measured with and without them. One journal for all of it: each
 * change keeps its number however often it goes on, with intent, done, undo and undone in turn, so that whoever finds the
 * journal without an end (a kill, a power cut) puts back what is on at that moment, and nothing else.
 */
#pragma once

#include "fix/apply.h"

struct ta_onoff {
	const struct ta_apply *a; /* confirm_within_s and arm: the supervisor that puts it back if we die */
	struct ta_run run;
	unsigned *numbers; /* of the items' changes, 0: it never was on */
};

/*
 * Nothing is on yet. True, or false: nothing was written, `ret_end` and `err` say why. Free in every case. The journal may not
 * stand still for longer than confirm_within_s and half a minute, or the supervisor ends it.
 */
bool ta_onoff_begin(const struct ta_apply *a, struct ta_onoff *ret, enum ta_apply_end *ret_end, struct ta_err *err);
void ta_onoff_done(struct ta_onoff *o);

/* Makes the change of one item, if it is not made. 0, or -errno with text: it may be made in part, ta_onoff_off() knows. */
int ta_onoff_on(struct ta_onoff *o, size_t item, struct ta_err *err);

/*
 * Puts back all that is on, last one first. 0; -EBUSY: something is somebody else's by now, and left; -EIO: something could
 * not be put back; or the journal cannot be written, and all is put back.
 */
int ta_onoff_off(struct ta_onoff *o, struct ta_err *err);

/* Is everything as we left it, on or off? 0, -EBUSY with text: somebody else has set it, or it cannot be read. */
int ta_onoff_check(struct ta_onoff *o, struct ta_err *err);

/*
 * Puts back what is on, reads all of it again, and writes the end of the run with `note`. 0; 1: all is put back, and `err` tells what
 * is to be known all the same (somebody else has set something since, the journal has no end); -EIO: o->run tells what was left or is
 * stuck, `err` the first of it.
 */
int ta_onoff_end(struct ta_onoff *o, const char *note, struct ta_err *err);
