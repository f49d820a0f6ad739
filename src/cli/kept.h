/*
 * What of a run that was made a restart of the host takes away again, and what somebody else may move.
 */
#pragma once

#include "report/change.h"

/* Of those changes of the plan that are allowed. `runtime_only`: nothing was to be kept. */
void ta_kept_tell(const struct ta_plan *p, const struct ta_plan_view *v, bool runtime_only, struct ta_buf *out);
