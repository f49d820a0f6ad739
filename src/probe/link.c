/*
 * Decoding of RTM_NEWLINK and its stand-in from sysfs.
 *
 * rtnetlink is asked first: it answers for the network namespace that we are
 * in (a /sys mounted elsewhere may show another one's), in one request instead
 * of a dozen reads per interface, and takes no driver's lock.
 */
#include "probe/link.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "probe/probe.h"

/* Newer than the headers of the oldest system we build on (5.14). */
#define IFLA_PARENT_DEV_NAME_ 56

const char *const ta_link_counter_names[TA_N_LINK_COUNTERS] = {
	[TA_LINK_RX_PACKETS] = "rx_packets",
	[TA_LINK_TX_PACKETS] = "tx_packets",
	[TA_LINK_RX_BYTES] = "rx_bytes",
	[TA_LINK_TX_BYTES] = "tx_bytes",
	[TA_LINK_RX_ERRORS] = "rx_errors",
	[TA_LINK_TX_ERRORS] = "tx_errors",
	[TA_LINK_RX_DROPPED] = "rx_dropped",
	[TA_LINK_TX_DROPPED] = "tx_dropped",
	[TA_LINK_RX_LENGTH_ERRORS] = "rx_length_errors",
	[TA_LINK_RX_OVER_ERRORS] = "rx_over_errors",
	[TA_LINK_RX_CRC_ERRORS] = "rx_crc_errors",
	[TA_LINK_RX_FRAME_ERRORS] = "rx_frame_errors",
	[TA_LINK_RX_FIFO_ERRORS] = "rx_fifo_errors",
	[TA_LINK_RX_MISSED_ERRORS] = "rx_missed_errors",
	[TA_LINK_TX_CARRIER_ERRORS] = "tx_carrier_errors",
	[TA_LINK_COLLISIONS] = "collisions",
	[TA_LINK_TX_FIFO_ERRORS] = "tx_fifo_errors",
	[TA_LINK_RX_NOHANDLER] = "rx_nohandler",
};

/* The 64-bit words of struct rtnl_link_stats64 in their order. */
static const size_t counter_word[TA_N_LINK_COUNTERS] = {
	[TA_LINK_RX_PACKETS] = 0,
	[TA_LINK_TX_PACKETS] = 1,
	[TA_LINK_RX_BYTES] = 2,
	[TA_LINK_TX_BYTES] = 3,
	[TA_LINK_RX_ERRORS] = 4,
	[TA_LINK_TX_ERRORS] = 5,
	[TA_LINK_RX_DROPPED] = 6,
	[TA_LINK_TX_DROPPED] = 7,
	[TA_LINK_COLLISIONS] = 9,
	[TA_LINK_RX_LENGTH_ERRORS] = 10,
	[TA_LINK_RX_OVER_ERRORS] = 11,
	[TA_LINK_RX_CRC_ERRORS] = 12,
	[TA_LINK_RX_FRAME_ERRORS] = 13,
	[TA_LINK_RX_FIFO_ERRORS] = 14,
	[TA_LINK_RX_MISSED_ERRORS] = 15,
	[TA_LINK_TX_CARRIER_ERRORS] = 17,
	[TA_LINK_TX_FIFO_ERRORS] = 18,
	[TA_LINK_RX_NOHANDLER] = 23, /* 4.6 */
};

static void link_done(struct ta_link *l)
{
	free(l->name);
	free(l->parent);
}

void ta_links_done(struct ta_links *links)
{
	for (size_t i = 0; i < links->n; i++)
		link_done(&links->v[i]);
	free(links->v);
	free(links->by_index);
	*links = (struct ta_links)TA_LINKS_INIT;
}

struct ta_link *ta_links_add(struct ta_links *links, const char *name, size_t len)
{
	struct ta_link *l;

	if (links->n == links->cap) {
		size_t cap = links->cap ? links->cap * 2 : 16;
		struct ta_link *v = reallocarray(links->v, cap, sizeof(*v));

		if (!v)
			return NULL;
		links->v = v;
		links->cap = cap;
	}
	l = &links->v[links->n];
	*l = (struct ta_link){.name = strndup(name, len), .rc_qdisc = -ENOENT};
	if (!l->name)
		return NULL;
	l->ifindex = l->type = l->flags = l->operstate = TA_VAL_NONE;
	l->mtu = l->txqueuelen = l->carrier_changes = TA_VAL_NONE;
	for (size_t i = 0; i < TA_N_LINK_COUNTERS; i++)
		l->counters[i] = TA_VAL_NONE;
	links->n++;
	return l;
}

/* --- netlink --------------------------------------------------------------- */

static struct ta_val attr_u32(const struct nlattr *a)
{
	if (mnl_attr_get_payload_len(a) < sizeof(uint32_t))
		return (struct ta_val){.rc = -EBADMSG};
	return (struct ta_val){.v = mnl_attr_get_u32(a)};
}

static struct ta_val attr_u8(const struct nlattr *a)
{
	if (mnl_attr_get_payload_len(a) < sizeof(uint8_t))
		return (struct ta_val){.rc = -EBADMSG};
	return (struct ta_val){.v = mnl_attr_get_u8(a)};
}

