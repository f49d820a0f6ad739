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
	{"why_not", SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"together", SHAPE_BOOL | SHAPE_OPTIONAL, NULL},
	{"kept", SHAPE_BOOL | SHAPE_OPTIONAL, NULL},
	{0},
};
static const struct shape changes[] = {{"", SHAPE_OBJECT, change}, {0}};

static const struct shape before[] = {{"warnings", SHAPE_LIST | SHAPE_OPTIONAL, text}, {0}};

#define WORDS (SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL)

const struct shape page_shape_trial[] = {
	{"profile", WORDS, NULL},
	{"workload", WORDS, NULL},
	{"host", WORDS, NULL},
	{"target", WORDS, NULL},
	{"path", WORDS, NULL},
	{"ended", WORDS, NULL},
	{"remark", WORDS, NULL},
	{"not_kept", WORDS, NULL},
	{"rounds", SHAPE_INT | SHAPE_OPTIONAL, NULL},
	{"before", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, before},
	{"together", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, together},
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
	c->together = shape_bool(o, "together") == 1;
	c->kept = shape_bool(o, "kept");
	read_unit(p, o, &c->unit);
}

static void read_words(struct ta_page *p, struct json_object *doc, struct page_trial *t)
{
	const struct {
		const char **at;
		const char *key;
	} words[] = {{&t->profile, "profile"}, {&t->workload, "workload"}, {&t->host, "host"}, {&t->target, "target"}, {&t->path, "path"},
		{&t->ended, "ended"}, {&t->remark, "remark"}, {&t->not_kept, "not_kept"}};

	for (size_t i = 0; i < TA_ARRAY_SIZE(words); i++)
		*words[i].at = page_keep(p, shape_text(doc, words[i].key) ?: "");
}

void page_read_trial(struct ta_page *p, const char *file, struct json_object *doc)
{
	struct page_trial *t = page_room(p, 1, sizeof(*t));
	struct json_object *list = shape_at(doc, "changes"), *all = shape_at(doc, "together");
	size_t n = shape_count(list);

	if (!t)
		return;
	t->label = page_short(p, file);
	read_words(p, doc, t);
	t->rounds = shape_int(doc, "rounds", -1);
	t->restored = shape_bool(doc, "restored");
	t->warnings = page_read_list(p, shape_at(shape_at(doc, "before"), "warnings"), &t->n_warnings);
	t->has_together = all != NULL;
	if (all)
		read_unit(p, all, &t->together);
	t->changes = n ? page_room(p, n, sizeof(*t->changes)) : NULL;
	for (size_t i = 0; t->changes && i < n; i++)
		read_change(p, json_object_array_get_idx(list, i), &t->changes[t->n_changes++]);
	page_push(p, &p->trials, t);
}
