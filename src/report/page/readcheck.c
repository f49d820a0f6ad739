/*
 * tuneaudit.check/1 (docs/json.md).
 */
#include <errno.h>
#include <json-c/json.h>
#include <string.h>

#include "report/page/parts.h"
#include "report/page/reads.h"

/* More than any host has; a page of more could not be read. */
#define MAX_FINDINGS 20000
#define MAX_COSTS 2000

static const struct shape text[] = {{"", SHAPE_TEXT, NULL}, {0}};

static const struct shape persist[] = {
	{"file", SHAPE_TEXT, NULL},
	{"text", SHAPE_TEXT | SHAPE_NULL, NULL},
	{0},
};

static const struct shape fix[] = {
	{"command", SHAPE_TEXT, NULL},
	{"disruption", SHAPE_TEXT, NULL},
	{"persist", SHAPE_OBJECT | SHAPE_NULL, persist},
	{0},
};

static const struct shape persisted[] = {
	{"place", SHAPE_TEXT, NULL},
	{"value", SHAPE_TEXT | SHAPE_NULL, NULL},
	{0},
};

static const struct shape column[] = {
	{"target", SHAPE_TEXT, NULL},
	{"running", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"persisted", SHAPE_OBJECT | SHAPE_NULL, persisted},
	{"next_boot", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"differs", SHAPE_BOOL | SHAPE_NULL, NULL},
	{"detail", SHAPE_TEXT, NULL},
	{0},
};
static const struct shape columns[] = {{"", SHAPE_OBJECT, column}, {0}};

