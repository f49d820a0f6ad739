/*
 * RSS by ioctl, which all kernels have and which alone can set it before 7.0; netlink for captures.
 */
#include "nic/rss.h"

#include <errno.h>
#include <libmnl/libmnl.h>
#include <linux/ethtool.h>
#include <stdlib.h>
#include <string.h>

#include "nic/abi.h"
#include "nic/ask.h"
#include "nic/attr.h"

/* Words before the table in struct ethtool_rxfh: command, context, slots, bytes of the key, hfunc and three bytes, reserved. */
#define HEAD 6
#define NO_CHANGE 0xffffffffu /* ETH_RXFH_INDIR_NO_CHANGE */

void ta_nic_rss_done(struct ta_nic_rss *rss)
{
	free(rss->table);
	free(rss->key);
	*rss = (struct ta_nic_rss)TA_NIC_RSS_INIT;
}

static int copy(const void *table, size_t n, const void *key, size_t n_key, struct ta_nic_rss *ret)
{
	ret->table = calloc(n + 1, sizeof(*ret->table));
	ret->key = malloc(n_key + 1);
	if (!ret->table || !ret->key) {
		ta_nic_rss_done(ret);
		return -ENOMEM;
	}
	ret->n = n;
	ret->n_key = n_key;
	if (n)
		memcpy(ret->table, table, n * sizeof(*ret->table));
	if (n_key)
		memcpy(ret->key, key, n_key);
	return 0;
}

/* ETHTOOL_GRXFHINDIR, before 3.16 the only one: command, size, table. */
static int ask_old_table(struct ta_host *h, const char *ifname, struct ta_nic_rss *ret)
{
	uint32_t head[2] = {TA_ETHTOOL_GRXFHINDIR, 0}, *data;
	int rc = ta_host_ethtool(h, ifname, head, sizeof(head));
	size_t n = head[1];

	if (rc < 0 || n == 0 || n > TA_NIC_RSS_MAX)
		return rc < 0 ? rc : -EOPNOTSUPP;
	data = calloc(2 + n, sizeof(*data));
	if (!data)
		return -ENOMEM;
	memcpy(data, (uint32_t[2]){TA_ETHTOOL_GRXFHINDIR, (uint32_t)n}, sizeof(head));
	rc = ta_host_ethtool(h, ifname, data, (2 + n) * sizeof(*data));
	if (rc == 0)
		rc = copy(data + 2, n, NULL, 0, ret);
	free(data);
	return rc;
}

static int take_answer(const uint32_t *data, size_t n, size_t n_key, struct ta_nic_rss *ret)
{
	const unsigned char *bytes = (const unsigned char *)(data + 4);
	int rc = copy(data + HEAD, n, data + HEAD + n, n_key, ret);

	if (rc < 0)
		return rc;
	ret->hfunc = bytes[0];
	ret->input_xfrm = bytes[1];
	return 0;
}

int ta_nic_rss_ioctl(struct ta_host *h, const char *ifname, struct ta_nic_rss *ret)
{
	uint32_t head[HEAD] = {TA_ETHTOOL_GRSSH}, *data;
	int rc = ta_host_ethtool(h, ifname, head, sizeof(head));
	size_t n = head[2], key = head[3], bytes;

	if (rc == -EOPNOTSUPP)
		return ask_old_table(h, ifname, ret);
	/* virtio with one queue has neither table nor key, and tells its hash function. */
	if (rc == 0 && n + key == 0 && ((unsigned char *)head)[4 * sizeof(*head)])
		return take_answer(head, 0, 0, ret);
	if (rc < 0 || n > TA_NIC_RSS_MAX || key > TA_NIC_RSS_MAX || n + key == 0)
		return rc < 0 ? rc : -EOPNOTSUPP;
	bytes = sizeof(head) + n * sizeof(*data) + key;
	data = calloc(1, bytes + sizeof(*data));
	if (!data)
		return -ENOMEM;
	memcpy(data, (uint32_t[4]){TA_ETHTOOL_GRSSH, 0, (uint32_t)n, (uint32_t)key}, 4 * sizeof(*data));
	rc = ta_host_ethtool(h, ifname, data, bytes);
	if (rc == 0)
		rc = take_answer(data, n, key, ret);
	free(data);
	return rc;
}

