/*
 * Plans, runs and what became of them: for people (80 columns, ASCII) and as JSON (docs/schemas).
 */
#pragma once

#include "fix/undo.h"
#include "fix/plan.h"
#include "report/report.h"

/* tuneaudit.plan/1 */
void ta_report_plan_json(const struct ta_plan *p, const char *tool_version, struct ta_buf *ret);

/* What would be done; under which permissions decides what each action still needs. */
struct ta_plan_view {
	const struct ta_report_options *o;
	enum ta_allow allow;
	bool allow_workload;
};
void ta_report_plan(const struct ta_plan *p, const struct ta_plan_view *v, struct ta_buf *ret);

/* Those actions that are not done under these permissions, each with why; nothing where all are. */
void ta_report_skipped(const struct ta_plan *p, const struct ta_plan_view *v, struct ta_buf *ret);

/* For who has not seen the plan: what cannot be written from here, and what rules contradict each other about. */
void ta_report_not_done(const struct ta_plan *p, const struct ta_report_options *o, struct ta_buf *ret);

/* The changes of a run, a line or more each, with what became of them. */
void ta_report_changes(const struct ta_run *r, const struct ta_report_options *o, struct ta_buf *ret);

/* What would put back by hand what could not be put back; nothing where all was. */
void ta_report_stuck(const struct ta_run *r, const struct ta_report_options *o, struct ta_buf *ret);

/* A run as the history has it; `key` NULL in an array. */
struct ta_json;
void ta_report_run_json(struct ta_json *j, const char *key, const struct ta_run *r);

/*
 * tuneaudit.apply/1: what came of `apply`. `run` NULL: it did not come to one; `v` NULL: no load was measured; `message` NULL:
 * nothing is to be said.
 */
struct ta_verify_report;
void ta_report_apply_json(const struct ta_run *run, const struct ta_verify_report *v, const char *message, int exit_code,
	struct ta_buf *ret);

/* tuneaudit.history/1, and for people a line for each run. */
void ta_report_history_json(const struct ta_run *runs, size_t n, struct ta_buf *ret);
/* `boot`: the id of the boot that the host is in, "" if not known. */
void ta_report_history(const struct ta_run *runs, size_t n, const char *boot, const struct ta_report_options *o,
	struct ta_buf *ret);

/* One run with everything that is known of it. */
void ta_report_run(const struct ta_run *r, const char *boot, const struct ta_report_options *o, struct ta_buf *ret);

/* The state of a run in a word: "applied", "pending", "rolled-back", "failed", "partly-restored", "interrupted", "running". */
const char *ta_run_state_name(const struct ta_run *r);
