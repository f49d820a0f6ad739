/*
 * From pairs to a verdict. Four measures are looked at, so each has four times the chance to look like an effect: Holm's rule keeps the
 * level of the four together (Scand. J. Statist. 6, 1979). A change that makes one of them worse is called worse, whatever else
 * it does for the others.
 */
#include <errno.h>
#include <math.h>

#include "trial/trial.h"

static const struct {
	const char *key, *name;
	bool rises;
} measures[] = {
	[TA_TRIAL_THROUGHPUT] = {"throughput", "throughput", true},
	[TA_TRIAL_P50] = {"p50", "p50 latency", false},
	[TA_TRIAL_P99] = {"p99", "p99 latency", false},
	[TA_TRIAL_CPU] = {"cpu_per_request", "CPU per request", false},
};

const char *ta_trial_measure_key(enum ta_trial_measure m)
{
	return measures[m].key;
}

const char *ta_trial_measure_name(enum ta_trial_measure m)
{
	return measures[m].name;
}

bool ta_trial_measure_rises(enum ta_trial_measure m)
{
	return measures[m].rises;
}

static const struct {
	const char *key, *name;
} counts[] = {
	[TA_TRIAL_OVERFLOWS] = {"listen_overflows", "connections lost to a full accept queue"},
	[TA_TRIAL_DROPS] = {"listen_drops", "connections not taken by a listener"},
	[TA_TRIAL_RETRANSMITS] = {"retransmits", "segments sent again"},
	[TA_TRIAL_BACKLOG] = {"softnet_dropped", "packets dropped from a CPU's backlog"},
	[TA_TRIAL_SQUEEZES] = {"time_squeeze", "times that a softirq ran out of its budget"},
};

const char *ta_trial_count_key(enum ta_trial_count c)
{
	return counts[c].key;
}

const char *ta_trial_count_name(enum ta_trial_count c)
{
	return counts[c].name;
}

const char *ta_trial_verdict_name(enum ta_trial_verdict v)
{
	static const char *const names[] = {
		[TA_TRIAL_IMPROVED] = "improved",
		[TA_TRIAL_WORSE] = "worse",
		[TA_TRIAL_NO_EFFECT] = "no-effect",
		[TA_TRIAL_CANNOT_SHOW] = "cannot-show",
	};

	return names[v];
}

/* The smallest p first, held against a quarter of the level, the next against a third … until one is too large. */
static void holm(struct ta_trial_unit *u)
{
	unsigned left = 0;

	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		u->seen[m] = false;
		left += u->has[m];
	}
	for (; left; left--) {
		int best = -1;

		for (int m = 0; m < TA_TRIAL_MEASURES; m++)
			if (u->has[m] && !u->seen[m] && (best < 0 || u->effect[m].p < u->effect[best].p))
				best = m;
		if (u->effect[best].p > TA_TRIAL_LEVEL / left || !u->effect[best].seen)
			return;
		u->seen[best] = true;
	}
}

static enum ta_trial_verdict verdict(const struct ta_trial_unit *u)
{
	bool better = false, worse = false;

	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		bool up = u->effect[m].percent > 0;

		if (!u->seen[m])
			continue;
		better = better || up == measures[m].rises;
		worse = worse || up != measures[m].rises;
	}
	if (worse)
		return TA_TRIAL_WORSE;
	return better ? TA_TRIAL_IMPROVED : TA_TRIAL_NO_EFFECT;
}

/*
 * An effect on one measure alone has to pass a quarter of the level: what stats.h tells is for the whole of it, and grows by the quantiles.
 */
static double stricter(double smallest, size_t n)
{
	double power, one, four;
	unsigned df;

	if (!isfinite(smallest)) /* too few pairs, maybe one */
		return smallest;
	df = (unsigned)(n - 2 * (n / 5) - 1);
	power = ta_student_quantile(TA_TRIAL_POWER, df);
	one = ta_student_quantile(1 - TA_TRIAL_LEVEL / 2, df) + power;
	four = ta_student_quantile(1 - TA_TRIAL_LEVEL / TA_TRIAL_MEASURES / 2, df) + power;
	return expm1(log1p(smallest / 100) * four / one) * 100;
}

static bool is_measured(const struct ta_pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!(pairs[i].without > 0) || !(pairs[i].with > 0))
			return false;
	return n > 0;
}

/* What can be seen and what it would take: of the throughput, or of the first measure that there is. */
static void look_ahead(struct ta_trial_unit *u)
{
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		double ratio;

		if (!u->has[m])
			continue;
		u->smallest = stricter(u->effect[m].smallest, u->n_pairs);
		ratio = isfinite(u->smallest) && u->effect[m].smallest > 0 ? u->effect[m].smallest / u->smallest : 1;
		u->pairs_for = ta_effect_pairs_for(u->pairs[m], u->n_pairs, TA_TRIAL_WANTED * ratio);
		return;
	}
}

int ta_trial_judge(struct ta_trial_unit *u)
{
	u->smallest = INFINITY;
	u->pairs_for = TA_TRIAL_PAIRS_MAX + 1;
	u->verdict = TA_TRIAL_CANNOT_SHOW;
	if (!u->n_pairs)
		return 0;
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++) {
		u->has[m] = is_measured(u->pairs[m], u->n_pairs);
		if (u->has[m] && ta_effect_of(u->pairs[m], u->n_pairs, &u->effect[m]) == -ENOMEM)
			return -ENOMEM;
	}
	holm(u);
	u->verdict = verdict(u);
	look_ahead(u);
	return 0;
}
