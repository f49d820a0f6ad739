/* Markup is written by one writer: texts are escaped, formats hold numbers alone. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "report/html.h"
#include "report/page/page.h"

static void texts_are_escaped(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_html_el(&b, "td class=n", "<b>\"'&\x01\xff");
	ta_html_tag_with(&b, "pre", "aria-label", "\"><script>");
	ta_html_elf(&b, "i", "%s %d", "</i>", 3);
	assert_string_equal(ta_buf_text(&b), "<td class=n>&lt;b&gt;&quot;&#39;&amp;\\x01\\xff</td><pre aria-label=\"&quot;&gt;&lt;script&gt;\">"
					     "<i>&lt;/i&gt; 3</i>");
}

static void tags_take_numbers(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_html_tag(&b, "rect x=%d y=%.1f id=\"r%zu-%u\" width=%llu /", -3, 1.25, (size_t)7, 8u, 9ull);
	assert_string_equal(ta_buf_text(&b), "<rect x=-3 y=1.2 id=\"r7-8\" width=9 />");
	assert_int_equal(b.error, 0);
	ta_html_tag(&b, "p title=%s", "x");
	assert_int_equal(b.error, -EINVAL);
}

static void long_texts_are_cut_between_characters(void **state)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT, b = TA_BUF_INIT;

	ta_buf_addc(&text, 'x');
	while (text.len < 2 * TA_HTML_TEXT_MAX)
		ta_buf_adds(&text, "\u00e4");
	ta_html_text(&b, ta_buf_text(&text));
	assert_null(strstr(ta_buf_text(&b), "\\x"));
	assert_non_null(strstr(ta_buf_text(&b), "\u00e4 \u2026 (8001 bytes in all)"));
	assert_true(b.len < TA_HTML_TEXT_MAX + 40);
	ta_buf_reset(&b);
	ta_html_whole(&b, ta_buf_text(&text));
	assert_int_equal(b.len, text.len);
}

static void hashes_are_those_of_the_policy(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	/* printf 'alert(1)' | openssl dgst -sha256 -binary | base64 */
	ta_html_hash(&b, "alert(1)");
	assert_string_equal(ta_buf_text(&b), "sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=");
}

static int add(struct ta_page *p, const char *text, struct ta_err *err)
{
	return ta_page_add(p, "x.json", text, strlen(text), err);
}

/* What a result must not be, and the words for it. */
static void results_that_are_none(void **state)
{
	static const char *const cases[][2] = {
		{"", "the text ends too early"},
		{"[]", "it is no result of tuneaudit"},
		{"{\"schema\":1}", "it is no result of tuneaudit"},
		{"{\"schema\":\"tuneaudit.plan/1\"}", "it is tuneaudit.plan/1, of which there is no page here"},
		{"{\"schema\":\"tuneaudit.check/1\"}", "there is no \"profile\""},
		{"{\"schema\":\"tuneaudit.check/1\",\"profile\":\"a\\u0000b\"}", "profile is not what it should be"},
		{"{\"schema\":\"tuneaudit.check/1\",\"profile\":\"p\",\"score\":101,\"coverage\":1,\"summary\":{},\"findings\":[]}",
			"its score or coverage is not between 0 and 100"},
		{"{\"schema\":\"tuneaudit.check/1\",\"profile\":\"p\",\"score\":1,\"coverage\":1,\"summary\":{},\"findings\":[{\"rule\":3}]}",
			"findings[0].rule is not what it should be"},
		{"{\"schema\":\"tuneaudit.load/1\",\"workload\":\"http\",\"engine\":null,\"path\":\"wire\",\"latency_us\":{\"p50\":1e999}}",
			"latency_us.p50 is not what it should be"},
		{"{\"schema\":\"tuneaudit.trial/1\",\"changes\":[{}]}", "there is no \"verdict\" in changes[0]"},
		{"{\"schema\":\"tuneaudit.facts/1\"}", ""},
	};

	for (size_t i = 0; i < TA_ARRAY_SIZE(cases); i++) {
		struct ta_page *p = ta_page_new();
		struct ta_err err = {0};

		assert_true(add(p, cases[i][0], &err) < 0);
		if (!strstr(err.text, cases[i][1]))
			fail_msg("%s: %s", cases[i][0], err.text);
		assert_int_equal(ta_page_results(p), 0);
		ta_page_free(p);
	}
}

static void facts_and_checks_find_each_other(void **state)
{
	const char *check = "{\"schema\":\"tuneaudit.check/1\",\"profile\":\"p\",\"score\":null,\"coverage\":0,\"summary\":{},\"findings\":[],"
			    "\"host\":{\"name\":\"web1\",\"os\":null,\"kernel\":null,\"arch\":null,\"time\":null}}";
	const char *facts = "{\"schema\":\"tuneaudit.facts/1\",\"host\":{\"name\":\"web1\"},\"facts\":{\"host\":{\"name\":\"web1\"}},\"absent\":{},"
			    "\"incomplete\":{}}";
	const char *const orders[][4] = {{check, facts, NULL}, {facts, check, NULL}, {check, check, facts, facts}, {facts, check, facts, check}};
	const size_t hosts[] = {1, 1, 2, 2};

	for (size_t i = 0; i < TA_ARRAY_SIZE(orders); i++) {
		struct ta_page *p = ta_page_new();

		for (size_t k = 0; k < 4 && orders[i][k]; k++)
			assert_int_equal(add(p, orders[i][k], NULL), 0);
		assert_int_equal(ta_page_results(p), hosts[i]);
		ta_page_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts_are_escaped),
		cmocka_unit_test(tags_take_numbers),
		cmocka_unit_test(long_texts_are_cut_between_characters),
		cmocka_unit_test(hashes_are_those_of_the_policy),
		cmocka_unit_test(results_that_are_none),
		cmocka_unit_test(facts_and_checks_find_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
