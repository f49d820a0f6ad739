/*
 * A round of a trial as a load run.
 */
#pragma once

#include "load/run.h"
#include "trial/trial.h"

struct ta_trial_loading {
	struct ta_host *host;
	const struct ta_load_options *load; /* one number of connections, no repetitions */
};

/* For ta_trial_load.measure; `ctx` is a ta_trial_loading. A target that answers nothing is -ECONNREFUSED; if it was only late, in two rounds, -ENODATA. */
int ta_trial_measure_load(void *ctx, struct ta_trial_round *ret, struct ta_err *err);
