/*
 * A captured machine: a store that is only read.
 */
#include <errno.h>
#include <stdlib.h>

#include "host/internal.h"
#include "host/redact.h"
#include "host/store.h"

struct capture {
	struct ta_host host;
	struct ta_store store;
};

static struct ta_store *store(struct ta_host *h)
{
	return &((struct capture *)h)->store;
}

static int capture_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	int rc;

	if (ta_redact_kind(path) == TA_REDACT_REFUSE)
		return -EPERM;
	return ta_store_read(store(h), path, cap, ret, &rc) ? rc : -ENODATA;
}

static int capture_lines(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx)
{
	int rc;

	if (ta_redact_kind(path) == TA_REDACT_REFUSE)
		return -EPERM;
	return ta_store_lines(store(h), path, fn, ctx, &rc) ? rc : -ENODATA;
}

static int capture_list(struct ta_host *h, const char *path, struct ta_strv *ret)
{
	int rc;

	return ta_store_list(store(h), path, ret, &rc) ? rc : -ENODATA;
}

static int capture_readlink(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	int rc;

	if (!ta_store_readlink(store(h), path, ret, &rc))
		return -ENODATA;
	if (rc == 0)
		ta_redact_link(path, ret);
	return rc;
}

static int capture_exists(struct ta_host *h, const char *path)
{
	bool exists;

	if (!ta_store_exists(store(h), path, &exists))
		return -ENODATA;
	return exists ? 0 : -ENOENT;
}

static int capture_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret),
	void *arg, struct ta_buf *ret)
{
	int rc;

	return ta_store_call(store(h), key, ret, &rc) ? rc : -ENODATA;
}

static int capture_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request,
	struct ta_buf *ret)
{
	int rc;

	return ta_store_netlink(store(h), key, ret, &rc) ? rc : -ENODATA;
}

static int capture_tries(struct ta_host *h, const struct ta_try *tries, size_t n,
	struct ta_try_result *results)
{
	for (size_t i = 0; i < n; i++)
		if (!ta_store_try(store(h), tries[i].name, &results[i]))
			results[i] = (struct ta_try_result){.rc = -ENODATA};
	return 0;
}

static int capture_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	int rc;

	return ta_store_ethtool(store(h), ifname, data, len, &rc) ? rc : -ENODATA;
}

static int capture_time(struct ta_host *h, int64_t *ret)
{
	if (!store(h)->has_taken)
		return -ENODATA;
	*ret = store(h)->taken;
	return 0;
}

static void capture_done(struct ta_host *h)
{
	ta_store_close(store(h));
}

static const struct ta_host_ops capture_ops = {
	.done = capture_done,
	.read = capture_read,
	.lines = capture_lines,
	.list = capture_list,
	.readlink = capture_readlink,
	.exists = capture_exists,
	.call = capture_call,
	.tries = capture_tries,
	.ethtool = capture_ethtool,
	.netlink = capture_netlink,
	.time = capture_time,
};

int ta_host_capture(const char *dir, struct ta_host **ret, struct ta_err *err)
{
	struct capture *c = ta_host_new(sizeof(*c), &capture_ops, false);
	int rc;

	if (!c)
		return ta_err_set(err, -ENOMEM, "out of memory");
	rc = ta_store_open(dir, &c->store, err);
	if (rc < 0) {
		free(c);
		return rc;
	}
	c->host.whole = c->store.calls.complete;
	*ret = &c->host;
	return 0;
}

void ta_host_capture_walk(struct ta_host *h)
{
	store(h)->root.walk = true;
}
