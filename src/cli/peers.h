/*
 * The two ends of load runs between machines, as the command line has them: the token, and `load serve --listen`.
 */
#pragma once

#include <signal.h>

#include "base/buf.h"

/*
 * The token into `ret`: of `file` (nobody but its owner may read it), else of the environment variable TUNEAUDIT_TOKEN; empty where neither
 * is given. It never comes from the command line, which all users of a machine can read. 0, or an exit code after
 * the message.
 */
int ta_cli_token(const char *file, struct ta_buf *ret);

/* Serves peers on `listen` ("ADDR", "ADDR:PORT", "[ADDR]:PORT"). An exit code; 128 + the signal. */
int ta_cli_serve_peers(const char *listen, const char *token_file, const char *dir, const volatile sig_atomic_t *stop);

/*
 * Which way streams go where a change is measured: `name` is up, down or both; NULL: both to a peer, so that this host's buffers of either
 * kind are in use; up where both ends are here anyway, and to a server that may be any that takes bytes. -1 after a message.
 */
int ta_cli_direction(const char *name, const char *target);
