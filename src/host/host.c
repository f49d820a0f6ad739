/*
 * The front of the door: checks what is asked, counts it, hands it to the kind.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "host/internal.h"

void *ta_host_new(size_t size, const struct ta_host_ops *ops, bool live)
{
	struct ta_host *h = calloc(1, size);

	if (!h)
		return NULL;
	h->ops = ops;
	h->live = live;
	h->whole = live;
	h->families_rc = 1;
	return h;
}

struct ta_host *ta_host_free(struct ta_host *h)
{
	if (h) {
		h->ops->done(h);
		free(h);
	}
	return NULL;
}

bool ta_host_is_live(const struct ta_host *h)
{
	return h->live;
}

bool ta_host_is_whole(const struct ta_host *h)
{
	return h->whole;
}

unsigned ta_host_operations(const struct ta_host *h)
{
	return h->operations;
}

/*
 * Paths must be the one way to write the name of a file: what is left out of it and
 * what a capture calls it go by the path.
 */
int ta_path_check(const char *path)
{
	const char *p = path;

	if (*p != '/')
		return -EINVAL;
	for (; *p; p++) {
		if (*p != '/')
			continue;
		/* What follows a slash: neither another one, nor the end, nor . or .. alone. */
		if (p[1] == '/' || (!p[1] && p > path))
			return -EINVAL;
		if (p[1] == '.' && (!p[2] || p[2] == '/' || (p[2] == '.' && (!p[3] || p[3] == '/'))))
			return -EINVAL;
	}
	return p - path < PATH_MAX ? 0 : -EINVAL;
}

int ta_host_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	int rc = ta_path_check(path);

	h->operations++;
	ta_buf_reset(ret);
	return rc < 0 ? rc : h->ops->read(h, path, cap, ret);
}

int ta_host_lines(struct ta_host *h, const char *path,
	int (*fn)(const char *line, size_t len, void *ctx), void *ctx)
{
	int rc = ta_path_check(path);

	h->operations++;
	return rc < 0 ? rc : h->ops->lines(h, path, fn, ctx);
}

int ta_host_list(struct ta_host *h, const char *path, struct ta_strv *ret)
{
	int rc = ta_path_check(path);

	h->operations++;
	ta_strv_done(ret);
	return rc < 0 ? rc : h->ops->list(h, path, ret);
}

int ta_host_readlink(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	int rc = ta_path_check(path);

	h->operations++;
	ta_buf_reset(ret);
	return rc < 0 ? rc : h->ops->readlink(h, path, ret);
}

bool ta_host_exists(struct ta_host *h, const char *path)
{
	h->operations++;
	return ta_path_check(path) == 0 && h->ops->exists(h, path) == 0;
}

int ta_host_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret), void *arg,
	struct ta_buf *ret)
{
	h->operations++;
	ta_buf_reset(ret);
	return h->ops->call(h, key, fn, arg, ret);
}

int ta_host_time(struct ta_host *h, int64_t *ret)
{
	h->operations++;
	return h->ops->time(h, ret);
}