static const struct shape finding[] = {
	{"rule", SHAPE_TEXT, NULL},
	{"area", SHAPE_TEXT, NULL},
	{"severity", SHAPE_TEXT, NULL},
	{"subject", SHAPE_TEXT, NULL},
	{"verdict", SHAPE_TEXT, NULL},
	{"reason", SHAPE_TEXT, NULL},
	{"detail", SHAPE_TEXT, NULL},
	{"until", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"actual", SHAPE_TEXT, NULL},
	{"wanted", SHAPE_TEXT, NULL},
	{"because", SHAPE_TEXT, NULL},
	{"why", SHAPE_TEXT, NULL},
	{"refs", SHAPE_LIST, text},
	{"evidence", SHAPE_LIST, text},
	{"fix", SHAPE_OBJECT | SHAPE_NULL, fix},
	{"columns", SHAPE_LIST | SHAPE_OPTIONAL, columns},
	{"title", SHAPE_TEXT | SHAPE_OPTIONAL, NULL},
	{"advice", SHAPE_TEXT | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{"hurts", SHAPE_BOOL | SHAPE_NULL | SHAPE_OPTIONAL, NULL},
	{0},
};
static const struct shape findings[] = {{"", SHAPE_OBJECT, finding}, {0}};

static const struct shape area[] = {
	{"area", SHAPE_TEXT, NULL},
	{"points", SHAPE_NUMBER, NULL},
	{0},
};
static const struct shape areas[] = {{"", SHAPE_OBJECT, area}, {0}};

static const struct shape rule[] = {
	{"rule", SHAPE_TEXT, NULL},
	{"points", SHAPE_NUMBER, NULL},
	{0},
};
static const struct shape rules[] = {{"", SHAPE_OBJECT, rule}, {0}};

static const struct shape host[] = {
	{"name", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"os", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"kernel", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"arch", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"time", SHAPE_INT | SHAPE_NULL, NULL},
	{0},
};

static const struct shape verdicts[] = {
	{"was", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"is", SHAPE_TEXT | SHAPE_NULL, NULL},
	{0},
};
static const struct shape move[] = {
	{"path", SHAPE_TEXT, NULL},
	{"was", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"is", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"kind", SHAPE_TEXT, NULL},
	{"rule", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"severity", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"verdict", SHAPE_OBJECT, verdicts},
	{"by", SHAPE_TEXT | SHAPE_NULL, NULL},
	{"note", SHAPE_TEXT | SHAPE_NULL, NULL},
	{0},
};
static const struct shape moves[] = {{"", SHAPE_OBJECT, move}, {0}};
static const struct shape baseline[] = {{"drift", SHAPE_LIST, moves}, {0}};

static const struct shape summary[] = {{"*", SHAPE_INT, NULL}, {0}};

const struct shape page_shape_check[] = {
	{"profile", SHAPE_TEXT, NULL},
	{"score", SHAPE_INT | SHAPE_NULL, NULL},
	{"coverage", SHAPE_INT, NULL},
	{"summary", SHAPE_OBJECT, summary},
	{"findings", SHAPE_LIST, findings},
	{"areas", SHAPE_LIST | SHAPE_OPTIONAL, areas},
	{"rules", SHAPE_LIST | SHAPE_OPTIONAL, rules},
	{"host", SHAPE_OBJECT | SHAPE_OPTIONAL, host},
	{"tool", SHAPE_TEXT | SHAPE_OPTIONAL, NULL},
	{"baseline", SHAPE_OBJECT | SHAPE_NULL | SHAPE_OPTIONAL, baseline},
	{0},
};

static int find(const char *name, const char *(*name_of)(unsigned), unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (strcmp(name_of(i), name) == 0)
			return (int)i;
	return -1;
}

static const char *verdict_name(unsigned i)
{
	return ta_verdict_name((enum ta_verdict)i);
}

static const char *severity_name(unsigned i)
{
	return ta_severity_name((enum ta_severity)i);
}

/* The words that the table of types does not know. */
int page_words_check(struct json_object *doc, struct ta_err *err)
{
	struct json_object *list = shape_at(doc, "findings");
	int64_t score = shape_int(doc, "score", 0), coverage = shape_int(doc, "coverage", -1);

	if (score < 0 || score > 100 || coverage < 0 || coverage > 100)
		return ta_err_set(err, -EBADMSG, "its score or coverage is not between 0 and 100");
	if (shape_count(list) > MAX_FINDINGS)
		return ta_err_set(err, -EBADMSG, "it has more than %d findings", MAX_FINDINGS);
	for (size_t i = 0; i < shape_count(list); i++) {
		struct json_object *f = json_object_array_get_idx(list, i);
		const char *verdict = shape_text(f, "verdict"), *severity = shape_text(f, "severity");

		if (find(verdict, verdict_name, TA_V_COUNT) < 0)
			return ta_err_set(err, -EBADMSG, "findings[%zu].verdict is none", i);
		if (find(severity, severity_name, TA_SEV_ERROR + 1) < 0)
			return ta_err_set(err, -EBADMSG, "findings[%zu].severity is none", i);
	}
	return 0;
}

const char **page_read_list(struct ta_page *p, struct json_object *list, size_t *ret_n)
{
	size_t n = shape_count(list);
	const char **v = n ? page_room(p, n, sizeof(*v)) : NULL;

	*ret_n = 0;
	for (size_t i = 0; v && i < n; i++)
		v[(*ret_n)++] = page_keep(p, json_object_get_string(json_object_array_get_idx(list, i)));
	return v;
}

static void keep_settings(struct ta_page *p, struct json_object *list, struct page_finding *f)
{
	size_t n = shape_count(list);

	f->settings = n ? page_room(p, n, sizeof(*f->settings)) : NULL;
	for (size_t i = 0; f->settings && i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i), *at = shape_at(o, "persisted");

		f->settings[f->n_settings++] = (struct page_setting){
			.target = page_keep(p, shape_text(o, "target")),
			.running = page_keep(p, shape_text(o, "running")),
			.place = page_keep(p, shape_text(at, "place")),
			.value = page_keep(p, shape_text(at, "value")),
			.next_boot = page_keep(p, shape_text(o, "next_boot")),
			.detail = page_keep(p, shape_text(o, "detail")),
			.differs = shape_bool(o, "differs"),
		};
	}
}

/* What is the rule's own is kept once, from whoever tells it first. */
static uint32_t keep_rule(struct ta_page *p, struct json_object *o)
{
	uint32_t number = page_rule_number(p, shape_text(o, "rule"));
	struct page_rule *r;

	if (p->error)
		return 0;
	r = &p->rules[number];
	if (!r->why) {
		r->area = page_keep(p, shape_text(o, "area"));
		r->why = page_keep(p, shape_text(o, "why"));
		r->title = page_keep(p, shape_text(o, "title") ?: "");
		r->advice = page_keep(p, shape_text(o, "advice"));
		r->refs = page_read_list(p, shape_at(o, "refs"), &r->n_refs);
	}
	return number;
}

