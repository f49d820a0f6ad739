#include "trial/stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/macros.h"

#define RESAMPLES 2000

/* splitmix64: every use begins anew, so that the same pairs give the same interval. */
static uint64_t next(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

bool ta_trial_with_first(size_t pair)
{
	return pair % 4 == 1 || pair % 4 == 2;
}

/* --- distributions --------------------------------------------------------- */

/* P(T <= t) of Student's t by its closed form for whole df (Abramowitz & Stegun 26.7.3, 26.7.4). */
static double student_cdf(double t, unsigned df)
{
	double angle = atan(t / sqrt(df)), c = cos(angle), term = c, sum = 0;

	if (df == 1)
		return 0.5 + angle / M_PI;
	if (df % 2) {
		for (unsigned k = 3; k <= df; k += 2) {
			sum += term;
			term *= c * c * (k - 1) / k;
		}
		return 0.5 + (angle + sin(angle) * sum) / M_PI;
	}
	term = 1;
	for (unsigned k = 2; k <= df; k += 2) {
		sum += term;
		term *= c * c * (k - 1) / k;
	}
	return 0.5 + sin(angle) * sum / 2;
}

double ta_student_quantile(double p, unsigned df)
{
	double low = 0, high = 1;

	while (student_cdf(high, df) < p)
		high *= 2;
	for (unsigned i = 0; i < 80; i++) {
		double middle = (low + high) / 2;

		if (student_cdf(middle, df) < p)
			low = middle;
		else
			high = middle;
	}
	return high;
}

static double normal_cdf(double z)
{
	return erfc(-z / M_SQRT2) / 2;
}

/* --- the pairs --------------------------------------------------------------- */

struct sample {
	double *v; /* ln(with / without), rising */
	size_t n;
	double mean;  /* trimmed */
	double error; /* its standard error times sqrt(n): from the winsorized sample (Yuen 1974); 0 for one pair */
};

#define TRIMMED(n) ((n) / 5) /* at each end */

static double trimmed_mean(const double *sorted, size_t n)
{
	size_t cut = TRIMMED(n);
	double sum = 0;

	for (size_t i = cut; i < n - cut; i++)
		sum += sorted[i];
	return sum / (double)(n - 2 * cut);
}

static double winsorized_error(const double *sorted, size_t n)
{
	size_t cut = TRIMMED(n);
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += sorted[TA_MIN(TA_MAX(i, cut), n - 1 - cut)];
	for (size_t i = 0; i < n; i++) {
		double d = sorted[TA_MIN(TA_MAX(i, cut), n - 1 - cut)] - sum / (double)n;

		squares += d * d;
	}
	return sqrt(squares / (double)(n - 1)) * (double)n / (double)(n - 2 * cut);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Half of what pairs of either order differ by: the host's drift from one round to the next. 0 where all have one order. */
static double drift(const struct ta_pair *pairs, const double *v, size_t n)
{
	double halves[2][TA_TRIAL_PAIRS_MAX];
	size_t count[2] = {0};

	for (size_t i = 0; i < n; i++)
		halves[pairs[i].with_first][count[pairs[i].with_first]++] = v[i];
	if (!count[0] || !count[1])
		return 0;
	for (unsigned k = 0; k < 2; k++)
		qsort(halves[k], count[k], sizeof(double), by_value);
	return (trimmed_mean(halves[1], count[1]) - trimmed_mean(halves[0], count[0])) / 2;
}

static int take(const struct ta_pair *pairs, size_t n, struct sample *ret)
{
	double off;

	if (!n || n > TA_TRIAL_PAIRS_MAX)
		return -EINVAL;
	*ret = (struct sample){.v = calloc(n, sizeof(*ret->v)), .n = n};
	if (!ret->v)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		ret->v[i] = log(pairs[i].with / pairs[i].without);
		if (!(pairs[i].without > 0) || !(pairs[i].with > 0) || !isfinite(ret->v[i])) {
			free(ret->v);
			return -EINVAL;
		}
	}
	off = drift(pairs, ret->v, n);
	for (size_t i = 0; i < n; i++)
		ret->v[i] += pairs[i].with_first ? -off : off;
	qsort(ret->v, n, sizeof(*ret->v), by_value);
	ret->mean = trimmed_mean(ret->v, n);
	ret->error = n > 1 ? winsorized_error(ret->v, n) : 0;
	return 0;
}

static double percent(double log_ratio)
{
	return expm1(log_ratio) * 100;
}

/* --- the interval -------------------------------------------------------------- */

static int interval(const struct sample *s, double *ret_low, double *ret_high)
{
	double *means = calloc(RESAMPLES + s->n, sizeof(*means)), *drawn = means + RESAMPLES, tail;
	uint64_t seed = s->n;

	if (!means)
		return -ENOMEM;
	for (unsigned k = 0; k < RESAMPLES; k++) {
		for (size_t i = 0; i < s->n; i++)
			drawn[i] = s->v[next(&seed) % s->n];
		qsort(drawn, s->n, sizeof(*drawn), by_value);
		means[k] = trimmed_mean(drawn, s->n);
	}
	qsort(means, RESAMPLES, sizeof(*means), by_value);
	/* The spread of resampled means is that of n, not of n - 1, and has the normal's tails. */
	tail = normal_cdf(-sqrt((double)s->n / (double)(s->n - 1)) *
			  ta_student_quantile((1 + TA_TRIAL_INTERVAL) / 2, (unsigned)s->n - 1));
	*ret_low = TA_MIN(means[(size_t)(tail * RESAMPLES)], s->mean);
	*ret_high = TA_MAX(means[RESAMPLES - 1 - (size_t)(tail * RESAMPLES)], s->mean);
	free(means);
	return 0;
}

/* --- the test --------------------------------------------------------------------- */

/* |v| by rank, twice the mean rank where several are equal; 0 for a pair that shows nothing. The sum of all is returned, with signs. */
static int64_t signed_ranks(const struct sample *s, uint32_t *ret)
{
	int64_t sum = 0;

	for (size_t i = 0; i < s->n; i++) {
		size_t below = 0, equal = 0;

		for (size_t k = 0; k < s->n; k++) {
			below += s->v[k] != 0 && fabs(s->v[k]) < fabs(s->v[i]);
			equal += fabs(s->v[k]) == fabs(s->v[i]);
		}
		ret[i] = s->v[i] == 0 ? 0 : (uint32_t)(2 * below + equal + 1);
		sum += s->v[i] > 0 ? (int64_t)ret[i] : -(int64_t)ret[i];
	}
	return sum;
}

/*
 * P(|sum| >= the one seen) if every sign were a coin's: how many of the 2^n patterns give each sum of positive ranks, by adding one
 * rank after another to the distribution.
 */
static int test(const struct sample *s, double *ret)
{
	uint32_t ranks[TA_TRIAL_PAIRS_MAX];
	int64_t seen = llabs(signed_ranks(s, ranks)), total = 0;
	double *share, p = 0;

	for (size_t i = 0; i < s->n; i++)
		total += ranks[i];
	share = calloc((size_t)total + 1, sizeof(*share));
	if (!share)
		return -ENOMEM;
	share[0] = 1;
	for (size_t i = 0, top = 0; i < s->n; top += ranks[i], i++) {
		for (size_t k = top + ranks[i] + 1; ranks[i] && k-- > 0;)
			share[k] = (k <= top ? share[k] / 2 : 0) + (k >= ranks[i] ? share[k - ranks[i]] / 2 : 0);
	}
	for (int64_t k = 0; k <= total; k++)
		if (llabs(2 * k - total) >= seen)
			p += share[k];
	free(share);
	*ret = TA_MIN(p, 1.0);
	return 0;
}

/* --- what could be seen ----------------------------------------------------------- */

/* Of n pairs: the mean must be so many standard errors away to be seen in TA_TRIAL_POWER of all trials. */
static double reach(size_t n)
{
	unsigned df = (unsigned)(n - 2 * TRIMMED(n) - 1);

	return ta_student_quantile(1 - TA_TRIAL_LEVEL / 2, df) + ta_student_quantile(TA_TRIAL_POWER, df);
}

static double smallest(double error, size_t n)
{
	return n < TA_TRIAL_PAIRS_MIN ? INFINITY : percent(reach(n) * error / sqrt((double)n));
}

size_t ta_effect_pairs_for(const struct ta_pair *pairs, size_t n, double wanted)
{
	struct sample s;
	size_t enough = TA_TRIAL_PAIRS_MIN;

	if (n < 2 || take(pairs, n, &s) < 0)
		return TA_TRIAL_PAIRS_MAX + 1;
	while (enough <= TA_TRIAL_PAIRS_MAX && smallest(s.error, enough) > fabs(wanted))
		enough++;
	free(s.v);
	return enough;
}

int ta_effect_of(const struct ta_pair *pairs, size_t n, struct ta_effect *ret)
{
	struct ta_effect e = {.p = 1, .smallest = INFINITY};
	double low, high;
	struct sample s;
	int rc = take(pairs, n, &s);

	if (rc < 0)
		return rc;
	low = high = s.mean;
	if (n > 1)
		rc = interval(&s, &low, &high);
	if (rc == 0)
		rc = test(&s, &e.p);
	e.percent = percent(s.mean);
	e.low = percent(low);
	e.high = percent(high);
	e.seen = n >= TA_TRIAL_PAIRS_MIN && e.p <= TA_TRIAL_LEVEL;
	e.smallest = smallest(s.error, n);
	free(s.v);
	if (rc == 0)
		*ret = e;
	return rc;
}
