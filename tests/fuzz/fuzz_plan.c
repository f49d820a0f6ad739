/*
 * Saved plans: any bytes.
 */
#include <stdlib.h>

#include "fix/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ta_cleanup_plan struct ta_plan plan = {0};
	struct ta_err err = {0};

	if (ta_plan_parse((const char *)data, size, &plan, &err) < 0)
		return 0;
	for (size_t i = 0; i < plan.n_actions; i++) {
		const struct ta_step *s = &plan.actions[i].step;

		if (ta_knob_check(s->knob->name, s->target, s->after, TA_VALUE_WISHED, NULL) < 0)
			abort();
	}
	return 0;
}
