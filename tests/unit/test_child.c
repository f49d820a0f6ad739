/* Programs of the host, run to their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/child.h"

static int sh(const char *script, int patience_ms, char (*words)[TA_CHILD_WORDS_MAX])
{
	return ta_child_run("/bin/sh", (char *const[]){(char *)"sh", (char *)"-c", (char *)script, NULL}, patience_ms, words);
}

static void test_its_end(void **state)
{
	char words[TA_CHILD_WORDS_MAX];

	assert_int_equal(sh("exit 0", 20000, &words), 0);
	assert_string_equal(words, "");
	assert_int_equal(sh("printf 'no\\nsuch\\033 thing' >&2; exit 3", 20000, &words), -EIO);
	assert_string_equal(words, "no such  thing");
	assert_int_equal(sh("kill -9 $$", 20000, &words), -EIO);
	assert_int_equal(ta_child_run("/no/such/program", (char *const[]){NULL}, 20000, &words), -EIO);
}

/* Nothing of ours gets there: no environment, no input; what it prints is not on our output. */
static void test_nothing_of_ours(void **state)
{
	char words[TA_CHILD_WORDS_MAX];

	setenv("TA_SECRET", "x", 1);
	assert_int_equal(sh("read -r l && exit 1; echo out; [ -z \"$TA_SECRET\" ]", 20000, &words), 0);
	assert_string_equal(words, "");
}

static void test_patience(void **state)
{
	char words[TA_CHILD_WORDS_MAX];

	assert_int_equal(sh("echo still here >&2; exec sleep 100", 300, &words), -ETIMEDOUT);
	assert_string_equal(words, "still here ");
}

/* More than is kept is read all the same. */
static void test_many_words(void **state)
{
	char words[TA_CHILD_WORDS_MAX];

	assert_int_equal(sh("i=0; while [ $i -lt 2000 ]; do echo 0123456789012345678901234567890123456789 >&2; i=$((i + 1)); done", 60000, &words), 0);
	assert_int_equal(strlen(words), sizeof(words) - 1);
}

static void test_until(void **state)
{
	char words[TA_CHILD_WORDS_MAX];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	assert_int_equal(write(fds[1], "armed\nmore", 10), 10);
	assert_int_equal(ta_child_hear(fds[0], 20000, "armed\n", &words), 0);
	assert_string_equal(words, "armed\n");
	assert_int_equal(ta_child_hear(fds[0], 100, "armed\n", &words), -ETIMEDOUT);
	assert_string_equal(words, "more");
	close(fds[1]);
	assert_int_equal(ta_child_hear(fds[0], 20000, "armed\n", &words), 0);
	assert_string_equal(words, "");
	close(fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_its_end),
		cmocka_unit_test(test_nothing_of_ours),
		cmocka_unit_test(test_patience),
		cmocka_unit_test(test_many_words),
		cmocka_unit_test(test_until),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
