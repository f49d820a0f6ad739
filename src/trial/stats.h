/*
 * What pairs of rounds, one with a change and one without, say of its effect.
 *
 * A pair's effect is ln(with / without): a ratio, so that +10 % and -10 % weigh alike, and what both rounds of a pair suffer
 * (a slow neighbour) falls out; a host that gets slower or faster all the time shows in the difference between pairs of either
 * order, which is taken off. The estimate is the mean of the pairs without the fifth at each end, which a
 * few disturbed rounds do not move; its interval comes from a bootstrap over the pairs, widened for their small number
 * (Hesterberg, "What Teachers Should Know About the Bootstrap", 2015: the expanded percentile interval); whether there is an
 * effect at all from the signed-rank test (Wilcoxon 1945), which holds for any noise that does not know which round was which.
 *
 * Pure: the same numbers give the same result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TA_TRIAL_PAIRS_MIN 8   /* with fewer the test could not say "yes" at its level */
#define TA_TRIAL_PAIRS 16      /* of a trial of usual length */
#define TA_TRIAL_PAIRS_MAX 1000
#define TA_TRIAL_LEVEL 0.01    /* a change without effect is given one in so many trials */
#define TA_TRIAL_INTERVAL 0.95 /* the share of intervals that hold the true effect */
#define TA_TRIAL_POWER 0.90    /* the share of trials that see the smallest effect told */

/* Two neighbouring rounds. */
struct ta_pair {
	double without, with; /* what was measured, above 0 */
	bool with_first;      /* the round with the change came before the other */
};

/* All in percent of the value without the change; -50 is half of it. */
struct ta_effect {
	double percent;
	double low, high;   /* of the interval */
	double p;	    /* of the test; 1: nothing at all points to an effect */
	bool seen;	    /* p <= TA_TRIAL_LEVEL */
	double smallest;    /* the smallest effect, either way, that such a trial would see; INFINITY for one pair */
};

/*
 * Of n pairs, n from 1 to TA_TRIAL_PAIRS_MAX. 0, -EINVAL (no pairs, too many, a value that is not above 0 or not
 * finite), -ENOMEM.
 */
int ta_effect_of(const struct ta_pair *pairs, size_t n, struct ta_effect *ret);

/* How many pairs with the noise of these would see an effect of `percent` (not 0); at most TA_TRIAL_PAIRS_MAX + 1, which means more. */
size_t ta_effect_pairs_for(const struct ta_pair *pairs, size_t n, double percent);

/*
 * The order of pairs 0, 1, 2 …: true if the round with the change is first. Balanced in every four pairs (ABBA BAAB), so
 * that neither a straight drift nor one that bends takes sides.
 */
bool ta_trial_with_first(size_t pair);

/* Quantile of Student's t with `df` degrees of freedom, 1 or more; 0.5 < p < 1. Absolute error below 1e-6. */
double ta_student_quantile(double p, unsigned df);
