/* Halves of the CPUs: nothing shared, nothing left over, from any set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "load/pin.h"

static void test_halves(void **state)
{
	cpu_set_t all, server, client, both;
	struct ta_err err;

	for (int n = 2; n <= 9; n++) {
		CPU_ZERO(&all);
		for (int i = 0; i < n; i++)
			CPU_SET(3 + 7 * i, &all);
		assert_int_equal(ta_pin_half(&all, TA_PIN_SERVER, &server, &err), 0);
		assert_int_equal(ta_pin_half(&all, TA_PIN_CLIENT, &client, &err), 0);
		assert_int_equal(CPU_COUNT(&server), n / 2);
		assert_true(CPU_ISSET(3, &server) && CPU_ISSET(3 + 7 * (n - 1), &client));
		CPU_AND(&both, &server, &client);
		assert_int_equal(CPU_COUNT(&both), 0);
		CPU_OR(&both, &server, &client);
		assert_true(CPU_EQUAL(&both, &all));
	}
	CPU_ZERO(&all);
	CPU_SET(5, &all);
	assert_true(ta_pin_half(&all, TA_PIN_CLIENT, &client, &err) < 0);
}

static void *wait_a_while(void *arg)
{
	pthread_mutex_t *held = arg;

	pthread_mutex_lock(held);
	pthread_mutex_unlock(held);
	return NULL;
}

static void test_threads(void **state)
{
	pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;
	cpu_set_t all, is, seen;

	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	CPU_ZERO(&seen);
	pthread_mutex_lock(&held);
	assert_int_equal(pthread_create(&thread, NULL, wait_a_while, &held), 0);
	for (unsigned i = 0; i < (unsigned)CPU_COUNT(&all); i++) {
		assert_int_equal(ta_pin_thread(thread, i), 0);
		assert_int_equal(pthread_getaffinity_np(thread, sizeof(is), &is), 0);
		assert_int_equal(CPU_COUNT(&is), 1);
		CPU_OR(&seen, &seen, &is);
	}
	assert_true(CPU_EQUAL(&seen, &all));
	pthread_mutex_unlock(&held);
	pthread_join(thread, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_halves),
		cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
