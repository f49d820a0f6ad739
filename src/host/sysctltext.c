/*
 * `sysctl -a` prints a line per file, "net.ipv4.tcp_rmem = 4096\t131072\t6291456",
 * among messages about files that it could not read.
 */
#include "host/sysctltext.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "/proc/sys"
#define LINES_MAX 200000

static int compare(const char *a, size_t a_len, const char *b, size_t b_len)
{
	int c = memcmp(a, b, TA_MIN(a_len, b_len));

	return c ? c : (a_len > b_len) - (a_len < b_len);
}

static int by_key(const void *a, const void *b)
{
	const struct ta_sysctl_line *x = a, *y = b;

	int c = compare(x->key, x->key_len, y->key, y->key_len);

	return c ? c : (x->key > y->key) - (x->key < y->key);
}

static bool parse_line(const char *line, size_t len, struct ta_sysctl_line *ret)
{
	static const char sign[] = " = ";
	const char *eq = memmem(line, len, sign, strlen(sign));

	/* A value that is empty may have lost the blank behind its sign. */
	if (!eq && len > 2 && memcmp(line + len - 2, " =", 2) == 0)
		eq = line + len - 2;
	if (!eq || eq == line || memchr(line, ' ', (size_t)(eq - line)))
		return false;
	*ret = (struct ta_sysctl_line){.key = line, .key_len = (size_t)(eq - line)};
	ret->value = TA_MIN(eq + strlen(sign), line + len);
	ret->value_len = (size_t)(line + len - ret->value);
	return true;
}

int ta_sysctl_text_parse(struct ta_buf *text, struct ta_sysctl_text *ret)
{
	struct ta_sysctl_text s = {.text = *text};
	const char *end = ta_buf_text(&s.text) + s.text.len;
	size_t cap = 0;

	*text = (struct ta_buf)TA_BUF_INIT;
	for (const char *line = ta_buf_text(&s.text), *nl; line < end && s.n < LINES_MAX;
		line = nl + 1) {
		struct ta_sysctl_line one;

		nl = memchr(line, '\n', (size_t)(end - line));
		nl = nl ? nl : end;
		if (!parse_line(line, (size_t)(nl - line), &one))
			continue;
		if (s.n == cap) {
			struct ta_sysctl_line *v =
				reallocarray(s.v, cap = cap ? 2 * cap : 1024, sizeof(*v));

			if (!v) {
				ta_sysctl_text_done(&s);
				return -ENOMEM;
			}
			s.v = v;
		}
		s.v[s.n++] = one;
	}
	if (s.n)
		qsort(s.v, s.n, sizeof(*s.v), by_key);
	*ret = s;
	return 0;
}

/* The first line whose key is not before `key`. */
static size_t lower_bound(const struct ta_sysctl_text *s, const char *key, size_t len)
{
	size_t low = 0, high = s->n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (compare(s->v[mid].key, s->v[mid].key_len, key, len) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* "/proc/sys/net/core/somaxconn" as "net.core.somaxconn"; false for other paths. */
static bool key_of(const char *path, struct ta_buf *ret)
{
	size_t root = strlen(ROOT);

	if (strncmp(path, ROOT, root) != 0 || (path[root] && path[root] != '/'))
		return false;
	for (const char *p = path + root + (path[root] == '/'); *p; p++)
		ta_buf_addc(ret, *p == '/' ? '.' : *p == '.' ? '/' : *p);
	return ret->error == 0;
}

int ta_sysctl_text_get(const struct ta_sysctl_text *s, const char *path, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	size_t i;

	ta_buf_reset(ret);
	if (!key_of(path, &key) || key.len == 0)
		return -ENOENT;
	i = lower_bound(s, key.data, key.len);
	if (i == s->n || compare(s->v[i].key, s->v[i].key_len, key.data, key.len) != 0)
		return -ENOENT;
	ta_buf_add(ret, s->v[i].value, s->v[i].value_len);
	ta_buf_addc(ret, '\n');
	return ret->error;
}

bool ta_sysctl_text_has(const struct ta_sysctl_text *s, const char *path)
{
	ta_cleanup_buf struct ta_buf key = TA_BUF_INIT;
	const struct ta_sysctl_line *line;
	size_t i;

	if (s->n == 0 || !key_of(path, &key))
		return false;
	if (key.len == 0)
		return true;
	i = lower_bound(s, key.data, key.len);
	if (i < s->n && compare(s->v[i].key, s->v[i].key_len, key.data, key.len) == 0)
		return true;
	ta_buf_addc(&key, '.');
	if (key.error)
		return false;
	i = lower_bound(s, key.data, key.len);
	line = i < s->n ? &s->v[i] : NULL;
	return line && line->key_len >= key.len && memcmp(line->key, key.data, key.len) == 0;
}

void ta_sysctl_text_done(struct ta_sysctl_text *s)
{
	free(s->v);
	ta_buf_done(&s->text);
	*s = (struct ta_sysctl_text){0};
}
