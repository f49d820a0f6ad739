/*
 * Words with a running irqbalance; change.h has the two that this program uses.
 */
#pragma once

#include "host/internal.h"

/* Sends `words`, puts what it answers until it hangs up into `ret`. 0; -ENOENT: none runs, or it has no socket below /run; -EACCES, -ETIMEDOUT. */
int ta_irqbalance_tell(struct ta_host *h, const char *words, struct ta_buf *ret);