int ta_nic_rss_decode(const struct nlmsghdr *nlh, struct ta_nic_rss *ret)
{
	const struct nlattr *context = ta_nic_attr_genl(nlh, TA_ETH_A_RSS_CONTEXT);
	const struct nlattr *hfunc = ta_nic_attr_genl(nlh, TA_ETH_A_RSS_HFUNC);
	const struct nlattr *table = ta_nic_attr_genl(nlh, TA_ETH_A_RSS_INDIR);
	const struct nlattr *key = ta_nic_attr_genl(nlh, TA_ETH_A_RSS_HKEY);
	int64_t v = 0;
	int rc;

	/* Further contexts serve what ntuple rules send to them. */
	if (context && (ta_nic_attr_number(context, 4, &v) < 0 || v != 0))
		return 1;
	rc = copy(table ? mnl_attr_get_payload(table) : NULL, table ? mnl_attr_get_payload_len(table) / 4 : 0,
		key ? mnl_attr_get_payload(key) : NULL, key ? mnl_attr_get_payload_len(key) : 0, ret);
	if (rc == 0 && hfunc && ta_nic_attr_number(hfunc, 4, &v) == 0)
		ret->hfunc = (uint32_t)v;
	return rc;
}

static int on_reply(const struct nlmsghdr *nlh, void *ctx)
{
	ta_cleanup_nic_rss struct ta_nic_rss got = TA_NIC_RSS_INIT;
	struct ta_nic_rss *ret = ctx;
	int rc = ret->table ? 1 : ta_nic_rss_decode(nlh, &got);

	if (rc != 0)
		return rc < 0 ? rc : 0;
	*ret = got;
	got = (struct ta_nic_rss)TA_NIC_RSS_INIT;
	return 0;
}

int ta_nic_rss_read(struct ta_host *h, const char *ifname, struct ta_nic_rss *ret)
{
	struct ta_nic_rss got = TA_NIC_RSS_INIT;
	int rc = ta_nic_rss_ioctl(h, ifname, &got);

	/* In a network namespace whose /sys is another's the door lets no ioctl through. */
	if (rc == -ENODATA || rc == -ENODEV)
		rc = ta_nic_ask(h, "ethtool/rss", TA_ETH_RSS_GET, TA_ETH_RSS_GET_REPLY, ifname, on_reply, &got);
	if (rc < 0) {
		ta_nic_rss_done(&got);
		return rc;
	}
	*ret = got;
	return 0;
}

int ta_nic_rss_rings(struct ta_host *h, const char *ifname, uint32_t *ret)
{
	struct ethtool_rxnfc ask = {.cmd = TA_ETHTOOL_GRXRINGS};
	int rc = ta_host_ethtool(h, ifname, &ask, sizeof(ask));

	if (rc < 0)
		return rc;
	if (ask.data == 0 || ask.data > UINT16_MAX + 1)
		return -EBADMSG;
	*ret = (uint32_t)ask.data;
	return 0;
}

void ta_nic_rss_request(const struct ta_nic_rss_change *change, struct ta_buf *b)
{
	uint32_t head[HEAD] = {TA_ETHTOOL_SRSSH, 0, change->reset ? 0 : NO_CHANGE, 0};
	unsigned char bytes[4] = {(unsigned char)change->hfunc, change->input_xfrm};

	if (change->table)
		head[2] = (uint32_t)change->n;
	if (change->key)
		head[3] = (uint32_t)change->n_key;
	memcpy(&head[4], bytes, sizeof(bytes));
	ta_buf_add(b, head, sizeof(head));
	if (change->table)
		ta_buf_add(b, change->table, change->n * sizeof(*change->table));
	if (change->key)
		ta_buf_add(b, change->key, change->n_key);
}
