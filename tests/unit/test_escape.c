/* What a host says, in the languages of other programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "report/escape.h"

#define NASTY "a\"b'<i>&|\\`*\n\x1b[0m\xff%:,\xc3\xa4"

static void property(struct ta_buf *b, const char *text)
{
	ta_escape_workflow(b, text, true);
}

static void message(struct ta_buf *b, const char *text)
{
	ta_escape_workflow(b, text, false);
}

static void code(struct ta_buf *b, const char *text)
{
	ta_escape_code(b, text, false);
}

static void cell(struct ta_buf *b, const char *text)
{
	ta_escape_code(b, text, true);
}

static const struct {
	void (*escape)(struct ta_buf *b, const char *text);
	const char *text, *want;
} cases[] = {
	{ta_escape_xml, NASTY, "a&quot;b&#39;&lt;i&gt;&amp;|\\`*&#10;\\x1b[0m\\xff%:,\xc3\xa4"},
	{ta_escape_xml, "\xef\xbf\xbe\xed\xa0\x80", "\\xfffe\\xed\\xa0\\x80"},
	{ta_escape_html, NASTY "\u202eabc\u200f", "a&quot;b&#39;&lt;i&gt;&amp;|\\`*&#10;\\x1b[0m\\xff%:,\xc3\xa4\\u{202e}abc\\u{200f}"},
	{ta_escape_label, NASTY, "a\\\"b'<i>&|\\\\`*\\n\\\\x1b[0m\\\\xff%:,\xc3\xa4"},
	{property, NASTY, "a\"b'<i>&|\\`*%0A\\x1b[0m\\xff%25%3A%2C\xc3\xa4"},
	{message, "100 %: ::set-env\r\n::error::x", "100 %25: ::set-env%0D%0A::error::x"},
	{ta_escape_markdown, "<b>[a](b) *x* _y_ `z` | &amp; #1\n\x01", "\\<b\\>\\[a\\](b) \\*x\\* \\_y\\_ \\`z\\` \\| \\&amp; \\#1 \\\\x01"},
	{code, "plain", "`plain`"},
	{code, "a|b\nc", "`a|b c`"},
	{code, "a`b``c", "``` a`b``c ```"},
	{code, "", ""},
	{cell, "a|b", "`a\\|b`"},
	{ta_escape_uri, "a b/\xc3\xa4%-._~", "a%20b%2F%C3%A4%25-._~"},
	{ta_escape_utf8, NASTY, "a\"b'<i>&|\\`*\n\x1b[0m\\xff%:,\xc3\xa4"},
};

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

		cases[i].escape(&b, cases[i].text);
		assert_string_equal(ta_buf_text(&b), cases[i].want);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
