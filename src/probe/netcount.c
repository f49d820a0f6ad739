/*
 * Network counters as the kernel writes them. All of these files only grow:
 * new columns come at the end, new names anywhere, so everything is looked up
 * by name or read as far as it is known.
 */
#include "probe/netcount.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* The next word of a line: its start, and its length in *len; 0 at the end of the line. */
static const char *word(const char *at, size_t *len)
{
	at += strspn(at, " \t\r");
	*len = strcspn(at, " \t\r\n");
	return at;
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

static int to_number(const char *at, size_t len, struct ta_mib *m)
{
	m->negative = len > 0 && *at == '-';
	if (m->negative) {
		at++;
		len--;
	}
	m->value = 0;
	if (len == 0)
		return -EBADMSG;
	for (size_t i = 0; i < len; i++) {
		if (at[i] < '0' || at[i] > '9')
			return -EBADMSG;
		if (__builtin_mul_overflow(m->value, 10, &m->value) ||
			__builtin_add_overflow(m->value, (uint64_t)(at[i] - '0'), &m->value))
			return -EBADMSG;
	}
	return 0;
}

static int one_pair(const char *names, const char *values,
	void (*fn)(const struct ta_mib *m, void *ctx), void *ctx)
{
	struct ta_mib m;
	size_t n, v;
	const char *value = word(values, &v);

	m.group = word(names, &n);
	if (n < 2 || m.group[n - 1] != ':' || n != v || memcmp(m.group, value, n) != 0)
		return -EBADMSG;
	m.group_len = n - 1;
	names = m.group + n;
	values = value + v;
	for (;;) {
		m.name = word(names, &m.name_len);
		value = word(values, &v);
		if (m.name_len == 0 && v == 0)
			return 0;
		if (m.name_len == 0 || to_number(value, v, &m) < 0)
			return -EBADMSG;
		fn(&m, ctx);
		names = m.name + m.name_len;
		values = value + v;
	}
}

int ta_mib_each(const char *text, void (*fn)(const struct ta_mib *m, void *ctx), void *ctx)
{
	while (*text) {
		const char *values = next_line(text);
		int rc = one_pair(text, values, fn, ctx);

		if (rc < 0)
			return rc;
		text = next_line(values);
	}
	return 0;
}

/* A word of hexadecimal digits, at most 8 of them. 0, -ENODATA at the end of the line, -EBADMSG. */
static int next_hex(const char **at, uint32_t *ret)
{
	size_t len;
	const char *w = word(*at, &len);
	char digits[9];
	uint64_t v;

	if (len == 0)
		return -ENODATA;
	if (len >= sizeof(digits))
		return -EBADMSG;
	memcpy(digits, w, len);
	digits[len] = '\0';
	if (ta_parse_hex(digits, &v) < 0)
		return -EBADMSG;
	*ret = (uint32_t)v;
	*at = w + len;
	return 0;
}

int ta_softnet_parse(const char *line, struct ta_softnet *ret)
{
	uint32_t c[32];
	size_t n = 0;
	int rc = 0;

	while (n < TA_ARRAY_SIZE(c) && (rc = next_hex(&line, &c[n])) == 0)
		n++;
	if ((rc < 0 && rc != -ENODATA) || n < 9)
		return -EBADMSG;
	*ret = (struct ta_softnet){
		.processed = c[0],
		.dropped = c[1],
		.time_squeeze = c[2],
		.received_rps = n > 9 ? c[9] : 0,
		.flow_limit = n > 10 ? c[10] : 0,
		.has_rps = n > 9,
		.has_flow_limit = n > 10,
		.cpu = n > 12 && c[12] <= INT32_MAX ? (int)c[12] : -1,
	};
	return 0;
}

/* The place of `name` in the first line, or -ENOENT. */
static int column_of(const char *text, const char *name)
{
	size_t len, want = strlen(name);

	for (int i = 0;; i++) {
		text = word(text, &len);
		if (len == 0)
			return -ENOENT;
		if (len == want && memcmp(text, name, len) == 0)
			return i;
		text += len;
	}
}

static int hex_at(const char *line, int column, uint32_t *ret)
{
	for (int i = 0; i <= column; i++)
		if (next_hex(&line, ret) < 0)
			return -EBADMSG;
	return 0;
}

int ta_hex_table_sum(const char *text, const char *name, uint64_t *ret)
{
	int column = column_of(text, name);
	uint64_t sum = 0;
	uint32_t v;

	if (column < 0)
		return column;
	for (text = next_line(text); *text; text = next_line(text)) {
		if (hex_at(text, column, &v) < 0)
			return -EBADMSG;
		sum += v;
	}
	*ret = sum;
	return 0;
}

int ta_hex_table_first(const char *text, const char *name, uint64_t *ret)
{
	int column = column_of(text, name);
	uint32_t v;

	if (column < 0)
		return column;
	text = next_line(text);
	if (!*text)
		return -ENODATA;
	if (hex_at(text, column, &v) < 0)
		return -EBADMSG;
	*ret = v;
	return 0;
}

/* "TCP: inuse 1 orphan 0": the number behind `key`, from behind the colon. */
static int value_of(const char *line, const char *key, int64_t *ret)
{
	struct ta_mib m;
	size_t key_len = strlen(key), name_len, len;

	for (;;) {
		const char *name = word(line, &name_len);
		const char *value = word(name + name_len, &len);

		if (name_len == 0)
			return -ENOENT;
		if (name_len == key_len && memcmp(name, key, key_len) == 0) {
			if (to_number(value, len, &m) < 0 || m.value > INT64_MAX)
				return -EBADMSG;
			*ret = m.negative ? -(int64_t)m.value : (int64_t)m.value;
			return 0;
		}
		line = value + len;
	}
}

int ta_sockstat_find(const char *text, const char *group, const char *key, int64_t *ret)
{
	size_t len = strlen(group);

	for (; *text; text = next_line(text))
		if (strncmp(text, group, len) == 0 && text[len] == ':')
			return value_of(text + len + 1, key, ret);
	return -ENOENT;
}

void ta_numbers_done(struct ta_numbers *a)
{
	free(a->v);
	*a = (struct ta_numbers){0};
}

/* Every word of the line as a number, behind `prefix` if there is one. */
static int numbers(const char *line, const char *prefix, struct ta_numbers *ret)
{
	size_t skip = strlen(prefix), len;
	struct ta_mib m;

	ta_numbers_done(ret);
	/* A number takes two bytes at least, with the blank before it. */
	ret->v = malloc((strlen(line) / 2 + 1) * sizeof(*ret->v));
	if (!ret->v)
		return -ENOMEM;
	for (;;) {
		line = word(line, &len);
		if (len == 0)
			return 0;
		if (len <= skip || memcmp(line, prefix, skip) != 0 ||
			to_number(line + skip, len - skip, &m) < 0 || m.negative || m.value > INT64_MAX)
			return -EBADMSG;
		ret->v[ret->n++] = (int64_t)m.value;
		line += len;
	}
}

int ta_softirqs_header(const char *line, struct ta_numbers *ret)
{
	return numbers(line, "CPU", ret);
}

int ta_softirqs_row(const char *line, const char *name, struct ta_numbers *ret)
{
	size_t len, want = strlen(name);

	line = word(line, &len);
	if (len != want + 1 || memcmp(line, name, want) != 0 || line[want] != ':')
		return -ENOENT;
	return numbers(line + len, "", ret);
}
