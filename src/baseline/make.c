/*
 * A baseline from what was read and judged just now.
 */
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/fingerprint.h"
#include "baseline/flat.h"

void ta_baseline_done(struct ta_baseline *b)
{
	struct ta_flat facts = {.v = b->facts, .n = b->n_facts};

	ta_flat_done(&facts);
	free(b->tool);
	free(b->rules);
	free(b->profile);
	free(b->host);
	json_object_put(b->fingerprint);
	ta_strv_done(&b->incomplete);
	for (size_t i = 0; i < b->n_verdicts; i++) {
		free(b->verdicts[i].rule);
		free(b->verdicts[i].subject);
	}
	free(b->verdicts);
	*b = (struct ta_baseline){0};
}

/* --- verdicts ------------------------------------------------------------------------ */

static int by_rule(const void *a, const void *b)
{
	const struct ta_baseline_verdict *x = a, *y = b;
	int c = ta_natural_cmp(x->rule, y->rule);

	c = c ? c : ta_natural_cmp(x->subject, y->subject);
	return c ? c : (int)x->verdict - (int)y->verdict;
}

void ta_baseline_sort_verdicts(struct ta_baseline *b)
{
	if (b->n_verdicts)
		qsort(b->verdicts, b->n_verdicts, sizeof(*b->verdicts), by_rule);
}

/* A rule that judges what moves by itself has a verdict that does, too. */
static bool moves(const struct ta_schema *schema, const struct ta_rule *r)
{
	ta_cleanup_strv struct ta_strv paths = TA_STRV_INIT;

	ta_rule_judged_paths(r, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		const struct ta_schema_node *node = ta_schema_find_text(schema, paths.v[i]);

		if (node && ta_schema_field(node) && ta_schema_field(node)->flags & (TA_F_VOLATILE | TA_F_RUN))
			return true;
	}
	return false;
}

static int add_verdicts(const struct ta_audit *a, const struct ta_schema *schema, struct ta_baseline *ret)
{
	const struct ta_rule *last = NULL;
	bool skip = false;

	ret->verdicts = calloc(a->n_findings + 1, sizeof(*ret->verdicts));
	if (!ret->verdicts)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_findings; i++) {
		const struct ta_finding *f = &a->findings[i];
		struct ta_baseline_verdict *v = &ret->verdicts[ret->n_verdicts];

		if (f->rule != last)
			skip = moves(schema, f->rule);
		last = f->rule;
		if (skip)
			continue;
		*v = (struct ta_baseline_verdict){strdup(f->rule->id), strdup(f->out.subject), f->out.verdict};
		ret->n_verdicts++;
		if (!v->rule || !v->subject)
			return -ENOMEM;
	}
	ta_baseline_sort_verdicts(ret);
	return 0;
}

/* --- a host -------------------------------------------------------------------------- */

static void add_incomplete(const char *path, struct ta_absence why, void *ctx)
{
	ta_strv_add(ctx, path);
	(void)why;
}

int ta_baseline_make(const struct ta_facts *f, const struct ta_schema *schema, const struct ta_audit *audit,
	uint64_t rules, const char *tool, struct ta_baseline *ret)
{
	const char *host = ta_facts_get_str(f, TA_KEYS("host", "name"));
	struct ta_flat flat = {.schema = schema};
	char digest[17];

	*ret = (struct ta_baseline){0};
	snprintf(digest, sizeof(digest), "%016llx", (unsigned long long)rules);
	ta_flat_take(&flat, f);
	ret->facts = flat.v;
	ret->n_facts = flat.n;
	flat.v = NULL;
	flat.n = 0;
	ret->tool = strdup(tool);
	ret->rules = strdup(digest);
	ret->profile = strdup(ta_profile_name(audit->profile));
	ret->host = host ? strdup(host) : NULL;
	ta_facts_each_hole(f, true, add_incomplete, &ret->incomplete);
	ta_strv_sort(&ret->incomplete);
	ret->fingerprint = ta_fingerprint_make(f);
	if (!ret->tool || !ret->rules || !ret->profile || !ret->fingerprint || (host && !ret->host) || ret->incomplete.error)
		flat.error = -ENOMEM;
	if (!flat.error)
		flat.error = add_verdicts(audit, schema, ret);
	ta_strv_done(&flat.from);
	ta_strv_done(&flat.to);
	return flat.error;
}

/* --- finding ------------------------------------------------------------------------- */

static int find_path(const void *key, const void *fact)
{
	return ta_natural_cmp(key, ((const struct ta_baseline_fact *)fact)->path);
}

const struct ta_baseline_fact *ta_baseline_find(const struct ta_baseline *b, const char *path)
{
	return b->n_facts ? bsearch(path, b->facts, b->n_facts, sizeof(*b->facts), find_path) : NULL;
}

const char *ta_baseline_str(const struct ta_baseline *b, const char *path)
{
	const struct ta_baseline_fact *f = ta_baseline_find(b, path);

	return f && json_object_is_type(f->value, json_type_string) ? json_object_get_string(f->value) : NULL;
}
