/*
 * For a ticket or a pull request: GitHub Flavored Markdown. What a host says stands in code spans and fences, so that
 * nothing of it is markup, a link or a mention.
 */
#include <string.h>

#include "report/drift.h"
#include "report/escape.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/text.h"

static void add_head(const struct ta_audit *a, const struct ta_facts *facts, struct ta_buf *b)
{
	const char *host = ta_facts_get_str(facts, TA_KEYS("host", "name"));
	const char *kernel = ta_facts_get_str(facts, TA_KEYS("kernel", "release"));

	ta_buf_adds(b, "## tuneaudit");
	if (host && *host) {
		ta_buf_adds(b, ": ");
		ta_escape_code(b, host, false);
	}
	ta_buf_adds(b, "\n\n");
	if (a->has_score)
		ta_buf_printf(b, "**Score %u of 100**", a->score);
	else
		ta_buf_adds(b, "**No score**");
	ta_buf_adds(b, " (profile ");
	ta_escape_code(b, ta_profile_name(a->profile), false);
	ta_buf_printf(b, "), coverage %u %%", a->coverage);
	if (kernel) {
		ta_buf_adds(b, ", Linux ");
		ta_escape_code(b, kernel, false);
	}
	ta_buf_printf(b, "\n\n%zu fail, %zu pass, %zu unknown, %zu waived\n",
		a->summary[TA_V_FAIL] + a->summary[TA_V_CONFLICT] + a->summary[TA_V_PENDING_REBOOT], a->summary[TA_V_PASS],
		a->summary[TA_V_UNKNOWN], a->summary[TA_V_WAIVED]);
}

static void add_row(const struct ta_finding *f, struct ta_buf *b)
{
	ta_buf_printf(b, "| %s | ", ta_severity_name(f->severity));
	ta_escape_code(b, f->rule->id, true);
	ta_buf_adds(b, " | ");
	ta_escape_code(b, f->out.subject, true);
	ta_buf_adds(b, " | ");
	ta_escape_code(b, f->out.actual, true);
	ta_buf_adds(b, " | ");
	ta_escape_code(b, f->out.wanted, true);
	ta_buf_adds(b, " |\n");
}

/* A fence longer than any in the lines. */
static void add_fence(struct ta_buf *b, const char *lines)
{
	ta_cleanup_buf struct ta_buf safe = TA_BUF_INIT;
	const char *fence = "```";

	while (strstr(lines, fence) && strlen(fence) < 12)
		fence = strlen(fence) == 3 ? "``````" : "````````````";
	ta_text_safe_lines(&safe, lines);
	ta_buf_printf(b, "%ssh\n%s%s\n", fence, ta_buf_text(&safe), fence);
}

static void add_details(const struct ta_finding *f, size_t n, struct ta_buf *b)
{
	ta_buf_adds(b, "\n### ");
	ta_escape_markdown(b, f->rule->title);
	ta_buf_adds(b, "\n\n");
	ta_escape_code(b, f->rule->id, false);
	ta_buf_adds(b, ": ");
	ta_escape_code(b, f->out.because, false);
	if (n > 1)
		ta_buf_printf(b, " (and %zu more)", n - 1);
	ta_buf_adds(b, "\n\n");
	ta_escape_markdown(b, f->rule->why);
	ta_buf_addc(b, '\n');
	for (size_t i = 0; i < f->out.n_evidence; i++) {
		ta_buf_adds(b, i ? "- " : "\n- ");
		ta_escape_code(b, f->out.evidence[i], false);
		ta_buf_addc(b, '\n');
	}
	ta_buf_addc(b, '\n');
	if (f->fix_command)
		add_fence(b, f->fix_command);
	else if (f->rule->advice) {
		ta_escape_markdown(b, f->rule->advice);
		ta_buf_addc(b, '\n');
	}
}

static void add_cut(struct ta_buf *b, const char *text)
{
	ta_cleanup_buf struct ta_buf word = TA_BUF_INIT;

	ta_drift_word(&word, text);
	ta_escape_code(b, ta_buf_text(&word), true);
}

static void add_drift_row(const struct ta_drift_entry *e, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf by = TA_BUF_INIT;

	ta_buf_printf(b, "| %s | ", ta_drift_kind_name(e->kind));
	add_cut(b, e->path);
	ta_buf_adds(b, " | ");
	add_cut(b, e->was);
	ta_buf_adds(b, " | ");
	add_cut(b, e->is);
	ta_drift_matters(e, &by);
	ta_buf_printf(&by, "%s%s", by.len ? "; " : "", e->by);
	ta_buf_adds(b, " | ");
	ta_escape_code(b, ta_buf_text(&by), true);
	ta_buf_adds(b, " |\n");
}

static void add_drift(const struct ta_drift *d, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf counts = TA_BUF_INIT;

	ta_drift_counts(d, &counts);
	ta_buf_printf(b, "\n### Drift from the baseline: %s%s\n", ta_buf_text(&counts), d->n ? "" : " moved");
	if (d->n)
		ta_buf_adds(b, "\n| kind | fact | was | is | |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < d->n; i++)
		add_drift_row(&d->entries[i], b);
}

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	size_t n_failing = 0;

	add_head(a, facts, ret);
	if (o->drift)
		add_drift(o->drift, ret);
	while (n_failing < a->n_findings && ta_audit_is_failing(a->findings[n_failing].out.verdict))
		n_failing++;
	if (n_failing)
		ta_buf_adds(ret, "\n| severity | rule | subject | is | wanted |\n|---|---|---|---|---|\n");
	for (size_t i = 0; i < n_failing; i++)
		add_row(&a->findings[i], ret);
	for (size_t i = 0; i < n_failing;) {
		size_t n = ta_part_run(a, i);

		add_details(&a->findings[i], n, ret);
		i += n;
	}
}

const struct ta_format ta_format_markdown = {
	.name = "markdown",
	.summary = "for a ticket or a pull request",
	.check = check,
};
