/*
 * The parts that a plan is made of, one file each.
 */
#pragma once

#include "fix/plan.h"

/*
 * Puts the wish `after` of a second finding into an action on the same target: elements of a vector that only one of them
 * moves are taken from each, an element that both raise gets the larger value. 0; -EEXIST: they contradict each other; -ENOMEM.
 */
int ta_plan_merge(struct ta_action *a, const struct ta_finding *second, const char *after);

/* Who else writes what the action writes. */
void ta_plan_add_owners(struct ta_action *a, const struct ta_facts *facts);

/* The interfaces that the host is reached by: of the default route and on the way to `peer`, with those below them. */
struct ta_management {
	struct ta_strv names;
	bool all; /* not known: every interface may be one */
};
void ta_management_read(struct ta_host *h, const struct ta_facts *facts, const char *peer, struct ta_management *ret);
void ta_management_done(struct ta_management *m);

/* Marks the action if it may cut the host off, which costs the link at least. */
void ta_management_weigh(const struct ta_management *m, struct ta_action *a);

/* The direction of each element that a fix moves; those it does not name may only be lifted by their neighbours. */
void ta_plan_directions(const struct ta_fix_call *call, enum ta_direction (*ret)[TA_FIX_ELEMENTS]);
