/*
 * Two readings of counters make rates; what is no counter, went backwards or was not read has none.
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

#include "facts/rates.h"
#include "probe/collect.h"

#define COUNTER(p) {p, TA_T_INT, "packets", "m", TA_F_VOLATILE, {{0}}}

static const struct ta_field fields[] = {
	COUNTER("counters.a.one"),
	COUNTER("counters.a.two"),
	COUNTER("counters.nic.*.rx"),
	{"counters.a.narrow", TA_T_INT, "", "m", TA_F_VOLATILE | TA_F_WRAPS32, {{0}}},
	{"counters.a.level", TA_T_INT, "", "m", TA_F_VOLATILE | TA_F_LEVEL, {{0}}},
	{"counters.a.limit", TA_T_INT, "", "m", 0, {{0}}},
	{"counters.a.by_cpu", TA_T_INTS, "", "m", TA_F_VOLATILE, {{0}}},
	{"counters.a.cpus", TA_T_INTS, "", "m", TA_F_VOLATILE | TA_F_CPUS, {{0}}},
	{"cpu.ticks", TA_T_INT, "", "m", TA_F_VOLATILE, {{0}}},
};
static const struct ta_table table = {"count", fields, TA_ARRAY_SIZE(fields)};

struct readings {
	struct ta_schema *schema;
	struct ta_facts *before, *after;
};

static int setup(void **state)
{
	static struct readings r;
	struct ta_err err;

	r = (struct readings){.before = ta_facts_new(), .after = ta_facts_new()};
	assert_int_equal(ta_schema_new(&table, 1, &r.schema, &err), 0);
	assert_int_equal(ta_schema_add_rates(r.schema, "counters", "rates", &err), 0);
	*state = &r;
	return 0;
}

static int teardown(void **state)
{
	struct readings *r = *state;

	ta_facts_free(r->before);
	ta_facts_free(r->after);
	ta_schema_free(r->schema);
	return 0;
}

static void assert_rate(struct ta_facts *f, const char *path, double wanted)
{
	double got = -1;

	assert_true(ta_rates_of(f, path, &got));
	assert_true(fabs(got - wanted) < 1e-9);
}

static void assert_no_rate(struct ta_facts *f, const char *counter, const char *rate, enum ta_reason why, const char *word)
{
	struct ta_absence a = ta_facts_absence(f, rate);
	double got;

	assert_false(ta_rates_of(f, counter, &got));
	assert_int_equal(a.reason, why);
	assert_non_null(strstr(a.detail, word));
}

static void test_rows_are_made_of_the_counters(void **state)
{
	struct readings *r = *state;
	const struct ta_schema_node *n = ta_schema_find(r->schema, TA_KEYS("rates", "nic", "eth0.5", "rx"));
	struct ta_err err;

	assert_non_null(n);
	assert_int_equal(ta_schema_type(n), TA_T_REAL);
	assert_string_equal(ta_schema_owner(n), "count");
	assert_string_equal(ta_schema_field(n)->path, "rates.nic.*.rx");
	assert_string_equal(ta_schema_field(n)->unit, "packets/s");
	assert_non_null(strstr(ta_schema_field(n)->meaning, "counters.nic.*.rx"));
	assert_null(ta_schema_find(r->schema, TA_KEYS("rates", "a", "level")));
	assert_null(ta_schema_find(r->schema, TA_KEYS("rates", "a", "limit")));
	assert_int_equal(ta_schema_type(ta_schema_find(r->schema, TA_KEYS("rates", "a", "by_cpu"))), TA_T_INTS);
	assert_null(ta_schema_find(r->schema, TA_KEYS("rates", "a", "cpus")));
	assert_null(ta_schema_find(r->schema, TA_KEYS("rates", "ticks")));
	assert_int_equal(ta_schema_add_rates(r->schema, "counters", "cpu", &err), -EINVAL);
}

static double rate_of(struct readings *r, uint64_t before, uint64_t after)
{
	double got = -1;

	ta_put_u64(r->before, before, "counters", "a", "narrow");
	ta_put_u64(r->after, after, "counters", "a", "narrow");
	ta_rates_put(r->after, r->schema, r->before, 2);
	return ta_rates_of(r->after, "counters.a.narrow", &got) ? got : -1;
}

/* 32 bits wide, or a sum of such: where it begins again at 0 the difference still counts. */
static void test_counters_that_wrap(void **state)
{
	struct readings *r = *state;

	assert_true(rate_of(r, 100, 124) == 12);
	assert_true(rate_of(r, UINT32_MAX - 9, 10) == 10);
	/* Two CPUs: one at its end, one far above; their sum falls by 2^32 - 20. */
	assert_true(rate_of(r, UINT64_C(4294967286) + 4000000000, UINT64_C(6) + 4000000004) == 10);
	assert_true(rate_of(r, UINT32_MAX, 0) == 0.5);
	/* Reset, or a CPU less: no rate, and no four thousand millions either. */
	assert_true(rate_of(r, 5000, 0) == -1);
	assert_no_rate(r->after, "counters.a.narrow", "rates.a.narrow", TA_MALFORMED, "backwards");
}

