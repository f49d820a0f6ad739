/*
 * Which probes run, and the document they fill.
 */
#pragma once

#include "facts/schema.h"
#include "probe/probe.h"

/* All tables of probes and derivations as one schema: the one that the program has ready. Freed by the caller. */
int ta_collect_schema(struct ta_schema **ret, struct ta_err *err);

/* The same, put together from the tables. */
int ta_collect_schema_anew(struct ta_schema **ret, struct ta_err *err);

/* Counters are read twice, with `pause` between the readings: 0, or a negative that ends the collecting. */
struct ta_sampling {
	const struct ta_schema *schema;
	int (*pause)(void *ctx);
	void *ctx;
};

/*
 * Runs the probes whose fields are asked for, then the derivations. `owners` are names of probes and derivations as
 * ta_schema_owner() tells them; a derivation brings the probes it needs. NULL: all.
 * What was not run stands in `absent` as not-asked, and so do rates without `sampling` (NULL).
 */
int ta_collect(struct ta_host *h, const struct ta_strv *owners, const struct ta_sampling *sampling,
	struct ta_facts **ret, struct ta_err *err);
