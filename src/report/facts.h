/*
 * Facts for people: one line each, path = value unit, then the holes with their reasons.
 * Lines are not wrapped: they are made to be searched.
 */
#pragma once

#include "base/strv.h"
#include "facts/schema.h"

/* What is shown: everything under these first keys and every fact of these owners; both empty: all.
 */
struct ta_facts_selection {
	struct ta_strv keys;
	struct ta_strv owners;
};

struct ta_facts_style {
	unsigned columns;
	bool meanings; /* each fact's meaning behind its value */
	bool holes;    /* what is not known */
};

void ta_report_facts(const struct ta_facts *f, const struct ta_schema *schema,
	const struct ta_facts_selection *sel, const struct ta_facts_style *style,
	struct ta_buf *ret);

/* The document as JSON with what is selected alone; its header stays whole. */
void ta_report_facts_json(const struct ta_facts *f, const struct ta_schema *schema,
	const struct ta_facts_selection *sel, struct ta_buf *ret);

/* A value as text: 0-3,8 for CPU lists (`field` may be NULL), "a, b" and "1 2 3" for other lists.
 */
void ta_report_value(struct json_object *value, const struct ta_field *field, struct ta_buf *ret);
