/*
 * What a rule reads, and which rules these are. Part of rule/rule.h.
 */
#pragma once

#include <stdint.h>

#include "base/strv.h"

struct ta_rule;
struct ta_rules;

/* Owners (ta_schema_owner) of the facts that the rule and its fixer read: what has to be collected. Adds to `ret`. */
void ta_rule_owners(const struct ta_rule *r, struct ta_strv *ret);

/* The paths (patterns in text form) that the rule reads, each once. Adds to `ret`. */
void ta_rule_paths(const struct ta_rule *r, struct ta_strv *ret);

/* What its verdict depends on, without what only its evidence and its fix read: paths of values, * only for keys that it does not name. */
void ta_rule_judged_paths(const struct ta_rule *r, struct ta_strv *ret);

/* A number for the rules in force: the program's own, and every file that adds to them. */
uint64_t ta_rules_digest(const struct ta_rules *rs);
