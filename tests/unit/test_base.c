/*
 * Numbers, CPU sets, string vectors, buffers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/cpuset.h"
#include "base/err.h"
#include "base/num.h"
#include "base/strv.h"

static void test_numbers(void **state)
{
	int64_t i = 7;
	uint64_t u = 7;
	const char *words = " 1 -2\t18446744073709551615x";

	assert_int_equal(ta_parse_i64(" -9223372036854775808\n", &i), 0);
	assert_true(i == INT64_MIN);
	assert_int_equal(ta_parse_i64("9223372036854775808", &i), -ERANGE);
	assert_int_equal(ta_parse_u64("18446744073709551615", &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(ta_parse_u64("18446744073709551616", &u), -ERANGE);
	assert_int_equal(ta_parse_u64("-1", &u), -ERANGE);
	assert_int_equal(ta_parse_i64("", &i), -EINVAL);
	assert_int_equal(ta_parse_i64("12 3", &i), -EINVAL);
	assert_int_equal(ta_parse_i64("0x10", &i), -EINVAL);
	assert_int_equal(ta_parse_i64("- 1", &i), -EINVAL);
	assert_int_equal(ta_parse_hundredths("12.03", &u), 0);
	assert_int_equal(u, 1203);
	assert_int_equal(ta_parse_hundredths("1234567890123456.99", &u), 0);
	assert_true(u == 123456789012345699);
	for (const char *const *bad = (const char *const[]){"", ".50", "1", "1.", "1.5", "1.555", "-1.50", "1.50x",
		     "12345678901234567.00", NULL}; *bad; bad++)
		assert_int_equal(ta_parse_hundredths(*bad, &u), -EINVAL);
	assert_int_equal(ta_parse_hex("fFff\n", &u), 0);
	assert_int_equal(u, 0xffff);
	assert_int_equal(ta_parse_hex("-f", &u), -EINVAL);
	assert_int_equal(ta_parse_hex("g", &u), -EINVAL);
	assert_int_equal(ta_next_i64(&words, &i), 0);
	assert_int_equal(i, 1);
	assert_int_equal(ta_next_i64(&words, &i), 0);
	assert_int_equal(i, -2);
	assert_int_equal(ta_next_i64(&words, &i), -EINVAL);
	assert_int_equal(ta_next_i64(&(const char *){"  "}, &i), -ENODATA);
}

static void check_list(const char *text, const char *want)
{
	ta_cleanup_cpuset struct ta_cpuset s = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_cpuset_parse_list(&s, text), 0);
	ta_cpuset_format(&s, &b);
	assert_string_equal(ta_buf_text(&b), want);
}

static void check_mask(const char *text, const char *want)
{
	ta_cleanup_cpuset struct ta_cpuset s = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_int_equal(ta_cpuset_parse_mask(&s, text), 0);
	ta_cpuset_format(&s, &b);
	assert_string_equal(ta_buf_text(&b), want);
}

static void test_cpu_sets(void **state)
{
	static const char *const bad_lists[] = {"a", "1-", "-1", "3-1", "1,,2", "65536", "0-99999999999", "1;2"};
	static const char *const bad_masks[] = {"g", "f,f", "123456789", "ff 0", "ffffffff,", "ff,00000000,1"};
	ta_cleanup_cpuset struct ta_cpuset a = TA_CPUSET_INIT, b = TA_CPUSET_INIT;

	check_list("0-3,8\n", "0-3,8");
	check_list("", "");
	check_list("(null)\n", "");
	check_list("5,1-2,2-3", "1-3,5");
	check_list("1151", "1151");
	check_mask("ff", "0-7");
	check_mask("80000000,00000000,00000001\n", "0,95");
	check_mask("0", "");
	check_mask("", "");
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad_lists); i++)
		assert_true(ta_cpuset_parse_list(&a, bad_lists[i]) < 0);
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad_masks); i++)
		assert_true(ta_cpuset_parse_mask(&a, bad_masks[i]) < 0);
	assert_int_equal(ta_cpuset_parse_list(&a, "0-9,100"), 0);
	assert_int_equal(ta_cpuset_parse_list(&b, "5-20"), 0);
	assert_int_equal(ta_cpuset_count(&a), 11);
	assert_int_equal(ta_cpuset_count_common(&a, &b), 5);
	assert_false(ta_cpuset_equal(&a, &b));
	assert_int_equal(ta_cpuset_next(&a, 10), 100);
	assert_int_equal(ta_cpuset_next(&a, 101), -1);
	assert_false(ta_cpuset_has(&a, 60000));
}

static void test_cpu_set_sums(void **state)
{
	ta_cleanup_cpuset struct ta_cpuset a = TA_CPUSET_INIT, b = TA_CPUSET_INIT;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	assert_int_equal(ta_cpuset_parse_list(&a, "0-2"), 0);
	assert_int_equal(ta_cpuset_parse_list(&b, "2,200"), 0);
	assert_int_equal(ta_cpuset_or(&a, &b), 0);
	ta_cpuset_format(&a, &text);
	assert_string_equal(ta_buf_text(&text), "0-2,200");
	ta_cpuset_and(&a, &b);
	assert_true(ta_cpuset_equal(&a, &b));
	assert_int_equal(ta_cpuset_parse_list(&b, "2"), 0);
	ta_cpuset_and(&a, &b);
	assert_int_equal(ta_cpuset_count(&a), 1);
}

static void test_natural_order(void **state)
{
	ta_cleanup_strv struct ta_strv s = TA_STRV_INIT;

	ta_strv_split(&s, "rx-10 rx-2 lo eth0 rx-2 rx-02 cpu10 cpu9", " ");
	ta_strv_sort(&s);
	assert_int_equal(s.n, 7);
	assert_string_equal(s.v[0], "cpu9");
	assert_string_equal(s.v[1], "cpu10");
	assert_string_equal(s.v[4], "rx-02");
	assert_string_equal(s.v[5], "rx-2");
	assert_string_equal(s.v[6], "rx-10");
	assert_true(ta_natural_cmp("a100000000000000000000000", "a99999999999999999999999") > 0);
	assert_int_equal(ta_natural_cmp("", ""), 0);
}

static void test_buffers(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	assert_string_equal(ta_buf_text(&b), "");
	for (int i = 0; i < 1000; i++)
		ta_buf_printf(&b, "%d,", i);
	assert_int_equal(b.len, 3890);
	assert_string_equal(b.data + b.len - 4, "999,");
	assert_int_equal(ta_buf_reserve(&b, SIZE_MAX / 2), -EFBIG);
	ta_buf_adds(&b, "more");
	assert_int_equal(b.len, 3890);
	assert_int_equal(b.error, -EFBIG);
	ta_buf_reset(&b);
	ta_buf_adds(&b, "say 'aaaaaaaaaaaaaaaaaaaaaaa' or bbb\n  ccccccccccccccccc");
	ta_buf_shorten(&b, 0, 12);
	assert_string_equal(ta_buf_text(&b), "say 'aaaaa…aa' or bbb\n  cccccc…ccc");
	assert_int_equal(b.len, strlen(b.data));
	ta_buf_reset(&b);
	ta_buf_adds(&b, "aaaaaaaaaaaaaaaaaaaa ééééééééééééééé");
	ta_buf_shorten(&b, 21, 13);
	assert_string_equal(ta_buf_text(&b), "aaaaaaaaaaaaaaaaaaaa ééé…é");
	ta_buf_reset(&b);
	ta_buf_adds(&b, "x \n\n");
	ta_buf_rtrim(&b);
	assert_string_equal(ta_buf_text(&b), "x");
}

static void test_strip(void **state)
{
	char text[] = " \t a b \r\n", blank[] = "  \n", empty[] = "";

	assert_string_equal(ta_strip(text), "a b");
	assert_string_equal(ta_strip(blank), "");
	assert_string_equal(ta_strip(empty), "");
}

static void test_error_texts(void **state)
{
	struct ta_err err;
	char longer[1000];

	memset(longer, 'x', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	assert_int_equal(ta_err_set(&err, -EINVAL, "line %d", 3), -EINVAL);
	assert_int_equal(ta_err_prefix(&err, -EINVAL, "file"), -EINVAL);
	assert_string_equal(err.text, "file: line 3");
	ta_err_prefix(&err, -EINVAL, "%s", longer);
	assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
	assert_int_equal(ta_err_set(NULL, -EIO, "nobody listens"), -EIO);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_cpu_sets),
		cmocka_unit_test(test_cpu_set_sums),
		cmocka_unit_test(test_natural_order),
		cmocka_unit_test(test_buffers),
		cmocka_unit_test(test_strip),
		cmocka_unit_test(test_error_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
