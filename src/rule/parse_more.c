/*
 * The stanzas `param`, `profile` and `waive`.
 */
#include <errno.h>
#include <string.h>

#include "rule/stanza.h"
#include "rule/waive.h"

static bool parse_param_type(struct ta_parser *p, enum ta_kind *ret)
{
	static const char *const names[] = {"number", "string", "bool"};
	static const enum ta_kind kinds[] = {TA_K_NUMBER, TA_K_STRING, TA_K_BOOL};
	int i = ta_parse_choice(p, names, TA_ARRAY_SIZE(names), "number, string or bool");

	*ret = kinds[TA_MAX(i, 0)];
	return i >= 0;
}

static bool out_of_memory(struct ta_parser *p)
{
	if (!p->rs->arena.error)
		p->rs->arena.error = -ENOMEM;
	return false;
}

/* Puts a parameter among the others, in the place of the one it replaces. */
static bool add_param(struct ta_parser *p, struct ta_param *param)
{
	struct ta_rules *rs = p->rs;
	struct ta_param *old = ta_names_get(&rs->param_names, param->name.text);
	struct ta_param **slot = &rs->params;

	if (old && (!(p->flags & TA_RULES_OVERRIDE) || old->source == p->src)) {
		p->failed = true;
		ta_diag_add(p->diags, p->src, param->name.pos, param->name.end, "parameter %s stands in %s already",
			old->name.text, old->source->file);
		return true;
	}
	param->number = old ? old->number : (unsigned)rs->n_params++;
	if (old) {
		while (*slot != old)
			slot = &(*slot)->next;
		*slot = old->next;
	}
	param->next = rs->params;
	rs->params = param;
	return ta_names_put(&rs->param_names, param->name.text, param) || out_of_memory(p);
}

bool ta_parse_param(struct ta_parser *p)
{
	struct ta_param *param = ta_arena_new(p->arena, struct ta_param);
	struct ta_word unit;

	if (!param || !ta_parser_word(p, "", "the name of a parameter", &param->name) ||
		!ta_parser_need_char(p, ':') || !parse_param_type(p, &param->kind) || !ta_parser_need_char(p, '='))
		return false;
	param->source = p->src;
	param->value = ta_parse_literal(p);
	if (!param->value)
		return false;
	if (ta_parser_take_id(p, "unit")) {
		if (!ta_parser_word(p, "/%", "a unit", &unit))
			return false;
		param->unit = unit.text;
	}
	param->meaning = ta_parser_text(p);
	if (!param->meaning)
		return false;
	if (!ta_param_accepts(param, param->value)) {
		p->failed = true;
		ta_diag_add(p->diags, p->src, param->value->pos, param->value->end, "%s is %s, this is not",
			param->name.text, ta_kind_name(param->kind));
		return true;
	}
	return add_param(p, param);
}

/* --- profile ---------------------------------------------------------------- */

static struct ta_profile_item *add_item(struct ta_parser *p, struct ta_profile *profile, int what)
{
	struct ta_profile_item *item = ta_arena_new(p->arena, struct ta_profile_item);

	if (!item)
		return NULL;
	item->what = what;
	item->next = profile->items; /* turned round when the profile ends */
	profile->items = item;
	return item;
}

static bool parse_profile_title(struct ta_parser *p, void *stanza)
{
	return (((struct ta_profile *)stanza)->title = ta_parser_text(p));
}

/* A comma list of words, an item each. */
static bool parse_words(struct ta_parser *p, struct ta_profile *profile, int what, const char *expected)
{
	do {
		struct ta_profile_item *item = add_item(p, profile, what);

		if (!item || !ta_parser_word(p, TA_PATTERN_CHARS, expected, &item->name))
			return false;
	} while (ta_parser_take_char(p, ','));
	return true;
}

static bool parse_inherits(struct ta_parser *p, void *stanza)
{
	return parse_words(p, stanza, TA_ITEM_INHERITS, "the name of a profile");
}

static bool parse_rules(struct ta_parser *p, void *stanza)
{
	return parse_words(p, stanza, TA_ITEM_RULES, "the id of a rule, or `prefix.*`");
}

static bool parse_without(struct ta_parser *p, void *stanza)
{
	return parse_words(p, stanza, TA_ITEM_WITHOUT, "the id of a rule, or `prefix.*`");
}

static bool parse_profile_weight(struct ta_parser *p, void *stanza)
{
	struct ta_profile_item *item = add_item(p, stanza, TA_ITEM_WEIGHT);
	int64_t v;

	if (!item || !ta_parser_word(p, TA_PATTERN_CHARS, "the id of a rule, or `prefix.*`", &item->name))
		return false;
	v = ta_parse_number(p, 1, 10, "a number from 1 to 10");
	item->number = (unsigned)v;
	return v >= 0;
}

static bool parse_profile_severity(struct ta_parser *p, void *stanza)
{
	static const char *const names[] = {"info", "warning", "error"};
	struct ta_profile_item *item = add_item(p, stanza, TA_ITEM_SEVERITY);
	int i;

	if (!item || !ta_parser_word(p, TA_PATTERN_CHARS, "the id of a rule, or `prefix.*`", &item->name))
		return false;
	i = ta_parse_choice(p, names, TA_ARRAY_SIZE(names), "info, warning or error");
	item->number = (unsigned)TA_MAX(i, 0);
	return i >= 0;
}

