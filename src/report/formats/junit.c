/*
 * JUnit XML as CI servers read it (testsuites, testsuite, testcase, failure, error, skipped): an area is a suite, a rule's
 * subject is a case. What could not be judged is skipped, with the reason.
 */
#include <string.h>

#include "report/drift.h"
#include "report/escape.h"

static void attr(struct ta_buf *b, const char *name, const char *value)
{
	ta_buf_printf(b, " %s=\"", name);
	ta_escape_xml(b, value);
	ta_buf_addc(b, '"');
}

enum kind { PASSED, FAILED, BROKEN, SKIPPED };

static enum kind kind_of(const struct ta_finding *f)
{
	if (ta_audit_is_failing(f->out.verdict))
		return FAILED;
	if (f->out.verdict == TA_V_BROKEN)
		return BROKEN;
	return f->out.verdict == TA_V_PASS ? PASSED : SKIPPED;
}

static void add_text(struct ta_buf *b, const char *before, const char *text)
{
	if (!text || !*text)
		return;
	ta_buf_adds(b, before);
	ta_escape_xml(b, text);
	ta_buf_addc(b, '\n');
}

static void add_failure(const struct ta_finding *f, const char *element, struct ta_buf *b)
{
	ta_buf_printf(b, "      <%s", element);
	attr(b, "type", ta_severity_name(f->severity));
	attr(b, "message", f->out.because);
	ta_buf_addc(b, '>');
	add_text(b, "", f->rule->why);
	for (size_t i = 0; i < f->out.n_evidence; i++)
		add_text(b, "evidence: ", f->out.evidence[i]);
	add_text(b, "type: ", f->fix_command ? f->fix_command : f->rule->advice);
	ta_buf_printf(b, "</%s>\n", element);
}

static void add_skipped(const struct ta_finding *f, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf why = TA_BUF_INIT;
	const char *detail = f->out.verdict == TA_V_WAIVED ? f->waived_because : f->out.detail;

	ta_buf_printf(&why, "%s%s%s", ta_verdict_name(f->out.verdict), detail && *detail ? ": " : "", detail ? detail : "");
	ta_buf_adds(b, "      <skipped");
	attr(b, "message", ta_buf_text(&why));
	ta_buf_adds(b, "/>\n");
}

static void add_case(const struct ta_finding *f, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf name = TA_BUF_INIT;
	enum kind kind = kind_of(f);

	ta_buf_printf(&name, "%s [%s]", f->rule->id, f->out.subject);
	ta_buf_adds(b, "    <testcase");
	attr(b, "classname", f->rule->area);
	attr(b, "name", ta_buf_text(&name));
	if (kind == PASSED) {
		ta_buf_adds(b, " time=\"0\"/>\n");
		return;
	}
	ta_buf_adds(b, " time=\"0\">\n");
	if (kind == SKIPPED)
		add_skipped(f, b);
	else
		add_failure(f, kind == BROKEN ? "error" : "failure", b);
	ta_buf_adds(b, "    </testcase>\n");
}

static void add_counts(const struct ta_audit *a, const char *area, size_t moved, struct ta_buf *b)
{
	size_t n[SKIPPED + 1] = {[FAILED] = moved};

	for (size_t i = 0; i < a->n_findings; i++)
		if (!area || !strcmp(a->findings[i].rule->area, area))
			n[kind_of(&a->findings[i])]++;
	ta_buf_printf(b, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\" time=\"0\"",
		n[PASSED] + n[FAILED] + n[BROKEN] + n[SKIPPED], n[FAILED], n[BROKEN], n[SKIPPED]);
}

static void add_suite(const struct ta_audit *a, const char *area, const char *host, struct ta_buf *b)
{
	ta_buf_adds(b, "  <testsuite");
	attr(b, "name", area);
	if (host)
		attr(b, "hostname", host);
	add_counts(a, area, 0, b);
	ta_buf_adds(b, ">\n");
	for (size_t i = 0; i < a->n_findings; i++)
		if (!strcmp(a->findings[i].rule->area, area))
			add_case(&a->findings[i], b);
	ta_buf_adds(b, "  </testsuite>\n");
}

/* What moved is a suite of its own: a case for each thing, none where nothing did. */
static void add_drift(const struct ta_drift *d, const char *host, struct ta_buf *b)
{
	ta_buf_adds(b, "  <testsuite name=\"drift\"");
	if (host)
		attr(b, "hostname", host);
	ta_buf_printf(b, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"0\" time=\"0\">\n", d->n, d->n);
	for (size_t i = 0; i < d->n; i++) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		ta_drift_line(&d->entries[i], &line);
		ta_buf_adds(b, "    <testcase classname=\"drift\"");
		attr(b, "name", d->entries[i].path);
		ta_buf_adds(b, " time=\"0\">\n      <failure");
		attr(b, "type", ta_drift_kind_name(d->entries[i].kind));
		attr(b, "message", ta_buf_text(&line));
		ta_buf_adds(b, "/>\n    </testcase>\n");
	}
	ta_buf_adds(b, "  </testsuite>\n");
}

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	const char *host = ta_facts_get_str(facts, TA_KEYS("host", "name"));
	ta_cleanup_strv struct ta_strv areas = TA_STRV_INIT;

	for (size_t i = 0; i < a->n_findings; i++)
		if (!ta_strv_has(&areas, a->findings[i].rule->area))
			ta_strv_add(&areas, a->findings[i].rule->area);
	ta_strv_sort(&areas);
	if (areas.error) {
		ret->error = areas.error;
		return;
	}
	ta_buf_adds(ret, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	attr(ret, "name", "tuneaudit");
	add_counts(a, NULL, o->drift ? o->drift->n : 0, ret);
	ta_buf_adds(ret, ">\n");
	for (size_t i = 0; i < areas.n; i++)
		add_suite(a, areas.v[i], host, ret);
	if (o->drift)
		add_drift(o->drift, host, ret);
	ta_buf_adds(ret, "</testsuites>\n");
}

const struct ta_format ta_format_junit = {
	.name = "junit",
	.summary = "JUnit XML for CI servers",
	.explains_passes = true,
	.check = check,
};
