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

/* The failure that is due at number `now` of those that one at `at` was planned for, or 0. */
static int due_at(const struct ta_fault *plan, unsigned at, unsigned now)
{
	if (!at || now < at)
		return 0;
	return now == at || plan->all_after ? plan->rc : 0;
}

/* At the operation that host.c has just counted. */
static int due(struct ta_host *h)
{
	const struct ta_fault *plan = &((struct fault *)h)->plan;

	return due_at(plan, plan->at, h->operations);
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

static int fault_uptime_ms(struct ta_host *h, int64_t *ret)
{
	return due(h) ?: ta_host_uptime_ms(inner(h), ret);
}

static int fault_begin(struct ta_host *h)
{
	const struct ta_fault *plan = &((struct fault *)h)->plan;

	return due_at(plan, plan->change_at, h->changes) ?: ta_change_begin(inner(h));
}

static int fault_may_set(struct ta_host *h, const char *path)
{
	return due(h) ?: ta_host_may_set(inner(h), path);
}

static int fault_set(struct ta_host *h, const char *path, const char *text)
{
	return inner(h)->ops->change->set(inner(h), path, text);
}

static int fault_set_netlink(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_buf *ret)
{
	return inner(h)->ops->change->netlink(inner(h), protocol, request, ret);
}

static int fault_set_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	return inner(h)->ops->change->ethtool(inner(h), ifname, data, len);
}

static int fault_set_netns(struct ta_host *h, unsigned pid, const char *path, const char *text)
{
	return inner(h)->ops->change->set_netns(inner(h), pid, path, text);
}

static int fault_own(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	return due(h) ?: ta_host_own(inner(h), path, cap, ret);
}

static int fault_may_put(struct ta_host *h, const char *path)
{
	return due(h) ?: ta_host_may_put(inner(h), path);
}

static int fault_put(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parent)
{
	return inner(h)->ops->change->put(inner(h), path, text, mode, parent);
}

static int fault_unlink(struct ta_host *h, const char *path, bool parent)
{
	return inner(h)->ops->change->unlink(inner(h), path, parent);
}

static int fault_load_module(struct ta_host *h, const char *name, struct ta_err *err)
{
	return inner(h)->ops->change->load_module(inner(h), name, err);
}

static int fault_unload_module(struct ta_host *h, const char *name, struct ta_err *err)
{
	return inner(h)->ops->change->unload_module(inner(h), name, err);
}

static int fault_irqbalance(struct ta_host *h, const char *words, struct ta_buf *ret)
{
	return inner(h)->ops->change->irqbalance(inner(h), words, ret);
}

/* fault_begin() has asked the inner host too: what gets here can be changed there. */
static const struct ta_change_ops fault_changes = {
	.begin = fault_begin,
	.may_set = fault_may_set,
	.set = fault_set,
	.netlink = fault_set_netlink,
	.ethtool = fault_set_ethtool,
	.set_netns = fault_set_netns,
	.own = fault_own,
	.may_put = fault_may_put,
	.put = fault_put,
	.unlink = fault_unlink,
	.irqbalance = fault_irqbalance,
	.load_module = fault_load_module,
	.unload_module = fault_unload_module,
};

static void fault_done(struct ta_host *h)
{
	ta_host_free(inner(h));
}

static const struct ta_host_ops fault_ops = {
	.change = &fault_changes,
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
	.uptime_ms = fault_uptime_ms,
};

int ta_host_fault(struct ta_host *wrapped, const struct ta_fault *plan, struct ta_host **ret)
{
	struct fault *f;

	if ((plan->at || plan->change_at) && (plan->rc >= 0 || plan->rc < -4095))
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
