/*
 * Rounds added up, for what is told of many of them together.
 */
#include <errno.h>
#include <string.h>

#include "trial/trial.h"

void ta_trial_round_add(struct ta_trial_round *sum, const struct ta_trial_round *r)
{
	memcpy(sum->value, r->value, sizeof(sum->value));
	sum->replies += r->replies;
	sum->errors += r->errors;
	ta_hist_merge(&sum->hist, &r->hist);
	for (unsigned i = 0; i < TA_TRIAL_COUNTS; i++)
		sum->counts[i] += r->counts[i];
	for (unsigned i = 0; i < TA_WATCH_CPUS; i++)
		sum->softirq[i] += r->softirq[i];
	sum->path = r->path;
	sum->unit = r->unit;
	sum->host_cpu = r->host_cpu;
}

double ta_trial_softirq_top(const struct ta_trial_round *r)
{
	double top = 0, all = 0;

	for (unsigned i = 0; i < TA_WATCH_CPUS; i++) {
		top = TA_MAX(top, r->softirq[i]);
		all += r->softirq[i];
	}
	return all > 0 ? top / all : 0;
}
