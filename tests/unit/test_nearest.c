#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/nearest.h"

static const char *nearest(const char *word, const char *const *names)
{
	struct ta_nearest n = TA_NEAREST(word);

	for (; *names; names++)
		ta_nearest_try(&n, *names);
	return n.best;
}

static void finds_slips(void **state)
{
	const char *const names[] = {"profile", "format", "capture", "only", "skip", NULL};

	assert_string_equal(nearest("profil", names), "profile");
	assert_string_equal(nearest("fromat", names), "format");
	assert_string_equal(nearest("capturee", names), "capture");
	assert_string_equal(nearest("onyl", names), "only");
	assert_string_equal(nearest("profile", names), "profile");
}

static void leaves_strangers(void **state)
{
	const char *const names[] = {"profile", "format", NULL};
	char longest[200];

	assert_null(nearest("zebra", names));
	assert_null(nearest("", names));
	for (size_t i = 0; i < sizeof(longest); i++)
		longest[i] = i + 1 < sizeof(longest) ? 'a' : '\0';
	assert_null(nearest(longest, (const char *const[]){longest, NULL}));
}

static void prefers_the_nearest_then_the_first(void **state)
{
	assert_string_equal(nearest("governor", (const char *const[]){"governess", "govern",
							"governors", NULL}),
		"governors");
	assert_string_equal(nearest("aaa", (const char *const[]){"aab", "aac", NULL}), "aab");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_slips),
		cmocka_unit_test(leaves_strangers),
		cmocka_unit_test(prefers_the_nearest_then_the_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
