/*
 * The score: a rule counts once, however many subjects it has, by its weight times the share of
 * subjects that pass.
 *
 *   judged   pass, fail, conflict, pending-reboot   in score and coverage
 *   open     unknown, broken                        lower coverage only
 *   apart    na, unsupported, waived                in neither
 *
 * pending-reboot counts as failing: the score tells what is in force now.
 */
#include "audit/score.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Sums of quotients that are whole in exact arithmetic may come out a hair below. */
#define HAIR 1e-9

bool ta_audit_is_failing(enum ta_verdict v)
{
	return v == TA_V_FAIL || v == TA_V_CONFLICT || v == TA_V_PENDING_REBOOT;
}

static bool is_open(enum ta_verdict v)
{
	return v == TA_V_UNKNOWN || v == TA_V_BROKEN;
}

/* How many findings from `first` on are of its rule. */
static size_t run_length(const struct ta_audit *a, size_t first)
{
	size_t n = 1;

	while (first + n < a->n_findings && a->findings[first + n].rule == a->findings[first].rule)
		n++;
	return n;
}

static struct ta_share rule_share(const struct ta_finding *f, size_t n)
{
	struct ta_share s = {.name = f->rule->id};
	size_t pass = 0, failing = 0, open = 0, judged;

	for (size_t i = 0; i < n; i++) {
		pass += f[i].out.verdict == TA_V_PASS;
		failing += ta_audit_is_failing(f[i].out.verdict);
		open += is_open(f[i].out.verdict);
	}
	judged = pass + failing;
	if (judged) {
		s.weight = f->weight;
		s.lost = f->weight * ((double)failing / (double)judged);
	}
	if (open)
		s.unknown = f->weight * ((double)open / (double)(judged + open));
	return s;
}

static struct ta_share *find_share(struct ta_share *shares, size_t *n, const char *name)
{
	for (size_t i = 0; i < *n; i++)
		if (strcmp(shares[i].name, name) == 0)
			return &shares[i];
	shares[*n] = (struct ta_share){.name = name};
	return &shares[(*n)++];
}

static int cmp_shares(const void *a, const void *b)
{
	const struct ta_share *x = a, *y = b;

	if (x->lost != y->lost)
		return x->lost > y->lost ? -1 : 1;
	return strcmp(x->name, y->name);
}

static unsigned percent(double part, double whole)
{
	return (unsigned)(100 * part / whole + HAIR);
}

static void set_points(struct ta_share *shares, size_t n, double weight)
{
	for (size_t i = 0; i < n; i++)
		shares[i].points = weight > 0 ? 100 * shares[i].lost / weight : 0;
	if (n)
		qsort(shares, n, sizeof(*shares), cmp_shares);
}

/*
 * Coverage weighs what is known of every rule that applies. A rule with three subjects read and one
 * not counts for three quarters in coverage, and fully in the score.
 */
static void set_score(struct ta_audit *a)
{
	double weight = 0, lost = 0, unknown = 0, applies = 0;

	for (size_t i = 0; i < a->n_rules; i++) {
		const struct ta_share *s = &a->rules[i];

		weight += s->weight;
		lost += s->lost;
		unknown += s->unknown;
		applies += s->weight > 0 ? s->weight : s->unknown;
	}
	a->has_score = weight > 0;
	a->score = a->has_score ? percent(weight - lost, weight) : 0;
	if (applies > 0)
		a->coverage = percent(applies - unknown, applies);
	else
		a->coverage = a->n_findings ? 100 : 0;
	/* A little was judged: that is not nothing. */
	if (a->has_score && !a->coverage)
		a->coverage = 1;
	set_points(a->rules, a->n_rules, weight);
	set_points(a->areas, a->n_areas, weight);
}

int ta_score_fill(struct ta_audit *a)
{
	a->rules = calloc(a->n_findings + 1, sizeof(*a->rules));
	a->areas = calloc(a->n_findings + 1, sizeof(*a->areas));
	if (!a->rules || !a->areas)
		return -ENOMEM;
	for (size_t i = 0; i < a->n_findings;) {
		const struct ta_finding *f = &a->findings[i];
		size_t n = run_length(a, i);
		struct ta_share s = rule_share(f, n), *sum;

		for (size_t k = 0; k < n; k++)
			a->summary[f[k].out.verdict]++;
		a->rules[a->n_rules++] = s;
		sum = find_share(a->areas, &a->n_areas, f->rule->area);
		sum->weight += s.weight;
		sum->lost += s.lost;
		sum->unknown += s.unknown;
		i += n;
	}
	set_score(a);
	return 0;
}

/* --- order ------------------------------------------------------------------ */

/* What a reader wants first. */
static unsigned verdict_rank(enum ta_verdict v)
{
	static const unsigned char rank[TA_V_COUNT] = {
		[TA_V_FAIL] = 0,
		[TA_V_CONFLICT] = 1,
		[TA_V_PENDING_REBOOT] = 2,
		[TA_V_BROKEN] = 3,
		[TA_V_UNKNOWN] = 4,
		[TA_V_WAIVED] = 5,
		[TA_V_PASS] = 6,
		[TA_V_UNSUPPORTED] = 7,
		[TA_V_NA] = 8,
	};

	return rank[v];
}

struct key {
	const struct ta_finding *f;
	bool rule_hurts; /* of any failing subject of the rule */
	size_t at;       /* subjects keep the order of their collection */
};

static int cmp_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	unsigned rx = verdict_rank(x->f->out.verdict), ry = verdict_rank(y->f->out.verdict);
	int c;

	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (x->rule_hurts != y->rule_hurts)
		return x->rule_hurts ? -1 : 1;
	if (x->f->weight != y->f->weight)
		return x->f->weight > y->f->weight ? -1 : 1;
	c = strcmp(x->f->rule->id, y->f->rule->id);
	if (c)
		return c;
	if (x->f->out.evidence_hurts != y->f->out.evidence_hurts)
		return x->f->out.evidence_hurts ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static void fill_keys(const struct ta_audit *a, struct key *keys)
{
	for (size_t i = 0; i < a->n_findings;) {
		size_t n = run_length(a, i);
		bool hurts = false;

		for (size_t k = i; k < i + n; k++) {
			const struct ta_outcome *o = &a->findings[k].out;

			hurts |= ta_audit_is_failing(o->verdict) && o->evidence_hurts;
		}
		for (size_t k = i; k < i + n; k++)
			keys[k] = (struct key){&a->findings[k], hurts, k};
		i += n;
	}
}

int ta_score_sort(struct ta_audit *a)
{
	struct key *keys = calloc(a->n_findings + 1, sizeof(*keys));
	struct ta_finding *sorted = calloc(a->n_findings + 1, sizeof(*sorted));

	if (!keys || !sorted) {
		free(keys);
		free(sorted);
		return -ENOMEM;
	}
	fill_keys(a, keys);
	if (a->n_findings)
		qsort(keys, a->n_findings, sizeof(*keys), cmp_keys);
	for (size_t i = 0; i < a->n_findings; i++)
		sorted[i] = *keys[i].f;
	free(keys);
	free(a->findings);
	a->findings = sorted;
	return 0;
}
