/*
 * The set of rules: files come in, one resolve makes them usable.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "rule/lex.h"

const char *ta_verdict_name(enum ta_verdict v)
{
	static const char *const names[] = {
		[TA_V_PASS] = "pass",
		[TA_V_FAIL] = "fail",
		[TA_V_UNKNOWN] = "unknown",
		[TA_V_NA] = "na",
		[TA_V_UNSUPPORTED] = "unsupported",
		[TA_V_WAIVED] = "waived",
		[TA_V_PENDING_REBOOT] = "pending-reboot",
		[TA_V_CONFLICT] = "conflict",
		[TA_V_BROKEN] = "broken",
	};

	return names[v];
}

const char *ta_severity_name(enum ta_severity s)
{
	static const char *const names[] = {
		[TA_SEV_INFO] = "info",
		[TA_SEV_WARNING] = "warning",
		[TA_SEV_ERROR] = "error",
	};

	return names[s];
}

const char *ta_risk_name(enum ta_risk r)
{
	static const char *const names[] = {
		[TA_RISK_NONE] = "none",
		[TA_RISK_LOW] = "low",
		[TA_RISK_FLOW_RESET] = "flow-reset",
		[TA_RISK_LINK_FLAP] = "link-flap",
		[TA_RISK_REBOOT] = "reboot",
		[TA_RISK_WORKLOAD] = "workload",
	};

	return names[r];
}

struct ta_rules *ta_rules_new(void)
{
	return calloc(1, sizeof(struct ta_rules));
}

struct ta_rules *ta_rules_free(struct ta_rules *rs)
{
	if (!rs || rs->builtin)
		return NULL;
	free(rs->rule_names.slots);
	free(rs->param_names.slots);
	free(rs->profile_names.slots);
	free(rs->rules);
	ta_arena_done(&rs->arena);
	free(rs);
	return NULL;
}

static struct ta_source *new_source(struct ta_rules *rs, const char *file, const char *text, size_t len, unsigned flags)
{
	struct ta_source *src = ta_arena_new(&rs->arena, struct ta_source);

	if (!src)
		return NULL;
	src->file = ta_arena_strdup(&rs->arena, file);
	src->text = flags & TA_RULES_STATIC ? text : ta_arena_strndup(&rs->arena, text, len);
	src->len = len;
	src->trusted = flags & TA_RULES_TRUSTED;
	src->ours = !(flags & TA_RULES_OVERRIDE);
	return src->file && src->text ? src : NULL;
}

int ta_rules_add_text(struct ta_rules *rs, const char *file, const char *text, size_t len, unsigned flags,
	struct ta_diags *diags)
{
	struct ta_source *src;
	size_t bad, first = diags->n;
	int rc;

	if (len > TA_RULE_FILE_MAX) {
		ta_diag_add_file(diags, file, "the file has %zu bytes, at most %u are read", len, TA_RULE_FILE_MAX);
		return -EFBIG;
	}
	src = new_source(rs, file, text, len, flags);
	if (!src)
		return -ENOMEM;
	if (!(flags & TA_RULES_STATIC) && !ta_text_is_clean(src->text, len, &bad)) {
		ta_diag_add_file(diags, file, "byte %zu is no printable UTF-8 text", bad);
		return -EBADMSG;
	}
	rc = ta_rules_parse(rs, src, flags, diags);
	ta_diags_sort(diags, first);
	return rc;
}

/* --- looking up ---------------------------------------------------------------- */

const struct ta_rule *ta_rules_first(const struct ta_rules *rs)
{
	return rs->schema && rs->n_rules ? rs->rules[0] : NULL;
}

const struct ta_rule *ta_rules_first_replaced(const struct ta_rules *rs)
{
	return rs->schema ? rs->replaced : NULL;
}

const struct ta_rule *ta_rules_find(const struct ta_rules *rs, const char *id)
{
	return ta_names_get(&rs->rule_names, id);
}