static void keep_finding(struct ta_page *p, struct json_object *o, struct page_finding *f)
{
	struct json_object *does = shape_at(o, "fix"), *kept = shape_at(does, "persist");

	f->rule = keep_rule(p, o);
	f->severity = (enum ta_severity)find(shape_text(o, "severity"), severity_name, TA_SEV_ERROR + 1);
	f->verdict = (enum ta_verdict)find(shape_text(o, "verdict"), verdict_name, TA_V_COUNT);
	if (!p->error && page_is_failing(f))
		p->rules[f->rule].worst = TA_MAX(p->rules[f->rule].worst, f->severity);
	f->subject = page_keep(p, shape_text(o, "subject"));
	f->reason = page_keep(p, shape_text(o, "reason"));
	f->detail = page_keep(p, shape_text(o, "detail"));
	f->until = page_keep(p, shape_text(o, "until"));
	f->actual = page_keep(p, shape_text(o, "actual"));
	f->wanted = page_keep(p, shape_text(o, "wanted"));
	f->because = page_keep(p, shape_text(o, "because"));
	f->evidence = page_read_list(p, shape_at(o, "evidence"), &f->n_evidence);
	f->command = page_keep(p, shape_text(does, "command"));
	f->disruption = page_keep(p, shape_text(does, "disruption"));
	f->persist_file = page_keep(p, shape_text(kept, "file"));
	f->persist_text = page_keep(p, shape_text(kept, "text"));
	f->hurts = shape_bool(o, "hurts");
	keep_settings(p, shape_at(o, "columns"), f);
}

static struct page_cost *keep_costs(struct ta_page *p, struct json_object *list, const char *key, size_t *ret_n)
{
	size_t n = TA_MIN(shape_count(list), (size_t)MAX_COSTS);
	struct page_cost *v = n ? page_room(p, n, sizeof(*v)) : NULL;

	for (size_t i = 0; v && i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i);
		double points = shape_number(o, "points", 0);

		if (points > 0 && points <= 100)
			v[(*ret_n)++] = (struct page_cost){page_keep(p, shape_text(o, key)), points};
	}
	return v;
}

static void keep_moves(struct ta_page *p, struct json_object *list, struct page_host *h)
{
	size_t n = TA_MIN(shape_count(list), (size_t)MAX_FINDINGS);

	h->moves = n ? page_room(p, n, sizeof(*h->moves)) : NULL;
	for (size_t i = 0; h->moves && i < n; i++) {
		struct json_object *o = json_object_array_get_idx(list, i), *verdict = shape_at(o, "verdict");

		h->moves[h->n_moves++] = (struct page_move){
			.path = page_keep(p, shape_text(o, "path")),
			.was = page_keep(p, shape_text(o, "was")),
			.is = page_keep(p, shape_text(o, "is")),
			.kind = page_keep(p, shape_text(o, "kind")),
			.rule = page_keep(p, shape_text(o, "rule")),
			.severity = page_keep(p, shape_text(o, "severity")),
			.verdict_was = page_keep(p, shape_text(verdict, "was")),
			.verdict_is = page_keep(p, shape_text(verdict, "is")),
			.by = page_keep(p, shape_text(o, "by")),
			.note = page_keep(p, shape_text(o, "note")),
		};
	}
}

/* The host whose facts came first, else a new one. */
static struct page_host *host_for(struct ta_page *p, const char *name)
{
	struct page_host *h;

	for (size_t i = 0; name && i < p->hosts.n; i++)
		if (!page_host(p, i)->profile && strcmp(page_host(p, i)->name, name) == 0)
			return page_host(p, i);
	h = page_room(p, 1, sizeof(*h));
	page_push(p, &p->hosts, h);
	return h;
}

void page_read_check(struct ta_page *p, const char *file, struct json_object *doc)
{
	struct json_object *list = shape_at(doc, "findings"), *about = shape_at(doc, "host");
	struct page_host *h = host_for(p, shape_text(about, "name"));
	size_t n = shape_count(list);

	if (!h)
		return;
	h->file = page_keep(p, file);
	h->name = page_keep(p, shape_text(about, "name") ?: file);
	h->os = page_keep(p, shape_text(about, "os") ?: "");
	h->kernel = page_keep(p, shape_text(about, "kernel") ?: "");
	h->arch = page_keep(p, shape_text(about, "arch") ?: "");
	h->time = shape_int(about, "time", -1);
	h->profile = page_keep(p, shape_text(doc, "profile"));
	h->tool = page_keep(p, shape_text(doc, "tool") ?: "");
	h->score = (int)shape_int(doc, "score", -1);
	h->coverage = (unsigned)shape_int(doc, "coverage", 0);
	h->areas = keep_costs(p, shape_at(doc, "areas"), "area", &h->n_areas);
	h->rules = keep_costs(p, shape_at(doc, "rules"), "rule", &h->n_rules);
	h->findings = n ? page_room(p, n, sizeof(*h->findings)) : NULL;
	for (size_t i = 0; h->findings && i < n; i++) {
		keep_finding(p, json_object_array_get_idx(list, i), &h->findings[h->n_findings]);
		h->summary[h->findings[h->n_findings++].verdict]++;
	}
	h->has_baseline = shape_at(doc, "baseline") != NULL;
	keep_moves(p, shape_at(shape_at(doc, "baseline"), "drift"), h);
}
