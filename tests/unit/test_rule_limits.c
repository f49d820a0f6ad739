/*
 * Texts of any size and shape: a clean diagnostic, soon, on a small stack.
 */
#include "tests/unit/rule_kit.h"

#include <pthread.h>
#include <time.h>

static const char *text_now;
static size_t len_now;

static void *load(void *ctx)
{
	struct kit *k = ctx;

	k->rs = ta_rules_new();
	k->rc = ta_rules_add_text(k->rs, "t.rules", text_now, len_now, 0, &k->diags);
	kit_resolve(k);
	return NULL;
}

/* Instrumented code is slower and needs more stack. */
#if defined(__SANITIZE_ADDRESS__)
#define STACK (1u << 20)
#define SECONDS_MAX 5.0
#else
#define STACK (128u << 10)
#define SECONDS_MAX 0.5
#endif

/* Loads on a small stack; it must not take long. */
static struct kit load_small(const char *text, size_t len)
{
	struct kit k = {0};
	struct timespec start, end;
	pthread_attr_t attr;
	pthread_t thread;
	double seconds;

	text_now = text;
	len_now = len;
	pthread_attr_init(&attr);
	assert_int_equal(pthread_attr_setstacksize(&attr, STACK), 0);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	assert_int_equal(pthread_create(&thread, &attr, load, &k), 0);
	pthread_join(thread, NULL);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	pthread_attr_destroy(&attr);
	seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
	assert_true(seconds < SECONDS_MAX || getenv("TA_VALGRIND"));
	return k;
}

/* "head", `n` times "piece", "tail" must be refused with that message. */
static void refused(const char *head, const char *piece, size_t n, const char *tail, const char *message)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct kit k;

	ta_buf_adds(&b, head);
	for (size_t i = 0; i < n; i++)
		ta_buf_adds(&b, piece);
	ta_buf_adds(&b, tail);
	k = load_small(b.data, b.len);
	assert_true(k.rc < 0);
	assert_true(k.diags.n >= 1);
	if (!strstr(k.diags.v[0].text, message))
		print_error("%s\n", k.diags.v[0].text);
	assert_non_null(strstr(k.diags.v[0].text, message));
	kit_done(&k);
}

#define HEAD "rule a.b\n title \"t\"\n want "

static void test_ten_megabytes(void **state)
{
	refused(HEAD, "1 + ", 10 << 18, "1 > 0\nend\n", "bytes, at most 262144 are read");
}

static void test_sixty_thousand_nested(void **state)
{
	refused(HEAD, "(", 60000, "1", "nested deeper than 64");
	refused(HEAD, "-", 60000, "1", "nested deeper than 64");
	refused(HEAD, "[", 60000, "1", "nested deeper than 64");
	refused(HEAD, "not ", 60000, "true", "`not` needs parentheses");
	refused(HEAD, "(not ", 50000, "true", "nested deeper than 64");
	refused(HEAD, "min(", 60000, "1", "nested deeper than 64");
	refused(HEAD, "if ", 60000, "1", "nested deeper than 64");
	refused(HEAD "nics", "[nics", 50000, "", "nested deeper than 64");
	refused(HEAD "nics", ".a", 60000, "", "nested deeper than 64");
	refused(HEAD "nics", "[*]", 60000, "", "nested deeper than 64");
	refused(HEAD, "all(x in nics : ", 15000, "", "nested deeper than 64");
}

static void test_sixty_thousand_terms(void **state)
{
	refused(HEAD, "1+", 60000, "1 > 0\nend\n", "nested deeper than 64");
	refused(HEAD, "1*1+", 60000, "1 > 0\nend\n", "nested deeper than 64");
	refused(HEAD, "1<", 60000, "1\nend\n", "the rule is too long: more than 2000");
	refused(HEAD, "true and ", 20000, "true\nend\n", "the rule is too long: more than 2000");
	refused(HEAD "[", "1,", 60000, "1] == [1]\nend\n", "the rule is too long: more than 2000");
}

static void test_many_stanzas_and_faults(void **state)
{
	struct kit k;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	refused("", "rule ", 50000, "", "has no `end`");
	refused("", "\"", 200000, "", "expected rule");
	refused("", "x\n", 100000, "", "expected rule, param, profile or waive");
	refused("rule a.b title \"t\" want true\n", "case pass \"x\" {\n", 15000, "", "not closed");
	refused("rule a.b title \"t\" ref ", "\"x\" ", 60000, "want true end", "more than 16 sources");
	refused("rule a.b title ", "\"x\" ", 60000, "wnt true end", "no key 'wnt'");
	/* A thousand faults: a hundred are told, all are counted. */
	for (int i = 0; i < 1000; i++)
		ta_buf_printf(&b, "rule a.b%d title \"t\" want nope > %d end\n", i, i);
	k = load_small(b.data, b.len);
	assert_int_equal(k.diags.n, 100);
	assert_int_equal(k.diags.total, 1000);
	kit_done(&k);
}

static void test_many_good_rules(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct kit k;

	for (int i = 0; b.len < (256 << 10) - 100; i++)
		ta_buf_printf(&b, "rule a.b%d title \"t\" want true end\n", i);
	k = load_small(b.data, b.len);
	assert_int_equal(k.rc, 0);
	kit_done(&k);
}

/* An expression as high and as long as is allowed, evaluated and explained on the small stack. */
static void *judge(void *ctx)
{
	struct kit *k = ctx;
	struct ta_facts *f = ta_facts_new();
	struct ta_buf b = TA_BUF_INIT;
	struct ta_outcomes out = {0};

	assert_int_equal(ta_rule_eval(k->rs, ta_rules_first(k->rs), NULL, f, &out), 0);
	assert_int_equal(out.v[0].verdict, TA_V_FAIL);
	assert_int_equal(ta_rule_explain(k->rs, ta_rules_first(k->rs), NULL, f, &b), 0);
	ta_outcomes_done(&out);
	ta_buf_done(&b);
	ta_facts_free(f);
	return NULL;
}

static void test_the_highest_tree(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	pthread_attr_t attr;
	pthread_t thread;
	struct kit k;

	ta_buf_adds(&b, HEAD);
	for (int i = 0; i < 60; i++)
		ta_buf_adds(&b, "(true and ");
	ta_buf_adds(&b, "1 > 2");
	for (int i = 0; i < 60; i++)
		ta_buf_addc(&b, ')');
	ta_buf_adds(&b, "\nend\n");
	k = load_small(b.data, b.len);
	assert_int_equal(k.rc, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK);
	assert_int_equal(pthread_create(&thread, &attr, judge, &k), 0);
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	kit_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ten_megabytes),
		cmocka_unit_test(test_sixty_thousand_nested),
		cmocka_unit_test(test_sixty_thousand_terms),
		cmocka_unit_test(test_many_stanzas_and_faults),
		cmocka_unit_test(test_many_good_rules),
		cmocka_unit_test(test_the_highest_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
