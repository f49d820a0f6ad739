/*
 * From findings to score: the part of an audit that needs no rules and no facts.
 */
#pragma once

#include "audit/audit.h"

/*
 * Fills summary, score, coverage, shares from findings, which stand rule by rule (the subjects of
 * one rule are neighbours). 0 or -ENOMEM.
 */
int ta_score_fill(struct ta_audit *a);

/* Sorts them as ta_audit.findings promises. 0 or -ENOMEM. */
int ta_score_sort(struct ta_audit *a);
