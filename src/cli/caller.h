/*
 * Who calls, and from where: for the journal, and so that nobody's own connection is cut unasked.
 */
#pragma once

#include "base/buf.h"

/* "uid 0, sudo by bob, login uid 1000": what sudo and the kernel's audit id tell. */
void ta_caller_who(struct ta_buf *ret);

/*
 * The address that the session comes from by ssh, also behind sudo, which drops the variable: then of the nearest
 * ancestor that has it. "" for a session that came otherwise.
 */
void ta_caller_peer(struct ta_buf *ret);

/* A question on the terminal; true only for yes. False at once where stdin is no terminal. */
bool ta_caller_agrees(const char *question);
bool ta_caller_can_be_asked(void);

#include <signal.h>

/*
 * From now on SIGINT, SIGTERM, SIGHUP and SIGQUIT only set this to their number, so that the caller can end in order. Signals
 * that are ignored stay so (nohup).
 */
const volatile sig_atomic_t *ta_caller_watch_signals(void);
