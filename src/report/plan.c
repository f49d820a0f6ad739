/*
 * A plan for people.
 */
#include <string.h>

#include "report/change.h"
#include "report/parts.h"
#include "report/text.h"

static void heading(struct ta_buf *b, const struct ta_report_options *o, const char *text)
{
	ta_buf_addc(b, '\n');
	ta_part_paint(b, o, TA_PAINT_HEAD, text);
	ta_buf_addc(b, '\n');
}

static void add_list(struct ta_buf *b, const struct ta_strv *words)
{
	for (size_t i = 0; i < words->n; i++)
		ta_buf_printf(b, "%s%s", i ? ", " : "", words->v[i]);
}

/* "net.core.somaxconn: 128 -> 4096", wrapped under itself. */
static void add_change(struct ta_buf *b, const struct ta_action *a, size_t number, const struct ta_report_options *o)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_printf(&line, "%zu. ", number);
	ta_step_label(a->step.knob, a->step.target, &line);
	ta_buf_printf(&line, ": %s -> %s", a->step.before, a->step.after);
	ta_text_wrap(b, ta_buf_text(&line), o->columns, 0, 4);
	ta_buf_addc(b, '\n');
}

static void add_cost(struct ta_buf *b, const struct ta_action *a, const struct ta_plan_view *v)
{
	static const char *const effects[] = {
		[TA_DISRUPT_NONE] = "",
		[TA_DISRUPT_FLOW_RESET] = "connections may be reset",
		[TA_DISRUPT_LINK_FLAP] = "the link may go down for a moment",
		[TA_DISRUPT_REBOOT] = "a restart of the host",
	};
	const char *refusal = ta_action_refusal(a, v->allow, v->allow_workload);
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	ta_buf_adds(&text, effects[a->disruption]);
	if (a->management)
		ta_buf_adds(&text, ", and this host is reached by it");
	if (a->workload)
		ta_buf_printf(&text, "%snot every program gains by it", text.len ? "; " : "");
	if (refusal)
		ta_buf_printf(&text, "%s%s", text.len ? ": " : "", refusal);
	ta_part_labelled(b, v->o, "Costs", ta_buf_text(&text));
}

static void add_keep(struct ta_buf *b, const char *file, const char *text, const struct ta_report_options *o)
{
	if (!file)
		return;
	ta_part_labelled(b, o, "Keep", file);
	if (text)
		ta_part_verbatim(b, "", text);
}

static void add_action(struct ta_buf *b, const struct ta_action *a, size_t number, const struct ta_plan_view *v)
{
	ta_cleanup_buf struct ta_buf rule = TA_BUF_INIT, owners = TA_BUF_INIT;

	add_change(b, a, number, v->o);
	if (v->o->verbosity < 0)
		return;
	add_list(&rule, &a->rules);
	ta_buf_printf(&rule, ": %s", a->why ? a->why : "");
	ta_part_labelled(b, v->o, "Rule", ta_buf_text(&rule));
	add_cost(b, a, v);
	ta_part_verbatim(b, "Type", a->command);
	add_keep(b, a->persist_file, a->persist_text, v->o);
	ta_part_labelled(b, v->o, "Lost", a->not_kept);
	add_list(&owners, &a->owners);
	ta_part_labelled(b, v->o, "Also", owners.len ? ta_buf_text(&owners) : NULL);
}

static void add_conflicts(struct ta_buf *b, const struct ta_plan *p, const struct ta_report_options *o)
{
	if (!p->n_conflicts)
		return;
	heading(b, o, "Rules that contradict each other (neither is followed)");
	for (size_t i = 0; i < p->n_conflicts; i++) {
		ta_text_wrap(b, p->conflicts[i].target, o->columns, 0, 4);
		ta_buf_addc(b, '\n');
		for (size_t k = 0; k < p->conflicts[i].wishes.n; k++)
			ta_part_labelled(b, o, k ? "" : "Rules", p->conflicts[i].wishes.v[k]);
	}
}

/* "test.ecn (eth0): why", wrapped under itself. */
static void add_reason(struct ta_buf *b, const struct ta_plan_manual *m, const struct ta_report_options *o)
{
	ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

	ta_buf_printf(&line, "%s", m->rule);
	if (strcmp(m->subject, "host") != 0)
		ta_buf_printf(&line, " (%s)", m->subject);
	ta_buf_printf(&line, ": %s", m->reason);
	ta_text_wrap(b, ta_buf_text(&line), o->columns, 0, 4);
	ta_buf_addc(b, '\n');
}

void ta_report_not_done(const struct ta_plan *p, const struct ta_report_options *o, struct ta_buf *ret)
{
	bool any = false;

	for (size_t i = 0; i < p->n_manual; i++) {
		if (!p->manual[i].blocked)
			continue;
		if (!any)
			heading(ret, o, "Could not be done");
		any = true;
		add_reason(ret, &p->manual[i], o);
	}
	add_conflicts(ret, p, o);
}

static void add_manual(struct ta_buf *b, const struct ta_plan *p, const struct ta_report_options *o)
{
	if (!p->n_manual)
		return;
	heading(b, o, "Not done by this program");
	for (size_t i = 0; i < p->n_manual; i++) {
		const struct ta_plan_manual *m = &p->manual[i];

		add_reason(b, m, o);
		if (o->verbosity < 0)
			continue;
		if (m->command)
			ta_part_verbatim(b, "Type", m->command);
		add_keep(b, m->persist_file, m->persist_text, o);
	}
}

void ta_report_plan(const struct ta_plan *p, const struct ta_plan_view *v, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf head = TA_BUF_INIT;

	ta_buf_printf(&head, "%s, profile %s: %zu change%s to make.", p->where.host, p->profile, p->n_actions,
		p->n_actions == 1 ? "" : "s");
	ta_text_wrap(ret, ta_buf_text(&head), v->o->columns, 0, 0);
	ta_buf_addc(ret, '\n');
	for (size_t i = 0; i < p->n_actions; i++) {
		if (v->o->verbosity >= 0)
			ta_buf_addc(ret, '\n');
		add_action(ret, &p->actions[i], i + 1, v);
	}
	add_conflicts(ret, p, v->o);
	add_manual(ret, p, v->o);
}

void ta_report_skipped(const struct ta_plan *p, const struct ta_plan_view *v, struct ta_buf *ret)
{
	bool any = false;

	for (size_t i = 0; i < p->n_actions; i++) {
		const struct ta_action *a = &p->actions[i];
		const char *refusal = ta_action_refusal(a, v->allow, v->allow_workload);
		ta_cleanup_buf struct ta_buf line = TA_BUF_INIT;

		if (!refusal)
			continue;
		if (!any)
			heading(ret, v->o, "Skipped");
		any = true;
		ta_step_label(a->step.knob, a->step.target, &line);
		ta_buf_printf(&line, " (%s): %s", a->rules.v[0], refusal);
		ta_text_pad(ret, 2);
		ta_text_wrap(ret, ta_buf_text(&line), v->o->columns, 2, 4);
		ta_buf_addc(ret, '\n');
	}
}
