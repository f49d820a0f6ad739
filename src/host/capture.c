/*
 * A captured machine: a store that is only read. Where files of /proc/sys were
 * not copied, an output of `sysctl -a` stands in for them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host/internal.h"
#include "host/redact.h"
#include "host/store.h"
#include "host/sysctltext.h"

#define SYSCTL_TEXT_CAP (8u << 20)

struct capture {
	struct ta_host host;
	struct ta_store store;
	struct ta_sysctl_text sysctls;
	bool looked_for_sysctls;
};

static struct ta_store *store(struct ta_host *h)
{
	return &((struct capture *)h)->store;
}

/* What stands in for a file of /proc/sys that is not there; NULL: nothing does. */
static const struct ta_sysctl_text *stand_in(struct ta_host *h, const char *path, int rc)
{
	static const char *const files[] = {"/sos_commands/kernel/sysctl_-a", "/extra/sysctl_-a"};
	struct capture *c = (struct capture *)h;
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;

	if ((rc != -ENOENT && rc != -ENOTDIR) || h->whole || strncmp(path, "/proc/sys", 9) != 0)
		return NULL;
	for (size_t i = 0; i < TA_ARRAY_SIZE(files) && !c->looked_for_sysctls; i++) {
		int found;

		if (!ta_store_read(&c->store, files[i], SYSCTL_TEXT_CAP, &text, &found) || found < 0)
			continue;
		c->looked_for_sysctls = true;
		ta_sysctl_text_parse(&text, &c->sysctls);
	}
	c->looked_for_sysctls = true;
	return c->sysctls.n ? &c->sysctls : NULL;
}

static int capture_read(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	const struct ta_sysctl_text *sysctls;
	int rc;

	if (ta_redact_kind(path) == TA_REDACT_REFUSE)
		return -EPERM;
	if (!ta_store_read(store(h), path, cap, ret, &rc))
		return -ENODATA;
	sysctls = stand_in(h, path, rc);
	return sysctls ? ta_sysctl_text_get(sysctls, path, ret) : rc;
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
	const struct ta_sysctl_text *sysctls;
	bool exists;

	if (!ta_store_exists(store(h), path, &exists))
		return -ENODATA;
	if (exists)
		return 0;
	sysctls = stand_in(h, path, -ENOENT);
	return sysctls && ta_sysctl_text_has(sysctls, path) ? 0 : -ENOENT;
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
	ta_sysctl_text_done(&((struct capture *)h)->sysctls);
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
