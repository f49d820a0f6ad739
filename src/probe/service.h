/*
 * Whether a service of the system runs, without looking at every process where that can be had cheaper.
 */
#pragma once

#include "host/host.h"

struct ta_service {
	const char *unit; /* "irqbalance.service" */
	const char *comm; /* what the process is called: "irqbalance" */
	const char *const *programs; /* where it is installed, ended by NULL; one is enough */
	const char *pid_file; /* or NULL */
};

/* 1 if it is installed, 0 if not, -ENODATA: the copied tree would not show it. */
int ta_service_installed(struct ta_host *h, const struct ta_service *s);

/*
 * 1 if it runs, 0 if not, or why that is not known. systemd has a control group for each unit as long as it has
 * processes; elsewhere the PID file is asked, then the names of all processes.
 */
int ta_service_runs(struct ta_host *h, const struct ta_service *s);

/* True if systemd starts the unit at boot: multi-user.target wants it. */
bool ta_service_enabled(struct ta_host *h, const char *unit);
