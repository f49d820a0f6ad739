/* Rounds of replies: nothing is lost or read twice whatever order replies come in, and they begin and end when they should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "load/rounds.h"

#define N 50

static struct ta_conn connections[N];
static struct ta_load_plan plan;
static struct ta_worker worker;
static struct ta_conns conns;
static struct ta_rounds rounds;

static void begin(void)
{
	plan = (struct ta_load_plan){.threads = 1, .connections = N};
	worker = (struct ta_worker){.plan = &plan, .connections = N};
	conns = (struct ta_conns){.worker = &worker, .v = connections, .now = TA_NS_PER_S};
	for (unsigned i = 0; i < N; i++)
		connections[i] = (struct ta_conn){.state = TA_CONN_WAITING, .due_ns = N - i};
	assert_int_equal(ta_rounds_init(&rounds, &conns), 0);
}

/* 20 ms pass, of which the thread was idle a part, with so many replies. */
static int look(double idle, unsigned replies)
{
	conns.now += 20 * TA_NS_PER_MS;
	ta_rounds_idle(&rounds, (uint64_t)(20e6 * idle));
	worker.live_replies += replies;
	return ta_rounds_look(&rounds, &conns);
}

static void test_begins_at_the_limit(void **state)
{
	begin();
	assert_int_equal(look(0.6, 1000), 0);
	assert_int_equal(look(0.05, 1000), 1);
	assert_true(rounds.on);
	assert_int_equal(look(0.3, 1000), 0);
	assert_int_equal(look(0.6, 1000), -1);
	assert_false(rounds.on);
	assert_int_equal(look(0.05, 1000), 1);
	/* Replies out of order end them for longer and longer. */
	for (unsigned wait = 16; wait <= 64; wait *= 2) {
		unsigned looks = 0;

		rounds.read = 100;
		rounds.missed = 30;
		assert_int_equal(look(0.05, 1000), -1);
		while (!look(0.05, 1000))
			looks++;
		assert_int_equal(looks, wait);
	}
	ta_rounds_done(&rounds);
}

static void test_not_for_a_rate_or_few(void **state)
{
	begin();
	conns.pace.interval_ns = 1000;
	assert_int_equal(look(0, 1000), 0);
	conns.pace.interval_ns = 0;
	for (unsigned i = 0; i < N / 2; i++)
		connections[i].state = TA_CONN_CONNECTING;
	assert_int_equal(look(0, 1000), 0);
	for (unsigned i = 0; i < N / 2; i++)
		connections[i].state = TA_CONN_WAITING;
	assert_int_equal(look(0, 1000), 1);
	/* Nothing is answered any more: that is no time for rounds. */
	assert_int_equal(look(0, 0), -1);
	ta_rounds_done(&rounds);
}

static void test_collects_by_age(void **state)
{
	begin();
	connections[7].state = TA_CONN_CLOSED;
	ta_rounds_collect(&rounds, &conns);
	assert_int_equal(rounds.n, N - 1);
	for (unsigned i = 1; i < rounds.n; i++)
		assert_true(ta_rounds_at(&rounds, i - 1)->due_ns < ta_rounds_at(&rounds, i)->due_ns);
	assert_int_equal(ta_rounds_next(&rounds), (N - 1) * 2 / 3);
	ta_rounds_done(&rounds);
}

static unsigned random_below(unsigned n)
{
	static uint32_t x = 12345;

	x = x * 1664525u + 1013904223u;
	return (x >> 8) % n;
}

static void check_ring(const char *when, unsigned at)
{
	bool seen[N] = {false};

	for (unsigned i = 0; i < rounds.n; i++) {
		unsigned index = (unsigned)(ta_rounds_at(&rounds, i) - connections);

		if (seen[index] || !connections[index].in_ring)
			fail_msg("%s, round %u: connection %u", when, at, index);
		seen[index] = true;
	}
	for (unsigned i = 0; i < N; i++)
		if (connections[i].in_ring != seen[i])
			fail_msg("%s, round %u: connection %u lost", when, at, i);
}

/* Some of a round are answered and asked again, some are not, some connections end and come back. */
static void test_any_order(void **state)
{
	begin();
	ta_rounds_collect(&rounds, &conns);
	for (unsigned k = 0; k < 20000; k++) {
		unsigned n = ta_rounds_next(&rounds), late = random_below(4), first_left = N;
		struct ta_conn *round[N];

		for (unsigned i = 0; i < n; i++) {
			round[i] = ta_rounds_at(&rounds, i);
			if (random_below(4) >= late)
				round[i]->state = random_below(50) ? TA_CONN_IDLE : TA_CONN_CLOSED;
			else if (first_left == N)
				first_left = i;
		}
		ta_rounds_advance(&rounds, n);
		check_ring("after it", k);
		if (first_left < N)
			assert_ptr_equal(ta_rounds_at(&rounds, 0), round[first_left]);
		for (unsigned i = 0; i < n; i++)
			if (round[i]->state == TA_CONN_IDLE) {
				round[i]->state = TA_CONN_WAITING;
				ta_rounds_add(&rounds, round[i]);
				assert_ptr_equal(ta_rounds_at(&rounds, rounds.n - 1), round[i]);
			}
		for (unsigned i = 0; i < N; i++)
			if (connections[i].state == TA_CONN_CLOSED && !random_below(3)) {
				connections[i].state = TA_CONN_WAITING;
				ta_rounds_add(&rounds, &connections[i]);
				ta_rounds_add(&rounds, &connections[i]); /* once only */
			}
		check_ring("at its end", k);
	}
	while (rounds.n)
		ta_rounds_drop(&rounds);
	check_ring("dropped", 0);
	ta_rounds_done(&rounds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_begins_at_the_limit),
		cmocka_unit_test(test_not_for_a_rate_or_few),
		cmocka_unit_test(test_collects_by_age),
		cmocka_unit_test(test_any_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
