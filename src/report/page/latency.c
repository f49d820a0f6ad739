/*
 * Latency by percentile: a line for each run.
 */
#include <math.h>

#include "report/page/parts.h"

#define W 720
#define H 280
#define X0 70
#define X1 600
#define Y0 20
#define Y1 250

void page_duration(double us, struct ta_buf *b)
{
	if (us < 0)
		ta_buf_adds(b, "\u2013");
	else if (us < 1000)
		ta_buf_printf(b, "%.3g \u00b5s", us);
	else if (us < 1e6)
		ta_buf_printf(b, "%.3g ms", us / 1000);
	else
		ta_buf_printf(b, "%.4g s", us / 1e6);
}

/* Each nine of the percentile is as far as the one before. */
static double percentile_x(size_t i)
{
	static const double nines[PAGE_PERCENTILES] = {0.301, 0.602, 1, 1.301, 2, 3, 4, 4.6};

	return X0 + (nines[i] - nines[0]) / (nines[PAGE_PERCENTILES - 1] - nines[0]) * (X1 - X0);
}

static void range(const struct page_line *lines, size_t n, double *low, double *high)
{
	*low = INFINITY;
	*high = 0;
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < PAGE_PERCENTILES; k++) {
			double us = lines[i].latency[k];

			if (us <= 0)
				continue;
			*low = TA_MIN(*low, us);
			*high = TA_MAX(*high, us);
		}
	}
	*low = pow(10, floor(log10(TA_MAX(*low, 0.01))));
	*high = pow(10, ceil(log10(TA_MAX(*high, *low * 10))));
}

static double latency_y(double us, double low, double high)
{
	return Y1 - log(TA_MAX(us, low) / low) / log(high / low) * (Y1 - Y0);
}

static void axes(double low, double high, struct ta_buf *b)
{
	for (double us = low; us <= high * 1.001; us *= 10) {
		ta_cleanup_buf struct ta_buf label = TA_BUF_INIT;
		double y = latency_y(us, low, high);

		page_duration(us, &label);
		ta_html_tag(b, "path class=grid d=\"M%d %.1fH%d\" /", X0, y, X1);
		ta_html_tag(b, "text class=tick x=4 y=%.1f", y + 4);
		ta_html_text(b, ta_buf_text(&label));
		ta_html_raw(b, "</text>");
	}
	for (size_t i = 0; i < PAGE_PERCENTILES; i++) {
		ta_html_tag(b, "path class=grid d=\"M%.1f %dV%d\" /", percentile_x(i), Y0, Y1);
		ta_html_tag(b, "text class=\"tick mid\" x=%.1f y=%d", percentile_x(i), Y1 + 18);
		ta_html_text(b, page_percentiles[i]);
		ta_html_raw(b, "</text>");
	}
}

/* Another form for each line. */
static void marker(size_t i, double x, double y, struct ta_buf *b)
{
	switch (i % 3) {
	case 0: ta_html_tag(b, "circle class=\"dot l%zu\" cx=%.1f cy=%.1f r=4 /", i, x, y); break;
	case 1: ta_html_tag(b, "rect class=\"dot l%zu\" x=%.1f y=%.1f width=8 height=8 /", i, x - 4, y - 4); break;
	default: ta_html_tag(b, "path class=\"dot l%zu\" d=\"M%.1f %.1fl5 9h-10z\" /", i, x, y - 5); break;
	}
}

static void draw(const struct page_line *l, double low, double high, struct ta_buf *b)
{
	size_t i = l->number;
	const char *move = "M";
	double y = 0;

	ta_html_raw(b, "<path class=\"line ");
	ta_html_textf(b, "l%zu", i);
	ta_html_raw(b, "\" d=\"");
	for (size_t k = 0; k < PAGE_PERCENTILES; k++) {
		if (l->latency[k] <= 0)
			continue;
		y = latency_y(l->latency[k], low, high);
		ta_buf_printf(b, "%s%.1f %.1f", move, percentile_x(k), y);
		move = "L";
	}
	ta_html_raw(b, "\" />");
	for (size_t k = 0; k < PAGE_PERCENTILES; k++)
		if (l->latency[k] > 0)
			marker(i, percentile_x(k), latency_y(l->latency[k], low, high), b);
	ta_html_tag(b, "text class=t x=%d y=%.1f", X1 + 10, y + 4 + (double)i * 2);
	ta_html_textf(b, "%zu %s", i + 1, l->label);
	ta_html_raw(b, "</text>");
}

void page_latency(const struct page_line *lines, size_t n, struct ta_buf *b)
{
	double low, high;

	if (!n)
		return;
	range(lines, n, &low, &high);
	ta_html_raw(b, "<figure><figcaption>Latency by percentile, logarithmic: lower is better; the further right, the rarer"
		       "</figcaption><div class=wide tabindex=0 role=group aria-label=\"Latency\">");
	ta_html_tag(b, "svg class=plot viewBox=\"0 0 %d %d\" role=img aria-label=\"Latency; the table has the numbers\"", W, H);
	axes(low, high, b);
	for (size_t i = 0; i < n; i++)
		draw(&lines[i], low, high, b);
	ta_html_raw(b, "</svg></div></figure>");
}
