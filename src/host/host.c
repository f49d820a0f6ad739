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

static int each_link(struct ta_host *h, const char *path, size_t *ret_n, ta_link_fn *fn, void *ctx)
{
	ta_cleanup_strv struct ta_strv names = TA_STRV_INIT;
	ta_cleanup_buf struct ta_buf file = TA_BUF_INIT, target = TA_BUF_INIT;
	int rc = ta_host_list(h, path, &names);

	if (rc < 0)
		return rc;
	*ret_n = names.n;
	for (size_t i = 0; i < names.n && rc >= 0; i++) {
		ta_buf_reset(&file);
		ta_buf_printf(&file, "%s/%s", path, names.v[i]);
		rc = file.error ?: ta_host_readlink(h, ta_buf_text(&file), &target);
		rc = fn(ta_buf_text(&target), rc, ctx);
	}
	return rc < 0 ? rc : 0;
}

int ta_host_links(struct ta_host *h, const char *path, size_t *ret_n, ta_link_fn *fn, void *ctx)
{
	int rc = ta_path_check(path);

	if (rc < 0)
		return rc;
	if (!h->ops->links)
		return each_link(h, path, ret_n, fn, ctx);
	h->operations++;
	return h->ops->links(h, path, ret_n, fn, ctx);
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

int ta_host_uptime_ms(struct ta_host *h, int64_t *ret)
{
	h->operations++;
	return h->ops->uptime_ms ? h->ops->uptime_ms(h, ret) : -ENODATA;
}
