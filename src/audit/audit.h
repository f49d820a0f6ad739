/*
 * Findings, score and coverage of one host under one profile. Pure. docs/scoring.md is the manual.
 */
#pragma once

#include "rule/rule.h"

/*
 * One thing that a rule is about, in three columns: what runs, what is written down, what the next boot leaves. Texts are owned;
 * NULL: not known, or there is none.
 */
struct ta_column {
	char *target;  /* "net.core.somaxconn", "eth0 rings rx", "nginx.service" (its descriptor limit) */
	char *running;
	char *place, *value; /* "FILE:LINE" of the line that holds at boot, and the value as written there; NULL: nothing does */
	char *next_boot;
	char *detail; /* why the last one is not known */
	int differs;  /* the next boot leaves something else: 1, 0, -1 not known */
};

struct ta_columns {
	struct ta_column *v;
	size_t n;
};

void ta_columns_done(struct ta_columns *c);

struct ta_finding {
	const struct ta_rule *rule;
	enum ta_severity severity; /* under this profile */
	unsigned weight;
	struct ta_outcome out; /* its strings belong to ta_audit.outcomes */
	const char *until;     /* of a waiver that holds: the date, or NULL for ever */
	const char *waived_because;
	/* Why a waiver that is written for this subject does not hold, or NULL. */
	const char *waiver_note;
	/* filled in by the command from the fixer; NULL where there is none */
	char *fix_command; /* lines a person would type */
	const char *fix_disruption;
	char *fix_persist_file, *fix_persist_text;
	char *fix_error; /* why there is no command although the rule has a fix */
	struct ta_columns columns; /* filled in likewise, also of what passes; of as many things as the fix names */
};

/* What one rule or area costs. */
struct ta_share {
	const char *name;
	double weight;  /* that was judged */
	double lost;    /* of it: weight x failing share of subjects */
	double unknown; /* weight that could not be judged */
	double points;  /* `lost` as points of the score: all areas together are 100 - score */
};

struct ta_audit {
	const struct ta_profile *profile;
	bool has_score;             /* false: nothing could be judged */
	unsigned score;             /* 0 ... 100, rounded down: 100 means that nothing fails */
	unsigned coverage;          /* likewise: 100 means that nothing is unknown */
	size_t n_selected;          /* rules */
	size_t summary[TA_V_COUNT]; /* findings per verdict */
	/* fails first: evidence, then weight, then id; the rest by verdict; a rule's subjects stay
	 * together */
	struct ta_finding *findings;
	size_t n_findings;
	struct ta_share *areas, *rules; /* the costliest first */
	size_t n_areas, n_rules;
	struct ta_outcomes *outcomes; /* n_selected of them */
};

struct ta_audit_options {
	const struct ta_profile *profile;
	bool brief; /* nobody asks why a rule passes */
	const struct ta_strv *only, *skip; /* rule ids or "area.*"; NULL or empty: no restriction */
};

/* True if `pattern` is the rule's id, or PREFIX.* and the id begins with PREFIX and a dot. */
bool ta_audit_matches(const char *pattern, const char *id);

bool ta_audit_selects(const struct ta_audit_options *o, const struct ta_rule *r);

/* 0 or -ENOMEM; then nothing is to be freed. Else frees with ta_audit_done(). */
int ta_audit_run(const struct ta_rules *rs, const struct ta_audit_options *o,
	const struct ta_facts *facts, struct ta_audit *ret);
void ta_audit_done(struct ta_audit *a);

/* The subject fails at this moment, whatever is written for later. */
bool ta_audit_is_failing(enum ta_verdict v);

/*
 * The exit code of `check`: 2 if a rule is broken, 3 below min_coverage, 1 if a failing subject is
 * at or above `fail_on` (NULL: never), else 0.
 */
int ta_audit_exit(const struct ta_audit *a, unsigned min_coverage, const enum ta_severity *fail_on);
