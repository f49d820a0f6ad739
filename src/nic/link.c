/*
 * A name is asked for by itself on a live host: a machine full of containers has thousands of interfaces. A capture
 * holds the dump that the probes asked for.
 */
#include "nic/link.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "nic/attr.h"

#define DUMP_KEY "route/link"

/* Newer than the headers of the oldest system that we build on. */
enum { PERM_ADDRESS = 54, PARENT_DEV_NAME = 56 };

bool ta_nic_name_valid(const char *name, size_t len)
{
	if (len == 0 || len >= IFNAMSIZ || strncmp(name, ".", len) == 0 || (len == 2 && memcmp(name, "..", 2) == 0))
		return false;
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];

		if (c <= ' ' || c == '/' || c == ':' || c == 0x7f || c == 0xa0)
			return false;
	}
	return true;
}

static void take_address(const struct nlattr *a, char *ret, size_t size)
{
	const unsigned char *p = mnl_attr_get_payload(a);
	size_t n = mnl_attr_get_payload_len(a), at = 0;

	*ret = '\0';
	if (n > 20) /* InfiniBand has 20 */
		return;
	for (size_t i = 0; i < n && at + 4 < size; i++)
		at += (size_t)snprintf(ret + at, size - at, "%s%02x", i ? ":" : "", p[i]);
}

static void take_attr(const struct nlattr *a, struct ta_nic_link *l)
{
	switch (mnl_attr_get_type(a)) {
	case IFLA_IFNAME:
		ta_nic_attr_text(a, l->name, sizeof(l->name));
		break;
	case IFLA_ADDRESS:
		take_address(a, l->mac, sizeof(l->mac));
		break;
	case PERM_ADDRESS:
		take_address(a, l->permanent, sizeof(l->permanent));
		break;
	case PARENT_DEV_NAME:
		ta_nic_attr_text(a, l->parent, sizeof(l->parent));
		break;
	case IFLA_TXQLEN:
		ta_nic_attr_number(a, 4, &l->txqueuelen);
		break;
	case IFLA_LINKINFO:
		a = ta_nic_attr_nested(a, IFLA_INFO_KIND);
		if (a)
			ta_nic_attr_text(a, l->kind, sizeof(l->kind));
		break;
	}
}

int ta_nic_link_decode(const struct nlmsghdr *nlh, struct ta_nic_link *ret)
{
	struct ta_nic_link l = {.txqueuelen = -1};
	const struct ifinfomsg *info;
	const struct nlattr *a;

	if (nlh->nlmsg_type != RTM_NEWLINK)
		return -ENOMSG;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*info))
		return -EBADMSG;
	info = mnl_nlmsg_get_payload(nlh);
	l.ifindex = info->ifi_index;
	mnl_attr_for_each (a, nlh, sizeof(*info))
		take_attr(a, &l);
	if (l.ifindex <= 0 || !ta_nic_name_valid(l.name, strlen(l.name)))
		return -EBADMSG;
	*ret = l;
	return 0;
}

struct each {
	int (*fn)(const struct ta_nic_link *link, void *ctx);
	void *ctx;
};

static int on_link(const struct nlmsghdr *nlh, void *ctx)
{
	const struct each *each = ctx;
	struct ta_nic_link l;

	return ta_nic_link_decode(nlh, &l) < 0 ? 0 : each->fn(&l, each->ctx);
}

static int dump(struct ta_host *h, const struct each *each)
{
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg info;
	} request = {
		.nlh = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_GETLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
		},
	};

	return ta_host_netlink(h, NETLINK_ROUTE, DUMP_KEY, &request.nlh, on_link, (void *)each);
}

int ta_nic_links_each(struct ta_host *h, int (*fn)(const struct ta_nic_link *link, void *ctx), void *ctx)
{
	struct each each = {fn, ctx};

	return dump(h, &each);
}

static int ask_one(struct ta_host *h, const char *name, const struct each *each)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT, key = TA_BUF_INIT;
	struct nlmsghdr nlh = {.nlmsg_type = RTM_GETLINK, .nlmsg_flags = NLM_F_REQUEST};
	struct ifinfomsg info = {0};

	ta_buf_add(&b, &nlh, sizeof(nlh));
	ta_buf_add(&b, &info, sizeof(info));
	ta_nic_put_text(&b, IFLA_IFNAME, name);
	ta_buf_printf(&key, DUMP_KEY "/%s", name);
	if (b.error || key.error)
		return -ENOMEM;
	((struct nlmsghdr *)(void *)b.data)->nlmsg_len = (uint32_t)b.len;
	return ta_host_netlink(h, NETLINK_ROUTE, ta_buf_text(&key), (struct nlmsghdr *)(void *)b.data, on_link,
		(void *)each);
}

struct wanted {
	const char *name;
	struct ta_nic_link *ret;
	bool found;
};

static int take_wanted(const struct ta_nic_link *l, void *ctx)
{
	struct wanted *w = ctx;

	if (strcmp(l->name, w->name) == 0) {
		*w->ret = *l;
		w->found = true;
	}
	return 0;
}

int ta_nic_link_read(struct ta_host *h, const char *name, struct ta_nic_link *ret)
{
	struct wanted w = {.name = name, .ret = ret};
	struct each each = {take_wanted, &w};
	int rc;

	if (!ta_nic_name_valid(name, strlen(name)))
		return -EINVAL;
	rc = ta_host_is_live(h) ? ask_one(h, name, &each) : dump(h, &each);
	if (rc < 0)
		return rc;
	return w.found ? 0 : -ENODEV;
}

static int read_word(struct ta_host *h, const char *name, const char *attribute, struct ta_buf *ret)
{
	ta_cleanup_buf struct ta_buf path = TA_BUF_INIT;
	int rc;

	ta_buf_printf(&path, "/sys/class/net/%s/%s", name, attribute);
	if (path.error)
		return path.error;
	rc = ta_host_read(h, ta_buf_text(&path), 4096, ret);
	ta_buf_rtrim(ret);
	return rc;
}

bool ta_nic_link_in_sysfs(struct ta_host *h, const struct ta_nic_link *link)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	int64_t index;

	/* Indices are counted per namespace, so an eth0 there may have the same; hardly the same address too. */
	if (read_word(h, link->name, "ifindex", &text) < 0 || ta_parse_i64(ta_buf_text(&text), &index) < 0 ||
		index != link->ifindex)
		return false;
	return read_word(h, link->name, "address", &text) < 0 || strcmp(ta_buf_text(&text), link->mac) == 0;
}
