/*
 * The parts of a trial as the command line has it: which changes of a plan can be tried with which workload, and each workload's
 * rounds. A change is tried with the first workload that can show it.
 */
#pragma once

#include "cli/arming.h"
#include "fix/plan.h"
#include "load/run.h"
#include "report/trial.h"
#include "rule/rules.h"

#define TA_TRYING_PARTS 6

/* One workload. */
struct ta_trying_part {
	const struct ta_workload *workload;
	struct ta_load_options load;
	unsigned connections;
	struct ta_trial_calm calm;
	bool is_calm;
	struct ta_apply_item *items;
	size_t *row_of; /* of each item */
	struct ta_strv names; /* rules of the items */
	size_t n;
	struct ta_trial trial;
	bool tried;
};

struct ta_trying {
	struct ta_arming arming;
	struct ta_state *state; /* opened for writing, once something is to be changed */
	const struct ta_plan *plan;
	const struct ta_rules *rules;
	const volatile sig_atomic_t *stop;
	bool each;
	unsigned pairs;
	bool on_loopback; /* no target: the path is known before */
	struct ta_trial_row *rows; /* of the plan's actions */
	struct ta_strv reasons; /* texts of the rows */
	struct ta_trying_part parts[TA_TRYING_PARTS];
	size_t n_parts;
};

void ta_trying_done(struct ta_trying *t);

/* The rows, and what is known of them before anything is measured. An exit code, after a message. */
int ta_trying_sort_out(struct ta_trying *t, enum ta_allow allow, bool allow_workload);

/* Rows that no earlier part has tried and this one may be able to show. */
size_t ta_trying_count(const struct ta_trying *t, const struct ta_trying_part *p);
/* Of all parts together. */
size_t ta_trying_count_all(const struct ta_trying *t);

/* Measures what the part can show. An exit code; what was put back or not is told. */
int ta_trying_run(struct ta_trying *t, struct ta_trying_part *p);

/* All others get their reason. 0 or an exit code. */
int ta_trying_say_why_not(struct ta_trying *t);

/* Seconds of a round, with what lies between two of them. */
double ta_trying_round_s(const struct ta_trying_part *p);
