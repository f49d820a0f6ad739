/*
 * "eth0": packets that a pfifo or pfifo_fast queue holds. Its queues are emptied when it is set (net/core/dev.c:
 * dev_change_tx_queue_len()).
 */
#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>

#include "base/num.h"
#include "fix/nicknob.h"
#include "host/change.h"
#include "nic/attr.h"
#include "nic/link.h"

#define MOST_WISHED 100000

static int parse(const char *value, enum ta_value_use use, uint32_t *ret)
{
	uint64_t v;

	if (!*value || value[strspn(value, "0123456789")] || (*value == '0' && value[1]) || ta_parse_u64(value, &v) < 0 ||
		v > UINT32_MAX || (use == TA_VALUE_WISHED && (v < 1 || v > MOST_WISHED)))
		return -EINVAL;
	*ret = (uint32_t)v;
	return 0;
}

static int check(const char *target, const char *value, enum ta_value_use use, struct ta_err *err)
{
	struct ta_nic_target t;
	uint32_t packets;
	int rc = ta_nic_target_parse(target, false, &t, err);

	if (rc == 0 && value && parse(value, use, &packets) < 0)
		return ta_err_set(err, -EINVAL, "%s: '%.60s' can be no length of its queue", target, value);
	return rc;
}

static int read_present(struct ta_host *h, const char *ifname, struct ta_nic_link *ret, struct ta_err *err)
{
	int rc = ta_nic_link_read(h, ifname, ret);

	if (rc == 0 && ret->txqueuelen < 0)
		rc = -EOPNOTSUPP;
	return rc < 0 ? ta_nic_fail(err, rc, ifname, "the length of its queue cannot be read") : 0;
}

static int read_value(struct ta_host *h, const char *target, struct ta_buf *ret, struct ta_err *err)
{
	struct ta_nic_link link;
	struct ta_nic_target t;
	int rc = ta_nic_target_parse(target, false, &t, err);

	ta_buf_reset(ret);
	if (rc == 0)
		rc = read_present(h, t.ifname, &link, err);
	if (rc < 0)
		return rc;
	ta_buf_printf(ret, "%lld", (long long)link.txqueuelen);
	return ret->error;
}

static int send_length(struct ta_host *h, int ifindex, uint32_t packets, struct ta_err *err)
{
	ta_cleanup_buf struct ta_buf b = TA_BUF_INIT;
	struct nlmsghdr nlh = {.nlmsg_type = RTM_SETLINK, .nlmsg_flags = NLM_F_REQUEST};
	struct ifinfomsg info = {.ifi_index = ifindex};

	ta_buf_add(&b, &nlh, sizeof(nlh));
	ta_buf_add(&b, &info, sizeof(info));
	ta_nic_put_u32(&b, IFLA_TXQLEN, packets);
	if (b.error)
		return b.error;
	((struct nlmsghdr *)(void *)b.data)->nlmsg_len = (uint32_t)b.len;
	return ta_host_set_netlink(h, NETLINK_ROUTE, (struct nlmsghdr *)(void *)b.data, err);
}

static int write_value(struct ta_host *h, const char *target, const char *value, struct ta_err *err)
{
	struct ta_nic_link link;
	uint32_t packets = 0;
	int rc = check(target, value, TA_VALUE_FOUND, err);

	if (rc == 0)
		rc = parse(value, TA_VALUE_FOUND, &packets);
	if (rc == 0)
		rc = read_present(h, target, &link, err);
	if (rc < 0 || link.txqueuelen == packets)
		return rc;
	rc = send_length(h, link.ifindex, packets, err);
	return rc < 0 ? ta_nic_fail(err, rc, target, "the length of its queue cannot be set") : 0;
}

static void command(const char *target, const char *value, struct ta_buf *b)
{
	struct ta_nic_target t;

	if (ta_nic_target_parse(target, false, &t, NULL) < 0)
		return;
	ta_buf_adds(b, "ip link set dev ");
	ta_shell_quote(b, t.ifname);
	ta_buf_adds(b, " txqueuelen ");
	ta_shell_quote(b, value);
	ta_buf_addc(b, '\n');
}

const struct ta_knob ta_knob_txqueuelen = {
	.name = "txqueuelen",
	.order = TA_ORDER_NIC,
	.nic = true,
	.keeps_link = true,
	.check = check,
	.read = read_value,
	.may = ta_nic_may,
	.write = write_value,
	.command = command,
};
