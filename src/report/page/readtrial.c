/*
 * tuneaudit.trial/1 (docs/json.md, docs/trials.md).
 */
#include <json-c/json.h>
#include <math.h>

#include "report/page/reads.h"

static const struct shape text[] = {{"", SHAPE_TEXT, NULL}, {0}};
static const struct shape numbers[] = {{"*", SHAPE_NUMBER, NULL}, {0}};

static const struct shape effect[] = {
	{"percent", SHAPE_NUMBER | SHAPE_NULL, NULL},
	{"low", SHAPE_NUMBER | SHAPE_NULL, NULL},
	{"high", SHAPE_NUMBER | SHAPE_NULL, NULL},
	{0},
};
static const struct shape effects[] = {{"*", SHAPE_OBJECT | SHAPE_NULL, effect}, {0}};

static const struct shape side[] = {
	{"replies", SHAPE_INT, NULL},
	{"errors", SHAPE_INT, NULL},
	{"latency_us", SHAPE_OBJECT | SHAPE_OPTIONAL, numbers},
	{"softirq_busiest_cpu_share", SHAPE_NUMBER | SHAPE_OPTIONAL, NULL},
	{0},
};

#define UNIT \
	{"effects", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, effects}, {"verdict", SHAPE_TEXT, NULL}, \
	{"smallest_detectable_percent", SHAPE_NUMBER | SHAPE_NULL | SHAPE_OPTIONAL, NULL}, \
	{"pairs", SHAPE_INT | SHAPE_OPTIONAL, NULL}, {"without", SHAPE_OBJECT | SHAPE_OPTIONAL, side}, \
	{"with", SHAPE_OBJECT | SHAPE_OPTIONAL, side}

static const struct shape together[] = {UNIT, {0}};

static const struct shape change[] = {
	UNIT,
	{"rule", SHAPE_TEXT, NULL},
	{"target", SHAPE_TEXT, NULL},
	{"before", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"after", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"workload", SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"why_not", SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"together", SHAPE_BOOL | SHAPE_OPTIONAL, NULL},
	{"kept", SHAPE_BOOL | SHAPE_OPTIONAL, NULL},
	{0},
};
static const struct shape changes[] = {{"", SHAPE_OBJECT, change}, {0}};

static const struct shape before[] = {{"warnings", SHAPE_LIST | SHAPE_OPTIONAL, text}, {0}};

#define WORDS (SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL)

#define PART \
	{"workload", WORDS, NULL}, {"path", WORDS, NULL}, {"ended", WORDS, NULL}, {"remark", WORDS, NULL}, \
	{"before", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, before}, \
	{"together", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, together}

static const struct shape part[] = {PART, {0}};
static const struct shape parts[] = {{"", SHAPE_OBJECT, part}, {0}};

/* Where there are no parts, the one is what stands at the top. */
const struct shape page_shape_trial[] = {
	PART,
	{"profile", WORDS, NULL},
	{"host", WORDS, NULL},
	{"target", WORDS, NULL},
	{"not_kept", WORDS, NULL},
	{"rounds", SHAPE_INT | SHAPE_OPTIONAL, NULL},
	{"parts", SHAPE_LIST | SHAPE_OPTIONAL, parts},
	{"changes", SHAPE_LIST, changes},
	{"restored", SHAPE_BOOL | SHAPE_OPTIONAL, NULL},
	{0},
};

static void read_effect(struct json_object *o, struct page_effect *e)
{
	e->percent = shape_number(o, "percent", NAN);
	e->low = shape_number(o, "low", NAN);
	e->high = shape_number(o, "high", NAN);
	e->known = isfinite(e->percent) && isfinite(e->low) && isfinite(e->high);
}

static void read_side(struct json_object *o, struct page_side *s)
{
	s->known = o != NULL;
	s->replies = shape_int(o, "replies", 0);
	s->errors = shape_int(o, "errors", 0);
	s->has_latency = page_read_latency(shape_at(o, "latency_us"), s->latency);
	s->softirq_top = shape_number(o, "softirq_busiest_cpu_share", -1);
}

static void read_unit(struct ta_page *p, struct json_object *o, struct page_unit *u)
{
	static const char *const names[PAGE_EFFECTS] = {"throughput", "p50", "p99", "cpu_per_request"};

	u->verdict = page_keep(p, shape_text(o, "verdict"));
	u->smallest = shape_number(o, "smallest_detectable_percent", -1);
	u->pairs = shape_int(o, "pairs", -1);
	for (size_t i = 0; i < PAGE_EFFECTS; i++)
		read_effect(shape_at(shape_at(o, "effects"), names[i]), &u->effects[i]);
	read_side(shape_at(o, "without"), &u->without);
	read_side(shape_at(o, "with"), &u->with);
}

static void read_change(struct ta_page *p, struct json_object *o, struct page_change *c)
{
	c->rule = page_keep(p, shape_text(o, "rule"));
	c->target = page_keep(p, shape_text(o, "target"));
	c->before = page_keep(p, shape_text(o, "before") ?: "");
	c->after = page_keep(p, shape_text(o, "after") ?: "");
	c->why_not = page_keep(p, shape_text(o, "why_not") ?: "");
	c->workload = page_keep(p, shape_text(o, "workload") ?: "");
	c->together = shape_bool(o, "together") == 1;
	c->kept = shape_bool(o, "kept");
	read_unit(p, o, &c->unit);
}

static const char *word(struct ta_page *p, struct json_object *o, const char *key)
{
	return page_keep(p, shape_text(o, key) ?: "");
}

static void read_part(struct ta_page *p, struct json_object *o, struct page_part *part_of)
{
	struct json_object *all = shape_at(o, "together");

	part_of->workload = word(p, o, "workload");
	part_of->path = word(p, o, "path");
	part_of->ended = word(p, o, "ended");
	part_of->remark = word(p, o, "remark");
	part_of->warnings = page_read_list(p, shape_at(shape_at(o, "before"), "warnings"), &part_of->n_warnings);
	part_of->has_together = all != NULL;
	if (all)
		read_unit(p, all, &part_of->together);
}

static void read_parts(struct ta_page *p, struct json_object *doc, struct page_trial *t)
{
	struct json_object *list = shape_at(doc, "parts");
	size_t n = shape_count(list);

	t->parts = page_room(p, n + 1, sizeof(*t->parts));
	if (!t->parts)
		return;
	for (size_t i = 0; i < n; i++)
		read_part(p, json_object_array_get_idx(list, i), &t->parts[t->n_parts++]);
	if (!n)
		read_part(p, doc, &t->parts[t->n_parts++]);
}

void page_read_trial(struct ta_page *p, const char *file, struct json_object *doc)
{
	struct page_trial *t = page_room(p, 1, sizeof(*t));
	struct json_object *list = shape_at(doc, "changes");
	size_t n = shape_count(list);

	if (!t)
		return;
	t->label = page_short(p, file);
	t->profile = word(p, doc, "profile");
	t->host = word(p, doc, "host");
	t->target = word(p, doc, "target");
	t->not_kept = word(p, doc, "not_kept");
	t->rounds = shape_int(doc, "rounds", -1);
	t->restored = shape_bool(doc, "restored");
	read_parts(p, doc, t);
	t->changes = n ? page_room(p, n, sizeof(*t->changes)) : NULL;
	for (size_t i = 0; t->changes && i < n; i++)
		read_change(p, json_object_array_get_idx(list, i), &t->changes[t->n_changes++]);
	page_push(p, &p->trials, t);
}
