/* The directory of the journals: a run after a run, in one program and in the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "host/state.h"
#include "tree.h"

static void runs_are_counted(void **state)
{
	struct ta_host *h = NULL;
	struct ta_state *s = NULL;
	struct tree t;
	char dir[512];
	unsigned run = 0;

	assert_int_equal(tree_make(&t), 0);
	assert_int_equal(chmod(t.dir, 0700), 0);
	snprintf(dir, sizeof(dir), "%s/state", t.dir);
	assert_int_equal(ta_host_live(&h, NULL), 0);
	for (unsigned i = 1; i <= 11; i++) {
		unsigned *runs;
		size_t n;

		if (i % 2)
			assert_int_equal(ta_state_open(h, dir, true, &s, NULL), 0);
		/* apply looks for an interrupted run before it begins one of its own */
		assert_int_equal(ta_state_runs(s, &runs, &n, NULL), 0);
		assert_int_equal(n, i - 1);
		assert_true(n == 0 || runs[n - 1] == i - 1);
		free(runs);
		assert_int_equal(ta_state_new(s, &run, NULL), 0);
		assert_int_equal(run, i);
		if (i % 2 == 0)
			s = ta_state_close(s);
	}
	ta_state_close(s);
	ta_host_free(h);
	tree_remove(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(runs_are_counted)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
