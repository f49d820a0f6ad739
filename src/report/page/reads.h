/*
 * The readers of the results, one file for each kind: what it must look like, and what is kept of it.
 */
#pragma once

#include "report/page/model.h"
#include "report/page/shape.h"

extern const struct shape page_shape_check[], page_shape_load[], page_shape_trial[];

/* Words of a check that must be one of ours: 0 or -EBADMSG. */
int page_words_check(struct json_object *doc, struct ta_err *err);

/* Percentiles of latency, below 0 where not told; false if none is. */
bool page_read_latency(struct json_object *o, double ret[PAGE_PERCENTILES]);

/* Texts of a list that was held against its shape, kept. */
const char **page_read_list(struct ta_page *p, struct json_object *list, size_t *ret_n);

/* Each of a document that was held against its shape; errors stick in `p`. */
void page_read_check(struct ta_page *p, const char *file, struct json_object *doc);
void page_read_load(struct ta_page *p, const char *file, struct json_object *doc);
void page_read_trial(struct ta_page *p, const char *file, struct json_object *doc);
