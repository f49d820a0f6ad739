/*
 * What a trial found: for people, to be pasted into a ticket as it is, and for programs (tuneaudit.trial/1, docs/json.md).
 */
#pragma once

#include "fix/plan.h"
#include "report/report.h"
#include "trial/trial.h"

/* One change of the plan. */
struct ta_trial_row {
	const struct ta_action *action;
	const char *why_not; /* it was not tried; NULL: it was, or was to be */
	const struct ta_trial_unit *unit; /* that it was tried in; NULL: none */
	const char *workload;
	bool kept;
};

/* What was measured with one workload. */
struct ta_trial_part {
	const char *workload;
	unsigned connections;
	const struct ta_trial_calm *calm; /* NULL: it did not come to that */
	const struct ta_trial *trial; /* NULL: nothing could be tried with it */
};

struct ta_trial_report {
	const char *profile, *target; /* target NULL: the built-in server */
	unsigned pairs;
	double seconds;
	bool each, keep;
	const char *host; /* lines that say which host this is */
	struct json_object *fingerprint; /* of it (baseline/fingerprint.h) */
	const char *tool; /* version */
	const struct ta_plan *plan;
	const struct ta_trial_part *parts;
	size_t n_parts;
	const struct ta_trial_row *rows;
	size_t n_rows;
	unsigned kept_run; /* of the journal: what was kept; 0: nothing */
	const char *not_kept; /* what was to be kept and could not be, and why; or NULL */
	const char *program, *state; /* for commands to be copied; state: of --state, or NULL */
	unsigned columns;
};

void ta_report_trial_text(const struct ta_trial_report *r, struct ta_buf *b);
void ta_report_trial_json(const struct ta_trial_report *r, struct ta_buf *b);

/* Latencies without and with, side by side; nothing where there are none. */
void ta_report_trial_plot(const struct ta_hist *without, const struct ta_hist *with, unsigned columns, struct ta_buf *b);
