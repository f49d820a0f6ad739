#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>
#include <cmocka.h>

#include "cli/options.h"

struct values {
	const char *profile;
	bool dry_run;
	int64_t coverage, wait;
	struct ta_strv only;
};

static const struct ta_option options[] = {
	{.name = "profile",
		.arg = "NAME",
		.kind = TA_OPT_STRING,
		.offset = offsetof(struct values, profile)},
	{.name = "dry-run", .kind = TA_OPT_FLAG, .offset = offsetof(struct values, dry_run)},
	{.name = "min-coverage",
		.arg = "N",
		.kind = TA_OPT_NUMBER,
		.offset = offsetof(struct values, coverage),
		.unset = 50,
		.max = 100},
	{.name = "wait",
		.arg = "SECONDS",
		.kind = TA_OPT_SECONDS,
		.offset = offsetof(struct values, wait),
		.unset = 5000,
		.min = 50,
		.max = 3600000},
	{.name = "only",
		.arg = "ID,...",
		.kind = TA_OPT_LIST,
		.offset = offsetof(struct values, only)},
};

static const struct ta_command command = {
	.name = "test",
	.args = "FILE...",
	.options = options,
	.n_options = TA_ARRAY_SIZE(options),
	.values_size = sizeof(struct values),
	.min_args = 0,
	.max_args = 2,
};

struct parsed {
	struct values values;
	struct ta_globals globals;
	struct ta_strv args;
	struct ta_err err;
	int rc;
};

/* The words of a command line, ended by NULL. */
static void parse(struct parsed *p, const char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	memset(p, 0, sizeof(*p));
	p->rc = ta_options_parse(
		&command, (char *const *)words, n, &p->globals, &p->values, &p->args, &p->err);
}

static void done(struct parsed *p)
{
	ta_options_done(&command, &p->values);
	ta_strv_done(&p->args);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refused(const char *const *words, const char *message)
{
	struct parsed p;

	parse(&p, words);
	assert_int_equal(p.rc, -EINVAL);
	if (!strstr(p.err.text, message))
		fail_msg("'%s' does not say '%s'", p.err.text, message);
	done(&p);
}

static void accepts_both_spellings(void **state)
{
	struct parsed p;

	parse(&p, WORDS("--profile", "gateway", "--min-coverage=7", "--dry-run", "a", "-"));
	assert_int_equal(p.rc, 0);
	assert_string_equal(p.values.profile, "gateway");
	assert_int_equal(p.values.coverage, 7);
	assert_true(p.values.dry_run);
	assert_int_equal(p.args.n, 2);
	assert_string_equal(p.args.v[1], "-");
	done(&p);

	parse(&p, WORDS("--profile=", "x"));
	assert_int_equal(p.rc, -EINVAL);
	done(&p);
}

static void seconds_are_decimal(void **state)
{
	static const struct {
		const char *text;
		int64_t ms;
	} good[] = {{"1", 1000}, {"0.05", 50}, {"0.050", 50}, {"1.5", 1500}, {"3600.000", 3600000}, {"007", 7000}, {"2.75", 2750}};
	static const char *const bad[] = {"0", "0.049", "3600.001", "1.", ".5", "1.2345", "-1", "+1", "1e1", "1,5", " 1", "1 ", "1s", "0x1",
		"1.2.3", "99999999999999999999"};
	struct parsed p;

	for (size_t i = 0; i < TA_ARRAY_SIZE(good); i++) {
		parse(&p, WORDS("--wait", good[i].text));
		assert_int_equal(p.rc, 0);
		assert_int_equal(p.values.wait, good[i].ms);
		done(&p);
	}
	for (size_t i = 0; i < TA_ARRAY_SIZE(bad); i++) {
		const char *const words[] = {"--wait", bad[i], NULL};

		refused(words, "--wait takes seconds from 0.05 to 3600, not '");
	}
}

static void what_is_not_given(void **state)
{
	struct parsed p;

	parse(&p, (const char *const[]){NULL});
	assert_int_equal(p.rc, 0);
	assert_null(p.values.profile);
	assert_false(p.values.dry_run);
	assert_int_equal(p.values.coverage, 50);
	assert_int_equal(p.values.wait, 5000);
	assert_int_equal(p.values.only.n, 0);
	done(&p);
}

static void repeats(void **state)
{
	struct parsed p;

	parse(&p, WORDS("--only", "a,b", "--only=c", "--profile=x", "--profile=y"));
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.values.only.n, 3);
	assert_string_equal(p.values.only.v[2], "c");
	assert_string_equal(p.values.profile, "y");
	done(&p);
}

