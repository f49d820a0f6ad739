/*
 * Inside of this module: the steps of finding drift.
 */
#pragma once

#include "baseline/compare.h"
#include "baseline/drift.h"

/* One path that differs. */
struct ta_moved {
	const struct ta_baseline *was, *is;
	const struct ta_drift_options *o;
	const char *path;
	const struct ta_baseline_fact *a, *b; /* NULL: the side has nothing of this path */
	const struct ta_field *field;	      /* NULL: not declared here, or a whole member */
	const char *member;		      /* its key in the first collection on the way, "" if there is none … */
	const char *member_path;	      /* … and the path down to there */
};

/* What changed besides, looked at once. */
struct ta_world {
	bool kernel, os, machine, tool;
	bool balanced; /* irqbalance runs, or ran */
	struct ta_strv replaced; /* members whose own hardware is another one: "nics.eth0"; "cpu"; sorted */
};

enum ta_drift_kind ta_drift_kind_of(const struct ta_moved *m, const struct ta_world *w);
void ta_drift_by(const struct ta_moved *m, const struct ta_world *w, struct ta_drift_entry *e);

/* Which rules read what: made once. */
struct ta_readers;
struct ta_readers *ta_readers_new(const struct ta_drift_options *o);
struct ta_readers *ta_readers_free(struct ta_readers *r);
/* Fills rule, severity, verdict_was, verdict_is. */
void ta_readers_judge(const struct ta_readers *r, const struct ta_moved *m, struct ta_drift_entry *e);

/* Is it among them? Of a list that ta_strv_sort() has sorted. */
bool ta_sorted_has(const struct ta_strv *sorted, const char *text);

/* The keys of the pattern ("*" is any) are the first of the path's, or all of them. */
bool ta_path_covers(const char *pattern, const char *path);

/* The severity of the rule under the profile. */
enum ta_severity ta_drift_severity(const struct ta_drift_options *o, const struct ta_rule *r);
/* "was": of `b` this rule and subject, -1 if it is not among them. */
int ta_drift_verdict_of(const struct ta_baseline *b, const char *rule, const char *subject);
