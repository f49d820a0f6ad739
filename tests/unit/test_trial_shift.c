/* Before and after a change: on many simulated comparisons, with skewed noise, outliers and hosts that drift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <cmocka.h>

#include "base/macros.h"
#include "tests/trial/noise.h"
#include "trial/shift.h"

#define N 12 /* of each */
#define COMPARISONS 400

static double noise_outliers(size_t round)
{
	return uniform() < 0.1 ? -0.3 : 0.02 * normal();
}

static double noise_slower(size_t round) /* 0.1 % a round */
{
	return -0.001 * (double)round + 0.02 * normal();
}

static const struct {
	const char *name;
	double (*noise)(size_t round);
} series_noises[] = {{"normal", noise_normal}, {"skewed", noise_skewed}, {"outliers", noise_outliers}, {"drift", noise_slower}};

static struct ta_shift simulate(double (*noise)(size_t round), double effect)
{
	double before[N], after[N];
	struct ta_shift s;

	for (unsigned i = 0; i < N; i++)
		before[i] = 5000 * exp(noise(i));
	for (unsigned i = 0; i < N; i++)
		after[i] = 5000 * (1 + effect / 100) * exp(noise(N + i));
	assert_int_equal(ta_shift_of(before, N, after, N, &s), 0);
	assert_true(s.low < s.percent && s.percent < s.high && s.smallest > 0);
	assert_int_equal(s.seen, s.low > 0 || s.high < 0);
	return s;
}

/* Of 100 comparisons of nothing at most two say something; where the host drifts, at most five. */
static void test_nothing(void **state)
{
	for (size_t k = 0; k < TA_ARRAY_SIZE(series_noises); k++) {
		unsigned seen = 0;

		for (unsigned i = 0; i < COMPARISONS; i++)
			seen += simulate(series_noises[k].noise, 0).seen;
		if (seen * 100 > (k == 3 ? 5 : 2) * COMPARISONS)
			fail_msg("%s: %u of %d comparisons of nothing say something", series_noises[k].name, seen, COMPARISONS);
	}
}

/* 10 % slower is seen in nine of ten, in eight where one measurement in ten is far off; and is never taken for faster. */
static void test_slower(void **state)
{
	for (size_t k = 0; k < TA_ARRAY_SIZE(series_noises); k++) {
		unsigned seen = 0;

		for (unsigned i = 0; i < COMPARISONS; i++) {
			struct ta_shift s = simulate(series_noises[k].noise, -10);

			assert_true(!s.seen || s.percent < 0);
			seen += s.seen;
		}
		if (seen * 100 < (k == 2 ? 80 : 90) * COMPARISONS)
			fail_msg("%s: 10 %% slower is seen in %u of %d", series_noises[k].name, seen, COMPARISONS);
	}
}

/* The intervals hold the truth in 95 of 100 and more: they allow for what a host does meanwhile. */
static void test_intervals(void **state)
{
	static const double effects[] = {0, 8, -25};

	for (size_t k = 0; k < TA_ARRAY_SIZE(series_noises) * TA_ARRAY_SIZE(effects); k++) {
		double effect = effects[k / TA_ARRAY_SIZE(series_noises)];
		unsigned held = 0;

		for (unsigned i = 0; i < COMPARISONS; i++) {
			struct ta_shift s = simulate(series_noises[k % TA_ARRAY_SIZE(series_noises)].noise, effect);

			held += s.low <= effect && effect <= s.high;
		}
		if (held * 100 < 95 * COMPARISONS)
			fail_msg("%s, %.0f %%: %u of %d intervals hold it", series_noises[k % TA_ARRAY_SIZE(series_noises)].name, effect, held,
				COMPARISONS);
	}
}

/* The same values in an order that drifts say less. */
static void test_order_counts(void **state)
{
	static const double mixed[] = {100, 104, 101, 107, 102, 108, 103, 106, 105}, risen[] = {100, 101, 102, 103, 104, 105, 106, 107, 108};
	double after[9];
	struct ta_shift a, b;

	for (size_t i = 0; i < 9; i++)
		after[i] = mixed[i] * 1.12;
	assert_int_equal(ta_shift_of(mixed, 9, after, 9, &a), 0);
	assert_int_equal(ta_shift_of(risen, 9, after, 9, &b), 0);
	assert_true(fabs(a.percent - 12) < 1e-9 && fabs(b.percent - 12) < 1e-9);
	assert_true(a.seen);
	assert_true(b.high - b.low > 1.2 * (a.high - a.low));
}

static void test_edges(void **state)
{
	static const double same[] = {7, 7, 7, 7, 7}, twice[] = {14, 14, 14, 14, 14}, zero[] = {7, 7, 0, 7, 7}, none[] = {7, 7, NAN, 7, 7},
		endless[] = {7, 7, INFINITY, 7, 7};
	struct ta_shift s;

	assert_int_equal(ta_shift_of(same, 4, same, 5, &s), -EINVAL);
	assert_int_equal(ta_shift_of(same, 5, same, 4, &s), -EINVAL);
	assert_int_equal(ta_shift_of(same, TA_SHIFT_MAX + 1, same, 5, &s), -EINVAL);
	assert_int_equal(ta_shift_of(same, 5, zero, 5, &s), -EINVAL);
	assert_int_equal(ta_shift_of(none, 5, same, 5, &s), -EINVAL);
	assert_int_equal(ta_shift_of(endless, 5, same, 5, &s), -EINVAL);
	assert_int_equal(ta_shift_of(same, 5, same, 5, &s), 0);
	assert_true(!s.seen && s.percent == 0 && s.smallest > 1);
	assert_int_equal(ta_shift_of(same, 5, twice, 5, &s), 0);
	assert_true(s.seen && fabs(s.percent - 100) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_slower),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_order_counts),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
