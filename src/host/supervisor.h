/*
 * A program that outlives the one that starts it, its terminal and its session: it watches over a change that undoes itself.
 *
 * Where systemd is the init of this very place, it is a transient service: no logout ends that, and one that is killed is
 * started again. Else a process in a session of its own, with nothing of ours open, that ignores what a terminal sends and
 * that the kernel kills last when memory is short (as far as that is permitted).
 */
#pragma once

#include "host/host.h"

/* A process beyond the reuse of its number. */
struct ta_process {
	int64_t pid;
	int64_t start; /* clock ticks after boot, /proc/PID/stat */
};

/* The number and what tells it from a later one of that number. 0, -ESRCH: it is gone, or a zombie. */
int ta_process_read(struct ta_host *h, int64_t pid, struct ta_process *ret);
bool ta_process_lives(struct ta_host *h, const struct ta_process *p);

/* Is it this very program? */
bool ta_process_is_ours(struct ta_host *h, int64_t pid);

/* SIGKILL, by a descriptor of the process, so that never another one is hit. 0, -ESRCH, -EPERM, -ENOSYS (before Linux 5.3). */
int ta_process_kill(struct ta_host *h, const struct ta_process *p);

enum ta_supervisor_kind {
	TA_SUPERVISOR_SERVICE, /* of systemd */
	TA_SUPERVISOR_PROCESS,
};

/*
 * Starts this program anew as `args` (ended by NULL, without its own name) with `name` as the name of the unit, and waits
 * until it says TA_SUPERVISOR_READY: at most 20 s. Counted as a change. `why_not`, if it is a mere process although
 * systemd is there: what systemd said. 0, or -errno with text: nothing is left running.
 */
int ta_supervisor_start(struct ta_host *h, const char *name, const char *const *args, enum ta_supervisor_kind *ret_kind,
	struct ta_err *why_not, struct ta_err *err);

/* In the supervisor: says that it is ready, to whoever waits for that, and lets go of stdout and stderr. */
#define TA_SUPERVISOR_READY "armed\n"
int ta_supervisor_ready(struct ta_err *err);
