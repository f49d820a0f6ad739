/*
 * tuneaudit.drift/1: lists whose elements are a line each, for diff and grep.
 */
#include "report/drift.h"

static void add_verdict(struct ta_json *j, const char *key, int v)
{
	ta_json_str(j, key, v < 0 ? NULL : ta_verdict_name((enum ta_verdict)v));
}

static void add_entry(struct ta_json *j, const struct ta_drift_entry *e)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "path", e->path);
	ta_json_str(j, "was", e->was);
	ta_json_str(j, "is", e->is);
	ta_json_str(j, "kind", ta_drift_kind_name(e->kind));
	ta_json_str(j, "rule", e->rule ? e->rule->id : NULL);
	ta_json_str(j, "severity", e->rule ? ta_severity_name(e->severity) : NULL);
	ta_json_open(j, "verdict", '{');
	add_verdict(j, "was", e->verdict_was);
	add_verdict(j, "is", e->verdict_is);
	ta_json_close(j, '}');
	ta_json_str(j, "by", e->by);
	ta_json_str(j, "note", e->note);
	ta_json_close(j, '}');
}

static void add_hole(struct ta_json *j, const struct ta_drift_hole *h)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "path", h->path);
	ta_json_str(j, "was", h->was);
	ta_json_str(j, "reason", ta_reason_name(h->reason));
	ta_json_str(j, "detail", h->detail);
	ta_json_close(j, '}');
}

static void add_changed(struct ta_json *j, const struct ta_drift_verdict *v)
{
	ta_json_line(j);
	ta_json_open(j, NULL, '{');
	ta_json_str(j, "rule", v->rule->id);
	ta_json_str(j, "subject", v->subject);
	ta_json_str(j, "severity", ta_severity_name(v->severity));
	ta_json_str(j, "was", ta_verdict_name(v->was));
	ta_json_str(j, "is", ta_verdict_name(v->is));
	ta_json_close(j, '}');
}

static void add_texts(struct ta_json *j, const char *key, const struct ta_strv *texts)
{
	ta_json_open(j, key, '[');
	for (size_t i = 0; i < texts->n; i++)
		ta_json_str(j, NULL, texts->v[i]);
	ta_json_close(j, ']');
}

void ta_json_drift(struct ta_json *j, const struct ta_drift *d)
{
	ta_json_open(j, "drift", '[');
	for (size_t i = 0; i < d->n; i++)
		add_entry(j, &d->entries[i]);
	ta_json_line(j);
	ta_json_close(j, ']');
	ta_json_open(j, "verdicts", '[');
	for (size_t i = 0; i < d->n_verdicts; i++)
		add_changed(j, &d->verdicts[i]);
	ta_json_line(j);
	ta_json_close(j, ']');
	ta_json_open(j, "not_compared", '[');
	for (size_t i = 0; i < d->n_holes; i++)
		add_hole(j, &d->holes[i]);
	ta_json_line(j);
	ta_json_close(j, ']');
	add_texts(j, "came", &d->came);
	add_texts(j, "gone", &d->gone);
	add_texts(j, "notes", &d->notes);
	ta_json_u64(j, "ignored", d->n_ignored);
}

void ta_report_drift_json(const struct ta_drift *d, const char *tool_version, struct ta_buf *ret)
{
	struct ta_json j = {.b = ret};

	ta_json_open(&j, NULL, '{');
	ta_json_str(&j, "schema", "tuneaudit.drift/1");
	ta_json_drift(&j, d);
	ta_json_str(&j, "tool", tool_version);
	ta_json_close(&j, '}');
	ta_buf_addc(ret, '\n');
}
