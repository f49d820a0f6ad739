/*
 * What a fixer says about a failed rule, put into the finding.
 */
#pragma once

#include "audit/audit.h"

/*
 * Of every failing finding that has a fix, and of passing ones the columns. 0 or -ENOMEM; a fixer's refusal stands in the finding.
 */
int ta_fixtext_fill(struct ta_audit *a, const struct ta_facts *facts);
