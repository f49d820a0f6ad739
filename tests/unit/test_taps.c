/* Packet sockets: counted, and no table is not an empty table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "probe/probe.h"
#include "tree.h"

extern const struct ta_probe ta_probe_taps;

#define HEAD "sk               RefCnt Type Proto  Iface R Rmem   User   Inode\n"

/* Sockets, or -1 where they are absent. */
static int64_t sockets(const char *text, int64_t *ret_all)
{
	struct ta_host *h = NULL;
	int64_t n = -1;
	struct ta_facts *f = ta_facts_new();
	struct tree t;

	assert_int_equal(tree_make(&t), 0);
	tree_file(&t, "proc/net/packet", text);
	assert_int_equal(ta_host_capture(t.dir, &h, NULL), 0);
	ta_probe_taps.collect(h, f);
	if (!ta_facts_get_i64(f, TA_KEYS("taps", "sockets"), &n))
		n = -1;
	*ret_all = -1;
	ta_facts_get_i64(f, TA_KEYS("taps", "all_packets"), ret_all);
	ta_facts_free(f);
	h = ta_host_free(h);
	tree_remove(&t);
	return n;
}

static void test_taps(void **state)
{
	int64_t all;

	(void)state;
	assert_int_equal(sockets(HEAD, &all), 0);
	assert_int_equal(all, 0);
	assert_int_equal(sockets(HEAD "0000000000000000 3      3    0003   0     1 0      0      17\n"
				      "0000000000000000 3      10   88cc   2     1 0      0      18\n", &all), 2);
	assert_int_equal(all, 1);
	assert_int_equal(sockets("", &all), -1);
	assert_int_equal(sockets("99999\n", &all), -1);
	assert_int_equal(sockets(HEAD "99999\n", &all), -1);
	assert_int_equal(sockets("0000000000000000 3      3    0003   0     1 0      0      17\n", &all), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_taps)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
