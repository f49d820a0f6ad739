/*
 * What /proc tells of a process, as text. A name in there may hold anything:
 * a cgroup is a directory that anybody may have named.
 */
#include "probe/procpid.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/strv.h"

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

/* "unlimited" or a number, a word at *at; moves behind it. */
static int next_limit(const char **at, struct ta_limit *ret)
{
	static const char unlimited[] = "unlimited";

	*at += strspn(*at, " \t");
	*ret = (struct ta_limit){0};
	if (strncmp(*at, unlimited, strlen(unlimited)) == 0) {
		ret->unlimited = true;
		*at += strlen(unlimited);
		return 0;
	}
	return ta_next_u64(at, &ret->value) < 0 ? -EBADMSG : 0;
}

int ta_limits_find(const char *text, const char *row, struct ta_limit *ret_soft,
	struct ta_limit *ret_hard)
{
	size_t len = strlen(row);
	struct ta_limit soft, hard;

	for (; *text; text = next_line(text)) {
		if (strncmp(text, row, len) != 0 || text[len] != ' ')
			continue;
		text += len;
		if (next_limit(&text, &soft) < 0 || (*text != ' ' && *text != '\t') ||
			next_limit(&text, &hard) < 0)
			return -EBADMSG;
		*ret_soft = soft;
		*ret_hard = hard;
		return 0;
	}
	return -ENOENT;
}

int ta_status_find(const char *text, const char *key, struct ta_buf *ret)
{
	size_t len = strlen(key);

	for (; *text; text = next_line(text)) {
		if (strncmp(text, key, len) != 0 || text[len] != ':')
			continue;
		text += len + 1;
		text += strspn(text, " \t");
		ta_buf_reset(ret);
		ta_buf_add(ret, text, strcspn(text, "\n"));
		ta_buf_rtrim(ret);
		return 0;
	}
	return -ENOENT;
}

/* Is `name` one of the comma-separated words from `list` to `end`? The empty name asks for the empty list. */
static bool in_list(const char *list, const char *end, const char *name)
{
	size_t want = strlen(name);

	for (;;) {
		size_t len = strcspn(list, ",");

		if (list + len > end)
			len = (size_t)(end - list);
		if (len == want && memcmp(list, name, len) == 0)
			return true;
		if (list + len >= end)
			return false;
		list += len + 1;
	}
}

int ta_cgroup_path(const char *text, const char *controller, struct ta_buf *ret)
{
	for (; *text; text = next_line(text)) {
		size_t line = strcspn(text, "\n");
		const char *list = memchr(text, ':', line);
		const char *path = list ? memchr(list + 1, ':', line - (size_t)(list + 1 - text)) : NULL;

		if (!path || !in_list(list + 1, path, controller))
			continue;
		ta_buf_reset(ret);
		ta_buf_add(ret, path + 1, line - (size_t)(path + 1 - text));
		return 0;
	}
	return -ENOENT;
}

