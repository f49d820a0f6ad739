/*
 * Which probes run. Rules name facts, the schema knows whose they are, a
 * derivation names what it is made of: only those probes are run.
 */
#include "probe/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "derive/derive.h"
#include "facts/rates.h"
#include "facts/text.h"

int ta_collect_schema_anew(struct ta_schema **ret, struct ta_err *err)
{
	size_t n = ta_n_probes + ta_n_derivations;
	struct ta_table *tables = calloc(n + 1, sizeof(*tables));
	struct ta_schema *s = NULL;
	int rc;

	if (!tables)
		return ta_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < ta_n_probes; i++)
		tables[i] = (struct ta_table){ta_probes[i]->name, ta_probes[i]->fields, ta_probes[i]->n_fields};
	for (size_t i = 0; i < ta_n_derivations; i++)
		tables[ta_n_probes + i] = (struct ta_table){ta_derivations[i]->name, ta_derivations[i]->fields,
			ta_derivations[i]->n_fields};
	rc = ta_schema_new(tables, n, &s, err);
	free(tables);
	if (rc == 0)
		rc = ta_schema_add_rates(s, TA_RATES_FROM, TA_RATES_TO, err);
	if (rc < 0)
		ta_schema_free(s);
	else
		*ret = s;
	return rc;
}

int ta_collect_schema(struct ta_schema **ret, struct ta_err *err)
{
	if (!ta_builtin_schema)
		return ta_collect_schema_anew(ret, err);
	*ret = ta_builtin_schema;
	return 0;
}

/* Is the path of a field `need` itself or below it? Both in text form. */
static bool is_at_or_below(const char *path, const char *need)
{
	size_t n = strlen(need);

	return path[0] == need[0] && strncmp(path, need, n) == 0 && (!path[n] || path[n] == '.' || path[n] == '[');
}

/* Adds the probes that put `need`. Were there none, nobody could ever compute from it. */
static int add_probes_of(const char *need, struct ta_strv *owners)
{
	int rc = -EINVAL;

	for (size_t i = 0; i < ta_n_probes; i++) {
		const struct ta_probe *p = ta_probes[i];
		size_t k = 0;

		while (k < p->n_fields && !is_at_or_below(p->fields[k].path, need))
			k++;
		if (k == p->n_fields)
			continue;
		rc = 0;
		if (!ta_strv_has(owners, p->name))
			ta_strv_add(owners, p->name);
	}
	return rc;
}

/* Adds the probes that the wanted derivations are made of. */
static int add_needed(struct ta_strv *owners, struct ta_err *err)
{
	for (size_t i = 0; i < ta_n_derivations; i++) {
		const struct ta_derivation *d = ta_derivations[i];

		if (!ta_strv_has(owners, d->name))
			continue;
		for (size_t k = 0; d->needs[k]; k++)
			if (add_probes_of(d->needs[k], owners) < 0)
				return ta_err_set(err, -EINVAL, "%s needs %s, which no probe has", d->name, d->needs[k]);
	}
	return 0;
}

/* The rows of a table mostly have the same one. */
static void copy_first_key(const char *path, struct ta_strv *ret)
{
	size_t end;

	if (ret->n && is_at_or_below(path, ret->v[ret->n - 1]))
		return;
	if (ta_path_ends(path, &end, 1))
		ta_strv_addn(ret, path, end);
}

static void first_keys(const struct ta_field *fields, size_t n, struct ta_strv *ret)
{
	for (size_t i = 0; i < n; i++)
		copy_first_key(fields[i].path, ret);
	ta_strv_sort(ret);
}

/* Areas that nobody looked at say so; areas that were read in part speak for themselves. */
static void mark_not_asked(struct ta_facts *f, const struct ta_strv *owners)
{
	ta_cleanup_strv struct ta_strv keys = TA_STRV_INIT;

	for (size_t i = 0; i < ta_n_probes; i++)
		if (!ta_strv_has(owners, ta_probes[i]->name))
			first_keys(ta_probes[i]->fields, ta_probes[i]->n_fields, &keys);
	for (size_t i = 0; i < keys.n; i++)
		if (!ta_facts_at(f, TA_KEYS(keys.v[i])))
			ta_facts_put_absent(f, TA_KEYS(keys.v[i]), TA_NOT_ASKED, "no selected rule needs it");
}

