#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "cli/complete.h"

static void test_takes_of(void **state)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;

	assert_int_equal(ta_takes_of(NULL, &words), TA_TAKES_ANYTHING);
	assert_int_equal(ta_takes_of("FILE", &words), TA_TAKES_FILE);
	assert_int_equal(ta_takes_of("ID,...", &words), TA_TAKES_RULES);
	assert_int_equal(ta_takes_of("SECONDS", &words), TA_TAKES_ANYTHING);
	assert_int_equal(ta_takes_of("ADDR[:PORT]", &words), TA_TAKES_ANYTHING);
	assert_int_equal(words.n, 0);
	assert_int_equal(ta_takes_of("none|flow-reset|link-flap", &words), TA_TAKES_WORDS);
	assert_int_equal(words.n, 3);
	assert_string_equal(words.v[1], "flow-reset");
	/* Once each. */
	assert_int_equal(ta_takes_of("none", &words), TA_TAKES_WORDS);
	assert_int_equal(words.n, 3);
}

/* What follows `before` (words with a blank between them) in `usage`: its kinds as digits and its words. */
static void next(const char *usage, const char *before, const char *wanted)
{
	ta_cleanup_strv struct ta_strv typed = TA_STRV_INIT, words = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf seen = TA_BUF_INIT;
	bool kinds[TA_TAKES_KINDS];

	ta_strv_split(&typed, before, " ");
	ta_takes_next(usage, typed.v, typed.n, kinds, &words);
	for (int k = TA_TAKES_ANYTHING + 1; k < TA_TAKES_KINDS; k++)
		if (kinds[k] && k != TA_TAKES_WORDS)
			ta_buf_printf(&seen, "%s%d", seen.len ? " " : "", k);
	for (size_t i = 0; i < words.n; i++)
		ta_buf_printf(&seen, "%s%s", seen.len ? " " : "", words.v[i]);
	assert_string_equal(ta_buf_text(&seen), wanted);
}

static void test_takes_next(void **state)
{
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, workload = TA_BUF_INIT, run = TA_BUF_INIT;
	const char *load = "WORKLOAD [TARGET] | serve [WORKLOAD] | serve --listen ADDR[:PORT]";

	ta_buf_printf(&file, "%d", TA_TAKES_FILE);
	ta_buf_printf(&workload, "%d", TA_TAKES_WORKLOAD);
	ta_buf_printf(&run, "%d", TA_TAKES_RUN);
	next("", "", "");
	next("FILE", "", ta_buf_text(&file));
	next("FILE", "a", "");
	next("FILE...", "a b c", ta_buf_text(&file));
	next("list | check FILE...", "", "list check");
	next("list | check FILE...", "list", "");
	next("list | check FILE...", "check", ta_buf_text(&file));
	next("list | check FILE...", "check a b", ta_buf_text(&file));
	next("list | check FILE...", "chekc", "");
	next("save FILE | diff FILE [FILE]", "diff a", ta_buf_text(&file));
	next("save FILE | diff FILE [FILE]", "save a", "");
	next("[RUN [CHANGE]]", "", ta_buf_text(&run));
	next("[RUN [CHANGE]]", "3", "");
	next(load, "serve", ta_buf_text(&workload));
	next(load, "http", "");
	ta_buf_adds(&workload, " serve");
	next(load, "", ta_buf_text(&workload));
}

/* The lines, with '/' for their ends and ':' for tabs. */
static void offers(const char *line, const char *last, const char *wanted)
{
	ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_strv_split(&words, line, " ");
	ta_strv_add(&words, last);
	ta_complete(words.v, words.n, &b);
	for (size_t i = 0; i < b.len; i++)
		b.data[i] = b.data[i] == '\n' ? '/' : b.data[i] == '\t' ? ':' : b.data[i];
	assert_string_equal(ta_buf_text(&b), wanted);
}

static void test_lines(void **state)
{
	offers("", "chec", "values/check:judges this host: score, findings, what to type/");
	offers("", "superv", "");
	offers("nosuch", "", "");
	offers("nosuch", "c", "");
	offers("check", "--min", "values/--min-coverage:exit 3 if less than N percent could be judged (default 50)/");
	/* A value that is there already is not asked for again; behind "--" there are no options. */
	offers("check --min-coverage 3", "--min", "");
	offers("capture --", "--an", "directories/");
	offers("check --min-coverage", "", "");
	offers("check --fail-on", "w", "values/warning/");
	offers("check", "--fail-on=w", "values/warning/");
	offers("-q check --fail-on", "e", "values/error/");
	/* The letter's value is the next word, or the rest of this one. */
	offers("load -c", "h", "");
	offers("load -c9", "ht", "values/http:GET requests over connections that stay open/");
	offers("load http", "--connec",
		"values/--connections:how many are open at a time (default 50; hold: 10000, stream: 1)/");
	offers("load http -c 5", "--connec", "");
	offers("check --rules", "", "directories/");
	offers("apply --plan", "", "files/");
	offers("apply", "--plan=x", "files/");
	offers("report -o", "", "files/");
	offers("baseline diff a", "", "files/");
	offers("help", "confir", "values/confirm:keeps what apply changed on condition, and would undo by itself/");
	offers("history --state /nonexistent", "", "values/--format:text for people (default), json for programs/"
		"--quiet:only what matters most/--verbose:more of everything/--help:this text; after a command, that command's/"
		"--version:the version/");
}

/* A word for a value is one that completion knows, or one of those for which there is nothing to offer. */
static void test_every_option(void **state)
{
	static const char *const free_texts[] = {"ADDR", "ADDR[:PORT]", "TEXT", "PID:START", "RUN"};
	size_t seen = 0;

	for (size_t c = 0; c < ta_n_commands; c++) {
		for (size_t i = 0; i < ta_commands[c]->n_options; i++) {
			const struct ta_option *o = &ta_commands[c]->options[i];
			ta_cleanup_strv struct ta_strv words = TA_STRV_INIT;
			bool is_free = false;

			if (o->kind != TA_OPT_STRING || ta_takes_of(o->arg, &words) != TA_TAKES_ANYTHING)
				continue;
			for (size_t k = 0; k < TA_ARRAY_SIZE(free_texts); k++)
				is_free = is_free || !strcmp(o->arg, free_texts[k]);
			if (!is_free)
				fail_msg("%s --%s %s: what is to be offered for it?", ta_commands[c]->name, o->name, o->arg);
			seen++;
		}
	}
	assert_true(seen > 2);
}

static void test_nothing(void **state)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;

	ta_complete(NULL, 0, &b);
	assert_int_equal(b.len, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_takes_of),
		cmocka_unit_test(test_takes_next),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_every_option),
		cmocka_unit_test(test_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
