#include "nic/route.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/rtnetlink.h>
#include <string.h>

static int take_index(const struct nlmsghdr *nlh, void *ctx)
{
	const struct nlattr *attr;

	if (nlh->nlmsg_type != RTM_NEWROUTE)
		return 0;
	mnl_attr_for_each (attr, nlh, sizeof(struct rtmsg))
		if (mnl_attr_get_type(attr) == RTA_OIF && mnl_attr_validate(attr, MNL_TYPE_U32) == 0)
			*(uint32_t *)ctx = mnl_attr_get_u32(attr);
	return 0;
}

static int take_name(const struct nlmsghdr *nlh, void *ctx)
{
	const struct nlattr *attr;

	if (nlh->nlmsg_type != RTM_NEWLINK)
		return 0;
	mnl_attr_for_each (attr, nlh, sizeof(struct ifinfomsg))
		if (mnl_attr_get_type(attr) == IFLA_IFNAME && mnl_attr_validate(attr, MNL_TYPE_NUL_STRING) == 0)
			ta_buf_adds(ctx, mnl_attr_get_str(attr));
	return 0;
}

static int name_of(struct ta_host *h, uint32_t index, struct ta_buf *ret)
{
	_Alignas(8) char buf[64] = {0};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	struct ifinfomsg *link;

	nlh->nlmsg_type = RTM_GETLINK;
	link = mnl_nlmsg_put_extra_header(nlh, sizeof(*link));
	link->ifi_index = (int)index;
	return ta_host_netlink(h, NETLINK_ROUTE, "link-of-route", nlh, take_name, ret);
}

int ta_nic_route_to(struct ta_host *h, const char *address, struct ta_buf *ret)
{
	_Alignas(8) char buf[128] = {0};
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(buf);
	bool six = strchr(address, ':');
	unsigned char bytes[16];
	struct rtmsg *rt;
	uint32_t index = 0;
	int rc;

	if (inet_pton(six ? AF_INET6 : AF_INET, address, bytes) != 1)
		return -EINVAL;
	nlh->nlmsg_type = RTM_GETROUTE;
	rt = mnl_nlmsg_put_extra_header(nlh, sizeof(*rt));
	rt->rtm_family = six ? AF_INET6 : AF_INET;
	rt->rtm_dst_len = six ? 128 : 32;
	mnl_attr_put(nlh, RTA_DST, six ? 16 : 4, bytes);
	rc = ta_host_netlink(h, NETLINK_ROUTE, "route", nlh, take_index, &index);
	if (rc < 0 || !index)
		return rc < 0 ? rc : -ENODATA;
	return name_of(h, index, ret);
}
