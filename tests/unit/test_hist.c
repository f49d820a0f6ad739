/* Latency histograms: error bound, percentiles against sorted values, merging, the printed form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "load/hist.h"

static uint64_t seed = 88172645463325252u;

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* Of any magnitude, so that every bucket size is met. */
static uint64_t any_value(void)
{
	return (rnd() >> (24 + rnd() % 39)) % TA_HIST_MAX;
}

static void test_buckets(void **state)
{
	for (unsigned i = 0; i + 1 < TA_HIST_BUCKETS; i++) {
		uint64_t low = ta_hist_bucket_low(i), high = ta_hist_bucket_high(i);

		assert_int_equal(ta_hist_bucket(low), i);
		assert_int_equal(ta_hist_bucket(high), i);
		assert_int_equal(ta_hist_bucket(high + 1), i + 1);
		assert_true((high - low) * TA_HIST_STEPS <= low);
	}
	assert_int_equal(ta_hist_bucket(TA_HIST_MAX), TA_HIST_BUCKETS - 1);
	assert_int_equal(ta_hist_bucket(UINT64_MAX), TA_HIST_BUCKETS - 1);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Never below the true value, and above it by no more than the bound. */
static void test_percentiles(void **state)
{
	static const double percents[] = {0, 1, 25, 50, 75, 90, 99, 99.9, 99.99, 100};
	static uint64_t values[5000];
	struct ta_hist *h = malloc(sizeof(*h));

	for (unsigned round = 0; round < 20; round++) {
		size_t n = 1 + rnd() % 5000;

		ta_hist_reset(h);
		for (size_t i = 0; i < n; i++)
			ta_hist_add(h, values[i] = any_value());
		qsort(values, n, sizeof(*values), by_value);
		for (size_t i = 0; i < TA_ARRAY_SIZE(percents); i++) {
			size_t rank = (size_t)(percents[i] / 100 * (double)n + 0.999999);
			uint64_t want = values[rank ? TA_MIN(rank, n) - 1 : 0], is = ta_hist_percentile(h, percents[i]);

			assert_true(is >= want);
			assert_true((double)is <= (double)want * (1 + 1.0 / TA_HIST_STEPS) + 1);
		}
		assert_int_equal(ta_hist_percentile(h, 100), values[n - 1]);
		assert_int_equal(h->max, values[n - 1]);
		assert_int_equal(h->min, values[0]);
	}
	free(h);
}

static void test_merge(void **state)
{
	struct ta_hist *parts = calloc(4, sizeof(*parts)), *whole = &parts[3];

	for (unsigned i = 0; i < 4; i++)
		ta_hist_reset(&parts[i]);
	for (unsigned i = 0; i < 3000; i++) {
		uint64_t v = any_value();

		ta_hist_add(&parts[i % 2], v);
		ta_hist_add(whole, v);
	}
	ta_hist_merge(&parts[0], &parts[1]);
	ta_hist_merge(&parts[0], &parts[2]);
	assert_int_equal(parts[0].n, whole->n);
	assert_int_equal(parts[0].max, whole->max);
	assert_int_equal(parts[0].min, whole->min);
	assert_memory_equal(parts[0].count, whole->count, sizeof(whole->count));
	free(parts);
}

static void test_empty(void **state)
{
	struct ta_hist *h = malloc(sizeof(*h));

	ta_hist_reset(h);
	assert_int_equal(ta_hist_percentile(h, 99), 0);
	assert_true(ta_hist_mean(h) == 0 && ta_hist_stddev(h) == 0);
	ta_hist_add(h, UINT64_MAX);
	assert_true(ta_hist_percentile(h, 50) == UINT64_MAX);
	free(h);
}

/* Percentiles rise, counts rise, the last line is all of them. */
static void test_hgrm(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_hist *h = malloc(sizeof(*h));
	const char *line;

	ta_hist_reset(h);
	for (uint64_t i = 1; i <= 1000; i++)
		ta_hist_add(h, i * 1000000);
	ta_hist_print_hgrm(h, &b);
	line = strstr(ta_buf_text(&b), "1/(1-Percentile)\n\n");
	assert_non_null(line);
	assert_non_null(strstr(line, "    1000.000 1.000000000000       1000            inf\n"));
	assert_non_null(strstr(line, "#[Mean    =      500.500, StdDeviation   =      288.675]\n"));
	assert_non_null(strstr(line, "#[Max     =     1000.000, Total count    =         1000]\n"));
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_buckets),
		cmocka_unit_test(test_percentiles),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_hgrm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