/* Has this probe counters, of which two readings make rates? */
static bool counts(const struct ta_probe *p)
{
	for (size_t i = 0; i < p->n_fields; i++)
		if (is_at_or_below(p->fields[i].path, TA_RATES_FROM))
			return true;
	return false;
}

static bool is_wanted(const struct ta_strv *owners, const struct ta_probe *p)
{
	return !owners || ta_strv_has(owners, p->name);
}

/* The probes that count, or the others; how many there were. */
static size_t run_probes(struct ta_host *h, struct ta_facts *f, const struct ta_strv *owners, bool counting)
{
	size_t n = 0;

	for (size_t i = 0; i < ta_n_probes; i++) {
		if (counts(ta_probes[i]) != counting || !is_wanted(owners, ta_probes[i]))
			continue;
		ta_probes[i]->collect(h, f);
		n++;
	}
	return n;
}

static double seconds_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The first of two readings and the pause; *ret_seconds stays 0 where there is nothing to count. */
static int first_reading(struct ta_host *h, struct ta_facts *before, const struct ta_strv *owners,
	const struct ta_sampling *sampling, double *ret_seconds)
{
	double start = seconds_now();
	int rc;

	if (!run_probes(h, before, owners, true))
		return 0;
	rc = sampling->pause(sampling->ctx);
	if (rc < 0)
		return rc;
	*ret_seconds = TA_MAX(seconds_now() - start, 1e-6);
	return ta_facts_error(before);
}

/*
 * Counters come first, both times: what lies between the readings is the pause, not the work of other
 * probes. The document keeps the second reading.
 */
static int run_counters(struct ta_host *h, struct ta_facts *f, const struct ta_strv *owners,
	const struct ta_sampling *sampling)
{
	ta_cleanup_facts struct ta_facts *before = ta_facts_new();
	double seconds = 0;
	int rc = before ? 0 : -ENOMEM;

	if (rc == 0 && sampling)
		rc = first_reading(h, before, owners, sampling, &seconds);
	if (rc < 0)
		return rc;
	run_probes(h, f, owners, true);
	if (!sampling)
		ta_rates_not_asked(f, "check --sample SECONDS reads counters twice");
	else if (seconds <= 0)
		ta_rates_not_asked(f, "no selected rule needs it");
	else
		ta_rates_put(f, sampling->schema, before, seconds);
	return 0;
}

static int run(struct ta_host *h, struct ta_facts *f, const struct ta_strv *owners, const struct ta_sampling *sampling)
{
	int rc = run_counters(h, f, owners, sampling);

	if (rc < 0)
		return rc;
	run_probes(h, f, owners, false);
	for (size_t i = 0; i < ta_n_derivations; i++)
		if (!owners || ta_strv_has(owners, ta_derivations[i]->name))
			ta_derivations[i]->compute(f);
	if (owners)
		mark_not_asked(f, owners);
	return ta_facts_error(f);
}

int ta_collect(struct ta_host *h, const struct ta_strv *owners, const struct ta_sampling *sampling,
	struct ta_facts **ret, struct ta_err *err)
{
	ta_cleanup_facts struct ta_facts *f = ta_facts_new();
	ta_cleanup_strv struct ta_strv all = TA_STRV_INIT;
	int rc;

	if (!f)
		return ta_err_set(err, -ENOMEM, "out of memory");
	if (owners) {
		for (size_t i = 0; i < owners->n; i++)
			ta_strv_add(&all, owners->v[i]);
		/* Who and when: part of every document. */
		ta_strv_add(&all, "host");
		rc = add_needed(&all, err);
		if (rc < 0)
			return rc;
	}
	rc = run(h, f, owners ? &all : NULL, sampling);
	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	*ret = f;
	f = NULL;
	return 0;
}