static void dashes_end_options(void **state)
{
	struct parsed p;

	parse(&p, WORDS("--", "--profile", "-q"));
	assert_int_equal(p.rc, 0);
	assert_int_equal(p.args.n, 2);
	assert_string_equal(p.args.v[0], "--profile");
	assert_false(p.globals.quiet);
	done(&p);
}

static void letters_cluster(void **state)
{
	struct parsed p;

	parse(&p, WORDS("-qv", "-h"));
	assert_int_equal(p.rc, 0);
	assert_true(p.globals.quiet && p.globals.verbose && p.globals.help);
	done(&p);
	refused(WORDS("-qx"), "-qx");
}

static void refuses_with_a_reason(void **state)
{
	refused(WORDS("--profil", "x"), "did you mean '--profile'");
	refused(WORDS("--prof=x"), "unknown option '--prof'");
	refused(WORDS("--zebra"), "unknown option '--zebra'");
	refused(WORDS("--profile"), "--profile needs NAME");
	refused(WORDS("--profile", "--dry-run"), "--profile needs NAME");
	refused(WORDS("--dry-run=yes"), "takes no value");
	refused(WORDS("--quiet=1"), "takes no value");
	refused(WORDS("--only", ","), "--only needs ID");
	refused(WORDS("a", "b", "c"), "'c' is one argument too many");
}

static void numbers_are_strict(void **state)
{
	refused(WORDS("--min-coverage=101"), "from 0 to 100");
	refused(WORDS("--min-coverage=-1"), "from 0 to 100");
	refused(WORDS("--min-coverage", "5x"), "from 0 to 100");
	refused(WORDS("--min-coverage="), "from 0 to 100");
	refused(WORDS("--min-coverage", " 5"), "from 0 to 100");
	refused(WORDS("--min-coverage=0x10"), "from 0 to 100");
	refused(WORDS("--min-coverage=99999999999999999999"), "from 0 to 100");
}

static void help_needs_no_arguments(void **state)
{
	struct ta_command strict = command;
	struct ta_globals globals = {0};
	struct ta_strv args = TA_STRV_INIT;
	struct values values;
	struct ta_err err;

	strict.min_args = 1;
	assert_int_equal(
		ta_options_parse(&strict, NULL, 0, &globals, &values, &args, &err), -EINVAL);
	assert_int_equal(ta_options_parse(&strict, (char *const *)WORDS("--help"), 1, &globals,
				 &values, &args, &err),
		0);
	ta_strv_done(&args);
}

static void globals_before_the_command(void **state)
{
	struct ta_globals globals = {0};
	struct ta_err err;
	size_t next;

	assert_int_equal(ta_options_globals((char *const *)WORDS("-v", "--quiet", "check", "-h"), 4,
				 &globals, &next, &err),
		0);
	assert_int_equal(next, 2);
	assert_true(globals.verbose && globals.quiet && !globals.help);
	assert_int_equal(ta_options_globals(
				 (char *const *)WORDS("--profile", "x"), 2, &globals, &next, &err),
		-EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_both_spellings),
		cmocka_unit_test(seconds_are_decimal),
		cmocka_unit_test(what_is_not_given),
		cmocka_unit_test(repeats),
		cmocka_unit_test(dashes_end_options),
		cmocka_unit_test(letters_cluster),
		cmocka_unit_test(refuses_with_a_reason),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(help_needs_no_arguments),
		cmocka_unit_test(globals_before_the_command),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
