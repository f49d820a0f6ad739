/*
 * tuneaudit.load/1 (docs/json.md).
 */
#include <json-c/json.h>
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
	{"fingerprint", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"bound_by", SHAPE_TEXT | SHAPE_OPTIONAL, NULL},
	{"notes", SHAPE_LIST | SHAPE_OPTIONAL, text},
	{0},
};

bool page_read_latency(struct json_object *o, double ret[PAGE_PERCENTILES])
{
	bool any = false;

	for (size_t i = 0; i < PAGE_PERCENTILES; i++) {
		ret[i] = shape_number(o, page_percentiles[i], -1);
		any |= ret[i] > 0;
	}
	return any;
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
	l->has_latency = page_read_latency(shape_at(doc, "latency_us"), l->latency);
	read_softirq(p, shape_at(shape_at(doc, "cpu"), "softirq_share"), l);
	l->notes = n ? page_room(p, n, sizeof(*l->notes)) : NULL;
	for (size_t i = 0; l->notes && i < n; i++)
		l->notes[l->n_notes++] = page_keep(p, json_object_get_string(json_object_array_get_idx(notes, i)));
	l->fingerprint = json_object_get(shape_at(doc, "fingerprint"));
	page_push(p, &p->loads, l);
}
