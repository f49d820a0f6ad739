/*
 * tuneaudit.load/1 and tuneaudit.trial/1 (docs/json.md).
 */
#include <json-c/json.h>
#include <math.h>
#include <string.h>

#include "report/page/reads.h"

const char *const page_percentiles[PAGE_PERCENTILES] = {"p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max"};

static const struct shape text[] = {{"", SHAPE_TEXT, NULL}, {0}};
static const struct shape number[] = {{"", SHAPE_NUMBER, NULL}, {0}};
static const struct shape numbers[] = {{"*", SHAPE_NUMBER, NULL}, {0}};
static const struct shape counts[] = {{"*", SHAPE_INT, NULL}, {0}};

static const struct shape per_second[] = {
	{"mean", SHAPE_NUMBER, NULL},
	{"stddev", SHAPE_NUMBER | SHAPE_OPTIONAL, NULL},
	{"runs", SHAPE_LIST | SHAPE_OPTIONAL, number},
	{0},
};

static const struct shape cpu[] = {{"softirq_share", SHAPE_OBJECT | SHAPE_OPTIONAL, numbers}, {0}};

const struct shape page_shape_load[] = {
	{"workload", SHAPE_TEXT, NULL},
	{"engine", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"path", SHAPE_TEXT, NULL},
	{"target", SHAPE_TEXT | SHAPE_OPTIONAL, NULL},
	{"connections", SHAPE_INT | SHAPE_OPTIONAL, NULL},
	{"duration_s", SHAPE_NUMBER | SHAPE_OPTIONAL, NULL},
	{"requests", SHAPE_INT | SHAPE_OPTIONAL, NULL},
	{"errors", SHAPE_OBJECT | SHAPE_OPTIONAL, counts},
	{"per_second", SHAPE_OBJECT | SHAPE_OPTIONAL, per_second},
	{"bytes_per_second", SHAPE_NUMBER | SHAPE_OPTIONAL, NULL},
	{"latency_us", SHAPE_OBJECT | SHAPE_OPTIONAL, numbers},
	{"cpu", SHAPE_OBJECT | SHAPE_OPTIONAL, cpu},
	{"bound_by", SHAPE_TEXT | SHAPE_OPTIONAL, NULL},
	{"notes", SHAPE_LIST | SHAPE_OPTIONAL, text},
	{0},
};

static const struct shape effect[] = {
	{"percent", SHAPE_NUMBER | SHAPE_NULL, NULL},
	{"low", SHAPE_NUMBER | SHAPE_NULL, NULL},
	{"high", SHAPE_NUMBER | SHAPE_NULL, NULL},
	{0},
};
static const struct shape effects[] = {{"*", SHAPE_OBJECT | SHAPE_NULL, effect}, {0}};

