/*
 * Starting what undoes a run if we cannot: for apply and trial.
 */
#pragma once

#include "cli/command.h"
#include "host/host.h"

struct ta_arming {
	struct ta_cli *cli;
	struct ta_host *host;
	const char *dir; /* of the journal, as --state has it; NULL: the usual one */
};

/* For ta_apply.arm; `ctx` is a ta_arming. 0 as soon as the supervisor is ready, or -errno with text. */
int ta_arming_start(unsigned run, void *ctx, struct ta_err *err);
