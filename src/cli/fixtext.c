#include "cli/fixtext.h"

#include <errno.h>
#include <string.h>

#include "fix/columns.h"
#include "fix/fixer.h"

/* The rule's author knows the effect of this target, the fixer that of its kind: the heavier
 * counts. */
static enum ta_disruption heavier(enum ta_disruption d, enum ta_risk risk)
{
	static const enum ta_disruption of_risk[] = {
		[TA_RISK_NONE] = TA_DISRUPT_NONE,
		[TA_RISK_LOW] = TA_DISRUPT_NONE,
		[TA_RISK_FLOW_RESET] = TA_DISRUPT_FLOW_RESET,
		[TA_RISK_LINK_FLAP] = TA_DISRUPT_LINK_FLAP,
		[TA_RISK_REBOOT] = TA_DISRUPT_REBOOT,
		[TA_RISK_WORKLOAD] = TA_DISRUPT_NONE,
	};

	return TA_MAX(d, of_risk[risk]);
}

static int take(struct ta_buf *b, char **ret)
{
	if (!b->len && !b->error)
		return 0;
	ta_buf_rtrim(b);
	*ret = ta_buf_steal(b);
	return *ret ? 0 : -ENOMEM;
}

static int fill(struct ta_finding *f, const struct ta_facts *facts)
{
	const struct ta_fixer *fixer = ta_fixer_find(f->out.fix.fixer);
	struct ta_fix_text text = {0};
	struct ta_err err = {0};
	int rc;

	if (!fixer)
		return 0;
	rc = fixer->describe(&f->out.fix, facts, &text, &err);
	if (rc == -ENOMEM)
		return rc;
	if (rc < 0) {
		f->fix_error = strdup(err.text);
		ta_fix_text_done(&text);
		return f->fix_error ? 0 : -ENOMEM;
	}
	f->fix_disruption = ta_disruption_name(heavier(fixer->disruption, f->rule->risk));
	rc = take(&text.command, &f->fix_command);
	if (rc == 0)
		rc = take(&text.persist_file, &f->fix_persist_file);
	if (rc == 0)
		rc = take(&text.persist_text, &f->fix_persist_text);
	ta_fix_text_done(&text);
	return rc;
}

/* What a process has is no fact of its service: it is what the rule looked at. */
static int add_running(struct ta_finding *f)
{
	struct ta_column *c = f->columns.v;

	if (f->columns.n != 1 || c->running || !c->next_boot || strcmp(f->out.fix.fixer, "nofile.service") || !*f->out.actual)
		return 0;
	c->running = strdup(f->out.actual);
	c->differs = c->running && strcmp(c->running, c->next_boot) != 0;
	return c->running ? 0 : -ENOMEM;
}

int ta_fixtext_fill(struct ta_audit *a, const struct ta_facts *facts)
{
	for (size_t i = 0; i < a->n_findings; i++) {
		struct ta_finding *f = &a->findings[i];
		int rc = f->out.fix.fixer ? ta_columns_of(&f->out.fix, facts, &f->columns) : 0;

		if (!rc && f->columns.n)
			rc = add_running(f);
		if (!rc && ta_audit_is_failing(f->out.verdict) && f->out.has_fix)
			rc = fill(f, facts);
		if (rc < 0)
			return rc;
	}
	return 0;
}
