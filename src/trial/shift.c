#include "trial/shift.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/macros.h"
#include "trial/stats.h"

#define LIKENESS_MAX 0.8 /* of neighbours: beyond it the series is all drift, and its length says nothing */

struct series {
	double mean;  /* trimmed */
	double error; /* variance of that mean */
	double df;
};

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How much neighbours in time are alike, 0 … LIKENESS_MAX: the more, the less each of them says. */
static double likeness(const double *x, size_t n)
{
	double mean = 0, all = 0, next = 0;

	for (size_t i = 0; i < n; i++)
		mean += x[i] / (double)n;
	for (size_t i = 0; i < n; i++)
		all += (x[i] - mean) * (x[i] - mean);
	for (size_t i = 0; i + 1 < n; i++)
		next += (x[i] - mean) * (x[i + 1] - mean);
	return all > 0 ? fmin(fmax(next / all, 0), LIKENESS_MAX) : 0;
}

/* Trimmed mean, and its error from the winsorized squares. `x` has `n` values in ln, by time; is sorted. */
static struct series sum_up(double *x, size_t n)
{
	double like = likeness(x, n), winsorized = 0, squares = 0, h;
	struct series s = {0};
	size_t cut = n / 5;

	qsort(x, n, sizeof(*x), by_value);
	h = (double)(n - 2 * cut);
	for (size_t i = cut; i < n - cut; i++)
		s.mean += x[i] / h;
	for (size_t i = 0; i < n; i++)
		winsorized += x[TA_MIN(TA_MAX(i, cut), n - cut - 1)] / (double)n;
	for (size_t i = 0; i < n; i++) {
		double off = x[TA_MIN(TA_MAX(i, cut), n - cut - 1)] - winsorized;

		squares += off * off;
	}
	s.df = h - 1;
	s.error = squares / (h * (h - 1)) * (1 + like) / (1 - like);
	return s;
}

static int read_series(const double *from, size_t n, struct series *ret)
{
	double x[TA_SHIFT_MAX];

	if (n < TA_SHIFT_MIN || n > TA_SHIFT_MAX)
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (!(from[i] > 0) || !isfinite(from[i]))
			return -EINVAL;
		x[i] = log(from[i]);
	}
	*ret = sum_up(x, n);
	return 0;
}

static double percent(double ratio)
{
	return (exp(ratio) - 1) * 100;
}

int ta_shift_of(const double *before, size_t n_before, const double *after, size_t n_after, struct ta_shift *ret)
{
	struct series a = {0}, b = {0};
	double by, squares, error, t, df;

	if (read_series(before, n_before, &a) < 0 || read_series(after, n_after, &b) < 0)
		return -EINVAL;
	by = b.mean - a.mean;
	squares = a.error * a.error / a.df + b.error * b.error / b.df;
	df = squares > 0 ? (a.error + b.error) * (a.error + b.error) / squares : a.df + b.df;
	t = ta_student_quantile(0.5 + TA_SHIFT_LEVEL / 2, TA_MAX((unsigned)df, 1u));
	error = sqrt(a.error + b.error + TA_SHIFT_DRIFT * TA_SHIFT_DRIFT);
	*ret = (struct ta_shift){
		.percent = percent(by),
		.low = percent(by - t * error),
		.high = percent(by + t * error),
		.seen = fabs(by) > t * error,
		.smallest = percent((t + ta_student_quantile(TA_SHIFT_POWER, TA_MAX((unsigned)df, 1u))) * error),
	};
	return 0;
}
