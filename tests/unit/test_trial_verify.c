/* A load before and after changes: what counts as worse, and how it is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report/verify.h"

#define N 12

/* Runs around these means, each by at most 1 % off. */
static struct ta_verify_series series(double rate, double p50, double p99, double cpu)
{
	struct ta_verify_series s = {.n = N, .replies = 1000000, .path = "loopback"};

	for (size_t i = 0; i < N; i++) {
		double noise = 1 + 0.01 * ((double)(i * 7 % N) / N - 0.5);

		s.v[TA_VERIFY_RATE][i] = rate * noise;
		s.v[TA_VERIFY_P50][i] = p50 * noise;
		s.v[TA_VERIFY_P99][i] = p99 * noise;
		s.v[TA_VERIFY_CPU][i] = cpu * noise;
	}
	return s;
}

static void assert_worse(const struct ta_verify_series *a, const struct ta_verify_series *b, const char *why)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	assert_int_equal(ta_verify_is_worse(a, b, ta_workload_find("http"), &text), *why != '\0');
	if (!strstr(ta_buf_text(&text), why) || (!*why && text.len))
		fail_msg("'%s' is not '%s'", ta_buf_text(&text), why);
}

static void test_what_is_worse(void **state)
{
	struct ta_verify_series before = series(5000, 100, 400, 9), after;

	after = series(5000, 100, 400, 9);
	assert_worse(&before, &after, "");
	after = series(4000, 100, 400, 9);
	assert_worse(&before, &after, "requests per second -20.0 % (-2");
	after = series(5000, 100, 600, 9);
	assert_worse(&before, &after, "p99 us +50.0 % (+");
	after = series(4000, 130, 400, 9);
	assert_worse(&before, &after, "; p50 us +30.0 % (");
	after = series(6000, 80, 300, 9); /* better in all */
	assert_worse(&before, &after, "");
	after = series(5000, 100, 400, 14); /* more CPU time alone is no reason */
	assert_worse(&before, &after, "");
	assert_int_equal(ta_verify_compare(&before, &after, TA_VERIFY_CPU).verdict, TA_VERIFY_WORSE);
	after = series(6000, 100, 600, 9); /* better and worse is worse */
	assert_worse(&before, &after, "p99 us +50.0 %");
}

static void test_failed_requests(void **state)
{
	struct ta_verify_series before = series(5000, 100, 400, 9), after = before;

	after.error = "refused";
	after.errors = 1000; /* just not one in a thousand */
	assert_worse(&before, &after, "");
	after.errors = 1100;
	assert_worse(&before, &after, "1100 requests failed (refused), 0 before");
	before.errors = 600; /* not twice as many */
	assert_worse(&before, &after, "");
	before.errors = 500;
	assert_worse(&before, &after, "1100 requests failed (refused), 500 before");
}

static void test_what_is_not_measured(void **state)
{
	struct ta_verify_series before = series(5000, 0, 0, 0), after = series(5000, 0, 0, 0);

	assert_int_equal(ta_verify_compare(&before, &after, TA_VERIFY_RATE).verdict, TA_VERIFY_NOTHING);
	assert_int_equal(ta_verify_compare(&before, &after, TA_VERIFY_P50).verdict, TA_VERIFY_UNMEASURED);
	assert_int_equal(ta_verify_compare(&before, &after, TA_VERIFY_COLD).verdict, TA_VERIFY_UNMEASURED);
	after.n = TA_SHIFT_MIN - 1;
	assert_int_equal(ta_verify_compare(&before, &after, TA_VERIFY_RATE).verdict, TA_VERIFY_UNMEASURED);
	before.v[TA_VERIFY_RATE][3] = 0; /* one run without it is enough */
	after.n = N;
	assert_int_equal(ta_verify_compare(&before, &after, TA_VERIFY_RATE).verdict, TA_VERIFY_UNMEASURED);
}

static void report(const struct ta_verify_series *before, const struct ta_verify_series *after, const struct ta_verify_series *again,
	struct ta_buf *ret)
{
	static char somaxconn[] = "net.core.somaxconn", rmem[] = "net.ipv4.tcp_rmem", wmem[] = "net.ipv4.tcp_wmem",
		path[] = "it shows over namespace or wire only";
	static const struct ta_verify_change changes[] = {{somaxconn, NULL}, {rmem, path}, {wmem, path}};
	const struct ta_report_options o = {.columns = 80};
	const struct ta_verify_report v = {.workload = ta_workload_find("http"), .before = before, .after = after, .again = again,
		.changes = changes, .n_changes = 3, .worse = again, .why = ""};

	ta_report_verify(&v, &o, ret);
	for (const char *line = ta_buf_text(ret); line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
		assert_in_range(strcspn(line, "\n"), 0, 80);
}

static void assert_has(const struct ta_buf *b, const char *text)
{
	if (!strstr(ta_buf_text(b), text))
		fail_msg("'%s' is not in:\n%s", text, ta_buf_text(b));
}

static void test_report(void **state)
{
	struct ta_verify_series before = series(5000, 100, 400, 9), after = series(5000, 100, 400, 9), bad = series(2500, 200, 400, 9);
	ta_cleanup_buf struct ta_buf same = TA_BUF_INIT, was = TA_BUF_INIT, host = TA_BUF_INIT, none = TA_BUF_INIT;

	report(&before, &after, NULL, &same);
	assert_has(&same, "\nLoad before and after: http over loopback, 12 and 12 short runs\nLoopback shows nothing of NICs");
	assert_has(&same, "can show 1 of 3 changes: net.core.somaxconn.");
	assert_has(&same, "Cannot show here (it shows over namespace or wire only): net.ipv4.tcp_rmem,\n  net.ipv4.tcp_wmem\n");
	assert_has(&same, "none seen\n");
	assert_has(&same, "Smallest effect that would have been seen: requests per second 5");
	assert_null(strstr(ta_buf_text(&same), "busy or uneven"));

	report(&before, &bad, &after, &was);
	assert_has(&was, "  -50.0 %  -5");
	assert_has(&was, " worse\n");
	assert_has(&was, "put back: better again. It was the changes.");
	report(&before, &bad, &bad, &host);
	assert_has(&host, "put back: no better.");

	report(&before, NULL, NULL, &none); /* it failed with the changes */
	assert_has(&none, "12 and 0 short runs");
	assert_null(strstr(ta_buf_text(&none), "before    after"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_is_worse),
		cmocka_unit_test(test_failed_requests),
		cmocka_unit_test(test_what_is_not_measured),
		cmocka_unit_test(test_report),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
