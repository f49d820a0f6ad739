/*
 * What moved since a baseline: for people, and as JSON (docs/schemas/drift.schema.json).
 */
#pragma once

#include "baseline/drift.h"
#include "report/json.h"
#include "report/report.h"

void ta_report_drift(const struct ta_drift *d, const struct ta_report_options *o, struct ta_buf *ret);

/* tuneaudit.drift/1 */
void ta_report_drift_json(const struct ta_drift *d, const char *tool_version, struct ta_buf *ret);

/* The lists of it as members of an object that is open. */
void ta_json_drift(struct ta_json *j, const struct ta_drift *d);

/* "2 settings, 1 kernel"; "nothing" where there is none. */
void ta_drift_counts(const struct ta_drift *d, struct ta_buf *ret);

/* What the rule that reads it says: "net.core.somaxconn (warning) passed and fails now"; "" where none reads it. */
void ta_drift_matters(const struct ta_drift_entry *e, struct ta_buf *ret);

/* A value as far as it fits on a line. */
void ta_drift_word(struct ta_buf *b, const char *text);

/* A line for people and for formats of lines: "PATH was 4096, is 128 (setting): by …; …". Not yet safe. */
void ta_drift_line(const struct ta_drift_entry *e, struct ta_buf *ret);

/* The severity that it has in formats of findings: of a rule that failed by it the rule's, else info. */
enum ta_severity ta_drift_level(const struct ta_drift_entry *e);
