/*
 * Trials without a host: what several measures say together, when a load is steady, what counts as a disturbance.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "trial/trial.h"

#define N 16

/* --- verdicts -------------------------------------------------------------------------- */

/* Pairs whose ratio is `ratio` with a little noise of either sign; `turned` of them point the other way. */
static void fill(struct ta_pair *p, double ratio, size_t turned)
{
	for (size_t i = 0; i < N; i++) {
		double noise = 1 + 0.0001 * (double)(i + 1);

		p[i] = (struct ta_pair){100, 100 * (i < turned ? 1 / ratio : ratio) * noise, ta_trial_with_first(i)};
	}
}

static struct ta_trial_unit judged(struct ta_pair pairs[TA_TRIAL_MEASURES][N])
{
	struct ta_trial_unit u = {.n_pairs = N};

	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++)
		u.pairs[m] = pairs[m];
	assert_int_equal(ta_trial_judge(&u), 0);
	return u;
}

static void no_effect(struct ta_pair pairs[TA_TRIAL_MEASURES][N])
{
	for (unsigned m = 0; m < TA_TRIAL_MEASURES; m++)
		for (size_t i = 0; i < N; i++)
			pairs[m][i] = (struct ta_pair){100, i % 2 ? 101 + (double)i / 10 : 99 - (double)i / 10, ta_trial_with_first(i)};
}

static void test_verdicts(void **state)
{
	struct ta_pair pairs[TA_TRIAL_MEASURES][N];
	struct ta_trial_unit u;

	no_effect(pairs);
	assert_int_equal(judged(pairs).verdict, TA_TRIAL_NO_EFFECT);

	fill(pairs[TA_TRIAL_THROUGHPUT], 1.1, 0);
	u = judged(pairs);
	assert_int_equal(u.verdict, TA_TRIAL_IMPROVED);
	assert_true(u.seen[TA_TRIAL_THROUGHPUT] && !u.seen[TA_TRIAL_P99]);
	assert_true(u.effect[TA_TRIAL_THROUGHPUT].percent > 9 && u.effect[TA_TRIAL_THROUGHPUT].percent < 11);

	fill(pairs[TA_TRIAL_P99], 1.5, 0); /* faster, but the tail is longer */
	u = judged(pairs);
	assert_int_equal(u.verdict, TA_TRIAL_WORSE);
	assert_true(u.seen[TA_TRIAL_THROUGHPUT] && u.seen[TA_TRIAL_P99]);

	no_effect(pairs);
	fill(pairs[TA_TRIAL_P50], 0.8, 0);
	assert_int_equal(judged(pairs).verdict, TA_TRIAL_IMPROVED);
	fill(pairs[TA_TRIAL_P50], 1.2, 0);
	assert_int_equal(judged(pairs).verdict, TA_TRIAL_WORSE);
	no_effect(pairs);
	fill(pairs[TA_TRIAL_CPU], 0.8, 0);
	assert_int_equal(judged(pairs).verdict, TA_TRIAL_IMPROVED);
	no_effect(pairs);
	fill(pairs[TA_TRIAL_THROUGHPUT], 0.9, 0);
	assert_int_equal(judged(pairs).verdict, TA_TRIAL_WORSE);
}

/* One of four measures alone has to pass a quarter of the level. */
static void test_four_measures_have_one_level(void **state)
{
	struct ta_pair pairs[TA_TRIAL_MEASURES][N];
	struct ta_trial_unit u;
	unsigned between = 0;

	no_effect(pairs);
	for (size_t turned = 0; turned < 6; turned++) {
		double p;

		fill(pairs[TA_TRIAL_P99], 0.9, turned);
		u = judged(pairs);
		p = u.effect[TA_TRIAL_P99].p;
		assert_int_equal(u.seen[TA_TRIAL_P99], p <= TA_TRIAL_LEVEL / TA_TRIAL_MEASURES);
		between += p > TA_TRIAL_LEVEL / TA_TRIAL_MEASURES && p <= TA_TRIAL_LEVEL;
	}
	assert_true(between > 0); /* or this would prove nothing */
	fill(pairs[TA_TRIAL_P99], 0.9, 0);
	assert_true(judged(pairs).seen[TA_TRIAL_P99]);
}

