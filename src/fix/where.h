/*
 * Which host this is: what a plan or a journal was made on, so that it is not followed on another one.
 */
#pragma once

#include "host/host.h"

struct ta_where {
	char *host;    /* its name */
	char *machine; /* 16 hexadecimal digits made from /etc/machine-id (which is nobody's business), "" without one */
	char *boot;    /* the kernel's id of this boot, "" if not known */
	char *netns;   /* the network namespace, as ta_host_netns_id(); "" if not known */
	char *kernel;  /* release */
};

#define ta_cleanup_where ta_cleanup(ta_where_done)
void ta_where_done(struct ta_where *w);

/* 0 or -ENOMEM: what cannot be read is "". */
int ta_where_read(struct ta_host *h, struct ta_where *ret);

/* 0, or -EXDEV with the difference in `err`. Another boot is none: see ta_where_same_boot(). */
int ta_where_check(const struct ta_where *made, const struct ta_where *now, struct ta_err *err);
bool ta_where_same_boot(const struct ta_where *a, const struct ta_where *b);

/* A sum over texts in their order, to see that a file was edited (FNV-1a, 64 bits). Against mistakes, not against root. */
#define TA_SUM_INIT 0xcbf29ce484222325u
uint64_t ta_sum_add(uint64_t sum, const char *text); /* NULL: "" */

/* As the last member of the object that `b` holds from `start`, over all that stands there before it; closes the object. */
void ta_sum_close(struct ta_buf *b, size_t start);
/* Do the `len` bytes end as ta_sum_close() ends them, with the right sum, and hold no NUL? */
bool ta_sum_is_right(const char *text, size_t len);
