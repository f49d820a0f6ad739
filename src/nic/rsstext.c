#include "nic/rsstext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_QUEUE 65535

static const char *const functions[] = {"toeplitz", "xor", "crc32"}; /* ETH_RSS_HASH_*_BIT */

void ta_rss_table_done(struct ta_rss_table *t)
{
	free(t->v);
	*t = (struct ta_rss_table)TA_RSS_TABLE_INIT;
}

/* Digits without zeros before them, up to `max`; moves *text. */
static int take_number(const char **text, const char *end, uint32_t max, uint32_t *ret)
{
	const char *s = *text;
	uint32_t v = 0;

	if (s == end || (*s == '0' && s + 1 < end && s[1] >= '0' && s[1] <= '9'))
		return -EINVAL;
	for (; s < end && *s >= '0' && *s <= '9'; s++) {
		v = v * 10 + (uint32_t)(*s - '0');
		if (v > max)
			return -EINVAL;
	}
	if (s == *text)
		return -EINVAL;
	*text = s;
	*ret = v;
	return 0;
}

/* A run of the list into `t`; with t->v NULL it is only counted. `last` is the queue of the run before. */
static int take_run(const char **text, const char *end, struct ta_rss_table *t, int64_t *last)
{
	uint32_t queue, count = 1;

	if (take_number(text, end, MAX_QUEUE, &queue) < 0 || queue == *last)
		return -EINVAL;
	if (*text < end && **text == '*') {
		++*text;
		if (take_number(text, end, TA_NIC_RSS_MAX, &count) < 0 || count < 2)
			return -EINVAL;
	}
	if (t->n + count > TA_NIC_RSS_MAX)
		return -EINVAL;
	for (uint32_t i = 0; t->v && i < count; i++)
		t->v[t->n + i] = queue;
	t->n += count;
	*last = queue;
	if (*text == end)
		return 0;
	return *(*text)++ == ',' && *text < end ? 1 : -EINVAL;
}

static int take_list(const char *text, const char *end, struct ta_rss_table *t)
{
	int64_t last = -1;
	int rc;

	t->n = 0;
	do
		rc = take_run(&text, end, t, &last);
	while (rc > 0);
	return rc;
}

static uint32_t highest(const uint32_t *table, size_t n)
{
	uint32_t max = 0;

	for (size_t i = 0; i < n; i++)
		max = TA_MAX(max, table[i]);
	return max;
}

static int parse_list(const char *text, const char *end, struct ta_rss_table *ret)
{
	ta_cleanup_rss_table struct ta_rss_table t = {.spread = TA_RSS_LIST};
	int rc = take_list(text, end, &t);

	if (rc < 0)
		return rc;
	t.v = calloc(t.n, sizeof(*t.v));
	if (!t.v)
		return -ENOMEM;
	take_list(text, end, &t);
	if (ta_rss_is_equal(t.v, t.n, highest(t.v, t.n) + 1))
		return -EINVAL; /* that is equal:N */
	*ret = t;
	t = (struct ta_rss_table)TA_RSS_TABLE_INIT;
	return 0;
}

int ta_rss_table_parse(const char *text, size_t len, struct ta_rss_table *ret)
{
	static const char equal[] = "equal:";
	const char *end = text + len;
	uint32_t queues;

	if (len == strlen("default") && memcmp(text, "default", len) == 0) {
		*ret = (struct ta_rss_table){.spread = TA_RSS_DEFAULT};
		return 0;
	}
	if (len <= strlen(equal) || memcmp(text, equal, strlen(equal)) != 0)
		return parse_list(text, end, ret);
	text += strlen(equal);
	if (take_number(&text, end, MAX_QUEUE + 1, &queues) < 0 || text != end || queues == 0)
		return -EINVAL;
	*ret = (struct ta_rss_table){.spread = TA_RSS_EQUAL, .queues = queues};
	return 0;
}

bool ta_rss_is_equal(const uint32_t *table, size_t n, uint32_t queues)
{
	for (size_t i = 0; i < n && queues; i++)
		if (table[i] != i % queues)
			return false;
	return queues;
}

bool ta_rss_is_default(const uint32_t *table, size_t n, uint32_t rings)
{
	return rings && (highest(table, n) >= rings || ta_rss_is_equal(table, n, rings));
}

void ta_rss_table_format(const uint32_t *table, size_t n, uint32_t rings, struct ta_buf *b)
{
	uint32_t queues = highest(table, n) + 1; /* 0 of a table that points at queue 2^32 - 1: it is no equal one */

	if (ta_rss_is_default(table, n, rings)) {
		ta_buf_adds(b, "default");
		return;
	}
	if (ta_rss_is_equal(table, n, queues)) {
		ta_buf_printf(b, "equal:%u", queues);
		return;
	}
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && table[end] == table[i]; end++)
			;
		ta_buf_printf(b, "%s%u", i ? "," : "", table[i]);
		if (end - i > 1)
			ta_buf_printf(b, "*%zu", end - i);
	}
}

int ta_rss_hfunc_parse(const char *text, size_t len, uint32_t *ret)
{
	const char *end = text + len;
	uint32_t bit;

	for (size_t i = 0; i < TA_ARRAY_SIZE(functions); i++) {
		if (strlen(functions[i]) == len && memcmp(functions[i], text, len) == 0) {
			*ret = 1u << i;
			return 0;
		}
	}
	if (len < 5 || memcmp(text, "bit-", 4) != 0)
		return -EINVAL;
	text += 4;
	if (take_number(&text, end, 7, &bit) < 0 || text != end || bit < TA_ARRAY_SIZE(functions))
		return -EINVAL;
	*ret = 1u << bit;
	return 0;
}

void ta_rss_hfunc_format(uint32_t hfunc, struct ta_buf *b)
{
	unsigned bit = (unsigned)__builtin_ctz(hfunc | 1u << 31);

	if (bit < TA_ARRAY_SIZE(functions))
		ta_buf_adds(b, functions[bit]);
	else
		ta_buf_printf(b, "bit-%u", bit);
}