static void test_what_could_be_seen(void **state)
{
	struct ta_pair pairs[TA_TRIAL_MEASURES][N];
	struct ta_trial_unit u;

	no_effect(pairs);
	u = judged(pairs);
	assert_true(isfinite(u.smallest));
	assert_true(u.smallest > u.effect[TA_TRIAL_THROUGHPUT].smallest); /* since there are four */
	assert_true(u.smallest < 1.5 * u.effect[TA_TRIAL_THROUGHPUT].smallest);

	for (size_t i = 0; i < N; i++) /* streams have no latencies */
		pairs[TA_TRIAL_P50][i].with = pairs[TA_TRIAL_P99][i].without = 0;
	u = judged(pairs);
	assert_true(u.has[TA_TRIAL_THROUGHPUT] && !u.has[TA_TRIAL_P50] && !u.has[TA_TRIAL_P99]);

	for (u.n_pairs = N; --u.n_pairs;) { /* one that ended early is judged by what there is */
		assert_int_equal(ta_trial_judge(&u), 0);
		assert_true(u.has[TA_TRIAL_THROUGHPUT]);
		assert_int_equal(isfinite(u.smallest), u.n_pairs >= TA_TRIAL_PAIRS_MIN);
	}
	u.n_pairs = 0;
	assert_int_equal(ta_trial_judge(&u), 0);
	assert_int_equal(u.verdict, TA_TRIAL_CANNOT_SHOW);
	assert_true(isinf(u.smallest));
}

/* --- until it is steady ------------------------------------------------------------------ */

struct script {
	const double *v;
	unsigned n, at, fails_at;
	double others;
};

static int play(void *ctx, struct ta_trial_round *ret, struct ta_err *err)
{
	struct script *s = ctx;

	if (s->fails_at && s->at + 1 == s->fails_at)
		return ta_err_set(err, -ECONNREFUSED, "gone");
	*ret = (struct ta_trial_round){.path = "loopback", .unit = "requests", .env.others = s->others};
	ret->value[TA_TRIAL_THROUGHPUT] = s->v[TA_MIN(s->at, s->n - 1)];
	s->at++;
	return 0;
}

static int calm(struct script *s, struct ta_trial_calm *ret, struct ta_err *err)
{
	static const volatile sig_atomic_t never;
	const struct ta_trial_load l = {.measure = play, .ctx = s, .stop = &never};

	*err = (struct ta_err){0};
	return ta_trial_calm(NULL, &l, ret, err);
}

static void test_steady(void **state)
{
	struct script s = {.v = (const double[]){60, 90, 100, 101, 99}, .n = 5};
	struct ta_trial_calm c;
	struct ta_err err;

	assert_int_equal(calm(&s, &c, &err), 0);
	assert_int_equal(c.rounds, 5); /* not before three are alike */
	assert_string_equal(c.path, "loopback");
	assert_int_equal(c.warnings.n, 0);
	assert_true(fabs(c.spread - 2.0 / 99) < 1e-9);
	ta_trial_calm_done(&c);
}

static void test_never_steady(void **state)
{
	struct script sinks = {.v = (const double[]){100, 90, 80, 70, 60, 50, 45, 40, 35, 30, 25, 20}, .n = 12};
	struct script rises = {.v = (const double[]){20, 21, 30, 45, 40, 50, 55, 70, 65, 80, 90, 95}, .n = 12, .others = 0.9};
	struct script wild = {.v = (const double[]){100, 30, 100, 30, 100, 30, 100, 30, 100, 30, 100, 30}, .n = 12};
	struct script noisy = wild, rough = {.v = (const double[]){100, 80, 100, 80, 100, 80, 100, 80, 100, 80, 100, 80}, .n = 12};
	struct script dies = {.v = (const double[]){100, 70, 100}, .n = 3, .fails_at = 3};
	struct ta_trial_calm c;
	struct ta_err err;

	assert_int_equal(calm(&sinks, &c, &err), -ETIME);
	assert_non_null(strstr(err.text, "goes from 60 to 20"));
	assert_int_equal(sinks.at, 12);
	ta_trial_calm_done(&c);

	assert_int_equal(calm(&rises, &c, &err), -ETIME); /* whatever others do */
	ta_trial_calm_done(&c);

	assert_int_equal(calm(&wild, &c, &err), -ETIME);
	assert_non_null(strstr(err.text, "nothing else"));
	ta_trial_calm_done(&c);

	noisy.others = 0.5; /* then it is the host, and that is said */
	assert_int_equal(calm(&noisy, &c, &err), 0);
	assert_int_equal(c.warnings.n, 1);
	assert_non_null(strstr(c.warnings.v[0], "50 %"));
	ta_trial_calm_done(&c);

	assert_int_equal(calm(&rough, &c, &err), 0);
	ta_trial_calm_done(&c);

	assert_int_equal(calm(&dies, &c, &err), -ECONNREFUSED);
	assert_string_equal(err.text, "gone");
	ta_trial_calm_done(&c);
}

