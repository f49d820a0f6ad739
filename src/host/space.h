/*
 * A network namespace of one's own: its counters, ports and limits are nobody else's, and what was in it is gone with its
 * last process.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

/*
 * Moves this process, which must have one thread, into a new network namespace whose loopback is up; without the right to,
 * into a new user namespace first, as its root (user_namespaces(7)). 0 or -errno with the text; *ret_inside is true
 * also where it is in one and something else failed.
 */
int ta_space_enter(bool *ret_inside, struct ta_err *err);