static bool parse_profile_param(struct ta_parser *p, void *stanza)
{
	struct ta_profile_item *item = add_item(p, stanza, TA_ITEM_PARAM);

	if (!item || !ta_parser_word(p, "", "the name of a parameter", &item->name) || !ta_parser_need_char(p, '='))
		return false;
	item->value = ta_parse_literal(p);
	return item->value;
}

static bool parse_profile_workload(struct ta_parser *p, void *stanza)
{
	struct ta_profile_item *item = add_item(p, stanza, TA_ITEM_WORKLOAD);
	const char *names[TA_SHOWN_WORKLOADS];
	int i;

	if (!item)
		return false;
	for (i = 0; i < TA_SHOWN_WORKLOADS; i++)
		names[i] = ta_shown_workload_name((enum ta_shown_workload)i);
	i = ta_parse_choice(p, names, TA_SHOWN_WORKLOADS, "connect, file, hold, http, kv or stream");
	item->number = (unsigned)TA_MAX(i, 0);
	return i >= 0;
}

static const struct ta_stanza_key profile_keys[] = {
	{"title", parse_profile_title, false},
	{"inherits", parse_inherits, true},
	{"rules", parse_rules, true},
	{"without", parse_without, true},
	{"weight", parse_profile_weight, true},
	{"severity", parse_profile_severity, true},
	{"param", parse_profile_param, true},
	{"workload", parse_profile_workload, false},
};

static void reverse_items(struct ta_profile *profile)
{
	struct ta_profile_item *item = profile->items, *out = NULL;

	while (item) {
		struct ta_profile_item *next = item->next;

		item->next = out;
		out = item;
		item = next;
	}
	profile->items = out;
}

bool ta_parse_profile(struct ta_parser *p)
{
	struct ta_profile *profile = ta_arena_new(p->arena, struct ta_profile), *old;
	struct ta_profile **slot = &p->rs->profiles;
	uint64_t seen;

	if (!profile || !ta_parser_word(p, "-", "the name of a profile", &profile->name))
		return false;
	profile->source = p->src;
	profile->title = "";
	if (!ta_stanza_keys(p, profile_keys, TA_ARRAY_SIZE(profile_keys), profile, "profile", &seen))
		return true;
	reverse_items(profile);
	old = ta_names_get(&p->rs->profile_names, profile->name.text);
	if (old && (!(p->flags & TA_RULES_OVERRIDE) || old->source == p->src)) {
		p->failed = true;
		ta_diag_add(p->diags, p->src, profile->name.pos, profile->name.end, "profile %s stands in %s already",
			old->name.text, old->source->file);
		return true;
	}
	if (old) {
		while (*slot != old)
			slot = &(*slot)->next;
		*slot = old->next;
	}
	profile->next = p->rs->profiles;
	p->rs->profiles = profile;
	return ta_names_put(&p->rs->profile_names, profile->name.text, profile) || out_of_memory(p);
}

/* --- waive ------------------------------------------------------------------- */

static bool parse_subject(struct ta_parser *p, void *stanza)
{
	return (((struct ta_waiver_entry *)stanza)->waiver.subject = ta_parser_text(p));
}

static bool parse_because(struct ta_parser *p, void *stanza)
{
	return (((struct ta_waiver_entry *)stanza)->waiver.reason = ta_parser_text(p));
}

static bool parse_until(struct ta_parser *p, void *stanza)
{
	struct ta_waiver *w = &((struct ta_waiver_entry *)stanza)->waiver;
	struct ta_token at = p->tok;

	w->until = ta_parser_text(p);
	if (!w->until)
		return false;
	if (ta_waive_date(w->until, &w->until_time))
		return true;
	p->failed = true;
	ta_diag_add(p->diags, p->src, at.pos, at.end, "no such day; write \"YYYY-MM-DD\"");
	return true;
}

static const struct ta_stanza_key waive_keys[] = {
	{"subject", parse_subject, false},
	{"because", parse_because, false},
	{"until", parse_until, false},
};

bool ta_parse_waive(struct ta_parser *p)
{
	struct ta_waiver_entry *w = ta_arena_new(p->arena, struct ta_waiver_entry);
	uint64_t seen;

	if (!w || !ta_parser_word(p, TA_ID_CHARS, "the id of a rule", &w->rule))
		return false;
	w->source = p->src;
	w->waiver.rule = w->rule.text;
	w->waiver.until_time = INT64_MAX;
	if (!ta_stanza_keys(p, waive_keys, TA_ARRAY_SIZE(waive_keys), w, "waiver", &seen))
		return true;
	if (!w->waiver.reason) {
		p->failed = true;
		ta_diag_add(p->diags, p->src, w->rule.pos, w->rule.end, "a waiver needs a reason: because \"…\"");
		return true;
	}
	w->next = p->rs->waivers;
	p->rs->waivers = w;
	return true;
}