/* Text of an attribute, cut to the buffer; the kernel ends it with NUL, a capture may not. */
static void attr_text(const struct nlattr *a, char *ret, size_t size)
{
	size_t len = strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a));

	len = TA_MIN(len, size - 1);
	memcpy(ret, mnl_attr_get_payload(a), len);
	ret[len] = '\0';
}

static void read_stats(const struct nlattr *a, struct ta_link *l)
{
	size_t n_words = mnl_attr_get_payload_len(a) / sizeof(uint64_t);

	for (size_t i = 0; i < TA_N_LINK_COUNTERS; i++) {
		uint64_t word;

		if (counter_word[i] >= n_words)
			continue;
		memcpy(&word, (const char *)mnl_attr_get_payload(a) + counter_word[i] * 8, 8);
		l->counters[i] = (struct ta_val){.v = (int64_t)word};
	}
}

static void read_info(const struct nlattr *nest, struct ta_link *l)
{
	const struct nlattr *a;

	mnl_attr_for_each_nested(a, nest) if (mnl_attr_get_type(a) == IFLA_INFO_KIND)
		attr_text(a, l->kind, sizeof(l->kind));
}

static int read_attr(const struct nlattr *a, struct ta_link *l, bool *elsewhere)
{
	struct ta_val index;

	switch (mnl_attr_get_type(a)) {
	case IFLA_MTU:
		l->mtu = attr_u32(a);
		break;
	case IFLA_TXQLEN:
		l->txqueuelen = attr_u32(a);
		break;
	case IFLA_OPERSTATE:
		l->operstate = attr_u8(a);
		break;
	case IFLA_CARRIER_CHANGES:
		l->carrier_changes = attr_u32(a);
		break;
	case IFLA_QDISC:
		attr_text(a, l->qdisc, sizeof(l->qdisc));
		break;
	case IFLA_MASTER:
		index = attr_u32(a);
		l->master = index.rc ? 0 : (int)index.v;
		break;
	case IFLA_LINK:
		index = attr_u32(a);
		l->lower = index.rc ? 0 : (int)index.v;
		break;
	case IFLA_LINK_NETNSID:
		*elsewhere = true;
		break;
	case IFLA_LINKINFO:
		read_info(a, l);
		break;
	case IFLA_STATS64:
		read_stats(a, l);
		break;
	case IFLA_PARENT_DEV_NAME_:
		free(l->parent);
		l->parent = strndup(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a));
		return l->parent ? 0 : -ENOMEM;
	}
	return 0;
}

static const struct nlattr *find_name(const struct nlmsghdr *nlh)
{
	const struct nlattr *a;

	mnl_attr_for_each(
		a, nlh, sizeof(struct ifinfomsg)) if (mnl_attr_get_type(a) == IFLA_IFNAME) return a;
	return NULL;
}

int ta_links_decode(const struct nlmsghdr *nlh, struct ta_links *links)
{
	const struct ifinfomsg *info;
	const struct nlattr *a;
	bool elsewhere = false;
	struct ta_link *l;
	size_t len;

	if (nlh->nlmsg_type != RTM_NEWLINK)
		return 0;
	if (mnl_nlmsg_get_payload_len(nlh) < sizeof(*info))
		return -EBADMSG;
	info = mnl_nlmsg_get_payload(nlh);
	a = find_name(nlh);
	len = a ? strnlen(mnl_attr_get_payload(a), mnl_attr_get_payload_len(a)) : 0;
	if (len == 0 || info->ifi_index <= 0)
		return -EBADMSG;
	l = ta_links_add(links, mnl_attr_get_payload(a), len);
	if (!l)
		return -ENOMEM;
	l->ifindex = (struct ta_val){.v = info->ifi_index};
	l->type = (struct ta_val){.v = info->ifi_type};
	l->flags = (struct ta_val){.v = info->ifi_flags};
	mnl_attr_for_each(
		a, nlh, sizeof(*info)) if (read_attr(a, l, &elsewhere) < 0) return -ENOMEM;
	/* A veth names its peer as lower device; one in another namespace has another's index. */
	if (elsewhere || l->lower == info->ifi_index || strcmp(l->kind, "veth") == 0)
		l->lower = 0;
	if (l->qdisc[0])
		l->rc_qdisc = 0;
	return 0;
}

static int on_link(const struct nlmsghdr *nlh, void *ctx)
{
	return ta_links_decode(nlh, ctx);
}

static int by_name(const void *a, const void *b)
{
	return ta_natural_cmp(((const struct ta_link *)a)->name, ((const struct ta_link *)b)->name);
}

/* An interrupted dump is repeated by the door, so that an interface may have come twice. */
static void drop_doubles(struct ta_links *links)
{
	size_t n = 0;

	for (size_t i = 0; i < links->n; i++) {
		if (n && by_name(&links->v[n - 1], &links->v[i]) == 0)
			link_done(&links->v[i]);
		else
			links->v[n++] = links->v[i];
	}
	links->n = n;
}

