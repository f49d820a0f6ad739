/*
 * Annotations of a GitHub Actions job: a workflow command for each failing subject. A job shows ten of each kind and
 * keeps the others in its log, so errors and what costs most come first.
 */
#include "report/drift.h"
#include "report/escape.h"
#include "report/text.h"

static const char *const commands[] = {[TA_SEV_INFO] = "notice", [TA_SEV_WARNING] = "warning", [TA_SEV_ERROR] = "error"};

static void annotate(const struct ta_finding *f, struct ta_buf *b)
{
	ta_buf_printf(b, "::%s title=", commands[f->severity]);
	ta_escape_workflow(b, f->rule->id, true);
	ta_buf_adds(b, " (");
	ta_escape_workflow(b, f->out.subject, true);
	ta_buf_adds(b, ")::");
	ta_escape_workflow(b, f->out.because, false);
	ta_buf_adds(b, ". ");
	ta_escape_workflow(b, f->rule->why, false);
	if (f->fix_command) {
		ta_buf_adds(b, "%0A");
		ta_escape_workflow(b, f->fix_command, false);
	}
	ta_buf_addc(b, '\n');
}

/* Who asks for drift fails by it: a notice would be overlooked. */
static void annotate_drift(const struct ta_drift_entry *e, struct ta_buf *b)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;
	enum ta_severity level = ta_drift_level(e);

	ta_drift_line(e, &line);
	ta_buf_printf(b, "::%s title=drift (%s)::", commands[level == TA_SEV_INFO ? TA_SEV_WARNING : level],
		ta_drift_kind_name(e->kind));
	ta_escape_workflow(b, ta_buf_text(&line), false);
	ta_buf_addc(b, '\n');
}

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	for (size_t i = 0; o->drift && i < o->drift->n; i++)
		annotate_drift(&o->drift->entries[i], ret);
	for (int s = TA_SEV_ERROR; s >= TA_SEV_INFO; s--)
		for (size_t i = 0; i < a->n_findings; i++)
			if (ta_audit_is_failing(a->findings[i].out.verdict) && a->findings[i].severity == (enum ta_severity)s)
				annotate(&a->findings[i], ret);
	if (a->has_score)
		ta_buf_printf(ret, "Score %u of 100", a->score);
	else
		ta_buf_adds(ret, "No score");
	ta_buf_printf(ret, " (profile %s), coverage %u %%\n", ta_profile_name(a->profile), a->coverage);
	if (o->drift)
		ta_buf_printf(ret, "Drift from the baseline: %zu\n", o->drift->n);
	(void)facts;
}

const struct ta_format ta_format_github = {
	.name = "github",
	.summary = "annotations of a GitHub Actions job",
	.check = check,
};
