#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "audit/score.h"

/* Findings written as one letter per subject, rule by rule: an audit as it is before scoring. */
struct line {
	struct ta_rule rule;
	const char *verdicts;
};

#define RULE(i, a, w, v)                                                                           \
	{                                                                                          \
		{.id = (i), .area = (a), .weight = (w)}, (v)                                       \
	}

static enum ta_verdict verdict_of(char c)
{
	switch (c) {
	case 'p':
		return TA_V_PASS;
	case 'F': /* with evidence */
	case 'f':
		return TA_V_FAIL;
	case 'u':
		return TA_V_UNKNOWN;
	case 'b':
		return TA_V_BROKEN;
	case 'w':
		return TA_V_WAIVED;
	case 'r':
		return TA_V_PENDING_REBOOT;
	case 'c':
		return TA_V_CONFLICT;
	case 's':
		return TA_V_UNSUPPORTED;
	case 'n':
		return TA_V_NA;
	}
	fail_msg("no verdict '%c'", c);
	return TA_V_NA;
}

static struct ta_audit score(const struct line *lines, size_t n)
{
	struct ta_audit a = {.findings = calloc(200, sizeof(*a.findings))};

	assert_non_null(a.findings);
	for (size_t i = 0; i < n; i++) {
		for (const char *v = lines[i].verdicts; *v; v++) {
			struct ta_finding *f = &a.findings[a.n_findings++];

			f->rule = &lines[i].rule;
			f->weight = lines[i].rule.weight;
			f->severity = TA_SEV_WARNING;
			f->out.verdict = verdict_of(*v);
			f->out.evidence_hurts = *v == 'F';
		}
	}
	assert_int_equal(ta_score_fill(&a), 0);
	assert_int_equal(ta_score_sort(&a), 0);
	return a;
}

#define SCORE(lines) score((lines), TA_ARRAY_SIZE(lines))

static void a_rule_counts_once(void **state)
{
	const struct line lines[] = {
		RULE("nic.queues", "nic", 8, "ppppppppppppppppppppppppppppppff"),
		RULE("tcp.rmem", "tcp", 4, "f"),
	};
	struct ta_audit a = SCORE(lines);

	/* lost 8 * 2/32 + 4 = 4.5 of 12 */
	assert_true(a.has_score);
	assert_int_equal(a.score, 62);
	assert_int_equal(a.coverage, 100);
	assert_int_equal(a.summary[TA_V_PASS], 30);
	assert_int_equal(a.summary[TA_V_FAIL], 3);
	ta_audit_done(&a);
}

static void unknown_lowers_coverage_only(void **state)
{
	const struct line known[] = {RULE("a.x", "a", 5, "p"), RULE("b.x", "b", 5, "f")};
	const struct line more[] = {
		RULE("a.x", "a", 5, "p"), RULE("b.x", "b", 5, "f"), RULE("c.x", "c", 10, "u")};
	const struct line part[] = {RULE("a.x", "a", 10, "pppu")};
	struct ta_audit a = SCORE(known), b = SCORE(more), c = SCORE(part);

	assert_int_equal(a.score, 50);
	assert_int_equal(a.coverage, 100);
	assert_int_equal(b.score, 50);
	assert_int_equal(b.coverage, 50);
	assert_int_equal(c.score, 100);
	assert_int_equal(c.coverage, 75);
	ta_audit_done(&a);
	ta_audit_done(&b);
	ta_audit_done(&c);
}

static void what_does_not_apply_is_in_neither(void **state)
{
	const struct line lines[] = {
		RULE("a.x", "a", 1, "p"),
		RULE("b.x", "b", 10, "n"),
		RULE("c.x", "c", 10, "s"),
		RULE("d.x", "d", 10, "w"),
	};
	struct ta_audit a = SCORE(lines);

	assert_int_equal(a.score, 100);
	assert_int_equal(a.coverage, 100);
	assert_int_equal(a.summary[TA_V_WAIVED], 1);
	ta_audit_done(&a);
}

static void no_score_without_a_judgement(void **state)
{
	const struct line unknown[] = {RULE("a.x", "a", 5, "u"), RULE("b.x", "b", 5, "b")};
	const struct line apart[] = {RULE("a.x", "a", 5, "n")};
	struct ta_audit none = score(NULL, 0), a = SCORE(unknown), b = SCORE(apart);

	assert_false(none.has_score);
	assert_int_equal(none.coverage, 0);
	assert_false(a.has_score);
	assert_int_equal(a.coverage, 0);
	/* Nothing applies: nothing is open either. */
	assert_false(b.has_score);
	assert_int_equal(b.coverage, 100);
	ta_audit_done(&none);
	ta_audit_done(&a);
	ta_audit_done(&b);
}

