/*
 * What the tests of the rule language share: short ways from text to verdict.
 * Functions are static: every test is one program.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include <json-c/json.h>

#include "rule/rule.h"
#include "tests/unit/rule_tables.h"

#define KIT_UNUSED __attribute__((unused))

static struct ta_schema *kit_schema;

/* Everything the engine said of a text. */
struct kit {
	struct ta_rules *rs;
	struct ta_diags diags;
	int rc;
};

KIT_UNUSED static void kit_resolve(struct kit *k)
{
	int rc;

	if (!kit_schema)
		assert_int_equal(ta_schema_new(kit_tables, TA_ARRAY_SIZE(kit_tables), &kit_schema, NULL), 0);
	rc = ta_rules_resolve(k->rs, kit_schema, kit_fixers, TA_ARRAY_SIZE(kit_fixers), &k->diags);
	k->rc = k->rc ? k->rc : rc;
}

KIT_UNUSED static void kit_add(struct kit *k, const char *file, const char *text, unsigned flags)
{
	int rc;

	if (!k->rs)
		k->rs = ta_rules_new();
	assert_non_null(k->rs);
	rc = ta_rules_add_text(k->rs, file, text, strlen(text), flags, &k->diags);
	k->rc = k->rc ? k->rc : rc;
}

/* A set of rules from one text; `diags` tells what is wrong with it. */
KIT_UNUSED static struct kit kit_load(const char *text)
{
	struct kit k = {0};

	kit_add(&k, "t.rules", text, TA_RULES_TRUSTED);
	kit_resolve(&k);
	return k;
}

KIT_UNUSED static void kit_done(struct kit *k)
{
	ta_rules_free(k->rs);
	ta_diags_done(&k->diags);
	kit_schema = ta_schema_free(kit_schema);
}

/* The text must be without fault; otherwise the faults are printed. */
KIT_UNUSED static struct kit kit_good(const char *text)
{
	struct kit k = kit_load(text);

	for (size_t i = 0; i < k.diags.n; i++)
		print_error("%s\n", k.diags.v[i].text);
	assert_int_equal(k.rc, 0);
	assert_int_equal(k.diags.total, 0);
	return k;
}

/* The text must have one fault, whose message holds `message`, at that place (line 0: anywhere). */
KIT_UNUSED static void kit_bad(const char *text, unsigned line, unsigned column, const char *message)
{
	struct kit k = kit_load(text);

	if (k.diags.n != 1 || !strstr(k.diags.v[0].text, message))
		for (size_t i = 0; i < k.diags.n; i++)
			print_error("%s\n", k.diags.v[i].text);
	assert_int_equal(k.diags.n, 1);
	assert_int_equal(k.rc, -EBADMSG);
	assert_non_null(strstr(k.diags.v[0].text, message));
	if (line) {
		assert_int_equal(k.diags.v[0].line, line);
		assert_int_equal(k.diags.v[0].column, column);
	}
	kit_done(&k);
}

/* A rule with this `want` (and `each` over `over`, if not NULL) must have one such fault. */
KIT_UNUSED static void kit_bad_want(const char *want, const char *message)
{
	char text[1024];

	snprintf(text, sizeof(text), "rule a.b\n title \"t\"\n want %s\nend\n", want);
	kit_bad(text, 0, 0, message);
}

/* The only outcome of a rule whose `want` is that expression. The caller frees it. */
KIT_UNUSED static struct ta_outcomes kit_want(const char *want, const struct ta_facts *facts)
{
	struct ta_outcomes out = {0};
	char text[1024];
	struct kit k;

	snprintf(text, sizeof(text), "param rtt_ms : number = 20 unit ms \"round trip\"\nrule a.b\n title \"t\"\n want %s\nend\n",
		want);
	k = kit_good(text);
	assert_int_equal(ta_rule_eval(k.rs, ta_rules_find(k.rs, "a.b"), NULL, facts, &out), 0);
	assert_int_equal(out.n, 1);
	/* Outcomes own their strings, but a fix would borrow from the rules: there is none here. */
	kit_done(&k);
	return out;
}

KIT_UNUSED static void kit_expect(const char *want, const struct ta_facts *facts, enum ta_verdict verdict)
{
	struct ta_outcomes out = kit_want(want, facts);

	if (out.v[0].verdict != verdict)
		print_error("%s: %s, not %s (%s %s)\n", want, ta_verdict_name(out.v[0].verdict), ta_verdict_name(verdict),
			out.v[0].reason, out.v[0].detail);
	assert_int_equal(out.v[0].verdict, verdict);
	ta_outcomes_done(&out);
}

/* Its reason must be that word, its detail hold that text. */
KIT_UNUSED static void kit_expect_why(const char *want, const struct ta_facts *facts, enum ta_verdict verdict,
	const char *reason, const char *detail)
{
	struct ta_outcomes out = kit_want(want, facts);

	if (!strstr(out.v[0].detail, detail))
		print_error("%s: %s: %s\n", want, out.v[0].reason, out.v[0].detail);
	assert_int_equal(out.v[0].verdict, verdict);
	assert_string_equal(out.v[0].reason, reason);
	assert_non_null(strstr(out.v[0].detail, detail));
	ta_outcomes_done(&out);
}

KIT_UNUSED static void kit_expect_because(const char *want, const struct ta_facts *facts, const char *because)
{
	struct ta_outcomes out = kit_want(want, facts);

	assert_string_equal(out.v[0].because, because);
	ta_outcomes_done(&out);
}
