/*
 * The way from a profile to a plan, for plan and apply alike.
 */
#pragma once

#include "cli/ruleset.h"
#include "cli/session.h"
#include "fix/plan.h"

struct ta_planning {
	const char *profile, *rules, *capture;
	const struct ta_strv *only, *skip;
};

/*
 * Prints its own message and returns an exit code. Rule files that others than root may write are left out, unless a capture is
 * looked at, where nothing can come of it. `s` holds the host then.
 */
int ta_planning_make(const struct ta_planning *o, struct ta_session *s, struct ta_plan *ret);

/*
 * A plan from a file, held against the rules and against this host: `s` holds it then. Whatever is wrong is exit code 2.
 */
int ta_planning_load(const char *path, const char *rules, struct ta_session *s, struct ta_plan *ret);

/* Reads the names of --allow; -1 after a message. */
int ta_planning_allow(const char *name);
