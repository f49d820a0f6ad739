/*
 * Any host, with a failure at a chosen operation: what a program does then is
 * tested by letting it happen at each operation in turn.
 */
#include <errno.h>
#include <stdlib.h>

#include "host/internal.h"

struct fault {
	struct ta_host host;
	struct ta_host *inner;
	struct ta_fault plan;
};

static struct ta_host *inner(struct ta_host *h)
{
	return ((struct fault *)h)->inner;
}

/* The failure that is due at the operation that host.c has just counted, or 0. */
static int due(struct ta_host *h)
{
	const struct ta_fault *plan = &((struct fault *)h)->plan;

	if (!plan->at || h->operations < plan->at)
		return 0;
	return h->operations == plan->at || plan->all_after ? plan->rc : 0;
}

static int fault_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	return due(h) ?: ta_host_read(inner(h), path, cap, ret);
}

static int fault_lines(struct ta_host *h, const char *path, ta_line_fn *fn, void *ctx)
{
	return due(h) ?: ta_host_lines(inner(h), path, fn, ctx);
}

static int fault_list(struct ta_host *h, const char *path, struct ta_strv *ret)
{
	return due(h) ?: ta_host_list(inner(h), path, ret);
}

static int fault_readlink(struct ta_host *h, const char *path, struct ta_buf *ret)
{
	return due(h) ?: ta_host_readlink(inner(h), path, ret);
}

static int fault_exists(struct ta_host *h, const char *path)
{
	return due(h) ?: ta_host_exists(inner(h), path) ? 0 : -ENOENT;
}

static int fault_call(struct ta_host *h, const char *key, int (*fn)(void *arg, struct ta_buf *ret),
	void *arg, struct ta_buf *ret)
{
	return due(h) ?: ta_host_call(inner(h), key, fn, arg, ret);
}

static int fault_tries(struct ta_host *h, const struct ta_try *tries, size_t n,
	struct ta_try_result *results)
{
	return due(h) ?: ta_host_try(inner(h), tries, n, results);
}

/* The inner front would parse the answer; here its raw bytes are wanted. */
static int fault_netlink(struct ta_host *h, int protocol, const char *key, struct nlmsghdr *request,
	struct ta_buf *ret)
{
	int rc = due(h);

	if (rc)
		return rc;
	inner(h)->operations++;
	return inner(h)->ops->netlink(inner(h), protocol, key, request, ret);
}

static int fault_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	return due(h) ?: ta_host_ethtool(inner(h), ifname, data, len);
}

static int fault_time(struct ta_host *h, int64_t *ret)
{
	return due(h) ?: ta_host_time(inner(h), ret);
}

static void fault_done(struct ta_host *h)
{
	ta_host_free(inner(h));
}

static const struct ta_host_ops fault_ops = {
	.done = fault_done,
	.read = fault_read,
	.lines = fault_lines,
	.list = fault_list,
	.readlink = fault_readlink,
	.exists = fault_exists,
	.call = fault_call,
	.tries = fault_tries,
	.netlink = fault_netlink,
	.ethtool = fault_ethtool,
	.time = fault_time,
};

int ta_host_fault(struct ta_host *wrapped, const struct ta_fault *plan, struct ta_host **ret)
{
	struct fault *f;

	if (plan->at && (plan->rc >= 0 || plan->rc < -4095))
		return -EINVAL;
	f = ta_host_new(sizeof(*f), &fault_ops, ta_host_is_live(wrapped));
	if (!f)
		return -ENOMEM;
	f->host.whole = ta_host_is_whole(wrapped);
	f->inner = wrapped;
	f->plan = *plan;
	*ret = &f->host;
	return 0;
}

struct ta_host *ta_fault_inner(struct ta_host *h)
{
	return h->ops == &fault_ops ? inner(h) : NULL;
}