static void test_differences_per_second(void **state)
{
	struct readings *r = *state;
	struct ta_err err;

	ta_put_i64(r->before, 100, "counters", "a", "one");
	ta_put_i64(r->after, 124, "counters", "a", "one");
	ta_put_u64(r->before, UINT64_MAX - 1, "counters", "a", "two");
	ta_put_u64(r->after, UINT64_MAX, "counters", "a", "two");
	ta_put_i64(r->before, 5, "counters", "nic", "eth0.5", "rx");
	ta_put_i64(r->after, 5, "counters", "nic", "eth0.5", "rx");
	ta_put_i64(r->before, 5, "counters", "a", "level");
	ta_put_i64(r->after, 9, "counters", "a", "level");
	ta_rates_put(r->after, r->schema, r->before, 60);
	assert_rate(r->after, "counters.a.one", 0.4);
	assert_rate(r->after, "counters.a.two", 0.017);
	assert_rate(r->after, "counters.nic[\"eth0.5\"].rx", 0);
	assert_null(ta_facts_at(r->after, TA_KEYS("rates", "a", "level")));
	assert_int_equal(ta_schema_validate(r->schema, r->after, &err), 0);
}

static void put_list(struct ta_facts *f, const int64_t *v, size_t n)
{
	ta_facts_put_ints(f, TA_KEYS("counters", "a", "by_cpu"), v, n);
}

static void test_lists_have_a_rate_for_each(void **state)
{
	struct readings *r = *state;
	struct ta_absence why;
	int64_t *got = NULL;
	struct ta_err err;
	size_t n;

	put_list(r->before, (int64_t[]){100, 7, 5}, 3);
	put_list(r->after, (int64_t[]){124, 7, 26}, 3);
	ta_rates_put(r->after, r->schema, r->before, 2);
	assert_true(ta_facts_get_ints(r->after, TA_KEYS("rates", "a", "by_cpu"), &got, &n));
	assert_int_equal(n, 3);
	assert_int_equal(got[0], 12);
	assert_int_equal(got[1], 0);
	assert_int_equal(got[2], 11);
	free(got);
	assert_int_equal(ta_schema_validate(r->schema, r->after, &err), 0);
	/* A CPU less, and a counter that began anew. */
	put_list(r->after, (int64_t[]){124, 8}, 2);
	ta_rates_put(r->after, r->schema, r->before, 2);
	why = ta_facts_absence(r->after, "rates.a.by_cpu");
	assert_null(ta_facts_at(r->after, TA_KEYS("rates", "a", "by_cpu")));
	assert_int_equal(why.reason, TA_MISSING);
	put_list(r->after, (int64_t[]){124, 8, 4}, 3);
	ta_rates_put(r->after, r->schema, r->before, 2);
	assert_int_equal(ta_facts_absence(r->after, "rates.a.by_cpu").reason, TA_MALFORMED);
}

static void test_backwards_is_malformed(void **state)
{
	struct readings *r = *state;

	ta_put_i64(r->before, 4294967290, "counters", "a", "one");
	ta_put_i64(r->after, 3, "counters", "a", "one");
	ta_rates_put(r->after, r->schema, r->before, 1);
	assert_no_rate(r->after, "counters.a.one", "rates.a.one", TA_MALFORMED, "from 4294967290 to 3");
}

static void test_one_reading_is_no_rate(void **state)
{
	struct readings *r = *state;

	/* An interface that came, one that went, a file that may not be read. */
	ta_put_i64(r->after, 3, "counters", "nic", "new", "rx");
	ta_put_i64(r->before, 3, "counters", "nic", "old", "rx");
	ta_facts_put_absent(r->after, TA_KEYS("counters", "a"), TA_DENIED, "not permitted");
	ta_facts_put_absent(r->after, TA_KEYS("counters", "nic", "eth0.5", "rx"), TA_UNSUPPORTED, "the driver");
	ta_facts_put_absent(r->after, TA_KEYS("cpu", "ticks"), TA_DENIED, "not permitted");
	ta_rates_put(r->after, r->schema, r->before, 1);
	assert_no_rate(r->after, "counters.nic.new.rx", "rates.nic.new.rx", TA_MISSING, "only the second");
	assert_no_rate(r->after, "counters.nic.old.rx", "rates.nic.old.rx", TA_MISSING, "");
	assert_no_rate(r->after, "counters.a.one", "rates.a.one", TA_DENIED, "not permitted");
	assert_no_rate(r->after, "counters.nic[\"eth0.5\"].rx", "rates.nic[\"eth0.5\"].rx", TA_UNSUPPORTED, "driver");
}

