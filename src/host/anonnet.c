/*
 * Addresses in netlink answers and ioctls, by the attributes that hold them; and
 * then every known MAC address wherever its six bytes stand.
 */
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/inet_diag.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <string.h>
#include <sys/socket.h>

#include "host/anon.h"
#include "host/netlink.h"

/* Attributes of rtnetlink that hold a whole address. */
static const struct {
	uint16_t first, last; /* message types */
	size_t header;
	uint16_t types[8];
} address_attrs[] = {
	{RTM_NEWLINK, RTM_SETLINK, sizeof(struct ifinfomsg), {IFLA_ADDRESS, IFLA_BROADCAST, IFLA_PERM_ADDRESS}},
	{RTM_NEWADDR, RTM_GETADDR, sizeof(struct ifaddrmsg),
		{IFA_ADDRESS, IFA_LOCAL, IFA_BROADCAST, IFA_ANYCAST, IFA_MULTICAST}},
	{RTM_NEWROUTE, RTM_GETROUTE, sizeof(struct rtmsg), {RTA_DST, RTA_SRC, RTA_GATEWAY, RTA_PREFSRC}},
	{RTM_NEWNEIGH, RTM_GETNEIGH, sizeof(struct ndmsg), {NDA_DST, NDA_LLADDR}},
};

static void anon_attr(struct ta_anon *a, const struct nlattr *attr)
{
	unsigned len = mnl_attr_get_payload_len(attr);
	uint8_t *p = mnl_attr_get_payload(attr);

	if (len == 20) /* InfiniBand */
		ta_anon_port(a, p + 15);
	else if (len == 4 || len == 6 || len == 16)
		ta_anon_address(a, p, len, p);
}

/* IFLA_VFINFO_LIST { IFLA_VF_INFO { IFLA_VF_MAC { u32 vf; u8 mac[32] } } } */
static void anon_vfs(struct ta_anon *a, const struct nlattr *list)
{
	struct nlattr *info, *attr;

	mnl_attr_for_each_nested (info, list) {
		mnl_attr_for_each_nested (attr, info) {
			struct ifla_vf_mac *mac = mnl_attr_get_payload(attr);

			if (mnl_attr_get_type(attr) == IFLA_VF_MAC && mnl_attr_get_payload_len(attr) >= sizeof(*mac))
				ta_anon_address(a, mac->mac, 6, mac->mac);
		}
	}
}

static void anon_route_message(struct ta_anon *a, const struct nlmsghdr *nlh)
{
	struct nlattr *attr;

	for (size_t i = 0; i < TA_ARRAY_SIZE(address_attrs); i++) {
		if (nlh->nlmsg_type < address_attrs[i].first || nlh->nlmsg_type > address_attrs[i].last)
			continue;
		mnl_attr_for_each (attr, nlh, address_attrs[i].header) {
			uint16_t type = mnl_attr_get_type(attr);

			for (size_t k = 0; type && k < TA_ARRAY_SIZE(address_attrs[i].types); k++)
				if (address_attrs[i].types[k] == type)
					anon_attr(a, attr);
			if (i == 0 && type == IFLA_VFINFO_LIST)
				anon_vfs(a, attr);
		}
	}
}

static void anon_socket_message(struct ta_anon *a, const struct nlmsghdr *nlh)
{
	struct inet_diag_msg *msg = mnl_nlmsg_get_payload(nlh);
	unsigned len;

	if (nlh->nlmsg_type != SOCK_DIAG_BY_FAMILY || mnl_nlmsg_get_payload_len(nlh) < sizeof(*msg) ||
		(msg->idiag_family != AF_INET && msg->idiag_family != AF_INET6))
		return;
	len = msg->idiag_family == AF_INET ? 4 : 16;
	ta_anon_address(a, (uint8_t *)msg->id.idiag_src, len, (uint8_t *)msg->id.idiag_src);
	ta_anon_address(a, (uint8_t *)msg->id.idiag_dst, len, (uint8_t *)msg->id.idiag_dst);
}

struct walk {
	struct ta_anon *anon;
	int protocol;
};

static int anon_message(const struct nlmsghdr *nlh, void *ctx)
{
	struct walk *w = ctx;

	if (w->protocol == NETLINK_ROUTE)
		anon_route_message(w->anon, nlh);
	else if (w->protocol == NETLINK_SOCK_DIAG)
		anon_socket_message(w->anon, nlh);
	return 0;
}

void ta_anon_netlink(struct ta_anon *a, int protocol, void *bytes, size_t len)
{
	struct walk w = {.anon = a, .protocol = protocol};

	/* What the parser refuses it refuses later too; the messages before that are done. */
	ta_nl_parse(bytes, len, anon_message, &w);
	ta_anon_bytes(a, bytes, len);
}

void ta_anon_ethtool(struct ta_anon *a, void *data, size_t len)
{
	struct ethtool_perm_addr *perm = data;

	if (len >= sizeof(*perm) + 6 && perm->cmd == ETHTOOL_GPERMADDR && perm->size == 6)
		ta_anon_address(a, perm->data, 6, perm->data);
	ta_anon_bytes(a, data, len);
}