static int cmp_index(const void *a, const void *b)
{
	const struct ta_link *const *x = a, *const *y = b;

	return ((*x)->ifindex.v > (*y)->ifindex.v) - ((*x)->ifindex.v < (*y)->ifindex.v);
}

int ta_links_sort(struct ta_links *links)
{
	if (!links->n)
		return 0;
	qsort(links->v, links->n, sizeof(*links->v), by_name);
	drop_doubles(links);
	links->by_index = calloc(links->n, sizeof(*links->by_index));
	if (!links->by_index)
		return -ENOMEM;
	for (size_t i = 0; i < links->n; i++)
		links->by_index[i] = &links->v[i];
	qsort(links->by_index, links->n, sizeof(*links->by_index), cmp_index);
	return 0;
}

int ta_links_netlink(struct ta_host *h, struct ta_links *ret)
{
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;
	struct {
		struct nlmsghdr nlh;
		struct ifinfomsg info;
	} request = {
		.nlh =
			{
				.nlmsg_len = sizeof(request),
				.nlmsg_type = RTM_GETLINK,
				.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			},
	};
	int rc = ta_host_netlink(h, NETLINK_ROUTE, "route/link", &request.nlh, on_link, &links);

	if (rc < 0 && rc != -EINTR)
		return rc;
	links.torn = rc == -EINTR;
	rc = ta_links_sort(&links);
	if (rc < 0)
		return rc;
	*ret = links;
	links = (struct ta_links)TA_LINKS_INIT;
	return 0;
}

bool ta_link_has_members(const struct ta_link *l)
{
	static const char *const kinds[] = {"bond", "bridge", "team", "vrf", "openvswitch"};

	for (size_t i = 0; i < TA_ARRAY_SIZE(kinds); i++)
		if (strcmp(l->kind, kinds[i]) == 0)
			return true;
	return false;
}

const struct ta_link *ta_links_by_index(const struct ta_links *links, int ifindex)
{
	struct ta_link key = {.ifindex.v = ifindex}, *pkey = &key, **found;

	if (!links->by_index || ifindex <= 0)
		return NULL;
	found = bsearch(&pkey, links->by_index, links->n, sizeof(*links->by_index), cmp_index);
	return found ? *found : NULL;
}

/* --- sysfs ------------------------------------------------------------------ */

static struct ta_val read_attribute(struct ta_host *h, const char *name, const char *attribute)
{
	char file[512];

	return ta_val_read(h, ta_fmt(&file, "/sys/class/net/%s/%s", name, attribute));
}

static struct ta_val read_flags(struct ta_host *h, const char *name)
{
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_val val = {0};
	char file[512];
	uint64_t bits = 0;

	val.rc = ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/flags", name), &text);
	if (val.rc < 0)
		return val;
	if (strncmp(ta_buf_text(&text), "0x", 2) != 0 || ta_parse_hex(text.data + 2, &bits) < 0)
		return (struct ta_val){.rc = -EBADMSG};
	/* The file leaves IFF_RUNNING out (net/core/net-sysfs.c prints dev->flags). */
	val.v = (int64_t)bits;
	return val;
}

static struct ta_val read_operstate(struct ta_host *h, const char *name)
{
	/* net/core/net-sysfs.c operstates[], in the order of IF_OPER_* */
	static const char *const states[] = {
		"unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"};
	ta_cleanup_buf struct ta_buf text = TA_BUF_INIT;
	struct ta_val val = {0};
	char file[512];

	val.rc = ta_text_read(h, ta_fmt(&file, "/sys/class/net/%s/operstate", name), &text);
	if (val.rc < 0)
		return val;
	for (size_t i = 0; i < TA_ARRAY_SIZE(states); i++)
		if (strcmp(ta_buf_text(&text), states[i]) == 0)
			return (struct ta_val){.v = (int64_t)i};
	return (struct ta_val){.rc = -EBADMSG};
}

int ta_links_sysfs(struct ta_host *h, const struct ta_netdevs *devs, struct ta_links *ret)
{
	ta_cleanup_links struct ta_links links = TA_LINKS_INIT;

	for (size_t i = 0; i < devs->n; i++) {
		const char *name = devs->v[i].name;
		struct ta_link *l = ta_links_add(&links, name, strlen(name));
		char file[512];

		if (!l)
			return -ENOMEM;
		l->rc_qdisc = -ENODATA;
		l->ifindex = read_attribute(h, name, "ifindex");
		l->type = read_attribute(h, name, "type");
		l->mtu = read_attribute(h, name, "mtu");
		l->txqueuelen = read_attribute(h, name, "tx_queue_len");
		l->carrier_changes = read_attribute(h, name, "carrier_changes");
		l->flags = read_flags(h, name);
		l->operstate = read_operstate(h, name);
		for (size_t c = 0; c < TA_N_LINK_COUNTERS; c++) {
			ta_fmt(&file, "/sys/class/net/%s/statistics/%s", name,
				ta_link_counter_names[c]);
			l->counters[c] = ta_val_counter(h, file);
		}
	}
	*ret = links;
	links = (struct ta_links)TA_LINKS_INIT;
	return 0;
}
