/*
 * The inside of struct ta_rules, shared by the files of this module only.
 */
#pragma once

#include "base/nearest.h"
#include "rule/arena.h"
#include "rule/expr.h"
#include "rule/rule.h"

/* A file's text, copied unless it is the program's own: diagnostics quote it, and cases are read from it when they run. */
struct ta_source {
	struct ta_source *next;
	const char *file;
	const char *text; /* ended by NUL */
	size_t len;
	bool trusted;
	bool ours; /* no file of the user's: comes with the program */
};

#define TA_WORD_MAX 100 /* bytes of an id or name */

/* A piece of text that the checker has yet to look up. */
struct ta_word {
	const char *text;
	uint32_t pos, end;
};

struct ta_fix_arg_expr {
	struct ta_word name;
	struct ta_expr *value;
	enum ta_type type; /* of the fixer's parameter */
};

struct ta_fix_expr {
	struct ta_word name;
	size_t n_args;
	struct ta_fix_arg_expr args[8];
	const struct ta_schema_node *reads[16]; /* what the fixer itself looks up */
	size_t n_reads;
};

struct ta_case {
	struct ta_case *next;
	enum ta_verdict verdict;
	const char *text;
	uint32_t pos;  /* of the word `case` */
	uint32_t body; /* just behind the `{` */
};

struct ta_param {
	struct ta_param *next;
	const struct ta_source *source;
	struct ta_word name;
	enum ta_kind kind; /* NUMBER, STRING, BOOL */
	struct ta_expr *value;
	const char *unit; /* or NULL */
	const char *meaning;
	unsigned number;
};

/* One line of a profile: a rule pattern with what is said of it. */
struct ta_profile_item {
	struct ta_profile_item *next;
	enum { TA_ITEM_RULES, TA_ITEM_WITHOUT, TA_ITEM_WEIGHT, TA_ITEM_SEVERITY, TA_ITEM_PARAM, TA_ITEM_INHERITS,
		TA_ITEM_WORKLOAD } what;
	struct ta_word name;
	unsigned number; /* weight, severity, workload */
	struct ta_expr *value;
};

struct ta_profile_entry {
	bool in;
	bool has_severity;
	uint8_t weight; /* 0: the rule's own */
	uint8_t severity; /* if has_severity */
};

struct ta_profile {
	struct ta_profile *next;
	const struct ta_source *source;
	struct ta_word name;
	const char *title;
	struct ta_profile_item *items;
	enum { TA_PROFILE_NEW, TA_PROFILE_BUSY, TA_PROFILE_DONE } state;
	unsigned depth; /* profiles above it in its longest line; set by resolve */
	struct ta_profile_entry *rules; /* by the rules' numbers */
	struct ta_expr **params;	/* by the parameters' numbers; never NULL */
	int8_t workload; /* enum ta_shown_workload, −1: it does not say; set by resolve, from its own line or a parent */
};

struct ta_waiver_entry {
	struct ta_waiver_entry *next;
	const struct ta_source *source;
	struct ta_word rule;
	struct ta_waiver waiver;
};

/* Names of one kind to what they name; open addressing, grows. */
struct ta_names {
	struct ta_name_slot {
		const char *name;
		void *what;
	} *slots;
	size_t n, size;
};

void *ta_names_get(const struct ta_names *n, const char *name);
/* Puts or replaces; false: out of memory. */
bool ta_names_put(struct ta_names *n, const char *name, void *what);

struct ta_rules {
	struct ta_arena arena;
	struct ta_source *sources;
	struct ta_names rule_names, param_names, profile_names;
	struct ta_rule **rules; /* sorted by id once resolved */
	size_t n_rules, cap_rules;
	struct ta_rule *spoilt; /* stanzas with faults: checked for more of them, never used */
	struct ta_rule *replaced; /* of files whose rule a later file replaced: checked, never used */
	struct ta_param *params;
	size_t n_params;
	struct ta_expr **defaults; /* the parameters' own values, by number; set by resolve */
	struct ta_profile *profiles;
	struct ta_waiver_entry *waivers;
	const struct ta_schema *schema; /* set by resolve, as are the fixers */
	const struct ta_fix_sig *fixers;
	size_t n_fixers;
	bool builtin; /* part of the program: never freed, nothing is added to it */
};

/* --- diagnostics (diag.c) --------------------------------------------------- */

/* Adds one fault at bytes [pos, end) of the source. Always returns -EBADMSG, or -ENOMEM. */
int ta_diag_add(struct ta_diags *d, const struct ta_source *src, uint32_t pos, uint32_t end, const char *fmt, ...)
	ta_printf(5, 6);
/* The same without a place in the text. */
int ta_diag_add_file(struct ta_diags *d, const char *file, const char *fmt, ...) ta_printf(3, 4);
/* Puts those from number `from` on into the order of their places. */
void ta_diags_sort(struct ta_diags *d, size_t from);
/* Line and column (characters) of a byte, from 1. */
void ta_source_place(const struct ta_source *src, uint32_t pos, unsigned *ret_line, unsigned *ret_column);

/* --- stages ------------------------------------------------------------------- */

/* Parses a whole source into `rs` (parse.c). 0, -EBADMSG, -ENOMEM. */
int ta_rules_parse(struct ta_rules *rs, struct ta_source *src, unsigned flags, struct ta_diags *diags);
/* Parses a rule that was noted (parse_rule.c). 0, -EBADMSG, -ENOMEM. */
int ta_rule_read(struct ta_rules *rs, struct ta_rule *r, struct ta_diags *diags);

/* Checks one rule (check.c): 0, -EBADMSG, -ENOMEM. */
int ta_rule_check(struct ta_rules *rs, struct ta_rule *r, const struct ta_fix_sig *fixers, size_t n_fixers,
	struct ta_diags *diags);

/* Profiles and waivers against the rules (profile.c, waive.c). */
int ta_profiles_resolve(struct ta_rules *rs, struct ta_diags *diags);
int ta_waivers_resolve(struct ta_rules *rs, struct ta_diags *diags);

/* True if the literal fits the parameter's type. */
bool ta_param_accepts(const struct ta_param *p, const struct ta_expr *literal);
const char *ta_kind_name(enum ta_kind k);

/* True if `id` is the pattern itself or falls under "prefix.*". */
bool ta_pattern_matches(const char *pattern, const char *id);
