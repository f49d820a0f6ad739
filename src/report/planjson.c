/*
 * tuneaudit.plan/1. One action a line, for diff and grep; docs/json.md says what each key is.
 */
#include "report/change.h"
#include "report/json.h"

static void add_texts(struct ta_json *j, const char *key, const struct ta_strv *texts)
{
	ta_json_open(j, key, '[');
	for (size_t i = 0; i < texts->n; i++)
		ta_json_str(j, NULL, texts->v[i]);
	ta_json_close(j, ']');
}

static void add_persist(struct ta_json *j, const char *file, const char *text)
{
	if (!file) {
		ta_json_null(j, "persist");
		return;
	}
	ta_json_open(j, "persist", '{');
	ta_json_str(j, "file", file);
	ta_json_str(j, "text", text ? text : "");
	ta_json_close(j, '}');
}

static void add_action(struct ta_json *j, const struct ta_action *a)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "rule", a->rules.v[0]);
	add_texts(j, "rules", &a->rules);
	ta_json_str(j, "why", a->why);
	ta_json_str(j, "subject", a->subject);
	ta_json_str(j, "fixer", a->fixer);
	ta_json_str(j, "knob", a->step.knob->name);
	ta_json_str(j, "target", a->step.target);
	ta_json_str(j, "device", a->step.device);
	ta_json_str(j, "before", a->step.before);
	ta_json_str(j, "after", a->step.after);
	ta_json_str(j, "disruption", ta_disruption_name(a->disruption));
	ta_json_bool(j, "workload", a->workload);
	ta_json_bool(j, "management", a->management);
	ta_json_bool(j, "trusted", a->trusted);
	ta_json_str(j, "command", a->command);
	add_persist(j, a->persist_file, a->persist_text);
	ta_json_str(j, "not_kept", a->not_kept);
	add_texts(j, "owners", &a->owners);
	ta_json_close(j, '}');
}

static void add_conflicts(struct ta_json *j, const struct ta_plan *p)
{
	ta_json_open(j, "conflicts", '[');
	for (size_t i = 0; i < p->n_conflicts; i++) {
		ta_json_open(j, NULL, '{');
		ta_json_str(j, "target", p->conflicts[i].target);
		add_texts(j, "wishes", &p->conflicts[i].wishes);
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

static void add_manual(struct ta_json *j, const struct ta_plan_manual *m)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "rule", m->rule);
	ta_json_str(j, "subject", m->subject);
	ta_json_str(j, "disruption", m->disruption);
	ta_json_str(j, "reason", m->reason);
	ta_json_str(j, "command", m->command);
	add_persist(j, m->persist_file, m->persist_text);
	ta_json_close(j, '}');
}

static void add_host(struct ta_json *j, const struct ta_where *w)
{
	ta_json_open(j, "host", '{');
	ta_json_str(j, "name", w->host);
	ta_json_str(j, "machine", w->machine);
	ta_json_str(j, "boot", w->boot);
	ta_json_str(j, "netns", w->netns);
	ta_json_str(j, "kernel", w->kernel);
	ta_json_close(j, '}');
}

void ta_report_plan_json(const struct ta_plan *p, const char *tool_version, struct ta_buf *ret)
{
	struct ta_json j = {.b = ret};
	size_t start = ret->len;

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.plan/1");
	ta_json_str(&j, "profile", p->profile);
	add_host(&j, &p->where);
	ta_json_open(&j, "actions", '[');
	for (size_t i = 0; i < p->n_actions; i++)
		add_action(&j, &p->actions[i]);
	ta_json_line(&j);
	ta_json_close(&j, ']');
	add_conflicts(&j, p);
	ta_json_open(&j, "manual", '[');
	for (size_t i = 0; i < p->n_manual; i++)
		add_manual(&j, &p->manual[i]);
	ta_json_line(&j);
	ta_json_close(&j, ']');
	ta_json_str(&j, "tool", tool_version);
	ta_sum_close(ret, start);
	ta_buf_addc(ret, '\n');
}
