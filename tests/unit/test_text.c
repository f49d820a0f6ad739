#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report/json.h"
#include "report/text.h"

static void safe_is(const char *text, const char *want)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_text_safe(&b, text);
	assert_string_equal(ta_buf_text(&b), want);
}

static void safe_is_ascii(void **state)
{
	safe_is("eth0", "eth0");
	safe_is("", "");
	safe_is("\033[31mred\a\x7f", "\\x1b[31mred\\x07\\x7f");
	safe_is("a\nb\tc", "a\\x0ab\\x09c");
	safe_is("5 \xc2\xb5s, 2 \xc3\x97 3, x \xe2\x89\xa5 y, no\xe2\x80\xa6",
		"5 us, 2 x 3, x >= y, no...");
	/* right-to-left override, C1 control, an emoji */
	safe_is("\xe2\x80\xae"
		"\xc2\x9b"
		"\xf0\x9f\x90\xa7",
		"\\u{202e}\\u{9b}\\u{1f427}");
	/* overlong slash, surrogate, cut character, stray byte, beyond Unicode */
	safe_is("\xc0\xaf", "\\xc0\\xaf");
	safe_is("\xed\xa0\x80", "\\xed\\xa0\\x80");
	safe_is("\xe2\x82", "\\xe2\\x82");
	safe_is("\xff", "\\xff");
	safe_is("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
}

static void wrap_is(
	const char *text, unsigned columns, unsigned used, unsigned indent, const char *want)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_text_wrap(&b, text, columns, used, indent);
	assert_string_equal(ta_buf_text(&b), want);
}

static void wrap_breaks_at_blanks(void **state)
{
	wrap_is("one two three", 20, 0, 2, "one two three");
	wrap_is("one two three four five", 13, 0, 2, "one two three\n  four five");
	/* exactly full, and one more */
	wrap_is("12345 67890", 11, 0, 0, "12345 67890");
	wrap_is("12345 67890", 10, 0, 0, "12345\n67890");
	wrap_is("  many   blanks  ", 40, 0, 0, "many blanks");
	wrap_is("", 40, 0, 0, "");
}

static void wrap_keeps_long_words_whole(void **state)
{
	wrap_is("see /sys/devices/system/cpu/cpufreq/policy0/scaling_governor now", 30, 0, 2,
		"see\n  /sys/devices/system/cpu/cpufreq/policy0/scaling_governor\n  now");
	wrap_is("abcdefghijklmnopqrstuvwxyz", 20, 0, 0, "abcdefghijklmnopqrstuvwxyz");
}

static void wrap_knows_the_column(void **state)
{
	/* ten columns are taken by a label */
	wrap_is("one two three", 20, 10, 4, "one two\n    three");
	wrap_is("long-firstword x", 20, 10, 4, "\n    long-firstword x");
	/* an indent never takes more than a third */
	wrap_is("aa bb cc dd", 9, 0, 8, "aa bb cc\n   dd");
}

static void wrap_keeps_paragraphs(void **state)
{
	wrap_is("one\n\ntwo three", 40, 0, 2, "one\n\n  two three");
	wrap_is("one\ntwo", 40, 0, 0, "one\ntwo");
	wrap_is("a\033b c", 40, 0, 0, "a\\x1bb c");
}

static void wrap_fits_every_width(void **state)
{
	const char *text = "Packets of one queue are handled by one CPU; more queues than CPUs "
			   "near the card move them.";

	for (unsigned columns = TA_COLUMNS_MIN; columns <= 120; columns++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
		size_t letters = 0;

		ta_text_wrap(&b, text, columns, 0, 9);
		for (const char *s = ta_buf_text(&b); *s; s += strcspn(s, "\n"), s += *s == '\n')
			assert_true(strcspn(s, "\n") <= columns);
		for (size_t i = 0; i < b.len; i++)
			letters += !strchr(" \n", b.data[i]);
		for (const char *s = text; *s; s++)
			letters -= *s != ' ';
		assert_int_equal(letters, 0);
	}
}

static void terms_are_aligned(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_text_term(&b, "-q", "only what matters", 30, 10);
	ta_text_term(&b, "--verbose", "more", 30, 10);
	assert_string_equal(ta_buf_text(&b), "  -q      only what matters\n"
					     "  --verbose\n"
					     "          more\n");
}

static void json_is_exact(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_json j = {.b = &b};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "a\"b", "back\\slash \n\t\x01 \xc3\xa9 \xff");
	ta_json_u64(&j, "max", UINT64_MAX);
	ta_json_real(&j, "half", 12.5);
	ta_json_real(&j, "whole", 3);
	ta_json_real(&j, "third", 1.0 / 3);
	ta_json_real(&j, "ten", 10);
	ta_json_bool(&j, "yes", true);
	ta_json_str(&j, "none", NULL);
	ta_json_open(&j, "list", '[');
	ta_json_line(&j);
	ta_json_str(&j, NULL, "x");
	ta_json_line(&j);
	ta_json_null(&j, NULL);
	ta_json_line(&j);
	ta_json_close(&j, ']');
	ta_json_open(&j, "empty", '{');
	ta_json_close(&j, '}');
	ta_json_close(&j, '}');
	assert_string_equal(ta_buf_text(&b),
		"{\"a\\\"b\":\"back\\\\slash \\n\\t\\u0001 \xc3\xa9 "
		"\\\\xff\",\"max\":18446744073709551615,"
		"\"half\":12.5,\"whole\":3,\"third\":0.333,\"ten\":10,\"yes\":true,\"none\":null,"
		"\"list\":[\n\"x\",\nnull\n],\"empty\":{}}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(safe_is_ascii),
		cmocka_unit_test(wrap_breaks_at_blanks),
		cmocka_unit_test(wrap_keeps_long_words_whole),
		cmocka_unit_test(wrap_knows_the_column),
		cmocka_unit_test(wrap_keeps_paragraphs),
		cmocka_unit_test(wrap_fits_every_width),
		cmocka_unit_test(terms_are_aligned),
		cmocka_unit_test(json_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