static const struct shape change[] = {
	{"rule", SHAPE_TEXT, NULL},
	{"target", SHAPE_TEXT, NULL},
	{"before", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"after", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"effects", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, effects},
	{"verdict", SHAPE_TEXT, NULL},
	{"smallest_detectable_percent", SHAPE_NUMBER | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{0},
};
static const struct shape changes[] = {{"", SHAPE_OBJECT, change}, {0}};

const struct shape page_shape_trial[] = {
	{"profile", SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"workload", SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"rounds", SHAPE_INT | SHAPE_OPTIONAL, NULL},
	{"changes", SHAPE_LIST, changes},
	{"restored", SHAPE_BOOL | SHAPE_OPTIONAL, NULL},
	{0},
};

static void read_latency(struct json_object *o, struct page_load *l)
{
	for (size_t i = 0; i < PAGE_PERCENTILES; i++) {
		l->latency[i] = shape_number(o, page_percentiles[i], -1);
		l->has_latency |= l->latency[i] > 0;
	}
}

static void read_runs(struct ta_page *p, struct json_object *o, struct page_load *l)
{
	struct json_object *list = shape_at(o, "runs");
	size_t n = shape_count(list);

	l->mean = shape_number(o, "mean", 0);
	l->stddev = shape_number(o, "stddev", 0);
	l->runs = n ? page_room(p, n, sizeof(*l->runs)) : NULL;
	for (size_t i = 0; l->runs && i < n; i++)
		l->runs[l->n_runs++] = json_object_get_double(json_object_array_get_idx(list, i));
}

static void read_softirq(struct ta_page *p, struct json_object *o, struct page_load *l)
{
	size_t n = o ? (size_t)json_object_object_length(o) : 0;

	l->softirq = n ? page_room(p, n, sizeof(*l->softirq)) : NULL;
	if (!l->softirq)
		return;
	json_object_object_foreach (o, key, value) {
		double share = json_object_get_double(value);

		l->softirq[l->n_softirq++] = (struct page_share){page_keep(p, key), TA_MIN(TA_MAX(share, 0.0), 1.0)};
	}
}

static int64_t sum_of(struct json_object *o)
{
	int64_t sum = 0;

	if (!json_object_is_type(o, json_type_object))
		return 0;
	json_object_object_foreach (o, key, value) {
		int64_t n = json_object_get_int64(value);

		(void)key;
		sum = n > 0 && sum <= INT64_MAX - n ? sum + n : sum;
	}
	return sum;
}

void page_read_load(struct ta_page *p, const char *file, struct json_object *doc)
{
	struct page_load *l = page_room(p, 1, sizeof(*l));
	struct json_object *notes = shape_at(doc, "notes");
	size_t n = shape_count(notes);

	if (!l)
		return;
	l->file = page_keep(p, file);
	l->label = page_short(p, file);
	l->workload = page_keep(p, shape_text(doc, "workload"));
	l->engine = page_keep(p, shape_text(doc, "engine") ?: "");
	l->path = page_keep(p, shape_text(doc, "path"));
	l->target = page_keep(p, shape_text(doc, "target") ?: "");
	l->bound_by = page_keep(p, shape_text(doc, "bound_by") ?: "");
	l->connections = shape_int(doc, "connections", 0);
	l->requests = shape_int(doc, "requests", 0);
	l->errors = sum_of(shape_at(doc, "errors"));
	l->seconds = shape_number(doc, "duration_s", 0);
	l->bytes_per_second = shape_number(doc, "bytes_per_second", 0);
	read_runs(p, shape_at(doc, "per_second"), l);
	read_latency(shape_at(doc, "latency_us"), l);
	read_softirq(p, shape_at(shape_at(doc, "cpu"), "softirq_share"), l);
	l->notes = n ? page_room(p, n, sizeof(*l->notes)) : NULL;
	for (size_t i = 0; l->notes && i < n; i++)
		l->notes[l->n_notes++] = page_keep(p, json_object_get_string(json_object_array_get_idx(notes, i)));
	page_push(p, &p->loads, l);
}

static void read_effect(struct json_object *o, struct page_effect *e)
{
	e->percent = shape_number(o, "percent", NAN);
	e->low = shape_number(o, "low", NAN);
	e->high = shape_number(o, "high", NAN);
	e->known = isfinite(e->percent) && isfinite(e->low) && isfinite(e->high);
}

static void read_change(struct ta_page *p, struct json_object *o, struct page_change *c)
{
	static const char *const names[PAGE_EFFECTS] = {"throughput", "p99", "cpu_per_request"};

	c->rule = page_keep(p, shape_text(o, "rule"));
	c->target = page_keep(p, shape_text(o, "target"));
	c->before = page_keep(p, shape_text(o, "before") ?: "");
	c->after = page_keep(p, shape_text(o, "after") ?: "");
	c->verdict = page_keep(p, shape_text(o, "verdict"));
	c->smallest = shape_number(o, "smallest_detectable_percent", -1);
	for (size_t i = 0; i < PAGE_EFFECTS; i++)
		read_effect(shape_at(shape_at(o, "effects"), names[i]), &c->effects[i]);
}

void page_read_trial(struct ta_page *p, const char *file, struct json_object *doc)
{
	struct page_trial *t = page_room(p, 1, sizeof(*t));
	struct json_object *list = shape_at(doc, "changes");
	size_t n = shape_count(list);

	if (!t)
		return;
	t->label = page_short(p, file);
	t->profile = page_keep(p, shape_text(doc, "profile") ?: "");
	t->workload = page_keep(p, shape_text(doc, "workload") ?: "");
	t->rounds = shape_int(doc, "rounds", -1);
	t->restored = shape_bool(doc, "restored");
	t->changes = n ? page_room(p, n, sizeof(*t->changes)) : NULL;
	for (size_t i = 0; t->changes && i < n; i++)
		read_change(p, json_object_array_get_idx(list, i), &t->changes[t->n_changes++]);
	page_push(p, &p->trials, t);
}
