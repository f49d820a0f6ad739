/*
 * Days of waivers. The calendar is counted here: nothing pure asks the system for time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The last second (since the epoch, UTC) of the day "YYYY-MM-DD"; false: there is no such day. */
bool ta_waive_date(const char *text, int64_t *ret);
