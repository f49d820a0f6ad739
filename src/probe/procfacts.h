/*
 * processes.PID: limits and status, from /proc/PID.
 */
#pragma once

#include "facts/facts.h"
#include "host/host.h"

/* Puts limits, threads, CPUs and the like of a process, or why they are not known. */
void ta_proc_put(struct ta_host *h, struct ta_facts *f, const char *pid);

/* "/proc/PID/NAME" in the caller's buffer, which it returns. */
const char *ta_proc_file(char (*buf)[64], const char *pid, const char *name);