static void rounding_never_flatters(void **state)
{
	const struct line lines[] = {
		RULE("a.x", "a", 10,
			"pppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"
			"pppppf"),
		RULE("b.x", "b", 10, "p"),
	};
	const struct line thirds[] = {
		RULE("a.x", "a", 3, "ppf"), RULE("b.x", "b", 3, "pff"), RULE("c.x", "c", 4, "p")};
	const struct line little[] = {RULE("a.x", "a", 1, "p"), RULE("b.x", "b", 10, "u"),
		RULE("c.x", "c", 10, "u"), RULE("d.x", "d", 10, "u"), RULE("e.x", "e", 10, "u"),
		RULE("f.x", "f", 10, "u"), RULE("g.x", "g", 10, "u"), RULE("h.x", "h", 10, "u"),
		RULE("i.x", "i", 10, "u"), RULE("j.x", "j", 10, "u"), RULE("k.x", "k", 10, "u"),
		RULE("l.x", "l", 10, "u")};
	struct ta_audit a = SCORE(lines), b = SCORE(thirds), c = SCORE(little);

	assert_int_equal(a.score, 99);
	/* 2 + 1 + 4 of 10: whole, whatever the quotients lose. */
	assert_int_equal(b.score, 70);
	/* 1 of 111 was judged: a score, so coverage is not 0. */
	assert_true(c.has_score);
	assert_int_equal(c.coverage, 1);
	ta_audit_done(&a);
	ta_audit_done(&b);
	ta_audit_done(&c);
}

static void what_waits_for_a_reboot_is_not_in_force(void **state)
{
	const struct line lines[] = {
		RULE("a.x", "a", 5, "p"), RULE("b.x", "b", 3, "r"), RULE("c.x", "c", 2, "c")};
	struct ta_audit a = SCORE(lines);

	assert_int_equal(a.score, 50);
	ta_audit_done(&a);
}

static void areas_tell_what_they_cost(void **state)
{
	const struct line lines[] = {
		RULE("nic.a", "nic", 4, "f"),
		RULE("nic.b", "nic", 4, "p"),
		RULE("tcp.a", "tcp", 6, "pf"),
		RULE("cpu.a", "cpu", 6, "p"),
		RULE("irq.a", "irq", 5, "u"),
	};
	struct ta_audit a = SCORE(lines);
	double points = 0;

	assert_int_equal(a.n_areas, 4);
	assert_string_equal(a.areas[0].name, "nic");
	assert_string_equal(a.areas[1].name, "tcp");
	assert_true(a.areas[0].points == 20 && a.areas[1].points == 15);
	assert_true(a.areas[0].weight == 8 && a.areas[0].lost == 4);
	for (size_t i = 0; i < a.n_areas; i++)
		points += a.areas[i].points;
	assert_int_equal(a.score, 65);
	assert_true(points == 35);
	assert_string_equal(a.areas[3].name, "irq");
	assert_true(a.areas[3].unknown == 5 && a.areas[3].weight == 0);
	ta_audit_done(&a);
}

static void proven_harm_comes_first(void **state)
{
	const struct line lines[] = {
		RULE("a.light", "a", 2, "p"),
		RULE("b.heavy", "b", 9, "fpf"),
		RULE("c.hurts", "c", 3, "fF"),
		RULE("d.heavy", "d", 9, "uf"),
	};
	const char *const order[] = {"c.hurts", "c.hurts", "b.heavy", "b.heavy", "d.heavy",
		"d.heavy", "b.heavy", "a.light"};
	struct ta_audit a = SCORE(lines);

	assert_int_equal(a.n_findings, TA_ARRAY_SIZE(order));
	for (size_t i = 0; i < a.n_findings; i++)
		assert_string_equal(a.findings[i].rule->id, order[i]);
	assert_true(a.findings[0].out.evidence_hurts);
	assert_false(a.findings[1].out.evidence_hurts);
	assert_int_equal(a.findings[5].out.verdict, TA_V_UNKNOWN);
	assert_int_equal(a.findings[6].out.verdict, TA_V_PASS);
	ta_audit_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_rule_counts_once),
		cmocka_unit_test(unknown_lowers_coverage_only),
		cmocka_unit_test(what_does_not_apply_is_in_neither),
		cmocka_unit_test(no_score_without_a_judgement),
		cmocka_unit_test(rounding_never_flatters),
		cmocka_unit_test(what_waits_for_a_reboot_is_not_in_force),
		cmocka_unit_test(areas_tell_what_they_cost),
		cmocka_unit_test(proven_harm_comes_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
