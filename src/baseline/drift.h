/*
 * What moved between two baselines, who may have moved it, and whether it matters. Pure. docs/baseline.md is the manual.
 */
#pragma once

#include "baseline/baseline.h"

enum ta_drift_kind {
	TA_DRIFT_SETTING,  /* somebody or something set it */
	TA_DRIFT_KERNEL,   /* came with another kernel or release of the system */
	TA_DRIFT_HARDWARE, /* the machine is another one, or its cables are */
	TA_DRIFT_TOOL,     /* another version of this program or of its rules */
	TA_DRIFT_KINDS,
};

const char *ta_drift_kind_name(enum ta_drift_kind k); /* "setting" … */

/* One thing that moved. Texts are owned. */
struct ta_drift_entry {
	char *path;
	char *was, *is; /* values as text; "" where the value is, "missing" or "unsupported" where there is none */
	enum ta_drift_kind kind;
	const struct ta_rule *rule; /* that reads it: of several the one that matters most; NULL: none of the profile */
	enum ta_severity severity;  /* of it, under the profile */
	int verdict_was, verdict_is; /* enum ta_verdict of that rule for this subject, -1: not judged */
	char *by;   /* who sets it, or may have moved it, in a sentence */
	char *note; /* what else is to be said: how the kernel's default changed; or NULL */
};

/* A fact that only one of the two could read: no drift, since nobody knows. */
struct ta_drift_hole {
	char *path;
	char *was; /* the value that was there then; NULL: it is then that it could not be read */
	enum ta_reason reason;
	char *detail; /* "" where only the reason is known */
};

/* A verdict that is another one. */
struct ta_drift_verdict {
	const struct ta_rule *rule;
	char *subject;
	enum ta_severity severity;
	enum ta_verdict was, is;
};

struct ta_drift {
	struct ta_drift_entry *entries; /* by kind, then path */
	size_t n;
	size_t kinds[TA_DRIFT_KINDS];
	struct ta_drift_hole *holes; /* by path */
	size_t n_holes;
	struct ta_drift_verdict *verdicts; /* by rule, then subject */
	size_t n_verdicts;
	struct ta_strv came, gone; /* members of collections that come and go with programs */
	struct ta_strv notes;	   /* what is to be known when the rest is read: another host, another profile */
	size_t n_ignored;	   /* moved, but not asked for */
	size_t n_new;		   /* facts that the older one does not hold: nothing is said of them */
};

void ta_drift_done(struct ta_drift *d);
#define ta_cleanup_drift ta_cleanup(ta_drift_done)

struct ta_drift_options {
	const struct ta_schema *schema;
	const struct ta_rules *rules;
	const struct ta_profile *profile;
	const struct ta_facts *facts; /* of `is`, where it was just read; else NULL */
	const struct ta_audit *audit; /* likewise, with its columns */
	const struct ta_strv *ignore; /* kinds, or paths with * for a key, NULL: none; see ta_drift_may_ignore() */
};

/* 0 or -ENOMEM; free in every case. */
int ta_drift_find(const struct ta_baseline *was, const struct ta_baseline *is, const struct ta_drift_options *o,
	struct ta_drift *ret);

/* A kind, or a path of the field tables or above them. */
bool ta_drift_may_ignore(const struct ta_schema *schema, const char *word);
