#include "nic/ask.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <string.h>

#include "nic/abi.h"
#include "nic/attr.h"

void ta_nic_put_header(struct ta_buf *b, const char *ifname, uint32_t flags)
{
	size_t nest = ta_nic_put_nest(b, TA_ETH_A_HEADER);

	if (ifname)
		ta_nic_put_text(b, TA_ETH_A_HEADER_DEV_NAME, ifname);
	if (flags)
		ta_nic_put_u32(b, TA_ETH_A_HEADER_FLAGS, flags);
	ta_nic_put_end(b, nest);
}

struct asked {
	const char *ifname;
	uint8_t reply;
	ta_nl_fn *fn;
	void *ctx;
	bool answered;
};

static bool is_about(const struct nlmsghdr *nlh, const char *ifname)
{
	const struct nlattr *a = ta_nic_attr_genl(nlh, TA_ETH_A_HEADER);
	char name[IFNAMSIZ];

	a = a ? ta_nic_attr_nested(a, TA_ETH_A_HEADER_DEV_NAME) : NULL;
	if (!a)
		return false;
	ta_nic_attr_text(a, name, sizeof(name));
	return strcmp(name, ifname) == 0;
}

static int on_reply(const struct nlmsghdr *nlh, void *ctx)
{
	struct asked *asked = ctx;

	if (!ta_nic_is_reply(nlh, asked->reply) || !is_about(nlh, asked->ifname))
		return 0;
	asked->answered = true;
	return asked->fn(nlh, asked->ctx);
}

int ta_nic_ask(struct ta_host *h, const char *key, uint8_t cmd, uint8_t reply, const char *ifname, ta_nl_fn *fn,
	void *ctx)
{
	ta_cleanup_buf struct ta_buf attrs = TA_BUF_INIT, one = TA_BUF_INIT;
	struct asked asked = {ifname, reply, fn, ctx, false};
	struct ta_genl request = {.family = "ethtool", .cmd = cmd, .version = 1};
	int rc;

	ta_nic_put_header(&attrs, ta_host_is_live(h) ? ifname : NULL, TA_ETH_FLAG_COMPACT_BITSETS);
	ta_buf_printf(&one, "%s/%s", key, ifname);
	if (attrs.error || one.error)
		return -ENOMEM;
	request.attrs = attrs.data;
	request.attrs_len = attrs.len;
	request.flags = ta_host_is_live(h) ? 0 : NLM_F_DUMP;
	rc = ta_host_genl(h, ta_host_is_live(h) ? ta_buf_text(&one) : key, &request, on_reply, &asked);
	if (rc < 0)
		return rc;
	return asked.answered ? 0 : -EOPNOTSUPP;
}
