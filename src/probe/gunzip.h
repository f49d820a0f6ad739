/*
 * A gzip file held in memory, as /proc/config.gz is one (kernel/configs.c).
 */
#pragma once

#include "base/buf.h"

/*
 * Puts what `data` holds into `ret`. 0, -EBADMSG (no gzip file, cut short, a wrong sum), -EFBIG (more than `cap` bytes
 * come out of it), -ENOMEM. What follows the first member is passed over.
 */
int ta_gunzip(const void *data, size_t len, size_t cap, struct ta_buf *ret);
