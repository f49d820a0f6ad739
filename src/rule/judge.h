/*
 * The way from a rule to its verdicts, with a look at each while its subject's variable stands.
 */
#pragma once

#include "rule/eval.h"

/*
 * As ta_rule_eval(); `visit` (may be NULL) is called with every outcome that has a subject of its own, as soon
 * as it is reached: `ev` still evaluates for that subject.
 */
int ta_judge_rule(const struct ta_rules *rs, const struct ta_rule *r, const struct ta_profile *profile,
	const struct ta_facts *facts, void (*visit)(struct ta_eval *ev, const struct ta_outcome *o, void *ctx),
	void *ctx, struct ta_outcomes *ret);
