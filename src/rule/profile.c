/*
 * Profiles: which rules, how much they weigh, and the parameters' values. A
 * profile starts as the union of those it inherits; its own lines come on top.
 */
#include <errno.h>
#include <string.h>

#include "rule/rules.h"

#define DEPTH_MAX 16u /* profiles above one */

/* The parameters' own values, in the order of their numbers; NULL: out of memory. */
static struct ta_expr **default_params(struct ta_rules *rs)
{
	struct ta_expr **v = ta_arena_alloc(&rs->arena, (rs->n_params + 1) * sizeof(*v));

	for (struct ta_param *p = rs->params; v && p; p = p->next)
		v[p->number] = p->value;
	return v;
}

static int fault(struct ta_profile *p, struct ta_diags *diags, const struct ta_word *at, const char *what,
	const char *near)
{
	return ta_diag_add(diags, p->source, at->pos, at->end, "no %s '%s'%s%s%s", what, at->text,
		near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* The first rule that `pattern` may match; what it matches stands side by side, since ids are sorted. */
static size_t first_like(const struct ta_rules *rs, const char *pattern)
{
	size_t n = strlen(pattern), low = 0, high = rs->n_rules;

	n -= n >= 2 && strcmp(pattern + n - 2, ".*") == 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (strncmp(rs->rules[mid]->id, pattern, n) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int apply_to_rules(struct ta_rules *rs, struct ta_profile *p, const struct ta_profile_item *item,
	struct ta_diags *diags)
{
	bool found = false, in = false;

	for (size_t i = first_like(rs, item->name.text); i < rs->n_rules; i++) {
		struct ta_profile_entry *entry = &p->rules[i];

		if (!ta_pattern_matches(item->name.text, rs->rules[i]->id))
			break;
		found = true;
		in |= entry->in;
		if (item->what == TA_ITEM_RULES || item->what == TA_ITEM_WITHOUT)
			entry->in = item->what == TA_ITEM_RULES;
		else if (item->what == TA_ITEM_WEIGHT)
			entry->weight = (uint8_t)item->number;
		else
			*entry = (struct ta_profile_entry){entry->in, true, entry->weight, (uint8_t)item->number};
	}
	if (!found)
		return fault(p, diags, &item->name, "rule", ta_rules_nearest(rs, item->name.text));
	if (!in && item->what != TA_ITEM_RULES)
		return ta_diag_add(diags, p->source, item->name.pos, item->name.end,
			"the profile has no rule '%s' at this line", item->name.text);
	return 0;
}

static int apply_param(struct ta_rules *rs, struct ta_profile *p, const struct ta_profile_item *item,
	struct ta_diags *diags)
{
	struct ta_param *param = ta_names_get(&rs->param_names, item->name.text);
	struct ta_nearest near = TA_NEAREST(item->name.text);

	if (param && ta_param_accepts(param, item->value)) {
		p->params[param->number] = item->value;
		return 0;
	}
	if (param)
		return ta_diag_add(diags, p->source, item->value->pos, item->value->end, "%s is %s, this is not",
			param->name.text, ta_kind_name(param->kind));
	for (param = rs->params; param; param = param->next)
		ta_nearest_try(&near, param->name.text);
	return fault(p, diags, &item->name, "parameter", near.best);
}

/* Adds what a parent has; what a later parent says of a rule or parameter wins over an earlier one. */
static void inherit(struct ta_rules *rs, struct ta_profile *p, const struct ta_profile *parent,
	struct ta_expr *const *defaults)
{
	for (size_t i = 0; i < rs->n_rules; i++)
		if (parent->rules[i].in)
			p->rules[i] = parent->rules[i];
	for (size_t i = 0; i < rs->n_params; i++)
		if (parent->params[i] != defaults[i])
			p->params[i] = parent->params[i];
	if (parent->workload >= 0)
		p->workload = parent->workload;
}

static int resolve(struct ta_rules *rs, struct ta_profile *p, struct ta_expr *const *defaults, unsigned depth,
	struct ta_diags *diags);

static int resolve_parent(struct ta_rules *rs, struct ta_profile *p, const struct ta_profile_item *item,
	struct ta_expr *const *defaults, unsigned depth, struct ta_diags *diags)
{
	struct ta_profile *parent = ta_names_get(&rs->profile_names, item->name.text);
	struct ta_nearest near = TA_NEAREST(item->name.text);
	int rc;

	if (!parent) {
		for (parent = rs->profiles; parent; parent = parent->next)
			ta_nearest_try(&near, parent->name.text);
		return fault(p, diags, &item->name, "profile", near.best);
	}
	if (parent->state == TA_PROFILE_BUSY)
		return ta_diag_add(diags, p->source, item->name.pos, item->name.end,
			"profile %s inherits itself through %s", parent->name.text, p->name.text);
	rc = depth || parent->state == TA_PROFILE_DONE ? resolve(rs, parent, defaults, depth - 1, diags) : 0;
	/* It may have been resolved before, by way of another: its own line counts then. */
	if (parent->state != TA_PROFILE_DONE || parent->depth >= DEPTH_MAX)
		return ta_diag_add(diags, p->source, item->name.pos, item->name.end,
			"too many profiles in a row, at most %u inherit from one another", DEPTH_MAX);
	p->depth = TA_MAX(p->depth, parent->depth + 1);
	if (rc != -ENOMEM)
		inherit(rs, p, parent, defaults);
	return rc;
}

/* Makes the room of a profile: no rule in, all with their own weight. */
static int prepare(struct ta_rules *rs, struct ta_profile *p, struct ta_expr *const *defaults)
{
	p->rules = ta_arena_alloc(&rs->arena, (rs->n_rules + 1) * sizeof(*p->rules));
	p->params = ta_arena_alloc(&rs->arena, (rs->n_params + 1) * sizeof(*p->params));
	if (!p->rules || !p->params)
		return -ENOMEM;
	memcpy(p->params, defaults, rs->n_params * sizeof(*p->params));
	memset(p->rules, 0, rs->n_rules * sizeof(*p->rules));
	p->workload = -1;
	return 0;
}

static int apply_line(struct ta_rules *rs, struct ta_profile *p, const struct ta_profile_item *i, struct ta_diags *diags)
{
	if (i->what == TA_ITEM_PARAM)
		return apply_param(rs, p, i, diags);
	if (i->what != TA_ITEM_WORKLOAD)
		return apply_to_rules(rs, p, i, diags);
	p->workload = (int8_t)i->number;
	return 0;
}

static int resolve(struct ta_rules *rs, struct ta_profile *p, struct ta_expr *const *defaults, unsigned depth,
	struct ta_diags *diags)
{
	int rc, worst = 0;

	if (p->state == TA_PROFILE_DONE)
		return 0;
	p->state = TA_PROFILE_BUSY;
	worst = prepare(rs, p, defaults);
	/* Parents first, wherever the line stands. */
	for (const struct ta_profile_item *i = p->items; worst != -ENOMEM && i; i = i->next) {
		rc = i->what == TA_ITEM_INHERITS ? resolve_parent(rs, p, i, defaults, depth, diags) : 0;
		worst = rc ? rc : worst;
	}
	for (const struct ta_profile_item *i = p->items; worst != -ENOMEM && i; i = i->next) {
		if (i->what == TA_ITEM_INHERITS)
			continue;
		rc = apply_line(rs, p, i, diags);
		worst = rc ? rc : worst;
	}
	p->state = TA_PROFILE_DONE;
	return worst;
}

int ta_profiles_resolve(struct ta_rules *rs, struct ta_diags *diags)
{
	struct ta_expr **defaults = default_params(rs);
	int worst = defaults ? 0 : -ENOMEM;

	rs->defaults = defaults;
	for (struct ta_profile *p = rs->profiles; worst != -ENOMEM && p; p = p->next) {
		int rc = resolve(rs, p, defaults, DEPTH_MAX, diags);

		worst = rc ? rc : worst;
	}
	return worst;
}

/* --- what others ask --------------------------------------------------------------- */

const struct ta_profile *ta_rules_profile(const struct ta_rules *rs, const char *name)
{
	const struct ta_profile *p = ta_names_get(&rs->profile_names, name);

	return p && p->state == TA_PROFILE_DONE ? p : NULL;
}

void ta_rules_profile_names(const struct ta_rules *rs, struct ta_strv *ret)
{
	for (const struct ta_profile *p = rs->profiles; p; p = p->next)
		ta_strv_add(ret, p->name.text);
	ta_strv_sort(ret);
}

const char *ta_profile_name(const struct ta_profile *p)
{
	return p->name.text;
}

const char *ta_profile_title(const struct ta_profile *p)
{
	return p->title;
}

const char *ta_profile_workload(const struct ta_profile *p)
{
	return ta_shown_workload_name(p->workload < 0 ? TA_SHOWN_HTTP : (enum ta_shown_workload)p->workload);
}

bool ta_profile_has(const struct ta_profile *p, const struct ta_rule *r)
{
	return p->rules[r->number].in;
}

unsigned ta_profile_weight(const struct ta_profile *p, const struct ta_rule *r)
{
	unsigned own = p->rules[r->number].weight;

	return own ? own : r->weight;
}

enum ta_severity ta_profile_severity(const struct ta_profile *p, const struct ta_rule *r)
{
	const struct ta_profile_entry *entry = &p->rules[r->number];

	return entry->has_severity ? (enum ta_severity)entry->severity : r->severity;
}
