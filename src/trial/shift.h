/*
 * What a handful of measurements before a change and a handful after it say of its effect, where the two cannot alternate: taking
 * turns would mean taking the change back. So what the host did meanwhile is in the difference, and only part of it can be
 * told from the measurements: neighbours in time that are alike (the host drifts within a series) widen the interval, and
 * TA_SHIFT_DRIFT is allowed for on top. `tuneaudit trial` alternates, and sees far less.
 *
 * In ln, as ratios. Means without the fifth at each end, their difference by Yuen (1974, "The two-sample trimmed t for unequal
 * population variances"). Pure: the same numbers give the same result.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define TA_SHIFT_MIN 5	    /* of each */
#define TA_SHIFT_MAX 64
#define TA_SHIFT_LEVEL 0.997 /* of the interval; a shift is seen if all of that lies on one side: 1 in 100 of all three that are looked at */
#define TA_SHIFT_POWER 0.90 /* the share of comparisons that see the smallest shift told */
#define TA_SHIFT_DRIFT 0.01 /* standard deviation, ln: what two series of an unchanged host differ by beside what is seen in them */

/* In percent of the value before. */
struct ta_shift {
	double percent, low, high;
	bool seen;
	double smallest; /* that would be seen, either way */
};

/* 0, or -EINVAL: too few or too many, or a value that is not above 0 and finite. In the order in which they were measured. */
int ta_shift_of(const double *before, size_t n_before, const double *after, size_t n_after, struct ta_shift *ret);
