/*
 * A number or the reason why there is none, for decoders that fill structures
 * before anything is put into the facts.
 */
#pragma once

#include <stdint.h>

#include "facts/facts.h"
#include "host/host.h"

struct ta_val {
	int rc; /* 0, or the -errno that says why `v` means nothing */
	int64_t v;
};

#define TA_VAL_NONE ((struct ta_val){.rc = -ENOENT})

/* The value, or its absence with `what` as the source. */
void ta_put_val(struct ta_facts *f, const char *const *path, struct ta_val v, const char *what);

/* One decimal number in a file. */
struct ta_val ta_val_read(struct ta_host *h, const char *file);

/* The same of a counter, which has all 64 bits and no sign: `v` holds them as (int64_t)counter. */
struct ta_val ta_val_counter(struct ta_host *h, const char *file);
struct ta_val ta_val_of_counter(const char *text);

/* A small text file with blanks dropped at its end; 0 or what the door said. */
int ta_text_read(struct ta_host *h, const char *file, struct ta_buf *ret);

/* Number of NUMA nodes online; -ENOENT where the kernel (or the copy) has no node directory. */
struct ta_val ta_numa_count(struct ta_host *h);

/*
 * The kernel's -1 ("the platform does not say") is node 0 where there is only
 * one, and no answer (-EOPNOTSUPP) elsewhere: an index never counts from the end.
 */
struct ta_val ta_numa_node(struct ta_val kernel, struct ta_val nodes);
