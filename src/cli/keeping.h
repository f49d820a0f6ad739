/*
 * What a trial leaves in force in the end: changes in a run of their own, as apply would make them.
 */
#pragma once

#include "cli/arming.h"
#include "fix/apply.h"

struct ta_keeping {
	struct ta_arming arming;
	struct ta_state *state; /* opened for writing */
	const char *profile;
	const volatile sig_atomic_t *stop;
	struct ta_apply_item *items;
	size_t n;
	bool flaps; /* one of them may take a link down: it has to be confirmed */
};

/* An exit code, after a message where it failed; *ret_run: 0 where nothing is kept. `note`: what is to be known of it. */
int ta_keeping_make(const struct ta_keeping *k, unsigned *ret_run, struct ta_buf *note);
