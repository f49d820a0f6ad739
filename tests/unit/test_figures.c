/* Figures and tables of a load run, as people and programs see them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "report/load.h"

static void fill(struct ta_load_result *r)
{
	struct ta_load_table *t;

	*r = (struct ta_load_result){.workload = "hold", .path = "loopback", .counts = "requests", .threads = 1, .pipeline = 1, .target = "x"};
	ta_figures_number(&r->figures, "held", "Held", 60000, "%u connections", 60000u);
	ta_figures_text(&r->figures, "refused_by", "Refused by", "%s", "nothing");
	ta_figures_number(&r->figures, "hidden", NULL, 1.5, "%s", "");
	t = ta_figures_table(&r->figures, "ends", "Both ends", "end|processes");
	ta_load_table_text(t, "client");
	ta_load_table_number(t, 3, 0);
	ta_load_table_text(t, "server");
	ta_load_table_number(t, 12, 0);
	assert_int_equal(ta_figures_error(&r->figures), 0);
}

static void test_text(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_load_result r;

	(void)state;
	fill(&r);
	ta_report_load_text(&r, NULL, 80, &b);
	assert_non_null(strstr(ta_buf_text(&b), "Held        60000 connections\nRefused by  nothing\n\nBoth ends\n"
						"end     processes\nclient          3\nserver         12\n"));
	assert_null(strstr(ta_buf_text(&b), "hidden"));
	ta_load_result_done(&r);
}

static void test_json(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct ta_load_result r;

	(void)state;
	fill(&r);
	ta_report_load_json(&r, NULL, &b);
	assert_non_null(strstr(ta_buf_text(&b), "\"held\":60000"));
	assert_non_null(strstr(ta_buf_text(&b), "\"refused_by\":\"nothing\",\"hidden\":1.5"));
	assert_non_null(strstr(ta_buf_text(&b),
		"\"ends\":[{\"end\":\"client\",\"processes\":3},{\"end\":\"server\",\"processes\":12}]"));
	ta_load_result_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
