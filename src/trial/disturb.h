/*
 * What else the machine did during a round: other programs, a hypervisor that took time away, hot CPUs, clocks that moved, memory or
 * disks that programs waited for. A round in which that was not as usual says little of a change.
 *
 * /proc/stat and thermal_throttle (load/watch.h), /proc/pressure (kernel/sched/psi.c), getrusage(2).
 */
#pragma once

#include "load/watch.h"

/* Shares are 0 … 1 of the time of all CPUs, pressures of the time that passed. */
struct ta_trial_env {
	double others;	 /* CPU time of programs that are neither this one nor its load */
	double steal;	 /* taken by the hypervisor */
	double memory, io; /* all that wanted to run waited for memory; some waited for disks. 0 where the kernel does not tell */
	double mhz;	 /* mean clock of CPUs at work; 0: this machine does not tell */
	uint64_t throttled; /* thermal events */
};

struct ta_trial_mark; /* one moment */

/* NULL: out of memory. */
struct ta_trial_mark *ta_trial_mark(struct ta_host *h);
/*
 * From `from`, which is freed, until now. `during`: of the load run, or NULL. `grown`: what the machine's counters grew by. 0 or
 * -ENOMEM.
 */
int ta_trial_env(struct ta_host *h, struct ta_trial_mark *from, const struct ta_watch_during *during, struct ta_trial_env *ret,
	struct ta_watch_sample *grown);

/* The median of each. n from 1 to TA_TRIAL_ENVS. */
#define TA_TRIAL_ENVS 16
void ta_trial_env_usual(const struct ta_trial_env *v, size_t n, struct ta_trial_env *ret);

/*
 * True if `now` is not as usual; `why` (may be NULL) gets the first reason, a clause: "other programs used 45 % of the CPUs, not 3 %".
 * `with_change`: a clock that moved is no reason, since the change may be about it (a governor, an idle state).
 */
bool ta_trial_env_disturbed(const struct ta_trial_env *now, const struct ta_trial_env *usual, bool with_change, struct ta_buf *why);

/* What a trial on such a host has to reckon with: a sentence each, nothing on a calm one. Any of `n` rounds before the first change. */
void ta_trial_env_warn(const struct ta_trial_env *v, size_t n, struct ta_strv *ret);
