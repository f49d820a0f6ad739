/*
 * Findings, score and coverage of one host under one profile. Pure.
 */
#pragma once

#include "rule/rule.h"

struct ta_finding {
	const struct ta_rule *rule;
	enum ta_severity severity; /* under this profile */
	unsigned weight;
	struct ta_outcome out;
	const char *until;    /* of a waiver, or NULL */
	const char *waived_because;
	/* filled in by the command from the fixer; NULL where there is none */
	char *fix_command;
	const char *fix_disruption;
	char *fix_persist; /* file and text */
};

/* What one rule or area costs: weight × failing share of subjects. */
struct ta_share {
	const char *name;
	double weight; /* that was judged */
	double lost;
	double unknown;
};

struct ta_audit {
	const struct ta_profile *profile;
	bool has_score; /* false: nothing could be judged */
	unsigned score; /* 0 … 100 */
	unsigned coverage;
	size_t summary[TA_V_COUNT]; /* findings per verdict */
	struct ta_finding *findings;   /* fails first: evidence, then weight, then id and subject; then the rest */
	size_t n_findings;
	struct ta_share *areas, *rules;
	size_t n_areas, n_rules;
};

struct ta_audit_options {
	const struct ta_profile *profile;
	const struct ta_strv *only, *skip; /* rule ids or "area.*"; NULL or empty: no restriction */
};

bool ta_audit_selects(const struct ta_audit_options *o, const struct ta_rule *r);

/* 0 or -ENOMEM. Frees with ta_audit_done(). */
int ta_audit_run(const struct ta_rules *rs, const struct ta_audit_options *o, const struct ta_facts *facts,
	struct ta_audit *ret);
void ta_audit_done(struct ta_audit *a);

/* The exit code of `check`: 3 below min_coverage, else 1 if a fail (or broken) is at or above `fail_on`, else 0. */
int ta_audit_exit(const struct ta_audit *a, unsigned min_coverage, bool has_fail_on, enum ta_severity fail_on);
