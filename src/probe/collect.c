/*
 * Which probes run. Rules name facts, the schema knows whose they are, a
 * derivation names what it is made of: only those probes are run.
 */
#include "probe/collect.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "derive/derive.h"
#include "facts/text.h"

int ta_collect_schema(struct ta_schema **ret, struct ta_err *err)
{
	size_t n = ta_n_probes + ta_n_derivations;
	struct ta_table *tables = calloc(n + 1, sizeof(*tables));
	int rc;

	if (!tables)
		return ta_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < ta_n_probes; i++)
		tables[i] = (struct ta_table){ta_probes[i]->name, ta_probes[i]->fields, ta_probes[i]->n_fields};
	for (size_t i = 0; i < ta_n_derivations; i++)
		tables[ta_n_probes + i] = (struct ta_table){ta_derivations[i]->name, ta_derivations[i]->fields,
			ta_derivations[i]->n_fields};
	rc = ta_schema_new(tables, n, ret, err);
	free(tables);
	return rc;
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

static void copy_first_key(const char *path, struct ta_strv *ret)
{
	size_t end;

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

static int run(struct ta_host *h, struct ta_facts *f, const struct ta_strv *owners)
{
	for (size_t i = 0; i < ta_n_probes; i++)
		if (!owners || ta_strv_has(owners, ta_probes[i]->name))
			ta_probes[i]->collect(h, f);
	for (size_t i = 0; i < ta_n_derivations; i++)
		if (!owners || ta_strv_has(owners, ta_derivations[i]->name))
			ta_derivations[i]->compute(f);
	if (owners)
		mark_not_asked(f, owners);
	return ta_facts_error(f);
}

int ta_collect(struct ta_host *h, const struct ta_strv *owners, struct ta_facts **ret, struct ta_err *err)
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
	rc = run(h, f, owners ? &all : NULL);
	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	*ret = f;
	f = NULL;
	return 0;
}