static void test_only_counters_have_rates(void **state)
{
	struct readings *r = *state;
	double got;

	ta_put_i64(r->before, 1, "counters", "a", "one");
	ta_put_i64(r->after, 2, "counters", "a", "one");
	ta_rates_put(r->after, r->schema, r->before, 1);
	assert_false(ta_rates_of(r->after, "countersx.a.one", &got));
	assert_false(ta_rates_of(r->after, "cpu.a.one", &got));
	assert_false(ta_rates_of(r->after, "counters", &got));
	assert_false(ta_rates_of(r->after, "counters.a", &got));
	assert_false(ta_rates_of(r->after, "counters.a.one.more", &got));
	assert_false(ta_rates_of(r->after, "", &got));
}

/* --- collecting ---------------------------------------------------------------------------- */

static int count_pause(void *ctx)
{
	++*(int *)ctx;
	return 0;
}

static int fail_pause(void *ctx)
{
	return -EINTR;
}

struct collected {
	struct ta_schema *schema;
	struct ta_host *host;
	struct ta_facts *facts;
	struct ta_strv owners;
};

static void collected_done(struct collected *c)
{
	ta_facts_free(c->facts);
	ta_host_free(c->host);
	ta_schema_free(c->schema);
	ta_strv_done(&c->owners);
}

static int collect(struct collected *c, const char *owner, int (*pause)(void *), void *ctx)
{
	struct ta_sampling sampling = {.pause = pause, .ctx = ctx};
	struct ta_err err;

	assert_int_equal(ta_collect_schema(&c->schema, &err), 0);
	assert_int_equal(ta_host_live(&c->host, &err), 0);
	ta_strv_add(&c->owners, owner);
	sampling.schema = c->schema;
	return ta_collect(c->host, &c->owners, pause ? &sampling : NULL, &c->facts, &err);
}

static void test_sampling_pauses_once_and_gives_rates(void **state)
{
	ta_cleanup(collected_done) struct collected c = {0};
	double rate;
	int pauses = 0;
	struct ta_err err;

	assert_int_equal(collect(&c, "nic_counters", count_pause, &pauses), 0);
	assert_int_equal(pauses, 1);
	assert_true(ta_rates_of(c.facts, "counters.nic.lo.rx_packets", &rate));
	assert_true(rate >= 0);
	assert_int_equal(ta_schema_validate(c.schema, c.facts, &err), 0);
}

static void test_nobody_waits_where_nothing_counts(void **state)
{
	ta_cleanup(collected_done) struct collected c = {0};
	int pauses = 0;

	assert_int_equal(collect(&c, "memory", count_pause, &pauses), 0);
	assert_int_equal(pauses, 0);
	assert_int_equal(ta_facts_absence(c.facts, "rates.nic").reason, TA_NOT_ASKED);
}

static void test_without_sampling_rates_are_not_asked(void **state)
{
	ta_cleanup(collected_done) struct collected c = {0};

	assert_int_equal(collect(&c, "nic_counters", NULL, NULL), 0);
	assert_no_rate(c.facts, "counters.nic.lo.rx_packets", "rates.nic.lo.rx_packets", TA_NOT_ASKED, "--sample SECONDS");
}

static void test_a_pause_that_fails_ends_it(void **state)
{
	ta_cleanup(collected_done) struct collected c = {0};

	assert_int_equal(collect(&c, "nic_counters", fail_pause, NULL), -EINTR);
	assert_null(c.facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_rows_are_made_of_the_counters, setup, teardown),
		cmocka_unit_test_setup_teardown(test_counters_that_wrap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_differences_per_second, setup, teardown),
		cmocka_unit_test_setup_teardown(test_lists_have_a_rate_for_each, setup, teardown),
		cmocka_unit_test_setup_teardown(test_backwards_is_malformed, setup, teardown),
		cmocka_unit_test_setup_teardown(test_one_reading_is_no_rate, setup, teardown),
		cmocka_unit_test_setup_teardown(test_only_counters_have_rates, setup, teardown),
		cmocka_unit_test(test_sampling_pauses_once_and_gives_rates),
		cmocka_unit_test(test_nobody_waits_where_nothing_counts),
		cmocka_unit_test(test_without_sampling_rates_are_not_asked),
		cmocka_unit_test(test_a_pause_that_fails_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
