/*
 * What the commands that deal with baselines share. Steps print their own message and return an exit code.
 */
#pragma once

#include "baseline/drift.h"
#include "cli/ruleset.h"
#include "cli/session.h"

/* The message names the file. */
int ta_baseline_load(const char *path, struct ta_baseline *ret);

/* The host of the session as a baseline. */
int ta_baseline_of(const struct ta_session *s, const struct ta_ruleset *rs, const struct ta_audit *audit, struct ta_baseline *ret);

/* Words of --ignore: kinds of drift and paths. */
int ta_baseline_check_ignore(const struct ta_schema *schema, const struct ta_strv *words);

#define TA_OPTION_IGNORE(type, member)                                                             \
	{                                                                                          \
		.name = "ignore", .arg = "WHAT,...", .kind = TA_OPT_LIST,                          \
		.help = "drift that does not count: setting, kernel, hardware, tool, or a path "   \
			"such as nics.*.mtu",                                                      \
		.offset = offsetof(type, member)                                                   \
	}
