/*
 * Thousands of counters with names as every driver likes them: kept are those
 * whose name speaks of loss, and the queues' are added up under one name.
 */
#include "probe/nicstat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/ethtool.h"
#include "nic/abi.h"

enum { SS_STATS = 1, STRING_BYTES = 32, MAX_STATS = 65536, MAX_KEPT = 1024 };

void ta_nicstats_done(struct ta_nicstats *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->v[i].name);
	free(s->v);
	*s = (struct ta_nicstats)TA_NICSTATS_INIT;
}

static bool speaks_of_loss(const char *name)
{
	static const char *const words[] = {"drop", "miss", "no_buf", "nobuf", "no_desc", "no_dma",
		"fifo", "overrun", "overflow", "allowance_exceeded", "out_of_buffer", "discard",
		"alloc_fail", "alloc_err", "buff_alloc", "timeout", "crc_err", "_crc"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(words); i++)
		if (strstr(name, words[i]))
			return true;
	return false;
}

static bool is_separator(char c)
{
	return c && strchr("_-. []:#", c);
}

/* Where the number of a queue at `name[i]` ends; `i` itself if there is none. Numbers at the very end
 * are sizes ("rx_size_64") or priorities. */
static size_t number_end(const char *name, size_t len, size_t i)
{
	size_t end = i;

	while (end < len && ta_is_digit(name[end]))
		end++;
	return end < len && is_separator(name[end]) ? end : i;
}

/*
 * "rx_queue_0_drops", "rx-0.dropped", "rx0_drops", "rx_stop[3]" and "[0]: rx_discards" without the
 * number, its brackets and what is left over at both ends. True if there was one.
 */
static bool without_number(const char *name, size_t len, struct ta_buf *ret)
{
	bool found = false;
	size_t last;

	for (size_t i = 0; i < len; i++) {
		size_t end = number_end(name, len, i);

		if (end == i) {
			if (ret->len || !is_separator(name[i]))
				ta_buf_addc(ret, name[i]);
			continue;
		}
		found = true;
		/* A whole word goes with the separator before it, digits behind letters alone. */
		if (ret->len && is_separator(ret->data[ret->len - 1]))
			ret->data[--ret->len] = '\0';
		i = name[end] == ']' ? end : end - 1;
	}
	for (last = ret->len; last && is_separator(ret->data[last - 1]); last--)
		ret->data[last - 1] = '\0';
	ret->len = last;
	return found;
}

static struct ta_nicstat *find(struct ta_nicstats *s, const char *name)
{
	/* Queues come one after the other: their names were met not long ago. */
	for (size_t i = s->n; i > 0; i--)
		if (strcmp(s->v[i - 1].name, name) == 0)
			return &s->v[i - 1];
	return NULL;
}

/* Queues add up; a total takes the place of their sum, and leaves it there. vmxnet3 has one name for
 * each of its queues, without numbers: these add up too. */
static void add_to(struct ta_nicstat *stat, uint64_t value, bool is_total)
{
	if (is_total && !stat->is_total)
		stat->value = 0;
	else if (!is_total && stat->is_total)
		return;
	stat->is_total = is_total;
	if (__builtin_add_overflow(stat->value, value, &stat->value))
		stat->value = UINT64_MAX;
}

static struct ta_nicstat *append(struct ta_nicstats *s, struct ta_buf *name)
{
	struct ta_nicstat *stat;

	if (s->n == s->cap) {
		size_t cap = s->cap ? s->cap * 2 : 16;
		struct ta_nicstat *v = reallocarray(s->v, cap, sizeof(*v));

		if (!v)
			return NULL;
		s->v = v;
		s->cap = cap;
	}
	stat = &s->v[s->n];
	*stat = (struct ta_nicstat){.name = ta_buf_steal(name)};
	s->n += stat->name != NULL;
	return stat->name ? stat : NULL;
}