/* --- disturbances ---------------------------------------------------------------------------- */

static void disturbed(struct ta_trial_env now, const char *why)
{
	const struct ta_trial_env usual = {.others = 0.2, .steal = 0.01, .io = 0.3, .mhz = 2000};
	ta_cleanup_buf struct ta_buf said = TA_BUF_INIT;

	assert_int_equal(ta_trial_env_disturbed(&now, &usual, false, &said), why != NULL);
	if (why)
		assert_non_null(strstr(ta_buf_text(&said), why));
	assert_int_equal(ta_trial_env_disturbed(&now, &usual, false, NULL), why != NULL);
}

static void test_disturbances(void **state)
{
	disturbed((struct ta_trial_env){.others = 0.2, .steal = 0.01, .io = 0.3, .mhz = 2000}, NULL);
	disturbed((struct ta_trial_env){.others = 0.29, .steal = 0.03, .memory = 0.01, .io = 0.4, .mhz = 2050}, NULL);
	disturbed((struct ta_trial_env){.others = 0.31, .mhz = 2000}, "other programs used 31 % of the CPUs, not 20 %");
	disturbed((struct ta_trial_env){.steal = 0.05, .mhz = 2000}, "the hypervisor took 5 %");
	disturbed((struct ta_trial_env){.memory = 0.05, .mhz = 2000}, "waited for memory");
	disturbed((struct ta_trial_env){.io = 0.5, .mhz = 2000}, "waited for disks");
	disturbed((struct ta_trial_env){.mhz = 1800}, "1800 MHz, not 2000");
	disturbed((struct ta_trial_env){.mhz = 2200}, "2200 MHz");
	disturbed((struct ta_trial_env){.mhz = 0}, NULL); /* it is not told */
	disturbed((struct ta_trial_env){.mhz = 2000, .throttled = 1}, "too hot");
	/* What a change does to the clock is its effect; heat is not. */
	assert_false(ta_trial_env_disturbed(&(struct ta_trial_env){.mhz = 800}, &(struct ta_trial_env){.mhz = 2000}, true, NULL));
	assert_true(ta_trial_env_disturbed(&(struct ta_trial_env){.mhz = 800, .throttled = 1}, &(struct ta_trial_env){.mhz = 2000}, true, NULL));
}

static void test_usual_and_warnings(void **state)
{
	const struct ta_trial_env v[] = {{.others = 0.9, .mhz = 1000}, {.others = 0.1, .mhz = 2000}, {.others = 0.2, .mhz = 2000}};
	const struct ta_trial_env quiet[] = {{.others = 0.02, .mhz = 2000}, {.others = 0.03, .mhz = 2010}};
	struct ta_strv said = TA_STRV_INIT;
	struct ta_trial_env usual;

	ta_trial_env_usual(v, 3, &usual);
	assert_true(usual.others == 0.2 && usual.mhz == 2000);
	ta_trial_env_warn(v, 3, &said);
	assert_int_equal(said.n, 2);
	assert_non_null(strstr(said.v[0], "20 %"));
	assert_non_null(strstr(said.v[1], "clocks move by 100 %"));
	ta_strv_done(&said);
	ta_trial_env_warn(quiet, 2, &said);
	assert_int_equal(said.n, 0);
	ta_strv_done(&said);
}

/* --- sums ---------------------------------------------------------------------------------------- */

static void test_rounds_add_up(void **state)
{
	struct ta_trial_round *a = calloc(1, sizeof(*a)), *b = calloc(1, sizeof(*b));

	assert_true(a && b);
	ta_hist_reset(&a->hist);
	ta_hist_reset(&b->hist);
	assert_true(ta_trial_softirq_top(a) == 0);
	ta_hist_add(&b->hist, 1000);
	b->replies = 5;
	b->counts[TA_TRIAL_OVERFLOWS] = 7;
	b->softirq[0] = 30;
	b->softirq[1] = 10;
	ta_trial_round_add(a, b);
	ta_trial_round_add(a, b);
	assert_int_equal(a->replies, 10);
	assert_int_equal(a->counts[TA_TRIAL_OVERFLOWS], 14);
	assert_int_equal(a->hist.n, 2);
	assert_true(ta_trial_softirq_top(a) == 0.75);
	free(a);
	free(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_four_measures_have_one_level),
		cmocka_unit_test(test_what_could_be_seen),
		cmocka_unit_test(test_steady),
		cmocka_unit_test(test_never_steady),
		cmocka_unit_test(test_disturbances),
		cmocka_unit_test(test_usual_and_warnings),
		cmocka_unit_test(test_rounds_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
