/*
 * The table from hash to queue as text:
 *   default    the kernel's own spread over all rings, which follows them when they become more or fewer
 *   equal:4    over the first four in turn
 *   0*32,1*32,3,0   slot by slot, N*COUNT for COUNT slots of queue N in a row
 */
#pragma once

#include "nic/rss.h"

enum ta_rss_spread { TA_RSS_DEFAULT, TA_RSS_EQUAL, TA_RSS_LIST };

struct ta_rss_table {
	enum ta_rss_spread spread;
	uint32_t queues; /* of TA_RSS_EQUAL */
	uint32_t *v;	 /* of TA_RSS_LIST */
	size_t n;
};

#define TA_RSS_TABLE_INIT {0}
#define ta_cleanup_rss_table ta_cleanup(ta_rss_table_done)
void ta_rss_table_done(struct ta_rss_table *t);

/* Takes what formatting gives, and no other text of the same table. 0, -EINVAL, -ENOMEM. */
int ta_rss_table_parse(const char *text, size_t len, struct ta_rss_table *ret);

/*
 * True for what the kernel spreads by itself over `rings` (0: not known, so nothing is). So is a table that points beyond them:
 * nobody can set such a one, it is what a driver left of its own when queues became fewer (virtio_net up to 6.1).
 */
bool ta_rss_is_default(const uint32_t *table, size_t n, uint32_t rings);

void ta_rss_table_format(const uint32_t *table, size_t n, uint32_t rings, struct ta_buf *b);

/* True if every slot I holds I modulo `queues`. */
bool ta_rss_is_equal(const uint32_t *table, size_t n, uint32_t queues);

/* Functions by the bit that the kernel gives them: "toeplitz", "xor", "crc32", "bit-5". 0, -EINVAL. */
int ta_rss_hfunc_parse(const char *text, size_t len, uint32_t *ret);
void ta_rss_hfunc_format(uint32_t hfunc, struct ta_buf *b);
