/*
 * The sections of the page, one file each; write.c puts them in order.
 */
#pragma once

#include "report/html.h"
#include "report/page/model.h"

/* Made by tools/mkpage.sh from page.css and page.js. */
extern const char ta_page_css[], ta_page_js[];

/* Fails at this moment, whatever is written for later. */
static inline bool page_is_failing(const struct page_finding *f)
{
	return f->verdict == TA_V_FAIL || f->verdict == TA_V_CONFLICT || f->verdict == TA_V_PENDING_REBOOT;
}

/* How many findings from `i` on are of its rule and fail, or do not, as it does. */
size_t page_run(const struct page_host *h, size_t i);

/* A host's anchor is h and this number: its place among the hosts when they are written. */
void page_part_score(const struct ta_page *p, const struct page_host *h, size_t number, struct ta_buf *b);
void page_part_way(const struct page_host *h, size_t number, struct ta_buf *b);
void page_part_heat(const struct page_host *h, struct ta_buf *b);
void page_part_findings(const struct ta_page *p, const struct page_host *h, size_t number, struct ta_buf *b);
void page_part_rest(const struct ta_page *p, const struct page_host *h, struct ta_buf *b);
void page_part_drift(const struct page_host *h, struct ta_buf *b);
void page_part_settings(const struct ta_page *p, const struct page_host *h, struct ta_buf *b);
void page_part_loads(const struct ta_page *p, struct ta_buf *b);
void page_part_trials(const struct ta_page *p, struct ta_buf *b);
void page_part_broken(const struct ta_page *p, struct ta_buf *b);

/* Many hosts: how they stand, before anything else. */
void page_part_overview(const struct ta_page *p, struct ta_buf *b);

/* Many hosts: their matrix, and what fails over all of them. */
void page_part_fleet(const struct ta_page *p, struct ta_buf *b);
void page_part_common(const struct ta_page *p, struct ta_buf *b);

/* The pieces of a finding that a host's and the fleet's have in common. */
void page_severity(enum ta_severity s, struct ta_buf *b);
void page_command(const char *label, const char *text, struct ta_buf *b);
void page_sources(const struct page_rule *r, struct ta_buf *b);

/* A horizontal bar: `share` 0 … 1 of `width`. Decoration: its number stands beside it. */
void page_bar(double share, unsigned width, struct ta_buf *b);

/* A cell of a heat map: "CPU 3", "12 %". */
void page_heat_cell(const char *name, double share, bool apart, struct ta_buf *b);

/* A line of a drawing of latencies: µs of page_percentiles, below 0 where not told. `number` gives it its form. */
struct page_line {
	const char *label;
	const double *latency;
	size_t number;
};
void page_latency(const struct page_line *lines, size_t n, struct ta_buf *b);

/* "1.9 ms" of µs; a dash below 0. */
void page_duration(double us, struct ta_buf *b);

/* "2026-11-30 21:45 UTC"; nothing for a time that is not known. */
void page_time(int64_t seconds, struct ta_buf *b);
