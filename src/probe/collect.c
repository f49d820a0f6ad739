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

static void add_owner(const struct ta_field *field, const char *owner, void *ctx)
{
	struct ta_strv *owners = ctx;

	if (!ta_strv_has(owners, owner))
		ta_strv_add(owners, owner);
}

/* Adds the probes that the wanted derivations are made of. */
static int add_needed(struct ta_strv *owners, struct ta_err *err)
{
	struct ta_schema *schema;
	int rc = ta_collect_schema(&schema, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; rc == 0 && i < ta_n_derivations; i++) {
		const struct ta_derivation *d = ta_derivations[i];

		if (!ta_strv_has(owners, d->name))
			continue;
		for (size_t k = 0; rc == 0 && d->needs[k]; k++) {
			const struct ta_schema_node *node = ta_schema_find_text(schema, d->needs[k]);

			if (!node)
				rc = ta_err_set(err, -EINVAL, "%s needs %s, which no probe has", d->name, d->needs[k]);
			else
				ta_schema_leaves(node, add_owner, owners);
		}
	}
	ta_schema_free(schema);
	return rc;
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
