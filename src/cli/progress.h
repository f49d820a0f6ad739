/*
 * The line on a terminal that says how far a command is that takes more than a second. On stderr, only if that is a terminal that
 * can go back in its line (TERM is not "dumb"), never with -q; erased before anything else is said, and in the end. Plain text
 * and \r, no colour.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool ta_progress_is_wanted(bool quiet);

/*
 * From now on: "WHAT, 3 s", once a second is over. `what` is kept, not copied. A thread shows it, which ends with
 * the ta_progress_end() of the first of several. Nothing is shown where it is not wanted, or no thread can be had.
 */
void ta_progress_begin(bool quiet, const char *what);
/* "WHAT, 3 of 12, 3 s". */
void ta_progress_step(size_t number, size_t of);
void ta_progress_end(void);

/* A line of somebody who has a rhythm of his own; at most 78 columns of it. */
void ta_progress_show(const char *text);
/* The line is empty again; nothing, if there is none. Called before messages. */
void ta_progress_erase(void);
