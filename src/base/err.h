/*
 * The text beside a negative errno, for the person who reads the message.
 *
 * Rule: functions return 0 or -errno; when they also take a `struct ta_err *`
 * (always last, NULL allowed) they fill it on failure only. Nothing below
 * src/cli prints: the text travels up and the command speaks once.
 */
#pragma once

#include "base/macros.h"

struct ta_err {
	char text[512]; /* UTF-8, no newline at the end, cut silently if longer */
};

/* Fills `err` (if not NULL) and returns `rc`, so that callers can `return ta_err_set(…)`. */
int ta_err_set(struct ta_err *err, int rc, const char *fmt, ...) ta_printf(3, 4);

/* Puts "fmt: " before the text that is there already. Returns `rc`. */
int ta_err_prefix(struct ta_err *err, int rc, const char *fmt, ...) ta_printf(3, 4);

/* The system's English words for a -errno ("No such file or directory"), whatever the locale; never NULL. */
const char *ta_errno_text(int rc);
