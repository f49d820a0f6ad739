/* The statistics of trials, on many simulated ones: with skewed noise, heavy tails and drift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <math.h>
#include <cmocka.h>

#include "base/macros.h"
#include "tests/trial/noise.h"
#include "trial/stats.h"

#define PAIRS TA_TRIAL_PAIRS
#define TRIALS 100 /* of each kind */

static struct ta_effect simulate(double (*noise)(size_t round), double effect, size_t n)
{
	struct ta_pair pairs[64];
	struct ta_effect e;

	for (size_t i = 0; i < n; i++) {
		bool first = ta_trial_with_first(i);

		pairs[i] = (struct ta_pair){.with_first = first};
		pairs[i].with = 1000 * (1 + effect / 100) * exp(noise(2 * i + !first));
		pairs[i].without = 1000 * exp(noise(2 * i + first));
	}
	assert_int_equal(ta_effect_of(pairs, n, &e), 0);
	assert_true(e.low <= e.percent && e.percent <= e.high && e.p > 0 && e.p <= 1);
	return e;
}

/* Of 100 trials of nothing, at most 5 "effects": 1 is expected. */
static void test_nothing(void **state)
{
	for (size_t k = 0; k < TA_ARRAY_SIZE(noises); k++) {
		unsigned seen = 0;

		for (unsigned i = 0; i < TRIALS; i++)
			seen += simulate(noises[k].noise, 0, PAIRS).seen;
		if (seen * 100 > 5 * TRIALS)
			fail_msg("%s: %u effects of %d trials of nothing", noises[k].name, seen, TRIALS);
	}
}

/* Intervals hold the truth in 90 to 99 of 100 trials. */
static void test_intervals(void **state)
{
	static const double effects[] = {0, 5, -30};

	for (size_t k = 0; k < TA_ARRAY_SIZE(noises) * TA_ARRAY_SIZE(effects); k++) {
		double effect = effects[k / TA_ARRAY_SIZE(noises)];
		unsigned held = 0;

		for (unsigned i = 0; i < TRIALS; i++) {
			struct ta_effect e = simulate(noises[k % TA_ARRAY_SIZE(noises)].noise, effect, PAIRS);

			held += e.low <= effect && effect <= e.high;
		}
		if (held * 100 < 90 * TRIALS || held * 100 > 99 * TRIALS)
			fail_msg("%s, effect %.0f %%: %u of %d intervals hold it", noises[k % TA_ARRAY_SIZE(noises)].name, effect, held,
				TRIALS);
	}
}

/* 5 % slower is seen in 9 of 10 trials of the default length, and its sign is right. */
static void test_slower(void **state)
{
	for (size_t k = 0; k < TA_ARRAY_SIZE(noises); k++) {
		unsigned seen = 0;

		for (unsigned i = 0; i < TRIALS; i++) {
			struct ta_effect e = simulate(noises[k].noise, -5, PAIRS);

			seen += e.seen && e.percent < 0;
		}
		if (seen * 100 < 90 * TRIALS)
			fail_msg("%s: 5 %% slower is seen in %u of %d trials", noises[k].name, seen, TRIALS);
	}
}

/* The smallest effect that is told is one that is seen about so often as promised. */
static void test_smallest(void **state)
{
	double sum = 0;
	unsigned seen = 0;

	for (unsigned i = 0; i < 500; i++)
		sum += simulate(noise_normal, 0, PAIRS).smallest;
	for (unsigned i = 0; i < 500; i++)
		seen += simulate(noise_normal, sum / 500, PAIRS).seen;
	assert_in_range(seen, 400, 495);
}

static void test_pairs_for(void **state)
{
	struct ta_pair pairs[PAIRS];
	struct ta_effect e;
	size_t n;

	for (size_t i = 0; i < PAIRS; i++)
		pairs[i] = (struct ta_pair){100 * exp(noise_normal(i)), 100 * exp(noise_normal(i)), ta_trial_with_first(i)};
	assert_int_equal(ta_effect_of(pairs, PAIRS, &e), 0);
	assert_int_equal(ta_effect_pairs_for(pairs, PAIRS, e.smallest * 1.0001), PAIRS);
	n = ta_effect_pairs_for(pairs, PAIRS, e.smallest / 2);
	assert_in_range(n, 5 * PAIRS / 2, 5 * PAIRS); /* half the effect, four times the pairs */
	assert_int_equal(ta_effect_pairs_for(pairs, PAIRS, 1e-9), TA_TRIAL_PAIRS_MAX + 1);
}

static void test_edges(void **state)
{
	struct ta_pair same[8], twice[8], bad[][2] = {{{1, 1, false}, {1, 0, false}}, {{1, INFINITY, false}, {1, 1, false}},
		{{NAN, 1, false}, {1, 1, false}}, {{1, 1, false}, {-1, 1, false}}};
	struct ta_effect e;

	for (size_t i = 0; i < 8; i++) {
		same[i] = (struct ta_pair){1, 1, ta_trial_with_first(i)};
		twice[i] = (struct ta_pair){1, 2, ta_trial_with_first(i)};
	}
	assert_int_equal(ta_effect_of(same, 0, &e), -EINVAL);
	assert_int_equal(ta_effect_of(same, TA_TRIAL_PAIRS_MAX + 1, &e), -EINVAL);
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++)
		assert_int_equal(ta_effect_of(bad[i], 2, &e), -EINVAL);
	assert_int_equal(ta_effect_of(same, 8, &e), 0);
	assert_true(!e.seen && e.percent == 0 && e.low == 0 && e.high == 0 && e.p == 1 && e.smallest == 0);
	assert_int_equal(ta_effect_of(twice, 8, &e), 0);
	assert_true(e.seen && fabs(e.percent - 100) < 1e-9 && e.p == 1.0 / 128);
	/* So few that nothing could ever be seen. */
	assert_int_equal(ta_effect_of(twice, 7, &e), 0);
	assert_true(!e.seen && isinf(e.smallest));
	assert_int_equal(ta_effect_of(twice, 1, &e), 0);
	assert_true(!e.seen && e.p == 1 && isinf(e.smallest));
}

/* Tables of Abramowitz & Stegun, 26.10. */
static void test_student(void **state)
{
	static const struct {
		double p;
		unsigned df;
		double want;
	} cases[] = {{0.975, 1, 12.706}, {0.975, 2, 4.303}, {0.975, 7, 2.365}, {0.995, 10, 3.169}, {0.9, 11, 1.363}, {0.995, 120, 2.617}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++)
		assert_true(fabs(ta_student_quantile(cases[i].p, cases[i].df) - cases[i].want) < 0.0006);
}

static void test_order(void **state)
{
	int line = 0, bend = 0, first = 0;

	for (int pair = 0; pair < 8; pair++) {
		int sign = ta_trial_with_first((size_t)pair) ? 1 : -1;

		first += sign;
		line += sign * pair;
		bend += sign * pair * pair;
	}
	assert_int_equal(first, 0);
	assert_int_equal(line, 0);
	assert_true(bend >= -32 && bend <= 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_slower),
		cmocka_unit_test(test_smallest),
		cmocka_unit_test(test_pairs_for),
		cmocka_unit_test(test_edges),
		cmocka_unit_test(test_student),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