int ta_nicstats_add(struct ta_nicstats *s, const char *name, size_t len, uint64_t value)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	bool numbered = without_number(name, len, &key);
	struct ta_nicstat *stat;
	enum ta_nicloss means;

	if (key.error)
		return key.error;
	if (!key.len || (!speaks_of_loss(ta_buf_text(&key)) &&
				!ta_nicloss_of(s->driver, ta_buf_text(&key), &means)))
		return 0;
	stat = find(s, ta_buf_text(&key));
	if (!stat && s->n == MAX_KEPT)
		return 0;
	if (!stat)
		stat = append(s, &key);
	if (!stat)
		return -ENOMEM;
	add_to(stat, value, !numbered);
	return 0;
}

int ta_nicstats_parse_text(const char *text, struct ta_nicstats *ret)
{
	ta_cleanup_strv struct ta_strv lines = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf plain = TA_BUF_INIT;
	bool any = false;
	uint64_t value;
	int rc = 0;

	ta_eth_plain_text(text, &plain);
	ta_strv_split(&lines, ta_buf_text(&plain), "\r\n");
	for (size_t i = 0; i < lines.n && rc == 0; i++) {
		const char *name = lines.v[i] + strspn(lines.v[i], " \t"),
			   *colon = strrchr(name, ':');

		if (!colon || ta_parse_u64(colon + 1, &value) < 0)
			continue;
		any = true;
		rc = ta_nicstats_add(ret, name, (size_t)(colon - name), value);
	}
	if (rc == 0 && (lines.error || plain.error))
		rc = -ENOMEM;
	return rc < 0 || any ? rc : -EOPNOTSUPP;
}

/* How many the driver has: -EOPNOTSUPP if none. */
static int count_stats(struct ta_host *h, const char *ifname, uint32_t *ret)
{
	uint32_t info[5] = {TA_ETHTOOL_GSSET_INFO, 0, 1u << SS_STATS, 0,
		0}; /* cmd, reserved, 64-bit mask, count */
	int rc = ta_host_ethtool(h, ifname, info, sizeof(info));

	if (rc == 0 && (!info[2] || info[4] == 0))
		rc = -EOPNOTSUPP;
	if (rc == 0 && info[4] > MAX_STATS)
		rc = -EFBIG;
	*ret = info[4];
	return rc;
}

static int ask(struct ta_host *h, const char *ifname, struct ta_nicstats *ret)
{
	uint32_t n, *names = NULL, *values = NULL;
	size_t names_len, values_len;
	int rc = count_stats(h, ifname, &n);

	if (rc < 0)
		return rc;
	names_len = 12 + (size_t)n * STRING_BYTES;
	values_len = 8 + (size_t)n * sizeof(uint64_t);
	names = calloc(1, names_len);
	values = calloc(1, values_len);
	if (!names || !values)
		rc = -ENOMEM;
	if (rc == 0) {
		memcpy(names, (uint32_t[]){TA_ETHTOOL_GSTRINGS, SS_STATS, n}, 12);
		rc = ta_host_ethtool(h, ifname, names, names_len);
	}
	if (rc == 0) {
		memcpy(values, (uint32_t[]){TA_ETHTOOL_GSTATS, n}, 8);
		rc = ta_host_ethtool(h, ifname, values, values_len);
	}
	for (size_t i = 0; i < n && rc == 0; i++) {
		const char *name = (const char *)names + 12 + i * STRING_BYTES;
		uint64_t value;

		memcpy(&value, (const char *)values + 8 + i * sizeof(value), sizeof(value));
		rc = ta_nicstats_add(ret, name, strnlen(name, STRING_BYTES), value);
	}
	free(names);
	free(values);
	return rc;
}

int ta_nicstats_read(struct ta_host *h, const char *ifname, const struct ta_nicloss_driver *driver,
	struct ta_nicstats *ret)
{
	ta_cleanup_nicstats struct ta_nicstats s = {.driver = driver};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int rc = ask(h, ifname, &s);

	if (rc == -ENODATA && !ta_host_is_live(h) && ta_eth_text(h, ifname, "-S", &text) == 0)
		rc = ta_nicstats_parse_text(ta_buf_text(&text), &s);
	if (rc < 0)
		return rc;
	*ret = s;
	s = (struct ta_nicstats)TA_NICSTATS_INIT;
	return 0;
}
