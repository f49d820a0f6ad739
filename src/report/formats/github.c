/*
 * Annotations of a GitHub Actions job: a workflow command for each failing subject. A job shows ten of each kind and
 * keeps the others in its log, so errors and what costs most come first.
 */
#include "report/escape.h"
#include "report/report.h"
#include "report/text.h"

static void annotate(const struct ta_finding *f, struct ta_buf *b)
{
	static const char *const commands[] = {[TA_SEV_INFO] = "notice", [TA_SEV_WARNING] = "warning", [TA_SEV_ERROR] = "error"};

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

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	for (int s = TA_SEV_ERROR; s >= TA_SEV_INFO; s--)
		for (size_t i = 0; i < a->n_findings; i++)
			if (ta_audit_is_failing(a->findings[i].out.verdict) && a->findings[i].severity == (enum ta_severity)s)
				annotate(&a->findings[i], ret);
	if (a->has_score)
		ta_buf_printf(ret, "Score %u of 100", a->score);
	else
		ta_buf_adds(ret, "No score");
	ta_buf_printf(ret, " (profile %s), coverage %u %%\n", ta_profile_name(a->profile), a->coverage);
	(void)facts;
	(void)o;
}

const struct ta_format ta_format_github = {
	.name = "github",
	.summary = "annotations of a GitHub Actions job",
	.check = check,
};
