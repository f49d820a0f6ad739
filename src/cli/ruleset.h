/*
 * The rules in force: those in the program, /etc/tuneaudit/rules.d, and the directory of --rules,
 * each overriding what came before. Steps print their own message and return an exit code.
 */
#pragma once

#include "audit/audit.h"
#include "cli/command.h"

#define TA_RULES_DIR "/etc/tuneaudit/rules.d"

struct ta_ruleset {
	bool only_trusted; /* files that others than root may write are left out, with a message */
	struct ta_rules *rules;
	struct ta_fix_sig *sigs;
	size_t n_sigs;
};

#define TA_RULESET_INIT                                                                            \
	{                                                                                          \
		0                                                                                  \
	}
#define ta_cleanup_ruleset ta_cleanup(ta_ruleset_done)
void ta_ruleset_done(struct ta_ruleset *s);

/* All faults of all files go to stderr; then TA_EXIT_USAGE. `dir`: of --rules, or NULL. */
int ta_ruleset_load(struct ta_ruleset *s, const struct ta_schema *schema, const char *dir);

/*
 * The same for one that judges by a single profile (NULL: base): of our own rules only its are read, the others
 * sleep (ta_rules_wake()).
 */
int ta_ruleset_load_for(
	struct ta_ruleset *s, const struct ta_schema *schema, const char *dir, const char *profile);

/* NULL after a message; a name of NULL is the profile base. */
const struct ta_profile *ta_ruleset_profile(const struct ta_ruleset *s, const char *name);

/* The rule, or NULL after a message that names the nearest. */
const struct ta_rule *ta_ruleset_find(const struct ta_ruleset *s, const char *id);

/* Every pattern of `list` (of option --NAME) must match a rule. */
int ta_ruleset_check_patterns(
	const struct ta_ruleset *s, const char *name, const struct ta_strv *list);

/* Appends the diagnostics, safe for a terminal. */
void ta_ruleset_format(const struct ta_diags *d, struct ta_buf *ret);

/* The embedded files and no others, not yet resolved: for the linter. */
int ta_ruleset_embedded(struct ta_ruleset *s, struct ta_diags *diags);
/* One file. A fault of the text is not a failure here: it is in `diags`. */
int ta_ruleset_add_file(struct ta_ruleset *s, const char *path, struct ta_diags *diags);
int ta_ruleset_resolve(
	struct ta_ruleset *s, const struct ta_schema *schema, struct ta_diags *diags);

/* Options of the commands that judge; members are a const char * and two struct ta_strv of their values. */
#define TA_OPTION_PROFILE(type, member)                                                            \
	{                                                                                          \
		.name = "profile", .arg = "PROFILE", .kind = TA_OPT_STRING,                        \
		.help = "what this host is for (default base); 'tuneaudit rules list' names them", \
		.offset = offsetof(type, member)                                                   \
	}
#define TA_OPTION_ONLY(type, member)                                                               \
	{                                                                                          \
		.name = "only", .arg = "ID,...", .kind = TA_OPT_LIST,                              \
		.help = "only these rules of the profile; nic.* are all that begin so",            \
		.offset = offsetof(type, member)                                                   \
	}
#define TA_OPTION_SKIP(type, member)                                                               \
	{                                                                                          \
		.name = "skip", .arg = "ID,...", .kind = TA_OPT_LIST,                              \
		.help = "all but these rules", .offset = offsetof(type, member)                    \
	}
