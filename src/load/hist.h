/*
 * Latencies as a log-linear histogram: 128 steps to each power of two, so that a value read back is at most 1/128 (0.8 %)
 * above the one that went in, and exact below 256 ns. One per thread, merged at the end.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define TA_HIST_STEPS 128u /* to a power of two; 1/128 is the error bound */
#define TA_HIST_MAX ((uint64_t)1 << 40) /* ns: 18 minutes. Larger values count as this one; `max` stays exact. */
#define TA_HIST_BUCKETS 4353u /* ta_hist_bucket(TA_HIST_MAX) + 1 */

struct ta_hist {
	uint64_t n;
	uint64_t max, min; /* ns, exact; min is UINT64_MAX while empty */
	double sum, sum_sq; /* ns, ns²: of the exact values */
	uint64_t count[TA_HIST_BUCKETS];
};

void ta_hist_reset(struct ta_hist *h);
void ta_hist_add(struct ta_hist *h, uint64_t ns);
void ta_hist_merge(struct ta_hist *to, const struct ta_hist *from);

unsigned ta_hist_bucket(uint64_t ns);
uint64_t ta_hist_bucket_low(unsigned bucket);  /* the smallest value in it, ns */
uint64_t ta_hist_bucket_high(unsigned bucket); /* the largest */

/*
 * The value that `percent` (0 … 100) of all values do not exceed, ns: the upper end of its bucket, but never above
 * the largest value seen. 0 if the histogram is empty.
 */
uint64_t ta_hist_percentile(const struct ta_hist *h, double percent);

double ta_hist_mean(const struct ta_hist *h);   /* ns; 0 if empty */
double ta_hist_stddev(const struct ta_hist *h); /* ns; of the population */

/* Appends the percentile distribution in the text form that HdrHistogram's plotters read (.hgrm), in milliseconds. */
void ta_hist_print_hgrm(const struct ta_hist *h, struct ta_buf *b);
