/*
 * Typed readers: one file of the kernel, one fact; a value or the reason.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

const char *ta_fmt(char (*buf)[512], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(*buf, sizeof(*buf), fmt, ap);
	va_end(ap);
	return *buf;
}

/*
 * Reads `file` into `text`, blanks at its end dropped; puts the reason and returns false if that fails. The kernel ends
 * even an empty word or list with a newline: a file of no bytes is what a copy left that failed.
 */
static bool get(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path, struct ta_buf *text)
{
	int rc = ta_host_read(h, file, TA_READ_CAP, text);

	if (rc < 0) {
		ta_facts_put_errno(f, path, rc, file);
		return false;
	}
	if (text->len == 0) {
		ta_facts_put_absent(f, path, TA_MALFORMED, "%s is empty", file);
		return false;
	}
	if (memchr(text->data, '\0', text->len)) {
		ta_facts_put_absent(f, path, TA_MALFORMED, "%s is no text", file);
		return false;
	}
	ta_buf_rtrim(text);
	return true;
}

static void malformed(struct ta_facts *f, const char *const *path, const char *file, const char *text)
{
	ta_facts_put_absent(f, path, TA_MALFORMED, "%s: \"%.60s\"", file, text);
}

/* −2^63 … 2^64−1, whichever of the two types holds it. */
static bool put_number(struct ta_facts *f, const char *const *path, const char *text)
{
	int64_t i64;
	uint64_t u64;

	if (ta_parse_i64(text, &i64) == 0)
		ta_facts_put_i64(f, path, i64);
	else if (ta_parse_u64(text, &u64) == 0)
		ta_facts_put_u64(f, path, u64);
	else
		return false;
	return true;
}

void ta_read_int(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (get(h, f, file, path, &text) && !put_number(f, path, ta_buf_text(&text)))
		malformed(f, path, file, ta_buf_text(&text));
}

void ta_read_int_or_max(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (!get(h, f, file, path, &text))
		return;
	if (strcmp(ta_buf_text(&text), "max") == 0)
		ta_facts_put_unlimited(f, path);
	else if (!put_number(f, path, ta_buf_text(&text)))
		malformed(f, path, file, ta_buf_text(&text));
}

void ta_read_str(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if (get(h, f, file, path, &text))
		ta_facts_put_str(f, path, ta_buf_text(&text));
}

void ta_read_bool(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	const char *t;

	if (!get(h, f, file, path, &text))
		return;
	t = ta_buf_text(&text);
	if (strcmp(t, "1") == 0 || strcmp(t, "Y") == 0)
		ta_facts_put_bool(f, path, true);
	else if (strcmp(t, "0") == 0 || strcmp(t, "N") == 0)
		ta_facts_put_bool(f, path, false);
	else
		malformed(f, path, file, t);
}

void ta_read_ints(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t v[64];
	const char *at;
	size_t n = 0;
	int rc = 0;

	if (!get(h, f, file, path, &text))
		return;
	at = ta_buf_text(&text);
	while (n < TA_ARRAY_SIZE(v) && (rc = ta_next_i64(&at, &v[n])) == 0)
		n++;
	if (rc != -ENODATA)
		malformed(f, path, file, ta_buf_text(&text));
	else
		ta_facts_put_ints(f, path, v, n);
}

static void read_cpus(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path,
	int (*parse)(struct ta_cpuset *set, const char *text))
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	ta_cleanup_cpuset struct ta_cpuset set = TA_CPUSET_INIT;

	if (!get(h, f, file, path, &text))
		return;
	if (parse(&set, ta_buf_text(&text)) < 0)
		malformed(f, path, file, ta_buf_text(&text));
	else
		ta_facts_put_cpus(f, path, &set);
}

void ta_read_cpulist(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	read_cpus(h, f, file, path, ta_cpuset_parse_list);
}

void ta_read_cpumask(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	read_cpus(h, f, file, path, ta_cpuset_parse_mask);
}

void ta_read_choice(struct ta_host *h, struct ta_facts *f, const char *file, const char *const *path)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	char *open, *close;

	if (!get(h, f, file, path, &text))
		return;
	open = strchr(ta_buf_text(&text), '[');
	close = open ? strchr(open, ']') : NULL;
	if (!close) {
		malformed(f, path, file, ta_buf_text(&text));
		return;
	}
	*close = '\0';
	ta_facts_put_str(f, path, open + 1);
}
