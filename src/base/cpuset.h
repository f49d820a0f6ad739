/*
 * Sets of CPU (or NUMA node) numbers, as the kernel writes them:
 * lists "0-3,8" (bitmap_parselist, Documentation/core-api/kernel-api) and masks
 * "ff,00000003" (bitmap_parse: comma-separated 32-bit words, highest first).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* More than any kernel's NR_CPUS (8192 on x86-64); text beyond is malformed, not memory. */
#define TA_CPU_LIMIT 65536

struct ta_cpuset {
	uint64_t *words;
	size_t n_words;
};

#define TA_CPUSET_INIT {0}
#define ta_cleanup_cpuset ta_cleanup(ta_cpuset_done)

/*
 * Both replace `set`. 0, -EINVAL (not a list or mask), -ERANGE (a number at or
 * above TA_CPU_LIMIT, or a range that runs backwards) or -ENOMEM. The empty text, blanks and the
 * kernel's "(null)" (nohz_full without the option) give the empty set.
 */
int ta_cpuset_parse_list(struct ta_cpuset *set, const char *text);
int ta_cpuset_parse_mask(struct ta_cpuset *set, const char *text);

int ta_cpuset_add(struct ta_cpuset *set, unsigned cpu); /* 0, -ERANGE, -ENOMEM */
int ta_cpuset_or(struct ta_cpuset *set, const struct ta_cpuset *more); /* adds its members; 0, -ENOMEM */
void ta_cpuset_and(struct ta_cpuset *set, const struct ta_cpuset *with); /* keeps what is in both */
bool ta_cpuset_has(const struct ta_cpuset *set, unsigned cpu);
unsigned ta_cpuset_count(const struct ta_cpuset *set);
bool ta_cpuset_equal(const struct ta_cpuset *a, const struct ta_cpuset *b);
unsigned ta_cpuset_count_common(const struct ta_cpuset *a, const struct ta_cpuset *b);

/* The lowest member >= from, or -1. Loop: for (int c = -1; (c = ta_cpuset_next(s, c + 1)) >= 0;) */
int ta_cpuset_next(const struct ta_cpuset *set, int from);

/* Appends the list form ("0-3,8"). */
void ta_cpuset_format(const struct ta_cpuset *set, struct ta_buf *b);

/* Appends the mask form ("ff,00000003"), without leading zeros; "0" for the empty set. */
void ta_cpuset_format_mask(const struct ta_cpuset *set, struct ta_buf *b);

void ta_cpuset_done(struct ta_cpuset *set);