const char *ta_rules_nearest(const struct ta_rules *rs, const char *id)
{
	struct ta_nearest near = TA_NEAREST(id);

	for (size_t i = 0; i < rs->n_rules; i++)
		ta_nearest_try(&near, rs->rules[i]->id);
	return near.best;
}

bool ta_pattern_matches(const char *pattern, const char *id)
{
	size_t n;

	if (*pattern != *id)
		return false;
	n = strlen(pattern);
	if (n >= 2 && strcmp(pattern + n - 2, ".*") == 0)
		return strncmp(pattern, id, n - 1) == 0;
	return strcmp(pattern, id) == 0;
}

/* --- resolve --------------------------------------------------------------------- */

static int cmp_rules(const void *a, const void *b)
{
	return strcmp((*(struct ta_rule *const *)a)->id, (*(struct ta_rule *const *)b)->id);
}

static void sort_rules(struct ta_rules *rs)
{
	if (rs->n_rules)
		qsort(rs->rules, rs->n_rules, sizeof(struct ta_rule *), cmp_rules);
	for (size_t i = 0; i < rs->n_rules; i++) {
		rs->rules[i]->number = (unsigned)i;
		rs->rules[i]->next = i + 1 < rs->n_rules ? rs->rules[i + 1] : NULL;
	}
}

bool ta_param_accepts(const struct ta_param *p, const struct ta_expr *literal)
{
	switch (p->kind) {
	case TA_K_NUMBER:
		return literal->node == TA_N_INT || literal->node == TA_N_REAL;
	case TA_K_STRING:
		return literal->node == TA_N_STRING;
	default:
		return literal->node == TA_N_BOOL;
	}
}

/* A parameter of a fact's name would hide it. */
static int check_params(struct ta_rules *rs, struct ta_diags *diags)
{
	int rc = 0;

	for (struct ta_param *p = rs->params; p; p = p->next)
		if (ta_schema_child(ta_schema_root(rs->schema), p->name.text))
			rc = ta_diag_add(diags, p->source, p->name.pos, p->name.end,
				"'%s' is the name of facts; call the parameter otherwise", p->name.text);
	return rc;
}

/* The worse of two results: out of memory ends everything. */
static int worse(int a, int b)
{
	return a == -ENOMEM || !b ? a : b;
}

int ta_rules_resolve(struct ta_rules *rs, const struct ta_schema *schema, const struct ta_fix_sig *fixers,
	size_t n_fixers, struct ta_diags *diags)
{
	int rc;

	rs->schema = schema;
	rs->fixers = fixers;
	rs->n_fixers = n_fixers;
	sort_rules(rs);
	rc = check_params(rs, diags);
	for (size_t i = 0; i < rs->n_rules; i++)
		if (!rs->rules[i]->asleep)
			rc = worse(rc, ta_rule_check(rs, rs->rules[i], fixers, n_fixers, diags));
	for (struct ta_rule *r = rs->spoilt; r; r = r->next)
		rc = worse(rc, ta_rule_check(rs, r, fixers, n_fixers, diags));
	for (struct ta_rule *r = rs->replaced; r; r = r->next)
		rc = worse(rc, ta_rule_check(rs, r, fixers, n_fixers, diags));
	rc = worse(rc, ta_profiles_resolve(rs, diags));
	rc = worse(rc, ta_waivers_resolve(rs, diags));
	ta_diags_sort(diags, 0);
	return rs->arena.error ? -ENOMEM : rc;
}

int ta_rules_wake(struct ta_rules *rs, const struct ta_profile *profile, struct ta_diags *diags)
{
	int rc = 0;

	for (size_t i = 0; i < rs->n_rules; i++) {
		struct ta_rule *r = rs->rules[i];

		if (!r->asleep || (profile && !ta_profile_has(profile, r)))
			continue;
		r->asleep = false;
		rc = worse(rc, ta_rule_read(rs, r, diags));
		if (rc != -ENOMEM && !r->faulty)
			rc = worse(rc, ta_rule_check(rs, r, rs->fixers, rs->n_fixers, diags));
	}
	ta_diags_sort(diags, 0);
	return rs->arena.error ? -ENOMEM : rc;
}
