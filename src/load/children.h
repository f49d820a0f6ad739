/*
 * Processes of a load run: a socket pair to each, and none that outlives the one that started it.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct ta_child {
	pid_t pid;
	int control; /* SOCK_SEQPACKET; readable at its end, too. -1: it ended */
	bool busy;   /* the caller's: it has something to do */
};

/*
 * A process that runs fn(arg, control) and then ends. It ignores Ctrl-C, which is for the command, has as many descriptors as
 * the hard limit allows, and is killed when the process that started it ends, however that does. `others` are `n` that were started
 * before: their ends of the control sockets are closed in it. 0 or -errno with the text.
 */
int ta_child_start(void (*fn)(void *arg, int control), void *arg, const struct ta_child *others, unsigned n,
	struct ta_child *ret, struct ta_err *err);

/* So that several end at the same time; ta_child_end() then has little to wait for. */
void ta_child_kill(const struct ta_child *c);

/* Kills it if it runs, and waits for its end. */
void ta_child_end(struct ta_child *c);
