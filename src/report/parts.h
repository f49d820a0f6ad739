/*
 * The parts of the text report, one file each; formats/text.c puts them in order.
 */
#pragma once

#include "report/report.h"

enum ta_paint { TA_PAINT_HEAD, TA_PAINT_ERROR, TA_PAINT_WARNING, TA_PAINT_INFO };

/* `text` made safe, in colour if the options say so. */
void ta_part_paint(
	struct ta_buf *b, const struct ta_report_options *o, enum ta_paint p, const char *text);

/* How many findings have which verdict is told in these words, in this order. */
struct ta_count_word {
	enum ta_verdict verdict;
	const char *text; /* "wait for a reboot" */
};
extern const struct ta_count_word ta_count_words[];
extern const size_t ta_n_count_words;

/* "   LABEL  text …" wrapped under itself, and its newline. `label` may be "". */
void ta_part_labelled(
	struct ta_buf *b, const struct ta_report_options *o, const char *label, const char *text);
/* The same with lines that must be copied as they are: never wrapped, each on a line of its own. */
void ta_part_verbatim(struct ta_buf *b, const char *label, const char *lines);

/* The host in at most three lines. */
void ta_part_host(
	const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *b);

/* Queues, interrupts and CPUs as a picture; nothing where no interrupts were asked for. */
void ta_part_way(const struct ta_facts *facts, const struct ta_report_options *o, struct ta_buf *b);

/* One failing rule: `n` of its findings, which are neighbours. `points`: what it costs. */
void ta_part_finding(const struct ta_finding *f, size_t n, double points,
	const struct ta_report_options *o, struct ta_buf *b);

/* One row of the three columns: "net.core.somaxconn: runs 65535, FILE:LINE sets 4096, next boot 4096". */
void ta_part_column(const struct ta_column *c, struct ta_buf *b);

/* Of the same only what to type. */
void ta_part_remedy(
	const struct ta_finding *f, size_t n, const struct ta_report_options *o, struct ta_buf *b);

/* What could not be judged, by reason; what is waived; what passes or does not apply (verbose). */
void ta_part_unknown(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b);
void ta_part_waived(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b);
void ta_part_rest(const struct ta_audit *a, const struct ta_report_options *o, struct ta_buf *b);

/* Findings of one rule are neighbours: how many from `i` on have its rule and a verdict of its
 * kind. */
size_t ta_part_run(const struct ta_audit *a, size_t i);

/*
 * `text` with each number as # and each mention of the subject's name as @: what differs in these
 * alone is alike. Of "eth0 (0000:03:00.0)" the name is the first word.
 */
void ta_part_shape(const char *text, const char *subject, struct ta_buf *ret);
