/* Local ports of new connections. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "load/connect/plan.h"

static const struct ta_room usual = {.port_low = 32768, .port_high = 60999, .ports = 28232, .tw_reuse = 2};

static struct ta_connect_plan fits(const struct ta_room *room, struct ta_connect_want want)
{
	struct ta_connect_plan p;
	struct ta_err err = {0};

	if (ta_connect_plan(room, &want, &p, &err) < 0)
		fail_msg("%s", err.text);
	return p;
}

static void refused(const struct ta_room *room, struct ta_connect_want want, const char *text)
{
	struct ta_connect_plan p;
	struct ta_err err = {0};

	assert_int_equal(ta_connect_plan(room, &want, &p, &err), -E2BIG);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in: %s", text, err.text);
}

static void test_reset_needs_few(void **state)
{
	struct ta_connect_plan p;

	(void)state;
	for (enum ta_close close = TA_CLOSE_RESET; close <= TA_CLOSE_SERVER; close++) {
		p = fits(&usual, (struct ta_connect_want){.in_flight = 28232, .rate = 1e6, .seconds = 3600, .close = close});
		assert_int_equal(p.sources, 0);
		assert_true(p.most_per_second == 0);
		refused(&usual, (struct ta_connect_want){.in_flight = 28233, .close = close}, "28233 connections at a time");
		p = fits(&usual, (struct ta_connect_want){.in_flight = 50, .many_addresses = true, .close = close});
		assert_int_equal(p.sources, 0);
		p = fits(&usual, (struct ta_connect_want){.in_flight = 100000, .many_addresses = true, .close = close});
		assert_int_equal(p.sources, 8); /* of 14116 ports each */
	}
}

static void test_time_wait(void **state)
{
	struct ta_connect_want want = {.in_flight = 232, .rate = 466, .seconds = 100, .close = TA_CLOSE_CLIENT};
	struct ta_room room = usual;
	struct ta_connect_plan p = fits(&usual, want);

	(void)state;
	assert_true(p.most_per_second > 466 && p.most_per_second < 467); /* 28000 / 60 */
	want.rate = 467;
	refused(&usual, want, "at most 467 a second");
	want.seconds = 10;
	fits(&usual, want);
	want.rate = 2801;
	refused(&usual, want, "at most 2800 a second");
	room.tw_reuse = 1; /* after a second */
	want.rate = 27000;
	want.seconds = 100;
	p = fits(&room, want);
	assert_true(p.most_per_second > 27999 && p.most_per_second < 28001);
	want.rate = 28001;
	refused(&room, want, "each waits 1 s");
	/* Without a rate nobody knows: it is said, not refused. */
	want.rate = 0;
	p = fits(&usual, want);
	assert_true(p.most_per_second > 466);
}

static void test_loopback_has_sources(void **state)
{
	struct ta_connect_want want = {.in_flight = 50, .seconds = 10, .close = TA_CLOSE_CLIENT, .many_addresses = true};
	struct ta_room room = usual;

	(void)state;
	assert_int_equal(fits(&room, want).sources, 15); /* 200,000 in the second until a port is reused */
	room.tw_reuse = 0;
	assert_int_equal(fits(&room, want).sources, 142); /* in ten seconds */
	want.rate = 1000;
	assert_int_equal(fits(&room, want).sources, 0);
	want.rate = 2000;
	assert_int_equal(fits(&room, want).sources, 2);
	room.ports = 0;
	refused(&room, want, "no local ports");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reset_needs_few),
		cmocka_unit_test(test_time_wait),
		cmocka_unit_test(test_loopback_has_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
