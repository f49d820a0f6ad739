/* The floors of this machine: each is measured, and is of the size that such a thing can be. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "load/floor.h"
#include "load/load.h"

#define MS(n) ((n) * TA_NS_PER_MS)

static struct ta_host *host;
static struct ta_err err;

static void test_loopback(void **state)
{
	struct ta_floor_loopback *l = calloc(1, sizeof(*l));

	assert_int_equal(ta_floor_loopback(MS(100), l, &err), 0);
	assert_true(l->round_trip.n > 0);
	assert_true(l->bytes_per_second > 0 && l->bytes_per_second < 1e12);
	free(l);
}

static void test_memory(void **state)
{
	struct ta_floor_memory one, two;

	assert_int_equal(ta_floor_memory(host, 1, MS(60), &one, &err), 0);
	assert_int_equal(ta_floor_memory(host, 2, MS(60), &two, &err), 0);
	assert_true(one.copy > 0 && one.copy < 1e12);
	assert_true(one.read > 0 && one.write > 0);
	assert_true(two.copy > 0 && two.read > 0 && two.write > 0);
}

static void test_clock(void **state)
{
	struct ta_floor_clock c;

	assert_int_equal(ta_floor_clock(host, &c, &err), 0);
	assert_true(c.read_ns > 0.1 && c.read_ns < 1e6);
	assert_true(c.call_ns > 1 && c.call_ns < 1e6);
	assert_int_equal(c.vdso, c.read_ns < 0.9 * c.call_ns);
}

static void test_wake(void **state)
{
	struct ta_floor_wake *w = calloc(1, sizeof(*w));

	assert_int_equal(ta_floor_wake(MS(60), w, &err), 0);
	assert_int_equal(w->two_cpus, ta_floor_cpu_number(1) >= 0);
	assert_true(w->futex.n && w->eventfd.n && w->timer.n);
	assert_true(w->futex.min > 50 && w->eventfd.min > 50);
	free(w);
}

static void test_cpu(void **state)
{
	struct ta_floor_cpu c;

	assert_int_equal(ta_floor_cpu(MS(20), &c, &err), 0);
	assert_true(c.syscall_ns > 5 && c.syscall_ns < 1e6);
	assert_true(c.switch_ns > c.syscall_ns);
}

static void test_disk(void **state)
{
	const volatile sig_atomic_t go = 0, stop = 1;
	struct ta_floor_disk d;
	int rc = ta_floor_disk(host, NULL, MS(200), &go, &d, &err);

	if (rc == -ENODEV)
		skip();
	assert_int_equal(rc, 0);
	assert_true(d.bytes >= 8u << 20);
	assert_true(d.cold > 1e5 || d.direct > 1e5);
	assert_true(d.dir[0] && d.kind[0]);
	assert_int_equal(ta_floor_disk(host, NULL, MS(200), &stop, &d, &err), -EINTR);
	assert_int_equal(ta_floor_disk(host, "/nonexistent", MS(200), &go, &d, &err), -ENOENT);
	assert_non_null(strstr(err.text, "/nonexistent"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loopback),
		cmocka_unit_test(test_memory),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_cpu),
		cmocka_unit_test(test_disk),
	};
	int rc;

	if (ta_host_live(&host, &err) < 0)
		return 1;
	rc = cmocka_run_group_tests(tests, NULL, NULL);
	ta_host_free(host);
	return rc;
}
