/*
 * Inside of this module: the tree of facts as a list of paths.
 */
#pragma once

#include "baseline/baseline.h"

struct ta_flat {
	const struct ta_schema *schema;
	bool balanced;	/* irqbalance runs */
	struct ta_baseline_fact *v;
	size_t n, cap;
	struct ta_strv from, to; /* members under keys that do not last, and what they are called here */
	int error;
};

/* Everything that a baseline holds of the document; then sorted, each path once. */
void ta_flat_take(struct ta_flat *w, const struct ta_facts *f);
void ta_flat_add(struct ta_flat *w, const char *path, struct json_object *value, enum ta_reason reason);
void ta_flat_sort(struct ta_flat *w);
void ta_flat_done(struct ta_flat *w);

void ta_baseline_sort_verdicts(struct ta_baseline *b);
