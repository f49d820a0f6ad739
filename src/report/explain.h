/*
 * One rule on one host, for people.
 */
#pragma once

#include "report/report.h"

struct ta_explanation {
	const struct ta_rule *rule;
	const struct ta_audit *audit;  /* of this rule alone */
	const char *facts;             /* what ta_rule_explain() says */
	const struct ta_strv *members; /* profiles that have the rule */
	const struct ta_facts *host;
	const struct ta_strv *sysctls; /* that the rule reads: who sets them is told */
};

void ta_report_explain(
	const struct ta_explanation *e, const struct ta_report_options *o, struct ta_buf *ret);
