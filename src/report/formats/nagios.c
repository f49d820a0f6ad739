/*
 * One line for Nagios, Icinga and their like, with performance data (Monitoring Plugins Development Guidelines, "Plugin
 * Output"). The exit codes of check are its own, and the word on the line says what a plugin of that code would:
 * 1 WARNING, 2 CRITICAL (a rule is broken), 3 UNKNOWN (too little could be read).
 */
#include "report/drift.h"
#include "report/text.h"

/* '|' would begin the performance data. */
static void add_plain(struct ta_buf *b, const char *text)
{
	ta_cleanup_buf struct ta_buf safe = TA_BUF_INIT;

	ta_text_safe(&safe, text);
	for (const char *c = ta_buf_text(&safe); *c; c++)
		ta_buf_addc(b, *c == '|' ? '/' : *c);
}

static const char *status(int code)
{
	static const char *const words[] = {"OK", "WARNING", "CRITICAL", "UNKNOWN"};

	return code >= 0 && code <= 3 ? words[code] : "WARNING";
}

static void check(const struct ta_audit *a, const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *ret)
{
	size_t failing[TA_SEV_ERROR + 1] = {0};
	const struct ta_finding *first = NULL;

	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ta_finding *f = &a->findings[i];

		if (!ta_audit_is_failing(f->out.verdict))
			continue;
		failing[f->severity]++;
		if (!first || f->severity > first->severity)
			first = f;
	}
	ta_buf_printf(ret, "TUNEAUDIT %s - ", status(o->exit_code));
	if (a->has_score)
		ta_buf_printf(ret, "score %u of 100, ", a->score);
	ta_buf_printf(ret, "%zu errors, %zu warnings, coverage %u %%", failing[TA_SEV_ERROR], failing[TA_SEV_WARNING],
		a->coverage);
	if (o->drift && o->drift->n) {
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		ta_drift_line(&o->drift->entries[0], &line);
		ta_buf_printf(ret, "; drift of %zu: ", o->drift->n);
		add_plain(ret, ta_buf_text(&line));
	} else if (first) {
		ta_buf_printf(ret, "; %s ", first->rule->id);
		add_plain(ret, first->out.subject);
		ta_buf_adds(ret, ": ");
		add_plain(ret, first->out.because);
	}
	ta_buf_adds(ret, " |");
	if (a->has_score)
		ta_buf_printf(ret, " score=%u;;;0;100", a->score);
	ta_buf_printf(ret, " coverage=%u%%;;;0;100 errors=%zu;;;0 warnings=%zu;;;0 infos=%zu;;;0 unknown=%zu;;;0", a->coverage,
		failing[TA_SEV_ERROR], failing[TA_SEV_WARNING], failing[TA_SEV_INFO], a->summary[TA_V_UNKNOWN]);
	if (o->drift)
		ta_buf_printf(ret, " drift=%zu;;;0", o->drift->n);
	ta_buf_addc(ret, '\n');
	(void)facts;
}

const struct ta_format ta_format_nagios = {
	.name = "nagios",
	.summary = "one line with performance data",
	.check = check,
};
