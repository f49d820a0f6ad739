/*
 * The examples of docs/language.md are what they say: every block marked `rules` loads
 * with the real facts and fixers, and its cases hold; every block marked `rules-fault`
 * gives the messages of the text block behind it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "fix/fixer.h"
#include "probe/collect.h"
#include "rule/rule.h"

static char *manual;
static struct ta_schema *schema;
static struct ta_fix_sig *fixers;
static size_t n_fixers;

static int read_manual(void **state)
{
	FILE *f = fopen("docs/language.md", "r");
	size_t n;

	if (!f)
		return -1;
	manual = calloc(1, 256 << 10);
	n = manual ? fread(manual, 1, (256 << 10) - 1, f) : 0;
	fclose(f);
	if (!n || ta_collect_schema(&schema, NULL) < 0 || ta_fixer_sigs(&fixers, &n_fixers) < 0)
		return -1;
	return 0;
}

static int done_manual(void **state)
{
	free(manual);
	free(fixers);
	ta_schema_free(schema);
	return 0;
}

/* The next block behind *at that is fenced as `mark`, copied; *at moves behind it. NULL: no more. */
static char *next_block(const char **at, const char *mark)
{
	char fence[32];
	const char *start, *end;

	snprintf(fence, sizeof(fence), "```%s\n", mark);
	start = strstr(*at, fence);
	if (!start)
		return NULL;
	start += strlen(fence);
	end = strstr(start, "```\n");
	assert_non_null(end);
	*at = end + 4;
	return strndup(start, (size_t)(end - start));
}

static struct ta_rules *load(const char *text, struct ta_diags *diags)
{
	struct ta_rules *rs = ta_rules_new();

	ta_rules_add_text(rs, "example.rules", text, strlen(text), 0, diags);
	ta_rules_resolve(rs, schema, fixers, n_fixers, diags);
	return rs;
}

static void test_examples_hold(void **state)
{
	const char *at = manual;
	size_t blocks = 0;
	char *text;

	for (; (text = next_block(&at, "rules")); blocks++) {
		struct ta_diags diags = {0};
		struct ta_rules *rs = load(text, &diags);
		size_t n = 0;

		for (const struct ta_rule *r = ta_rules_first(rs); r; r = r->next)
			ta_rule_run_cases(rs, r, &diags, &n);
		for (size_t i = 0; i < diags.n; i++)
			print_error("%s\n", diags.v[i].text);
		assert_int_equal(diags.total, 0);
		assert_true(n >= 3);
		ta_rules_free(rs);
		ta_diags_done(&diags);
		free(text);
	}
	assert_true(blocks >= 5);
}

static void test_faults_are_told_so(void **state)
{
	const char *at = manual;
	char *text = next_block(&at, "rules-fault"), *expected = next_block(&at, "text");
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_diags diags = {0};
	struct ta_rules *rs;

	assert_non_null(text);
	assert_non_null(expected);
	rs = load(text, &diags);
	for (size_t i = 0; i < diags.n; i++)
		ta_buf_printf(&b, "%s\n", diags.v[i].text);
	assert_string_equal(ta_buf_text(&b), expected);
	ta_rules_free(rs);
	ta_diags_done(&diags);
	free(text);
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_examples_hold),
		cmocka_unit_test(test_faults_are_told_so),
	};

	return cmocka_run_group_tests(tests, read_manual, done_manual);
}
