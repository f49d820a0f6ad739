/*
 * The arguments of a fix, and the guard that never lowers what a rule only wants raised.
 */
#pragma once

#include "rule/explain.h"

struct ta_fix_values {
	struct ta_value v[8]; /* by the arguments of the rule's fix */
};

enum ta_fix_state {
	TA_FIX_READY,
	TA_FIX_UNKNOWN, /* *ret_unknown: an argument cannot be worked out on this host */
	TA_FIX_BROKEN,  /* the evaluator tells */
};

/* Works out the arguments of a failed rule's fix. `x` explains its `want`. */
enum ta_fix_state ta_fix_work_out(struct ta_eval *ev, const struct ta_explanation *x, struct ta_fix_values *ret,
	const struct ta_unknown **ret_unknown);

/* What the fix of a rule that passes is about: arguments by name, with values where they are written out or name a member. */
void ta_fix_name(struct ta_eval *ev, struct ta_fix_call *ret);
