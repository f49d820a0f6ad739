/*
 * tuneaudit.history/1. One change a line.
 */
#include <string.h>

#include "report/change.h"
#include "report/json.h"

static void add_coupled(struct ta_json *j, const struct ta_change *c)
{
	ta_json_open(j, "coupled", '[');
	for (size_t i = 0; i < c->n_coupled; i++) {
		const struct ta_coupled *k = &c->coupled[i];

		ta_json_open(j, NULL, '{');
		ta_json_str(j, "knob", k->knob->name);
		ta_json_str(j, "target", k->target);
		ta_json_str(j, "before", k->before);
		ta_json_str(j, "value", k->value);
		ta_json_close(j, '}');
	}
	ta_json_close(j, ']');
}

static void add_change(struct ta_json *j, const struct ta_change *c)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_u64(j, "change", c->number);
	ta_json_str(j, "rule", c->rule);
	ta_json_str(j, "why", c->why);
	ta_json_str(j, "knob", c->knob->name);
	ta_json_str(j, "target", c->target);
	ta_json_str(j, "device", c->device);
	ta_json_str(j, "before", c->before);
	ta_json_str(j, "after", c->after);
	ta_json_str(j, "value", c->value);
	ta_json_str(j, "disruption", c->disruption);
	ta_json_str(j, "state", ta_change_state_name(c->state));
	ta_json_str(j, "note", c->note);
	add_coupled(j, c);
	ta_json_close(j, '}');
}

void ta_report_run_json(struct ta_json *j, const char *key, const struct ta_run *r)
{
	ta_cleanup_buf struct ta_buf number = TA_BUF_INIT;

	ta_buf_printf(&number, "%u", r->number);
	ta_json_line(j);
	ta_json_open(j, key, '{');
	ta_json_str(j, "run", ta_buf_text(&number));
	ta_json_u64(j, "time", (uint64_t)r->time);
	ta_json_str(j, "profile", r->profile);
	ta_json_str(j, "state", ta_run_state_name(r));
	ta_json_str(j, "note", r->note);
	if (r->state && !strcmp(r->state, "pending"))
		ta_json_u64(j, "undone_in_s", (uint64_t)TA_MAX(r->left_s, (int64_t)0)); /* 0: it is late */
	ta_json_str(j, "who", r->who);
	ta_json_str(j, "host", r->where.host);
	ta_json_str(j, "boot", r->where.boot);
	ta_json_str(j, "kernel", r->where.kernel);
	ta_json_str(j, "tool", r->tool);
	ta_json_open(j, "changes", '[');
	for (size_t i = 0; i < r->n; i++)
		add_change(j, &r->changes[i]);
	ta_json_close(j, ']');
	ta_json_close(j, '}');
}

void ta_report_history_json(const struct ta_run *runs, size_t n, struct ta_buf *ret)
{
	struct ta_json j = {.b = ret};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.history/1");
	ta_json_open(&j, "runs", '[');
	for (size_t i = 0; i < n; i++)
		ta_report_run_json(&j, NULL, &runs[i]);
	ta_json_line(&j);
	ta_json_close(&j, ']');
	ta_json_close(&j, '}');
	ta_buf_addc(ret, '\n');
}
