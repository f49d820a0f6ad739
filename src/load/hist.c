#include "load/hist.h"

#include <math.h>
#include <string.h>

#define STEP_BITS 7

_Static_assert(TA_HIST_STEPS == 1u << STEP_BITS, "steps are a power of two");

void ta_hist_reset(struct ta_hist *h)
{
	memset(h, 0, sizeof(*h));
	h->min = UINT64_MAX;
}

unsigned ta_hist_bucket(uint64_t ns)
{
	unsigned shift;

	if (ns < 2 * TA_HIST_STEPS)
		return (unsigned)ns;
	if (ns > TA_HIST_MAX)
		ns = TA_HIST_MAX;
	shift = 63u - (unsigned)__builtin_clzll(ns) - STEP_BITS;
	return shift * TA_HIST_STEPS + (unsigned)(ns >> shift);
}

uint64_t ta_hist_bucket_low(unsigned bucket)
{
	unsigned shift;

	if (bucket < 2 * TA_HIST_STEPS)
		return bucket;
	shift = bucket / TA_HIST_STEPS - 1;
	return (uint64_t)(bucket - shift * TA_HIST_STEPS) << shift;
}

uint64_t ta_hist_bucket_high(unsigned bucket)
{
	return ta_hist_bucket_low(bucket + 1) - 1;
}

void ta_hist_add(struct ta_hist *h, uint64_t ns)
{
	h->count[ta_hist_bucket(ns)]++;
	h->n++;
	if (ns > h->max)
		h->max = ns;
	if (ns < h->min)
		h->min = ns;
	h->sum += (double)ns;
	h->sum_sq += (double)ns * (double)ns;
}

void ta_hist_merge(struct ta_hist *to, const struct ta_hist *from)
{
	for (unsigned i = 0; i < TA_HIST_BUCKETS; i++)
		to->count[i] += from->count[i];
	to->n += from->n;
	to->max = TA_MAX(to->max, from->max);
	to->min = TA_MIN(to->min, from->min);
	to->sum += from->sum;
	to->sum_sq += from->sum_sq;
}

/* The rank from 1 of the value that `percent` of n values do not exceed. */
static uint64_t rank_of(const struct ta_hist *h, double percent)
{
	double rank = ceil(percent / 100 * (double)h->n);

	if (rank < 1)
		return 1;
	return rank >= (double)h->n ? h->n : (uint64_t)rank;
}

uint64_t ta_hist_percentile(const struct ta_hist *h, double percent)
{
	uint64_t seen = 0, rank;

	if (!h->n)
		return 0;
	rank = rank_of(h, percent);
	for (unsigned i = 0; i < TA_HIST_BUCKETS; i++) {
		seen += h->count[i];
		if (seen >= rank)
			return rank == h->n ? h->max : TA_MIN(ta_hist_bucket_high(i), h->max);
	}
	return h->max;
}

double ta_hist_mean(const struct ta_hist *h)
{
	return h->n ? h->sum / (double)h->n : 0;
}

double ta_hist_stddev(const struct ta_hist *h)
{
	double mean = ta_hist_mean(h), variance;

	if (!h->n)
		return 0;
	variance = h->sum_sq / (double)h->n - mean * mean;
	return variance > 0 ? sqrt(variance) : 0;
}

static uint64_t count_up_to(const struct ta_hist *h, uint64_t ns)
{
	unsigned last = ta_hist_bucket(ns);
	uint64_t n = 0;

	for (unsigned i = 0; i <= last; i++)
		n += h->count[i];
	return n;
}

/* Five lines to each halving of what is left, as HdrHistogram prints them; the last line is the largest value. */
void ta_hist_print_hgrm(const struct ta_hist *h, struct ta_buf *b)
{
	double left = 1;
	uint64_t n = 0;

	ta_buf_adds(b, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
	while (h->n && n < h->n) {
		for (unsigned tick = 0; tick < 5 && n < h->n; tick++) {
			double part = 1 - left + left / 2 * tick / 5;
			uint64_t ns = ta_hist_percentile(h, part * 100);

			n = count_up_to(h, ns);
			if (n < h->n)
				ta_buf_printf(b, "%12.3f %2.12f %10llu %14.2f\n", (double)ns / 1e6, part,
					(unsigned long long)n, 1 / (1 - part));
		}
		left /= 2;
	}
	if (h->n)
		ta_buf_printf(b, "%12.3f %2.12f %10llu            inf\n", (double)h->max / 1e6, 1.0,
			(unsigned long long)h->n);
	ta_buf_printf(b, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", ta_hist_mean(h) / 1e6,
		ta_hist_stddev(h) / 1e6);
	ta_buf_printf(b, "#[Max     = %12.3f, Total count    = %12llu]\n", (double)h->max / 1e6,
		(unsigned long long)h->n);
	ta_buf_printf(b, "#[Buckets = %12u, SubBuckets     = %12u]\n", TA_HIST_BUCKETS / TA_HIST_STEPS, TA_HIST_STEPS);
}
