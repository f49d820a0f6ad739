/*
 * Numbers from text, strictly: the whole text is the number or it is an error.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/macros.h"

static inline bool ta_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/*
 * Decimal with an optional '-', blanks and newlines around allowed.
 * 0, -EINVAL (not a number) or -ERANGE (outside int64).
 */
int ta_parse_i64(const char *text, int64_t *ret);

/* The same without sign; -ERANGE outside uint64. */
int ta_parse_u64(const char *text, uint64_t *ret);

/* Hexadecimal digits without 0x. */
int ta_parse_hex(const char *text, uint64_t *ret);

/* "12.34" as 1234, as the kernel prints means: no locale, no rounding. 0 or -EINVAL. */
int ta_parse_hundredths(const char *text, uint64_t *ret);

/*
 * One blank-separated word at *text as uint64; moves *text behind it.
 * 0, -ENODATA (nothing left), -EINVAL (a word, but no number), -ERANGE.
 */
int ta_next_u64(const char **text, uint64_t *ret);
int ta_next_i64(const char **text, int64_t *ret);
