/*
 * A load run for people, for programs (tuneaudit.load/1, docs/json.md) and for histogram plotters.
 */
#pragma once

#include "load/run.h"

struct json_object;

/* `fingerprint`: of this host (baseline/fingerprint.h), or NULL. */
void ta_report_load_text(const struct ta_load_result *r, struct json_object *fingerprint, unsigned columns, struct ta_buf *b);
void ta_report_load_json(const struct ta_load_result *r, struct json_object *fingerprint, struct ta_buf *b);
void ta_report_load_hgrm(const struct ta_load_result *r, struct ta_buf *b); /* of the point with the peak */
