/*
 * The front of the writing half: checks what is asked, counts it, hands it to the kind. What a kind cannot change is
 * decided here, and so is what no caller may ask for.
 */
#include "host/change.h"

#include <errno.h>
#include <linux/netlink.h>
#include <string.h>

#include "host/internal.h"
#include "host/netlink.h"

int ta_change_begin(struct ta_host *h)
{
	h->changes++;
	if (!h->ops->change)
		return -EROFS;
	return h->ops->change->begin ? h->ops->change->begin(h) : 0;
}

unsigned ta_host_changes(const struct ta_host *h)
{
	return h->changes;
}

static bool is_below(const char *path, const char *const *trees)
{
	for (; *trees; trees++)
		if (!strncmp(path, *trees, strlen(*trees)))
			return true;
	return false;
}

static int check_attribute(const char *path)
{
	static const char *const trees[] = {"/proc/sys/", "/proc/irq/", "/sys/", NULL};

	return ta_path_check(path) ?: is_below(path, trees) ? 0 : -EPERM;
}

static int check_file(const char *path)
{
	static const char *const trees[] = {"/etc/", "/run/", NULL};

	return ta_path_check(path) ?: is_below(path, trees) ? 0 : -EPERM;
}

int ta_host_set(struct ta_host *h, const char *path, const char *text)
{
	int rc = ta_change_begin(h) ?: check_attribute(path);

	return rc < 0 ? rc : h->ops->change->set(h, path, text);
}

int ta_host_may_set(struct ta_host *h, const char *path)
{
	int rc = check_attribute(path);

	h->operations++;
	if (rc == 0 && !h->ops->change)
		rc = -EROFS;
	return rc < 0 ? rc : h->ops->change->may_set(h, path);
}

int ta_host_set_netns(struct ta_host *h, unsigned pid, const char *path, const char *text)
{
	int rc = ta_change_begin(h) ?: check_attribute(path);

	return rc < 0 ? rc : h->ops->change->set_netns(h, pid, path, text);
}

int ta_host_own(struct ta_host *h, const char *path, size_t cap, struct ta_buf *ret)
{
	int rc = check_file(path);

	h->operations++;
	ta_buf_reset(ret);
	if (rc == 0 && !h->ops->change)
		rc = -EROFS;
	return rc < 0 ? rc : h->ops->change->own(h, path, cap, ret);
}

int ta_host_may_put(struct ta_host *h, const char *path)
{
	int rc = check_file(path);

	h->operations++;
	if (rc == 0 && !h->ops->change)
		rc = -EROFS;
	return rc < 0 ? rc : h->ops->change->may_put(h, path);
}

int ta_host_put(struct ta_host *h, const char *path, const char *text, mode_t mode, bool parent)
{
	int rc = ta_change_begin(h) ?: check_file(path);

	return rc < 0 ? rc : h->ops->change->put(h, path, text, mode, parent);
}

int ta_host_unlink(struct ta_host *h, const char *path, bool parent)
{
	int rc = ta_change_begin(h) ?: check_file(path);

	return rc < 0 ? rc : h->ops->change->unlink(h, path, parent);
}

static int ignore(const struct nlmsghdr *nlh, void *ctx)
{
	return 0;
}

static int tell(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf answer = TA_BUF_INIT, words = TA_BUF_INIT;
	int rc = h->ops->change->netlink(h, protocol, request, &answer);

	if (rc == 0)
		rc = ta_nl_parse(answer.data, answer.len, ignore, NULL);
	if (rc == 0)
		return 0;
	ta_nl_words(answer.data, answer.len, &words);
	if (words.len)
		return ta_err_set(err, rc, "%s (%s)", ta_errno_text(rc), ta_buf_text(&words));
	return ta_err_set(err, rc, "%s", ta_errno_text(rc));
}

int ta_host_set_netlink(struct ta_host *h, int protocol, struct nlmsghdr *request, struct ta_err *err)
{
	int rc = ta_change_begin(h);

	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	return tell(h, protocol, request, err);
}

int ta_host_set_genl(struct ta_host *h, const struct ta_genl *request, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf message = TA_BUF_INIT;
	uint16_t id;
	int rc = ta_change_begin(h);

	if (rc == 0)
		rc = ta_genl_family(h, request->family, &id);
	if (rc == 0)
		rc = ta_genl_message(request, id, &message);
	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	return tell(h, NETLINK_GENERIC, (struct nlmsghdr *)(void *)message.data, err);
}

int ta_host_set_ethtool(struct ta_host *h, const char *ifname, void *data, size_t len)
{
	int rc = ta_change_begin(h) ?: len < sizeof(uint32_t) ? -EINVAL : 0;

	return rc < 0 ? rc : h->ops->change->ethtool(h, ifname, data, len);
}

static int begin_module(struct ta_host *h, const char *name, struct ta_err *err)
{
	size_t len = strlen(name);
	int rc = ta_change_begin(h);

	if (rc < 0)
		return ta_err_set(err, rc, "%s", ta_errno_text(rc));
	if (!len || len > 55 || *name == '-' ||
		name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")])
		return ta_err_set(err, -EINVAL, "'%s' can be no module", name);
	return 0;
}

int ta_host_load_module(struct ta_host *h, const char *name, struct ta_err *err)
{
	int rc = begin_module(h, name, err);

	return rc < 0 ? rc : h->ops->change->load_module(h, name, err);
}

int ta_host_unload_module(struct ta_host *h, const char *name, struct ta_err *err)
{
	int rc = begin_module(h, name, err);

	return rc < 0 ? rc : h->ops->change->unload_module(h, name, err);
}

int ta_host_irqbalance(struct ta_host *h, struct ta_buf *ret)
{
	h->operations++;
	return h->ops->change ? h->ops->change->irqbalance(h, "setup", ret) : -EROFS;
}

int ta_host_set_irqbalance(struct ta_host *h, const char *irqs)
{
	ta_cleanup_buf struct ta_buf words = TA_BUF_INIT, answer = TA_BUF_INIT;
	int rc = ta_change_begin(h);

	if (rc < 0)
		return rc;
	if (irqs[strspn(irqs, "0123456789 ")])
		return -EINVAL;
	ta_buf_printf(&words, "settings ban irqs %s", *irqs ? irqs : "NONE");
	return words.error ?: h->ops->change->irqbalance(h, ta_buf_text(&words), &answer);
}
