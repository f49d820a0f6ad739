/*
 * The readers of the results, one file for each kind: what it must look like, and what is kept of it.
 */
#pragma once

#include "report/page/model.h"
#include "report/page/shape.h"

extern const struct shape page_shape_check[], page_shape_load[], page_shape_trial[];

/* Words of a check that must be one of ours: 0 or -EBADMSG. */
int page_words_check(struct json_object *doc, struct ta_err *err);

/* Each of a document that was held against its shape; errors stick in `p`. */
void page_read_check(struct ta_page *p, const char *file, struct json_object *doc);
void page_read_load(struct ta_page *p, const char *file, struct json_object *doc);
void page_read_trial(struct ta_page *p, const char *file, struct json_object *doc);
