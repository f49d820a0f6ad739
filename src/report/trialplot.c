/*
 * Two distributions of latencies, one beside the other: a row for each step of the latency, bars as long as the shares. Steps are
 * equal ratios, so that what is near the median is told apart as well as the tail.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/text.h"
#include "report/trial.h"

#define ROWS 12
#define LABEL 20 /* "  1.23 ..   4.56 ms " */

struct scale {
	double low, ratio; /* of the first row, of a row to the one before it; ns */
	const char *unit;
	double by; /* ns of the unit */
};

static double end_of(const struct scale *s, unsigned row)
{
	return s->low * pow(s->ratio, row);
}

/* From the fastest hundredth to the slowest thousandth of either. */
static struct scale choose(const struct ta_hist *a, const struct ta_hist *b)
{
	double low = (double)TA_MIN(ta_hist_percentile(a, 0.5), ta_hist_percentile(b, 0.5));
	double high = (double)TA_MAX(ta_hist_percentile(a, 99.9), ta_hist_percentile(b, 99.9));
	struct scale s = {.low = TA_MAX(low, 1.0)};

	s.ratio = pow(TA_MAX(high / s.low, 1.05), 1.0 / ROWS);
	s.unit = s.low < 1e5 && high < 1e7 ? "us" : "ms";
	s.by = !strcmp(s.unit, "us") ? 1e3 : 1e6;
	return s;
}

/* The shares of the rows; the first and the last have all that is beyond. */
static void count(const struct ta_hist *h, const struct scale *s, double *ret)
{
	for (unsigned i = 0; i < TA_HIST_BUCKETS; i++) {
		double middle = ((double)ta_hist_bucket_low(i) + (double)ta_hist_bucket_high(i)) / 2;
		double row = h->count[i] && middle > s->low ? floor(log(middle / s->low) / log(s->ratio)) : 0;

		ret[(unsigned)TA_MIN(row, ROWS - 1.0)] += (double)h->count[i] / (double)h->n;
	}
}

/* Six columns, whatever it is. */
static void add_number(struct ta_buf *b, double v)
{
	ta_buf_printf(b, v < 100 ? "%6.3g" : "%6.0f", v);
}

static void bar(struct ta_buf *b, double share, double most, unsigned width, bool last)
{
	unsigned n = (unsigned)lround(share / most * width);

	if (share > 0 && !n)
		ta_buf_addc(b, '.');
	for (unsigned i = 0; i < n; i++)
		ta_buf_addc(b, '#');
	if (!last)
		ta_text_pad(b, width + 1 - (share > 0 && !n ? 1 : n));
}

void ta_report_trial_plot(const struct ta_hist *without, const struct ta_hist *with, unsigned columns, struct ta_buf *b)
{
	unsigned width = (TA_MIN(TA_MAX(columns, 40u), 80u) - LABEL - 1) / 2;
	double shares[2][ROWS] = {{0}}, most = 0;
	struct scale s;

	if (!without->n || !with->n)
		return;
	s = choose(without, with);
	count(without, &s, shares[0]);
	count(with, &s, shares[1]);
	for (unsigned i = 0; i < ROWS; i++)
		most = TA_MAX(most, TA_MAX(shares[0][i], shares[1][i]));
	ta_buf_printf(b, "  %-*s%-*s %s\n", LABEL - 2, "latency", (int)width, "without", "with");
	for (unsigned i = 0; i < ROWS; i++) {
		add_number(b, end_of(&s, i) / s.by);
		ta_buf_adds(b, " .. ");
		add_number(b, end_of(&s, i + 1) / s.by);
		ta_buf_printf(b, " %s ", s.unit);
		bar(b, shares[0][i], most, width, shares[1][i] <= 0);
		bar(b, shares[1][i], most, width, true);
		ta_buf_addc(b, '\n');
	}
}
